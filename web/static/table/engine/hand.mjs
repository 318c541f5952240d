/**
 * What a hand's facts do to purses, pool and scores, and what the next hand finds. The same as ledger/play/.
 *
 * Chips and points are whole numbers; positive is to the player or team. Nothing that is passed in is changed. What
 * comes of it is provisional: the server's answer replaces it, and "unknown" means that only the server can tell.
 *
 * @typedef {{moves: object, ladder: object[], deal: object}} Kit a night as it stands (ledger/offline.py)
 * @typedef {object} Facts what happened in one hand (contract, section 2)
 * @typedef {import("./moves.mjs").Entry} Entry
 * @typedef {import("./moves.mjs").Refused} Refused
 */

import { auction, opensByRule } from "./auction.mjs";
import { amount, answered, POOL, refuse, run, zeros } from "./moves.mjs";

/**
 * Settle a hand: the open one, else the next.
 *
 * @param {Kit} kit
 * @param {Facts} facts whole, with `bids` or with `bidder` and `bid`; players and dealer where they are not as dealt
 * @returns {{result: string, dealer: string, bidder: ?string, bid: ?string, changes: Object<string, number>,
 *   chips: Object<string, number>, pool: number, entries: Entry[], kit: ?Kit} | Refused}
 *   `changes`: chips to each payer, or points to each team; `chips`: chips to each player, those of a game won too;
 *   `entries`: in the order in which they are paid (points come from "score"); `kit`: what the next hand finds, null
 *   where other rules follow
 */
export function settle(kit, facts) {
  return answered(() => settled(known(kit), read(facts)));
}

/**
 * Say what a hand in progress has cost so far: stakes, purchases, peeks.
 *
 * @param {Kit} kit
 * @param {Facts} facts as far as they are known
 * @returns {{changes: Object<string, number>, pool: number, entries: Entry[]} | Refused}
 */
export function lay(kit, facts) {
  return answered(() => {
    const table = sit(known(kit), read(facts));
    requirePrices(table);
    if (table.hand.bids) requireCalls(table);
    const { purses, pool, entries } = isForPoints(kit) ? begin(table) : stake(table);
    return { changes: changesIn(purses, table), pool, entries };
  });
}

/**
 * Say who deals, pays, and holds cards in a hand as its facts have it.
 *
 * @returns {{dealer: string, payers: string[], eldest_first: string[], sits_out: ?string} | Refused}
 */
export function seats(kit, facts) {
  return answered(() => sit(known(kit), read(facts)).seating);
}

/**
 * Deal the next hand: who is seated is in it, whoever comes, goes or is named to deal before it ends.
 *
 * @returns {Kit | Refused} as the server has it once anything was logged of the hand
 */
export function dealt(kit) {
  return answered(() => {
    const { open, next, seated } = known(kit).deal;
    if (open) return kit;
    if (next === null) seating(kit.deal, seated, [], null); // refused: too few or too many are seated
    return withDeal(kit, { open: { players: seated, dealer: next.dealer }, named: null });
  });
}

/**
 * Say what can end a hand, so that a screen needs to know no rulebook.
 *
 * @param {Kit} kit
 * @param {{bid?: ?string}} contract as it stands in an auction, or was entered
 * @returns {object} `by`: "made" or "tricks" (0 to `tricks`, `needed` of them, `exactly` or more); `mayPassOut`, else
 *   `forced` names who must bid; `surrender`, `granted` (most tricks), `trumpsFirst`: the trumps must be told, and
 *   not be clubs, before either; `fouls`, `outOfTurn`: the rules have them; `revoke`: who may have revoked
 */
export function endings(kit, { bid = null } = {}) {
  const { rules, table, next, auction: spoken } = kit.deal;
  const points = isForPoints(kit);
  const row = kit.ladder.find((one) => one.id === bid) ?? null;
  const forced = forcedBidder(kit, next?.eldest_first ?? []);
  return {
    by: points ? "tricks" : "made",
    tricks: table.tricks,
    needed: row?.tricks ?? null,
    exactly: row?.exactly ?? false,
    mayPassOut: forced === null,
    forced: forced ?? null,
    lowest: spoken.minimum_bid,
    surrender: points && rules.surrender,
    granted: points && bid !== null ? amount(rules.negotiate, bid) : 0,
    trumpsFirst: points && rules.dirty_clubs,
    widow: Boolean(rules.widow) && bid === spoken.widow_bid,
    fouls: FOULS,
    outOfTurn: !points,
    revoke: next?.eldest_first ?? [],
  };
}

