// A screen that stays awake as long as it is looked at, where a browser lets it: over https, or on the machine itself.

let lock = null;

/** Keep the screen awake for as long as it is wanted; asked again whenever the page is shown again, or touched. */
export function stayAwake(wanted = () => true) {
  const ask = async () => {
    if (!wanted()) return lock?.release();
    if (document.visibilityState !== "visible" || (lock && !lock.released)) return;
    try {
      lock = await navigator.wakeLock?.request("screen");
    } catch {
      // an empty battery may refuse; the screen then does what it always does
    }
  };
  document.addEventListener("visibilitychange", ask);
  document.addEventListener("pointerdown", ask);
  ask();
}
