// The hand in progress: the bidding step by step, how it ended, who pays whom, and booking it.

import { PASS } from "../engine/auction.mjs";
import { prices, settle } from "../engine/hand.mjs";
import { html, useLayoutEffect, useRef, useState } from "../html.mjs";
import { factsOf } from "../projection.mjs";
import { _, chips, n_, name, number } from "../words.mjs";
import { bidName, Notice, Pick, suitName, Who } from "./fields.mjs";
import { memoWords, resultWord } from "../told.mjs";
import { Ending, HandForm, Irregularities, knows, lacking, put, Trumps } from "./handform.mjs";

const panel = () => document.querySelector(".panel-play");

/** What is asked of the table now. Whoever is at it by keyboard goes on at the heading of what is asked next. */
export function Play({ view, session, open }) {
  const { hand, night, kit, draft } = view;
  const facts = whole(view);
  const Panel = panelOf();
  const held = panel()?.contains(document.activeElement); // before what has the focus is drawn anew
  useLayoutEffect(() => {
    const { top } = panel().getBoundingClientRect(); // what is asked anew begins where it is seen
    if (top < document.querySelector(".bar").getBoundingClientRect().bottom) panel().scrollIntoView();
  }, [hand.number, Panel]);
  useLayoutEffect(() => {
    const lost = held && document.activeElement === document.body; // what was tapped is gone
    if (lost) panel().querySelector("h2").focus({ preventScroll: true });
  });
  return html`<${Panel} key=${hand.number} ...${{ view, session, open, choose: session.choose, kit, hand, names: view.names, facts }} />`;

  function panelOf() {
    if (night.state !== "open") return Closed;
    if (!kit || !kit.deal.next) return Seatless;
    if (view.mode === "quick" || (!view.mode && view.prefs.quick && !hand.begun && !isEnding(draft))) return Quick;
    if (isEnding(draft) && lacking(kit, facts) === null) return Booking;
    if (view.mode === "wrong") return Wrong;
    const { over, bidder, legal } = hand.auction;
    return over && bidder && !legal.length ? After : Bidding; // who may speak once more over a higher bid is asked first
  }
}

/** The facts of the hand: its steps and what is chosen on top. */
function whole({ hand, draft }) {
  const facts = factsOf(hand);
  if (draft.misdeal || draft.passed_out) {
    const { bids, took_card: _taken, ...others } = facts;
    return { ...others, ...(bids ? { bids } : {}), ...draft };
  }
  const { bidder } = hand.auction ?? {};
  if (facts.bids && !facts.bids.some(([, call]) => call !== PASS) && bidder) {
    return { ...facts, ...draft }; // the bid fell to him when everybody had passed
  }
  return { ...facts, ...draft };
}

const ENDS = ["made", "tricks", "misdeal", "passed_out", "revoke", "surrendered", "granted"];
const unended = (draft) => Object.fromEntries(Object.entries(draft).filter(([key]) => !ENDS.includes(key) && key !== "foul"));
const isEnding = (draft) => ENDS.some((key) => draft[key] !== undefined) || draft.foul === "both";

// The bidding