/**
 * Say what may be paid for before a hand ends, in chips at the stake of this table; null where the rules have none.
 *
 * @param {Kit} kit
 * @returns {{peek: ?number, buy: ?{price: number, per: string, most: number}, widow: ?string}} `widow`: its bid
 */
export function prices({ moves, deal: { rules, auction: spoken } }) {
  const chips = ([move]) => move?.chips ?? 0;
  return {
    peek: (rules.peek ?? null) === null ? null : chips(moves.peek),
    buy: rules.buy ? { price: chips(moves.purchase), per: rules.buy.per, most: MOST_CARDS } : null,
    widow: rules.widow ? spoken.widow_bid : null,
  };
}

/**
 * Seat a player for the next deal, last or in a seat counted from 1.
 *
 * @returns {Kit | Refused}
 */
export function seat(kit, player, place = null) {
  return answered(() => {
    const { seated } = known(kit).deal;
    if (seated.includes(player)) refuse("already_seated", "player");
    place ??= seated.length + 1;
    if (!Number.isInteger(place) || place < 1 || place > seated.length + 1) refuse("bad_value", "seat");
    return withDeal(kit, { seated: [...seated.slice(0, place - 1), player, ...seated.slice(place - 1)] });
  });
}

/** Let a player leave the table. @returns {Kit | Refused} */
export function unseat(kit, player) {
  return answered(() => {
    requireSeated(kit, player);
    return withDeal(kit, { seated: kit.deal.seated.filter((other) => other !== player) });
  });
}

/** Seat those who sit there otherwise for the next deal, in seat order. @returns {Kit | Refused} */
export function reseat(kit, players) {
  return answered(() => {
    const { seated } = known(kit).deal;
    const same = [...players].sort().join() === [...seated].sort().join();
    if (!same) refuse("seats_differ", "players");
    return withDeal(kit, { seated: [...players] });
  });
}

/** Let a player deal the next hand that is not begun. @returns {Kit | Refused} */
export function deals(kit, player) {
  return answered(() => {
    requireSeated(kit, player);
    return withDeal(kit, { named: player });
  });
}

function requireSeated(kit, player) {
  if (!known(kit).deal.seated.includes(player)) refuse("not_seated", "player");
}

// Facts

const FOULS = ["opponent", "bidder_more", "bidder_fewer", "both"];
const MOST_CARDS = 5;
const MOST_TRICKS = 26;

const UNSAID = {
  players: null,
  out: [],
  dealer: null,
  bought: {},
  peeks: [],
  bids: null,
  bidder: null,
  bid: null,
  made: null,
  tricks: null,
  took_card: null,
  took_widow: false,
  trumps: null,
  revoke: null,
  led_out_of_turn: [],
  played_out_of_turn: [],
  foul: null,
  misdeal: false,
  passed_out: false,
  surrendered: false,
  granted: null,
  note: null,
};

const UNPLAYED = ["players", "dealer", "bought", "peeks", "bids", "note", "misdeal"];
const PASSED_OUT = [...UNPLAYED, "took_card", "passed_out"];

/** Return facts with nothing left out, once they are found not to exclude each other whatever the game. */
function read(facts) {
  const said = Object.entries(facts).filter(([, value]) => value !== null && value !== undefined);
  for (const [key, value] of said) requireValue(key, value);
  const hand = { ...UNSAID, ...Object.fromEntries(said) };
  for (const key of ["led_out_of_turn", "played_out_of_turn"]) hand[key] = [...new Set(hand[key])];
  const found = ["misdeal", "passed_out", "revoke", "foul"].filter((key) => hand[key]);
  if (found.length > 1) refuse("facts_clash", found[1]);
  const beside = { misdeal: UNPLAYED, passed_out: PASSED_OUT }[found[0]];
  for (const [key] of beside ? said : []) {
    if (!beside.includes(key) && key !== "passed_out") refuse("facts_clash", key);
  }
  if (hand.surrendered || hand.granted !== null) {
    if (hand.surrendered && hand.granted !== null) refuse("facts_clash", "granted");
    if (hand.made === false) refuse("facts_clash", "made");
    for (const key of ["tricks", "revoke", "foul"]) if (hand[key] !== null) refuse("facts_clash", key);
  }
  return hand;
}

