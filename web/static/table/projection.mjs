// What is so, as far as a tablet knows: the server's state with the commands on top that it has not counted yet.
//
// The server's answer always replaces it. Chips are whole numbers; positive is to the player.

import { drafted, inProgress } from "./clash.mjs";
import { auction, PASS } from "./engine/auction.mjs";
import { deals, dealt as dealtIn, lay, reseat, seat, settle, unseat } from "./engine/hand.mjs";
import { title } from "./words.mjs";

/**
 * Return the view of a night: `state` as the server told it, `rows` of the outbox, `draft`, the `last` hands and the
 * `members` of the club.
 */
export function projected({ state, last, rows, draft, members }) {
  const waiting = rows.filter((row) => row.status === "waiting");
  const refused = rows.filter((row) => row.status === "refused" || row.status === "late");
  const names = namesOf(state, members, rows);
  const ofNight = rows.filter((row) => row.night !== null);
  const pending = pendingOf(ofNight, state);
  const found = carried(begun(state), pending);
  const { kit, hand, moved, pool, hands } = found;
  hand.auction = kit ? auction(kit, hand.calls, hand.order) : null;
  const mine = draft && draft.hand === hand.number ? draft : null;
  const current = mine?.facts ?? {};
  return {
    night: state,
    version: Math.max(state.version, ...ofNight.filter((row) => row.status === "recorded").map((row) => row.version ?? 0)),
    kit,
    hand,
    draft: current,
    mode: mine?.mode,
    stale: staleOf(draft, hand, [...last, ...hands]),
    players: playersOf(state, kit, moved, names, pending.length > 0),
    pool: { ...state.pool, chips: pool, provisional: pool !== state.pool.chips },
    last: [...last.filter((row) => row.hand < hand.number), ...hands],
    hands, // booked here and not counted by the server yet
    scores: scoresOf(state, kit, hands),
    pooled: pool > 0 || hasPool(state.moves),
    names,
    members,
    waiting,
    pending,
    refused,
    undo: undoOf(state, current, ofNight),
    bidName: (bid) => title(state.ladder.find((one) => one.id === bid)?.title, bid.replaceAll("_", " ")),
    teamName: (team) => team.split("+").map((one) => names[one] ?? one).join(" + "),
  };
}

/** Commands that the state does not count, in order: without those that are being taken back, and with hands held up. */
function pendingOf(rows, state) {
  const isNew = (row) => row.status === "waiting" || (row.status === "recorded" && row.version > state.version);
  const back = takenBack(rows.filter(isNew));
  return rows.filter((row) => !back.has(row.id) && (isNew(row) || (row.held && row.type === "RecordHand")));
}

const takenBack = (rows) => new Set(rows.filter(({ type }) => type === "Undo").map(({ data }) => data.command));

/** What was being chosen here of a hand that was booked meanwhile, where the book does not say the same. */
function staleOf(draft, hand, booked) {
  if (!draft || draft.hand >= hand.number || !Object.keys(draft.facts).length) return null;
  return drafted(booked.find((row) => row.hand === draft.hand), draft.facts) ? null : draft;
}

/** The facts of a hand as far as its steps tell them. */
export function factsOf(hand) {
  const facts = {};
  if (hand.peeks.length) facts.peeks = hand.peeks;
  if (Object.keys(hand.bought).length) facts.bought = hand.bought;
  if (hand.calls.length) facts.bids = hand.calls;
  if (hand.tookCard !== null) facts.took_card = hand.tookCard;
  return facts;
}

function begun(state) {
  const { moves, ladder, deal } = state;
  const hand = inProgress(state);
  const kit = { moves, ladder, deal };
  const open = hand.phase === "auction" || hand.phase === "play";
  const now = {
    ...dealt(kit, hand.number),
    begun: open,
    peeks: [...hand.peeks],
    bought: { ...hand.bought },
    calls: hand.bids.map((call) => [...call]),
    tookCard: hand.took_card,
  };
  return { kit, hand: now, laid: open ? laidBy(kit, now) : null, moved: {}, pool: state.pool.chips, hands: [] };
}

function dealt(kit, number) {
  const next = kit?.deal.next;
  return {
    number: next?.hand ?? number,
    dealer: next?.dealer ?? null,
    payers: next?.payers ?? [],
    order: next?.eldest_first ?? [],
    sitsOut: next?.sits_out ?? null,
    begun: false,
    peeks: [],
    bought: {},
    calls: [],
    tookCard: null,
  };
}

