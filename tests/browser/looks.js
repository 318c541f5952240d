// What can be measured of how a screen looks; looks.py asks it.

window.looks ??= (() => {
  const told = (one) => {
    const words = (one.getAttribute?.("aria-label") ?? one.textContent).trim().replace(/\s+/g, " ").slice(0, 28);
    return `${one.nodeName.toLowerCase()}.${one.className?.baseVal ?? one.className ?? ""} “${words}”`;
  };
  const tapped = "button, a[href], input, select, textarea, summary";
  const seen = (one) => one.checkVisibility({ checkVisibilityCSS: true, checkOpacity: true });
  const unseen = ".only-read, [hidden], .skip, noscript, title, script, style";

  /** What is left of a box inside everything that clips it; null where that is nothing. */
  function clipped(box, from) {
    let { left, right, top, bottom } = box;
    for (let one = from; one && one !== document.documentElement; one = one.parentElement) {
      const style = getComputedStyle(one);
      if (style.position === "fixed") break;
      if (style.overflowX === "visible" && style.overflowY === "visible") continue;
      const frame = one.getBoundingClientRect();
      left = Math.max(left, frame.left), right = Math.min(right, frame.right);
      top = Math.max(top, frame.top), bottom = Math.min(bottom, frame.bottom);
    }
    top = Math.max(top, 0), bottom = Math.min(bottom, innerHeight);
    return right - left > 1 && bottom - top > 1 ? { left, right, top, bottom } : null;
  }

  /** Boxes of what is shown: lines of text, what can be tapped, pictures. */
  function boxes() {
    const found = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node; (node = walker.nextNode()); ) {
      const of = node.parentElement;
      if (!node.data.trim() || of.closest(unseen) || !seen(of)) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const size = parseFloat(getComputedStyle(of).fontSize);
      for (const line of range.getClientRects()) {
        const air = Math.max(0, (line.height - 0.8 * size) / 2); // what letters do not use of their line
        const box = clipped({ left: line.left, right: line.right, top: line.top + air, bottom: line.bottom - air }, of);
        if (box) found.push({ of, box, is: "text" });
      }
    }
    for (const of of document.querySelectorAll(`${tapped}, svg, .dealer, .lamp, .slide`)) {
      if (of.closest(unseen) || !seen(of)) continue;
      const box = clipped(of.getBoundingClientRect(), of.parentElement);
      if (box) found.push({ of, box, is: "thing" });
    }
    return found;
  }

  const layer = (one) => one.closest("dialog") ?? [...up(one)].find((each) => ["sticky", "fixed"].includes(getComputedStyle(each).position)) ?? null;
  const scroller = (one) => [...up(one.parentElement)].find((each) => ["auto", "scroll"].includes(getComputedStyle(each).overflowY)) ?? null;
  const isCut = (one) => {
    const { top, bottom } = one.getBoundingClientRect();
    const left = clipped({ left: 0, right: innerWidth, top, bottom }, one.parentElement);
    return !left || left.bottom - left.top < bottom - top - 1;
  };
  function* up(one) {
    for (; one; one = one.parentElement) yield one;
  }

  /** What lies on one another without the one being in the other; what scrolls by below what stays is meant to. */
  function overlaps() {
    const all = boxes().map((each) => ({ ...each, layer: layer(each.of) }));
    const found = [];
    for (const [at, one] of all.entries()) for (const other of all.slice(at + 1)) {
      if (one.layer !== other.layer || one.of === other.of || one.of.contains(other.of) || other.of.contains(one.of)) continue;
      const x = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
      const y = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
      if (x > 1 && y > 1) found.push(`${told(one.of)} and ${told(other.of)}: ${Math.round(x)}×${Math.round(y)}`);
    }
    return found;
  }

  /** What can be tapped and is smaller than `least`, or nearer than `apart` to another. */
  function targets({ least, apart, small }) {
    const all = [...document.querySelectorAll(tapped)]
      .filter((one) => seen(one) && !one.closest(unseen) && !(one.tagName === "A" && getComputedStyle(one).display === "inline"))
      .map((one) => ({ one, layer: layer(one), scroller: scroller(one), cut: isCut(one), box: one.getBoundingClientRect() }));
    const found = all.filter(({ one, box }) => Math.min(box.width, box.height) < (small && one.matches(small) ? 47.5 : least - 0.5))
      .map(({ one, box }) => `${told(one)} ${Math.round(box.width)}×${Math.round(box.height)}`);
    for (const [at, one] of all.entries()) for (const other of all.slice(at + 1)) {
      if (one.layer !== other.layer || (one.scroller !== other.scroller && (one.cut || other.cut))) continue;
      const x = Math.max(one.box.left, other.box.left) - Math.min(one.box.right, other.box.right);
      const y = Math.max(one.box.top, other.box.top) - Math.min(one.box.bottom, other.box.bottom);
      if (Math.max(x, y) < apart - 0.5) found.push(`${told(one.one)} and ${told(other.one)}: ${Math.round(Math.max(x, y))} apart`);
    }
    return found;
  }

  // Colours: as they come out, everything that lies below a text counted in

  const brush = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const known = new Map();
  function rgba(words) {
    if (!known.has(words)) {
      brush.clearRect(0, 0, 1, 1);
      brush.fillStyle = words;
      brush.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = brush.getImageData(0, 0, 1, 1).data;
      known.set(words, [r, g, b, a / 255]);
    }
    return known.get(words);
  }
  const over = ([r, g, b, a], [R, G, B, A]) => {
    const all = a + A * (1 - a);
    const mix = (one, other) => (all ? (one * a + other * A * (1 - a)) / all : 0);
    return [mix(r, R), mix(g, G), mix(b, B), all];
  };
  const stops = (image) => (image.match(/(?:rgba?|color|oklab|oklch|hsla?)\([^()]*\)|#[0-9a-f]{3,8}/g) ?? []).map(rgba);
  const layers = (image) => image.split(/,\s*(?=[a-z-]+-gradient\()/).map(stops).filter((each) => each.length);

  /** Every colour that an element's own background may have at some place. */
  function grounds(one) {
    const style = getComputedStyle(one);
    let found = [rgba(style.backgroundColor)];
    if (style.backgroundImage !== "none") {
      for (const each of layers(style.backgroundImage).reverse()) {
        found = found.flatMap((below) => each.map((stop) => over(stop, below)));
      }
    }
    return found;
  }
  const below = (one) => (one.matches(".middle") ? document.querySelector(".rim") : null); // it lies on the table
  const luminance = ([r, g, b]) => [r, g, b].map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
  const ratio = (one, other) => {
    const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  };

  /** The weakest contrast of an element's text, or of another colour of it, with what lies below. */
  function contrast(of, colour = getComputedStyle(of).color) {
    let pairs = [[rgba(colour), [0, 0, 0, 0]]];
    const lay = (each) => {
      const under = grounds(each);
      pairs = pairs.flatMap(([ink, ground]) => under.map((below) => [over(ink, below), over(ground, below)]));
    };
    for (const one of up(of)) {
      lay(one);
      const { opacity } = getComputedStyle(one);
      if (opacity < 1) pairs = pairs.map((pair) => pair.map(([r, g, b, a]) => [r, g, b, a * opacity]));
      if (below(one)) lay(below(one));
      if (pairs.every(([, ground]) => ground[3] > 0.999)) break;
    }
    const paper = matchMedia("(prefers-color-scheme: dark)").matches ? [0, 0, 0, 1] : [255, 255, 255, 1];
    return Math.min(...pairs.map(([ink, ground]) => ratio(over(ink, paper), over(ground, paper))));
  }

  /** Text that is fainter than it may be; what `strong` matches needs more. */
  function faint({ strong, least, most }) {
    const found = new Set();
    for (const { of, is } of boxes()) {
      if (is !== "text") continue;
      const needed = of.closest(strong) ? most : least;
      const has = contrast(of);
      if (has < needed) found.add(`${told(of)} ${has.toFixed(2)} of ${needed}`);
    }
    return [...found];
  }

  /** What can be tapped and cannot be brought to where a finger hits it. */
  function unreachable() {
    const found = [];
    for (const one of document.querySelectorAll(tapped)) {
      if (!seen(one) || one.closest(unseen)) continue;
      one.scrollIntoView({ block: "center", inline: "center" });
      const { left, right, top, bottom } = one.getBoundingClientRect();
      const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
      if (!hit || !(one.contains(hit) || hit.contains(one))) found.push(`${told(one)} is below ${hit ? told(hit) : "the edge"}`);
    }
    for (const each of document.querySelectorAll(".side, .table-main, .amounts")) each.scrollTo(0, 0);
    return found;
  }

  /** What stays while the rest scrolls, and leaves less than 96 pixels of that to be seen. */
  function crowding() {
    return [...document.querySelectorAll(".side, .table-main")]
      .filter((each) => ["auto", "scroll"].includes(getComputedStyle(each).overflowY))
      .flatMap((each) => {
        const staying = [...each.querySelectorAll("*")].filter((one) => getComputedStyle(one).position === "sticky");
        const left = each.clientHeight - staying.reduce((sum, one) => sum + one.getBoundingClientRect().height, 0);
        return left < 96 ? [`${told(each)} keeps ${Math.round(left)}`] : [];
      });
  }

  /** Text that is cut off where nothing says that there is more. */
  function cut() {
    return [...document.querySelectorAll("body *")].filter((one) => {
      if (one.closest(unseen) || !seen(one) || !one.textContent.trim()) return false;
      const style = getComputedStyle(one);
      return style.overflowX === "hidden" && style.textOverflow !== "ellipsis" && one.scrollWidth > one.clientWidth + 1 && one !== document.body;
    }).map(told);
  }

  /** What is wrong with what has the focus: it is not seen there, too faint, or something lies over it. */
  function focus() {
    const one = document.activeElement;
    if (one === document.body) return [];
    const style = getComputedStyle(one);
    const found = [];
    if (style.outlineStyle === "none" || parseFloat(style.outlineWidth) < 2) found.push("nobody sees that it has the focus");
    const has = contrast(parseFloat(style.outlineOffset) < 0 ? one : one.parentElement, style.outlineColor);
    if (has < 3) found.push(`its outline has ${has.toFixed(2)} of 3`);
    const box = clipped(one.getBoundingClientRect(), one.parentElement);
    const hit = box && document.elementFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2);
    if (!hit || !(one.contains(hit) || hit.contains(one))) found.push(`it lies below ${hit ? told(hit) : "the edge"}`);
    return found.map((words) => `${told(one)}: ${words}`);
  }

  return { focus, overlaps, targets, faint, unreachable, crowding, cut, contrast };
})();
