/** Plays nights that Python has played, and says what differs. */
const show = (value) => JSON.stringify(value);

/** Sort the keys of objects, at any depth, and leave out what is undefined. */
function plain(value) {
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.keys(value).sort().filter((key) => value[key] !== undefined).map((key) => [key, plain(value[key])]));
}

function frozen(value) {
  if (value && typeof value === "object" && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(frozen);
  }
  return value;
}

function summed(entries) {
  const sums = {};
  const add = (memo, account, chips) => {
    if (account === "score") return;
    sums[memo] ??= Object.create(null); // a player may be called "constructor"
    sums[memo][account] = (sums[memo][account] ?? 0) + chips;
  };
  for (const { memo, from, to, chips } of entries) {
    add(memo, from, -chips);
    add(memo, to, chips);
  }
  for (const [memo, amounts] of Object.entries(sums)) {
    sums[memo] = nonzero(amounts);
    if (!Object.keys(sums[memo]).length) delete sums[memo];
  }
  return sums;
}

const nonzero = (amounts) => Object.fromEntries(Object.entries(amounts).filter(([, amount]) => amount));

/** @param engine the modules, @param cases from engine_cases.py; @returns {{differences: string[], counts: object}} */
export function play({ hand, auction }, cases) {
  const differences = [];
  const counts = {};
  for (const one of frozen(cases)) {
    let kit = one.kit;
    for (const [index, tap] of one.taps.entries()) {
      counts[tap.do] = (counts[tap.do] ?? 0) + 1;
      let got;
      try {
        [got, kit] = follow(kit, tap, counts);
      } catch (error) {
        differences.push(`${one.id} #${index} ${tap.do} ${show(tap.facts)}: ${error.stack}`);
        break;
      }
      const keys = Object.keys(tap.expect);
      const wrong = keys.filter((key) => show(plain(got[key])) !== show(plain(tap.expect[key])));
      if (tap.expect.refused === undefined && got.refused != null && tap.do !== "call") wrong.push("refused");
      for (const key of wrong) {
        const { facts, calls, asked } = tap;
        differences.push(
          `${one.id} #${index} ${tap.do} ${show({ facts, calls, asked })}: ${key}: Python ${show(plain(tap.expect[key]))}, browser ${show(plain(got[key]))}`,
        );
      }
      if (wrong.length && tap.do !== "try" && tap.do !== "call") break;
      kit = frozen(kit);
    }
  }
  return { differences, counts };

  function follow(kit, tap, counts) {
    const reply = (got) => (got.refused ? [got, kit] : [{ deal: got.deal }, got]);
    switch (tap.do) {
      case "SeatPlayer":
        return reply(tap.place === null ? hand.seat(kit, tap.player) : hand.seat(kit, tap.player, tap.place));
      case "UnseatPlayer":
        return reply(hand.unseat(kit, tap.player));
      case "Reseat":
        return reply(hand.reseat(kit, tap.players));
      case "SetDealer":
        return reply(hand.deals(kit, tap.player));
      case "call": {
        const { why, ...got } = auction.auction(kit, tap.calls);
        return [{ ...got, why: tap.asked.map(([player, call]) => why(call, player)) }, kit];
      }
      case "lay": {
        const begun = hand.dealt(kit);
        return [{ ...hand.lay(begun, tap.facts), deal: begun.deal }, begun];
      }
      default: {
        const got = hand.settle(kit, tap.facts);
        if (got.refused) {
          counts[`refused ${got.refused}`] = (counts[`refused ${got.refused}`] ?? 0) + 1;
          return [got, kit];
        }
        const { kit: next, entries, chips, ...rest } = got;
        const { dealer, payers } = hand.seats(kit, tap.facts);
        if (dealer !== got.dealer || !payers.every((player) => Object.hasOwn(chips, player))) rest.dealer = `${dealer}?`;
        const answer = { ...rest, chips: nonzero(chips), sums: summed(entries), deal: next.deal };
        return [answer, tap.do === "try" ? kit : next];
      }
    }
  }
}