function requireValue(key, value) {
  if (!Object.hasOwn(UNSAID, key)) refuse("unknown", key);
  if (["players", "out", "peeks"].includes(key) && new Set(value).size < value.length) {
    refuse(key === "peeks" ? "already_peeked" : "bad_value", key);
  }
  if (key === "foul" && !FOULS.includes(value)) refuse("bad_value", key);
  if (key === "tricks" || key === "granted") requireWithin(value, MOST_TRICKS, key);
  if (key === "bought") for (const cards of Object.values(value)) requireWithin(cards, MOST_CARDS, key);
}

function requireWithin(value, most, field) {
  if (!Number.isInteger(value)) refuse("bad_value", field);
  if (value < 0 || value > most) refuse("out_of_range", field);
}

const isSaid = (key, value) => (typeof value === "object" ? Object.keys(value ?? {}).length > 0 : value !== UNSAID[key]);

function known(kit) {
  return kit?.moves && kit.ladder && kit.deal?.seated ? kit : refuse("unknown", "kit");
}

const isForPoints = ({ moves }) => Object.keys(moves.points).length > 0;

// Seats

/** Return the table as it sits for a hand: kit, hand, seats, and who deals, pays and holds cards. */
function sit(kit, hand) {
  const { deal } = kit;
  const players = hand.players ?? deal.open?.players ?? deal.seated;
  const seats = [...players];
  for (const player of hand.out) {
    const at = deal.seats.indexOf(player);
    if (players.includes(player) || at < 0) continue;
    const right = deal.seats.slice(0, at).findLast((other) => seats.includes(other)); // he keeps his place
    seats.splice(right === undefined ? 0 : seats.indexOf(right) + 1, 0, player);
  }
  let { dealer } = hand;
  if (dealer === null) {
    dealer = deal.open ? deal.open.dealer : deal.named;
    if (!players.includes(dealer) || hand.out.includes(dealer)) dealer = null;
  }
  return { kit, hand, seats, players, seating: seating(deal, seats, hand.out, dealer) };
}

function seating(deal, seats, out, named) {
  const { players: [fewest, most], dealer_sits_out_from: from, dealer_out_pays: pays } = deal.table;
  if (!out.every((player) => seats.includes(player))) refuse("not_seated", "out");
  const present = seats.filter((player) => !out.includes(player));
  if (present.length < fewest) refuse("too_few_players", "players");
  if (present.length > most) refuse("too_many_players", "players");
  const dealer = named ?? rotation(deal, seats).find((player) => present.includes(player));
  const at = present.indexOf(dealer);
  if (at < 0) refuse("not_seated", "dealer");
  const around = [...present.slice(at + 1), ...present.slice(0, at + 1)];
  if (from === null || present.length < from) return { dealer, payers: present, eldest_first: around, sits_out: null };
  const payers = pays ? present : present.filter((player) => player !== dealer);
  return { dealer, payers, eldest_first: around.slice(0, -1), sits_out: dealer };
}

/** Return who may deal, first choice first: the last dealer or the next at his left, as where he sat if he has left. */
function rotation({ dealer: last, step, seats: were }, seats) {
  const at = seats.indexOf(last);
  if (at >= 0) {
    const left = [...seats.slice(at + 1), ...seats.slice(0, at)];
    return step ? [...left, last] : [last, ...left];
  }
  const was = were.indexOf(last);
  return was < 0 ? seats : [...were.slice(was + 1), ...were.slice(0, was), ...seats];
}

function requireCards({ seating: { eldest_first, payers, sits_out } }, player, field) {
  if (!eldest_first.includes(player)) {
    refuse(payers.includes(player) || player === sits_out ? "sits_out" : "not_seated", field);
  }
}

// One hand

