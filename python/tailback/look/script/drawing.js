// Draws the map: cold lines faint, waiting ones thick and coloured, the hottest last.

const canvas = $("canvas"), pen = canvas.getContext("2d");
const THICKEST = 8, NAMED = 3;
/** Roots with a smaller share of all lateness are not told apart, but for the first. */
const FOLDED = 0.01;
/** Lines drawn as waiting, and how thick, in the last frame: what a pointer can hit. */
let drawn = { aside: 2, widths: new Map() };
let frame = 0;

function redraw() {
  if (!frame) frame = requestAnimationFrame(() => { frame = 0; draw(); });
}

function draw() {
  pen.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
  pen.clearRect(0, 0, view.width, view.height);
  if (isClosed()) drawClusters();
  else drawLines();
  drawn.closed = isClosed();
  canvas.dataset.drawn = String(Number(canvas.dataset.drawn ?? 0) + 1);
}

/** Which lines wait, in ascending order: `[line, share of the largest]`. */
function waiting(chosen) {
  const found = [];
  if (chosen) {
    const all = state.pick.kind !== "line";
    for (const [line, share] of chosen) {
      if (share > 0 || all || line === state.pick.number) found.push([line, share]);
    }
  } else {
    const all = values(), most = largest();
    for (let line = 0; line < lineCount; line++) {
      const share = Math.abs(all[line]) / most;
      if (share >= COLD) found.push([line, share]);
    }
  }
  const order = ([line, share]) => share - (isInjection(line) ? 2 : 0);
  return found.sort((a, b) => order(a) - order(b) || a[0] - b[0]);
}

/** How thick a line is: by its queue, or by its share where only some are shown. */
function thickness(line, share, chosen) {
  if (chosen && share < COLD) return 1.2;
  const by = chosen || state.colour === "change" ? share : values("queue")[line] / largest("queue");
  const room = Math.max(2.5, Math.min(THICKEST, view.scale / 7));
  const most = isInjection(line) ? 0.5 * room : room;
  return Math.min(most, 1.5 + most * Math.sqrt(Math.min(1, by)));
}

function trace(way) {
  pen.moveTo(way[0], way[1]);
  if (way.length === 4) pen.lineTo(way[2], way[3]);
  else pen.quadraticCurveTo(way[2], way[3], way[4], way[5]);
}

const isSeen = (way) => {
  const end = way.length - 2, reach = 60;
  return Math.max(way[0], way[end]) > -reach && Math.min(way[0], way[end]) < view.width + reach &&
    Math.max(way[1], way[end + 1]) > -reach && Math.min(way[1], way[end + 1]) < view.height + reach;
};

function drawLines() {
  const chosen = chosenLines(), hot = waiting(chosen), inks = ink();
  const isHot = new Set(hot.map(([line]) => line));
  const aside = Math.max(0.8, Math.min(2.5, view.scale / 18));
  drawn = { aside, widths: new Map() };
  pen.lineCap = "butt";
  pen.lineWidth = lineCount > 4000 && view.scale < 30 ? 0.35 : 0.8;
  pen.strokeStyle = chosen ? inks.cold : inks.coldFew;
  pen.globalAlpha = chosen ? 0.55 : 1;
  pen.beginPath();
  for (let line = 0; line < lineCount; line++) {
    if (isHot.has(line)) continue;
    const way = shape(line, aside);
    if (isSeen(way)) trace(way);
  }
  pen.stroke();
  pen.globalAlpha = 1;
  drawDots(chosen);
  // Whatever else waits must not hide the cycle of a deadlock.
  if (cycle(chosen)) pen.globalAlpha = 0.3;
  const crossed = state.pick?.kind === "flow" ? new Set(wayOfFlow(state.pick.number)) : wayOf(ownClass(state.pick));
  for (const [line, share] of hot) {
    const width = thickness(line, share, chosen);
    const way = shape(line, Math.max(aside, width / 2 + 0.7));
    drawn.widths.set(line, width);
    if (!isSeen(way)) continue;
    pen.beginPath();
    trace(way);
    pen.lineWidth = width;
    // On the way of a class, and none of its packets waited there.
    pen.strokeStyle = share === 0 && crossed.has(line) ? inks.ring : lineColour(line, share);
    pen.stroke();
    if (width > 3.5 && view.scale > 24) arrow(way, width);
  }
  pen.globalAlpha = 1;
  drawDeadlock(chosen, aside);
  drawNames(chosen);
}

/** The cycle of a deadlock is shown unless something is chosen, or the time is before it. */
function cycle(chosen) {
  const { deadlock } = data;
  if (chosen || !deadlock || (state.slice >= 0 && time.end_ps[state.slice] <= (deadlock.since_ps ?? deadlock.at_ps - 1))) return null;
  return deadlock;
}

