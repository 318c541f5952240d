// The evening as lines: who stood how after every hand. Readable without colour: every line has its own dashes, its own
// mark, and its name at the end; a table beside it says the same.

import { html, useLayoutEffect, useRef, useState } from "./html.mjs";
import { partyName } from "./told.mjs";
import { _, brief, chips, name, number, within } from "./words.mjs";

const DASHES = ["", "10 5", "2 5", "12 4 2 4", "6 3", "16 6", "2 3 8 3", "4 8", "14 3 2 3 2 3", "1 3"];
const MARKS = [
  (r) => html`<circle r=${r} />`,
  (r) => html`<rect x=${-r} y=${-r} width=${2 * r} height=${2 * r} />`,
  (r) => html`<path d=${`M0 ${-1.25 * r} ${1.15 * r} ${r * 0.85}H${-1.15 * r}Z`} />`,
  (r) => html`<path d=${`M0 ${-1.35 * r} ${1.35 * r} 0 0 ${1.35 * r} ${-1.35 * r} 0Z`} />`,
  (r) => html`<path d=${`M0 ${1.25 * r} ${1.15 * r} ${-r * 0.85}H${-1.15 * r}Z`} />`,
  (r) => html`<path class="cross" d=${`M${-r} ${-r} ${r} ${r}M${r} ${-r} ${-r} ${r}`} />`,
  (r) => html`<circle class="open" r=${r} />`,
  (r) => html`<rect class="open" x=${-r} y=${-r} width=${2 * r} height=${2 * r} />`,
  (r) => html`<path class="cross" d=${`M0 ${-1.3 * r}V${1.3 * r}M${-1.3 * r} 0H${1.3 * r}`} />`,
  (r) => html`<path class="open" d=${`M0 ${-1.35 * r} ${1.35 * r} 0 0 ${1.35 * r} ${-1.35 * r} 0Z`} />`,
];

/**
 * What a chart shows: `{steps: [label], lines: [{id, name, values}]}`, from nothing on. Chips by player; in Pepper the
 * scores of the teams in their running game. What moved outside hands (a count, a pool shared out) is the last step.
 */
export function evening(state, hands, names) {
  const counted = hands.filter((hand) => hand.status === "settled");
  return state.teams ? game(state, counted, names) : balances(state, counted, names);
}

function balances(state, hands, names) {
  const lines = state.players.map(({ id }) => ({ id, name: names[id], values: running(hands, id) }));
  const steps = ["0", ...hands.map((hand) => number(hand.hand))];
  const now = Object.fromEntries(state.players.map((player) => [player.id, player.balance]));
  if (lines.some(({ id, values }) => values.at(-1) !== now[id])) {
    for (const { id, values } of lines) values.push(now[id]);
    steps.push(_("now"));
  }
  return { steps, lines };
}

function game(state, hands, names) {
  const from = state.games?.at(-1)?.last_hand ?? 0;
  const teams = Object.keys(state.scores ?? {});
  const played = hands.filter((hand) => hand.hand > from);
  const shown = played.length ? played : hands.filter((hand) => hand.hand > (state.games?.at(-2)?.last_hand ?? 0));
  const lines = teams.map((id) => ({ id, name: partyName(id, names), values: running(shown, id) }));
  return { steps: ["0", ...shown.map((hand) => number(hand.hand))], lines };
}

function running(hands, id) {
  let sum = 0;
  return [0, ...hands.map((hand) => (sum += hand.changes[id] ?? 0))];
}

/** The chart, and its table: hidden from eyes, or under a line to tap where `open` is given. */
export function Chart({ shown, caption, most = 14, tap = false }) {
  const frame = useRef(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const watch = new ResizeObserver(([{ contentRect }]) =>
      setSize({ width: Math.floor(contentRect.width), height: Math.floor(contentRect.height) }));
    watch.observe(frame.current);
    return () => watch.disconnect();
  }, []);
  return html`<figure class="chart">
    <div class="chart-frame" ref=${frame}>
      ${size.width > 120 && size.height > 60 && html`<${Drawing} ...${size} shown=${shown} caption=${caption} most=${most} />`}
    </div>
    ${tap
      ? html`<details><summary>${_("The chart as a table")}</summary><${Numbers} shown=${shown} caption=${caption} /></details>`
      : html`<div class="unseen"><${Numbers} shown=${shown} caption=${caption} unseen /></div>`}
  </figure>`;
}

