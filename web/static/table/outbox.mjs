// An ordered, durable queue of commands, with one sender for a whole browser.
//
// A command is settled only after the server has answered it: it may be sent twice and is never lost, and its id makes
// twice harmless. One goes after the other. Where a step or a hand is refused, what was tapped after it in that night
// waits until somebody has decided: what it was based on is not so. Settled ones stay until their night is closed and
// backed up, in case the club is restored from an older day.

import { ask, newId, tell, Unreachable } from "./api.mjs";
import { callOf, inProgress, isOfHand, otherwise, says, stands, STEPS, unseen } from "./clash.mjs";
import * as store from "./store.mjs";

const CEILING = 5_000; // the longest wait before the next try, unless the server names a longer one
const FIRST = 400;
const LONGEST = 60_000;
const LEASE = 5_000; // renewed while it is needed; a killed tab keeps others waiting for no longer

const me = newId();
const tabs = new BroadcastChannel("kittybook");
const heard = new Set();
let timer = null;
let failures = 0;
let notBefore = 0; // the server asked to be left alone until then
let busy = false;
let again = false;

/**
 * How sending goes: the last status (0: no answer; null: nothing was sent), whether one must sign in, whether the last
 * try did not get through, and whether anything is left to send.
 */
export const sending = { status: null, blocked: false, stuck: false, left: false };

/** Hear of every change to what is kept; with true where another tab made it. Returns how to stop. */
export function listen(heardOf) {
  heard.add(heardOf);
  return () => heard.delete(heardOf);
}

/** A command as it is kept: `{club, night, type, data, expected?, shown?}` with an id, the time of the tap, and waiting. */
export const made = (command) => ({ id: newId(), at: new Date().toISOString(), status: "waiting", ...command });

/** Change what is kept by what is there (see `store.change`), and send what waits then. */
export async function change(decide) {
  const decided = await store.change(decide);
  tellTabs();
  flush();
  return decided;
}

/** Take commands out of the queue: those that were never sent, or that nobody wants any more. */
export const drop = (orders) => change(() => ({ remove: orders }));

/** Send what waits, now. */
export function flush() {
  clearTimeout(timer);
  if (busy) {
    again = true;
    return;
  }
  const early = notBefore - Date.now();
  if (early > 0) {
    timer = setTimeout(flush, early);
    return;
  }
  busy = true;
  alone(drain)
    .catch(() => CEILING) // what is kept could not be read: that passes, or is said elsewhere
    .then((pause) => {
      busy = false;
      if (again) {
        again = false;
        flush();
      } else if (pause) timer = setTimeout(flush, pause);
    });
}

addEventListener("online", flush);
addEventListener("pageshow", flush);
addEventListener("beforeunload", (event) => !store.lasting() && sending.left && event.preventDefault());
document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && flush());
tabs.onmessage = () => {
  for (const one of heard) one(true);
  flush();
};

function tellTabs() {
  tabs.postMessage(null);
  for (const one of heard) one(false);
}

/** Let one tab of a browser alone do something; returns what it did, or how long to wait where another does it. */
async function alone(work) {
  if (navigator.locks) {
    return navigator.locks.request("kittybook-outbox", { ifAvailable: true }, (lock) => (lock ? work() : CEILING));
  }
  if (!(await store.lease("sender", me, LEASE))) return LEASE;
  const renewing = setInterval(() => store.lease("sender", me, LEASE), LEASE / 3);
  try {
    return await work();
  } finally {
    clearInterval(renewing);
    await store.lease("sender", me, -1);
  }
}

/** Send one after another; returns after how long to try again, or null where nothing is left to send. */
async function drain() {
  for (;;) {
    const rows = await store.open();
    sending.left = rows.some((row) => row.status === "waiting");
    const row = first(rows);
    if (!row) return null;
    const pause = await deliver(row).catch((error) => {
      if (error instanceof Unreachable) return wait(0);
      throw error;
    });
    if (pause) return pause;
  }
}

/** The first command that may go: nothing passes one of its night that waits for a decision, but what takes it back. */
function first(rows) {
  const halted = new Set(rows.filter((row) => row.held).map((row) => row.night));
  const refused = new Set(rows.filter((row) => row.status === "refused").map((row) => row.id));
  const goes = (row) => !halted.has(row.night) || (row.type === "Undo" && refused.has(row.data.command));
  return rows.find((row) => row.status === "waiting" && goes(row));
}

