// Undo past the last hand: shows its amounts, and asks once.

import { html, useState } from "../html.mjs";
import { _, chips, number } from "../words.mjs";
import { Notice, Who } from "./fields.mjs";
import { Sheet } from "./sheet.mjs";
import { handWords } from "./spoken.mjs";
import { undoLabel } from "./bar.mjs";

export function UndoSheet({ view, session, close }) {
  const [wrong, setWrong] = useState(null);
  const [busy, setBusy] = useState(false);
  const { undo } = view;
  if (!undo) return html`<${Sheet} title=${_("Undo")} close=${close}><p>${_("There is nothing to undo.")}</p><//>`;
  const last = view.last.findLast((row) => row.status !== "open");
  const ofLast = last && undo.label?.includes(`hand ${last.hand}`);

  async function go() {
    setBusy(true);
    const verdict = await session.undo();
    setBusy(false);
    if (verdict?.status === "refused") setWrong(verdict.detail);
    else close();
  }

  const foot = html`<button type="button" class="button quiet" onClick=${close}>${_("Leave it")}</button>
    <button type="button" class="button danger" aria-busy=${busy ? "true" : undefined} disabled=${busy} onClick=${go}>${_("Take it back")}</button>`;
  return html`<${Sheet} title=${_("Take back?")} close=${close} foot=${foot}>
    <p class="lead" dir="auto">${undoLabel(view)}</p>
    ${ofLast ? html`<p dir="auto">${handWords(last, view)}</p><dl class="changes">${Object.entries(last.changes ?? {}).map(([who, count]) => html`<div key=${who}>
      <dt>${view.scores ? html`<bdi>${view.teamName(who)}</bdi>` : html`<${Who} id=${who} names=${view.names} />`}</dt><dd>${chips(count)} → ${number(0)}</dd></div>`)}</dl>` : null}
    ${wrong ? html`<${Notice} kind="bad">${wrong}<//>` : null}
  <//>`;
}
