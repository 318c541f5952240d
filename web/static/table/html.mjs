/** What every part of a screen is written with: `html` templates, Preact's hooks, and `render`. */

import { h, render, Fragment } from "./vendor/preact.mjs";
import htm from "./vendor/htm.mjs";

export const html = htm.bind(h);
export { Fragment, h, render };
export { useCallback, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "./vendor/hooks.mjs";
