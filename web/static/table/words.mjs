// What the screens of the table say: words in the language of the page, names, chips, money, times.

const root = globalThis.document?.documentElement;

/** The language of the page, as browsers name it. */
export const language = root?.lang || "en";

/** How numbers and days are written: as the reader's own settings say, where they are of the page's language. */
const manner = globalThis.navigator?.languages?.find((one) => one.split("-")[0] === language.split("-")[0]) ?? language;

/** The club's time zone, where the page says it: a wall shows the time of the room, not of its own settings. */
const zone = globalThis.document?.body?.dataset.zone || undefined;

const catalogue = read();

const plurals = new Intl.PluralRules(language);

/** Words in the page's language; `%(name)s` in them is filled in from `values`. */
export function _(words, values) {
  const said = catalogue[words];
  return fill(typeof said === "string" && said ? said : words, values);
}

/** Words for one or many, as the page's language counts; `%(num)d` is the number. */
export function n_(one, many, num, values) {
  const said = catalogue[one]?.[plurals.select(num)];
  return fill(said || (num === 1 ? one : many), { num: number(num), ...values });
}

/** A name of at most so many graphemes: what a reader calls letters is never cut in two. */
export function name(text, most = 18) {
  if (text.length <= most) return text;
  const letters = typeof Intl.Segmenter === "function"
    ? [...new Intl.Segmenter(language, { granularity: "grapheme" }).segment(text)].map((one) => one.segment)
    : [...text];
  return letters.length <= most ? text : `${letters.slice(0, most - 1).join("").trimEnd()}…`;
}

const wholes = new Intl.NumberFormat(manner, { maximumFractionDigits: 0 });

/** A number without a sign of its own but a minus: 12, −3. */
export function number(count) {
  return (count < 0 ? "\u2212" : "") + wholes.format(Math.abs(count));
}

const short = new Intl.NumberFormat(manner, { notation: "compact", maximumFractionDigits: 1 });

/** Chips with their sign, in few letters where there are many: +1.5M. */
export function brief(count) {
  if (Math.abs(count) < 100_000) return chips(count);
  return (count > 0 ? "+" : "\u2212") + short.format(Math.abs(count));
}

/** A name inside a sentence, in whichever direction it is read; in elements `bdi` does this. */
export function within(text) {
  return `\u2068${text}\u2069`;
}

/** Chips that somebody gains or loses: +5, −3, 0. */
export function chips(count) {
  return (count > 0 ? "+" : "") + number(count);
}

/** An amount in a currency's smallest coins; `money` is that of a night: {currency, exponent}. */
export function money(minor, { currency, exponent = 2 }) {
  const amount = Math.abs(minor) / 10 ** exponent;
  const options = { style: "currency", currency, minimumFractionDigits: exponent, maximumFractionDigits: exponent };
  return (minor < 0 ? "\u2212" : "") + new Intl.NumberFormat(manner, options).format(amount);
}

const spans = new Intl.RelativeTimeFormat(manner, { numeric: "auto" });

/** How long ago something was: now, 40 seconds ago, 3 minutes ago. */
export function ago(ms) {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 90) return spans.format(-seconds, "second");
  if (seconds < 90 * 60) return spans.format(-Math.round(seconds / 60), "minute");
  if (seconds < 36 * 3600) return spans.format(-Math.round(seconds / 3600), "hour");
  return spans.format(-Math.round(seconds / 86400), "day");
}

/** The time of day of a moment: 21:04. */
export function clock(moment) {
  return new Intl.DateTimeFormat(manner, { hour: "2-digit", minute: "2-digit", timeZone: zone }).format(moment);
}

/** A day of the book, such as 2026-11-26, as people read it. */
export function day(iso) {
  const options = { weekday: "long", day: "numeric", month: "long", timeZone: "UTC" };
  return new Intl.DateTimeFormat(manner, options).format(new Date(`${iso}T00:00:00Z`));
}

/** Several, any of which will do: Nap, Wellington or Blücher. */
export function anyOf(words) {
  return typeof Intl.ListFormat === "function" ? new Intl.ListFormat(manner, { type: "disjunction" }).format(words) : words.join(", ");
}

/** What something is called in the page's language, of titles by language. */
export function title(titles, otherwise = "") {
  return titles?.[language] ?? titles?.[language.split("-")[0]] ?? titles?.en ?? otherwise;
}

function fill(text, values = {}) {
  return text.replace(/%\((\w+)\)[sd]/g, (all, key) => (key in values ? String(values[key]) : all)).replaceAll("%%", "%");
}

function read() {
  const kept = globalThis.document?.getElementById("words");
  return kept ? JSON.parse(kept.textContent) : {};
}
