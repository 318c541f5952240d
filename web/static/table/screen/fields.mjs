// What sheets are filled in with: large choices, amounts with steps, words, and names that fit.

import { html, useId, useState } from "../html.mjs";
import { _, name as shortened, number, title, within } from "../words.mjs";

/** A name at its own direction; what was cut off is still there to be read. */
export function Who({ id, names, most = 28 }) {
  const whole = names[id] ?? id;
  const short = shortened(whole, most);
  return html`<bdi title=${short === whole ? undefined : whole}>${short}</bdi>`;
}

/** What a side or a player is called: `ann+cal` are two. */
export function Side({ id, names, most }) {
  return id.split("+").map((one, at) => [at ? " + " : "", html`<${Who} id=${one} names=${names} most=${most} />`]);
}

/** A name as plain text, for sentences. */
export const called = (names, id, most = 28) => within(shortened(names[id] ?? id, most));

/** Names of several, as the language joins them. */
export function joined(words) {
  const lang = document.documentElement.lang || "en";
  return new Intl.ListFormat(lang, { type: "conjunction" }).format(words);
}

/** What a bid is called. */
export const bidName = (kit, bid) => title(kit.ladder.find((one) => one.id === bid)?.title, bid.replaceAll("_", " "));

/** Those who may be chosen, with their names. */
export const people = (ids, names) => ids.map((id) => ({ value: id, label: html`<${Who} id=${id} names=${names} />` }));

/**
 * Large buttons of which one is chosen, or with `many` several. An option is `{value, label, note, why}`; one with
 * `why` cannot be had, and says so when it is tapped. With `loose` a second tap takes the choice back.
 */
export function Pick({ legend, hint, options, value, set, many = false, loose = false, layout = "grid" }) {
  const [why, setWhy] = useState(null);
  const id = useId();
  const has = (one) => (many ? (value ?? []).includes(one.value) : value === one.value);

  function tap(one) {
    setWhy(one.why ?? null);
    if (one.why) return;
    if (many) set(has(one) ? value.filter((kept) => kept !== one.value) : [...(value ?? []), one.value]);
    else if (!has(one)) set(one.value);
    else if (loose) set(undefined);
  }

  return html`<fieldset class="pick">
    ${legend ? html`<legend>${legend}${hint ? html` <span class="hint">${hint}</span>` : null}</legend>` : null}
    <div class=${layout}>${options.map((one) => html`<button type="button" key=${one.value}
      class=${`choice ${one.look ?? ""}`} aria-pressed=${String(has(one))} aria-label=${one.says}
      aria-disabled=${one.why ? "true" : undefined} aria-describedby=${one.why && why === one.why ? id : undefined}
      onClick=${() => tap(one)}><span class="choice-name">${one.label}</span>
      ${one.note ? html`<span class="choice-note">${one.note}</span>` : null}</button>`)}</div>
    <p class="why" id=${id} role="status">${why}</p>
  </fieldset>`;
}

/** A switch: on or off, in words. */
export function Switch({ label, hint, value, set, why }) {
  return html`<button type="button" class="switch" role="switch" aria-checked=${String(Boolean(value))}
    disabled=${Boolean(why)} onClick=${() => set(!value)}>
    <span>${label}${hint || why ? html`<span class="hint">${why ?? hint}</span>` : null}</span>
    <span class="slide" aria-hidden="true"></span>
  </button>`;
}

/** A whole number, typed or stepped; `value` is null while nothing stands there. */
export function Amount({ label, hint, value, set, least = 0, step = 1, wrong, short = false }) {
  const id = useId();
  const [text, setText] = useState(null);
  const shown = text !== null && read(text) === value ? text : value === null || value === undefined ? "" : String(value);

  function typed(event) {
    setText(event.target.value);
    set(read(event.target.value));
  }

  function by(change) {
    setText(null);
    set(Math.max(least, (value ?? 0) + change));
  }

  return html`<div class=${short ? "amount-field short" : "amount-field"}>
    <label for=${id} dir="auto">${label}</label>
    <div class="stepper">
      <button type="button" class="nudge" aria-label=${_("%(steps)s less", { steps: number(step) })}
        onClick=${() => by(-step)}>−</button>
      <input id=${id} inputmode=${least < 0 ? "text" : "numeric"} autocomplete="off" value=${shown} onInput=${typed}
        aria-invalid=${wrong ? "true" : undefined} aria-describedby=${hint || wrong ? `${id}-hint` : undefined} />
      <button type="button" class="nudge" aria-label=${_("%(steps)s more", { steps: number(step) })}
        onClick=${() => by(step)}>+</button>
    </div>
    ${hint || wrong ? html`<p class=${wrong ? "error" : "hint"} id=${`${id}-hint`}>${wrong ?? hint}</p>` : null}
  </div>`;
}

