// The facts of a hand, as a form: quick entry, correction, and what the followed auction asks behind the bidding.
//
// Facts are those of the API, whole; `set` is given the whole facts again, and what is no longer there is not said.
// What is offered comes from the kit of the night: no game is known here by name.

import { PASS } from "../engine/auction.mjs";
import { endings, prices } from "../engine/hand.mjs";
import { html, useId, useState } from "../html.mjs";
import { _, n_, number } from "../words.mjs";
import { bidName, called, joined, people, Pick, Select, Suit, suitName, Switch, Who, Words } from "./fields.mjs";

const SUITS = ["clubs", "diamonds", "hearts", "spades", "none"];
const UNPLAYED = ["players", "out", "dealer", "bought", "peeks", "bids", "note"]; // may be said of a hand nobody played
const ENDINGS = ["misdeal", "passed_out", "revoke", "foul"]; // each excludes the others

/** Facts with something changed; what is undefined, or empty, is left out. */
export function put(facts, change) {
  const next = { ...facts, ...change };
  for (const [key, value] of Object.entries(next)) {
    const empty = value === undefined || value === null || value === "" ||
      (typeof value === "object" && Object.keys(value).length === 0);
    if (empty && key !== "players") delete next[key];
  }
  return next;
}

/** What the rules of a kit know, for a hand of which this much is said. */
export function knows(kit, facts = {}) {
  const told = endings(kit, contractOf(facts));
  return { ...told, ...prices(kit), points: told.by === "tricks", dirtyClubs: told.trumpsFirst };
}

/** Who speaks, eldest first, and who sits out, in a hand as its facts have it. */
export function seatingOf(kit, hand, facts) {
  const players = facts.players ?? null;
  if (!players && !facts.dealer && !facts.out) {
    return { dealer: hand.dealer, players: hand.payers, order: hand.order, sitsOut: hand.sitsOut ?? null };
  }
  const out = facts.out ?? [];
  const present = (players ?? hand.payers).filter((one) => !out.includes(one));
  const dealer = present.includes(facts.dealer) ? facts.dealer : present.includes(hand.dealer) ? hand.dealer : present[0];
  const from = present.indexOf(dealer) + 1;
  const around = [...present.slice(from), ...present.slice(0, from)];
  const least = kit.deal.table.dealer_sits_out_from;
  const without = least !== null && present.length >= least;
  return { dealer, players: present, order: without ? around.slice(0, -1) : around, sitsOut: without ? dealer : null };
}

/** Who bids what: as it is said, or as the auction comes to. */
export function contractOf(facts) {
  const last = (facts.bids ?? []).findLast(([, call]) => call !== PASS);
  return { bidder: facts.bidder ?? last?.[0], bid: facts.bid ?? last?.[1] };
}

/** What is still to be said before a hand can be booked, in words; null when nothing is. */
export function lacking(kit, facts) {
  if (facts.misdeal || facts.passed_out) return null;
  const { bidder, bid } = contractOf(facts);
  if (!bidder) return _("Who bid?");
  if (!bid) return _("What was bid?");
  if (facts.foul === "both" || facts.surrendered || facts.granted) return null;
  const known = knows(kit, facts);
  if (facts.revoke && !(known.points && ownRevoke(kit, facts))) return null;
  if (known.points) return facts.tricks === undefined ? _("How many tricks?") : null;
  return facts.made === undefined && facts.tricks === undefined ? _("Made or failed?") : null;
}

/** Facts of which those are left out that do not go together with how the hand ended. */
function tidy(facts) {
  if (facts.misdeal || facts.passed_out) {
    const kept = Object.entries(facts).filter(([key]) => UNPLAYED.includes(key) || key === "misdeal" || key === "passed_out");
    return Object.fromEntries(kept);
  }
  return facts;
}

function ended(facts, key, value) {
  const others = Object.fromEntries(ENDINGS.map((one) => [one, undefined]));
  const open = { surrendered: undefined, granted: undefined };
  return tidy(put(facts, { ...others, ...(value === undefined ? {} : open), [key]: value || undefined }));
}

