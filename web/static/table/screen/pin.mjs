// Somebody's PIN: his leave for one act on a tablet that lies about, of which he is then the actor.

import { tell, Unreachable } from "../api.mjs";
import { html, useEffect, useId, useState } from "../html.mjs";
import { _, n_, name, within } from "../words.mjs";
import { Do, Notice, Pick } from "./fields.mjs";
import { Sheet } from "./sheet.mjs";

const ROLES = ["viewer", "scorekeeper", "treasurer", "owner"];
const KEYS = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "", "0", "⌫"];

export const roleName = (role) =>
  ({ viewer: _("viewer"), scorekeeper: _("scorekeeper"), treasurer: _("treasurer"), owner: _("owner") })[role] ?? role;

/** Ask for the PIN of somebody who may; `done(grant)`, or `done(null)` where nobody gives his leave. */
export function Pin({ session, role, again, done }) {
  const [people, setPeople] = useState(null);
  const [user, setUser] = useState(null);
  const [digits, setDigits] = useState("");
  const [wrong, setWrong] = useState(again ? _("That leave was for another act, or older than a minute. Enter the PIN once more.") : null);
  const [busy, setBusy] = useState(false);
  const id = useId();

  useEffect(() => {
    session.ask("/pins").then(({ users = [] }) => {
      const may = users.filter((one) => ROLES.indexOf(one.role) >= ROLES.indexOf(role));
      setPeople(may);
      if (may.length === 1) setUser(may[0].user);
    }, () => setPeople([]));
  }, []);

  async function enter() {
    setBusy(true);
    try {
      const { status, body } = await tell(`/api/v1/clubs/${encodeURIComponent(session.club)}/pin`, { user, pin: digits });
      if (status === 200) return done(body.grant);
      setWrong(sentence(body, people.find((one) => one.user === user)?.name ?? ""));
      setDigits("");
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      setWrong(_("There is no answer from the club. Try again."));
    } finally {
      setBusy(false);
    }
  }

  function key(one) {
    setDigits(one === "⌫" ? digits.slice(0, -1) : (digits + one).slice(0, 12));
  }

  const foot = html`<span class="soft">${_("After three wrong tries there is a wait, longer each time.")}</span>
    <${Do} act=${enter} busy=${busy} why=${user && digits.length >= 4 ? null : _("Choose who, and enter the PIN.")}>${_("Allow it")}<//>`;
  return html`<${Sheet} title=${_("Who allows it?")} close=${() => done(null)} foot=${foot}>
    <p class="lead">${_("This needs a %(role)s. It is booked in the name of whoever enters the PIN; this device is noted as well.", { role: roleName(role) })}</p>
    ${people === null ? html`<p>${_("One moment…")}</p>` : people.length === 0 ? html`<${Notice}>
      ${_("Nobody who may do this has a PIN yet. He chooses one on his own account page.")}<//>` : html`<${Pick} legend=${_("Who?")}
      options=${people.map((one) => ({ value: one.user, label: html`<bdi>${name(one.name, 28)}</bdi>`, note: roleName(one.role) }))}
      value=${user} set=${(one) => (setUser(one), setDigits(""))} />`}
    ${user ? html`<form class="pin" onSubmit=${(event) => (event.preventDefault(), digits.length >= 4 && enter())}>
      <label for=${id}>${_("PIN")}</label>
      <input id=${id} type="password" inputmode="numeric" autocomplete="off" maxlength="12" value=${digits}
        onInput=${(event) => setDigits(event.target.value.replace(/\D/g, ""))} />
      <div class="keypad">${KEYS.map((one) => (one ? html`<button type="button" class="key" key=${one}
        aria-label=${one === "⌫" ? _("Take the last digit away") : undefined} onClick=${() => key(one)}>${one}</button>` : html`<span></span>`))}</div>
    </form>` : null}
    ${wrong ? html`<${Notice} kind="bad">${wrong}<//>` : null}
  <//>`;
}

function sentence({ code, detail = "" }, who) {
  if (code === "pin_wrong") return _("That is not %(name)s’s PIN. Try again.", { name: within(name(who, 28)) });
  if (code === "password_needed") {
    return _("A PIN is for the club’s own tablets. Here somebody is signed in himself: let whoever may do this sign in.");
  }
  const seconds = Number(/\d+/.exec(detail)?.[0] ?? 0);
  if (code === "too_many_attempts") return n_("Tried too often. Wait %(num)d second.", "Tried too often. Wait %(num)d seconds.", seconds);
  return detail || code;
}
