// Which night a screen shows: the one in its address, or the one that is open, and then the next.

import { ask } from "./api.mjs";
import { follow } from "./follow.mjs";

const PAUSE = 3_000;

/**
 * Keep a screen up with a night. `onView(view)` comes whenever anything is new:
 * `{state, hands, tables, choice, none, contact}`, where `choice` are the tables to choose from while several nights are
 * open, and `none` says that there is no night yet.
 */
export function keepTo({ club, night, table }, onView) {
  const place = `/api/v1/clubs/${encodeURIComponent(club)}`;
  let view = { state: null, hands: [], tables: [], choice: null, none: false, contact: null };
  let current = null;
  let timer = null;
  let seeking = false;

  const tell = (more) => onView((view = { ...view, ...more }));
  const heard = ({ at, ok, status, live }) =>
    tell({ contact: { at, ok, status, live, good: ok ? at : (view.contact?.good ?? null) } });

  function stay(id) {
    current = id;
    follow(id, {
      club,
      hands: true,
      onState(state, hands) {
        tell({ state, hands, choice: null, none: false });
        if (state.state !== "open") seekLater();
      },
      onContact: heard,
      onHint({ night: other }) {
        if (other !== null && other !== id && view.state?.state !== "open") seek();
      },
    });
  }

  async function seek() {
    if (seeking) return;
    seeking = true;
    let status = 0;
    try {
      status = await found();
    } catch {
      // nothing was heard: said below, and tried again
    }
    seeking = false;
    if (!current) heard({ at: Date.now(), ok: status === 200, status, live: false });
    if (status === 401) return;
    const settled = night ? status === 200 : view.state?.state === "open" && current;
    if (!settled) seekLater();
  }

  function seekLater() {
    clearTimeout(timer);
    if (!night || !view.tables.length) timer = setTimeout(seek, PAUSE);
  }

  async function found() {
    if (document.visibilityState === "hidden") return 0;
    const { status, body } = await ask(`${place}/tables?all=true&limit=1000`);
    if (status !== 200) return status;
    tell({ tables: body.tables });
    if (night) return status;
    const open = body.tables.filter((one) => one.open_night && (!table || one.id === table));
    if (open.some((one) => one.open_night === current)) return status;
    if (open.length === 1) stay(open[0].open_night);
    else if (open.length) tell({ choice: open });
    else if (!current) {
      const last = await lastNight();
      if (last) stay(last);
      else tell({ none: true });
    }
    return status;
  }

  async function lastNight() {
    let last = null;
    for (let after = ""; after !== null; ) {
      const query = `${table ? `&table=${encodeURIComponent(table)}` : ""}${after ? `&after=${encodeURIComponent(after)}` : ""}`;
      const { body } = await ask(`${place}/nights?limit=1000${query}`);
      last = body.nights?.at(-1)?.night ?? last;
      after = body.next ?? null;
    }
    return last;
  }

  addEventListener("online", () => !current && seek());
  document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && !current && seek());
  if (night) stay(night);
  seek();
}

/** What the table of a view is called. */
export function tableName(view) {
  return view.tables.find((one) => one.id === view.state?.table)?.name ?? "";
}
