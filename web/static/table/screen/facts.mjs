// A hand in words: what was bid, how it ended, and every fact of it.

import { html } from "../html.mjs";
import { resultWord } from "../told.mjs";
import { _, number } from "../words.mjs";
import { bidName, called, joined, Who } from "./fields.mjs";
import { contractOf } from "./handform.mjs";

/** Who bid what, and how it ended, as plain words. */
export function headline(kit, { facts, result, status, bidder, bid }, names) {
  const ended = resultWord({ status, result });
  const said = contractOf(facts);
  const who = bidder ?? said.bidder;
  if (!who || status === "void" || ["misdeal", "passed_out"].includes(result)) return ended;
  return _("%(name)s: %(bid)s, %(result)s", { name: called(names, who, 20), bid: bidName(kit, bid ?? said.bid),
    result: ended });
}

/** Every fact of a hand, as pairs of what it is and how it was. */
export function factRows(kit, facts, names) {
  const who = (id) => html`<${Who} id=${id} names=${names} />`;
  const several = (ids) => joined(ids.map((id) => called(names, id)));
  const { bidder, bid } = contractOf(facts);
  const suits = { clubs: _("Clubs"), diamonds: _("Diamonds"), hearts: _("Hearts"), spades: _("Spades"), none: _("No trumps") };
  const fouls = { opponent: _("An opponent"), bidder_more: _("The bidder, too many"), bidder_fewer: _("The bidder, too few"),
    both: _("The bidder too many, and an opponent") };
  const rows = [
    [_("Bid"), bid && html`${who(bidder)}: ${bidName(kit, bid)}`],
    [_("Ended"), facts.misdeal ? _("misdeal") : facts.passed_out ? _("nobody bid") : facts.surrendered ? _("given up") :
      facts.granted ? _("granted: %(tricks)s", { tricks: number(facts.granted) }) :
      facts.tricks !== undefined ? _("tricks: %(tricks)s", { tricks: number(facts.tricks) }) :
      facts.made === undefined ? null : facts.made ? _("made") : _("failed")],
    [_("Trumps"), suits[facts.trumps]],
    [_("Peeked"), facts.peeks?.length && several(facts.peeks)],
    [_("Cards bought"), facts.bought && joined(Object.entries(facts.bought).map(([id, cards]) => `${called(names, id)} ${number(cards)}`))],
    [_("Widow"), facts.took_widow && _("taken")],
    [_("Peep card"), facts.took_card === undefined ? null : facts.took_card ? _("taken") : _("left")],
    [_("Revoked"), facts.revoke && who(facts.revoke)],
    [_("Led out of turn"), facts.led_out_of_turn?.length && several(facts.led_out_of_turn)],
    [_("Played out of turn"), facts.played_out_of_turn?.length && several(facts.played_out_of_turn)],
    [_("Wrong number of cards"), fouls[facts.foul]],
    [_("Auction"), facts.bids?.length && facts.bids.map(([id, call]) =>
      `${called(names, id, 14)} ${call === "pass" ? _("pass") : bidName(kit, call)}`).join(" · ")],
    [_("Dealt"), facts.dealer && who(facts.dealer)],
    [_("At the table"), facts.players?.length && several(facts.players)],
    [_("Missed it"), facts.out?.length && several(facts.out)],
  ];
  return rows.filter(([, words]) => words);
}

/** Facts as a list of pairs. */
export function Facts({ kit, facts, names }) {
  return html`<dl class="facts">${factRows(kit, facts, names).map(([label, words]) => html`<dt>${label}</dt><dd>${words}</dd>`)}</dl>`;
}