function Bidding({ view, session, choose, kit, hand, names, open }) {
  const [why, setWhy] = useState(null);
  const { auction } = hand;
  const speaker = auction.turn;
  const rates = prices(kit);

  function mine(type, data) {
    setWhy(null);
    session.send(type, { hand: hand.number, ...data });
  }

  function bid(one) {
    const code = auction.why(one.id);
    if (code) setWhy({ bid: one.id, name: bidName(kit, one.id), words: reason(code, kit, auction, names) });
    else mine("Bid", { player: speaker, bid: one.id });
  }

  function pass() {
    const code = auction.why(PASS);
    if (code) setWhy({ bid: PASS, name: _("Pass"), words: reason(code, kit, auction, names) });
    else mine("Pass", { player: speaker });
  }

  const peeked = hand.peeks.includes(speaker);
  const bought = hand.bought[speaker];
  const untouched = !hand.begun;
  return html`<section class="panel-play" aria-label=${_("The bidding")}>
    <header class="ask"><h2 tabindex="-1"><${Who} id=${speaker} names=${names} most=${20} /></h2>
      <p>${auction.bidder ? _("to beat: %(bid)s by %(name)s", { bid: bidName(kit, auction.bid), name: name(names[auction.bidder] ?? "", 16) }) : _("to bid")}</p></header>
    <div class="bid-grid">
      ${kit.ladder.map((one) => {
        const code = auction.why(one.id);
        return html`<button type="button" key=${one.id} class="bid" aria-disabled=${code ? "true" : undefined}
          aria-describedby=${why?.bid === one.id ? "why-not" : undefined} onClick=${() => bid(one)}>
          <span class="bid-name">${bidName(kit, one.id)}</span></button>`;
      })}
    </div>
    <div class="bid-row">
      <button type="button" class="bid pass" aria-disabled=${auction.why(PASS) ? "true" : undefined} onClick=${pass}>${_("Pass")}</button>
      ${rates.peek === null ? null : html`<button type="button" class="bid peek" aria-disabled=${peeked ? "true" : undefined} onClick=${() => peeked || mine("Peek", { player: speaker })}>
        ${peeked ? _("has peeked") : html`${_("Peek")} <small>${n_("%(num)d chip", "%(num)d chips", rates.peek)}</small>`}</button>`}
      ${rates.buy === null ? null : html`<button type="button" class="bid peek" aria-disabled=${bought === undefined ? undefined : "true"} onClick=${() => bought === undefined && open("seat", { player: speaker })}>
        ${bought === undefined ? _("Buy cards") : n_("+%(num)d card", "+%(num)d cards", bought)}</button>`}
    </div>
    <p class="why" id="why-not" role="status">${why ? html`<strong>${why.name}:</strong> ${why.words}` : null}</p>
    <footer class="ask-foot">
      ${untouched ? html`<button type="button" class="plain" onClick=${() => (session.prefer({ quick: true }), choose({}, "quick"))}>${_("Quick entry")}</button>`
        : html`<button type="button" class="plain" onClick=${() => choose(taken(hand), "quick")}>${_("Enter the rest at once")}</button>`}
      <button type="button" class="plain" onClick=${() => choose({}, "wrong")}>${_("Something went wrong")}</button>
    </footer>
  </section>`;
}

/** What steps have told already, as quick entry begins with it. */
function taken(hand) {
  const { bids, ...facts } = factsOf(hand);
  const { bidder, bid } = hand.auction ?? {};
  return bidder ? { ...facts, bidder, bid } : facts;
}

function reason(code, kit, auction, names) {
  const bid = auction.bid ? bidName(kit, auction.bid) : "";
  const needs = /^bid_needs_(.+)/.exec(code)?.[1];
  if (needs) return _("Only over %(bid)s.", { bid: bidName(kit, needs) });
  const known = {
    bid_too_low: bid ? _("%(bid)s stands, and must be beaten.", { bid }) : _("Below the lowest bid of this table."),
    forced_bid: _("%(name)s must bid here.", { name: names[auction.turn] ?? "" }),
    auction_over: _("Nothing beats %(bid)s.", { bid }),
    own_bid: _("It is his own bid that stands."),
  };
  return known[code] ?? _("Not now.");
}

// Behind the bidding

