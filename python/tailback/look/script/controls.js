// Pointer, keys, search, and the state in the address.

/** The address of a state that differs from the present one. */
function addressOf(change = {}) {
  const next = { ...state, ...change };
  const parts = [`colour=${next.colour}`];
  if (next.pick) parts.push(`${next.pick.kind}=${next.pick.number}`);
  if (next.slice !== ends) parts.push(`slice=${next.slice}`);
  return `#${parts.join("&")}`;
}

/** Take the state from the address; what is not known is left out. */
function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  if (COLOURS[given.get("colour")] && colourable(given.get("colour"))) state.colour = given.get("colour");
  state.pick = null;
  const known = { line: lines.name, point: [...points.switches, ...points.nodes, ...points.nodes], class: classes.name, flow: Array.from({ length: flowCount }, (_, flow) => flowName(flow)) };
  for (const [kind, all] of Object.entries(known)) {
    // A number, or a name.
    const words = given.get(kind) ?? "", number = /^\d+$/.test(words) ? Number(words) : all.indexOf(words);
    if (number >= 0 && number < all.length) state.pick = { kind, number };
  }
  const slice = Number(given.get("slice") ?? ends);
  state.slice = Number.isInteger(slice) && slice >= -1 && slice < sliceCount ? slice : ends;
}

const colourable = (colour) => colour !== "root" || data.has_lateness;

function choose(change) {
  Object.assign(state, change);
  history.replaceState(null, "", addressOf());
  refresh();
}

function refresh() {
  for (const input of $("modes").querySelectorAll("input")) input.checked = input.value === state.colour;
  for (const link of panel.querySelectorAll("a")) link.blur();
  tell();
  drawLegend();
  tellTime();
  drawStrip();
  redraw();
}

function drawLegend() {
  if (showsChange()) return drawChangeLegend();
  const colours = scaleColours(), most = largest(), { pick } = state;
  // Of a tree only shares of its largest wait are shown.
  const isOfTree = pick !== null && pick.kind !== "point";
  const texts = colours.map((_, step) => {
    if (!isOfTree) return valueText(state.colour, stepBegins(step) * most);
    return step === 0 ? "little" : step === colours.length - 1 ? "most" : "";
  });
  const boxes = colours.map((colour, step) => legendBox(colour, texts[step]));
  const what = pick?.kind === "line" ? "waits because of the root" : pick?.kind === "flow" || tellsWaitsOfClasses ? "its packets wait" : "its lateness begins";
  if (!isOfTree && maximum(values().map(Math.abs)) === 0) return $("legend").replaceChildren(element("em", "nothing to show in this colour"));
  $("legend").replaceChildren(...boxes, element("em", isOfTree ? what : unitText()), element("em", isOfTree ? "" : "thick: long queue"));
}

function legendBox(colour, words) {
  const box = element("span", words);
  box.style.setProperty("--step", colour);
  return box;
}

function drawChangeLegend() {
  const colours = changeColours(), half = colours.length / 2, most = largest();
  const boxes = colours.map((colour, place) => {
    const isMore = place >= half, step = isMore ? place - half : half - 1 - place;
    const words = valueText("change", (isMore ? 1 : -1) * stepBegins(step, half) * most);
    return legendBox(colour, isMore ? `${words} on` : `to ${words}`);
  });
  $("legend").replaceChildren(...boxes, element("em", unitText()), element("em", "of the whole run"));
}

// --- The pointer

function hit(x, y) {
  if (drawn.closed) return null;
  let best = null, least = 9;
  const radius = Math.max(5, Math.min(9, view.scale / 5));
  const scan = (from, to) => {
    for (let point = from; point < to; point++) {
      const away = Math.hypot(screenX(points.x[point]) - x, screenY(points.y[point]) - y);
      if (away < Math.min(least, radius)) [best, least] = [{ kind: "point", number: point }, away];
    }
  };
  if (view.scale > 14) scan(switchCount, points.x.length);
  scan(0, switchCount);
  if (best && least < radius / 2) return best;
  for (let line = 0; line < lineCount; line++) {
    const width = drawn.widths.get(line);
    const away = distance(shape(line, width ? Math.max(drawn.aside, width / 2 + 0.7) : drawn.aside), x, y) - (width ?? 0) / 2 + (width ? 0 : 3);
    if (away < least) [best, least] = [{ kind: "line", number: line }, away];
  }
  return best;
}

function distance(way, x, y) {
  if (way.length === 4) return toSegment(way[0], way[1], way[2], way[3], x, y);
  let least = Infinity, before = [way[0], way[1]];
  for (let step = 1; step <= 8; step++) {
    const t = step / 8, s = 1 - t;
    const next = [s * s * way[0] + 2 * s * t * way[2] + t * t * way[4], s * s * way[1] + 2 * s * t * way[3] + t * t * way[5]];
    least = Math.min(least, toSegment(...before, ...next, x, y));
    before = next;
  }
  return least;
}

function toSegment(x1, y1, x2, y2, x, y) {
  const across = x2 - x1, down = y2 - y1, square = across * across + down * down;
  const t = square ? Math.max(0, Math.min(1, ((x - x1) * across + (y - y1) * down) / square)) : 0;
  return Math.hypot(x1 + t * across - x, y1 + t * down - y);
}

const place = (event) => {
  const box = canvas.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
};

const touches = new Map();
let dragged = 0, hoverFrame = 0;

