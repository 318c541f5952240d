// A sheet over the page, that is left with Escape, its button, or the way back; whoever opened it has the focus again.

import { html, useEffect, useRef } from "./html.mjs";
import { _ } from "./words.mjs";

/** What is asked or told over the page. `title` names it. */
export function Sheet({ title, onClose, children }) {
  const box = useRef(null);
  useEffect(() => {
    const dialog = box.current;
    dialog.showModal();
    return () => dialog.close();
  }, []);
  return html`<dialog class="sheet" ref=${box} aria-labelledby="sheet-title" onClose=${onClose}
      onClick=${(event) => event.target === box.current && onClose()}>
    <div class="sheet-inside">
      <header><h2 id="sheet-title">${title}</h2>
        <button type="button" class="button quiet" onClick=${onClose} aria-label=${_("Close")}>
          <svg viewBox="0 0 24 24" aria-hidden="true"><path d="M5 5 19 19M19 5 5 19" /></svg></button></header>
      ${children}
    </div>
  </dialog>`;
}