function After({ view, session, choose, kit, hand, names }) {
  const { bidder, bid } = hand.auction;
  const facts = { bidder, bid, ...view.draft };
  const set = ({ bidder: who, bid: what, ...chosen }) => {
    const other = who !== bidder || what !== bid;
    choose(other ? { ...taken(hand), ...chosen, bidder: who, bid: what } : chosen, other ? "quick" : undefined);
  };
  const known = knows(kit);
  const row = kit.ladder.find((one) => one.id === bid);
  const late = hand.order.filter((player) => !hand.peeks.includes(player));
  const given = { kit, hand, names, facts, set };
  const asksTrumps = row?.trumps && (known.points || known.dirtyClubs); // before the ending, which is the last tap
  const mayTellTrumps = row?.trumps && !asksTrumps;
  const peeks = prices(kit).peek !== null;
  return html`<section class="panel-play" aria-label=${_("How it ended")}>
    <header class="ask"><h2 tabindex="-1"><${Who} id=${bidder} names=${names} most=${20} /></h2><p>${_("plays %(bid)s", { bid: bidName(kit, bid) })}</p></header>
    ${known.widow && bid === "nap" ? html`<${Pick} legend=${_("The widow")} loose value=${facts.took_widow}
      options=${[{ value: true, label: _("was taken") }]} set=${(took) => set(put(facts, { took_widow: took }))} />` : null}
    ${asksTrumps ? html`<${Trumps} ...${given} />` : null}
    <${Ending} ...${given} />
    ${peeks || mayTellTrumps ? html`<details class="more"><summary>${peeks ? _("Trumps, a late peek, the card") : _("Trumps")}</summary><div class="stack">
      ${mayTellTrumps ? html`<${Trumps} ...${given} />` : null}
      ${peeks ? html`
        <${Pick} legend=${_("Peeked as well")} options=${late.map((id) => ({ value: id, label: html`<${Who} id=${id} names=${names} />` }))}
          set=${(player) => session.send("Peek", { hand: hand.number, player })} />
        <${Pick} legend=${_("The peep card")} value=${hand.tookCard ?? undefined}
          options=${[{ value: true, label: _("was taken") }, { value: false, label: _("was left") }]}
          set=${(took) => session.send("TakePeepCard", { hand: hand.number, taken: took })} />` : null}
    </div></details>` : null}
    <footer class="ask-foot"><button type="button" class="plain" onClick=${() => choose(view.draft, "wrong")}>${_("Something went wrong")}</button></footer>
  </section>`;
}

function Wrong({ view, choose, kit, hand, names }) {
  const { bidder, bid } = hand.auction ?? {};
  const facts = bidder ? { bidder, bid, ...view.draft } : view.draft;
  const set = ({ bidder: who, bid: what, ...chosen }) => {
    const other = who !== bidder || what !== bid;
    if (other && who) choose({ ...taken(hand), ...chosen, bidder: who, bid: what }, "quick");
    else choose(chosen, "wrong");
  };
  return html`<section class="panel-play" aria-label=${_("Something went wrong")}>
    <header class="ask"><h2 tabindex="-1">${_("What went wrong?")}</h2></header>
    <${Irregularities} ...${{ kit, hand, names, facts, set }} />
    ${view.draft.revoke || view.draft.foul || view.draft.led_out_of_turn || view.draft.played_out_of_turn
      ? html`<${Ending} ...${{ kit, hand, names, facts, set }} />` : null}
    <footer class="ask-foot"><button type="button" class="plain" onClick=${() => choose(view.draft, undefined)}>${_("Back")}</button>
      <button type="button" class="plain" onClick=${() => choose({}, undefined)}>${_("Nothing went wrong")}</button></footer>
  </section>`;
}

// All at once

function Quick({ view, choose, kit, hand, names, session }) {
  const [leaving, leave] = useState(false);
  const facts = view.draft;
  const need = lacking(kit, facts);
  const answered = !facts.bidder ? 0 : !facts.bid ? 1 : 2;
  useLayoutEffect(() => { // what is asked next comes up by itself
    const asked = answered ? panel().querySelector(".handform").children[answered] : panel().querySelector(".ask");
    asked?.scrollIntoView({ block: answered ? "start" : "nearest" });
  }, [answered]);
  return html`<section class="panel-play quick" aria-label=${_("Quick entry")}>
    <header class="ask"><h2 tabindex="-1">${_("Quick entry: hand %(hand)s", { hand: number(hand.number) })}</h2></header>
    <${HandForm} ...${{ kit, hand, names, facts }} set=${(changed) => choose(changed, "quick")} />
    <div class="quick-end">
      ${need ? html`<p class="need" role="status">${need}</p>` : html`<${Amounts} ...${{ view, kit, facts, names }} />`}
      <${Book} ...${{ view, session, facts, blocked: need !== null || Boolean(settle(kit, facts).refused && settle(kit, facts).refused !== "unknown") }} />
    </div>
    <footer class="ask-foot">${leaving ? html`<button type="button" class="plain" onClick=${() => leave(false)}>${_("Stay")}</button>
      <button type="button" class="plain" onClick=${follow}>${_("Throw this away")}</button>`
      : html`<button type="button" class="plain" onClick=${() => (Object.keys(facts).length ? leave(true) : follow())}>${_("Follow the bidding")}</button>`}</footer>
  </section>`;

  function follow() {
    session.prefer({ quick: false });
    choose(null);
  }
}