function settled(kit, hand) {
  const table = sit(kit, hand);
  const points = isForPoints(kit);
  if (points) {
    if (hand.players && table.seating.payers.some((player) => player.includes("+"))) refuse("bad_value", "players");
    for (const key of ["led_out_of_turn", "played_out_of_turn"]) if (hand[key].length) refuse("facts_clash", key);
  }
  requirePrices(table);
  const { bidder, bid, passedOut } = contract(table);
  if (hand.misdeal || passedOut) {
    if (points) return withoutPoints(table);
    return hand.misdeal ? misdealt(table) : passed(table);
  }
  if (bidder === null || bid === null) refuse("bidder_missing", bidder === null ? "bidder" : "bid");
  for (const key of ["led_out_of_turn", "played_out_of_turn"]) {
    for (const player of hand[key]) requireCards(table, player, key);
  }
  if (hand.revoke !== null) requireCards(table, hand.revoke, "revoke");
  if (hand.took_widow) {
    if (!kit.deal.rules.widow) refuse("no_widow", "took_widow");
    if (bid !== kit.deal.auction.widow_bid) refuse("widow_needs_nap", "took_widow");
  }
  if (hand.tricks > kit.deal.table.tricks) refuse("out_of_range", "tricks");
  return points ? forPoints(table, bidder, bid) : forChips(table, bidder, bid);
}

function requirePrices(table) {
  const { hand, kit: { deal: { rules } } } = table;
  const buyers = Object.keys(hand.bought);
  if (buyers.length && !rules.buy) refuse("no_purchases", "bought");
  for (const player of buyers) requireCards(table, player, "bought");
  if (hand.peeks.length && (rules.peek ?? null) === null) refuse("no_peeks", "peeks");
  for (const player of hand.peeks) requireCards(table, player, "peeks");
}

/** Return bidder and bid, and whether everybody passed. */
function contract(table) {
  const { kit, hand } = table;
  let { bidder, bid, passed_out: passedOut } = hand;
  if (hand.bids) {
    for (const [player] of hand.bids) requireCards(table, player, "bids");
    const spoken = requireCalls(table);
    if (hand.misdeal) return { bidder: null, bid: null, passedOut: false }; // found in mid-auction, anywhere
    if (!spoken.over) refuse("auction_open", "bids");
    if (passedOut && spoken.bidder !== null) refuse("facts_clash", "passed_out");
    if (bidder !== null && bidder !== spoken.bidder) refuse("facts_clash", "bidder");
    if (bid !== null && bid !== spoken.bid) refuse("facts_clash", "bid");
    ({ bidder, bid, passedOut } = spoken);
    const more = Object.keys(UNSAID).find((key) => isSaid(key, hand[key]) && !PASSED_OUT.includes(key));
    if (passedOut && more) refuse("facts_clash", more);
  }
  if (passedOut) {
    if (forcedBidder(kit, table.seating.eldest_first) !== null) refuse("forced_bid", "passed_out");
  } else if (bidder !== null && bid !== null && !hand.bids) {
    requireCards(table, bidder, "bidder");
    if (!Object.hasOwn(kit.moves.contracts, bid)) refuse("bid_unknown", "bid");
    if (!kit.ladder.some((one) => one.id === bid)) refuse("bid_too_low", "bid");
  }
  return { bidder, bid, passedOut };
}

function requireCalls({ kit, hand, seating: { eldest_first } }) {
  const spoken = auction(kit, hand.bids, eldest_first);
  if (spoken.refused !== null) refuse(spoken.refused, "bids");
  return spoken;
}

/** Return who has to bid when nobody else does; null where a hand may be passed out. */
function forcedBidder(kit, eldestFirst) {
  const { all_pass: rule } = kit.deal.auction;
  if (opensByRule(kit) || rule === "eldest_min") return eldestFirst[0];
  return rule === "dealer_min" ? eldestFirst.at(-1) : null;
}

/** Return whether the tricks make the bid, or what is said of it; null where nothing is said. */
function isMade({ kit, hand }, bid) {
  if (hand.tricks === null) return hand.made;
  const { tricks, exactly } = kit.ladder.find((one) => one.id === bid);
  const made = exactly ? hand.tricks === tricks : hand.tricks >= tricks;
  if (hand.made !== null && hand.made !== made) refuse("result_clash", "made");
  return made;
}

const isVoid = (foul, made) => foul === "both" || (foul === "opponent" && !made) || (foul === "bidder_more" && made);

// For chips

