// One seat: what its player does besides speaking in turn, and why his number is what it is.

import { prices } from "../engine/hand.mjs";
import { html } from "../html.mjs";
import { _, chips, n_, number } from "../words.mjs";
import { Lines } from "./story.mjs";
import { Pick } from "./fields.mjs";
import { Sheet } from "./sheet.mjs";

export function SeatSheet({ view, session, close, player, open }) {
  const { hand, kit } = view;
  const person = view.players.find((one) => one.id === player);
  if (!person) return null;
  const rates = kit ? prices(kit) : {};
  const inHand = hand.order.includes(player);
  const openNight = view.night.state === "open" && view.may("scorekeeper");
  const done = (promise) => (close(), promise);
  const mayPeek = openNight && inHand && rates.peek !== null && rates.peek !== undefined && !hand.peeks.includes(player);
  const mayBuy = openNight && inHand && rates.buy && !(player in hand.bought);
  return html`<${Sheet} title=${person.name} close=${close}>
    <p class="figure"><span class=${person.balance < 0 ? "loss" : "gain"}>${chips(person.balance)}</span>${person.stack !== person.balance ? html` <small>${_("has %(chips)s", { chips: number(person.stack) })}</small>` : null}</p>
    ${mayBuy ? html`<${Pick} legend=${_("Buys cards")} options=${Array.from({ length: rates.buy.most }, (_none, at) => ({ value: at + 1, label: number(at + 1) }))}
      set=${(cards) => done(session.send("BuyCards", { hand: hand.number, player, cards }))} />` : null}
    ${openNight ? html`<div class="grid">
      ${mayPeek ? html`<button type="button" class="choice" onClick=${() => done(session.send("Peek", { hand: hand.number, player }))}><span class="choice-name">${_("Peeks")}</span><span class="choice-note">${n_("%(num)d chip", "%(num)d chips", rates.peek)}</span></button>` : null}
      <button type="button" class="choice other" onClick=${() => session.prefer({ bottom: player })}>${_("Show at the bottom")}</button>
      ${!hand.begun && hand.dealer !== player && person.seated ? html`<button type="button" class="choice other" onClick=${() => done(session.send("SetDealer", { player }))}>${_("Deals next")}</button>` : null}
      <button type="button" class="choice other" onClick=${() => open("chips", { player })}>${_("Buys or gives chips")}</button>
      ${person.seated ? html`<button type="button" class="choice other" onClick=${() => done(session.send("UnseatPlayer", { player }))}>${_("Leaves the table")}</button>` : null}
    </div>` : null}
    <h3>${_("Why this number?")}</h3>
    <${Lines} ...${{ view, session }} account=${player} />
  <//>`;
}
