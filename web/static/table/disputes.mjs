// *I disagree*: kept on the device from the tap on, under an id made then, and sent until it is answered. Recorded once.

import { newId, tell } from "./api.mjs";

const KEY = "kittybook.disputes";
const AGAIN = 3_000;
const MOST = 50;

let timer = null;
let sending = false;
let listeners = [];
let kept = null; // where a browser keeps nothing, this is all there is

/**
 * What this device has said, newest last: `{id, club, night, hand, player, note, at, status, why, position}`, where `status` is
 * waiting, recorded (at a position of the book) or refused.
 */
export function disputes() {
  try {
    return JSON.parse(localStorage.getItem(KEY)) ?? kept ?? [];
  } catch {
    return kept ?? [];
  }
}

/** Say that a hand was otherwise; it is kept before anything is sent. */
export function disagree({ club, night, hand, player, note }) {
  keep([...disputes(), { id: newId(), club, night, hand, player, note, at: new Date().toISOString(), status: "waiting" }]);
  send();
}

/** Hear of every change, and send what waits from an earlier time. Returns what ends it. */
export function onDisputes(listener) {
  listeners.push(listener);
  send();
  return () => (listeners = listeners.filter((one) => one !== listener));
}

/** Send what waits, in order; again and again until each is answered. */
export async function send() {
  clearTimeout(timer);
  if (sending) return;
  sending = true;
  try {
    for (const one of disputes().filter(({ status }) => status === "waiting")) {
      const place = `/api/v1/clubs/${encodeURIComponent(one.club)}/nights/${encodeURIComponent(one.night)}/commands`;
      const data = { hand: one.hand, player: one.player, note: one.note };
      const { status, body } = await tell(place, { id: one.id, type: "Dispute", data, at: one.at });
      if (status < 300) change(one.id, { status: "recorded", position: body.position });
      else if (status < 500 && status !== 401 && status !== 429) change(one.id, { status: "refused", why: body?.detail });
      else break; // busy, or to be signed in anew: it stays, and is sent again
    }
  } catch {
    // no network: the same is sent again, under the same id
  }
  sending = false;
  if (disputes().some(({ status }) => status === "waiting")) timer = setTimeout(send, AGAIN);
}

function change(id, more) {
  keep(disputes().map((one) => (one.id === id ? { ...one, ...more } : one)));
}

function keep(all) {
  kept = all.slice(-MOST);
  try {
    localStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    // full, or not allowed: it is sent all the same, as long as the page is open
  }
  for (const listener of listeners) listener(all);
}

addEventListener("online", send);