/** Everything that happened in a hand. With `whole` also who was in it, who dealt, and how the auction went. */
export function HandForm({ kit, hand, names, facts, set, whole = false }) {
  const seating = seatingOf(kit, hand, facts);
  const { bidder, bid } = contractOf(facts);
  const known = knows(kit, facts);
  const row = kit.ladder.find((one) => one.id === bid);
  const over = facts.misdeal || facts.passed_out;

  function bids(change) {
    const next = { bidder, bid, ...change };
    if (facts.bids && next.bidder === bidder && next.bid === bid) return;
    const widow = next.bid === known.widow ? facts.took_widow : undefined;
    const dropped = change.bid && change.bid !== bid ? { granted: undefined, surrendered: undefined } : {};
    const trumps = kit.ladder.find((one) => one.id === next.bid)?.trumps === false ? { trumps: undefined } : {};
    set(put(facts, { ...next, ...dropped, ...trumps, bids: undefined, took_widow: widow, passed_out: undefined }));
  }

  const speakers = people(seating.order, names);
  if (known.mayPassOut) speakers.push({ value: PASS, label: _("Nobody"), look: "other" });

  return html`<div class="handform">
    ${facts.misdeal ? null : html`<${Pick} legend=${_("Who bid?")} options=${speakers}
      value=${facts.passed_out ? PASS : bidder} set=${(who) =>
        who === PASS ? set(ended({ ...facts, bids: undefined }, "passed_out", true)) : bids({ bidder: who })} />`}
    ${over ? null : html`<${Pick} legend=${_("What was bid?")} layout="grid bids" value=${bid}
      options=${kit.ladder.map((one) => ({ value: one.id, label: bidName(kit, one.id) }))}
      set=${(one) => bids({ bid: one })} />`}
    ${known.peek === null || over && facts.misdeal && !facts.peeks ? null : html`<${Peeks}
      ...${{ kit, hand, names, facts, set }} />`}
    ${known.buy ? html`<${Purchases} ...${{ kit, hand, names, facts, set }} />` : null}
    ${over || !bid ? null : html`<${Ending} ...${{ kit, hand, names, facts, set }} />`}
    ${known.widow && bid === known.widow && !over ? html`<${Switch} label=${_("The bidder took the widow")}
      value=${facts.took_widow} set=${(on) => set(put(facts, { took_widow: on || undefined }))} />` : null}
    ${over || !row?.trumps || !(known.points || whole) ? null : html`<${Trumps} ...${{ facts, set }} />`}
    ${whole ? html`<${Company} ...${{ kit, hand, names, facts, set, seating }} />` : null}
    <details class="more" open=${wrongs(facts).length > 0 || Boolean(facts.note)}>
      <summary>${_("Something went wrong, or a note")}</summary>
      <div class="stack">
        <${Irregularities} ...${{ kit, hand, names, facts, set }} />
        ${known.peek !== null && whole && !facts.misdeal ? html`<${Switch} label=${_("The bidder took the peep card")}
          value=${facts.took_card} set=${(on) => set(put(facts, { took_card: on || undefined }))} />` : null}
        <${Words} label=${_("Note")} value=${facts.note} set=${(note) => set(put(facts, { note }))} />
      </div>
    </details>
  </div>`;
}

/** Who peeked. */
export function Peeks({ kit, hand, names, facts, set }) {
  const { order } = seatingOf(kit, hand, facts);
  const price = prices(kit).peek;
  return html`<${Pick} legend=${_("Who peeked?")} hint=${price ? n_("%(num)d chip each", "%(num)d chips each", price) : null}
    many options=${people(order, names)} value=${facts.peeks} set=${(peeks) => set(put(facts, { peeks }))} />`;
}

/** Who bought how many cards. */
export function Purchases({ kit, hand, names, facts, set }) {
  const { order } = seatingOf(kit, hand, facts);
  const bought = facts.bought ?? {};
  const { price, per, most } = prices(kit).buy;
  const hint = per === "card" ? n_("%(num)d chip a card", "%(num)d chips a card", price)
    : n_("%(num)d chip, however many", "%(num)d chips, however many", price);

  function buys(player, cards) {
    const { [player]: _before, ...others } = bought;
    set(put(facts, { bought: cards ? { ...others, [player]: cards } : others }));
  }

  return html`<fieldset class="pick">
    <legend>${_("Who bought cards?")} <span class="hint">${hint}</span></legend>
    <div class="rows">${order.map((player) => html`<div class="row" key=${player} role="group"
      aria-label=${_("Cards bought by %(name)s", { name: names[player] ?? player })}>
      <span class="row-name"><${Who} id=${player} names=${names} /></span>
      <span class="counts">${Array.from({ length: most + 1 }, (_none, cards) => html`<button type="button" class="choice count"
        aria-pressed=${String((bought[player] ?? 0) === cards)} onClick=${() => buys(player, cards)}>${number(cards)}</button>`)}</span>
    </div>`)}</div>
  </fieldset>`;
}

