// Sending at once, or not at all: for what one needs the answer of before one goes on. All else goes by the outbox.

import { newId, tell, Unreachable } from "./api.mjs";
import * as outbox from "./outbox.mjs";
import * as store from "./store.mjs";

const RETRIES = [0, 700, 2000];
const REMEMBERED = 86_400_000; // for so long what was never answered is known again when it is tried once more

/**
 * `{start, preview, act}` for a night of the club at `place`. `command` makes commands, `done` hears when one was
 * answered; what was tried is kept under the night's `name`.
 */
export function direct({ place, night, name, command, done }) {
  const kept = `acts:${name}`;
  let acts = {}; // what was sent and not answered, with the id it had

  async function start() {
    const tried = Object.entries((await store.kept(kept)) ?? {});
    acts = Object.fromEntries(tried.filter(([, { at }]) => Date.now() - Date.parse(at) < REMEMBERED));
  }

  const preview = (type, data, { club: ofClub = false, grant } = {}) => told({ id: newId(), type, data, dry_run: true }, ofClub, grant);

  /** Return the verdict. Whoever tries the same again after silence sends it under the same id. Throws `Unreachable`. */
  async function act(type, data, { club: ofClub = false, expected, grant } = {}) {
    const what = JSON.stringify([type, data, ofClub]);
    const row = command(type, data, { ofClub, ...acts[what] });
    acts[what] = { id: row.id, at: row.at };
    await store.keep(kept, acts);
    const verdict = await told(outbox.sent({ ...row, expected }), ofClub, grant);
    delete acts[what];
    await store.keep(kept, acts);
    const { status, version } = verdict;
    if (status === "recorded" || status === "duplicate") await outbox.change(() => ({ add: [{ ...row, status: "recorded", version }] }));
    done();
    return verdict;
  }

  async function told(body, ofClub, grant) {
    const path = ofClub ? `${place}/commands` : `${place}/nights/${encodeURIComponent(night)}/commands`;
    for (const [index, pause] of RETRIES.entries()) {
      if (pause) await new Promise((go) => setTimeout(go, pause));
      try {
        const found = await tell(path, body, grant ? { headers: { "X-Pin-Grant": grant } } : {});
        if (found.status < 500 && found.status !== 429) return verdictOf(found);
        if (index === RETRIES.length - 1) return verdictOf(found);
      } catch (error) {
        if (!(error instanceof Unreachable) || index === RETRIES.length - 1) throw error;
      }
    }
    throw new Unreachable("no answer");
  }

  return { start, preview, act };
}

function verdictOf({ status, body }) {
  return status < 300 ? body : { code: `http_${status}`, detail: "", ...body, status: "refused", http: status };
}
