// Doing something at once: the answer, what was refused, and a PIN where somebody else's leave is needed.

import { Unreachable } from "../api.mjs";
import { html, useRef, useState } from "../html.mjs";
import { _, name } from "../words.mjs";
import { Notice } from "./fields.mjs";
import { Pin } from "./pin.mjs";

const NEEDS_LEAVE = ["role_needed", "grant_wrong"]; // the second: the PIN was for another act, or more than a minute ago
const QUICK = 1500; // so long an answer is waited for before one says that it is on its way

/**
 * What a sheet acts with: `run(what, work)` does `work(grant)` and returns its verdict, or null where it was refused,
 * not answered, or given up; `wrong` is what to show of that, `pin` the sheet that asks for a PIN. One leave is good
 * for one act: tried out and then booked, under one name of `what`.
 */
export function useActs(session) {
  const [busy, setBusy] = useState(false);
  const [wrong, setWrong] = useState(null);
  const [asked, ask] = useState(null);
  const leave = useRef({});

  const asking = (role, again) => new Promise((resolve) => ask({ role, again, resolve }));

  async function run(what, work) {
    setBusy(true);
    setWrong(null);
    if (leave.current.what !== what) leave.current = { what };
    try {
      for (;;) {
        const verdict = await work(leave.current.grant);
        if (verdict.status !== "refused") {
          if (verdict.status !== "preview") leave.current = {};
          return verdict;
        }
        if (!NEEDS_LEAVE.includes(verdict.code)) {
          setWrong(verdict);
          return null;
        }
        leave.current.role = verdict.role ?? leave.current.role ?? "treasurer";
        leave.current.grant = await asking(leave.current.role, verdict.code === "grant_wrong");
        if (!leave.current.grant) return null;
      }
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      setWrong({ code: "unreachable" });
      return null;
    } finally {
      setBusy(false);
    }
  }

  function answered(grant) {
    ask(null);
    asked.resolve(grant);
  }

  const pin = asked ? html`<${Pin} session=${session} role=${asked.role} again=${asked.again} done=${answered} />` : null;
  return { session, run, busy, wrong, clear: () => setWrong(null), pin };
}

/** What was refused, in words; nothing that was filled in is lost by it. */
export function Wrong({ of, names = {} }) {
  if (!of) return null;
  return html`<${Notice} kind="bad">${refusal(of, names)}<//>`;
}

/** A refusal as people read it: with names where the server says ids. */
export function refusal({ code, detail }, names = {}) {
  const own = {
    unreachable: _("There is no answer from the club. Nothing was lost: try again when the network is back. What did arrive is not done twice."),
    wrong_version: _("Somebody recorded something meanwhile. This is what it would do now."),
    hand_open: _("A hand is in progress. Finish it, or declare a misdeal, and then come back."),
  }[code];
  if (own) return own;
  const words = (detail || code || "").replace(/[\p{L}\d][\p{L}\d._-]*/gu, (word) => {
    const bare = word.replace(/[.]+$/, "");
    return Object.hasOwn(names, bare) ? name(names[bare], 28) + word.slice(bare.length) : word;
  });
  return words;
}

/** Something sent by way of the outbox: what was answered, or null while it is still on its way. */
export function soon(sending) {
  return Promise.race([sending, new Promise((go) => setTimeout(() => go(null), QUICK))]);
}

/** Why something must wait, where it needs the network and there is none. */
export function waits({ contact }) {
  return contact.ok === false ? _("Waits for the network.") : null;
}
