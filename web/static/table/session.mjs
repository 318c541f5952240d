// What a table screen knows: what the server last told, what waits to be told to it, and what is chosen so far.
//
// A view is worked out of the three anew at every change. Nothing else sends, and nothing else says what is so.

import { ask, Unreachable } from "./api.mjs";
import { isOfHand, seen, shown, STEPS } from "./clash.mjs";
import { direct } from "./direct.mjs";
import { follow } from "./follow.mjs";
import { forms } from "./forms.mjs";
import * as outbox from "./outbox.mjs";
import { projected } from "./projection.mjs";
import { told } from "./screen/spoken.mjs";
import * as store from "./store.mjs";

const LAST = 3; // so many of the last hands are shown beside the table
const KEPT = 30 * 86_400_000; // what is recorded, of nights that never close, is let go of after so long
const RETURN = 5_000; // between looks whether a device that was not let in is let in again
const PROMPT = 3_000; // so long a button that takes back waits for its answer
const RANKS = ["viewer", "scorekeeper", "treasurer", "owner"];
const PREFERENCES = "kittybook-table";

/**
 * Open the session of a night: `{club, night, role, title}` of the page, and the `{state, hands, members}` that it
 * carries: what the API would say first. Returns what screens call; see `view`.
 */
export function createSession({ club, night, role, title, given }) {
  const place = `/api/v1/clubs/${encodeURIComponent(club)}`;
  const name = `${club}/${night}`;
  const kept = { seen: `seen:${name}`, draft: `draft:${name}` };
  const watchers = new Set();
  const answers = new Map(); // of commands whose sender waits to hear
  let { state, members } = given;
  let last = newest(given.hands, state.position);
  let epoch = null;
  let rows = [];
  let tapped = []; // commands that are being written down: shown at once, however slow the disk is
  const writing = new Set();
  let draft = null; // {hand, facts, mode, at}
  let asked = 0; // looks at what is kept, and the newest that was answered
  let read = 0;
  let choosing = 0; // drafts that are being written down
  let contact = { at: null, ok: null, status: null };
  let seenAt = null;
  let following = null;
  let returning = null;
  let preferences = { sound: true, vibration: true, motion: true, bottom: null, quick: false, ...remembered() };
  let view = null;

  const command = (type, data, { ofClub = false, ...more } = {}) => outbox.made({ club, night: ofClub ? null : night, type, data, ...more });
  const answer = ({ id }) => new Promise((resolve) => answers.set(id, resolve));
  const { act, preview, start: knowTried } = direct({ place, night, name, command, done: () => following?.look() });
  const { left, fill, start: knowFilled } = forms(name);

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
    preview,
    ask: async (path) => (await ask(`${place}${path}`)).body,
    book,
    undo,
    choose,
    left,
    fill,
    dismiss,
    again: resend,
    keepTheirs,
    replaceTheirs,
    look: () => following?.look(),
    prefer,
  };

  async function start() {
    const [before, chosen] = await Promise.all([store.kept(kept.seen), store.kept(kept.draft), knowTried(), knowFilled()]);
    seenAt = before?.at ?? null;
    if (before && !isNewer(state, before.state)) ({ state, last, members } = before); // a page that a browser had kept
    draft = chosen ?? null;
    rows = await ours();
    outbox.listen(reread);
    refresh();
    begin();
    outbox.flush();
    navigator.storage?.persist?.().catch(() => {});
    return session;
  }

  function begin() {
    following = follow(night, { club, onState, onContact });
  }

  function stop() {
    clearTimeout(returning);
    following?.stop();
    watchers.clear();
  }

  const isOurs = (row) => row.club === club && (row.night === night || row.night === null);
  const ours = async () => (await store.open()).filter(isOurs);

  async function refreshRows() {
    const mine = (asked += 1);
    const found = await ours();
    if (mine < read) return; // a later look was quicker
    read = mine;
    rows = found;
    tapped = tapped.filter((row) => !row.written && !found.some(({ id }) => id === row.id));
  }

  // What is heard

  async function onState(heard) {
    if (heard.epoch !== epoch) {
      epoch = heard.epoch;
      if (await store.offerAgain(name, epoch, isOurs)) outbox.flush(); // an older book is open: it is told again
      await refreshRows();
      await store.forget(() => false, Date.now() - KEPT);
    }
    if (!isNewer(heard, state)) return;
    state = heard;
    seenAt = Date.now();
    refresh();
    if (last.position !== state.position) await lookBack(state.position);
    await store.keep(kept.seen, { state, last, at: seenAt, members });
    await tidy();
  }

  async function lookBack(position) {
    const after = Math.max(0, state.hand.number - LAST - 1);
    try {
      const [hands, people] = await Promise.all([
        ask(`${place}/nights/${encodeURIComponent(night)}/hands?after=${after}&limit=${LAST + 1}`),
        members.length ? null : ask(`${place}/members`),
      ]);
      if (people?.status === 200) members = people.body.members;
      if (hands.status === 200) last = newest(hands.body.hands, position);
      refresh();
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
    }
  }

  function onContact(heard) {
    contact = heard;
    if (heard.ok) {
      seenAt = Date.now();
      if (rows.some((row) => row.status === "waiting")) outbox.flush();
    }
    if (heard.status === 401) returning = setTimeout(begin, RETURN); // it may be paired again, in another tab
    refresh();
  }

  async function reread(elsewhere) {
    if (elsewhere && !choosing) draft = (await store.kept(kept.draft)) ?? null;
    await refreshRows();
    if (rows.some((row) => row.night && row.status === "recorded" && row.version > state.version)) following?.look();
    refresh();
    for (const [id, resolve] of answers) {
      const row = rows.find((one) => one.id === id) ?? (await store.find(id));
      if (row?.status === "waiting") continue;
      answers.delete(id);
      resolve(row ?? { status: "dropped" });
    }
    await tidy();
  }

  /** Put away what the state shown counts already, and let go of it once the night is closed and in a backup. */
  async function tidy() {
    const isCounted = (row) => row.status === "recorded" && (row.same || row.night === null || row.version <= state.version);
    if (rows.some(isCounted)) {
      await store.change((open) => ({ settle: open.filter((row) => isOurs(row) && isCounted(row)) }));
      rows = rows.filter((row) => !isCounted(row));
    }
    if (state.state !== "open" && (state.backed_up_to ?? 0) >= state.position) {
      await store.forget((row) => row.club === club && row.night === night, Date.now() - KEPT);
    }
  }

  function refresh() {
    const { blocked, stuck } = outbox.sending;
    view = projected({ state, last, rows: [...rows, ...tapped], draft, members });
    Object.assign(view, {
      contact: { ...contact, seenAt, blocked, stuck, lasting: store.lasting() },
      writing: writing.size + choosing > 0,
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
    const row = command(type, data, { ofClub, expected });
    tapped.push(row);
    refresh();
    const written = outbox.change(() => ({ add: [row] })).finally(() => {
      row.written = true;
      writing.delete(written);
      refresh();
    });
    writing.add(written);
    const answered = answer(row);
    await written;
    return answered;
  }

  /**
   * Book the hand by its facts; steps of it that were never sent, or were refused, are told by the facts. It goes
   * through as long as it comes to what is shown now: see clash.mjs.
   */
  async function book(facts) {
    const { hand, version } = view;
    if (draft && draft.hand !== hand.number) return { status: "dropped" }; // booked elsewhere a moment ago: that is said
    const before = shown(view, facts);
    const chosen = draft;
    const { add: [row] } = await outbox.change((open) => {
      const own = open.filter((one) => isOurs(one) && (one.status !== "recorded"));
      const ofThis = own.filter(({ data }) => data.hand === hand.number);
      if (ofThis.some((one) => one.type === "RecordHand" && one.status === "waiting")) return { add: [] }; // tapped twice
      const toldSo = ofThis.filter((one) => STEPS.includes(one.type) && (one.status === "refused" || !one.tried));
      const steps = toldSo.filter((one) => one.status === "waiting");
      const alone = own.every((one) => one.status !== "waiting" || toldSo.includes(one));
      const instead = { steps, draft: chosen };
      const data = { ...facts, hand: hand.number };
      return {
        add: [command("RecordHand", data, { expected: alone ? version : undefined, shown: before, instead })],
        remove: toldSo.map(({ order }) => order),
        keep: { [kept.draft]: undefined },
      };
    });
    if (draft === chosen) draft = null;
    refresh();
    return row ? answer(row) : { status: "dropped" };
  }

  /** Take back the newest: what is chosen, then what was never sent, then what is recorded. Returns the verdict. */
  async function undo() {
    if (writing.size) {
      await Promise.allSettled(writing);
      await refreshRows();
      refresh();
    }
    const what = view.undo;
    if (!what) return null;
    if (what.kind === "draft") return choose(null);
    if (what.kind === "unsent" && (await withdrawn(what.order))) return null;
    const waited = new Promise((go) => setTimeout(() => go(null), PROMPT));
    return Promise.race([send("Undo", { command: what.command }), waited]);
  }

  /** Take out a command that was never sent; a hand becomes what it was before it was booked. */
  async function withdrawn(order) {
    let found;
    await outbox.change((open) => {
      found = open.find((row) => row.order === order && row.status === "waiting" && !row.tried);
      if (!found) return {}; // it went out a moment ago
      const before = found.instead;
      return { remove: [order], put: before?.steps ?? [], keep: before ? { [kept.draft]: before.draft ?? undefined } : {} };
    });
    if (found?.instead) draft = found.instead.draft;
    refresh();
    return found !== undefined;
  }

  /** Want refused commands no more; hands that waited behind one that is in no book move up. */
  async function dismiss(orders) {
    await outbox.change((open) => {
      const gone = open.find((row) => orders.includes(row.order) && row.held && row.type === "RecordHand");
      return { remove: orders, ...(gone ? movedUp(open, gone.order, state.hand.number) : {}) };
    });
  }

  /** Send a refused command again in its place, as a new one; what waits behind it follows in number. */
  async function resend(row, { data = row.data, ...more } = {}) {
    const { order, club: where, night: when, type, shown: before, theirs } = row;
    const known = before && { ...before, changes: null, ...(theirs?.state ? seen(theirs.state) : {}) };
    const mended = { ...outbox.made({ club: where, night: when, type, data, ...(known ? { shown: known } : {}) }), ...more, order };
    await outbox.change((open) => ({
      put: [mended, ...(type === "RecordHand" ? (movedUp(open, order, data.hand + 1).put ?? []) : [])],
    }));
    return answer(mended);
  }

  /** Hands that wait behind a command, and the draft, with the numbers from `next` on. */
  function movedUp(open, after, next) {
    const rest = open.filter((row) => isOurs(row) && row.order > after && row.status === "waiting" && isOfHand(row));
    const numbers = [...new Set(rest.map((row) => row.data.hand))].sort((one, other) => one - other);
    const moved = (hand) => next + (numbers.includes(hand) ? numbers.indexOf(hand) : numbers.length);
    const put = rest.map((row) => ({ ...row, data: { ...row.data, hand: moved(row.data.hand) } }));
    if (draft && draft.hand > next) draft = { ...draft, hand: moved(draft.hand) };
    return { put, keep: { [kept.draft]: draft ?? undefined } };
  }

  /** Keep what others recorded: one's own goes, or, of a hand that is booked, takes their steps in. */
  async function keepTheirs(row) {
    const { peeks, bought, took_card } = row.theirs?.state ?? {};
    if (row.code !== "steps_unseen") return dismiss([row.order]);
    const { data, theirs: { version } } = row;
    const whole = { ...data };
    if (peeks?.length) whole.peeks = [...new Set([...(data.peeks ?? []), ...peeks])];
    if (Object.keys(bought ?? {}).length) whole.bought = { ...data.bought, ...bought };
    if (took_card !== null && took_card !== undefined) whole.took_card = took_card;
    return resend(row, { data: whole, expected: version });
  }

  /** Put one's own in the place of what others recorded: `reason` is for the book. Returns a verdict that refuses it, or null. */
  async function replaceTheirs(row, reason) {
    const { hand, ...facts } = row.data;
    if (row.code === "hand_settled" && row.type === "RecordHand") {
      const verdict = await act("CorrectHand", { hand, facts, reason });
      if (verdict.status === "refused") return verdict;
      await dismiss([row.order]);
      return null;
    }
    if (row.type !== "RecordHand") {
      const verdict = await withoutCall(row.data);
      if (verdict) return verdict;
    }
    resend(row, row.theirs?.version ? { expected: row.theirs.version } : {});
    return null;
  }

  /** Take back a call that stands in the auction, and what was called after it; a verdict says why it cannot be. */
  async function withoutCall({ hand, player }) {
    for (;;) {
      const { body } = await ask(`${place}/nights/${encodeURIComponent(night)}`);
      const stands = body?.hand?.number === hand && body.hand.bids.some(([who]) => who === player);
      if (!stands || !["BidMade", "Passed"].includes(body.undo?.type)) return null;
      const verdict = await act("Undo", { command: body.undo.command });
      if (verdict.status === "refused") return verdict;
    }
  }

  // What is chosen

  /** Keep what is chosen of the hand so far, and how it is being entered; nothing where both are left out. */
  async function choose(facts, mode) {
    const some = mode || Object.keys(facts ?? {}).length;
    draft = some ? { hand: view.hand.number, facts: facts ?? {}, mode, at: Date.now() } : null;
    choosing += 1;
    refresh();
    try {
      await store.keep(kept.draft, draft ?? undefined);
    } finally {
      choosing -= 1;
      refresh();
    }
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

/** Whether a state is at least as new as one that is known; of another history of the club it always is. */
const isNewer = (heard, known) => heard.epoch !== known.epoch || heard.version >= known.version;

/** The last hands, and how far the book went when they were so. */
const newest = (hands, position) => Object.assign(hands, { position });

function remembered() {
  try {
    return JSON.parse(localStorage.getItem(PREFERENCES) ?? "{}");
  } catch {
    return {};
  }
}
