// What is chosen, what each line is worth then, and where everything is on the screen.

const COLOURS = {
  load: { name: "load", title: "share of time in which the channel is busy" },
  wait: { name: "wait", title: "time packets waited for the channel" },
  queue: { name: "queue", title: "packets waiting for the channel" },
  root: { name: "root", title: "lateness that begins at the channel" },
};
if (data.change) COLOURS.change = { name: "change", title: `packets that wait more or fewer than in ${data.change.name}` };

/** A run that ended too early is shown as it stood at its end. */
const ends = data.halted && data.halted.lines.length ? sliceCount - 1 : -1;
const state = { colour: data.change ? "change" : ends < 0 ? "wait" : "queue", pick: null, slice: ends };
const view = { scale: 1, x: 0, y: 0, width: 1, height: 1 };

const minimum = (values) => values.reduce((least, value) => Math.min(least, value), Infinity);
const maximum = (values) => values.reduce((most, value) => Math.max(most, value), -Infinity);

/** To which side of its direction a line bends: both directions to the same side of the drawing. */
const bendsTo = (line) => {
  const from = lines.from[line], to = lines.to[line], across = points.x[to] - points.x[from];
  return across > 0 || (across === 0 && points.y[to] > points.y[from]) ? 1 : -1;
};

/** How far an arc of this length rises above its chord. */
const rise = (length) => Math.min(0.18 * length, 0.25 + 0.03 * length);

/** The middles of arcs, which may lie outside of all points. */
const tops = Array.from(lines.from, (from, line) => {
  const to = lines.to[line], across = points.x[to] - points.x[from], up = points.y[to] - points.y[from];
  const length = Math.hypot(across, up) || 1, off = lines.bent[line] ? -rise(length) * bendsTo(line) : 0;
  return [points.x[from] + across / 2 + (up / length) * off, points.y[from] + up / 2 - (across / length) * off];
});
const allX = [...points.x].concat(tops.map(([x]) => x)), allY = [...points.y].concat(tops.map(([, y]) => y));
const edges = { left: minimum(allX), right: maximum(allX), low: minimum(allY), high: maximum(allY) };
const extent = Math.max(edges.right - edges.left, edges.high - edges.low, 1e-9);

/** Values of all lines, and the largest they are compared with. */
const kept = new Map();
function values(colour = state.colour, slice = state.slice) {
  const key = `${colour} ${slice}`;
  if (!kept.has(key)) {
    if (kept.size > 64) kept.clear();
    // A difference is one of the whole run.
    kept.set(key, slice < 0 || colour === "change" ? ofRun(colour) : ofSlice(colour, slice));
  }
  return kept.get(key);
}

function ofRun(colour) {
  if (colour === "load") return lines.busy;
  if (colour === "queue") return lines.queue;
  if (colour === "root") return data.roots.ps;
  if (colour === "change") return data.change.queue;
  return lines.wait_ps.map((ps, line) => (lines.packets[line] ? ps / lines.packets[line] : 0));
}

const TABLE_OF = { load: "busy", wait: "queue", queue: "queue", root: "root" };
function ofSlice(colour, slice) {
  const length = time.end_ps[slice] - time.begin_ps[slice] || 1;
  const per = colour === "load" || colour === "queue" ? 1 / length : 1;
  const bytes = tables[TABLE_OF[colour]], values = decoder(TABLE_OF[colour]);
  return Float64Array.from({ length: lineCount }, (_, line) => values[bytes[line * sliceCount + slice]] * per);
}

function largest(colour = state.colour, slice = state.slice) {
  const key = `${colour} ${slice < 0} most`;
  if (!kept.has(key)) kept.set(key, foundLargest(colour, slice));
  return kept.get(key);
}

function foundLargest(colour, slice) {
  if (colour === "load") return 1;
  if (slice < 0 || colour === "change") {
    // Queues in nodes grow without bound where a network is saturated: they are off the scale.
    const all = ofRun(colour).map(Math.abs), inside = maximum(all.filter((_, line) => !isInjection(line)));
    return inside > 0 ? inside : maximum(all) || 1;
  }
  const length = time.end_ps[0] - time.begin_ps[0] || 1;
  return (time.ranges[TABLE_OF[colour]][1] * (colour === "queue" ? 1 / length : 1)) || 1;
}

