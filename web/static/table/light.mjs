// The light that tells whether what is shown is so now, or how old it is.

import { html, useEffect, useState } from "./html.mjs";
import { _, ago, clock } from "./words.mjs";

const STALE = 45_000; // three looks: a machine that slept has seen nothing, and thinks it is well

/** The time, again and again: every so many milliseconds. */
export function useNow(every) {
  const [now, set] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => set(Date.now()), every);
    return () => clearInterval(timer);
  }, [every]);
  return Math.max(now, Date.now() - every);
}

/**
 * How it stands with the server: `kind` is "waiting", "live", "fresh" (looked at, without hints), "old", or "out".
 * `contact` is what `follow` tells, with `good`: when the server last answered.
 */
export function standing(contact, now = Date.now()) {
  if (!contact) return { kind: "waiting" };
  if (contact.status === 401 || contact.status === 403) return { kind: "out", since: contact.good };
  if (!contact.ok || now - contact.good > STALE) return { kind: "old", since: contact.good };
  return { kind: contact.live ? "live" : "fresh", since: contact.good };
}

/** A dot that is full and says *live*, or a triangle that says since when nothing was heard. */
export function Light({ contact }) {
  const now = useNow(1000);
  const { kind, since } = standing(contact, now);
  const words = {
    waiting: _("looking…"),
    live: _("live"),
    fresh: _("up to date"),
    old: since ? _("as of %(time)s", { time: clock(since) }) : _("no contact"),
    out: _("not let in"),
  }[kind];
  return html`<p class="light ${kind}" role="status"><${Dot} kind=${kind} /><span>${words}</span></p>`;
}

/** What must not be overlooked: that this is old, how old, and what is done about it. */
export function Stale({ contact, children }) {
  const now = useNow(1000);
  const { kind, since } = standing(contact, now);
  if (kind === "out") {
    return html`<div class="stale" role="alert"><${Dot} kind="old" />
      <p><strong>${_("This device is not let in any more.")}</strong> ${children} <a href="/pair">${_("Pair it again")}</a></p>
    </div>`;
  }
  if (kind !== "old") return null;
  return html`<div class="stale" role="alert"><${Dot} kind="old" />
    <p><strong>${since ? _("No contact since %(time)s.", { time: clock(since) }) : _("No contact with the club's server.")}</strong>
    ${" "}${children} ${since && html`<span class="age" aria-hidden="true">${ago(now - since)}</span>`}</p>
  </div>`;
}

function Dot({ kind }) {
  const shape = kind === "old" || kind === "out"
    ? html`<path d="M12 2.5 22.5 21h-21Z" /><path class="mark" d="M12 9v6M12 18v.1" />`
    : kind === "waiting"
      ? html`<circle class="ring" cx="12" cy="12" r="8" />`
      : html`<circle cx="12" cy="12" r="8" />`;
  return html`<svg class="dot" viewBox="0 0 24 24" aria-hidden="true">${shape}</svg>`;
}
