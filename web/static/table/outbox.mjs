// An ordered, durable queue of commands, with one sender for a whole browser.
//
// A command is marked only after the server has answered it: it may be sent twice and is never lost, and its id makes
// twice harmless. Recorded ones stay until their night is closed and backed up; refused ones wait to be mended.

import { newId, tell, Unreachable } from "./api.mjs";
import * as store from "./store.mjs";

const AT_ONCE = 50;
const CEILING = 5_000; // the longest wait before the next try
const FIRST = 400;
const LEASE = 15_000; // longer than an answer is waited for

const me = newId();
const tabs = new BroadcastChannel("kittybook");
const heard = new Set();
let timer = null;
let failures = 0;
let busy = false;
let again = false;

/** What is known of sending: whether it goes on, and the last status that stopped it (0: no answer, 401: sign in). */
export const sending = { status: null, blocked: false };

/** Hear of every change to what is kept, in whichever tab it was made. Returns how to stop. */
export function listen(heardOf) {
  heard.add(heardOf);
  return () => heard.delete(heardOf);
}

/**
 * Put commands at the end of the queue: `[{club, night, type, data, expected?}]`; `remove` takes out the orders of
 * others that they stand for. Returns them as kept, ids made now.
 */
export async function put(commands, remove = []) {
  const add = commands.map((command) => ({ id: newId(), at: new Date().toISOString(), status: "waiting", ...command }));
  await store.change({ add, remove });
  tellTabs();
  flush();
  return add;
}

/** Take commands out of the queue: those that were never sent, or that nobody wants any more. */
export async function drop(orders) {
  await store.change({ remove: orders });
  tellTabs();
}

/** Send what waits, now. */
export function flush() {
  clearTimeout(timer);
  if (busy) {
    again = true;
    return;
  }
  busy = true;
  alone(drain).then(
    (pause) => {
      busy = false;
      if (again) {
        again = false;
        flush();
      } else if (pause) timer = setTimeout(flush, pause);
    },
    () => {
      busy = false;
      timer = setTimeout(flush, CEILING);
    },
  );
}

addEventListener("online", flush);
addEventListener("pageshow", flush);
document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && flush());
tabs.onmessage = () => {
  for (const one of heard) one();
  flush();
};

function tellTabs() {
  tabs.postMessage(null);
  for (const one of heard) one();
}

/** Let one tab of a browser alone do something; returns what it did, or how long to wait where another does it. */
async function alone(work) {
  if (navigator.locks) {
    return navigator.locks.request("kittybook-outbox", { ifAvailable: true }, (lock) => (lock ? work() : CEILING));
  }
  if (!(await store.lease("sender", me, LEASE))) return CEILING;
  try {
    return await work();
  } finally {
    await store.lease("sender", me, -1);
  }
}

/** Send batch after batch; returns after how long to try again, or null where nothing is left to send. */
async function drain() {
  for (;;) {
    const first = together(await store.waiting());
    const batch = await store.mark(first.map(({ order }) => ({ order, tried: true })));
    if (!batch.length) return null;
    if (!navigator.locks) await store.lease("sender", me, LEASE);
    const pause = await deliver(batch);
    if (pause) return pause;
  }
}

/** Return the first commands that may travel together: of one club and one night. */
function together(rows) {
  if (!rows.length) return rows;
  const [first] = rows;
  const end = rows.findIndex((row) => row.club !== first.club || row.night !== first.night);
  return rows.slice(0, Math.min(end < 0 ? rows.length : end, AT_ONCE));
}

async function deliver(batch) {
  const [{ club, night }] = batch;
  const place = `/api/v1/clubs/${encodeURIComponent(club)}${night ? `/nights/${encodeURIComponent(night)}` : ""}/commands`;
  let found;
  try {
    found = await tell(place, { commands: batch.map(sent) });
  } catch (error) {
    if (error instanceof Unreachable) return wait(0);
    throw error;
  }
  const { status, body, retryAfter } = found;
  if (status === 200 && Array.isArray(body?.verdicts)) {
    const verdicts = body.verdicts;
    failures = 0;
    Object.assign(sending, { status, blocked: false });
    await store.mark(batch.map((row, index) => ({ order: row.order, ...outcome(verdicts[index]) })));
    tellTabs();
    return null;
  }
  if (status === 429 || status >= 500 || status === 401 || status === 403) return wait(status, retryAfter);
  const refused = { status: "refused", code: body?.code ?? `http_${status}`, detail: body?.detail ?? body?.title ?? "" };
  await store.mark(batch.map((row) => ({ order: row.order, ...refused })));
  tellTabs();
  return null;
}

/** A command as the API takes it. */
export function sent({ id, type, data, at, expected }) {
  return { id, type, data, at, ...(expected === undefined ? {} : { expected_version: expected }) };
}

function outcome({ status, code, detail, field, version, position }) {
  const done = status === "recorded" || status === "duplicate" ? "recorded" : status;
  return { status: done, code, detail, field, version, position };
}

function wait(status, seconds) {
  failures += 1;
  Object.assign(sending, { status, blocked: status === 401 || status === 403 });
  for (const one of heard) one();
  return seconds ? seconds * 1000 : Math.min(CEILING, FIRST * 2 ** Math.min(failures - 1, 6));
}