function valueText(colour, value) {
  if (colour === "load") return percent(value);
  if (colour === "queue") return plain(value, 3);
  if (colour === "change") return value > 0 ? `+${plain(value, 3)}` : plain(value, 3).replace("-", "−");
  if (colour === "root" && state.slice < 0) return percent(value / (data.late_ps || 1));
  return timeText(value, 3);
}

function unitText() {
  const { colour, slice } = state;
  if (colour === "load") return "of the time busy";
  if (colour === "queue") return "packets waiting on average";
  if (colour === "change") return `packets waiting on average, more or fewer than in ${data.change.name}`;
  if (colour === "root") return slice < 0 ? "of all lateness begins here" : "waited in this slice because of it";
  return slice < 0 ? "per packet, waiting for the channel" : "waited in this slice";
}

const isInjection = (line) => lines.kinds[lines.kind[line]] === "injection";

/** The lines that a choice shows, with a share of the largest each; null: all of them. */
function chosenLines() {
  const { pick } = state;
  if (!pick) return null;
  if (pick.kind === "line") {
    const tree = tailback(pick.number);
    return tree ? shares(tree.pairs.map((pair) => [time.pairs.line[pair], pairPs(pair)]), pick.number) : new Map([[pick.number, 1]]);
  }
  if (pick.kind === "point") {
    const own = incident(pick.number), all = values(), most = largest();
    const found = new Map(own.map((line) => [line, Math.abs(all[line]) / most]));
    for (const line of wayOf(ownClass(pick))) if (!found.has(line)) found.set(line, 0);
    return found;
  }
  if (pick.kind === "flow") {
    const found = shares(rowsOf(flows.waits, pick.number).filter((row) => row.other >= 0).map((row) => [row.other, row.ps]));
    for (const line of wayOfFlow(pick.number)) if (!found.has(line)) found.set(line, 0);
    return found;
  }
  const waits = rowsOf(tellsWaitsOfClasses ? time.waits : charges.places, pick.number);
  const found = shares(waits.filter((row) => row.other >= 0).map((row) => [row.other, row.ps]));
  for (const line of wayOf(pick.number)) if (!found.has(line)) found.set(line, 0);
  return found;
}

/** Where packets of classes waited is told of jobs and listed classes; of others, where their lateness begins. */
const tellsWaitsOfClasses = time !== null && time.waits.owner.length > 0;

/** The lines that packets of a class have crossed, as far as that is known. */
const waysKept = new Map();
function wayOf(number) {
  if (!waysKept.has(number)) waysKept.set(number, new Set(rowsOf(data.ways, number).map((row) => row.other).filter((line) => line >= 0)));
  return waysKept.get(number);
}

/** The class that is chosen, or that of the node that is, if it has one of its own; -1: none. */
function ownClass(pick) {
  if (pick?.kind === "class") return pick.number;
  const number = pick?.kind === "point" && pick.number >= switchCount ? classOfNode.get(nodeOf(pick.number)) ?? -1 : -1;
  return number >= 0 && classes.nodes[number].length === 1 ? number : -1;
}

/** Waits of a pair in the slice that is shown, or in the whole run. */
function pairPs(pair) {
  if (state.slice < 0) return time.pairs.ps[pair];
  return pair < time.pairs.by_slice ? at("pairs", pair, state.slice) : 0;
}

function shares(rows, also = -1) {
  const most = state.slice < 0 || !time || state.pick.kind !== "line" ? mostOf(rows) : mostInSlices(tailback(state.pick.number));
  const found = new Map(rows.map(([line, ps]) => [line, most > 0 ? ps / most : 0]));
  if (also >= 0 && !found.has(also)) found.set(also, 0);
  return found;
}

