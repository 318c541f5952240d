// What was not taken, and what others recorded meanwhile: named, with the choice to keep theirs or put one's own.

import { html } from "../html.mjs";
import { _, ago, clock, number } from "../words.mjs";
import { Notice } from "./fields.mjs";
import { handWords, told } from "./spoken.mjs";

const STEPS = ["Bid", "Pass", "Peek", "BuyCards", "TakePeepCard"];

export function Conflict({ view, session, open }) {
  const row = view.refused[0];
  if (view.stale) return html`<${Stale} ...${{ view, session }} />`;
  if (!row) return null;
  if (row.type === "RecordHand" && row.code === "hand_settled") return html`<${Settled} ...${{ view, session, row }} />`;
  const mine = told(row, view);
  const step = STEPS.includes(row.type) && row.data.hand === view.hand.number ? newestStep(view, row) : null;
  return html`<${Notice} kind=${row.status === "late" ? "warn" : "bad"}>
    <p><strong dir="auto">${row.status === "late" ? _("Kept for the treasurer: %(what)s", { what: mine }) : _("Not taken: %(what)s", { what: mine })}</strong></p>
    <p dir="auto">${row.detail}</p>
    ${step ? html`<p dir="auto">${_("Recorded: %(what)s", { what: step.label })}</p>` : null}
    <div class="cluster">
      <button type="button" class="plain" onClick=${() => session.dismiss([row.order])}>${step ? _("Keep it") : _("Leave it")}</button>
      ${step ? html`<button type="button" class="plain" onClick=${() => replaceStep(session, view, row)}>${_("Put mine instead")}</button>` : null}
      ${row.status !== "late" && !step ? html`<button type="button" class="plain" onClick=${() => open("unsent")}>${_("Mend it")}</button>` : null}
    </div>
  <//>`;
}

/** The call that stands where one's own was refused, if it is the newest that was recorded and can be taken back. */
function newestStep({ night, hand }, row) {
  const at = hand.calls.at(-1);
  const same = at && at[0] === row.data.player && night.undo && night.hand.number === row.data.hand;
  return same && ["Bid", "Pass"].includes(row.type) ? night.undo : null;
}

async function replaceStep(session, view, row) {
  await session.dismiss([row.order]);
  await session.send("Undo", { command: view.night.undo.command });
  await session.send(row.type, row.data);
}

/** The same hand was booked on another device: the two are put side by side. */
function Settled({ view, session, row }) {
  const { hand, ...facts } = row.data;
  const theirs = view.last.find((one) => one.hand === hand);
  const replace = async () => {
    const verdict = await session.act("CorrectHand", { hand, facts, reason: _("Recorded on two devices.") });
    if (verdict.status !== "refused") await session.dismiss([row.order]);
    return verdict;
  };
  return html`<${Notice} kind="bad">
    <p><strong>${_("Hand %(hand)s was booked already", { hand: number(hand) })}</strong></p>
    <p dir="auto">${theirs ? _("%(device)s, at %(time)s: %(what)s.", { device: theirs.device || theirs.actor || _("another device"), time: clock(Date.parse(theirs.recorded_at)), what: handWords(theirs, view) }) : row.detail}</p>
    <p dir="auto">${_("Here, %(ago)s: %(what)s.", { ago: ago(Date.now() - Date.parse(row.at)), what: factsWords(facts, view) })}</p>
    <div class="cluster"><button type="button" class="plain" onClick=${() => session.dismiss([row.order])}>${_("Keep theirs")}</button>
      <button type="button" class="plain" onClick=${replace}>${_("Replace with mine")}</button></div>
  <//>`;
}

/** What was being entered here when the hand was booked elsewhere. */
function Stale({ view, session }) {
  const theirs = view.last.find((one) => one.hand === view.stale.hand);
  return html`<${Notice}>
    <p><strong>${_("Hand %(hand)s was booked meanwhile", { hand: number(view.stale.hand) })}</strong></p>
    ${theirs ? html`<p dir="auto">${_("%(device)s: %(what)s.", { device: theirs.device || theirs.actor || _("Another device"), what: handWords(theirs, view) })}</p>` : null}
    <p dir="auto">${_("Here was chosen: %(what)s.", { what: factsWords(view.stale.facts, view) })}</p>
    <div class="cluster"><button type="button" class="plain" onClick=${() => session.choose(null)}>${_("Keep theirs")}</button></div>
  <//>`;
}

export function factsWords(facts, { names, bidName, hand }) {
  const bids = facts.bids ?? hand?.calls ?? [];
  const last = bids.findLast(([, call]) => call !== "pass");
  const bidder = facts.bidder ?? last?.[0];
  const bid = facts.bid ?? last?.[1];
  if (facts.misdeal) return _("misdeal");
  if (facts.passed_out) return _("nobody bid");
  const ending = facts.made === true ? _("made") : facts.made === false ? _("failed") : facts.tricks !== undefined ? _("%(tricks)s tricks", { tricks: number(facts.tricks) }) : "";
  return [bidder && `${names[bidder] ?? bidder}: ${bid ? bidName(bid) : ""}`, ending].filter(Boolean).join(", ");
}
