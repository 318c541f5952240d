// The close of a night: what becomes of the pool, what everybody has to settle, the receipt; and opening it again.

import { html, useEffect, useState } from "../html.mjs";
import { _, money, n_, number } from "../words.mjs";
import { refusal, useActs, waits, Wrong } from "./acts.mjs";
import { bidName, called, Change, Do, joined, Notice, people, Pick, Side, Words } from "./fields.mjs";
import { useFilled } from "./resumed.mjs";
import { Sheet } from "./sheet.mjs";

const DRAWN = "drawn";

/** Close the night, or see how it was closed. */
export function Close({ view, session, close, open }) {
  return view.night.state === "open" ? html`<${Closing} ...${{ view, session, close, open }} />` : html`<${Closed} ...${{ view, session, close }} />`;
}

function Closing({ view, session, close, open }) {
  const { night, names } = view;
  const at = night.deal.rules.at_close;
  const usual = at === "draw" ? DRAWN : at ?? "carry";
  const [pool, setPool] = useState(usual);
  const [winner, setWinner] = useState(null);
  const [plan, setPlan] = useState(null);
  const acts = useActs(session);
  const offline = waits(view);
  const choice = pool === DRAWN ? (winner ? { to: winner } : null) : pool;
  const has = !night.scores && night.pool.chips > 0;
  const data = has ? (choice === null ? null : { pool: choice }) : {};
  const key = JSON.stringify([data, night.version]);
  const begun = ["auction", "play"].includes(night.hand.phase);

  useEffect(() => {
    let wanted = true;
    setPlan(null);
    if (data && !offline && !begun) session.preview("CloseNight", data).then((found) => wanted && setPlan(found), () => {});
    return () => (wanted = false);
  }, [key, offline]);

  async function book() {
    await acts.run(`CloseNight ${key}`, (grant) => session.act("CloseNight", data, { expected: plan.version, grant }));
  }

  const ready = plan?.status === "preview";
  const need = offline ?? (view.waiting.length ? n_("%(num)d tap is not sent yet.", "%(num)d taps are not sent yet.", view.waiting.length)
    : data === null ? _("Say who has drawn it.") : ready ? null : "");
  const seated = view.players.filter((one) => one.seated).map((one) => one.id);
  return html`<${Sheet} wide title=${_("Close the night")} close=${close} foot=${html`<span class="lack">${need}</span>
    <button type="button" class="button quiet" onClick=${close}>${_("Play on")}</button>
    <${Do} act=${book} busy=${acts.busy} why=${ready ? need : need || _("It cannot be closed yet.")}>${_("Close the night")}<//>`}>
    <${Wrong} of=${acts.wrong} names=${names} />
    ${begun ? html`<${Notice}><p><strong>${_("Hand %(hand)s is in progress.", { hand: number(night.hand.number) })}</strong> ${standing(view)}</p>
      <p>${_("Finish it, or declare a misdeal: then the night can be closed.")}</p><//>`
      : plan?.status === "refused" ? html`<${Notice} kind="bad">${refusal(plan, names)}<//>` : null}
    ${night.disputed.length ? html`<${Notice}><p>${n_("Hand %(hands)s is disputed. It counts as it is recorded.", "Hands %(hands)s are disputed. They count as they are recorded.", night.disputed.length,
      { hands: joined(night.disputed.map((hand) => number(hand))) })}</p><button type="button" class="button quiet" onClick=${() => open("hands", { hand: night.disputed[0] })}>${_("Look at it")}</button><//>` : null}
    ${night.needs_review.length ? html`<${Notice}>${n_("Hand %(hands)s is still to be looked at.", "Hands %(hands)s are still to be looked at.", night.needs_review.length,
      { hands: joined(night.needs_review.map((hand) => number(hand))) })}<//>` : null}
    ${has ? html`<${Pick} legend=${n_("What becomes of the pool of %(num)d chip?", "What becomes of the pool of %(num)d chips?", night.pool.chips)} layout="grid wide-choices"
      value=${pool} set=${setPool} options=${[["carry", _("It stays for the next night")], ["split", _("It is shared equally")], [DRAWN, _("Somebody has drawn it")]].map(([value, label]) =>
        ({ value, label, note: value === usual ? _("as the rules have it") : null }))} />` : null}
    ${has && pool === DRAWN ? html`<${Pick} legend=${_("Who has drawn it?")} options=${people(seated, names)} value=${winner} set=${setWinner} />` : null}
    ${ready ? html`<${Ends} view=${view} plan=${plan} />` : null}
    ${acts.pin}
  <//>`;
}