/** How it ended: made or failed, far apart; where tricks are counted, how many; given up, where the rules know that. */
export function Ending({ kit, hand, names, facts, set }) {
  const known = knows(kit, facts);
  const { bidder, bid } = contractOf(facts);
  const row = kit.ladder.find((one) => one.id === bid);
  if (facts.foul === "both") return html`<p class="lead">${_("The hand is void: the bid pays nothing.")}</p>`;
  if (facts.revoke) return html`<${Revoked} ...${{ kit, hand, names, facts, set, known, bidder }} />`;
  if (!known.points) {
    const value = facts.made ?? (facts.tricks === undefined || !row ? undefined : makes(row, facts.tricks));
    return html`<${Far} value=${value} set=${(made) => set(put(facts, { made, tricks: undefined }))} />`;
  }
  const most = known.granted;
  const unsaid = known.dirtyClubs && (facts.trumps === undefined ? _("Say what is trumps first.")
    : facts.trumps === "clubs" ? _("Clubs must be played.") : null);
  const given = [
    ...(known.surrender ? [{ value: "surrendered", label: _("They gave up"), why: unsaid, look: "other" }] : []),
    ...Array.from({ length: most }, (_none, at) => ({ value: `granted ${at + 1}`, why: unsaid, look: "other",
      label: n_("%(num)d trick was granted", "%(num)d tricks were granted", at + 1) })),
  ];
  const chosen = facts.surrendered ? "surrendered" : facts.granted ? `granted ${facts.granted}` : undefined;
  const clean = { surrendered: undefined, granted: undefined, tricks: undefined, made: undefined };
  return html`<div class="stack">
    <${Tricks} ...${{ kit, names, facts, bidder, row, known }} set=${(tricks) => set(put(facts, { ...clean, tricks }))} />
    ${given.length ? html`<${Pick} legend=${_("Not played out")} options=${given} value=${chosen} loose
      set=${(how) => set(put(facts, { ...clean, foul: undefined, ...(how === "surrendered" ? { surrendered: true }
        : how ? { granted: Number(how.split(" ")[1]) } : {}) }))} />` : null}
  </div>`;
}

function Tricks({ names, facts, bidder, row, known, set, kit }) {
  const side = sidesOf(kit, facts).find((one) => one.includes(bidder));
  const who = joined((side ?? [bidder]).map((one) => called(names, one)));
  const options = Array.from({ length: known.tricks + 1 }, (_none, tricks) => ({ value: tricks, label: number(tricks),
    note: row ? (makes(row, tricks) ? _("made") : _("failed")) : null, look: row && makes(row, tricks) ? "makes" : "fails" }));
  return html`<${Pick} legend=${_("How many tricks have %(names)s?", { names: who })} layout="grid tricks"
    options=${options} value=${facts.tricks} set=${set} />`;
}

const makes = (row, tricks) => (row.exactly ? tricks === row.tricks : tricks >= row.tricks);

/** Made at one end, failed at the other: nobody hits one for the other. */
function Far({ value, set }) {
  const half = (made, words, mark) => html`<button type="button" class=${`choice result ${made ? "makes" : "fails"}`}
    aria-pressed=${String(value === made)} onClick=${() => set(made)}>
    <svg viewBox="0 0 24 24" aria-hidden="true"><path d=${mark} /></svg><span class="choice-name">${words}</span></button>`;
  return html`<fieldset class="pick"><legend>${_("How did it end?")}</legend>
    <div class="far">${half(true, _("Made"), "m4 13 5 5L20 6")}${half(false, _("Failed"), "M6 6l12 12M18 6 6 18")}</div>
  </fieldset>`;
}

