// Hands and commands in words, short enough for a line, a button or a voice.

import { resultWord } from "../told.mjs";
import { _, chips, n_, number, within } from "../words.mjs";

/** What a hand was: who, what, and how it ended. */
export function handWords(row, { names, bidName }) {
  const result = resultWord(row);
  return row.bid && row.status !== "void" && row.status !== "open" ? `${names[row.bidder] ?? row.bidder}: ${bidName(row.bid)}, ${result}` : result;
}

/** What is read out when a hand is booked. */
export function booked(row, view) {
  const moved = Object.entries(row.changes ?? {}).filter(([, count]) => count);
  const amounts = moved.map(([who, count]) => `${view.scores ? view.teamName(who) : (view.names[who] ?? who)} ${chips(count)}`);
  const pool = view.scores ? [] : [_("pool %(chips)s", { chips: number(row.pool) })];
  return `${_("Hand %(hand)s", { hand: number(row.hand) })}. ${handWords(row, view)}. ${[...amounts, ...pool].join(", ")}.`;
}

/** Whose turn it is, and what stands, as it is read out. */
export function asked({ night, hand, names, bidName }) {
  if (night.state !== "open" || !hand.auction) return "";
  const { bidder, bid, turn, over } = hand.auction;
  const who = (player) => within(names[player] ?? player);
  if (over) return bidder ? _("%(name)s plays %(bid)s.", { name: who(bidder), bid: bidName(bid) }) : "";
  const stands = bidder && _("%(name)s has bid %(bid)s.", { name: who(bidder), bid: bidName(bid) });
  return [stands, _("%(name)s is to bid.", { name: who(turn) })].filter(Boolean).join(" ");
}

/** What a command does, for the button that takes it back and the list of what waits. */
export function told({ type, data }, { names, bidName }) {
  const who = names?.[data.player] ?? data.player ?? "";
  const hand = data.hand === undefined ? "" : number(data.hand);
  switch (type) {
    case "Bid": return _("%(name)s bid %(bid)s", { name: who, bid: bidName(data.bid) });
    case "Pass": return _("%(name)s passed", { name: who });
    case "Peek": return _("%(name)s peeked", { name: who });
    case "BuyCards": return n_("%(name)s bought %(num)d card", "%(name)s bought %(num)d cards", data.cards, { name: who });
    case "TakePeepCard": return data.taken ? _("the peep card was taken") : _("the peep card was left");
    case "RecordHand": return _("hand %(hand)s", { hand });
    case "DeclareMisdeal": return _("misdeal in hand %(hand)s", { hand });
    case "CorrectHand": return _("correction of hand %(hand)s", { hand });
    case "SeatPlayer": return _("%(name)s sits down", { name: who });
    case "UnseatPlayer": return _("%(name)s leaves", { name: who });
    case "Reseat": return _("other seats");
    case "SetDealer": return _("%(name)s deals", { name: who });
    case "BuyIn": return _("%(name)s buys %(chips)s", { name: who, chips: number(data.chips) });
    case "AddMember": return _("new: %(name)s", { name: data.name });
    case "AddNote": return _("a note");
    case "Undo": return _("taking back");
    default: return type;
  }
}
