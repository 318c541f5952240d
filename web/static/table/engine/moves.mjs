/**
 * What moves do to purses and pool; the rules of no game are here. The same as ledger/payments.py.
 *
 * Amounts are whole chips; positive is to the player. Nothing that is passed in is changed.
 *
 * @typedef {{memo: string, payer: string, receiver: string, chips: number, times: string, in_place_of: string}} Move
 *   each of the payer role pays `chips` to each of the receiver role; `in_place_of` names a role that pays instead
 * @typedef {{memo: string, from: string, to: string, chips: number}} Entry one payment, between players and "pool"
 * @typedef {{refused: string, field?: string}} Refused a code of ledger/errors.py, or "unknown": ask the server
 */

export const POOL = "pool";

class Refusal extends Error {
  constructor(code, field) {
    super(code);
    this.told = field === undefined ? { refused: code } : { refused: code, field };
  }
}

/** Refuse, with the server's code and the field to blame. */
export function refuse(code, field) {
  throw new Refusal(code, field);
}

/** Return what some work returns, or `{refused, field}` where it refused. */
export function answered(work) {
  try {
    return work();
  } catch (error) {
    if (error instanceof Refusal) return error.told;
    throw error;
  }
}

/** Return the amount under a key, 0 where there is none (a player may be called "constructor"). */
export const amount = (amounts, key) => (Object.hasOwn(amounts, key) ? amounts[key] : 0);

/** Return 0 for each player. */
export const zeros = (players) => Object.fromEntries(players.map((player) => [player, 0]));

/**
 * Carry out moves, in order.
 *
 * @param {Move[]} moves
 * @param {Object<string, string[]>} roles who plays each role in this hand
 * @param {{purses: Object<string, number>, pool: number, entries?: Entry[]}} before changes so far, and the pool
 * @param {Object<string, number>} counts cards bought, or chips staked, by player, for moves that count them
 * @returns {{purses: Object<string, number>, pool: number, entries: Entry[]}}
 */
export function run(moves, roles, before, counts = {}) {
  const purses = { ...before.purses };
  const entries = [...(before.entries ?? [])];
  let pool = before.pool;

  const playing = (role) => roles[role] ?? refuse("unknown", role);
  const times = {
    once: (chips) => chips,
    held: () => pool,
    payers: (chips) => chips * playing("payers").length,
    cards: (chips, player) => chips * amount(counts, player),
    own: (chips, player) => chips * amount(counts, player),
  };
  const pay = (memo, from, to, chips) => {
    if (from === POOL) pool -= chips;
    else purses[from] = amount(purses, from) - chips;
    if (to === POOL) pool += chips;
    else purses[to] = amount(purses, to) + chips;
    if (chips) entries.push({ memo, from, to, chips });
  };

  for (const move of moves) {
    const counted = times[move.times] ?? refuse("unknown", "times");
    const { memo, payer, receiver, chips } = move;
    if (receiver === POOL) {
      for (const player of playing(payer)) pay(memo, player, POOL, counted(chips, player));
    } else if (payer === POOL) {
      for (const player of playing(receiver)) pay(memo, POOL, player, Math.min(pool, counted(chips, player)));
    } else {
      const substitute = move.in_place_of ? playing(move.in_place_of)[0] : null;
      for (const gainer of playing(receiver)) {
        for (const player of playing(payer)) pay(memo, substitute ?? player, gainer, chips);
      }
    }
  }
  return { purses, pool, entries };
}