// Who pays whom

function Booking({ view, choose, session, kit, facts, names, hand }) {
  const { bidder, bid } = { ...hand.auction, ...facts };
  const title = facts.misdeal ? _("Misdeal") : facts.passed_out ? _("Nobody bid") : null;
  return html`<section class="panel-play booking" aria-label=${_("Before it is booked")}>
    <header class="ask"><h2 tabindex="-1">${title ?? html`<${Who} id=${bidder} names=${names} most=${16} />: ${bidName(kit, bid)}`}</h2>
      <p>${[resultWord(settle(kit, facts)), told(facts)].filter(Boolean).join(", ")}</p></header>
    <${Amounts} ...${{ view, kit, facts, names }} />
    <footer class="book-foot">
      <button type="button" class="plain" onClick=${() => choose(unended(view.draft), undefined)}>${_("Change")}</button>
      <${Book} ...${{ view, session, facts }} />
    </footer>
  </section>`;
}

/** What else was said of a hand that is about to be booked, where it is not seen in what is paid. */
function told({ trumps, tricks }) {
  const words = [];
  if (tricks !== undefined) words.push(n_("%(num)d trick", "%(num)d tricks", tricks));
  if (trumps) words.push(trumps === "none" ? _("no trumps") : _("%(suit)s are trumps", { suit: suitName(trumps) }));
  return words.join(", ");
}

function Book({ view, session, facts, blocked = false }) {
  const busy = useRef(false);
  async function book() {
    if (busy.current) return; // the second of two quick taps is the same tap
    busy.current = true;
    try {
      await session.book(facts);
    } finally {
      busy.current = false;
    }
  }
  return html`<button type="button" class="book" disabled=${blocked} onClick=${book}>${_("Book hand %(hand)s", { hand: number(view.hand.number) })}</button>`;
}

/** Who pays whom, in words and numbers; worked out here, at once, network or not. */
function Amounts({ view, kit, facts, names }) {
  const settled = settle(kit, facts);
  if (settled.refused === "unknown") return html`<${Notice}>${_("What it comes to is worked out when it is booked.")}<//>`;
  if (settled.refused) return html`<${Notice} kind="bad">${refusalWords(settled)}<//>`;
  if (view.scores) return html`<${Points} ...${{ view, settled, kit }} />`;
  const entries = settled.entries.filter((one) => one.chips);
  const before = view.pool.chips; // as it is shown, with what was paid into it during this hand
  return html`<div class="amounts" tabindex="0" role="group" aria-label=${_("Who pays whom")}>
    ${entries.length ? html`<ul class="flows">${gathered(entries).map(({ from, to, chips: count, memos }) => html`<li key=${[...from, ...to]}>
      <span class="flow-who"><${Parties} ids=${from} names=${names} /> <span class="arrow" aria-label=${_("pays")}>→</span> <${Parties} ids=${to} names=${names} /></span>
      <strong>${from.length + to.length > 2 ? _("%(chips)s each", { chips: number(count) }) : number(count)}</strong><small>${memos.map((memo) => memoWords(view.night, memo)).join(", ")}</small></li>`)}</ul>` : html`<p>${_("Nobody pays anything.")}</p>`}
    <dl class="changes">${Object.entries(settled.changes).map(([player, count]) => html`<div key=${player}><dt><${Who} id=${player} names=${names} most=${14} /></dt>
      <dd class=${count < 0 ? "loss" : count > 0 ? "gain" : ""}>${chips(count)}</dd></div>`)}
      <div class="pool-line"><dt>${_("Pool")}</dt><dd>${number(before)}${settled.pool !== before ? ` → ${number(settled.pool)}` : ""}</dd></div></dl>
  </div>`;
}

