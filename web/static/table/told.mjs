// A night's state and hands, told in words: who is who, what was bid, what became of it, why the pool is what it is.

import { _, anyOf, n_, number, title, within } from "./words.mjs";

/** What players are called, by id; two of one name are told apart. */
export function namesOf(state) {
  const often = new Map();
  for (const { name } of state.players) often.set(name, (often.get(name) ?? 0) + 1);
  const named = state.players.map(({ id, name }) => [id, often.get(name) > 1 ? `${name} (${id})` : name]);
  return Object.fromEntries(named);
}

/** What a party of a hand is called: a player, or a team such as ann+bob. */
export function partyName(party, names) {
  return names[party] ?? party.split("+").map((one) => names[one] ?? one).join(" + ");
}

/** What a bid is called. */
export function bidName(state, bid) {
  const found = state.ladder.find((one) => one.id === bid);
  return title(found?.title, bid.replaceAll("_", " "));
}

/** What became of a hand, in a word. */
export function resultWord(hand) {
  if (hand.status === "void") return _("taken out");
  if (hand.status === "open") return _("in progress");
  return {
    made: _("made"), failed: _("failed"), void: _("void"), passed_out: _("passed out"), misdeal: _("misdeal"),
  }[hand.result] ?? hand.result;
}

/** The newest hand that counts, whose changes are shown beside the balances. */
export function lastHand(hands) {
  return hands.findLast((hand) => hand.status === "settled") ?? null;
}

/** What is going on now, in a sentence: the auction, the play, or who deals next. */
export function nowWords(state, names) {
  const { phase, number: hand, turn, standing } = state.hand;
  const who = (player) => within(names[player] ?? player);
  if (phase === "auction") {
    const bid = standing && _("%(name)s has bid %(bid)s.", { name: who(standing.player), bid: bidName(state, standing.bid) });
    return [bid, turn && _("%(name)s is to bid.", { name: who(turn) })].filter(Boolean).join(" ");
  }
  if (phase === "play" && standing) {
    return _("%(name)s plays %(bid)s.", { name: who(standing.player), bid: bidName(state, standing.bid) });
  }
  if (phase === "closed") return _("The night is closed.");
  return state.dealer ? _("%(name)s deals hand %(n)s.", { name: who(state.dealer), n: number(hand) }) : "";
}

/** The pool's story, as sentences: since when, and what takes it. Who fed it is told apart. */
export function poolStory(state) {
  const { chips, since_hand: since, would_pay: pays } = state.pool;
  if (!chips) return [_("The pool is empty.")];
  const takers = state.ladder.filter((bid) => bid.takes_pool).map((bid) => title(bid.title, bid.id));
  return [
    since ? _("Growing since hand %(n)s.", { n: number(since) }) : _("Brought forward from another night."),
    pays ? _("%(bids)s would take %(chips)s.", { bids: anyOf(takers), chips: number(pays) }) : _("No bid takes it."),
  ];
}

/** Who fed the pool, the most generous first: [name, chips]. */
export function feeders(state, names) {
  return Object.entries(state.pool.fed_by)
    .sort(([, one], [, other]) => other - one)
    .map(([player, chips]) => [names[player] ?? player, chips]);
}

/** How many hands were played, in words. */
export function handsPlayed(state) {
  return n_("%(num)d hand", "%(num)d hands", state.hands_played);
}

/** What a line of *why?* is about: the words of the book, or the bid that was paid for. */
export function memoWords(state, memo) {
  if (state.ladder.some((bid) => bid.id === memo)) return bidName(state, memo);
  const known = {
    peek: _("peek"), purchase: _("cards bought"), ante: _("ante"), "opening stake": _("opening stake"),
    "dealer's stake": _("dealer's stake"), "join fee": _("joining late"), misdeal: _("misdeal"), revoke: _("revoke"),
    "led out of turn": _("led out of turn"), "played out of turn": _("played out of turn"), "pool taken": _("pool taken"),
    "pool doubled": _("pool doubled"), "into the pool": _("into the pool"), "pool shared": _("pool shared"),
    "pool counted": _("pool counted"), counted: _("chips counted"), "stakes returned": _("stakes returned"),
    "brought forward": _("brought forward"), correction: _("correction"), "game won": _("game won"),
    "pool brought in": _("pool brought in"), "the pool is short": _("the pool is short"),
  };
  return known[memo] ?? memo.replaceAll("_", " ");
}
