// Taps that nobody meant: the second of two quick ones in one place, and a key that is leant on.

const DOUBLED = 300; // nobody means two taps in one place as fast as that
const PLACE = 24; // pixels
const REPEATED = ["Enter", " "];

/** Let each tap count once in what is recorded; what is counted up and down, or typed, digits of a PIN too, is left alone. */
export function once(root) {
  let before = { at: -Infinity, x: 0, y: 0 };

  root.addEventListener("click", (event) => {
    const { timeStamp: at, clientX: x, clientY: y, detail } = event;
    if (!detail || event.target.closest(".stepper, .keypad, input, textarea, select")) return; // by a key, or by a script
    const doubled = at - before.at < DOUBLED && Math.hypot(x - before.x, y - before.y) < PLACE;
    if (!doubled) before = { at, x, y };
    else {
      event.stopImmediatePropagation();
      event.preventDefault();
    }
  }, { capture: true });

  for (const typed of ["input", "keydown"]) { // what is tapped behind that is another tap
    root.addEventListener(typed, () => (before = { ...before, at: -Infinity }), { capture: true });
  }

  root.addEventListener("keydown", (event) => {
    if (event.repeat && REPEATED.includes(event.key) && event.target.closest("button, summary, a")) event.preventDefault();
  }, { capture: true });
}
