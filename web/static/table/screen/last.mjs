// The last hands, below the one in progress: what was booked, and what it moved.

import { html } from "../html.mjs";
import { _, chips, number } from "../words.mjs";
import { Who } from "./fields.mjs";
import { handWords } from "./spoken.mjs";

const SHOWN = 2;

export function Last({ view, open }) {
  const rows = view.last.filter((row) => row.status !== "open").slice(-SHOWN).reverse();
  if (!rows.length) return null;
  return html`<section class="last" aria-label=${_("The last hands")}>
    ${rows.map((row) => html`<button type="button" class="last-hand" key=${row.hand} onClick=${() => open("hands", { hand: row.hand })}>
      <span class="last-number">${number(row.hand)}</span>
      <span class="last-words"><span dir="auto">${handWords(row, view)}</span>${row.provisional ? html` <em>${_("not sent yet")}</em>` : null}${row.disputed ? html` <em>${_("disputed")}</em>` : null}</span>
      <span class="last-changes">${inOrder(row.changes ?? {}, view).filter(([, count]) => count).map(([who, count]) => html`<span key=${who} class=${count < 0 ? "loss" : "gain"}>
        ${view.scores ? html`<bdi>${view.teamName(who)}</bdi>` : html`<${Who} id=${who} names=${view.names} most=${8} />`} ${chips(count)}</span>`)}</span>
    </button>`)}
  </section>`;
}

/** Who won and lost what, as people sit: the same before it is sent and after. */
function inOrder(changes, { players }) {
  const place = ([who]) => players.findIndex(({ id }) => id === who);
  return Object.entries(changes).toSorted((one, other) => place(one) - place(other));
}