/** What packets of a cycle hold, with arrows towards what they wait for. */
function drawDeadlock(chosen, aside) {
  const held = cycle(chosen);
  if (!held) return;
  pen.strokeStyle = ink().ring;
  for (const line of new Set([...held.holds.flat(), ...held.waits])) {
    if (line < 0) continue;
    const width = Math.max(3, drawn.widths.get(line) ?? 0), way = shape(line, Math.max(aside, width / 2 + 0.7));
    pen.beginPath();
    trace(way);
    pen.lineWidth = width;
    pen.stroke();
    arrow(way, Math.max(width, 4));
  }
}

/** An arrowhead at the end of a line, in its colour. */
function arrow(way, width) {
  const end = way.length - 2;
  const across = way[end] - way[end - 2], down = way[end + 1] - way[end - 1], length = Math.hypot(across, down);
  if (length < 26) return;
  const size = Math.min(1.6 * width, length / 3), x = across / length, y = down / length;
  pen.beginPath();
  pen.moveTo(way[end], way[end + 1]);
  pen.lineTo(way[end] - x * size - y * size * 0.6, way[end + 1] - y * size + x * size * 0.6);
  pen.lineTo(way[end] - x * size + y * size * 0.6, way[end + 1] - y * size - x * size * 0.6);
  pen.fillStyle = pen.strokeStyle;
  pen.fill();
}

function drawDots(chosen) {
  const inks = ink();
  const radius = Math.max(0.7, Math.min(3.5, view.scale / 12));
  pen.globalAlpha = chosen ? 0.6 : 1;
  if (view.scale > 14) {
    pen.fillStyle = inks.node;
    const half = Math.max(1, Math.min(2.5, view.scale / 22));
    for (let point = switchCount; point < points.x.length; point++) {
      const x = screenX(points.x[point]), y = screenY(points.y[point]);
      if (x > 0 && y > 0 && x < view.width && y < view.height) pen.fillRect(x - half, y - half, 2 * half, 2 * half);
    }
  }
  pen.fillStyle = inks.dot;
  pen.beginPath();
  for (let point = 0; point < switchCount; point++) {
    const x = screenX(points.x[point]), y = screenY(points.y[point]);
    if (x < -9 || y < -9 || x > view.width + 9 || y > view.height + 9) continue;
    pen.moveTo(x + radius, y);
    pen.arc(x, y, radius, 0, 2 * Math.PI);
  }
  pen.fill();
  pen.globalAlpha = 1;
  if (view.scale > 58) {
    pen.font = "11px system-ui, sans-serif";
    pen.textAlign = "center";
    for (let point = 0; point < switchCount; point++) {
      text(points.switches[point].replace(/^switch /, ""), screenX(points.x[point]), screenY(points.y[point]) - radius - 5, inks.soft);
    }
  }
}

/** Text with a halo, so that it can be read on lines. */
function text(words, x, y, colour) {
  pen.lineJoin = "round";
  pen.lineWidth = 3.5;
  pen.strokeStyle = ink().halo;
  pen.strokeText(words, x, y);
  pen.fillStyle = colour;
  pen.fillText(words, x, y);
}

/** The lines that have a ring and a name: the first roots, or what is chosen. */
function named(chosen) {
  const { pick } = state;
  if (pick?.kind === "line") {
    const tree = tailback(pick.number);
    return [...new Set([pick.number, ...(tree ? [tree.root] : [])])];
  }
  if (pick?.kind === "flow") return rowsOf(flows.waits, pick.number).map((row) => row.other).filter((line) => line >= 0).slice(0, NAMED);
  if (pick?.kind === "class") {
    return rowsOf(charges.places, pick.number).map((row) => row.other).filter((line) => line >= 0).slice(0, NAMED);
  }
  if (chosen) return [];
  if (state.colour === "change") return changed().slice(0, NAMED);
  if (cycle(chosen)) return [...new Set(data.deadlock.waits)].filter((line) => line >= 0);
  if (faultWords.size) return [...new Set([...faultWords.keys(), ...data.roots.line.slice(0, 1)])];
  if (isAtEnd()) return [...new Set([...data.halted.lines.slice(0, NAMED), ...(data.halted.root === null ? [] : [data.halted.root])])];
  return bigRoots().slice(0, NAMED);
}

/** The first root, and those that matter beside it. */
const bigRoots = () => data.roots.line.filter((line, rank) => data.roots.ps[line] > (rank ? FOLDED * data.late_ps : 0));

