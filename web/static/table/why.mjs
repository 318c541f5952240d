// *Why?* on a number: the lines of the book that it is the sum of.

import { ask } from "./api.mjs";
import { Sheet } from "./dialog.mjs";
import { html, useEffect, useState } from "./html.mjs";
import { Amount } from "./parts.mjs";
import { memoWords, namesOf } from "./told.mjs";
import { _, name, number, within } from "./words.mjs";

/** The lines of an account: a player's, or the pool's. They are read when it is opened, and whenever the night moves. */
export function Why({ state, account, title, onClose }) {
  const [told, set] = useState(null);
  useEffect(() => {
    let wanted = true;
    const place = `/api/v1/clubs/${encodeURIComponent(state.club)}/nights/${encodeURIComponent(state.night)}`;
    ask(`${place}/explain?account=${encodeURIComponent(account)}`).then(
      ({ status, body }) => wanted && (status === 200 ? set(body) : set({ failed: true })),
      () => wanted && set((before) => before ?? { failed: true }),
    );
    return () => (wanted = false);
  }, [account, state.position]);
  const pool = account === "pool";
  const names = namesOf(state);
  return html`<${Sheet} title=${title} onClose=${onClose}>
    ${!told && html`<p class="soft" role="status">${_("Looking it up…")}</p>`}
    ${told?.failed && html`<p role="alert">${_("There is no network just now: this cannot be looked up.")}</p>`}
    ${told?.lines && (told.lines.length === 0
      ? html`<p>${_("Nothing has moved it.")}</p>`
      : html`<div class="why" tabindex="0" role="group" aria-label=${title}><table>
          <thead><tr><th scope="col">${_("Hand")}</th><th scope="col">${_("What")}</th>
            <th scope="col" class="num">${_("Change")}</th><th scope="col" class="num">${_("Balance")}</th></tr></thead>
          <tbody>${told.lines.toReversed().map((line) => html`<tr>
            <td>${line.hand === null ? "" : number(line.hand)}</td><td>${memoWords(state, line.memo)}${line.parties.length > 0 && html` <span class="soft">${parties(line, names)}</span>`}</td>
            <td class="num"><${Amount} of=${line.change} /></td><td class="num"><${Amount} of=${line.balance} sign=${!pool} /></td></tr>`)}</tbody>
          <tfoot><tr><th scope="row" colspan="2">${_("Total")}</th><td class="num" colspan="2"><${Amount} of=${told.total} sign=${!pool} /></td></tr></tfoot>
        </table></div>`)}
  <//>`;
}

const parties = (line, names) => line.parties.map((id) => within(name(names[id] ?? id, 14))).join(", ");
