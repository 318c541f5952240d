// Other rules from the next hand on: the stake, the game, and what is otherwise at home; with what that makes of payments.

import { ask, Unreachable } from "../api.mjs";
import { html, useEffect, useState } from "../html.mjs";
import { _, n_, number } from "../words.mjs";
import { useActs, waits, Wrong } from "./acts.mjs";
import { Amount, Do, Select, Words } from "./fields.mjs";
import { Resumed, useFilled } from "./resumed.mjs";
import { Sheet } from "./sheet.mjs";

const PAUSE = 350; // between typing and asking what it comes to

/** Change the rules of the night, by whoever may. */
export function HouseRules({ view, session, close }) {
  const { night, names } = view;
  const form = useFilled(session, `rules ${night.rulebook.digest} ${night.rulebook.stake}`, { book: night.rulebook.id, stake: night.rulebook.stake, changed: {} });
  const { book, stake, changed } = form.filled;
  const [told, tell] = useState(null);
  const [said, say] = useState("");
  const acts = useActs(session);
  const offline = waits(view);
  const at = `/nights/${encodeURIComponent(night.night)}/table/rules?${new URLSearchParams({ rulebook: book, stake: String(stake ?? ""), changed: JSON.stringify(changed) })}`;

  useEffect(() => {
    let wanted = true;
    const timer = setTimeout(() => ask(at).then(({ status, body }) => wanted && status === 200 && tell(body), (error) => {
      if (!(error instanceof Unreachable)) throw error;
    }), told ? PAUSE : 0);
    return () => ((wanted = false), clearTimeout(timer));
  }, [at, night.version]);

  async function keep() {
    const { data } = told;
    if (!(await acts.run(`ChangeRules ${JSON.stringify(data)}`, (grant) => session.act("ChangeRules", data, { grant })))) return;
    await form.empty({ book, stake });
    say(_("From the next hand on, these rules hold."));
  }

  function put(path, value) {
    say("");
    form.fill({ changed: { ...changed, [path]: value } });
  }

  const fresh = told && told.rulebook === book && (told.wrong || told.stake === stake);
  const need = offline ?? told?.wrong?.words ?? (told?.data ? null : _("Nothing is changed yet."));
  return html`<${Sheet} wide title=${_("Rules")} close=${close} said=${said} foot=${html`<span class="lack">${need}</span>
    <${Do} act=${keep} busy=${acts.busy} why=${fresh ? need : _("One moment…")}>${_("Play by these from the next hand")}${view.may("treasurer") ? null
      : html` <span class="hint">${_("asks for a PIN")}</span>`}<//>`}>
    <${Wrong} of=${acts.wrong} names=${names} />
    <${Resumed} of=${form} />
    <p class="lead">${_("Hands that were played stay as they were played; a hand in progress is finished by the rules it began with.")}</p>
    ${told ? html`<div class="rules-head">
      <${Select} label=${_("The game")} value=${book} options=${told.rulebooks.map((one) => [one.id, one.title])} set=${(one) => (say(""), form.fill({ book: one, changed: {} }))} />
      <${Amount} label=${_("The stake")} value=${stake} least=${1} set=${(value) => (say(""), form.fill({ stake: value }))} hint=${_("Every amount of the table is so many times as large.")}
        wrong=${told.wrong?.field === "stake" ? told.wrong.words : null} /></div>
      <${Payments} table=${told.table} />
      ${told.sections.map((section) => html`<details class="more" key=${section.title}><summary>${section.title}${changes(section, changed)}</summary><div class="stack">
        ${section.groups.map((group) => html`<fieldset class="switch-group" key=${group.title}>${group.title ? html`<legend>${group.title}</legend>` : null}
          <div class="fields">${group.switches.map((one) => html`<${Rule} key=${one.path} of=${one} value=${changed[one.path] ?? one.value}
            wrong=${told.wrong?.field === one.path ? told.wrong.words : null} set=${(value) => put(one.path, value)} />`)}</div></fieldset>`)}</div></details>`)}`
      : html`<p class="lead">${offline ?? _("One moment…")}</p>`}
    ${acts.pin}
  <//>`;
}

function changes(section, changed) {
  const count = section.groups.flatMap((group) => group.switches).filter((one) => one.path in changed).length;
  return count ? html` <span class="tag warn">${n_("%(num)d changed", "%(num)d changed", count)}</span>` : null;
}

function Rule({ of, value, set, wrong }) {
  const hint = [of.says, _("In the book: %(value)s.", { value: of.original })].filter(Boolean).join(" ");
  if (of.options.length) return html`<${Select} label=${of.label} options=${of.options} value=${value} set=${set} hint=${hint} wrong=${wrong} />`;
  return html`<${Words} label=${of.label} value=${value} set=${set} most=${12} mode="numeric" hint=${hint} wrong=${wrong} />`;
}

/** What every bid pays; where that changes, what it was. */
function Payments({ table }) {
  const kind = (at) => (table.numbers.includes(at) ? "num" : "");
  const cell = ([text, before]) => (before === null ? text : html`<ins>${text}</ins> <span class="was"><span class="hidden-words">${_("instead of")} </span><del>${before}</del></span>`);
  return html`<section><h3>${_("What every bid pays")}</h3>
    <div class="table" role="group" tabindex="0" aria-label=${_("What every bid pays")}><table><thead><tr>${table.head.map((title, at) => html`<th scope="col" class=${kind(at)}>${title}</th>`)}</tr></thead>
      <tbody>${table.rows.map((row) => html`<tr>${row.map((one, at) => (at === 0 ? html`<th scope="row">${cell(one)}</th>`
        : html`<td class=${`${kind(at)} ${one[1] === null ? "" : "changed"}`}>${cell(one)}</td>`))}</tr>`)}</tbody></table></div>
    ${table.changes.length ? html`<dl class="facts changed-rules">${table.changes.map(([label, text, before]) => html`<dt>${label}</dt><dd>${cell([text, before])}</dd>`)}</dl>` : null}</section>`;
}
