// Keeps a page up with a night: hints tell when to look, looking tells what is so, and a lost network is come back from.

import { ask } from "./api.mjs";

const SLOW = 15_000; // between looks while hints come
const QUICK = 3_000; // and while none do
const CEILING = 5_000; // the longest wait after a look that failed
const FIRST = 500;

let running = null; // a page has one stream of hints at most: each holds a thread of the server

/**
 * Follow a night until stopped.
 *
 * `onState(state, hands)` comes with every state that is new; with `hands: true` the night's hands come with it.
 * `onContact({at, ok, status, live})` comes after every try: when it ended, whether the server answered with what was
 * asked for, the status (0: no answer), and whether hints come. `onHint(hint)` hears of every night of the club.
 * 401 ends it: whoever looks must sign in, or be paired, anew. Returns `{look, stop}`.
 */
export function follow(night, { club = document.body.dataset.club, hands = false, onState, onContact, onHint } = {}) {
  running?.stop();
  const place = `/api/v1/clubs/${encodeURIComponent(club)}`;
  const here = `${place}/nights/${encodeURIComponent(night)}`;
  let source = null;
  let live = false;
  let seen = { etag: null, position: null };
  let timer = null;
  let reopening = null;
  let failures = 0;
  let flight = null; // the look that is under way
  let again = false; // something happened meanwhile
  let stopped = false;

  const visible = () => document.visibilityState !== "hidden";

  function look() {
    if (stopped) return;
    clearTimeout(timer);
    if (flight) {
      again = true;
      return;
    }
    again = false;
    const mine = (flight = new AbortController());
    attempt(mine.signal)
      .then((status) => ({ status, ok: status === 200 || status === 304 }), () => ({ status: 0, ok: false }))
      .then(({ status, ok }) => {
        if (stopped || flight !== mine) return;
        flight = null;
        failures = ok ? 0 : failures + 1;
        onContact?.({ at: Date.now(), ok, status, live });
        if (status === 401) stop();
        else if (again) look();
        else later();
      });
  }

  /** Look at once, whatever is under way: it may hang in a network that is no longer there. */
  function lookAnew() {
    flight?.abort();
    flight = null;
    failures = 0;
    look();
  }

  async function attempt(signal) {
    const found = await ask(here, { etag: seen.etag, signal });
    if (found.status !== 200) return found.status;
    const rows = hands ? await everyHand(signal) : { status: 200 };
    if (rows.status !== 200) return rows.status;
    if (!signal.aborted && !stopped) {
      seen = { etag: found.etag, position: found.body.position };
      onState?.(found.body, rows.hands);
    }
    return 200;
  }

  async function everyHand(signal) {
    const all = [];
    for (let after = 0; after !== null; ) {
      const { status, body } = await ask(`${here}/hands?after=${after}&limit=500`, { signal });
      if (status !== 200) return { status };
      all.push(...body.hands);
      after = body.next;
    }
    return { status: 200, hands: all };
  }

  function later() {
    if (stopped || !visible()) return;
    const wait = failures ? Math.min(CEILING, FIRST * 2 ** (failures - 1)) : live ? SLOW : QUICK;
    timer = setTimeout(look, wait);
  }

  function listen() {
    clearTimeout(reopening);
    if (stopped || source || !visible()) return;
    source = new EventSource(`${place}/live`);
    source.onopen = () => {
      live = true;
      look(); // between the last look and the first hint anything may have happened
    };
    source.onmessage = ({ data }) => {
      live = true;
      const hint = JSON.parse(data);
      onHint?.(hint);
      const concerns = hint.night === null || hint.night === night; // a night's names and rules are the club's
      if (concerns && hint.position !== seen.position) look();
    };
    source.onerror = () => {
      live = false;
      if (source?.readyState === EventSource.CLOSED) {
        hush(); // refused: full, or not for us; looking goes on, and tells which
        reopening = setTimeout(listen, SLOW);
      }
      look();
    };
  }

  function hush() {
    clearTimeout(reopening);
    source?.close();
    source = null;
    live = false;
  }

  function comeBack() {
    hush(); // it may be half open, and nobody would know
    listen();
    lookAnew();
  }

  function turn() {
    if (visible()) comeBack();
    else {
      clearTimeout(timer);
      hush();
    }
  }

  function stop() {
    stopped = true;
    clearTimeout(timer);
    hush();
    flight?.abort();
    document.removeEventListener("visibilitychange", turn);
    removeEventListener("online", comeBack);
    removeEventListener("offline", lookAnew);
    removeEventListener("pageshow", returned);
    if (running === self) running = null;
  }

  function returned(event) {
    if (event.persisted) comeBack();
  }

  document.addEventListener("visibilitychange", turn);
  addEventListener("online", comeBack);
  addEventListener("offline", lookAnew);
  addEventListener("pageshow", returned);
  const self = (running = { look, stop });
  listen();
  look();
  return self;
}
