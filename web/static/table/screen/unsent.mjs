// What is only on this device, and what was not taken: sent again, saved as a file, mended, or thrown away.

import { html, useState } from "../html.mjs";
import * as outbox from "../outbox.mjs";
import { _, ago, clock, n_, number } from "../words.mjs";
import { refusal } from "./acts.mjs";
import { factsWords } from "./conflict.mjs";
import { Do, Notice } from "./fields.mjs";
import { HandForm, lacking } from "./handform.mjs";
import { useFilled } from "./resumed.mjs";
import { Sheet } from "./sheet.mjs";
import { told as words } from "./spoken.mjs";

/** The commands of this night that the book does not have. */
export function Unsent({ view, session, close }) {
  const [mending, mend] = useState(null);
  const [throwing, throwAway] = useState(null);
  const [said, say] = useState("");
  const { waiting, refused, contact } = view;
  const row = mending && refused.find((one) => one.order === mending);
  if (row) return html`<${Mend} ...${{ view, session, row, close, back: () => mend(null), done: () => (mend(null), say(_("Sent again."))) }} />`;

  function again() {
    session.look();
    outbox.flush();
    say(_("Trying."));
  }

  async function drop(order) {
    throwAway(null);
    await session.dismiss([order]);
    say(_("It is thrown away."));
  }

  const all = [...waiting, ...refused];
  return html`<${Sheet} title=${_("Only on this device")} close=${close} said=${said} foot=${all.length ? html`
    <${Do} look="quiet" act=${() => save(view, all)}>${_("Save as a file")}<//>${waiting.length ? html`<${Do} act=${again}>${_("Try again")}<//>` : null}` : null}>
    <p class="lead">${state(contact)}</p>
    ${waiting.length ? html`<section><h3>${n_("%(num)d tap waits to be sent", "%(num)d taps wait to be sent", waiting.length)}</h3>
      <p class="soft">${_("They are sent in this order, once, as soon as the club answers. They stay here through a restart.")}</p>
      <ol class="kept">${waiting.map((one) => html`<li key=${one.id}><p dir="auto"><strong>${told(view, one)}</strong></p>
        <p class="soft small">${clock(new Date(one.at))} · <span class="code">${one.id.slice(0, 8)}</span></p></li>`)}</ol></section>` : null}
    ${refused.length ? html`<section><h3>${n_("%(num)d was not taken", "%(num)d were not taken", refused.length)}</h3>
      <ol class="kept">${refused.map((one) => html`<li key=${one.id}><p dir="auto"><strong>${told(view, one)}</strong></p>
        <p class="error">${one.status === "late" ? _("It came after the close: a treasurer lets it count, or does not.") : refusal(one, view.names)}</p>
        <p class="soft small">${clock(new Date(one.at))} · <span class="code">${one.id.slice(0, 8)}</span></p>
        ${throwing === one.order ? html`<div class="question" role="alertdialog" aria-label=${_("Throw it away?")}><p>${_("Throw it away? It is in no book then.")}</p>
          <div class="cluster"><button type="button" class="button quiet" onClick=${() => throwAway(null)}>${_("Keep it")}</button>
          <${Do} look="danger" act=${() => drop(one.order)}>${_("Throw away")}<//></div></div>` : html`<div class="cluster">
          <button type="button" class="button quiet" onClick=${() => (say(""), throwAway(one.order))}>${_("Throw away …")}</button>
          ${one.status === "late" ? null : one.type === "RecordHand" ? html`<${Do} look="quiet" act=${() => (say(""), mend(one.order))}>${_("Mend it")}<//>`
            : html`<${Do} look="quiet" act=${() => (session.again(one), say(_("Sent again.")))}>${_("Send it again")}<//>`}</div>`}</li>`)}</ol></section>` : null}
    ${all.length ? null : html`<${Notice} kind="good">${_("Nothing waits: the club has everything that was tapped here.")}<//>`}
  <//>`;
}

function state({ ok, at, seenAt, status, blocked }) {
  if (blocked || status === 401) return _("The club does not know this device any more: pair it again, or sign in. Nothing is lost by it.");
  const when = seenAt ?? at;
  if (ok) return _("The club can be reached.");
  return when ? _("No answer from the club; the last was %(ago)s.", { ago: ago(Date.now() - when) }) : _("No answer from the club yet.");
}

/** What somebody tapped, in words; of a whole hand also what it was. */
function told(view, row) {
  const { hand, ...facts } = row.data;
  if (row.type !== "RecordHand") return words(row, view);
  return _("Hand %(hand)s: %(what)s", { hand: number(hand), what: factsWords(facts, { ...view, hand: null }) });
}

/** A refused hand, back in the form. */
function Mend({ view, session, row, close, back, done }) {
  const { hand: number_, ...recorded } = row.data;
  const form = useFilled(session, `mend ${row.id}`, { facts: recorded, next: false });
  const { facts, next } = form.filled;
  const { kit, hand, names } = view;
  const need = lacking(kit, facts);
  const other = number_ !== hand.number;

  async function again() {
    session.again(row, { data: { ...facts, hand: next || !other ? hand.number : number_ } });
    await form.empty();
    done();
  }

  return html`<${Sheet} wide title=${_("Mend hand %(hand)s", { hand: number(number_) })} close=${close} foot=${html`<span class="lack">${need}</span>
    <button type="button" class="button quiet" onClick=${back}>${_("Back")}</button>
    <${Do} act=${again} why=${need}>${next || !other ? _("Send it as hand %(hand)s", { hand: number(hand.number) }) : _("Send it again")}<//>`}>
    <${Notice} kind="bad">${refusal(row, names)}<//>
    ${other ? html`<${Notice}><p>${_("The next hand is %(next)s.", { next: number(hand.number) })}</p>
      <button type="button" class="switch" role="switch" aria-checked=${String(next)} onClick=${() => form.fill({ next: !next })}>
        <span>${_("This was another hand: send it as hand %(next)s", { next: number(hand.number) })}</span><span class="slide" aria-hidden="true"></span></button><//>` : null}
    <${HandForm} whole ...${{ kit, hand: { ...hand, everybody: view.players.map((one) => one.id) }, names, facts }} set=${(changed) => form.fill({ facts: changed })} />
  <//>`;
}

/** A file that `kittybook apply` reads: one command a line. */
function save({ night }, rows) {
  const lines = rows.map((row) => JSON.stringify({ ...outbox.sent(row), ...(row.night ? { night: row.night } : {}) }));
  const file = URL.createObjectURL(new Blob([`${lines.join("\n")}\n`], { type: "application/x-ndjson" }));
  const link = document.createElement("a");
  link.href = file;
  link.download = `kittybook-${night.night}-${new Date().toISOString().slice(0, 16).replace(/[:T]/g, "-")}.jsonl`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(file), 60_000);
}
