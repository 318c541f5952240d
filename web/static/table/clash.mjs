// What two tablets recorded at one table, compared: whether a booking would replace what nobody here has seen, whether
// it still comes to what was shown, and whether what stands in the book already says the same.

import { PASS } from "./engine/auction.mjs";
import { settle } from "./engine/hand.mjs";

/** Commands that tell a part of a hand in progress. */
export const STEPS = ["Peek", "BuyCards", "Bid", "Pass", "TakePeepCard"];

/** Commands whose refusal makes what was tapped after them uncertain: that waits until somebody has decided. */
export const isOfHand = ({ type }) => STEPS.includes(type) || type === "RecordHand";

const CONTRACT = ["bidder", "bid", "result"];
const WRONGS = ["revoke", "foul", "led_out_of_turn", "played_out_of_turn", "surrendered", "granted", "tricks", "took_widow"];
const BESIDE = ["trumps", "took_card", "note", "out"];

/** What stands on the screen when a hand is booked; it is kept with the booking. */
export function shown({ kit, hand }, facts) {
  const { changes = null, bidder = null, bid = null, result = null } = settle(kit, facts);
  return { ...seen(hand), dealer: hand.dealer, changes, bidder, bid, result };
}

/** The hand in progress of a state, with the cards that were bought in it, and whether the peep card was taken. */
export const inProgress = ({ hand, so_far }) => ({ ...hand, ...so_far });

/** The steps of a hand as they are seen: of a view, or with `bids` and `took_card` of a state. */
export const seen = ({ peeks, bought, calls, bids, tookCard, took_card }) => ({
  peeks, bought, calls: calls ?? bids, tookCard: tookCard ?? took_card ?? null,
});

/** The recorded steps of the hand in progress that a booking would replace, and that nobody here has seen. */
export function unseen(state, { data, shown: before }) {
  const hand = inProgress(state);
  if (hand.number !== data.hand || !before) return [];
  const step = (type, more) => ({ type, data: { hand: data.hand, ...more } });
  const known = [...before.peeks, ...(data.peeks ?? [])];
  const calls = [before.calls, data.bids ?? []];
  const agree = (call, at) => calls.some((said) => isSame(said[at], call));
  const first = hand.bids.findIndex((call, at) => !agree(call, at));
  return [
    ...hand.peeks.filter((player) => !known.includes(player)).map((player) => step("Peek", { player })),
    ...Object.entries(hand.bought)
      .filter(([player, cards]) => before.bought[player] !== cards && data.bought?.[player] !== cards)
      .map(([player, cards]) => step("BuyCards", { player, cards })),
    ...(first < 0 ? [] : hand.bids.slice(first)).map(([player, bid]) => (bid === PASS ? step("Pass", { player }) : step("Bid", { player, bid }))),
    ...([before.tookCard, data.took_card ?? null, null].includes(hand.took_card ?? null) ? [] : [step("TakePeepCard", { taken: hand.took_card })]),
  ];
}

/** What a booking comes to by now, where that is not what was shown; null where it is, or nobody here can tell. */
export function otherwise({ moves, ladder, deal, hand }, { data: { hand: number, ...facts }, shown: before }) {
  if (hand.number !== number || !before?.changes) return null;
  const settled = settle({ moves, ladder, deal }, facts);
  if (settled.refused) return null; // the server says why, or knows better
  return isSame(settled.changes, before.changes) && settled.dealer === before.dealer ? null : settled.changes;
}

/** Whether a step stands in the hand in progress already: two tablets tapped the same. */
export function stands(state, { type, data }) {
  const hand = inProgress(state);
  if (hand.number !== data.hand) return false;
  switch (type) {
    case "Peek": return hand.peeks.includes(data.player);
    case "BuyCards": return hand.bought[data.player] === data.cards;
    case "TakePeepCard": return hand.took_card === data.taken;
    default: return isSame(callOf(hand.bids, data.player), type === "Pass" ? PASS : data.bid);
  }
}

/** Whether a booked hand, as the API tells it, says all that a booking or a step says. */
export function says(theirs, { type, data, shown: before }) {
  const { facts } = theirs;
  if (theirs.status !== "settled") return false;
  switch (type) {
    case "Peek": return (facts.peeks ?? []).includes(data.player);
    case "BuyCards": return (facts.bought?.[data.player] ?? 0) === data.cards;
    case "TakePeepCard": return facts.took_card === data.taken;
    case "Pass": return theirs.bidder !== data.player;
    case "Bid": return theirs.bid ? isSame([theirs.bidder, theirs.bid], [data.player, data.bid]) || hasCall(facts, data) : false;
    case "RecordHand": return Boolean(before?.changes) && isSameHand(theirs, data, before);
    default: return false;
  }
}

function isSameHand(theirs, data, before) {
  const { facts } = theirs;
  const told = { ...facts, note: theirs.note };
  const there = (key) => data[key] !== undefined && data[key] !== null && data[key] !== false;
  return CONTRACT.every((key) => (theirs[key] ?? null) === before[key]) && isSame(theirs.changes, before.changes) &&
    isSame([...(facts.peeks ?? [])].sort(), [...(data.peeks ?? [])].sort()) && isSame(facts.bought ?? {}, data.bought ?? {}) &&
    WRONGS.every((key) => isSame(told[key] || null, data[key] || null)) &&
    BESIDE.every((key) => !there(key) || isSame(told[key], data[key]));
}

/** Whether a draft has nothing that a booked hand does not say. */
export const drafted = (theirs, facts) =>
  Boolean(theirs) && Object.entries(facts).every(([key, value]) => isSame(theirs.facts?.[key] ?? theirs[key], value));

/** The last call of a player. */
export const callOf = (calls, player) => calls.findLast(([who]) => who === player)?.[1];

const hasCall = ({ bids = [] }, { player, bid }) => bids.some((call) => isSame(call, [player, bid]));

/** Whether two plain values are equal, whatever the order of their keys. */
function isSame(one, other) {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => Object.hasOwn(other, key) && isSame(one[key], other[key]));
}
