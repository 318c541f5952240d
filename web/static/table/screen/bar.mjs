// The bar above everything: where one is, the pool, how true what is shown is, and the way back.

import { html, useEffect, useState } from "../html.mjs";
import { _, clock, n_, number } from "../words.mjs";

const STALE = 12_000; // silence after which nothing is called live
const SLOW = 3_000; // a tap that is not answered by then is said to be here alone

export function Bar({ view, session, open }) {
  const { night } = view;
  return html`<header class="bar">
    <div class="bar-where">
      <a class="bar-home" href=${`/nights/${encodeURIComponent(night.night)}`} aria-label=${_("To the night's page")}>
        <svg viewBox="0 0 24 24" aria-hidden="true"><path d="M14.5 4.5 7 12l7.5 7.5" fill="none" stroke="currentColor" stroke-width="2.5" stroke-linecap="round" stroke-linejoin="round" /></svg></a>
      <div><h1 class="bar-name" dir="auto">${view.title}</h1>
        <span class="bar-hand">${night.state === "open" ? _("Hand %(hand)s", { hand: number(view.hand.number) }) : _("Closed")}</span></div>
    </div>
    ${view.scores ? html`<div class="bar-pool" dir="ltr"><span class="only-read">${_("Scores")} </span>${Object.values(view.scores).map(number).join(" : ")}</div>` : view.pooled && html`<div class="bar-pool"><span class="only-read">${_("Pool")} </span>
      <svg viewBox="0 0 32 32" aria-hidden="true"><circle cx="16" cy="16" r="12.5" fill="none" stroke="currentColor" stroke-width="5" stroke-dasharray="7.85 5.24" /><circle cx="16" cy="16" r="8" fill="none" stroke="currentColor" stroke-width="2" /></svg>
      <span>${number(view.pool.chips)}</span></div>`}
    <${Light} view=${view} open=${() => open("unsent")} />
    <nav class="bar-ways" aria-label=${_("The night")}>
      <${Undo} view=${view} session=${session} open=${open} />
      <button type="button" class="bar-button" onClick=${() => open("hands")}><span>${_("Hands")}</span>${night.disputed.length
        ? html` <span class="bar-small warn">${n_("%(num)d disputed", "%(num)d disputed", night.disputed.length)}</span>` : null}</button>
      <button type="button" class="bar-button" onClick=${() => open("menu")}>${_("Menu")}</button>
    </nav>
  </header>`;
}

/** Undo says what it will undo; past the last hand it asks once, and shows the amounts. */
function Undo({ view, open, session }) {
  const { undo } = view;
  const label = undoLabel(view);
  const [busy, setBusy] = useState(false);

  async function tap() {
    if (!undo || busy) return;
    if (undo.kind !== "draft" && !view.hand.begun) return open("undo");
    setBusy(true);
    try {
      await session.undo();
    } finally {
      setBusy(false);
    }
  }

  // It is never disabled: whoever is at it by keyboard would lose his place.
  return html`<button type="button" class="bar-button undo" aria-disabled=${!undo || busy ? "true" : undefined} aria-busy=${busy ? "true" : undefined}
    onClick=${tap}><span>${_("Undo:")}</span>${" "}<span class="bar-small" dir="auto">${label ?? _("nothing")}</span></button>`;
}

export function undoLabel({ undo, told }) {
  if (!undo) return null;
  if (undo.kind === "draft") return _("what is chosen");
  return undo.label ?? told(undo.row);
}

/** A light that says the truth: live, or how old what is shown is, and what is on this device alone. */
function Light({ view, open }) {
  const { contact, waiting, refused } = view;
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((count) => count + 1), 2000);
    return () => clearInterval(timer);
  }, []);
  const live = contact.ok && !contact.blocked && Date.now() - contact.seenAt < (contact.live ? STALE * 2 : STALE);
  const unsent = waiting.filter((row) => row.type === "RecordHand" || row.type === "DeclareMisdeal").length;
  const words = [];
  if (contact.blocked || contact.status === 401) words.push(_("sign in again"));
  else if (live) words.push(_("live"));
  else if (contact.seenAt) words.push(_("as of %(time)s, hand %(hand)s", { time: clock(contact.seenAt), hand: view.night.hands_played }));
  else words.push(_("connecting"));
  const late = refused.filter((row) => row.status === "late").length;
  const away = !live || contact.stuck || waiting.some((row) => Date.now() - Date.parse(row.at) > SLOW);
  if (away && unsent) words.push(n_("%(num)d hand is only on this tablet", "%(num)d hands are only on this tablet", unsent));
  else if (away && waiting.length) words.push(n_("%(num)d tap waits", "%(num)d taps wait", waiting.length));
  if (refused.length > late) words.push(n_("%(num)d was not taken", "%(num)d were not taken", refused.length - late));
  if (late) words.push(n_("%(num)d is kept for the treasurer", "%(num)d are kept for the treasurer", late));
  return html`<button type="button" class=${`light ${live ? "on" : "off"}${refused.length ? " bad" : ""}`} onClick=${open}>
    <span class="lamp" aria-hidden="true"></span><span class="light-words">${words.join(" · ")}</span></button>`;
}

const RECENT = 600_000;

/** Who else holds the table: the device of the newest hand, if it is not this one and was heard of lately. */
function alsoHere({ last, night }) {
  const newest = last.findLast((row) => row.device);
  const { me } = document.body.dataset;
  const lately = newest && night.state === "open" && Date.now() - Date.parse(newest.recorded_at) < RECENT;
  return lately && newest.device !== me ? newest.device : null;
}