function Revoked({ kit, names, facts, set, known, bidder }) {
  const by = called(names, facts.revoke);
  if (!known.points) {
    return html`<p class="lead">${facts.revoke === bidder
      ? _("%(name)s bid and revoked: the bid has failed.", { name: by })
      : _("%(name)s revoked: the bid counts as made, and %(name)s pays for all.", { name: by })}</p>`;
  }
  if (!ownRevoke(kit, facts)) return html`<p class="lead">${_("%(name)s revoked: it counts as if they had given up.", { name: by })}</p>`;
  return html`<div class="stack"><p class="lead">${_("%(name)s revoked: the bid has failed.", { name: by })}</p>
    <${Tricks} ...${{ kit, names, facts, bidder, row: null, known }}
      set=${(tricks) => set(put(facts, { tricks, made: undefined }))} /></div>`;
}

/** Tell whether the bidding side revoked: what the others hold then scores for them. */
function ownRevoke(kit, facts) {
  const { bidder } = contractOf(facts);
  return sidesOf(kit, facts).some((side) => side.includes(facts.revoke) && side.includes(bidder));
}

/** The two sides of a hand for points: those who face each other, before the first hand of a night too. */
function sidesOf({ deal }, { players = deal.open?.players ?? deal.next?.payers ?? [], out = [] }) {
  const [north, east, south, west] = players.filter((one) => !out.includes(one));
  return [[north, south], [east, west]];
}

/** What was trumps, by shape. */
export function Trumps({ facts, set }) {
  const options = SUITS.map((suit) => ({ value: suit, says: suitName(suit), look: suit === "none" ? "other" : "suit-choice",
    label: suit === "none" ? suitName(suit) : html`<${Suit} suit=${suit} />` }));
  return html`<${Pick} legend=${_("What was trumps?")} layout="grid suits-grid" options=${options} value=${facts.trumps} loose
    set=${(trumps) => set(put(facts, { trumps }))} />`;
}

/** Which irregularities stand in facts. */
export function wrongs(facts) {
  return ["revoke", "led_out_of_turn", "played_out_of_turn", "foul", "misdeal"].filter((key) => facts[key]?.length || facts[key] === true);
}

/** What went wrong, and with whom: one question at a time. */
export function Irregularities({ kit, hand, names, facts, set }) {
  const [asked, ask] = useState(null);
  const id = useId();
  const { order } = seatingOf(kit, hand, facts);
  const { bidder, bid } = contractOf(facts);
  const known = knows(kit, facts);
  const there = wrongs(facts);
  const at = kit.ladder.findIndex((one) => one.id === bid);
  const played = bid && !facts.passed_out && !facts.misdeal;
  const kinds = [
    ...(played ? [["revoke", _("Revoke")]] : []),
    ...(played && !known.points ? [["led_out_of_turn", _("Led out of turn")], ["played_out_of_turn", _("Played out of turn")]] : []),
    ...(played ? [["foul", _("Wrong number of cards")]] : []),
    ["misdeal", _("Misdeal")],
    ...(played && at > 0 ? [["less", _("Played for less")]] : []),
  ];

  function tap(kind) {
    if (kind !== "misdeal") return ask(asked === kind ? null : kind);
    ask(null);
    return set(ended(facts, "misdeal", facts.misdeal ? undefined : true));
  }

  const who = (options = order) => people(options, names);
  const question = asked && kinds.some(([kind]) => kind === asked) && {
    revoke: () => html`<${Pick} legend=${_("Who revoked?")} options=${who()} value=${facts.revoke} loose
      set=${(one) => set(put(ended(facts, "revoke", one), { tricks: known.points ? undefined : facts.tricks }))} />`,
    led_out_of_turn: () => html`<${Pick} legend=${_("Who led out of turn?")} many options=${who()} value=${facts.led_out_of_turn}
      set=${(some) => set(put(facts, { led_out_of_turn: some }))} />`,
    played_out_of_turn: () => html`<${Pick} legend=${_("Who played out of turn?")} many
      options=${who(order.filter((one) => one !== bidder))} value=${facts.played_out_of_turn}
      set=${(some) => set(put(facts, { played_out_of_turn: some }))} />`,
    foul: () => html`<${Pick} legend=${_("Who had a wrong number of cards?")} layout="grid wide-choices" value=${facts.foul} loose
      options=${[["opponent", _("An opponent")], ["bidder_more", _("The bidder, too many")], ["bidder_fewer", _("The bidder, too few")],
        ["both", _("The bidder too many, and an opponent")]].map(([value, label]) => ({ value, label }))}
      set=${(one) => set(ended(facts, "foul", one))} />`,
    less: () => html`<${Pick} legend=${_("As what was it played?")} hint=${_("The hand counts as that bid.")}
      options=${kit.ladder.slice(0, at).map((one) => ({ value: one.id, label: bidName(kit, one.id) }))}
      set=${(one) => (ask(null), set(put(facts, { bidder, bid: one, bids: undefined, made: undefined, took_widow: undefined,
        granted: undefined, surrendered: undefined })))} />`,
  }[asked];

  return html`<div class="irregularities">
    <div class="grid" role="group" aria-label=${_("What went wrong?")}>${kinds.map(([kind, words]) => html`<button type="button"
      class="choice other" key=${kind} aria-pressed=${String(there.includes(kind))}
      aria-expanded=${kind === "misdeal" ? undefined : String(asked === kind)} aria-controls=${asked === kind ? id : undefined}
      onClick=${() => tap(kind)}><span class="choice-name">${words}</span></button>`)}</div>
    <div id=${id}>${question ? question() : null}</div>
    ${facts.misdeal ? html`<p class="lead">${_("A misdeal: the same dealer deals again.")}</p>` : null}
  </div>`;
}

