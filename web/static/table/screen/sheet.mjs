// A sheet over the table: everything that is one tap away from the hands. The pool above it stays in sight.

import { html, useEffect, useId, useLayoutEffect, useRef } from "../html.mjs";
import { _ } from "../words.mjs";

let opener = null; // what led to the first of sheets that follow each other

/**
 * A dialog below the top bar. It closes by Escape, by its cross and by a tap beside it; whoever had the focus gets it
 * back. `foot` stays in sight below what scrolls; `wide` gives it the whole table. What `said` holds is read out.
 */
export function Sheet({ title, close, children, foot, wide = false, said = "" }) {
  const dialog = useRef(null);
  const head = useRef(null);
  const label = useId();
  const leave = useRef(close);
  leave.current = close;
  const gone = useRef(false);

  useLayoutEffect(() => {
    const before = document.activeElement === document.body ? null : document.activeElement;
    if (before && !before.closest("dialog")) opener = before;
    const shown = dialog.current;
    shown.showModal();
    head.current.focus();
    return () => {
      gone.current = true;
      shown.close(); // what lies below it cannot have the focus before
      (before?.isConnected ? before : opener)?.focus();
    };
  }, []);

  useEffect(() => {
    dialog.current.querySelector(".sheet-body").scrollTo(0, 0);
  }, [title]);

  function escape(event) {
    if (event.target !== event.currentTarget) return;
    event.preventDefault();
    leave.current();
  }

  /** A browser may close a dialog without asking, as at a second Escape. */
  function closed(event) {
    if (event.target === event.currentTarget && !gone.current) leave.current();
  }

  function beside(event) {
    if (event.target !== dialog.current) return;
    const box = dialog.current.getBoundingClientRect();
    const inside = event.clientX >= box.left && event.clientX <= box.right &&
      event.clientY >= box.top && event.clientY <= box.bottom;
    if (!inside) leave.current();
  }

  return html`<dialog class=${wide ? "sheet wide" : "sheet"} ref=${dialog} aria-labelledby=${label}
    onCancel=${escape} onClose=${closed} onPointerDown=${beside}>
    <header class="sheet-head">
      <h2 id=${label} ref=${head} tabindex="-1" dir="auto">${title}</h2>
      <button type="button" class="cross" aria-label=${_("Close")} onClick=${() => leave.current()}>
        <svg viewBox="0 0 24 24" aria-hidden="true"><path d="M5 5l14 14M19 5L5 19" /></svg>
      </button>
    </header>
    <div class="sheet-body" tabindex="0">${children}</div>
    <p class=${said ? "said" : "said silent"} role="status">${said}</p>
    ${foot ? html`<footer class="sheet-foot">${foot}</footer>` : null}
  </dialog>`;
}
