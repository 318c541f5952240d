// The round table: who sits where, who deals, whose turn it is, what each has, and the pool in the middle.

import { html } from "./html.mjs";
import { _, chips, n_, name, number } from "./words.mjs";

const MANY = 6; // more are drawn closer

/**
 * A table with its seats in their real order, clockwise, one of them at the bottom. `tap(player)` makes seats buttons.
 * Below a phone's width style sheets make it a list.
 */
export function Felt({ view, bottom, tap, story, children }) {
  const seated = view.players.filter((player) => player.seated).sort((one, other) => one.seat - other.seat);
  const first = Math.max(0, seated.findIndex((player) => player.id === bottom));
  const around = [...seated.slice(first), ...seated.slice(0, first)];
  return html`<section class="felt" aria-label=${_("The table")}>
    <div class="rim" aria-hidden="true"></div>
    <ol class=${around.length > MANY ? "seats many" : "seats"}>
      ${around.map((player, index) => html`<${Seat} key=${player.id} player=${player} view=${view} tap=${tap}
        most=${around.length > MANY ? 11 : 14} place=${placeOf(index, around.length)} />`)}
    </ol>
    <div class="middle">${children ?? html`<${Pool} view=${view} story=${story} />`}</div>
  </section>`;
}

/** Where a seat stands, in hundredths of the felt: the first at the bottom, the next at his left, which is clockwise. */
export function placeOf(index, count) {
  const angle = Math.PI / 2 + (2 * Math.PI * index) / count;
  // Seats on a wide oval: those at its long sides are drawn apart, so that names do not meet in the corners.
  const squeeze = (value) => Math.sign(value) * Math.abs(value) ** 0.8;
  return { x: 50 + 38 * squeeze(Math.cos(angle)), y: 50 + 38 * squeeze(Math.sin(angle)) };
}

function Seat({ player, view, place, most, tap }) {
  const { hand, night } = view;
  const deals = hand.dealer === player.id;
  const turn = night.state === "open" && hand.auction?.turn === player.id && !hand.auction.over;
  const call = hand.calls.findLast(([who]) => who === player.id)?.[1];
  const leads = hand.auction?.bidder === player.id;
  const peeked = hand.peeks.includes(player.id);
  const bought = hand.bought[player.id];
  const out = hand.sitsOut === player.id;
  const said = call === undefined ? null : call === "pass" ? _("pass") : view.bidName(call);
  const traded = night.state === "open" && player.stack !== player.balance;
  const plays = !view.scores || player.balance !== 0; // for points alone, nobody has chips to be shown
  const short = name(player.name, most);
  const unseen = [ // what is shown without words
    short !== player.name && player.name, deals && _("deals"), peeked && _("peeked"),
    bought && _("bought %(cards)s", { cards: bought }), player.provisional && _("not sent yet"),
  ].filter(Boolean);
  const marks = `seat${turn ? " turn" : ""}${leads ? " leads" : ""}${out ? " out" : ""}${call === "pass" ? " passed" : ""}`;
  const inside = html`
    <span class="seat-name" dir="auto">${short}</span>
    <span class=${`seat-chips${player.balance < 0 ? " loss" : player.balance > 0 ? " gain" : ""}${chips(player.balance).length > 6 ? " long" : ""}`}>${plays && chips(player.balance)}${player.provisional ? html`<span class="mark">*</span>` : null}</span>
    ${traded ? html`<span class="seat-stack">${player.stack < 0 ? _("owes %(chips)s", { chips: number(-player.stack) }) : _("has %(chips)s", { chips: number(player.stack) })}</span>` : null}
    <span class="seat-said">${said ? html`<span class="call">${said}</span>` : turn ? html`<span class="call now">${_("to bid")}</span>` : null}
      ${peeked ? html`<${Eye} />` : null}${bought ? html`<span class="call" aria-hidden="true">${n_("+%(num)d card", "+%(num)d cards", bought)}</span>` : null}
      ${out ? html`<span class="call">${_("out")}</span>` : null}</span>
    ${deals ? html`<span class="dealer" aria-hidden="true">${_("D")}</span>` : null}
    ${unseen.length ? html`<span class="only-read">${unseen.join(", ")}</span>` : null}`;
  const style = { left: `${place.x}%`, top: `${place.y}%` };
  return html`<li class="place" style=${style} data-player=${player.id}>
    ${tap
      ? html`<button type="button" class=${marks} onClick=${() => tap(player.id)}>${inside}</button>`
      : html`<div class=${marks}>${inside}</div>`}
  </li>`;
}

/** The pool, or in Pepper the score. */
export function Pool({ view, story }) {
  if (view.scores) return html`<${Scores} view=${view} />`;
  if (!view.pooled) return null;
  const { chips: count, since_hand: since, would_pay: pays, provisional } = view.pool;
  const words = html`
    <span class="pool-name">${_("Pool")}</span>
    <span class="pool-chips">${count > 0 ? html`<${Pile} count=${count} />` : null}<span class=${number(count).length > 5 ? "pool-count long" : "pool-count"}>${number(count)}${provisional ? html`<span class="mark">*</span>` : null}</span></span>
    <span class="pool-story">${!count ? _("empty") : since ? _("since hand %(hand)s", { hand: since }) : _("brought forward")}${pays && pays !== count ? html`<br />${_("would pay %(chips)s", { chips: number(pays) })}` : null}</span>`;
  return story
    ? html`<button type="button" class="pool" onClick=${story}>${words}</button>`
    : html`<div class="pool">${words}</div>`;
}

function Scores({ view }) {
  const { rules, game } = view.kit?.deal ?? {};
  const target = rules?.target;
  return html`<div class="pool scores">
    <div class="sides">${Object.entries(view.scores).map(([team, points]) => html`<div class="score" key=${team}>
      <span class="pool-count">${number(points)}</span>
      <span class="pool-story">${team.split("+").map((one, at) => html`${at ? " + " : ""}<bdi>${name(view.names[one] ?? one, 12)}</bdi>`)}</span></div>`)}</div>
    ${game?.winner ? html`<strong class="pool-story">${_("%(team)s have won the game.", { team: view.teamName(game.winner) })}</strong>` : null}
    ${target ? html`<span class="pool-name">${_("to %(target)s", { target: number(target) })}</span>` : null}
  </div>`;
}

/** A pile of chips that grows with what is in it, up to a point. */
function Pile({ count }) {
  const high = Math.min(7, 1 + Math.floor(Math.log2(count)));
  return html`<svg class="pile" viewBox="0 0 40 44" aria-hidden="true">
    ${Array.from({ length: high }, (_none, index) => html`<g transform=${`translate(${index % 2 ? 1 : 0} ${33 - index * 4.4})`}>
      <ellipse cx="19" cy="5.4" rx="16" ry="5" class="pile-side" /><ellipse cx="19" cy="3" rx="16" ry="5" class="pile-top" />
      <ellipse cx="19" cy="3" rx="9.5" ry="2.8" class="pile-ring" /></g>`)}
  </svg>`;
}

function Eye() {
  return html`<svg class="eye" viewBox="0 0 24 24" aria-hidden="true"><path d="M2 12s3.6-6.5 10-6.5S22 12 22 12s-3.6 6.5-10 6.5S2 12 2 12Z" fill="none" stroke="currentColor" stroke-width="2" /><circle cx="12" cy="12" r="3" fill="currentColor" /></svg>`;
}