canvas.addEventListener("pointerdown", (event) => {
  touches.set(event.pointerId, place(event));
  dragged = 0;
  canvas.setPointerCapture(event.pointerId);
});
canvas.addEventListener("pointermove", (event) => {
  const now = place(event), before = touches.get(event.pointerId);
  if (!before) return hover(now);
  const others = [...touches].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
  if (others.length) {
    const [other] = others, far = (at) => Math.hypot(at[0] - other[0], at[1] - other[1]) || 1;
    zoom(far(now) / far(before), (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
  } else {
    view.x -= (now[0] - before[0]) / view.scale;
    view.y += (now[1] - before[1]) / view.scale;
  }
  dragged += Math.hypot(now[0] - before[0], now[1] - before[1]);
  touches.set(event.pointerId, now);
  if (dragged > 4) redraw();
});
canvas.addEventListener("pointerup", (event) => {
  touches.delete(event.pointerId);
  if (dragged > 4) return;
  const at = place(event);
  if (drawn.closed) {
    zoom(3, ...at);
    return redraw();
  }
  choose({ pick: hit(...at) });
});
canvas.addEventListener("pointercancel", (event) => touches.delete(event.pointerId));
canvas.addEventListener("pointerleave", () => { $("tip").hidden = true; });
canvas.addEventListener("wheel", (event) => {
  event.preventDefault();
  zoom(Math.exp(-Math.max(-60, Math.min(60, event.deltaY)) / 200), ...place(event));
  redraw();
}, { passive: false });

function hover(at) {
  if (hoverFrame) return;
  hoverFrame = requestAnimationFrame(() => {
    hoverFrame = 0;
    const found = hit(...at), tip = $("tip");
    canvas.style.cursor = found ? "pointer" : "grab";
    tip.hidden = !found;
    if (!found) return;
    tip.textContent = found.kind === "point" ? pointName(found.number)
      : `${lineName(found.number)}: ${valueText(state.colour, values()[found.number])} ${unitText()}`;
    const left = Math.min(at[0] + 14, view.width - tip.offsetWidth - 4);
    tip.style.left = `${Math.max(2, left)}px`;
    tip.style.top = `${Math.max(2, at[1] - 34)}px`;
  });
}

// --- Search

const search = $("search");
const names = new Map();
const offered = [];
function offer(words, pick) {
  if (names.has(words)) return;
  names.set(words, pick);
  offered.push(words);
}
classes.name.forEach((name, number) => offer(classes.what === "node" ? `node ${name}` : name, { kind: "class", number }));
points.nodes.forEach((name, node) => offer(name, { kind: "point", number: switchCount + node }));
points.switches.forEach((_, point) => offer(pointName(point), { kind: "point", number: point }));
lines.name.forEach((name, number) => offer(name, { kind: "line", number }));
for (let flow = 0; flow < flowCount; flow++) offer(flowName(flow), { kind: "flow", number: flow });

const MOST_FOUND = 30;
search.addEventListener("input", () => {
  const words = search.value.trim(), known = names.get(words);
  if (known) return choose({ pick: known });
  const low = words.toLowerCase();
  const found = low ? offered.filter((name) => name.toLowerCase().includes(low)).slice(0, MOST_FOUND) : [];
  $("found").replaceChildren(...found.map((name) => element("option", "", { value: name })));
});
$("controls").addEventListener("submit", (event) => {
  event.preventDefault();
  const low = search.value.trim().toLowerCase();
  const found = names.get(search.value.trim()) ?? names.get(offered.find((name) => low && name.toLowerCase().includes(low)));
  if (found) choose({ pick: found });
});

// --- Buttons and keys

for (const [colour, { name, title }] of Object.entries(COLOURS)) {
  const label = element("label", "", { title }), input = element("input", "", { type: "radio", name: "colour", value: colour });
  input.disabled = !colourable(colour);
  label.append(input, name);
  input.addEventListener("change", () => choose({ colour }));
  $("modes").append(label);
}
const zoomed = (factor) => { zoom(factor); redraw(); };
$("in").addEventListener("click", () => zoomed(1.5));
$("out").addEventListener("click", () => zoomed(1 / 1.5));
$("fit").addEventListener("click", () => { fit(); redraw(); });
const turn = () => { setTheme(!dark); refresh(); };
$("theme").addEventListener("click", turn);
if (time) {
  const slider = $("slice");
  slider.max = sliceCount - 1;
  slider.addEventListener("input", () => choose({ slice: Number(slider.value) }));
  $("play").addEventListener("click", play);
  $("whole").addEventListener("click", () => choose({ slice: -1 }));
}

/** The root that comes so many places after the one that is chosen. */
function nextRoot(step) {
  const count = data.roots.line.length;
  if (!count) return;
  const rank = state.pick?.kind === "line" ? rootRank.get(state.pick.number) ?? -1 : step > 0 ? -1 : 0;
  choose({ pick: { kind: "line", number: data.roots.line[(rank + step + count) % count] } });
}

const KEYS = {
  "/": () => search.focus(),
  n: () => nextRoot(1),
  p: () => nextRoot(-1),
  d: turn,
  "+": () => zoomed(1.5),
  "=": () => zoomed(1.5),
  "-": () => zoomed(1 / 1.5),
  0: () => { fit(); redraw(); },
  Escape: () => choose(state.pick ? { pick: null } : { slice: -1 }),
  ArrowLeft: () => time && choose({ slice: Math.max(-1, state.slice - 1) }),
  ArrowRight: () => time && choose({ slice: Math.min(sliceCount - 1, state.slice + 1) }),
  " ": play,
};
Object.keys(COLOURS).forEach((colour, place) => { KEYS[place + 1] = () => colourable(colour) && choose({ colour }); });

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const field = event.target.closest?.("input, button, a");
  if (field === search) {
    if (event.key === "Escape") search.blur();
    return;
  }
  if (field && (event.key === " " || event.key.startsWith("Arrow"))) return;
  const act = KEYS[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});
addEventListener("hashchange", () => { readAddress(); refresh(); });