function standing({ night, names, kit }) {
  const { standing: best, turn } = night.hand;
  if (best) return _("%(name)s has bid %(bid)s.", { name: called(names, best.player), bid: bidName(kit, best.bid) });
  return turn ? _("%(name)s is to bid.", { name: called(names, turn) }) : "";
}

/** What everybody ends with, and what he has to settle: the worth of it, and what was paid for chips. */
function Ends({ view, plan }) {
  const { night, names } = view;
  const of = night.money;
  const balances = night.scores ? plan.balances : Object.fromEntries(view.players.map((one) => [one.id, plan.balances[one.id] ?? one.balance]));
  return html`<section><h3>${_("How the night would end")}</h3><div class="table" role="group" tabindex="0" aria-label=${_("How the night would end")}><table class="old-new"><thead><tr><th scope="col">${night.scores ? _("Side") : _("Player")}</th>
    <th scope="col" class="num">${night.scores ? _("Points") : _("Chips")}</th>${of && !night.scores ? html`<th scope="col" class="num">${_("To settle")}</th>` : null}</tr></thead>
    <tbody>${Object.entries(balances).map(([id, chips]) => html`<tr key=${id}><th scope="row"><${Side} id=${id} names=${names} /></th><td class="num"><${Change} of=${chips} /></td>
      ${of && !night.scores ? html`<td class="num"><${Due} view=${view} id=${id} chips=${chips} /></td>` : null}</tr>`)}</tbody></table></div>
    ${night.scores ? null : html`<p class="lead">${_("Pool for the next night: %(chips)s", { chips: number(plan.pool ?? 0) })}</p>`}</section>`;
}

function Due({ view, id, chips }) {
  const player = view.players.find((one) => one.id === id) ?? {};
  const due = chips * view.night.money.chip + (player.paid_in ?? 0) - (player.paid_out ?? 0);
  const sum = money(Math.abs(due), view.night.money);
  return html`<span class=${`amount ${due > 0 ? "gain" : due < 0 ? "loss" : ""}`}>${due > 0 ? _("gets %(sum)s", { sum }) : due < 0 ? _("pays %(sum)s", { sum }) : _("nothing")}</span>`;
}

/** The receipt, and what to do with it. */
function Closed({ view, session, close }) {
  const { night, names } = view;
  const [asking, askWhy] = useState(false);
  const form = useFilled(session, "reopen", { reason: "" });
  const { reason } = form.filled;
  const acts = useActs(session);
  const offline = waits(view);
  const at = `/nights/${encodeURIComponent(night.night)}`;

  async function reopen() {
    const done = await acts.run(`ReopenNight ${reason}`, (grant) => session.act("ReopenNight", { reason: reason.trim() }, { grant }));
    if (!done) return;
    await form.empty();
    close();
  }

  return html`<${Sheet} title=${_("The night is closed")} close=${close} foot=${asking ? html`
    <button type="button" class="button quiet" onClick=${() => askWhy(false)}>${_("Leave it closed")}</button>
    <${Do} act=${reopen} busy=${acts.busy} why=${offline ?? (reason.trim() ? null : _("Say why."))}>${_("Open it again")}<//>` : html`
    ${night.state === "closed" ? html`<button type="button" class="button quiet" disabled=${Boolean(offline)} onClick=${() => askWhy(true)}>${_("Open it again")}
      ${view.may("treasurer") ? null : html` <span class="hint">${_("asks for a PIN")}</span>`}</button>` : null}
    <a class="button" href=${`${at}/settlement`}>${_("Who pays whom")}</a>`}>
    <${Wrong} of=${acts.wrong} names=${names} />
    <div class="receipt-card"><p>${night.revision > 1 ? _("Receipt, revision %(revision)s", { revision: number(night.revision) }) : _("Receipt")}</p>
      <p class="receipt-code" translate="no">${grouped(night.receipt ?? "")}</p></div>
    <p class="lead">${_("Take a picture of it, or write it down. Whoever has it can tell later whether this night still is what it was tonight.")}</p>
    ${night.superseded?.length ? html`<p class="soft">${_("No longer good: %(receipts)s.", { receipts: joined(night.superseded.map((one) => grouped(one.receipt))) })}</p>` : null}
    ${asking ? html`<${Words} label=${_("Why is it opened again?")} value=${reason} set=${(words) => form.fill({ reason: words })}
      hint=${_("It gets another receipt when it is closed the next time. Only while nothing of it was paid, and no later night of this table was opened.")} />` : null}
    ${acts.pin}
  <//>`;
}

/** A receipt in groups that people can read out. */
const grouped = (code) => code.replace(/(.{4})(?=.)/g, "$1 ");
