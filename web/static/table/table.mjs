// The table on a tablet: starts the session of a night, and draws it anew whenever anything is heard or tapped.

import { Felt } from "./felt.mjs";
import { html, render, useEffect, useLayoutEffect, useRef, useState } from "./html.mjs";
import { Bar } from "./screen/bar.mjs";
import { Conflict } from "./screen/conflict.mjs";
import { moveChips, shake, sound } from "./screen/effects.mjs";
import { Last } from "./screen/last.mjs";
import { LeftOpen } from "./screen/leftopen.mjs";
import { Play } from "./screen/play.mjs";
import { asked, booked } from "./screen/spoken.mjs";
import { once } from "./screen/taps.mjs";
import { createSession } from "./session.mjs";
import { stayAwake } from "./wake.mjs";
import { _ } from "./words.mjs";

const IDLE = 180_000; // an unattended tablet returns to the table
const SOON = 1_000;

const place = document.getElementById("screen");
const { club, night, role, title } = document.body.dataset;
const given = JSON.parse(document.getElementById("told").textContent);
const session = createSession({ club, night, role, title, given });

once(place);
await session.start();
render(html`<${Table} />`, place);
stayAwake(() => session.view.night.state === "open");

function Table() {
  const [view, setView] = useState(session.view);
  const [sheet, setSheet] = useState(null);
  useEffect(() => session.subscribe(setView), []);
  const sheets = useSheets(sheet !== null);
  const said = useBookings(view);
  useIdle(() => setSheet(null));

  const open = (name, given = {}) => setSheet({ name, given });
  const close = () => setSheet(null);
  const Shown = sheet && sheets?.[sheet.name];
  return html`
    <${Bar} ...${{ view, session, open }} />
    <main class="table-main" aria-busy=${view.writing ? "true" : undefined}>
      <${Felt} view=${view} bottom=${view.prefs.bottom} tap=${(player) => open("seat", { player })} story=${() => open("pool")} />
      <div class="side">
        <${LeftOpen} ...${{ view, open }} />
        <${Conflict} ...${{ view, session, open }} />
        <${Play} ...${{ view, session, open }} />
        <${Last} ...${{ view, open }} />
      </div>
    </main>
    <p class="only-read" role="status">${said}</p>
    <p class="only-read" role="status">${asked(view)}</p>
    ${sheet && !sheets ? html`<p class="fetching" role="status">${_("Fetching the rest of the table…")}</p>` : null}
    ${Shown ? html`<${Shown} ...${{ view, session, open, close, ...sheet.given }} />` : null}`;
}

/** Say, sound and show each hand once that is booked, here or elsewhere; returns what is read out. */
function useBookings(view) {
  const [said, setSaid] = useState("");
  const next = useRef(null); // the hand in progress when something was said last
  useLayoutEffect(() => {
    const { number } = view.hand;
    if (next.current === null || number < next.current) next.current = number;
    const newest = view.last.findLast((row) => row.hand === number - 1);
    if (number === next.current || !newest) return;
    next.current = number;
    setSaid(booked(newest, view));
    if (view.prefs.sound) sound();
    if (view.prefs.vibration) shake();
    if (view.prefs.motion) moveChips(document.querySelector(".felt"), newest.entries ?? flowsOf(newest));
  }, [view]);
  return said;
}

/** Who gives whom, where a hand was booked elsewhere and its changes alone are known. */
function flowsOf({ changes }) {
  const losers = Object.entries(changes).filter(([, chips]) => chips < 0);
  const winners = Object.entries(changes).filter(([, chips]) => chips > 0);
  return losers.map(([from, chips]) => ({ from, to: winners[0]?.[0] ?? "pool", chips: -chips }));
}

/** What lies around the hands is fetched once they can be played, so that it is there when the network is not. */
function useSheets(wanted) {
  const [sheets, setSheets] = useState(null);
  const [tries, setTries] = useState(0);
  useEffect(() => {
    if (sheets) return;
    const fetched = () => import("./screen/sheets.mjs").then(
      (module) => setSheets(module.sheets),
      () => setTries((count) => count + 1),
    );
    const timer = setTimeout(fetched, wanted && tries === 0 ? 0 : SOON * (1 + Math.min(tries, 4)));
    return () => clearTimeout(timer);
  }, [wanted, tries, sheets]);
  return sheets;
}

/** Call back when nobody has touched the tablet for long. */
function useIdle(rested) {
  useEffect(() => {
    let timer = setTimeout(rested, IDLE);
    const touched = () => {
      clearTimeout(timer);
      timer = setTimeout(rested, IDLE);
    };
    const heard = ["pointerdown", "keydown", "input"];
    for (const one of heard) addEventListener(one, touched, { passive: true });
    return () => {
      clearTimeout(timer);
      for (const one of heard) removeEventListener(one, touched);
    };
  }, []);
}
