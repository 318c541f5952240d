// The hands of the night: what each was, what it moved, what became of it; and putting right what was recorded wrongly.

import { html, useEffect, useState } from "../html.mjs";
import { _, clock, money, n_, number } from "../words.mjs";
import { soon, useActs, waits, Wrong } from "./acts.mjs";
import { called, Change, Do, joined, Notice, Side, Words } from "./fields.mjs";
import { HandForm, lacking } from "./handform.mjs";
import { Resumed, useFilled } from "./resumed.mjs";
import { Sheet } from "./sheet.mjs";
import { resultWord } from "../told.mjs";
import { Facts, headline } from "./facts.mjs";

const PAGE = 500;
const RECENT = 3; // hands that a scorekeeper may correct himself

/** Everything that was played tonight, the newest first; `hand` opens one of them at once. */
export function Hands({ view, session, close, hand = null }) {
  const [rows, setRows] = useState(view.last ?? []);
  const [number, open] = useState(hand);
  const [said, say] = useState("");
  const { version, night } = view.night;

  useEffect(() => {
    let wanted = true;
    everyHand(session, night).then((found) => wanted && setRows(found), () => {}); // what is there stays
    return () => (wanted = false);
  }, [version]);

  const here = (view.hands ?? []).filter((one) => !rows.some((row) => row.hand === one.hand && row.status === "settled"));
  const all = [...rows.filter((row) => !here.some((one) => one.hand === row.hand)), ...here];
  const chosen = number === null ? null : all.find((row) => row.hand === number);
  if (chosen) return html`<${One} ...${{ view, session, row: chosen, say, said, close, back: () => (say(""), open(null)) }} />`;
  return html`<${Sheet} wide title=${_("Hands")} close=${close} said=${said}>
    ${all.length ? html`<ol class="hands" reversed>${all.toReversed().map((row) => html`<li key=${row.hand}>
      <${Row} view=${view} row=${row} open=${() => (say(""), open(row.hand))} /></li>`)}</ol>`
      : html`<p class="lead">${_("No hand has been played yet.")}</p>`}
  <//>`;
}

async function everyHand(session, night) {
  const all = [];
  for (let after = 0; after !== null; ) {
    const body = await session.ask(`/nights/${encodeURIComponent(night)}/hands?after=${after}&limit=${PAGE}`);
    all.push(...(body.hands ?? []));
    after = body.next ?? null;
  }
  return all;
}

function Row({ view, row, open }) {
  const { names, kit } = view;
  return html`<button type="button" class="hand" onClick=${open}>
    <span class="hand-number"><small>${_("Hand")}</small> ${number(row.hand)}</span>
    <span class="hand-told"><strong>${headline(kit, row, names)}</strong><${Marks} row=${row} />
      ${row.facts.peeks?.length ? html` <span class="soft">${_("peeked: %(names)s", { names: joined(row.facts.peeks.map((id) => called(names, id, 14))) })}</span>` : null}</span>
    <span class="hand-moved">${Object.entries(row.changes).filter(([, count]) => count).map(([id, count]) => html`<span class="nowrap">
      <${Side} id=${id} names=${names} most=${14} /> <${Change} of=${count} /></span>`)}</span>
    ${view.night.scores ? null : html`<span class="hand-pool"><small>${_("Pool")}</small> ${number(row.pool)}</span>`}
  </button>`;
}

function Marks({ row }) {
  const marks = [
    [row.provisional, _("on this device only"), "warn"],
    [row.corrections?.length, _("corrected"), ""],
    [row.disputed, _("disputed"), "warn"],
    [row.needs_review, _("look at this"), "warn"],
    [row.status === "void", _("taken out"), ""],
  ].filter(([is]) => is);
  return marks.map(([, words, look]) => html` <span class=${`tag ${look}`}>${words}</span>`);
}

