// What the wall and the phone both show: an amount, a change, the pool as a great chip, a hand in one line, a receipt.

import { BidCard } from "./cards.mjs";
import { html } from "./html.mjs";
import { bidName, feeders, partyName, poolStory, resultWord } from "./told.mjs";
import { _, chips, name, number, title } from "./words.mjs";

/** Chips with their sign; what is gained and lost differ in colour, too. */
export function Amount({ of, sign = true }) {
  const kind = of > 0 ? "gain" : of < 0 ? "loss" : "";
  return html`<span class="amount ${sign ? kind : ""}" dir="ltr">${sign ? chips(of) : number(of)}</span>`;
}

/** What the last hand changed: an arrow up or down, and by how much. */
export function Change({ of }) {
  if (of === undefined) return html`<span class="change"></span>`;
  const arrow = of > 0 ? "M6 1 11 10H1Z" : of < 0 ? "M6 11 1 2H11Z" : "M1 5H11V7H1Z";
  return html`<span class="change ${of > 0 ? "gain" : of < 0 ? "loss" : ""}" dir="ltr">
    <svg viewBox="0 0 12 12" aria-hidden="true"><path d=${arrow} /></svg>${number(Math.abs(of))}
    <span class="unseen">${of < 0 ? _("lost in the last hand") : of > 0 ? _("won in the last hand") : _("in the last hand")}</span>
  </span>`;
}

/** The number of a pool in the middle of a chip, as large as its digits let it be. */
export function PoolChip({ chips: held }) {
  const text = number(held);
  return html`<div class="pool-chip" style=${{ "--digits": Math.max(2, text.length) }}>
    <svg viewBox="0 0 200 200" aria-hidden="true">
      <circle class="rim" cx="100" cy="100" r="94" />
      <circle class="spots" cx="100" cy="100" r="94" pathLength="96" />
      <circle class="inner" cx="100" cy="100" r="82" />
    </svg>
    <strong class="pool-figure" dir="ltr">${text}</strong>
  </div>`;
}

/** Why the pool is what it is. */
export function PoolStory({ state, names, most = 4 }) {
  const fed = feeders(state, names);
  return html`<div class="pool-story">
    ${poolStory(state).map((sentence) => html`<p>${sentence}</p>`)}
    ${fed.length > 0 && html`<p class="soft">${_("Fed by")}</p><ul class="feeders">
      ${fed.slice(0, most).map(([who, paid]) => html`<li><bdi>${name(who, 14)}</bdi> <b>${number(paid)}</b></li>`)}
      ${fed.length > most && html`<li>${_("%(n)s more", { n: number(fed.length - most) })}</li>`}
    </ul>`}
  </div>`;
}

/** Pepper: the scores of the two teams, and the games so far. */
export function Scores({ state, names }) {
  const target = state.deal?.rules?.target;
  return html`<div class="scores">
    ${Object.entries(state.scores).map(([team, points]) => html`<div class="score">
      <strong class="score-figure" dir="ltr">${number(points)}</strong>
      <span class="score-team">${(state.teams[team] ?? [team]).map((one, at) => html`${at > 0 && " + "}<bdi>${name(names[one] ?? one, 16)}</bdi>`)}</span>
    </div>`)}
    ${target && html`<p class="soft">${_("The game is to %(points)s.", { points: number(target) })}</p>`}
    ${state.games?.length > 0 && html`<ol class="games" aria-label=${_("Games")}>${state.games.map((game, at) => html`<li>
      ${_("Game %(n)s:", { n: number(at + 1) })} <bdi>${partyName(game.winner, names)}</bdi>${" "}
      <span dir="ltr">${Object.values(game.scores).map(number).join(" : ")}</span></li>`)}</ol>`}
  </div>`;
}

/** A hand in one line: number, bid, bidder, what became of it. */
export function HandLine({ hand, state, names, most = 16 }) {
  return html`
    <span class="hand-number">${number(hand.hand)}</span>
    ${hand.bid ? html`<${BidCard} bid=${bidName(state, hand.bid)} trumps=${hand.facts.trumps} />` : html`<span></span>`}
    <span class="hand-who">${hand.bidder && html`<bdi>${name(partyName(hand.bidder, names), most)}</bdi>`}<${Marks} hand=${hand} /></span>
    <span class="hand-result ${hand.status === "settled" ? hand.result : hand.status}"><${Verdict} hand=${hand} />${resultWord(hand)}</span>`;
}

function Marks({ hand }) {
  const told = [
    hand.disputed && [_("disputed"), "warn"],
    hand.needs_review && [_("to be looked at"), "warn"],
    hand.corrections.length > 0 && hand.status !== "void" && [_("corrected"), ""],
  ].filter(Boolean);
  return told.map(([words, kind]) => html` <span class="mark-tag ${kind}">${words}</span>`);
}

function Verdict({ hand }) {
  if (hand.status !== "settled" || !["made", "failed"].includes(hand.result)) return null;
  return html`<svg class="verdict" viewBox="0 0 24 24" aria-hidden="true">
    <path d=${hand.result === "made" ? "m4 13 5 5L20 6" : "M5 5 19 19M19 5 5 19"} /></svg>`;
}

/** The receipt of a closed night. */
export function Receipt({ state }) {
  if (!state.receipt) return null;
  return html`<section class="receipt-slip" aria-labelledby="receipt">
    <h2 id="receipt">${_("Receipt")}</h2>
    <p class="receipt-code" dir="ltr">${state.receipt}</p>
    <p class="soft">${_("Photograph it: it proves that nothing before this close was changed.")}</p>
  </section>`;
}

/** The game that is played, with what is changed of it at home. */
export function rulesOf(state) {
  const { title: titles, id, house_rules: changed, stake } = state.rulebook;
  return [
    title(titles, id),
    Object.keys(changed).length > 0 && _("with house rules"),
    stake !== 1 && _("stake %(n)s", { n: number(stake) }),
  ].filter(Boolean).join(", ");
}

/** Where there is nothing to show yet: a choice of tables, no night at all, or the first look. */
export function Elsewhere({ view, screen }) {
  if (view.choice) {
    return html`<main class="elsewhere"><h1>${_("Which table?")}</h1>
      <nav class="choice-of-tables" aria-label=${_("Tables")}>${view.choice.map((table) => html`
        <a class="button quiet" href=${`/${screen}?table=${encodeURIComponent(table.id)}`}><bdi>${table.name}</bdi></a>`)}</nav></main>`;
  }
  if (view.none) {
    return html`<main class="elsewhere"><h1>${_("No night yet")}</h1>
      <p>${_("As soon as one is opened, it is shown here.")}</p></main>`;
  }
  if (view.contact?.status === 404) {
    return html`<main class="elsewhere"><h1>${_("There is no such night")}</h1><p><a href="/nights">${_("All nights")}</a></p></main>`;
  }
  return html`<main class="elsewhere" aria-busy="true"><h1 class="soft">${_("Looking for the night…")}</h1></main>`;
}

