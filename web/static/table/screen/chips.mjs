// Chips that are bought, handed on and given back, with the money for them: at once, or on the slate.

import { html, useState } from "../html.mjs";
import { _, money, n_, number } from "../words.mjs";
import { useActs, waits, Wrong } from "./acts.mjs";
import { Amount, called, coins, Do, Notice, people, Pick, Words } from "./fields.mjs";
import { Resumed, useFilled } from "./resumed.mjs";
import { Sheet } from "./sheet.mjs";

const SLATE = "slate";
const CASH = "cash";
const PART = "part";
const USUAL = [10, 20, 50, 100];

/** Buy in, hand over, cash out. `player` and `kind` may be chosen beforehand. */
export function Chips({ view, session, close, kind: first = "BuyIn", player = null }) {
  const { names, night } = view;
  const form = useFilled(session, `chips ${first} ${player ?? ""}`, { kind: first, who: player, to: null, count: null, paying: SLATE, part: "", note: "" });
  const { kind, who, to, count, paying, part, note } = form.filled;
  const [said, say] = useState("");
  const acts = useActs(session);
  const offline = waits(view);
  const worth = night.money ? (count ?? 0) * night.money.chip : 0;
  const some = night.money ? coins(part, night.money.exponent) : 0;
  const paid = !night.money || paying === SLATE ? 0 : paying === CASH ? worth : some;
  const everybody = people(view.players.filter((one) => one.seated || one.stack).map((one) => one.id), names);
  const stack = view.players.find((one) => one.id === who)?.stack ?? 0;
  const need = !who || (kind === "Transfer" && !to) ? _("Say who.") : !count ? _("Say how many chips.")
    : paying === PART && !some ? _("Say how much money.") : offline;
  const words = who && count ? sentence({ kind, from: called(names, who), to: to && called(names, to), count, paid, money: night.money }) : "";

  function turn(next) {
    fill({ kind: next });
    acts.clear();
  }

  async function book() {
    const data = kind === "Transfer" ? { from: who, to, chips: count, paid, ...(note.trim() ? { note: note.trim() } : {}) }
      : { player: who, chips: count, paid };
    if (!(await acts.run(`${kind} ${JSON.stringify(data)}`, (grant) => session.act(kind, data, { grant })))) return;
    await form.empty({ kind, who, to, paying });
    say(_("Booked: %(what)s", { what: words }));
  }

  function fill(some) {
    say("");
    form.fill(some);
  }

  const ways = [[SLATE, _("On the slate"), null], [CASH, _("Paid now"), worth ? money(worth, night.money ?? {}) : null], [PART, _("Another sum"), null]];
  return html`<${Sheet} title=${_("Chips")} close=${close} said=${said} foot=${html`<span class="lack">${need ?? words}</span>
    <${Do} act=${book} busy=${acts.busy} why=${need}>${_("Book it")}<//>`}>
    <${Wrong} of=${acts.wrong} names=${names} />
    ${offline ? html`<${Notice}>${_("Money and chips wait for the network.")}<//>` : null}
    <${Resumed} of=${form} />
    <${Pick} layout="grid wide-choices" legend=${_("What?")} value=${kind} set=${turn} options=${[
      { value: "BuyIn", label: _("Buys chips") }, { value: "Transfer", label: _("Hands over") },
      { value: "CashOut", label: _("Gives chips back"), note: view.may("treasurer") ? null : _("asks for a PIN") }]} />
    <${Pick} legend=${kind === "Transfer" ? _("From whom?") : _("Who?")} options=${everybody} value=${who} set=${(one) => fill({ who: one })} />
    ${kind === "Transfer" ? html`<${Pick} legend=${_("To whom?")} options=${everybody.filter((one) => one.value !== who)} value=${to} set=${(one) => fill({ to: one })} />` : null}
    <${Pick} legend=${_("How many chips?")} layout="grid tricks" value=${count} set=${(number) => fill({ count: number })}
      hint=${who && stack < 0 ? _("%(name)s stands at %(chips)s.", { name: called(names, who), chips: number(stack) }) : who ? n_("%(num)d chip lies in front of %(name)s.", "%(num)d chips lie in front of %(name)s.", stack, { name: called(names, who) }) : null}
      options=${[...USUAL, ...(kind === "BuyIn" || stack <= 0 || USUAL.includes(stack) ? [] : [stack])].map((chips) => ({ value: chips, label: number(chips),
        note: chips === stack && kind !== "BuyIn" ? _("all") : null }))} />
    <${Amount} label=${_("Or another number")} value=${count} set=${(number) => fill({ count: number })} least=${1} step=${5} />
    ${night.money ? html`<${Pick} legend=${_("The money for it")} layout="grid wide-choices" value=${paying} set=${(way) => fill({ paying: way })}
      options=${ways.map(([value, label, hint]) => ({ value, label, note: hint }))} />` : null}
    ${night.money && paying === PART ? html`<${Words} label=${_("How much (%(currency)s)?", { currency: night.money.currency })} value=${part} set=${(sum) => fill({ part: sum })} mode="decimal"
      wrong=${some === undefined ? _("That is no sum of money.") : null} />` : null}
    ${kind === "Transfer" ? html`<${Words} label=${_("Note")} value=${note} set=${(written) => fill({ note: written })} />` : null}
    ${acts.pin}
  <//>`;
}

function sentence({ kind, from, to, count, paid, money: of }) {
  const chips = n_("%(num)d chip", "%(num)d chips", count);
  const what = { BuyIn: _("%(name)s buys %(chips)s", { name: from, chips }), Transfer: _("%(name)s hands %(to)s %(chips)s", { name: from, to: to ?? "…", chips }),
    CashOut: _("%(name)s gives %(chips)s back", { name: from, chips }) }[kind];
  const how = !of ? "" : paid ? _(", %(sum)s paid now.", { sum: money(paid, of) }) : _(", on the slate.");
  return what + (how || ".");
}
