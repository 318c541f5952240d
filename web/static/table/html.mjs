/** What every part of a screen is written with: `html` templates, Preact's hooks, and `render`. */

import { h, render, options, Fragment } from "./vendor/preact.mjs";
import htm from "./vendor/htm.mjs";

export const html = htm.bind(h);

// What changed is drawn before the next tap is heard: that one must not go by what was there before.
options.debounceRendering = (draw) => draw();

export { Fragment, h, render };
export { useCallback, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "./vendor/hooks.mjs";