/** The largest wait inside of the network behind the root, or else anywhere. */
function mostOf(rows) {
  const { pick } = state, root = pick.kind === "line" ? tailback(pick.number).root : -1;
  const most = (some) => maximum(some.map(([, ps]) => ps));
  const inside = most(rows.filter(([line]) => !isInjection(line) && line !== root));
  return inside > 0 ? inside : most(rows);
}

/** The same of a tree in any slice, so that it is seen to grow. */
function mostInSlices(tree) {
  if (!tree.most) {
    const rows = tree.pairs.filter((pair) => pair < time.pairs.by_slice).map((pair) => {
      const bytes = tables.pairs.subarray(pair * sliceCount, (pair + 1) * sliceCount);
      return [time.pairs.line[pair], decoder("pairs")[maximum(bytes)]];
    });
    tree.most = mostOf(rows) || 1;
  }
  return tree.most;
}

/** Lines from and to a point; a node is two points. */
const linesOfPoint = new Map();
for (let line = 0; line < lineCount; line++) {
  for (const end of [lines.from[line], lines.to[line]]) {
    const key = end < switchCount ? end : switchCount + nodeOf(end);
    if (!linesOfPoint.has(key)) linesOfPoint.set(key, []);
    linesOfPoint.get(key).push(line);
  }
}
const incident = (point) => linesOfPoint.get(point < switchCount ? point : switchCount + nodeOf(point)) ?? [];

// --- The screen

const screenX = (x) => (x - view.x) * view.scale + view.width / 2;
const screenY = (y) => (view.y - y) * view.scale + view.height / 2;

function fit() {
  const across = Math.max(edges.right - edges.left, 1e-9), up = Math.max(edges.high - edges.low, 1e-9);
  const margin = Math.min(points.clusters.length ? 64 : 34, 0.1 * Math.min(view.width, view.height));
  view.scale = Math.min((view.width - 2 * margin) / across, (view.height - 2 * margin) / up, 320);
  view.x = (edges.left + edges.right) / 2;
  view.y = (edges.low + edges.high) / 2;
}

function zoom(factor, x = view.width / 2, y = view.height / 2) {
  const worldX = view.x + (x - view.width / 2) / view.scale;
  const worldY = view.y - (y - view.height / 2) / view.scale;
  view.scale *= factor;
  view.x = worldX - (x - view.width / 2) / view.scale;
  view.y = worldY + (y - view.height / 2) / view.scale;
}

/** A line on the screen: `[x1, y1, x2, y2]`, or with the control point of an arc before the end. */
function shape(line, aside) {
  const from = lines.from[line], to = lines.to[line];
  const x1 = screenX(points.x[from]), y1 = screenY(points.y[from]);
  const x2 = screenX(points.x[to]), y2 = screenY(points.y[to]);
  const across = x2 - x1, down = y2 - y1, length = Math.hypot(across, down) || 1;
  // To the right of its direction, so that both directions are seen.
  const rightX = -down / length, rightY = across / length;
  if (!lines.bent[line]) {
    return [x1 + rightX * aside, y1 + rightY * aside, x2 + rightX * aside, y2 + rightY * aside];
  }
  // Of both directions one bends a little further.
  const out = bendsTo(line);
  const bulge = rise(length / view.scale) * view.scale - out * aside;
  const off = -2 * bulge * out;
  return [x1, y1, (x1 + x2) / 2 + rightX * off, (y1 + y2) / 2 + rightY * off, x2, y2];
}

/** The middle of a line on the screen. */
function middle(line, aside = 3) {
  const way = shape(line, aside);
  if (way.length === 4) return [(way[0] + way[2]) / 2, (way[1] + way[3]) / 2];
  return [(way[0] + 2 * way[2] + way[4]) / 4, (way[1] + 2 * way[3] + way[5]) / 4];
}

/** Whether clusters of switches are drawn as one. */
const MANY_SWITCHES = 2000, OPEN_PX = 70;
const clusterCount = 1 + Math.max(-1, maximum(points.cluster));
const isClosed = () => switchCount > MANY_SWITCHES && (view.scale * extent) / 20 < OPEN_PX;
