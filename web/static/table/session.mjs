// What a table screen knows: what the server last told, what waits to be told to it, and what is chosen so far.
//
// A view is worked out of the three anew at every change. Nothing else sends, and nothing else says what is so.

import { ask, newId, tell, Unreachable } from "./api.mjs";
import { follow } from "./follow.mjs";
import * as outbox from "./outbox.mjs";
import { projected } from "./projection.mjs";
import { told } from "./screen/spoken.mjs";
import * as store from "./store.mjs";

const LAST = 3; // so many of the last hands are shown beside the table
const KEPT = 3 * 86_400_000; // recorded commands of nights that never close are let go of after so long
const RETRIES = [0, 700, 2000];
const RANKS = ["viewer", "scorekeeper", "treasurer", "owner"];
const PREFERENCES = "kittybook-table";

/** Open the session of a night: `{club, night, role}` of the page. Returns what screens call; see `view`. */
export function createSession({ club, night, role, title }) {
  const place = `/api/v1/clubs/${encodeURIComponent(club)}`;
  const name = `${club}/${night}`;
  const watchers = new Set();
  const answers = new Map(); // of commands whose sender waits to hear
  const acts = new Map(); // ids of what was sent at once and not answered yet, by what it was
  let state = null;
  let last = [];
  let rows = [];
  let members = [];
  let draft = null; // {hand, facts}
  let contact = { at: null, ok: null, status: null };
  let seenAt = null;
  let following = null;
  let preferences = { sound: true, vibration: true, motion: true, bottom: null, ...remembered() };
  let view = null;

  const session = {
    get view() {
      return view;
    },
    club,
    night,
    start,
    stop,
    subscribe(told) {
      watchers.add(told);
      return () => watchers.delete(told);
    },
    send,
    act,
    preview: (type, data, { club: ofClub = false, grant } = {}) => tellNow({ id: newId(), type, data, dry_run: true }, ofClub, grant),
    ask: async (path) => (await ask(`${place}${path}`)).body,
    book,
    undo,
    choose,
    dismiss: (orders) => outbox.drop(orders),
    again: resend,
    look: () => following?.look(),
    prefer,
  };

  async function start() {
    const [seen, kept, commands] = await Promise.all([
      store.kept(`seen:${name}`),
      store.kept(`draft:${name}`),
      store.commandsOf(club, night),
    ]);
    if (seen) ({ state, last, at: seenAt, members } = { members: [], ...seen });
    draft = kept ?? null;
    rows = commands;
    outbox.listen(reread);
    refresh();
    following = follow(night, { club, onState, onContact });
    outbox.flush();
    navigator.storage?.persist?.().catch(() => {});
    return session;
  }

  function stop() {
    following?.stop();
    watchers.clear();
  }

  // What is heard

  async function onState(told) {
    if (state && told.epoch === state.epoch && told.version < state.version) return;
    state = told;
    seenAt = Date.now();
    refresh();
    if (state.hand.number !== last.at(-1)?.hand || last.version !== state.version) await lookBack(state.version);
    await store.keep(`seen:${name}`, { state, last, at: seenAt, members });
    await tidy();
  }

  async function lookBack(version) {
    const after = Math.max(0, state.hand.number - LAST - 1);
    try {
      const [hands, people] = await Promise.all([
        ask(`${place}/nights/${encodeURIComponent(night)}/hands?after=${after}&limit=${LAST + 1}`),
        members.length ? null : ask(`${place}/members`),
      ]);
      if (people?.status === 200) members = people.body.members;
      if (hands.status === 200) last = Object.assign(hands.body.hands, { version });
      refresh();
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
    }
  }

  function onContact(told) {
    contact = told;
    if (told.ok) {
      seenAt = Date.now();
      if (rows.some((row) => row.status === "waiting")) outbox.flush();
    }
    refresh();
  }

  async function reread() {
    rows = await store.commandsOf(club, night);
    if (rows.some((row) => row.status === "recorded" && row.version > (state?.version ?? 0))) following?.look();
    refresh();
    for (const [id, resolve] of answers) {
      const row = rows.find((one) => one.id === id) ?? (await clubRow(id));
      if (row?.status === "waiting") continue;
      answers.delete(id);
      resolve(row ?? { status: "dropped" });
    }
  }

  const clubRow = async (id) => (await store.commandsOf(club, null)).find((row) => row.id === id);

  /** Let go of what is safe: recorded, and either its night closed and in a backup, or long ago. */
  async function tidy() {
    const safe = state.state !== "open" && (state.backed_up_to ?? 0) >= state.position;
    const old = (row) => Date.now() - Date.parse(row.at) > KEPT;
    const done = rows.filter((row) => row.status === "recorded" && row.version <= state.version && (safe || old(row)));
    if (done.length) await outbox.drop(done.map((row) => row.order));
  }

  function refresh() {
    view = projected({ state, last, rows, draft, members });
    Object.assign(view, {
      contact: { ...contact, seenAt, blocked: outbox.sending.blocked },
      role,
      title,
      told: (row) => told(row, view),
      may: (needed) => RANKS.indexOf(role) >= RANKS.indexOf(needed),
      prefs: preferences,
    });
    for (const heard of watchers) heard(view);
  }

  // What is sent

  async function send(type, data, { club: ofClub = false, expected } = {}) {
    const [row] = await outbox.put([command(type, data, { ofClub, expected })]);
    return new Promise((resolve) => answers.set(row.id, resolve));
  }

  const command = (type, data, { ofClub = false, expected } = {}) => ({ club, night: ofClub ? null : night, type, data, expected });

  /** Book the hand by its facts; steps of it that were never sent are told by the facts, and stay here. */
  async function book(facts, { replace = false } = {}) {
    const { number } = view.hand;
    const unsent = rows.filter((row) => row.status === "waiting");
    const steps = unsent.filter((row) => row.data.hand === number && !row.tried);
    const settled = steps.length === unsent.length && !replace;
    const [row] = await outbox.put(
      [command("RecordHand", { ...facts, hand: number }, { expected: settled ? view.version : undefined })],
      steps.map(({ order }) => order),
    );
    await choose(null);
    return new Promise((resolve) => answers.set(row.id, resolve));
  }

  /** Take back the newest: what is chosen, then what was never sent, then what is recorded. Returns the verdict. */
  async function undo() {
    const what = view.undo;
    if (what?.kind === "draft") return choose(null);
    if (what?.kind === "unsent") return outbox.drop([what.order]);
    return what ? send("Undo", { command: what.command }) : null;
  }

  /** Send a refused command again, as a new one: the old id is spent. */
  async function resend(row, changed = {}) {
    const { type, data, night: where } = { ...row, ...changed };
    const [made] = await outbox.put([{ club, night: where, type, data }], [row.order]);
    return new Promise((resolve) => answers.set(made.id, resolve));
  }

  /** Send at once, or not at all. Whoever tries the same again after silence sends it under the same id. */
  async function act(type, data, { club: ofClub = false, expected, grant } = {}) {
    const what = JSON.stringify([type, data, ofClub]);
    const id = acts.get(what) ?? newId();
    acts.set(what, id);
    const body = { id, type, data, at: new Date().toISOString() };
    if (expected !== undefined) body.expected_version = expected;
    const verdict = await tellNow(body, ofClub, grant);
    acts.delete(what);
    following?.look();
    return verdict;
  }

  async function tellNow(body, ofClub, grant) {
    const path = ofClub ? `${place}/commands` : `${place}/nights/${encodeURIComponent(night)}/commands`;
    for (const [index, pause] of RETRIES.entries()) {
      if (pause) await new Promise((go) => setTimeout(go, pause));
      try {
        const found = await tell(path, body, grant ? { headers: { "X-Pin-Grant": grant } } : {});
        if (found.status < 500 && found.status !== 429) return verdict(found);
        if (index === RETRIES.length - 1) return verdict(found);
      } catch (error) {
        if (!(error instanceof Unreachable) || index === RETRIES.length - 1) throw error;
      }
    }
    throw new Unreachable("no answer");
  }

  function verdict({ status, body }) {
    return status < 300 ? body : { ...body, status: "refused", http: status };
  }

  // What is chosen

  /** Keep what is chosen of the hand so far, and how it is being entered; nothing where both are left out. */
  async function choose(facts, mode) {
    draft = mode || Object.keys(facts ?? {}).length ? { hand: view.hand.number, facts: facts ?? {}, mode } : null;
    refresh();
    await store.keep(`draft:${name}`, draft ?? undefined);
  }

  function prefer(changed) {
    preferences = { ...preferences, ...changed };
    try {
      localStorage.setItem(PREFERENCES, JSON.stringify(preferences));
    } catch {
      // a browser that keeps nothing has them until it is closed
    }
    refresh();
  }

  return session;
}

function remembered() {
  try {
    return JSON.parse(localStorage.getItem(PREFERENCES) ?? "{}");
  } catch {
    return {};
  }
}
