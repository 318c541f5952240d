// Undo past the last hand: shows its amounts, and asks once.

import { html, useState } from "../html.mjs";
import { _, chips, number } from "../words.mjs";
import { useActs, Wrong } from "./acts.mjs";
import { Who } from "./fields.mjs";
import { Sheet } from "./sheet.mjs";
import { handWords } from "./spoken.mjs";
import { undoLabel } from "./bar.mjs";

export function UndoSheet({ view, session, close }) {
  const [busy, setBusy] = useState(false);
  const acts = useActs(session);
  const { undo } = view;
  if (!undo) return html`<${Sheet} title=${_("Undo")} close=${close}><p>${_("There is nothing to undo.")}</p><//>`;
  const last = view.last.findLast((row) => row.status !== "open");
  const ofLast = last && (undo.row ? undo.row.data.hand === last.hand : undo.label?.includes(`hand ${last.hand}`));

  async function go() {
    setBusy(true);
    const taken = undo.kind !== "recorded" ? (await session.undo(), true)
      : await acts.run(`Undo ${undo.command}`, (grant) => session.act("Undo", { command: undo.command }, { grant }));
    setBusy(false);
    if (taken) close();
  }

  const foot = html`<button type="button" class="button quiet" onClick=${close}>${_("Leave it")}</button>
    <button type="button" class="button danger" aria-busy=${busy ? "true" : undefined} disabled=${busy} onClick=${go}>${_("Take it back")}</button>`;
  return html`<${Sheet} title=${_("Take back?")} close=${close} foot=${foot}>
    <p class="lead" dir="auto">${undoLabel(view)}</p>
    ${ofLast ? html`<p dir="auto">${handWords(last, view)}</p><dl class="changes">${Object.entries(last.changes ?? {}).map(([who, count]) => html`<div key=${who}>
      <dt>${view.scores ? html`<bdi>${view.teamName(who)}</bdi>` : html`<${Who} id=${who} names=${view.names} />`}</dt><dd>${chips(count)} → ${number(0)}</dd></div>`)}</dl>` : null}
    ${undo.leave ? html`<p class="soft">${_("This asks for a PIN.")}</p>` : null}
    <${Wrong} of=${acts.wrong} names=${view.names} />
    ${acts.pin}
  <//>`;
}
