// The wall: the pool, who stands how, the last hands and the evening as lines, legible from across the room.

import { Chart, evening } from "./chart.mjs";
import { html, render, useMemo } from "./html.mjs";
import { Light, Stale } from "./light.mjs";
import { Amount, Change, Elsewhere, HandLine, PoolChip, PoolStory, Receipt, Scores, rulesOf } from "./parts.mjs";
import { keepTo, tableName } from "./place.mjs";
import { handsPlayed, lastHand, namesOf, nowWords } from "./told.mjs";
import { stayAwake } from "./wake.mjs";
import { _, day, name, number } from "./words.mjs";

const HANDS = 8; // as many of these are seen as there is room for

function Wall({ view }) {
  const { state, hands, contact } = view;
  if (!state || view.choice) {
    return html`<div class="wall bare"><header class="wall-head"><${Light} contact=${contact} /></header>
      <${Stale} contact=${contact} /><${Elsewhere} view=${view} screen="wall" /></div>`;
  }
  const names = namesOf(state);
  const closed = state.state !== "open";
  const pepper = state.scores !== null;
  const paid = !pepper || state.players.some((player) => player.balance !== 0);
  return html`<div class="wall ${closed ? "closed" : ""} ${pepper ? "pepper" : ""} ${paid ? "" : "unpaid"}">
    <header class="wall-head">
      <div><h1><bdi>${name(tableName(view), 30)}</bdi></h1>
      <p class="soft">${day(state.date)} · ${rulesOf(state)} · ${handsPlayed(state)}</p></div>
      <nav aria-label=${_("This screen")}>
        <a class="lights-out" href="?look=dark">${_("Lights out")}</a>
        <a class="to-phone" href=${location.pathname.replace(/wall$/, "phone")}>${_("Your own balance")}</a>
      </nav>
      <${Light} contact=${contact} />
    </header>
    <${Stale} contact=${contact}>${_("This is how it stood then, after hand %(n)s.", { n: number(state.hands_played) })}<//>
    <main class="wall-main">
      <section class="wall-pool" aria-labelledby="pool">
        <h2 id="pool">${pepper ? _("Scores") : _("Pool")}</h2>
        ${pepper
          ? html`<${Scores} state=${state} names=${names} />`
          : html`<${PoolChip} chips=${state.pool.chips} /><${PoolStory} state=${state} names=${names} />`}
      </section>
      ${closed && html`<${Receipt} state=${state} />`}
      ${paid && html`<${Balances} state=${state} hands=${hands} names=${names} closed=${closed} />`}
      <${Hands} state=${state} hands=${hands} names=${names} />
      <${Curve} state=${state} hands=${hands} names=${names} />
    </main>
  </div>`;
}

function Balances({ state, hands, names, closed }) {
  const last = lastHand(hands);
  const rows = closed ? [...state.players].sort((one, other) => other.balance - one.balance) : state.players;
  return html`<section class="wall-balances" aria-labelledby="balances">
    <h2 id="balances">${closed ? _("How it ended") : _("Balances")}</h2>
    <ol class="standing" style=${{ "--rows": Math.max(4, rows.length) }}>
      ${rows.map((player) => html`<li key=${player.id} class=${player.seated ? "" : "gone"}>
        <span class="who"><bdi>${name(names[player.id], 20)}</bdi>${player.id === state.dealer && !closed && html`<${Dealer} />`}
          ${player.seated || closed ? null : html`<small>${_("gone")}</small>`}</span>
        ${state.scores === null && !closed && html`<${Change} key=${last?.hand} of=${last?.changes[player.id]} />`}
        <${Amount} of=${player.balance} />
      </li>`)}
    </ol>
  </section>`;
}

function Dealer() {
  return html`<span class="dealer"><span aria-hidden="true">${_("D")}</span><span class="unseen">${_("deals")}</span></span>`;
}

function Hands({ state, hands, names }) {
  const shown = hands.filter((hand) => hand.status !== "open").slice(-HANDS).reverse();
  return html`<section class="wall-hands" aria-labelledby="hands">
    <h2 id="hands">${_("Last hands")}</h2>
    ${state.state === "open" && html`<p class="now">${nowWords(state, names)}</p>`}
    <ol class="hand-lines">${shown.map((hand) => html`<li key=${hand.hand} class=${hand.status}>
      <${HandLine} hand=${hand} state=${state} names=${names} /></li>`)}</ol>
    ${shown.length === 0 && html`<p class="soft">${_("No hand yet.")}</p>`}
  </section>`;
}

function Curve({ state, hands, names }) {
  const shown = useMemo(() => evening(state, hands, names), [state, hands]);
  const caption = state.teams ? _("The game, hand by hand") : _("The evening, hand by hand");
  if (shown.steps.length < 2 || shown.lines.length === 0) return null;
  return html`<section class="wall-chart" aria-labelledby="evening">
    <h2 id="evening">${caption}</h2><${Chart} shown=${shown} caption=${caption} /></section>`;
}

const { club, night, table } = document.body.dataset;
const screen = document.getElementById("screen");
const show = (view) => render(html`<${Wall} view=${view} />`, screen);
show({ state: null, contact: null });
keepTo({ club, night, table }, show);
stayAwake();
