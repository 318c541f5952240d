// What was not taken, and what others recorded meanwhile: named, with the choice to keep theirs or put one's own.

import { STEPS } from "../clash.mjs";
import { html, useState } from "../html.mjs";
import { _, ago, clock, n_, name, number } from "../words.mjs";
import { Notice } from "./fields.mjs";
import { handWords, told } from "./spoken.mjs";

/** What must be decided, or known, before one goes on: one thing at a time, the oldest first. */
export function Conflict({ view, session, open }) {
  const row = view.refused.find((one) => one.held) ?? view.refused[0];
  const given = { view, session, open, row };
  return html`<${Kept} view=${view} />
    ${row ? html`<${kindOf(row)} key=${row.order} ...${given} />` : view.stale ? html`<${Stale} ...${given} />` : null}`;
}

function kindOf({ type, code, status, theirs }) {
  if (status === "late") return Late;
  if (type === "RecordHand" && code === "hand_settled" && theirs) return Settled;
  if (code === "steps_unseen") return Unseen;
  if (code === "comes_otherwise") return Otherwise;
  if (["Bid", "Pass"].includes(type) && theirs?.call) return Called;
  return Refused;
}

/** That nothing gets through, or that nothing would outlive this page. */
function Kept({ view }) {
  const { blocked, status, lasting } = view.contact;
  const out = blocked || status === 401;
  const kept = view.waiting.length;
  return html`${out ? html`<${Notice} kind="bad"><p><strong>${_("This device is not signed in any more: sign in again.")}</strong>
      ${kept ? ` ${n_("%(num)d tap is kept here and goes out then.", "%(num)d taps are kept here and go out then.", kept)}` : ""}
      ${" "}<a href="/pair">${_("Pair it again")}</a></p><//>` : null}
    ${lasting ? null : html`<${Notice}><p><strong>${_("This browser keeps nothing.")}</strong>
      ${" "}${_("Taps are sent as always; those that are not sent yet are lost if this page is closed or loaded again.")}</p><//>`}`;
}

/** A notice with choices; a choice that is refused says why. */
function Choice({ kind = "bad", title, children, choices }) {
  const [wrong, setWrong] = useState(null);
  const [busy, setBusy] = useState(false);
  async function choose(act) {
    setBusy(true);
    try {
      const verdict = await act();
      setWrong(verdict?.status === "refused" ? verdict.detail || _("That was not taken.") : null);
    } catch {
      setWrong(_("There is no answer; try it again."));
    }
    setBusy(false);
  }
  return html`<${Notice} kind=${kind}>
    <p dir="auto"><strong>${title}</strong></p>${children}
    ${wrong ? html`<p class="error" role="alert">${wrong}</p>` : null}
    <div class="cluster">${choices.filter(Boolean).map(([words, act]) => html`<button type="button" class="plain" disabled=${busy}
      onClick=${() => choose(act)}>${words}</button>`)}</div>
  <//>`;
}

const dropping = (session, row) => async () => void (await session.dismiss([row.order]));
const replacing = (session, row) => () => session.replaceTheirs(row, _("Recorded on two devices."));
const mending = (open) => [_("Mend it"), async () => open("unsent")];

/** By which device something was recorded, and how long ago. */
function byWhom({ device, at, actor, recorded_at: recorded }) {
  const when = Date.parse(at ?? recorded ?? "");
  const who = device || actor || _("another device");
  return Number.isNaN(when) ? who : _("%(device)s %(ago)s", { device: who, ago: ago(Date.now() - when) });
}

function Late({ view, session, row }) {
  return html`<${Choice} kind="warn" title=${_("Kept for the treasurer: %(what)s", { what: told(row, view) })}
    choices=${[[_("All right"), dropping(session, row)]]}>
    <p>${_("The night was closed when it came. A treasurer lets it count, or does not.")}</p><//>`;
}

/** The same player's call was recorded on another device, and is another. */
function Called({ view, session, row }) {
  const { theirs, data } = row;
  const call = theirs.call === "pass" ? { type: "Pass", data } : { type: "Bid", data: { ...data, bid: theirs.call } };
  return html`<${Choice} title=${_("%(what)s was recorded by %(whom)s: keep or replace?", { what: told(call, view), whom: byWhom(theirs.newest ? theirs : {}) })}
    choices=${[[_("Keep it"), dropping(session, row)], [_("Put mine instead"), replacing(session, row)]]}>
    <p dir="auto">${_("Here: %(what)s.", { what: told(row, view) })}${theirs.newest ? "" : ` ${_("What was called after it is taken back with it.")}`}</p><//>`;
}