/** What a typed number is, a minus of any kind before it; undefined where it is none, null where nothing was typed. */
export function read(text) {
  const plain = text.replace(/[\s\u00a0\u202f'’]/g, "").replace(/^[\u2212\u2013]/, "-");
  if (!plain) return null;
  return /^-?\d{1,10}$/.test(plain) ? Number(plain) : undefined;
}

/** Money as people type it, in smallest coins: 1.50 and 1,50 are 150; undefined where it is none. */
export function coins(text, exponent) {
  const plain = text.replace(/[\s\u00a0\u202f'’]/g, "").replace(",", ".");
  if (!plain) return null;
  if (!/^\d{1,9}(\.\d*)?$/.test(plain)) return undefined;
  const [whole, rest = ""] = plain.split(".");
  return rest.length > exponent ? undefined : Number(whole + rest.padEnd(exponent, "0"));
}

/** Words, in a line or in several. */
export function Words({ label, hint, value, set, area = false, most = 2000, wrong, mode }) {
  const id = useId();
  const told = hint || wrong ? `${id}-hint` : undefined;
  const given = { id, value: value ?? "", maxlength: most, autocomplete: "off", dir: "auto", inputmode: mode,
    onInput: (event) => set(event.target.value), "aria-describedby": told, "aria-invalid": wrong ? "true" : undefined };
  return html`<div class="field">
    <label for=${id}>${label}</label>
    ${area ? html`<textarea rows="2" ...${given}></textarea>` : html`<input type="text" ...${given} />`}
    ${told ? html`<p class=${wrong ? "error" : "hint"} id=${told}>${wrong ?? hint}</p>` : null}
  </div>`;
}

/** One of many, where buttons would be too many. */
export function Select({ label, options, value, set, hint, wrong }) {
  const id = useId();
  const told = hint || wrong ? `${id}-hint` : undefined;
  return html`<div class="field">
    <label for=${id}>${label}</label>
    <select id=${id} value=${value} aria-describedby=${told} aria-invalid=${wrong ? "true" : undefined} onChange=${(event) => set(event.target.value)}>
      ${options.map(([key, words]) => html`<option value=${key} selected=${key === value}>${words}</option>`)}
    </select>
    ${told ? html`<p class=${wrong ? "error" : "hint"} id=${told}>${wrong ?? hint}</p>` : null}
  </div>`;
}

/** What is wrong, or to be minded. */
export function Notice({ kind = "warn", children }) {
  return html`<div class=${`notice ${kind}`} role=${kind === "bad" ? "alert" : undefined}>
    <svg viewBox="0 0 24 24" aria-hidden="true">${MARKS[kind]}</svg><div>${children}</div></div>`;
}

const MARKS = {
  warn: html`<path d="M12 3 22 21H2Z" fill="none" stroke="currentColor" stroke-width="2" stroke-linejoin="round" /><path d="M12 10v5M12 17.2v1.6" stroke="currentColor" stroke-width="2" />`,
  bad: html`<path d="M8 2h8l6 6v8l-6 6H8l-6-6V8Z" fill="none" stroke="currentColor" stroke-width="2" /><path d="m8.5 8.5 7 7m0-7-7 7" stroke="currentColor" stroke-width="2" />`,
  good: html`<circle cx="12" cy="12" r="10" fill="none" stroke="currentColor" stroke-width="2" /><path d="m7 12 4 4 6-8" fill="none" stroke="currentColor" stroke-width="2" />`,
};

/** The one button that does what a sheet is for. */
export function Do({ children, busy = false, look = "", act, why }) {
  return html`<button type="button" class=${`button ${look}`} aria-busy=${busy ? "true" : undefined}
    disabled=${busy || Boolean(why)} title=${why || undefined} onClick=${act}>${children}</button>`;
}

/** Chips that somebody gains or loses; the sign is there without the colour. */
export function Change({ of, words }) {
  return html`<span class=${`amount ${of > 0 ? "gain" : of < 0 ? "loss" : ""}`}>${words ?? signed(of)}</span>`;
}

const signed = (count) => (count > 0 ? "+" : "") + number(count);

const SUITS = {
  clubs: "M12 2a4.6 4.6 0 0 0-3.7 7.3A4.6 4.6 0 1 0 11 16.3c0 2.7-.9 4.7-3 5.7h8c-2.1-1-3-3-3-5.7a4.6 4.6 0 1 0 2.7-7A4.6 4.6 0 0 0 12 2Z",
  diamonds: "M12 1.5 20 12l-8 10.5L4 12Z",
  hearts: "M12 21.5C8 17 2.5 13 2.5 8A5 5 0 0 1 12 5.8 5 5 0 0 1 21.5 8c0 5-5.5 9-9.5 13.5Z",
  spades: "M12 2C9 7 3 10 3 15a4.5 4.5 0 0 0 8 2.8C10.8 20 10 21.2 8 22h8c-2-.8-2.8-2-3-4.2A4.5 4.5 0 0 0 21 15c0-5-6-8-9-13Z",
};

/** A suit, told by its shape as well as by its colour. */
export function Suit({ suit }) {
  return html`<svg class=${`suit ${suit}`} viewBox="0 0 24 24" aria-hidden="true"><path d=${SUITS[suit]} /></svg>`;
}

export const suitName = (suit) =>
  ({ clubs: _("Clubs"), diamonds: _("Diamonds"), hearts: _("Hearts"), spades: _("Spades"), none: _("No trumps") })[suit];