function drawNames(chosen) {
  const inks = ink(), rings = [
    ...chosenPoints().map((point) => [[pointName(point)], screenX(points.x[point]), screenY(points.y[point])]),
    ...named(chosen).map((line) => [lineWords(line, chosen), ...ringAt(line)]),
  ];
  // All rings come first: none may cover a name.
  const taken = rings.map(([, x, y]) => [x - 10, x + 10, y - 10, y + 10]);
  for (const [, x, y] of rings) ring(x, y);
  pen.font = "600 12.5px system-ui, sans-serif";
  pen.textAlign = "left";
  for (const [told, x, y] of rings) {
    const words = told.find((each) => pen.measureText(each).width < view.width - 8) ?? told.at(-1);
    const width = pen.measureText(words).width;
    const places = [[14, 4], [-14 - width, 4], [-width / 2, -16], [-width / 2, 25], [14, -18], [14, 26]];
    const isFree = ([left, base]) => left > 2 && left + width < view.width - 2 &&
      !taken.some((box) => left < box[1] && left + width > box[0] && base - 14 < box[3] && base + 4 > box[2]);
    const free = places.map(([right, down]) => [x + right, y + down]).find(isFree);
    const [left, base] = free ?? [Math.max(4, Math.min(x + 14, view.width - width - 4)), y + 26];
    taken.push([left, left + width, base - 14, base + 4]);
    text(words, left, base, inks.ring);
  }
  if (isAtEnd(chosen)) stuckPoints().forEach(([x, y]) => ring(x, y));
  if (points.clusters.length && !chosen) drawGroupNames(taken);
}

/** What may be said beside the ring of a line, the longest first. */
const lineWords = (line, chosen) => [cycleWords(line, chosen), faultWords.get(line), lineName(line)].filter((words) => words);

/** Where the ring of a line is. */
const ringAt = (line) => (isClosed() ? middleOfBundle(line) : middle(line, drawn.aside + (drawn.widths.get(line) ?? 0) / 2));

/** The place that is chosen, or both ends of the flow that is. */
function chosenPoints() {
  const { pick } = state;
  if (pick?.kind === "point") return [pick.number];
  return pick?.kind === "flow" ? [switchCount + flows.source[pick.number], switchCount + nodeCount + flows.destination[pick.number]] : [];
}

/** What is said of the first line of each fault. */
const faultWords = new Map(data.faults.slice(0, NAMED).filter((fault) => fault.lines.length)
  .map(({ text: words, lines: own }) => [own[0], `${lineName(own[0])}: ${words}`]));

/** Whether the end of a run is shown that ended too early. */
const isAtEnd = (chosen = null) => !chosen && data.halted !== null && (state.slice < 0 || state.slice === sliceCount - 1);

/** Where the nodes are whose processes wait for ever. */
function stuckPoints() {
  const nodes = new Set(data.halted.waiting.map(([, , node]) => node).filter((node) => node !== null));
  return [...nodes].map((node) => [screenX(points.x[switchCount + node]), screenY(points.y[switchCount + node])]);
}

/** In a deadlock rings are numbered, by the packets that wait there: names would hide the cycle. */
function cycleWords(line, chosen) {
  const held = cycle(chosen);
  if (!held) return null;
  const numbers = held.waits.flatMap((waited, place) => (waited === line ? [place + 1] : []));
  return numbers.length > 3 ? `${numbers.slice(0, 3).join(", ")} …` : numbers.join(", ");
}

function ring(x, y) {
  for (const [width, colour] of [[5, ink().halo], [2.2, ink().ring]]) {
    pen.beginPath();
    pen.arc(x, y, 9, 0, 2 * Math.PI);
    pen.lineWidth = width;
    pen.strokeStyle = colour;
    pen.stroke();
  }
}

/** Names of groups on a circle, outside of it, where no other name is. */
function drawGroupNames(taken) {
  if (view.scale * extent < 30 * points.clusters.length / Math.PI) return;
  const centre = centres();
  pen.font = "11px system-ui, sans-serif";
  pen.textAlign = "center";
  const middleX = screenX((edges.left + edges.right) / 2), middleY = screenY((edges.low + edges.high) / 2);
  points.clusters.forEach((name, cluster) => {
    const at = [screenX(centre.x[cluster]), screenY(centre.y[cluster])];
    const away = Math.hypot(at[0] - middleX, at[1] - middleY) || 1;
    const out = 22 + 2 * view.scale;
    const label = name.replace(/^group /, ""), half = pen.measureText(label).width / 2 + 2;
    const [x, y] = [at[0] + ((at[0] - middleX) / away) * out, at[1] + ((at[1] - middleY) / away) * out + 4];
    if (taken.some((box) => x - half < box[1] && x + half > box[0] && y - 10 < box[3] && y + 3 > box[2])) return;
    text(label, x, y, ink().soft);
  });
}

