// Who sits where: somebody comes, somebody leaves, the order, and who deals.

import { newId } from "../api.mjs";
import { html, useEffect, useRef, useState } from "../html.mjs";
import { _, name, number, within } from "../words.mjs";
import { soon, waits, Wrong } from "./acts.mjs";
import { called, Do, Notice, Pick, Who, Words } from "./fields.mjs";
import { useFilled } from "./resumed.mjs";
import { Sheet } from "./sheet.mjs";

const MANY = 12; // members, beyond which one types the beginning of a name

/** The seats of the night; what is changed here holds from the next deal on. */
export function Seats({ view, session, close }) {
  const { names } = view;
  const seated = view.players.filter((one) => one.seated).toSorted((one, other) => one.seat - other.seat).map((one) => one.id);
  const form = useFilled(session, "seats", { order: null });
  const { order } = form.filled;
  const reorder = (next) => form.fill({ order: next });
  const [coming, setComing] = useState(false);
  const [leaving, setLeaving] = useState(null);
  const [said, say] = useState("");
  const shown = order && order.length === seated.length && order.every((one) => seated.includes(one)) ? order : seated;
  const moved = shown.some((one, at) => one !== seated[at]);
  const dealer = view.hand?.dealer;

  /** By way of the outbox: it works without a network, and is sent when there is one. */
  async function send(type, data, words) {
    const verdict = await soon(session.send(type, data));
    if (verdict?.status === "refused") return say("");
    say(verdict ? words : _("%(what)s It is sent when the network is back.", { what: words }));
  }

  function leaves(player) {
    setLeaving(null);
    send("UnseatPlayer", { player }, _("%(name)s has left the table.", { name: called(names, player) }));
  }

  function keep() {
    form.empty();
    send("Reseat", { players: shown }, _("The seats are changed."));
  }

  function move(player, to) {
    if (to < 0 || to >= shown.length) return;
    const rest = shown.filter((one) => one !== player);
    reorder([...rest.slice(0, to), player, ...rest.slice(to)]);
  }

  if (coming) return html`<${Coming} ...${{ view, session, close, seated, send, say, back: () => setComing(false) }} />`;
  const wrong = view.refused.filter((row) => ["SeatPlayer", "UnseatPlayer", "Reseat", "SetDealer", "AddMember"].includes(row.type));
  return html`<${Sheet} title=${_("Seats")} close=${close} said=${said} foot=${moved ? html`
    <button type="button" class="button quiet" onClick=${() => form.empty()}>${_("As they were")}</button>
    <${Do} act=${keep}>${_("Keep this order")}<//>` : html`
    <${Do} act=${() => (say(""), setComing(true))}>${_("Somebody sits down")}<//>`}>
    <${Wrong} of=${wrong.at(-1)} names=${names} />
    <p class="soft">${_("Clockwise. What is changed counts from the next deal on.")}</p>
    <${Order} ...${{ shown, names, dealer, move }} below=${(player) => (player === leaving ? html`<${Leaving} name=${called(names, player)}
      stay=${() => setLeaving(null)} leave=${() => leaves(player)} />` : null)} actions=${(player) => html`
      <button type="button" class="button quiet small" aria-pressed=${String(player === dealer)} disabled=${player === dealer}
        onClick=${() => send("SetDealer", { player }, _("%(name)s deals next.", { name: called(names, player) }))}>${player === dealer ? _("Deals") : _("Deals next")}</button>
      <button type="button" class="button quiet small" onClick=${() => setLeaving(player)}>${_("Leaves")}</button>`} />
    ${seated.length ? null : html`<p class="lead">${_("Nobody is seated.")}</p>`}
  <//>`;
}

/** The order, moved by dragging a handle or by arrows. */
function Order({ shown, names, dealer, move, actions, below }) {
  const list = useRef(null);
  const [held, hold] = useState(null);

  function drag(event) {
    if (held === null) return;
    const rows = [...list.current.children];
    const at = rows.findIndex((row) => event.clientY < row.getBoundingClientRect().bottom);
    const to = at < 0 ? rows.length - 1 : at;
    if (shown[to] !== held) move(held, to);
  }

  return html`<ol class="chairs" ref=${list}>${shown.map((player, at) => html`<li key=${player} class=${held === player ? "chair held" : "chair"}>
    <button type="button" class="handle" aria-hidden="true" tabindex="-1" onPointerDown=${(event) => (event.target.setPointerCapture?.(event.pointerId), hold(player))}
      onPointerMove=${drag} onPointerUp=${() => hold(null)} onPointerCancel=${() => hold(null)}>
      <svg viewBox="0 0 24 24" aria-hidden="true"><path d="M5 9h14M5 15h14" /></svg></button>
    <span class="chair-name"><span class="soft">${number(at + 1)}</span> <strong><${Who} id=${player} names=${names} /></strong>
      ${player === dealer ? html` <span class="tag">${_("dealer")}</span>` : null}</span>
    <span class="chair-moves">
      <button type="button" class="nudge" aria-label=${_("%(name)s one seat up", { name: called(names, player) })} disabled=${at === 0}
        onClick=${() => move(player, at - 1)}>↑</button>
      <button type="button" class="nudge" aria-label=${_("%(name)s one seat down", { name: called(names, player) })} disabled=${at === shown.length - 1}
        onClick=${() => move(player, at + 1)}>↓</button>
      ${actions(player)}</span>
    ${below(player)}
  </li>`)}</ol>`;
}