async function deliver(row) {
  if (row.type === "Undo" && (await isUndone(row))) return null;
  if (row.type === "RecordHand" && row.expected === undefined) {
    const { pause, found } = await looked(row);
    if (pause) return pause;
    if (found.status) return decide(row, found);
    row = { ...row, ...found };
  }
  const [there] = await marked([{ ...row, tried: true }]);
  if (!there) return null; // it was taken back a moment ago
  const { status, body, retryAfter } = await tell(`${placeOf(row)}/commands`, { commands: [sent(row)] });
  const verdict = body?.verdicts?.[0];
  if (status === 200 && verdict) {
    const pause = await answered(row, verdict);
    if (!pause) went(status);
    return pause;
  }
  if (status === 429 || status >= 500 || status === 401 || status === 403) return wait(status, retryAfter);
  const { code = `http_${status}`, detail, title } = body ?? {};
  return decide(row, { status: "refused", held: isOfHand(row), code, detail: detail ?? title ?? "" });
}

const placeOf = ({ club, night }) =>
  `/api/v1/clubs/${encodeURIComponent(club)}${night ? `/nights/${encodeURIComponent(night)}` : ""}`;

/** Read something of the night of a row: `{body}`, or after how long to try again. */
async function read(row, path = "") {
  const { status, body, retryAfter } = await ask(`${placeOf(row)}${path}`);
  if (status === 200) return { body };
  return status === 404 ? { body: null } : { pause: wait(status, retryAfter) };
}

/** Look whether a booking still is what was shown; returns what is to be written down of it. */
async function looked(row) {
  const { pause, body: state } = await read(row);
  if (pause) return { pause };
  if (!state || state.state !== "open") return { found: {} }; // the answer will say what becomes of it
  const steps = unseen(state, row);
  const changes = steps.length ? null : otherwise(state, row);
  const theirs = { steps, changes, state: seenOf(state), version: state.version, ...by(state.undo) };
  if (steps.length) return { found: { status: "refused", held: true, code: "steps_unseen", theirs } };
  if (changes) return { found: { status: "refused", held: true, code: "comes_otherwise", theirs } };
  return { found: { expected: state.version } };
}

function seenOf(state) {
  const { peeks, bought, bids, took_card } = inProgress(state);
  return { peeks, bought, bids, took_card };
}

const by = (undo) => ({ device: undo?.device ?? null, at: undo?.at ?? null, command: undo?.command ?? null, type: undo?.type ?? null });

/** Write down what a command was answered; what others recorded as well is found out before anybody is asked. */
async function answered(row, { status, code, detail, field, version, position }) {
  const verdict = { code, detail, field, version, position };
  if (status !== "refused") return decide(row, { ...verdict, status: status === "duplicate" ? "recorded" : status });
  if (code === "wrong_version" && row.type === "RecordHand") {
    await marked([{ ...row, expected: undefined, tried: false }]); // others were quicker with something: it is looked at
    return null;
  }
  const refused = { ...verdict, status: "refused" };
  if (!isOfHand(row) || code === "night_closed") return decide(row, refused);
  const settled = code === "hand_settled";
  const { pause, body } = await read(row, settled ? `/hands/${row.data.hand}` : "");
  if (pause) return pause;
  if (body && (settled ? says(body, row) : STEPS.includes(row.type) && stands(body, row))) return decide(row, { status: "recorded", same: true });
  if (settled) return decide(row, { ...refused, theirs: body });
  const call = body && row.data.hand === body.hand.number ? callOf(body.hand.bids, row.data.player) : undefined;
  const theirs = call === undefined ? null : { call, newest: isNewest(body, row.data.player), ...by(body.undo) };
  return decide(row, { ...refused, held: !row.again, theirs });
}

const isNewest = ({ hand, undo }, player) => hand.bids.at(-1)[0] === player && ["BidMade", "Passed", "HandPassedOut"].includes(undo?.type);

/** Whether there is nothing to take back: what was to be undone was refused, and goes with it. */
async function isUndone(row) {
  const target = await store.find(row.data.command);
  if (target?.status !== "refused") return false;
  await drop([row.order, target.order]);
  return true;
}

/** Write down what became of commands; one that was taken out meanwhile stays out. Returns those that are there. */
async function marked(rows) {
  const { put } = await store.change((open) => ({ put: rows.filter((row) => open.some((one) => one.order === row.order)) }));
  return put;
}

async function decide(row, told) {
  const { theirs: _theirs, held: _held, ...kept } = row;
  await marked([{ ...kept, ...told }]);
  tellTabs();
  return null;
}

/** A command as the API takes it. */
export function sent({ id, type, data, at, expected }) {
  return { id, type, data, at, ...(typeof expected === "number" ? { expected_version: expected } : {}) };
}

function went(status) {
  failures = 0;
  Object.assign(sending, { status, blocked: false, stuck: false });
  for (const one of heard) one(false);
}

function wait(status, seconds) {
  failures += 1;
  Object.assign(sending, { status, blocked: status === 401 || status === 403, stuck: true });
  for (const one of heard) one(false);
  const pause = seconds ? Math.min(LONGEST, seconds * 1000) : Math.min(CEILING, FIRST * 2 ** Math.min(failures - 1, 6));
  if (seconds) notBefore = Date.now() + pause;
  return pause;
}
