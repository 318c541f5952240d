// Suits, told by shape and by colour, and a bid on a card.

import { html } from "./html.mjs";
import { _ } from "./words.mjs";

const SHAPES = {
  spades: "M12 2C9 7 3 10 3 15a4.5 4.5 0 0 0 8 2.8C10.8 20 10 21.2 8 22h8c-2-.8-2.8-2-3-4.2A4.5 4.5 0 0 0 21 15c0-5-6-8-9-13Z",
  hearts: "M12 21.5C8 17 2.5 13 2.5 8A5 5 0 0 1 12 5.8 5 5 0 0 1 21.5 8c0 5-5.5 9-9.5 13.5Z",
  diamonds: "M12 1.5 20 12l-8 10.5L4 12Z",
  clubs: "M12 2a4.6 4.6 0 0 0-3.7 7.3A4.6 4.6 0 1 0 11 16.3c0 2.7-.9 4.7-3 5.7h8c-2.1-1-3-3-3-5.7a4.6 4.6 0 1 0 2.7-7A4.6 4.6 0 0 0 12 2Z",
};

/** What a suit is called. */
export function suitName(suit) {
  return { spades: _("spades"), hearts: _("hearts"), diamonds: _("diamonds"), clubs: _("clubs"), none: _("no trumps") }[suit];
}

/** A suit as a picture. */
export function Suit({ of }) {
  if (!(of in SHAPES)) return null;
  return html`<svg class="suit ${of}" viewBox="0 0 24 24" role="img" aria-label=${suitName(of)}><path d=${SHAPES[of]} /></svg>`;
}

/** A bid by name, as a playing card: with its suit, where trumps are known. */
export function BidCard({ bid, trumps }) {
  return html`<span class="bid-card"><bdi>${bid}</bdi>${trumps === "none"
    ? html`<small>${suitName("none")}</small>`
    : html`<${Suit} of=${trumps} />`}</span>`;
}