/** Asked once, where it was tapped. */
function Leaving({ name: who, stay, leave }) {
  const asked = useRef(null);
  useEffect(() => asked.current.focus(), []);
  return html`<div class="question" role="group" aria-label=${_("Does he leave?")}>
    <p class="lead" ref=${asked} tabindex="-1">${_("%(name)s leaves from the next deal on, and is not cashed out by it.", { name: who })}</p>
    <div class="cluster"><button type="button" class="button quiet" onClick=${stay}>${_("Stays")}</button>
      <${Do} look="danger" act=${leave}>${_("Leaves the table")}<//></div></div>`;
}

/** Somebody sits down: a member, or a guest by his name alone. */
function Coming({ view, session, close, back, seated, send, say }) {
  const [members, setMembers] = useState(view.members ?? []);
  const [sought, seek] = useState("");
  const [guest, setGuest] = useState("");
  const [seat, setSeat] = useState(seated.length + 1);
  const offline = waits(view);
  useEffect(() => {
    if (offline) return;
    session.ask("/members?limit=500").then((found) => found?.members && setMembers(found.members), () => {});
  }, []);

  const free = members.filter((one) => !one.archived && !seated.includes(one.id));
  const like = sought.trim().toLocaleLowerCase();
  const shown = free.filter((one) => one.name.toLocaleLowerCase().includes(like)).slice(0, MANY * 2);
  const fresh = guest.trim();
  const twin = members.find((one) => one.name.toLocaleLowerCase() === fresh.toLocaleLowerCase());
  const place = { seat };
  const sits = (player, called) => send("SeatPlayer", { player, ...place }, _("%(name)s sits down.", { name: within(name(called, 28)) }));

  function member(id) {
    sits(id, members.find((one) => one.id === id).name);
    back();
  }

  async function newcomer() {
    const member = idFor(fresh);
    const adding = session.send("AddMember", { member, name: fresh }, { club: true });
    sits(member, fresh);
    back();
    const verdict = await soon(adding);
    if (verdict?.status === "refused") say("");
  }

  const seats = [...seated.map((player, at) => ({ value: at + 1, label: number(at + 1), note: html`<${Before} id=${player} names=${view.names} />` })),
    { value: seated.length + 1, label: number(seated.length + 1), note: _("last") }];
  return html`<${Sheet} title=${_("Somebody sits down")} close=${close} foot=${html`<button type="button" class="button quiet" onClick=${back}>${_("Back")}</button>`}>
    ${seated.length ? html`<${Pick} legend=${_("At which seat?")} layout="grid seats-grid" options=${seats} value=${seat} set=${setSeat} />` : null}
    <div class="guest"><${Words} label=${_("A guest, by name")} most=${240} value=${guest} set=${setGuest}
        hint=${twin ? _("There is a member of that name; this would be somebody else.") : null} />
      <${Do} act=${newcomer} why=${fresh ? null : _("Type a name.")}>${_("Seat the guest")}<//></div>
    ${free.length > MANY ? html`<${Words} label=${_("Find a member")} value=${sought} set=${seek} />` : null}
    ${shown.length ? html`<${Pick} legend=${_("A member")} options=${shown.map((one) => ({ value: one.id, label: html`<bdi>${name(one.name, 28)}</bdi>` }))}
      set=${member} />` : null}
    ${offline && !members.length ? html`<${Notice}>${_("The members are not known here without a network; a guest can sit down all the same.")}<//>` : null}
  <//>`;
}

const Before = ({ id, names }) => html`<span>${_("before")} <${Who} id=${id} names=${names} most=${10} /></span>`;

/** An id that people can read, and no two devices make alike. */
function idFor(text) {
  const plain = text.normalize("NFKD").toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 40);
  return `${plain || "guest"}-${newId().slice(0, 6)}`;
}