function Drawing({ shown, caption, width, height, most }) {
  const { steps, lines } = shown;
  const letters = Math.max(11, Math.min(26, height / 15, width / 34, height / (lines.length * 1.25 + 1)));
  const all = lines.flatMap((line) => line.values);
  const ticks = scale(Math.min(0, ...all), Math.max(0, ...all), Math.max(2, Math.floor(height / letters / 3)));
  const ends = lines.map((line, index) => ({ ...line, index, end: line.values.at(-1) ?? 0 }));
  const said = ends.map((line) => `${within(name(line.name, most))} ${brief(line.end)}`);
  const right = Math.min(width * 0.45, Math.max(...said.map((text) => text.length), 4) * letters * 0.56 + letters * 1.6);
  const left = Math.max(...ticks.map((tick) => brief(tick).length)) * letters * 0.66 + 8;
  const [top, bottom] = [letters * 0.8, letters * 1.7];
  const [low, high] = [ticks[0], ticks.at(-1)];
  const x = (step) => left + ((width - left - right) * step) / Math.max(1, steps.length - 1);
  const y = (value) => top + ((height - top - bottom) * (high - value)) / Math.max(1, high - low);
  const every = Math.max(1, Math.ceil(steps.length / Math.max(2, Math.floor((width - left - right) / (letters * 3)))));
  const marked = Math.max(1, Math.ceil(steps.length / 12));
  const r = Math.max(3, letters * 0.26);
  const places = apart(ends.map((line) => y(line.end)), letters * 1.15, top * 0.6, height - letters * 0.7);
  return html`<svg width=${width} height=${height} role="img" aria-label=${_("%(chart)s: a table of it follows.", { chart: caption })}
      style=${{ fontSize: `${letters}px`, "--stroke": `${Math.max(2, letters * 0.15)}px` }}>
    ${ticks.map((tick) => html`<g class=${tick ? "grid" : "grid zero"}>
      <line x1=${left} x2=${width - right} y1=${y(tick)} y2=${y(tick)} />
      <text x=${left - 6} y=${y(tick)} text-anchor="end" dominant-baseline="central">${brief(tick)}</text></g>`)}
    ${steps.map((step, at) => at > 0 && (at % every === 0 || at === steps.length - 1 && at % every > every / 2) && html`
      <text class="step" x=${x(at)} y=${height - letters * 0.45} text-anchor="middle">${step}</text>`)}
    ${ends.map(({ id, index, values, end }, at) => html`<g key=${id} class=${`line tone-${index % 10}`}>
      <polyline points=${values.map((value, step) => `${x(step)},${y(value)}`).join(" ")} stroke-dasharray=${DASHES[index % 10]} />
      ${values.map((value, step) => step > 0 && (step === values.length - 1 || step % marked === (index % marked)) && html`
        <g class="mark" transform=${`translate(${x(step)} ${y(value)})`}>${MARKS[index % 10](r)}</g>`)}
      <path class="lead" d=${`M${x(values.length - 1) + r + 1} ${y(end)}L${width - right + letters * 0.9} ${places[at]}`} />
      <g class="mark" transform=${`translate(${width - right + letters * 1.1} ${places[at]})`}>${MARKS[index % 10](r)}</g>
      <text class="end" x=${width - right + letters * 1.6} y=${places[at]} dominant-baseline="central">${said[at]}</text>
    </g>`)}
  </svg>`;
}

function Numbers({ shown: { steps, lines }, caption, unseen = false }) {
  const around = unseen ? {} : { class: "table", role: "group", tabindex: 0, "aria-label": caption };
  return html`<div ...${around}><table>
    <caption>${caption}</caption>
    <thead><tr><th scope="col">${_("After hand")}</th>${lines.map((line) => html`<th scope="col" class="num"><bdi>${line.name}</bdi></th>`)}</tr></thead>
    <tbody>${steps.slice(1).map((step, at) => html`<tr><th scope="row">${step}</th>${lines.map((line) => html`
      <td class="num">${chips(line.values[at + 1])}</td>`)}</tr>`)}</tbody>
  </table></div>`;
}

/** Round numbers from below the lowest to above the highest value. */
function scale(low, high, most) {
  const span = Math.max(4, high - low);
  const rough = span / most;
  const ten = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, [1, 2, 5, 10].map((one) => one * ten).find((one) => one >= rough));
  const ticks = [];
  for (let tick = Math.floor(low / step) * step; ; tick += step) {
    ticks.push(tick);
    if (tick >= high && ticks.length > 1) return ticks;
  }
}

/** Places for labels near where they belong, none over another. */
function apart(wanted, gap, top, bottom) {
  const order = wanted.map((_place, at) => at).sort((one, other) => wanted[one] - wanted[other]);
  const places = [...wanted];
  let least = top;
  for (const at of order) least = (places[at] = Math.max(wanted[at], least)) + gap;
  let most = bottom;
  for (const at of order.toReversed()) most = (places[at] = Math.min(places[at], most)) - gap;
  return places;
}
