// What is being filled in on sheets: kept at every tap, so that neither a rest nor a flat battery loses it.

import * as store from "./store.mjs";

const REMEMBERED = 43_200_000; // half a day: what was left lying longer is not what somebody means now

/** `{start, left, fill}`: what was left on a sheet, by its key, and what is on it now; undefined where it is done with. */
export function forms(name) {
  const kept = `forms:${name}`;
  let all = {};

  async function start() {
    const found = Object.entries((await store.kept(kept))?.all ?? {});
    all = Object.fromEntries(found.filter(([, { at }]) => Date.now() - at < REMEMBERED));
  }

  function fill(key, value) {
    const { [key]: _before, ...others } = all;
    all = value === undefined ? others : { ...others, [key]: { value, at: Date.now() } };
    return store.keep(kept, Object.keys(all).length ? { all, at: Date.now() } : undefined);
  }

  return { start, fill, left: (key) => all[key]?.value };
}
