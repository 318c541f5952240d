// What a tablet does beside showing: it sounds, shakes, and lets chips move. Each can be switched off.

let audio = null;

const touched = () => navigator.userActivation?.hasBeenActive ?? true; // until then a browser lets a page do neither

/** Two quiet notes, as of a chip on wood. */
export function sound() {
  if (!touched()) return;
  try {
    audio ??= new AudioContext();
    const at = audio.currentTime;
    for (const [start, pitch] of [[0, 660], [0.09, 880]]) {
      const tone = audio.createOscillator();
      const loud = audio.createGain();
      tone.type = "triangle";
      tone.frequency.value = pitch;
      loud.gain.setValueAtTime(0.0001, at + start);
      loud.gain.exponentialRampToValueAtTime(0.08, at + start + 0.01);
      loud.gain.exponentialRampToValueAtTime(0.0001, at + start + 0.16);
      tone.connect(loud).connect(audio.destination);
      tone.start(at + start);
      tone.stop(at + start + 0.18);
    }
  } catch {
    // a browser without sound books as well
  }
}

/** A short shake. */
export const shake = () => touched() && navigator.vibrate?.(30);

/** Let chips move on the felt from whom to whom: `entries` of a hand, `{from, to, chips}` between players and pool. */
export function moveChips(felt, entries) {
  if (!felt || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const frame = felt.getBoundingClientRect();
  const spot = (who) => {
    const one = who === "pool" ? felt.querySelector(".middle") : felt.querySelector(`[data-player="${CSS.escape(who)}"]`);
    if (!one) return null;
    const box = one.getBoundingClientRect();
    return { x: box.left + box.width / 2 - frame.left, y: box.top + box.height / 2 - frame.top };
  };
  for (const [index, { from, to, chips }] of entries.slice(0, 24).entries()) {
    const [start, end] = [spot(from), spot(to)];
    if (!start || !end) continue;
    for (let one = 0; one < Math.min(3, chips); one += 1) {
      const chip = felt.appendChild(document.createElement("span"));
      chip.className = "flying";
      chip.setAttribute("aria-hidden", "true");
      const moved = chip.animate(
        [
          { transform: `translate(${start.x}px, ${start.y}px) scale(0.7)`, opacity: 0 },
          { transform: `translate(${start.x}px, ${start.y}px) scale(1)`, opacity: 1, offset: 0.15 },
          { transform: `translate(${end.x}px, ${end.y}px) scale(1)`, opacity: 1, offset: 0.85 },
          { transform: `translate(${end.x}px, ${end.y}px) scale(0.7)`, opacity: 0 },
        ],
        { duration: 900, delay: index * 60 + one * 90, easing: "cubic-bezier(.3,.1,.2,1)", fill: "both" },
      );
      moved.onfinish = moved.oncancel = () => chip.remove();
    }
  }
}