/** Carry commands on top of what the server has counted, one after another. */
function carried(found, pending) {
  const now = { ...found, hand: { ...found.hand } };
  const counted = now.laid; // what the server has moved for the hand in progress
  let before = counted;
  for (const row of pending) {
    const { data } = row;
    const { hand } = now;
    const own = data.hand === hand.number;
    switch (row.type) {
      case "Peek":
        if (own && !hand.peeks.includes(data.player)) step({ peeks: [...hand.peeks, data.player] });
        break;
      case "BuyCards":
        if (own) step({ bought: { ...hand.bought, [data.player]: data.cards } });
        break;
      case "TakePeepCard":
        if (own) step({ tookCard: data.taken });
        break;
      case "Bid":
      case "Pass":
        if (own) call(row);
        break;
      case "RecordHand":
        if (own) ended(row, data);
        break;
      case "DeclareMisdeal":
        if (own) ended(row, { ...factsOf(hand), misdeal: true });
        break;
      case "SeatPlayer":
        sit(seat(now.kit, data.player, data.seat ?? undefined));
        break;
      case "UnseatPlayer":
        sit(unseat(now.kit, data.player));
        break;
      case "Reseat":
        if (data.from_hand === undefined) sit(reseat(now.kit, data.players));
        break;
      case "SetDealer":
        sit(deals(now.kit, data.player));
        break;
      default: // the server alone says what comes of it
    }
  }
  if (now.hand.begun) apply(laidBy(now.kit, now.hand), before);
  return now;

  function step(changed) {
    if (!now.hand.begun && now.kit) sit(dealtIn(now.kit)); // who comes or goes from here on is not in this hand
    now.hand = { ...now.hand, begun: true, ...changed };
  }

  function call(row) {
    const { hand, kit } = now;
    const said = row.type === "Pass" ? PASS : row.data.bid;
    if (!kit || hand.calls.some((call) => call[0] === row.data.player && call[1] === said)) return; // it arrived, though nobody said so
    step({ calls: [...hand.calls, [row.data.player, said]] });
    if (auction(now.kit, now.hand.calls, now.hand.order).passedOut) ended(row, { ...factsOf(now.hand), passed_out: true });
  }

  function ended(row, { hand: number, ...facts }) {
    const settled = settle(now.kit, facts);
    if (!settled.refused) apply({ changes: settled.chips, pool: settled.pool, from: now.kit.deal.pool }, before);
    now.hands.push({ hand: number ?? now.hand.number, result: "booked", changes: {}, ...settled, facts, row, provisional: true });
    now.kit = settled.kit ?? null; // where only the server can tell what came of it, nothing can follow before it has
    now.hand = dealt(now.kit, now.hand.number + 1);
    before = null;
  }

  function sit(kit) {
    if (!kit || kit.refused || !now.kit) return;
    now.kit = kit;
    if (!now.hand.begun) now.hand = { ...dealt(kit, now.hand.number) };
  }

  /** Count what a hand moves, less what the server has counted of it. */
  function apply(after, less) {
    if (!after) return;
    for (const [player, chips] of Object.entries(after.changes)) now.moved[player] = (now.moved[player] ?? 0) + chips;
    for (const [player, chips] of Object.entries(less?.changes ?? {})) now.moved[player] = (now.moved[player] ?? 0) - chips;
    now.pool += after.pool - after.from - (less ? less.pool - less.from : 0);
  }
}

function laidBy(kit, hand) {
  const { bids, ...facts } = factsOf(hand);
  const laid = lay(kit, facts);
  return laid.refused ? null : { ...laid, from: kit.deal.pool };
}

const pools = new WeakMap();

/** Tell whether anything is ever paid into a pool. */
function hasPool(moves) {
  if (!pools.has(moves)) pools.set(moves, JSON.stringify(moves).includes('"receiver":"pool"'));
  return pools.get(moves);
}

/** The points of both sides in Pepper: of the running game, or the last; null in games without points. */
function scoresOf(state, kit, hands) {
  const game = hands.length ? kit?.deal.game : null;
  return game ? { [game.first.join("+")]: game.scores[0], [game.second.join("+")]: game.scores[1] } : state.scores;
}

function playersOf(state, kit, moved, names, pending) {
  const seated = kit?.deal.seated ?? kit?.deal.seats ?? [];
  const known = state.players.map((player) => player.id);
  const fresh = seated.filter((id) => !known.includes(id)).map((id) => ({ id, balance: 0, stack: 0, bought: 0, sold: 0 }));
  return [...state.players, ...fresh].map((player) => {
    const change = moved[player.id] ?? 0;
    const at = seated.indexOf(player.id);
    return {
      ...player,
      name: names[player.id] ?? player.id,
      seat: at < 0 ? null : at + 1,
      seated: at >= 0,
      balance: player.balance + change,
      stack: player.stack + change,
      provisional: pending && change !== 0,
    };
  });
}

function namesOf(state, members, rows) {
  return Object.fromEntries([
    ...members.map(({ id, name }) => [id, name]),
    ...rows.filter((row) => row.type === "AddMember").map(({ data }) => [data.member, data.name]),
    ...state.players.map(({ id, name }) => [id, name]),
  ]);
}

function undoOf(state, draft, rows) {
  if (Object.keys(draft).length) return { kind: "draft" };
  const own = rows.filter((row) => row.status === "waiting" || (row.status === "recorded" && row.version > state.version));
  const back = takenBack(own);
  const newest = own.findLast((row) => row.type !== "Undo" && !back.has(row.id));
  if (newest?.status === "waiting" && !newest.tried) return { kind: "unsent", order: newest.order, command: newest.id, row: newest };
  if (newest) return { kind: "sent", command: newest.id, row: newest };
  if (own.some((row) => row.status === "recorded")) return null; // what is recorded now is seen in a moment
  const { undo } = state;
  if (!undo || back.has(undo.command)) return null;
  const may = state.actions.some(({ type }) => type === "Undo");
  return may || state.state === "closed" ? { kind: "recorded", ...undo, leave: !may } : null; // a close by a PIN
}