/** One hand and its story, with what may be done about it. */
function One({ view, session, row, back, close, say, said }) {
  const { names, kit, night } = view;
  const [told, setTold] = useState(null);
  const [doing, setDoing] = useState(null);
  const acts = useActs(session);
  const offline = waits(view);
  useEffect(() => {
    let wanted = true;
    if (!row.provisional) {
      session.ask(`/nights/${encodeURIComponent(night.night)}/hands/${row.hand}`).then((found) => wanted && setTold(found.story), () => {});
    }
    return () => (wanted = false);
  }, [night.version]);

  const title = _("Hand %(hand)s", { hand: number(row.hand) });
  const done = (words) => (say(words), setDoing(null));
  const given = { view, session, row, title, close, back: () => setDoing(null), done };
  if (doing === "correct") return html`<${Correct} ...${given} />`;
  if (doing === "void") return html`<${TakeOut} ...${given} />`;
  if (doing === "say") return html`<${Say} ...${given} />`;

  const closed = night.state !== "open";
  const newest = night.hand.phase === "not_begun" || closed ? night.hand.number - 1 : night.hand.number;
  const recent = row.hand > newest - RECENT;
  const pin = !view.may("treasurer") && (closed || !recent) ? _("asks for a PIN") : null;
  const settled = row.status !== "open" && !row.provisional;
  const way = (key, words, note, look = "quiet") => html`<button type="button" class=${`button ${look}`} disabled=${Boolean(offline)}
    onClick=${() => (say(""), setDoing(key))}>${words}${note ? html` <span class="hint">${note}</span>` : null}</button>`;

  async function stands() {
    const data = { hand: row.hand, facts: row.facts, reason: _("It stands as it was recorded.") };
    if (await acts.run(`stands ${row.hand}`, (grant) => session.act("CorrectHand", data, { grant }))) say(_("Hand %(hand)s stands as it was recorded.", { hand: number(row.hand) }));
  }

  return html`<${Sheet} wide title=${title} close=${close} said=${said} foot=${html`
    <button type="button" class="button quiet" onClick=${back}>${_("All hands")}</button>
    ${settled ? html`${way("say", row.disputed ? _("Resolve or add a note") : _("Dispute or add a note"))}
      ${closed || row.status === "void" ? null : way("void", _("Take out"), pin)}${way("correct", _("Correct"), pin, "")}` : null}`}>
    ${offline && settled ? html`<${Notice}>${_("Correcting waits for the network.")}<//>` : null}
    <${Wrong} of=${acts.wrong} names=${names} />
    ${row.needs_review ? html`<${Notice}><p>${_("Look at this: by the hands before it, it could not have been played like that. Correct it, or let it stand.")}</p>
      ${closed ? null : html`<${Do} look="quiet" busy=${acts.busy} why=${offline} act=${stands}>${_("It stands as it was recorded")}<//>`}<//>` : null}
    <div class="told">
      <section><p class="lead">${headline(kit, row, names)} <${Marks} row=${row} /></p>
        <${Facts} kit=${kit} facts=${row.facts} names=${names} />${row.note ? html`<p class="quote" dir="auto">${row.note}</p>` : null}</section>
      <section><h3>${_("What it came to")}</h3><${Moved} view=${view} changes=${row.changes} pool=${row.pool} /></section>
      <section><h3>${_("Who wrote it down")}</h3>${row.provisional ? html`<p>${_("Only on this device, since %(time)s.", { time: clock(new Date(row.row.at)) })}</p>`
        : html`<${Story} view=${view} story=${told ?? [{ what: "HandRecorded", at: row.recorded_at, device: row.device, actor: row.actor }]} />`}</section>
    </div>
    ${acts.pin}
  <//>`;
}

function Moved({ view, changes, pool }) {
  return html`<dl class="facts moved">${Object.entries(changes).map(([id, count]) => html`
    <dt><${Side} id=${id} names=${view.names} /></dt><dd><${Change} of=${count} /></dd>`)}
    ${view.night.scores ? null : html`<dt>${_("Pool after it")}</dt><dd><strong>${number(pool)}</strong></dd>`}</dl>`;
}

const EVENTS = () => ({ HandRecorded: _("Recorded"), OutcomeRecorded: _("Recorded, step by step"), HandPassedOut: _("Recorded: nobody bid"),
  MisdealDeclared: _("Recorded: a misdeal"), Passed: _("Recorded: everybody passed"), HandCorrected: _("Corrected"), HandVoided: _("Taken out"),
  HandDisputed: _("Disputed"), DisputeResolved: _("The dispute was resolved"), NoteAdded: _("A note") });

function Story({ view, story }) {
  const words = EVENTS();
  return html`<ol class="story">${story.map((one, at) => {
    const before = story.slice(0, at).findLast((other) => other.facts);
    const changed = at > 0 && one.facts && before;
    return html`<li><p><strong>${words[one.what] ?? _("Undone")}</strong> <span class="soft">${clock(new Date(one.at))} · <bdi>${one.device ?? one.actor}</bdi>
      ${one.by && one.by !== one.device ? html` · <bdi>${one.by}</bdi>, ${_("by a PIN")}` : null}</span></p>
      ${one.player ? html`<p>${_("%(name)s disagrees.", { name: called(view.names, one.player) })}</p>` : null}
      ${one.words ? html`<p class="quote" dir="auto">${one.words}</p>` : null}
      ${changed ? html`<details><summary>${_("What stood there before")}</summary>${Object.keys(before.facts).length
        ? html`<${Facts} kit=${view.kit} facts=${before.facts} names=${view.names} />` : html`<p>${_("It was taken out.")}</p>`}</details>` : null}</li>`;
  })}</ol>`;
}

// Putting it right

function Correct({ view, session, row, close, back, done }) {
  const form = useFilled(session, `correct ${row.hand} ${JSON.stringify(row.facts)}`, { facts: row.facts, reason: "" });
  const { facts, reason } = form.filled;
  const [looked, look] = useState(null);
  const acts = useActs(session);
  const { names, kit, night } = view;
  const closed = night.state !== "open";
  const hand = { number: row.hand, dealer: row.dealer, payers: row.facts.players, order: row.facts.players, sitsOut: null,
    everybody: view.players.map((one) => one.id) };
  const type = closed ? "CorrectClosedHand" : "CorrectHand";
  const data = { ...(closed ? { night: night.night } : {}), hand: row.hand, facts, reason: reason.trim() };
  const need = lacking(kit, facts) ?? (reason.trim() ? null : _("Say why."));
  const other = row.rulebook && (row.rulebook.digest !== night.rulebook.digest || row.rulebook.stake !== night.rulebook.stake);
  const judged = useJudged({ acts, session, type, data, club: closed, look });

  if (looked) {
    return html`<${Consequences} ...${{ view, acts, title: _("Hand %(hand)s: what changes", { hand: number(row.hand) }), close, looked, closed,
      back: () => look(null), book: () => judged.book(looked).then(async (ok) => ok && (await form.empty(), done(_("Hand %(hand)s is corrected.", { hand: number(row.hand) })))) }} />`;
  }
  return html`<${Sheet} wide title=${_("Correct hand %(hand)s", { hand: number(row.hand) })} close=${close} foot=${html`<span class="lack">${need}</span>
    <button type="button" class="button quiet" onClick=${back}>${_("Back")}</button>
    <${Do} act=${judged.preview} busy=${acts.busy} why=${need}>${_("Show what changes")}<//>`}>
    <${Wrong} of=${acts.wrong} names=${names} />
    <${Resumed} of=${form} />
    ${other ? html`<${Notice}>${_("This hand was played by other rules than those of now; it is judged by its own.")}<//>` : null}
    ${closed ? html`<${Notice}>${_("The night is closed: it stays as it was. What this changes goes to the members’ accounts.")}<//>` : null}
    <${Words} label=${_("Why is it corrected?")} value=${reason} set=${(words) => form.fill({ reason: words })} />
    <p class="usual">${[_("Tapped wrongly"), _("Misheard"), _("Agreed at the table")].map((words) => html`<button type="button" class="button quiet small" key=${words}
      aria-pressed=${String(reason === words)} onClick=${() => form.fill({ reason: words })}>${words}</button>`)}</p>
    <${HandForm} whole ...${{ kit, hand, names, facts }} set=${(changed) => form.fill({ facts: changed })} />
    ${acts.pin}
  <//>`;
}

function TakeOut({ view, session, row, close, back, done }) {
  const form = useFilled(session, `void ${row.hand}`, { reason: "" });
  const { reason } = form.filled;
  const [looked, look] = useState(null);
  const acts = useActs(session);
  const data = { hand: row.hand, reason: reason.trim() };
  const judged = useJudged({ acts, session, type: "VoidHand", data, look });
  if (looked) {
    return html`<${Consequences} ...${{ view, acts, title: _("Without hand %(hand)s", { hand: number(row.hand) }), close, looked, back: () => look(null),
      book: () => judged.book(looked).then(async (ok) => ok && (await form.empty(), done(_("Hand %(hand)s is taken out.", { hand: number(row.hand) })))) }} />`;
  }
  const why = reason.trim() ? null : _("Say why.");
  return html`<${Sheet} title=${_("Take hand %(hand)s out", { hand: number(row.hand) })} close=${close} foot=${html`
    <button type="button" class="button quiet" onClick=${back}>${_("Back")}</button>
    <${Do} act=${judged.preview} busy=${acts.busy} why=${why}>${_("Show what changes")}<//>`}>
    <${Wrong} of=${acts.wrong} names=${view.names} />
    <${Resumed} of=${form} />
    <p class="lead">${_("As if it had never been dealt. Its number stays, and a correction brings it back.")}</p>
    <${Words} label=${_("Why?")} value=${reason} set=${(words) => form.fill({ reason: words })} />
    ${acts.pin}
  <//>`;
}

/** Try something out, then book exactly that: where the book has moved on meanwhile it is tried out anew. */
export function useJudged({ acts, session, type, data, club = false, look }) {
  const what = `${type} ${JSON.stringify(data)}`;

  async function preview() {
    const answer = await acts.run(what, (grant) => session.preview(type, data, { club, grant }));
    if (answer) look({ ...answer, anew: false });
  }

  async function book({ version }) {
    let moved = false;
    const answer = await acts.run(what, async (grant) => {
      const verdict = await session.act(type, data, { club, expected: version, grant });
      if (verdict.code !== "wrong_version") return verdict;
      moved = true;
      return session.preview(type, data, { club, grant });
    });
    if (moved && answer) look({ ...answer, anew: true });
    return Boolean(answer) && !moved;
  }

  return { preview, book };
}

/** What something would do: old and new for everybody, the hands it touches, and what was paid already. */
export function Consequences({ view, acts, title, close, back, book, looked, closed = false }) {
  const { names, night } = view;
  const [paid, setPaid] = useState(0);
  useEffect(() => {
    if (closed) paidOf(acts, view).then(setPaid, () => {});
  }, []);
  const now = Object.fromEntries(view.players.map((one) => [one.id, one.balance]));
  const rows = Object.entries(looked.changes ?? {}).map(([id, change]) => {
    const after = looked.balances?.[id] ?? (now[id] ?? night.scores?.[id] ?? 0) + change;
    return { id, change, before: after - change, after };
  });
  const later = looked.hands ?? [];
  return html`<${Sheet} wide title=${title} close=${close} foot=${html`<button type="button" class="button quiet" onClick=${back}>${_("Back")}</button>
    <${Do} act=${book} busy=${acts.busy}>${_("Book it")}<//>`}>
    ${looked.anew ? html`<${Notice}>${_("Somebody recorded something meanwhile. This is what it would do now.")}<//>` : null}
    <${Wrong} of=${acts.wrong} names=${names} />
    <div class="told">
    <section><h3>${closed ? _("What goes to accounts") : night.scores ? _("Scores") : _("Balances")}</h3>
      <table class="old-new"><thead><tr><th scope="col">${night.scores ? _("Side") : _("Player")}</th><th scope="col" class="num">${_("before")} → ${_("after")}</th>
        <th scope="col" class="num">${_("change")}</th></tr></thead>
      <tbody>${rows.map(({ id, change, before, after }) => html`<tr key=${id} class=${change ? "altered" : ""}><th scope="row"><${Side} id=${id} names=${names} most=${20} /></th>
        <${Turn} before=${before} after=${after} /><td class="num"><${Change} of=${change} /></td></tr>`)}
        ${night.scores || typeof looked.pool !== "number" ? null : html`<tr><th scope="row">${_("Pool")}</th>
          <${Turn} before=${view.pool.chips} after=${looked.pool} /><td class="num"><${Change} of=${looked.pool - view.pool.chips} /></td></tr>`}</tbody></table>
      ${looked.shortage ? html`<p>${_("To the shortage: %(chips)s.", { chips: number(looked.shortage) })}</p>` : null}
      ${paid ? html`<${Notice}>${paid}<//>` : null}
      ${closed ? html`<p class="soft">${_("The night, its receipt and later nights do not move.")}</p>` : null}</section>
    <section><h3>${later.length ? n_("%(num)d hand is worked out again", "%(num)d hands are worked out again", later.length) : _("No other hand is touched")}</h3>
      <ol class="touched">${later.map((one) => html`<li key=${one.hand}><strong>${_("Hand %(hand)s", { hand: number(one.hand) })}</strong>
        ${one.needs_review ? html` <span class="tag warn">${_("look at this")}</span>` : null} <${Shift} of=${one} view=${view} /></li>`)}</ol></section>
    </div>
    ${acts.pin}
  <//>`;
}

const Turn = ({ before, after }) => html`<td class="num turn"><span class="nowrap">${number(before)} →</span> <strong class="nowrap">${number(after)}</strong></td>`;

function Shift({ of: { before, after }, view }) {
  const all = [...new Set([...Object.keys(before?.changes ?? {}), ...Object.keys(after?.changes ?? {})])];
  const moved = all.filter((id) => (before?.changes[id] ?? 0) !== (after?.changes[id] ?? 0));
  return html`<span class="shift">
    ${before?.result !== after?.result ? html`<span class="nowrap">${outcome(before)} → <strong>${outcome(after)}</strong></span>` : null}
    ${moved.map((id) => html`<span class="nowrap"><${Side} id=${id} names=${view.names} most=${14} /> ${signed(before?.changes[id] ?? 0)} → <strong>${signed(after?.changes[id] ?? 0)}</strong></span>`)}
    ${view.night.scores || before?.pool === after?.pool ? null : html`<span class="nowrap">${_("Pool")} ${number(before?.pool ?? 0)} → <strong>${number(after?.pool ?? 0)}</strong></span>`}</span>`;
}

const outcome = (told) => (told ? resultWord({ result: told.result }) : "");

const signed = (count) => (count > 0 ? "+" : "") + number(count);

async function paidOf({ session }, view) {
  const { payments = [] } = (await session.ask("/payments?limit=500")) ?? {};
  const parts = payments.filter((one) => !one.reversed).flatMap((one) => one.nights.map((part) => ({ ...part, unit: one.unit })))
    .filter((part) => part.night === view.night.night);
  if (!parts.length) return null;
  const sum = parts.reduce((all, part) => all + part.amount, 0);
  const words = view.night.money && parts[0].unit === view.night.money.currency ? money(sum, view.night.money) : number(sum);
  return n_("%(num)d payment of this night was made already, %(sum)s; it stays.", "%(num)d payments of this night were made already, %(sum)s in all; they stay.", parts.length, { sum: words });
}

// Saying something about it

function Say({ view, session, row, title, close, back, done }) {
  const form = useFilled(session, `say ${row.hand}`, { note: "" });
  const { note } = form.filled;
  const [refused, refuse] = useState(null);
  const acts = useActs(session);
  const hand = row.hand;
  const words = note.trim() || undefined;

  async function about(type, told) {
    if (!(await acts.run(type, (grant) => session.act(type, { hand, note: words }, { grant })))) return;
    await form.empty();
    done(told);
  }

  async function noted() {
    const verdict = await soon(session.send("AddNote", { hand, note: words }));
    if (verdict?.status === "refused") return refuse(verdict);
    await form.empty();
    done(verdict ? _("The note is written down.") : _("The note is kept, and sent when the network is back."));
  }

  return html`<${Sheet} title=${title} close=${close} foot=${html`<button type="button" class="button quiet" onClick=${back}>${_("Back")}</button>
    <${Do} look="quiet" act=${noted} why=${words ? null : _("Write something first.")}>${_("A note only")}<//>
    ${row.disputed ? html`<${Do} busy=${acts.busy} act=${() => about("ResolveDispute", _("The dispute is resolved."))}>${_("Resolved")}<//>`
      : html`<${Do} busy=${acts.busy} act=${() => about("Dispute", _("Hand %(hand)s is disputed. It counts until it is corrected.", { hand: number(hand) }))}>${_("Dispute it")}<//>`}`}>
    <${Wrong} of=${acts.wrong ?? refused} names=${view.names} />
    <${Resumed} of=${form} />
    <p class="lead">${row.disputed ? _("The hand is disputed. How was it resolved?")
      : _("A disputed hand counts as recorded, and settling up warns until it is resolved.")}</p>
    <${Words} area label=${_("In words")} value=${note} set=${(said) => form.fill({ note: said })} />
    ${acts.pin}
  <//>`;
}
