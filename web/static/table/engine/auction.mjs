/** The auction: whose turn it is, which bids are legal, and when it is over. The same as ledger/auction.py. */

export const PASS = "pass";

const SILENT = {
  turn: null, over: false, passedOut: false, bidder: null, bid: null, mustBid: false, legal: [], refused: "unknown", at: null,
};

/**
 * Return an auction as far as it has gone.
 *
 * @param {object} kit `moves`, `ladder` and `deal` of a night's state (ledger/offline.py)
 * @param {[string, string][]} calls a player and his bid, or "pass", in order
 * @param {string[]} order who holds cards, eldest first
 * @returns {{turn: ?string, over: boolean, passedOut: boolean, bidder: ?string, bid: ?string, mustBid: boolean,
 *   legal: string[], why: function(string, string=): ?string, refused: ?string, at: ?number}}
 *   `turn`: who speaks next, and may do so even when it is `over`; `mustBid`: he may not pass; `why(call, player)`:
 *   the code with which a call would be refused, or null; `refused`, `at`: the first call that was, and its place
 */
export function auction(kit, calls, order = kit?.deal?.next?.eldest_first ?? []) {
  if (!kit?.deal?.auction) return { ...SILENT, why: () => SILENT.refused };
  const { all_pass, until_passed, may_raise, minimum_bid } = kit.deal.auction;
  const eldestOpens = opensByRule(kit);
  const rank = (id) => kit.ladder.findIndex((bid) => bid.id === id);
  const passed = new Set();
  const made = [];
  let waiting = [...order];
  let [bidder, bid, raiser] = [null, null, null];

  const turn = () => waiting[0] ?? raiser;
  const beats = (one) => (bid === null || rank(one.id) > rank(bid)) && (one.over === null || one.over === bid);
  const unbeatable = () => bid !== null && !kit.ladder.some(beats);
  const mustBid = (player) =>
    (eldestOpens && !made.length && player === order[0]) ||
    (all_pass === "dealer_min" && bidder === null && waiting.length === 1 && waiting[0] === player);

  function notHisTurn(player) {
    if (player === null) return "auction_over";
    if (player === turn()) return null;
    if (!order.includes(player)) return "sits_out";
    if (player === bidder) return "own_bid";
    return passed.has(player) || (!until_passed && !waiting.includes(player)) ? "already_spoken" : "not_your_turn";
  }

  function tooLow(call) {
    if (!Object.hasOwn(kit.moves.contracts, call)) return "bid_unknown";
    if (unbeatable()) return "auction_over";
    const place = rank(call);
    if (place < 0 || (bid !== null && place <= rank(bid))) return "bid_too_low";
    const { over } = kit.ladder[place];
    if (over !== null && over !== bid) return `bid_needs_${over}`;
    return eldestOpens && !made.length && call !== minimum_bid ? "forced_bid" : null;
  }

  function why(call, player = turn()) {
    const first = notHisTurn(player);
    if (first !== null) return first;
    if (call === PASS) return mustBid(player) ? "forced_bid" : null;
    return tooLow(call);
  }

  function advance() {
    if (!waiting.length) {
      raiser = null; // he has spoken
      return;
    }
    waiting.shift();
    if (waiting.length) return;
    if (until_passed && bidder !== null) {
      const at = order.indexOf(bidder);
      waiting = [...order.slice(at + 1), ...order.slice(0, at)].filter((player) => !passed.has(player));
    } else if (bidder === null && all_pass === "eldest_min") {
      [bidder, bid] = [order[0], minimum_bid];
    }
    if (!waiting.length && may_raise !== null) {
      const overcalled = made.find((call) => call[1] === may_raise)?.[0] ?? null;
      raiser = overcalled === bidder || unbeatable() ? null : overcalled;
    }
  }

  let [refused, at] = [null, null];
  for (const [index, [player, call]] of calls.entries()) {
    refused = why(call, player);
    if (refused !== null) {
      at = index;
      break;
    }
    if (call === PASS) passed.add(player);
    else {
      made.push([player, call]);
      [bidder, bid] = [player, call];
    }
    advance();
  }

  const speaker = turn();
  return {
    turn: speaker,
    over: order.length > 0 && (!waiting.length || unbeatable()),
    passedOut: order.length > 0 && !waiting.length && bidder === null,
    bidder,
    bid,
    mustBid: speaker !== null && mustBid(speaker),
    legal: speaker === null || speaker === bidder ? [] : legal(),
    why,
    refused,
    at,
  };

  function legal() {
    if (eldestOpens && !made.length) return [minimum_bid];
    return kit.ladder.filter(beats).map((one) => one.id);
  }
}

/** Tell whether eldest is deemed to have made the lowest bid: in the first hands of a game, where the rules say so. */
export function opensByRule({ deal: { rules, game } }) {
  return (game === null || game.winner !== null ? 0 : game.hands) < (rules.pepper_round ?? 0);
}