let centresKept = null;
function centres() {
  if (!centresKept) {
    const x = new Float64Array(clusterCount), y = new Float64Array(clusterCount), count = new Float64Array(clusterCount);
    for (let point = 0; point < switchCount; point++) {
      const cluster = points.cluster[point];
      x[cluster] += points.x[point];
      y[cluster] += points.y[point];
      count[cluster]++;
    }
    centresKept = { x: x.map((sum, i) => sum / (count[i] || 1)), y: y.map((sum, i) => sum / (count[i] || 1)), count };
  }
  return centresKept;
}

// --- Clusters drawn as one

let bundlesKept = null;
function bundles() {
  if (!bundlesKept) {
    const numbers = new Map(), of = new Int32Array(lineCount), ends = [];
    for (let line = 0; line < lineCount; line++) {
      const a = points.cluster[lines.from[line]], b = points.cluster[lines.to[line]];
      const key = a * clusterCount + b;
      if (!numbers.has(key)) {
        numbers.set(key, ends.length);
        ends.push([a, b]);
      }
      of[line] = numbers.get(key);
    }
    bundlesKept = { of, ends };
  }
  return bundlesKept;
}

/** The middle of the bundle that a line is in. */
function middleOfBundle(line) {
  const { of, ends } = bundles(), { x, y } = centres(), [a, b] = ends[of[line]];
  return [(screenX(x[a]) + screenX(x[b])) / 2, (screenY(y[a]) + screenY(y[b])) / 2];
}

/** A bundle of lines has the colour of its hottest, and the queue of all. */
function drawClusters() {
  const chosen = chosenLines(), { of, ends } = bundles(), { x, y, count } = centres(), inks = ink();
  const share = new Float64Array(ends.length), queue = new Float64Array(ends.length), hottest = new Int32Array(ends.length);
  const all = values(), most = largest(), queues = values("queue");
  for (let line = 0; line < lineCount; line++) {
    const own = chosen ? chosen.get(line) ?? 0 : Math.abs(all[line]) / most;
    if (own > share[of[line]]) [share[of[line]], hottest[of[line]]] = [own, line];
    queue[of[line]] += chosen || state.colour === "change" ? own : queues[line];
  }
  const mostQueue = maximum(queue) || 1;
  drawn = { aside: 1, widths: new Map() };
  const way = (bundle) => {
    const [a, b] = ends[bundle];
    const x1 = screenX(x[a]), y1 = screenY(y[a]), x2 = screenX(x[b]), y2 = screenY(y[b]);
    const length = Math.hypot(x2 - x1, y2 - y1) || 1, aside = 2;
    const rightX = (-(y2 - y1) / length) * aside, rightY = ((x2 - x1) / length) * aside;
    return [x1 + rightX, y1 + rightY, x2 + rightX, y2 + rightY];
  };
  pen.lineWidth = ends.length > 4000 ? 0.3 : 0.7;
  pen.strokeStyle = inks.cold;
  pen.beginPath();
  const hot = [], inside = new Float64Array(clusterCount), within = new Int32Array(clusterCount), held = new Float64Array(clusterCount);
  ends.forEach(([a, b], bundle) => {
    if (a === b) [inside[a], held[a], within[a]] = [share[bundle], queue[bundle], hottest[bundle]];
    else if (share[bundle] >= COLD) hot.push(bundle);
    else trace(way(bundle));
  });
  pen.stroke();
  hot.sort((a, b) => share[a] - share[b] || a - b);
  for (const bundle of hot) {
    pen.beginPath();
    trace(way(bundle));
    pen.lineWidth = 1.5 + THICKEST * Math.sqrt(queue[bundle] / mostQueue);
    pen.strokeStyle = lineColour(hottest[bundle], share[bundle]);
    pen.stroke();
  }
  const mostHeld = maximum(held) || 1;
  const order = Array.from({ length: clusterCount }, (_, cluster) => cluster).filter((cluster) => count[cluster]);
  for (const cluster of order.sort((a, b) => inside[a] - inside[b] || a - b)) {
    const isHot = inside[cluster] >= COLD, radius = isHot ? 2.5 + THICKEST * Math.sqrt(held[cluster] / mostHeld) : 2.5;
    pen.beginPath();
    pen.arc(screenX(x[cluster]), screenY(y[cluster]), radius, 0, 2 * Math.PI);
    pen.fillStyle = isHot ? lineColour(within[cluster], inside[cluster]) : inks.dot;
    pen.fill();
  }
  drawNames(chosen);
}
