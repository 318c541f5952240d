// A player's phone: who I am, the pool, my balance and everybody's, the last hands; why, and I disagree.

import { BidCard } from "./cards.mjs";
import { Chart, evening } from "./chart.mjs";
import { Sheet } from "./dialog.mjs";
import { disagree, disputes, onDisputes, send } from "./disputes.mjs";
import { html, render, useEffect, useMemo, useState } from "./html.mjs";
import { Light, Stale, standing } from "./light.mjs";
import { Amount, Change, Elsewhere, HandLine, PoolChip, PoolStory, Receipt, Scores, rulesOf } from "./parts.mjs";
import { keepTo, tableName } from "./place.mjs";
import { bidName, handsPlayed, lastHand, namesOf, nowWords, partyName, resultWord } from "./told.mjs";
import { Why } from "./why.mjs";
import { _, chips, day, n_, name, number, within } from "./words.mjs";

const KEY = "kittybook.me";
const FEW = 5;
const MOST_WORDS = 500;
const { club, night, table } = document.body.dataset;

function Phone({ view }) {
  const { state, hands, contact } = view;
  const [me, setMe] = useMe();
  const [asked, ask] = useState(null); // {why: account}, {hand}, {who: true}
  const [said, setSaid] = useState(disputes);
  useEffect(() => onDisputes(setSaid), []);
  useEffect(() => void (contact?.ok && send()), [contact?.ok]);
  if (!state || view.choice) {
    return html`<div class="phone bare"><header class="phone-head"><${Light} contact=${contact} /></header>
      <${Stale} contact=${contact} /><${Elsewhere} view=${view} screen="phone" /></div>`;
  }
  const names = namesOf(state);
  const player = state.players.find((one) => one.id === me);
  const close = () => ask(null);
  const told = said.filter((one) => one.club === club && one.night === state.night);
  return html`<div class="phone">
    <header class="phone-head">
      <div><h1><bdi>${name(tableName(view), 24)}</bdi></h1><p class="soft">${day(state.date)} · ${handsPlayed(state)}</p></div>
      <${Light} contact=${contact} />
    </header>
    <${Stale} contact=${contact}>${_("This is how it stood then, after hand %(n)s.", { n: number(state.hands_played) })}<//>
    <main>
      ${me === null
        ? html`<${Who} state=${state} names=${names} onChoose=${setMe} />`
        : html`<${Mine} state=${state} hands=${hands} names=${names} player=${player} onAsk=${ask} />`}
      <${Receipt} state=${state} />
      ${state.scores === null
        ? html`<${Pool} state=${state} names=${names} onAsk=${ask} />`
        : html`<section aria-labelledby="scores"><h2 id="scores">${_("Scores")}</h2><${Scores} state=${state} names=${names} /></section>`}
      <${Everybody} state=${state} hands=${hands} names=${names} me=${me} onAsk=${ask} />
      <${Hands} state=${state} hands=${hands} names=${names} me=${me} said=${told} onAsk=${ask} />
      <${Curve} state=${state} hands=${hands} names=${names} />
    </main>
    <footer><p class="soft">${rulesOf(state)}</p>
      <a class="button quiet" href=${location.pathname.replace(/phone$/, "wall")}>${_("The wall")}</a></footer>
    ${asked?.why && html`<${Why} state=${state} account=${asked.why} onClose=${close}
      title=${asked.why === "pool" ? _("Why is the pool %(n)s?", { n: number(state.pool.chips) }) : _("Why has %(name)s this balance?", { name: within(name(names[asked.why], 24)) })} />`}
    ${asked?.hand && html`<${OneHand} hand=${hands.find((one) => one.hand === asked.hand)} state=${state} names=${names}
      me=${player} said=${told.filter((one) => one.hand === asked.hand)} contact=${contact} onClose=${close} />`}
    ${asked?.who && html`<${Sheet} title=${_("Who are you?")} onClose=${close}>
      <${Choices} state=${state} names=${names} onChoose=${(id) => (setMe(id), close())} /><//>`}
  </div>`;
}

/** Who somebody is at this club, kept on his phone: an id, "" for one who only watches, null where he has not said. */
function useMe() {
  const [me, set] = useState(() => kept()[club] ?? null);
  return [me, (id) => {
    try {
      localStorage.setItem(KEY, JSON.stringify({ ...kept(), [club]: id }));
    } catch {
      // a browser that keeps nothing asks again next time
    }
    set(id);
  }];
}

function kept() {
  try {
    return JSON.parse(localStorage.getItem(KEY)) ?? {};
  } catch {
    return {};
  }
}

function Who({ state, names, onChoose }) {
  return html`<section class="panel" aria-labelledby="who"><h2 id="who">${_("Who are you?")}</h2>
    <${Choices} state=${state} names=${names} onChoose=${onChoose} /></section>`;
}

function Choices({ state, names, onChoose }) {
  return html`<div class="choices">
    ${state.players.map(({ id }) => html`<button type="button" class="button quiet" onClick=${() => onChoose(id)}><bdi>${name(names[id], 40)}</bdi></button>`)}
    <button type="button" class="button quiet watch" onClick=${() => onChoose("")}>${_("I only watch")}</button>
  </div>`;
}

function Mine({ state, hands, names, player, onAsk }) {
  const last = lastHand(hands);
  const side = player && state.scores && Object.keys(state.scores).find((one) => one.split("+").includes(player.id));
  return html`<section class="mine" aria-labelledby="me">
    <div class="mine-head"><h2 id="me">${player ? html`<bdi>${name(names[player.id], 24)}</bdi>` : _("You only watch")}</h2>
      <button type="button" class="button quiet" onClick=${() => onAsk({ who: true })}>${player ? _("Not you?") : _("Say who you are")}</button></div>
    ${side && html`<div class="mine-balance"><strong class="mine-figure" style=${{ "--digits": number(state.scores[side]).length }}>${number(state.scores[side])}</strong>
      <span class="soft">${n_("%(num)d point for %(side)s", "%(num)d points for %(side)s", state.scores[side], { side: partyName(side, names) })}</span></div>`}
    ${player && !side && html`<div class="mine-balance"><strong class="mine-figure" style=${{ "--digits": chips(player.balance).length }}><${Amount} of=${player.balance} /></strong>
      ${state.scores === null && last && html`<${Change} of=${last.changes[player.id]} />`}
      <button type="button" class="button quiet" onClick=${() => onAsk({ why: player.id })}>${_("Why?")}</button></div>`}
    ${state.state === "open" && html`<p class="now">${nowWords(state, names)}</p>`}
  </section>`;
}

function Pool({ state, names, onAsk }) {
  return html`<section class="phone-pool" aria-labelledby="pool">
    <h2 id="pool">${_("Pool")}</h2>
    <${PoolChip} chips=${state.pool.chips} />
    <${PoolStory} state=${state} names=${names} />
    <button type="button" class="button quiet" onClick=${() => onAsk({ why: "pool" })} aria-label=${_("Why is the pool so large?")}>${_("Why?")}</button>
  </section>`;
}

function Everybody({ state, hands, names, me, onAsk }) {
  const last = lastHand(hands);
  return html`<section aria-labelledby="balances"><h2 id="balances">${_("Balances")}</h2>
    <ul class="everybody">${state.players.map((player) => html`<li key=${player.id}>
      <button type="button" class=${player.id === me ? "me" : ""} onClick=${() => onAsk({ why: player.id })}>
        <span class="who"><bdi>${name(names[player.id], 22)}</bdi>
          ${player.id === state.dealer && state.state === "open" && html`<span class="dealer"><span aria-hidden="true">${_("D")}</span><span class="unseen">${_("deals")}</span></span>`}
          ${!player.seated && state.state === "open" && html`<small>${_("gone")}</small>`}</span>
        ${state.scores === null && html`<${Change} of=${last?.changes[player.id]} />`}
        <${Amount} of=${player.balance} />
        <span class="ask">${_("Why?")}</span>
      </button></li>`)}</ul></section>`;
}

function Hands({ state, hands, names, me, said, onAsk }) {
  const [all, setAll] = useState(false);
  const rows = hands.filter((hand) => hand.status !== "open").reverse();
  const shown = all ? rows : rows.slice(0, FEW);
  return html`<section aria-labelledby="hands"><h2 id="hands">${_("Hands")}</h2>
    <p class="soft">${rows.length === 0 ? _("No hand yet.") : _("Tap one to see all of it, or to disagree.")}</p>
    <ul class="hand-lines">${shown.map((hand) => html`<li key=${hand.hand} class=${hand.status}>
      <button type="button" onClick=${() => onAsk({ hand: hand.hand })}>
        <${HandLine} hand=${hand} state=${state} names=${names} most=${14} />
        <${Change} of=${hand.changes[me] ?? teamChange(hand, me)} />
        ${said.some((one) => one.hand === hand.hand && one.status === "waiting") && html`<span class="mark-tag warn">${_("not sent yet")}</span>`}
      </button></li>`)}</ul>
    ${rows.length > FEW && html`<button type="button" class="button quiet" aria-expanded=${all} onClick=${() => setAll(!all)}>
      ${all ? _("Only the last") : _("All %(n)s hands", { n: number(rows.length) })}</button>`}
  </section>`;
}

function teamChange(hand, me) {
  const team = Object.keys(hand.changes).find((key) => key.split("+").includes(me));
  return team === undefined ? undefined : hand.changes[team];
}

function OneHand({ hand, state, names, me, said, contact, onClose }) {
  const [note, setNote] = useState("");
  if (!hand) return null;
  const mine = said.at(-1);
  const waits = mine?.status === "waiting";
  const resolved = mine?.status === "recorded" && !hand.disputed && state.position >= mine.position;
  const submit = (event) => {
    event.preventDefault();
    disagree({ club, night: state.night, hand: hand.hand, player: me?.id, note: note.trim() || null });
    setNote("");
  };
  return html`<${Sheet} title=${_("Hand %(n)s", { n: number(hand.hand) })} onClose=${onClose}>
    <p class="one-hand">${hand.bid && html`<${BidCard} bid=${bidName(state, hand.bid)} trumps=${hand.facts.trumps} />`}
      ${hand.bidder && html` <bdi>${name(partyName(hand.bidder, names), 24)}</bdi>,`} <strong>${resultWord(hand)}</strong></p>
    <dl class="moved">${Object.entries(hand.changes).map(([who, change]) => html`<dt><bdi>${name(partyName(who, names), 26)}</bdi></dt><dd><${Amount} of=${change} /></dd>`)}
      ${hand.facts.peeks?.length > 0 && html`<dt>${_("Peeked")}</dt><dd>${hand.facts.peeks.map((who, at) => html`${at > 0 && ", "}<bdi>${name(names[who] ?? who, 14)}</bdi>`)}</dd>`}
      ${state.scores === null && html`<dt>${_("Pool after it")}</dt><dd>${number(hand.pool)}</dd>`}</dl>
    ${hand.disputed && html`<p><span class="mark-tag warn">${_("disputed")}</span> ${_("It counts as recorded until that is resolved.")}</p>`}
    <div role="status">${mine && html`<p class=${`answer ${mine.status}`}>${answerWords(mine, resolved, contact)}</p>${mine.note && html`<p class="soft" dir="auto">${mine.note}</p>`}`}</div>
    ${!waits && (!mine || resolved || mine.status === "refused") && hand.status !== "open" && html`<form class="disagree" onSubmit=${submit}>
      <label for="otherwise">${_("What was different?")} ${me && html`<span class="optional">${_("(optional)")}</span>`}</label>
      <textarea id="otherwise" dir="auto" rows="2" maxlength=${MOST_WORDS} value=${note} onInput=${(event) => setNote(event.target.value)} required=${!me}></textarea>
      ${!me && html`<p class="soft">${_("Say who you are at the top first, or write your name.")}</p>`}
      <button type="submit" class="button danger">${_("I disagree")}</button>
    </form>`}
  <//>`;
}

function answerWords(mine, resolved, contact) {
  if (resolved) return _("You disagreed with this hand; that is resolved.");
  if (mine.status === "recorded") return _("It is recorded that you disagree with this hand.");
  if (mine.status === "refused") return _("That was refused: %(why)s", { why: mine.why ?? "" });
  if (contact?.ok) return _("Being sent…");
  if (standing(contact).kind === "out") return _("This phone is not let in any more. It is kept here until it is paired again.");
  return _("There is no network. It is kept here, and sent as soon as there is one.");
}

function Curve({ state, hands, names }) {
  const shown = useMemo(() => evening(state, hands, names), [state, hands]);
  const caption = state.teams ? _("The game, hand by hand") : _("The evening, hand by hand");
  if (shown.steps.length < 2 || shown.lines.length === 0) return null;
  return html`<section class="phone-chart" aria-labelledby="evening"><h2 id="evening">${caption}</h2>
    <${Chart} shown=${shown} caption=${caption} most=${9} tap /></section>`;
}

const screen = document.getElementById("screen");
const show = (view) => render(html`<${Phone} view=${view} />`, screen);
show({ state: null, contact: null });
keepTo({ club, night, table }, show);