function begin({ kit, seating: { payers, sits_out } }) {
  return { purses: zeros([...new Set([...payers, ...(sits_out === null ? [] : [sits_out])])]), pool: kit.deal.pool, entries: [] };
}

/** Take stakes, purchases and peeks, in this order; return purses, pool, entries, members, and the stakes as they stand. */
function stake(table) {
  const { kit, hand, seats, seating: { payers, dealer } } = table;
  const { moves, deal } = kit;
  const before = deal.standing;
  let members = deal.dealt ? deal.members : seats;
  if (deal.pool === 0) members = members.filter((player) => seats.includes(player)); // who is away has no part in a new pool
  let laid = begin(table);
  let standing = null;

  if ([moves.opening_stake, moves.ante, moves.dealer_stake, moves.join_fee].some((some) => some.length)) {
    const stakes = { ...before?.stakes };
    const take = (some, role, players, counts) => {
      const had = laid.purses;
      laid = run(some, { [role]: players }, laid, counts);
      if (some.length) for (const player of players) stakes[player] = amount(stakes, player) + had[player] - laid.purses[player];
      return players;
    };
    const opening = before ? before.opening : deal.pool === 0 && moves.opening_stake.length > 0;
    const newTo = (group) => payers.filter((player) => !before?.[group].includes(player));
    const openers = take(moves.opening_stake, "openers", opening ? newTo("openers") : []);
    const anters = take(moves.ante, "anters", newTo("anters"));
    const owes = !opening && !(before && (before.passed || before.dealers.includes(dealer)));
    const dealers = take(moves.dealer_stake, "dealer", owes ? [dealer] : []);
    if (!opening) {
      const odd = deal.pool % payers.length;
      const share = (deal.pool - odd) / payers.length + (odd ? 1 : 0);
      const joiners = payers.filter((player) => !members.includes(player));
      take(moves.join_fee, "joiners", joiners, Object.fromEntries(joiners.map((player) => [player, share])));
    }
    standing = {
      opening,
      passed: Boolean(before?.passed),
      openers: union(openers, before?.openers ?? []),
      anters: union(anters, before?.anters ?? []),
      dealers: union(dealers, before?.dealers ?? []),
      stakes,
    };
  }
  laid = run(moves.purchase, { buyers: buyersIn(hand) }, laid, hand.bought);
  laid = run(moves.peek, { peekers: hand.peeks }, laid);
  return { ...laid, members: union(members, payers), standing };
}

const union = (some, others) => [...new Set([...some, ...others])].sort();
const buyersIn = (hand) => Object.keys(hand.bought).filter((player) => hand.bought[player] > 0);

function forChips(table, bidder, bid) {
  const { kit, hand, seating: { payers } } = table;
  const { moves, deal } = kit;
  if (hand.surrendered || hand.granted !== null) refuse("facts_clash", hand.surrendered ? "surrendered" : "granted");
  const made = isMade(table, bid);
  if (made === null && hand.revoke === null && hand.foul !== "both") refuse("result_missing", "made");

  let laid = stake(table);
  const { members, standing } = laid;
  const { led_out_of_turn: led, played_out_of_turn: played } = hand;
  const opponents = payers.filter((player) => player !== bidder);
  const roles = {
    payers,
    bidder: [bidder],
    opponents,
    led,
    opponents_led: led.filter((player) => opponents.includes(player)),
    opponents_played: played.filter((player) => opponents.includes(player)),
    receivers: opponents.filter((player) => !led.includes(player) && !played.includes(player)),
    revoker: hand.revoke === null ? [] : [hand.revoke],
  };
  for (const fine of [moves.led, moves.played, moves.revoke]) laid = run(fine, roles, laid);
  const [result, ending] = outcome(moves[deal.doubled ? "doubled" : "contracts"][bid], hand, bidder, made);
  laid = run(ending, roles, laid);
  if (result === "failed" && moves.own_stakes_back.length && standing) {
    const staked = Object.keys(standing.stakes).filter((player) => table.seats.includes(player)); // who left forfeits his
    laid = run(moves.own_stakes_back, { staked }, { ...laid, purses: { ...zeros(staked), ...laid.purses } }, standing.stakes);
  }
  const doubled = deal.doubled && result !== "made";
  return chipsMoved(table, { ...laid, members }, { result, bidder, bid, step: 1, doubled, standing: null });
}