function Points({ view, settled, kit }) {
  const before = kit.deal.game?.winner ? {} : view.scores; // behind a game that is won, another begins from nothing
  return html`<div class="amounts" tabindex="0" role="group" aria-label=${_("Who pays whom")}><dl class="changes">${Object.entries(settled.changes).map(([team, points]) => html`<div key=${team}><dt><bdi>${view.teamName(team)}</bdi></dt>
    <dd class=${points < 0 ? "loss" : points > 0 ? "gain" : ""}>${number(before[team] ?? 0)} ${chips(points)} = ${number((before[team] ?? 0) + points)}</dd></div>`)}</dl>
    ${settled.kit?.deal.game?.winner ? html`<p class="won">${_("%(team)s win the game.", { team: view.teamName(settled.kit.deal.game.winner) })}</p>` : null}
    ${settled.entries.filter((one) => one.from !== "score").map(({ from, to, chips: count }) => html`<p>${_("%(from)s pays %(to)s %(chips)s.", { from: view.names[from], to: view.names[to], chips: number(count) })}</p>`)}
  </div>`;
}

const Parties = ({ ids, names }) => ids.map((id, at) => [at ? ", " : "", id === "pool" ? _("pool") : html`<${Who} id=${id} names=${names} most=${14} />`]);

/** Payments between the same two as one line, and what several pay alike, or one pays to several, as one. */
function gathered(entries) {
  const found = new Map();
  for (const { from, to, chips: count, memo } of entries) {
    const key = `${from} ${to}`;
    const one = found.get(key) ?? { from, to, chips: 0, memos: [] };
    one.chips += count;
    if (!one.memos.includes(memo)) one.memos.push(memo);
    found.set(key, one);
  }
  const lines = [...found.values()].map((line) => ({ ...line, from: [line.from], to: [line.to] }));
  return alike(alike(lines, "from"), "to");
}

function alike(lines, side) {
  const found = new Map();
  for (const line of lines) {
    const key = JSON.stringify({ ...line, [side]: null });
    found.get(key)?.[side].push(...line[side]) ?? found.set(key, line);
  }
  return [...found.values()];
}

function refusalWords({ refused, field }) {
  const known = {
    facts_clash: _("These do not go together."),
    forced_bid: _("Somebody must bid here."),
    surrender_refused: _("It cannot be given up like that."),
    result_missing: _("How did it end?"),
    bid_too_low: _("That bid is below the lowest of this table."),
  };
  return known[refused] ?? _("It cannot be booked like that (%(what)s).", { what: field ?? refused });
}

// Nothing to ask

function Closed({ view, open }) {
  return html`<section class="panel-play"><header class="ask"><h2 tabindex="-1">${_("The night is closed")}</h2></header>
    ${view.night.receipt ? html`<p>${_("Receipt")}</p><p class="receipt">${view.night.receipt}</p>` : null}
    <div class="ask-foot"><button type="button" class="bid" onClick=${() => open("close")}>${_("Show the receipt")}</button>
    <a class="bid" href=${`/nights/${encodeURIComponent(view.night.night)}/settlement`}>${_("Who pays whom")}</a></div></section>`;
}

function Seatless({ view, open }) {
  const [least] = view.night.deal.table.players;
  return html`<section class="panel-play"><header class="ask"><h2 tabindex="-1">${_("Who plays?")}</h2>
    <p>${n_("A hand needs %(num)d player.", "A hand needs %(num)d players.", least)}</p></header>
    <button type="button" class="bid" onClick=${() => open("seats")}>${_("Seats")}</button></section>`;
}
