// What lies on the table against what the book says, gap by gap, while it is typed.

import { html, useState } from "../html.mjs";
import { _, n_, number } from "../words.mjs";
import { useActs, waits, Wrong } from "./acts.mjs";
import { Amount, called, Do, Notice, Pick } from "./fields.mjs";
import { Resumed, useFilled } from "./resumed.mjs";
import { Sheet } from "./sheet.mjs";

const LEAST = -1_000_000_000; // who owes more than he has counts below nothing

/** Count the chips: what is left empty was not counted. */
export function Count({ view, session, close }) {
  const { names, night } = view;
  const form = useFilled(session, "count", { counts: {}, gap: null });
  const { counts, gap } = form.filled;
  const [anew, setAnew] = useState(false);
  const [said, say] = useState("");
  const acts = useActs(session);
  const offline = waits(view);
  const busy = night.hand.phase !== "not_begun";
  const rows = [...view.players.map((one) => ({ id: one.id, has: one.stack, label: called(names, one.id) })),
    ...(night.scores ? [] : [{ id: "pool", has: view.pool.chips, label: _("The pool") }])];
  const typed = rows.filter((row) => typeof counts[row.id] === "number");
  const gaps = typed.map((row) => counts[row.id] - row.has).filter(Boolean);
  const sum = gaps.reduce((all, one) => all + one, 0);
  const bad = rows.some((row) => counts[row.id] === undefined && row.id in counts);
  const need = offline ?? (busy ? _("Finish the hand first.") : bad ? _("Something typed is no number.") : typed.length ? (gaps.length && !gap ? _("Say what becomes of the gap.") : null)
    : _("Count at least one stack, or the pool."));

  async function book() {
    const data = { counts: Object.fromEntries(typed.map((row) => [row.id, counts[row.id]])), gap: gaps.length ? gap : "leave" };
    const verdict = await acts.run(`CountChips ${JSON.stringify(data)}`, (grant) => session.act("CountChips", data, { expected: night.version, grant }));
    setAnew(!verdict);
    if (!verdict) return;
    say(gaps.length ? _("The count is booked, with its gap.") : _("The chips agree with the book. That is noted."));
    await form.empty();
  }

  return html`<${Sheet} wide title=${_("Count the chips")} close=${close} said=${said} foot=${html`<span class="lack">${need ?? gapWords(sum, gaps.length)}</span>
    <${Do} act=${book} busy=${acts.busy} why=${need}>${_("Book this count")}<//>`}>
    <${Wrong} of=${anew && acts.wrong?.code === "wrong_version" ? { code: "wrong_version" } : acts.wrong} names=${names} />
    ${busy ? html`<${Notice}>${_("A hand is in progress. Finish it, or declare a misdeal, and then count.")}<//>` : null}
    <${Resumed} of=${form} />
    <p class="lead">${_("What lies in front of each, and in the pool. Leave empty what was not counted.")}</p>
    <div class="counting">${rows.map((row) => {
      const count = counts[row.id];
      const off = typeof count === "number" ? count - row.has : null;
      return html`<div class=${off ? "counted off" : "counted"} key=${row.id}><${Amount} short label=${row.label} value=${count ?? null} least=${LEAST}
        set=${(value) => (say(""), form.fill({ counts: { ...counts, [row.id]: value } }))} wrong=${row.id in counts && count === undefined ? _("That is no number.") : null}
        hint=${_("The book says %(chips)s.", { chips: number(row.has) })} />
        <p class=${`gap ${off > 0 ? "gain" : off < 0 ? "loss" : ""}`} role="status">${off === null ? "" : off === 0 ? _("agrees") : off > 0
          ? n_("%(num)d over", "%(num)d over", off) : n_("%(num)d missing", "%(num)d missing", -off)}</p></div>`;
    })}</div>
    ${gaps.length ? html`<${Pick} legend=${_("What becomes of the gap?")} layout="grid wide-choices" value=${gap} set=${(chosen) => form.fill({ gap: chosen })} options=${[
      { value: "shortage", label: _("The book follows the count"), note: _("the gap is booked") },
      { value: "leave", label: _("The book stays"), note: _("the gap is only noted") }]} />` : null}
    ${acts.pin}
  <//>`;
}

function gapWords(sum, count) {
  if (!count) return "";
  if (!sum) return _("In all nothing is missing.");
  return sum > 0 ? n_("In all %(num)d over.", "In all %(num)d over.", sum) : n_("In all %(num)d missing.", "In all %(num)d missing.", -sum);
}