function outcome(row, hand, bidder, made) {
  const failed = hand.took_widow ? row.failed_with_widow : row.failed;
  if (hand.revoke !== null) return hand.revoke === bidder ? ["failed", failed] : ["made", row.revoked];
  if (isVoid(hand.foul, made)) return ["void", []];
  return made ? ["made", row.made] : ["failed", failed];
}

function misdealt(table) {
  const { kit: { moves, deal }, hand, seating: { dealer } } = table;
  const laid = stake(table);
  let after = laid;
  if (deal.rules.refund_on_misdeal) {
    after = run(moves.refund, { peekers: hand.peeks, buyers: buyersIn(hand) }, after, hand.bought);
  }
  after = run(moves.misdeal, { dealer: [dealer] }, after);
  const { doubled } = deal;
  return chipsMoved(table, { ...laid, ...after }, { result: "misdeal", step: 0, doubled, standing: laid.standing });
}

function passed(table) {
  const { auction: { all_pass: rule }, rules, doubled } = table.kit.deal;
  const laid = stake(table);
  return chipsMoved(table, laid, {
    result: "passed_out",
    step: rule === "redeal_same" ? 0 : 1,
    doubled: doubled || rule === "double_next",
    standing: rules.stakes_stand_when_passed && laid.standing ? { ...laid.standing, passed: true } : null,
  });
}

function chipsMoved(table, { purses, pool, entries, members }, { result, bidder = null, bid = null, ...after }) {
  const { dealer } = table.seating;
  const changes = changesIn(purses, table);
  if (![pool, ...Object.values(changes)].every(Number.isSafeInteger)) refuse("amount_too_large", "pool");
  const kit = behind(table, { ...after, pool, members, game: null });
  return { result, dealer, bidder, bid, changes, chips: changes, pool, entries, kit };
}

/** Return the changes of all payers, and of who else paid or was paid. */
function changesIn(purses, { seating: { payers } }) {
  return Object.fromEntries(Object.entries(purses).filter(([player, chips]) => chips || payers.includes(player)));
}

// For points: two teams, first seat and third, second and fourth

function forPoints(table, bidder, bid) {
  const { kit, hand } = table;
  const { target, both_reach: rule } = kit.deal.rules;
  const game = runningGame(table);
  const biddersFirst = game.first.includes(bidder);
  const [key, result] = scored(table, game, bidder, bid);
  const [bidders, defenders] = key === null ? [0, 0] : (kit.moves.points[bid][key] ?? refuse("unknown", "points"));
  const points = biddersFirst ? [bidders, defenders] : [defenders, bidders];
  const scores = game.scores.map((score, side) => score + points[side]);
  const names = teams(game);
  const won = winner(scores, target, rule, biddersFirst);
  const after = { ...game, scores, hands: game.hands + 1, winner: won === null ? null : names[won] };
  const entries = names
    .map((team, side) => ({ memo: bid, from: "score", to: team, chips: points[side] }))
    .filter((entry) => entry.chips);
  const paid = won === null ? [] : gameWon(table, after, won);
  return pointsMoved(table, after, { result, bidder, bid, points, entries: [...entries, ...paid], step: 1 });
}

/** Return the outcome as the table of points names it (null: nothing is scored), and the result. */
function scored(table, game, bidder, bid) {
  const { kit, hand } = table;
  if (hand.surrendered || hand.granted !== null) return [conceded(kit, hand, bid), "made"];
  if (hand.revoke !== null) {
    if (game.first.includes(hand.revoke) !== game.first.includes(bidder)) return ["defenders revoked", "made"];
    const held = hand.tricks === null ? 1 : Math.max(1, kit.deal.table.tricks - hand.tricks);
    return [`bidders revoked ${held}`, "failed"];
  }
  if (hand.foul === "both") return [null, "void"];
  if (hand.tricks === null) refuse("result_missing", "tricks");
  const made = isMade(table, bid);
  if (isVoid(hand.foul, made)) return [null, "void"];
  return [`${hand.tricks}`, made ? "made" : "failed"];
}

