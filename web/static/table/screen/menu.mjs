// Everything around the hands, one tap away and not in the way.

import { html, useState } from "../html.mjs";
import { _, n_ } from "../words.mjs";
import { soon, waits, Wrong } from "./acts.mjs";
import { called, Do, Select, Switch, Words } from "./fields.mjs";
import { Resumed, useFilled } from "./resumed.mjs";
import { Sheet } from "./sheet.mjs";

/** The way to all of them, and the switches of this device. */
export function Menu({ view, session, close, open }) {
  const { night, prefs, names } = view;
  const offline = waits(view);
  const pin = view.may("treasurer") ? null : _("asks for a PIN");
  const unsent = view.waiting.length + view.refused.length;
  const isOpen = night.state === "open";
  const ways = [
    ["hands", _("Hands"), _("look back, correct")],
    ...(isOpen ? [
      ["seats", _("Seats"), _("who comes, who leaves, who deals")],
      ["chips", _("Chips"), _("buy, hand over, give back"), offline],
      ["count", _("Count"), _("the chips against the book"), offline],
      ["rules", _("Rules"), pin ?? _("from the next hand on"), offline],
    ] : []),
    ["notes", _("Note"), _("about the night")],
    ["close", isOpen ? _("Close the night") : _("Receipt"), isOpen ? _("pool, receipt") : _("of the closed night"), isOpen ? offline : null],
    ["unsent", _("Unsent"), unsent ? n_("%(num)d tap is only on this device", "%(num)d taps are only on this device", unsent) : _("nothing waits")],
  ];
  const seated = view.players.filter((one) => one.seated);
  return html`<${Sheet} title=${_("Menu")} close=${close}>
    <nav class="ways" aria-label=${_("Around the hands")}>${ways.map(([key, label, note, why]) => html`<button type="button" class="way" key=${key}
      disabled=${Boolean(why)} onClick=${() => open(key)}><strong>${label}</strong><span>${why ?? note}</span></button>`)}
      ${offline ? html`<button type="button" class="way" disabled><strong>${_("Phone and wall")}</strong><span>${offline}</span></button>`
        : html`<a class="way" href=${`/nights/${encodeURIComponent(night.night)}/join`}><strong>${_("Phone and wall")}</strong><span>${_("a code to join by")}</span></a>`}
    </nav>
    <section><h3>${_("This device")}</h3><div class="switches">
      <${Switch} label=${_("Sound")} value=${prefs.sound} set=${(sound) => session.prefer({ sound })} />
      <${Switch} label=${_("Vibration")} value=${prefs.vibration} set=${(vibration) => session.prefer({ vibration })} />
      <${Switch} label=${_("Moving chips")} value=${prefs.motion} set=${(motion) => session.prefer({ motion })} />
      <${Select} label=${_("My seat at the bottom")} value=${prefs.bottom ?? ""} options=${[["", _("as they sit")], ...seated.map((one) => [one.id, called(names, one.id, 24)])]}
        set=${(bottom) => session.prefer({ bottom: bottom || null })} />
    </div></section>
  <//>`;
}

/** A note about the night. */
export function Notes({ view, session, close }) {
  const form = useFilled(session, "note", { note: "" });
  const { note } = form.filled;
  const [said, say] = useState("");
  const [refused, refuse] = useState(null);

  async function write() {
    const verdict = await soon(session.send("AddNote", { note: note.trim() }));
    refuse(verdict?.status === "refused" ? verdict : null);
    if (verdict?.status === "refused") return;
    await form.empty();
    say(verdict ? _("The note is written down.") : _("The note is kept, and sent when the network is back."));
  }

  return html`<${Sheet} title=${_("A note about the night")} close=${close} said=${said} foot=${html`
    <${Do} act=${write} why=${note.trim() ? null : _("Write something first.")}>${_("Write it down")}<//>`}>
    <${Wrong} of=${refused} names=${view.names} />
    <${Resumed} of=${form} />
    <${Words} area label=${_("In words")} value=${note} set=${(words) => (say(""), form.fill({ note: words }))}
      hint=${_("It stands on the page of the night. A note about one hand is written at that hand.")} />
    ${view.night.state === "open" ? null : html`<p class="soft">${_("The night is closed; a note can be added all the same.")}</p>`}
  <//>`;
}