/** Others recorded steps of a hand that was booked here without them. */
function Unseen({ view, session, open, row }) {
  const { steps } = row.theirs;
  const called = steps.some(({ type }) => ["Bid", "Pass"].includes(type));
  const words = steps.map((step) => told(step, view)).join(", ");
  return html`<${Choice} title=${_("%(what)s was recorded by %(whom)s: keep or replace?", { what: words, whom: byWhom(row.theirs) })}
    choices=${[called ? mending(open) : [_("Keep it"), keeping(session, row)], [_("Put mine instead"), replacing(session, row)]]}>
    <p dir="auto">${_("Hand %(hand)s was booked here without it: %(what)s.", { hand: number(row.data.hand), what: factsWords(row.data, view) })}</p><//>`;
}

const keeping = (session, row) => async () => void session.keepTheirs(row);

/** Others changed what a booking comes to: seats, rules, an earlier hand. */
function Otherwise({ view, session, open, row }) {
  const changes = Object.entries(row.theirs.changes).map(([who, chips]) => `${name(view.scores ? view.teamName(who) : (view.names[who] ?? who), 14)} ${chips > 0 ? "+" : ""}${number(chips)}`);
  return html`<${Choice} title=${_("Hand %(hand)s comes to something else by now", { hand: number(row.data.hand) })}
    choices=${[mending(open), [_("Book it so"), replacing(session, row)]]}>
    <p dir="auto">${_("%(whom)s changed something. Now: %(what)s.", { whom: byWhom(row.theirs), what: changes.join(", ") })}</p><//>`;
}

/** The same hand was booked on another device, with other facts. */
function Settled({ view, session, row }) {
  const { theirs, data: { hand, ...facts } } = row;
  return html`<${Choice} title=${_("Hand %(hand)s was booked already", { hand: number(hand) })}
    choices=${[[_("Keep theirs"), dropping(session, row)], [_("Replace with mine"), replacing(session, row)]]}>
    <p dir="auto">${_("By %(whom)s: %(what)s.", { whom: byWhom(theirs), what: handWords(theirs, view) })}</p>
    <p dir="auto">${_("Here, %(ago)s: %(what)s.", { ago: ago(Date.now() - Date.parse(row.at)), what: factsWords(facts, view) })}</p><//>`;
}

/** Anything else that was refused, with its reason. */
function Refused({ view, session, open, row }) {
  const { theirs } = row;
  const behind = row.held ? view.waiting.filter((one) => one.night === row.night).length : 0;
  const booked = theirs?.hand && STEPS.includes(row.type);
  return html`<${Choice} title=${_("Not taken: %(what)s", { what: told(row, view) })}
    choices=${[[_("Leave it"), dropping(session, row)], booked ? [_("Look at hand %(hand)s", { hand: number(theirs.hand) }), async () => open("hands", { hand: theirs.hand })] : mending(open)]}>
    <p dir="auto">${booked ? _("Hand %(hand)s was booked by %(whom)s: %(what)s.", { hand: number(theirs.hand), whom: byWhom(theirs), what: handWords(theirs, view) }) : row.detail}</p>
    ${behind ? html`<p>${n_("%(num)d tap waits behind it.", "%(num)d taps wait behind it.", behind)}</p>` : null}<//>`;
}

/** What was being entered here when the hand was booked elsewhere. */
function Stale({ view, session, open }) {
  const { hand, facts } = view.stale;
  const theirs = view.last.find((one) => one.hand === hand);
  return html`<${Choice} kind="warn" title=${_("Hand %(hand)s was booked meanwhile", { hand: number(hand) })}
    choices=${[[_("Keep theirs"), () => session.choose(null)], theirs && [_("Look at hand %(hand)s", { hand: number(hand) }), async () => open("hands", { hand })]]}>
    ${theirs ? html`<p dir="auto">${_("By %(whom)s: %(what)s.", { whom: byWhom(theirs), what: handWords(theirs, view) })}</p>` : null}
    <p dir="auto">${_("Here was chosen: %(what)s.", { what: factsWords(facts, { ...view, hand: null }) })}</p><//>`;
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