function conceded({ deal: { rules } }, { surrendered, granted, trumps }, bid) {
  const field = surrendered ? "surrendered" : "granted";
  if (rules.dirty_clubs && (trumps === null || trumps === "clubs")) refuse("surrender_refused", field);
  if (surrendered) return rules.surrender ? "surrendered" : refuse("surrender_refused", field);
  if (granted < 1 || granted > amount(rules.negotiate, bid)) refuse("grant_refused", field);
  return `granted ${granted}`;
}

function winner(scores, target, rule, biddersFirst) {
  const [first, second] = scores.map((score) => score >= target);
  if (first !== second) return first ? 0 : 1;
  if (!first || rule === "play_on") return null;
  if (rule === "bidder") return biddersFirst ? 0 : 1;
  return scores[0] === scores[1] ? null : Number(scores[1] > scores[0]);
}

/** Return what each loser pays the winner at his left for a game that is over. */
function gameWon({ kit: { deal: { stakes } }, seating: { payers } }, { first, scores }, won) {
  const ahead = Math.max(0, scores[won] - scores[1 - won]);
  const chips = stakes.per_game + stakes.per_point * ahead;
  if (!Number.isSafeInteger(chips)) refuse("amount_too_large", "stakes");
  if (!chips) return [];
  return payers.flatMap((from, place) =>
    first.includes(from) === (won === 0) ? [] : [{ memo: "game won", from, to: payers[(place + 1) % payers.length], chips }],
  );
}

function withoutPoints(table) {
  const { hand, kit: { deal } } = table;
  const step = hand.misdeal || deal.auction.all_pass === "redeal_same" ? 0 : 1;
  const result = hand.misdeal ? "misdeal" : "passed_out";
  return pointsMoved(table, runningGame(table), { result, points: [0, 0], entries: [], step });
}

/** Return the game that a hand belongs to: who changed seats keep their score, a substitute has that of the seat. */
function runningGame({ kit: { deal: { game } }, seating: { payers: [north, east, south, west] } }) {
  const [first, second] = [[north, south], [east, west]];
  if (game === null || game.winner !== null) {
    return { first, second, scores: [0, 0], hands: 0, winner: null, number: game === null ? 1 : game.number + 1 };
  }
  const same = (some, others) => some.every((player) => others.includes(player));
  const crossed = same(game.first, second) || same(game.second, first);
  return { ...game, first, second, scores: crossed ? [...game.scores].reverse() : game.scores };
}

const teams = ({ first, second }) => [first.join("+"), second.join("+")];

function pointsMoved(table, game, { result, bidder = null, bid = null, points, entries, step }) {
  const { dealer, payers } = table.seating;
  const chips = zeros(payers);
  for (const entry of entries) {
    if (entry.from === "score") continue;
    chips[entry.from] -= entry.chips;
    chips[entry.to] += entry.chips;
  }
  const changes = Object.fromEntries(teams(game).map((team, side) => [team, points[side]]));
  const kit = behind(table, { game, step });
  return { result, dealer, bidder, bid, changes, chips, pool: table.kit.deal.pool, entries, kit };
}

// What the next hand finds

/** Return the kit behind a hand, or null where other rules follow. */
function behind({ kit, seats, players, seating: { dealer } }, after) {
  const { deal } = kit;
  if (deal.rules_end) return null;
  const were = deal.open ? deal.open.players : deal.seated;
  return withDeal(kit, {
    ...after,
    seats,
    dealer,
    dealt: true,
    seated: seatedBehind(deal.seated, were, seats),
    named: deal.open ? deal.named : null,
    hand: deal.hand + 1,
    open: null,
  });
}

/** Return who is seated when a hand leaves others than were dealt in, but for those who came or went meanwhile. */
function seatedBehind(now, were, seats) {
  if (seats.join("\n") === were.join("\n")) return now;
  const stayed = seats.filter((player) => !were.includes(player) || now.includes(player));
  return [...stayed, ...now.filter((player) => !were.includes(player) && !seats.includes(player))];
}

function withDeal(kit, changed) {
  const deal = { ...kit.deal, ...changed };
  return { ...kit, deal: deal.open ? deal : { ...deal, next: nextOf(deal) } };
}

/** Return who plays which part in the next hand, or null where too few or too many are seated. */
function nextOf(deal) {
  const named = deal.seated.includes(deal.named) ? deal.named : null;
  const next = answered(() => seating(deal, deal.seated, [], named));
  return next.refused ? null : { hand: deal.hand, ...next };
}
