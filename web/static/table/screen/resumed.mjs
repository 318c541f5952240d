// Sheets that know what was on them when they were left.

import { html, useRef, useState } from "../html.mjs";
import { _ } from "../words.mjs";
import { Notice } from "./fields.mjs";

/**
 * What is filled in on a sheet, an object that begins as `first`: `{filled, fill, empty, resumed}`. `fill(some)` changes
 * some of it; `empty(some)` lets go of it, once it is booked or not wanted any more, and begins anew, with `some` in it;
 * `resumed` says that it is from an earlier time. `empty` resolves once that is written down.
 */
export function useFilled(session, key, first) {
  const [resumed, resume] = useState(() => session.left(key) !== undefined);
  const [filled, set] = useState(() => session.left(key) ?? first);
  const now = useRef(filled); // of two that fill in at once, neither undoes the other

  function fill(some) {
    now.current = { ...now.current, ...some };
    set(now.current);
    session.fill(key, now.current);
  }

  function empty(some) {
    now.current = { ...first, ...some };
    set(now.current);
    resume(false);
    return session.fill(key, undefined);
  }

  return { filled, fill, empty, resumed };
}

/** Says that a sheet goes on where it was left, and lets one begin anew. */
export function Resumed({ of: { resumed, empty } }) {
  if (!resumed) return null;
  return html`<${Notice}><p>${_("It goes on where it was left.")}</p>
    <button type="button" class="button quiet" onClick=${() => empty()}>${_("Begin anew")}</button><//>`;
}