/** Who was in the hand, who dealt, and the auction as it was called. */
function Company({ kit, hand, names, facts, set, seating }) {
  const inside = facts.players ?? hand.payers;
  const seated = kit.deal.seated ?? kit.deal.seats;
  const everybody = [...new Set([...inside, ...(facts.out ?? []), ...(hand.everybody ?? seated)])];

  function who(chosen) {
    const seated = [...inside, ...(facts.out ?? [])];
    const out = seated.filter((one) => !chosen.includes(one));
    const players = everybody.filter((one) => chosen.includes(one));
    const dealer = players.includes(seating.dealer) ? seating.dealer : undefined;
    set(put(facts, { players, out, dealer, bids: undefined, ...contractOf(facts) }));
  }

  return html`<details class="more"><summary>${_("Who was in it, who dealt, how they bid")}</summary>
    <div class="stack">
      <${Pick} legend=${_("Who was in the hand?")} many options=${people(everybody, names)}
        value=${inside.filter((one) => !facts.out?.includes(one))} set=${who} />
      <${Pick} legend=${_("Who dealt?")} options=${people(seating.players, names)} value=${seating.dealer}
        set=${(dealer) => set(put(facts, { players: seating.players, dealer }))} />
      ${facts.passed_out || facts.misdeal ? null : html`<${Calls} ...${{ kit, names, facts, set, seating }} />`}
    </div>
  </details>`;
}

function Calls({ kit, names, facts, set, seating }) {
  const calls = facts.bids ?? [];
  const words = [[PASS, _("pass")], ...kit.ladder.map((one) => [one.id, bidName(kit, one.id)])];
  const who = seating.order.map((one) => [one, called(names, one)]);
  const next = seating.order[calls.length ? (seating.order.indexOf(calls.at(-1)[0]) + 1) % seating.order.length : 0];

  function have(list) {
    const said = list.length ? { bidder: undefined, bid: undefined } : contractOf(facts);
    set(put(facts, { bids: list, ...said }));
  }

  const change = (at, call) => have(calls.map((one, index) => (index === at ? call : one)));
  return html`<fieldset class="pick"><legend>${_("The auction")} <span class="hint">${_("May be left out.")}</span></legend>
    <div class="rows">${calls.map(([player, call], at) => html`<div class="row spoke" key=${at}>
      <${Select} label=${_("Call %(number)s, by", { number: number(at + 1) })} options=${who} value=${player}
        set=${(one) => change(at, [one, call])} />
      <${Select} label=${_("says")} options=${words} value=${call} set=${(one) => change(at, [player, one])} />
    </div>`)}</div>
    <div class="cluster">
      <button type="button" class="button quiet" onClick=${() => have([...calls, [next, PASS]])}>${_("Add a call")}</button>
      ${calls.length ? html`<button type="button" class="button quiet" onClick=${() => have(calls.slice(0, -1))}>${_("Take the last away")}</button>` : null}
    </div>
  </fieldset>`;
}

