// A night that was left open: as good as closed, and nobody has said so.

import { html } from "../html.mjs";
import { _, clock, day } from "../words.mjs";
import { Notice } from "./fields.mjs";

const LONG_AGO = 12 * 3_600_000;

export function LeftOpen({ view, open }) {
  const { night, last, hand, pending } = view;
  const heard = Date.parse(last.findLast((row) => row.recorded_at)?.recorded_at ?? "");
  if (night.state !== "open" || hand.begun || pending.length || !(Date.now() - heard > LONG_AGO)) return null;
  return html`<${Notice}>
    <p>${_("This night is of %(day)s. Close it as it stood at %(time)s?", { day: day(night.date), time: clock(heard) })}</p>
    <div class="cluster"><button type="button" class="plain" onClick=${() => open("close")}>${_("Close the night")}</button></div>
  <//>`;
}
