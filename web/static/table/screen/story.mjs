// Why a number is what it is: the lines that sum to it, of a player or of the pool.

import { html, useEffect, useState } from "../html.mjs";
import { _, chips, number } from "../words.mjs";
import { Notice, Who } from "./fields.mjs";
import { Sheet } from "./sheet.mjs";
import { memoWords } from "../told.mjs";

export const PoolStory = ({ view, session, close }) => html`<${Story} ...${{ view, session, close }} account="pool" title=${_("The pool")} />`;

export function Story({ view, session, close, account, title }) {
  const { pool } = view;
  return html`<${Sheet} title=${title} close=${close}>
    ${account === "pool" && pool.chips ? html`<p class="lead">${pool.since_hand ? _("Grown since hand %(hand)s.", { hand: number(pool.since_hand) }) : _("Brought forward.")}
      ${pool.would_pay ? ` ${_("A bid that takes it would take %(chips)s.", { chips: number(pool.would_pay) })}` : ""}</p>
      <dl class="changes">${Object.entries(pool.fed_by).map(([player, count]) => html`<div key=${player}><dt><${Who} id=${player} names=${view.names} /></dt><dd>${number(count)}</dd></div>`)}</dl>` : null}
    <${Lines} ...${{ view, session, account }} />
  <//>`;
}

/** The lines, newest first; they sum to the number above them. */
export function Lines({ view, session, account }) {
  const [told, setTold] = useState(null);
  useEffect(() => {
    let wanted = true;
    session.ask(`/nights/${encodeURIComponent(session.night)}/explain?account=${encodeURIComponent(account)}`).then(
      (found) => wanted && setTold(found),
      () => wanted && setTold({ silent: true }),
    );
    return () => (wanted = false);
  }, [account, view.night.version]);
  if (!told) return html`<p class="soft" role="status">${_("…")}</p>`;
  if (!told.lines) return html`<${Notice}>${_("Without a network this cannot be looked up.")}<//>`;
  return html`<div class="table" role="group" tabindex="0" aria-label=${_("Why this number")}><table class="lines"><caption class="only-read">${_("Why this number")}</caption>
    <thead><tr><th scope="col">${_("Hand")}</th><th scope="col">${_("For")}</th><th scope="col" class="num">${_("Change")}</th><th scope="col" class="num">${_("Balance")}</th></tr></thead>
    <tbody>${told.lines.toReversed().map((line, index) => html`<tr key=${index}><td>${line.hand ?? "–"}</td><td>${memoWords(view.night, line.memo)}${line.parties.length ? html` <span class="soft">${line.parties.map((id, at) => html`${at ? ", " : ""}<${Who} id=${id} names=${view.names} most=${14} />`)}</span>` : null}</td>
      <td class=${`num ${line.change < 0 ? "loss" : "gain"}`}>${chips(line.change)}</td><td class="num">${number(line.balance)}</td></tr>`)}</tbody>
    <tfoot><tr><th scope="row" colspan="3">${_("Total")}</th><td class="num">${number(told.total)}</td></tr></tfoot></table></div>`;
}
