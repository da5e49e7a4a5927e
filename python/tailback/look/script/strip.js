// The strip of time: waits by slice, those of the chosen root on top, and marks.

const bars = $("bars"), barPen = bars.getContext("2d");
let playing = 0;

/** Packets waiting at a time in a slice, all and because of the root that stands out: the last slice may be short. */
function waitingIn(slice, root) {
  const length = time.end_ps[slice] - time.begin_ps[slice] || 1;
  return [time.waited_ps[slice] / length, (root < 0 ? 0 : at("root", root, slice)) / length];
}

/** The root whose waits stand out: that of what is chosen, or the first there is. */
function stripRoot() {
  const { pick } = state;
  if (pick?.kind === "line") return tailback(pick.number)?.root ?? -1;
  if (pick) return -1;
  if (data.halted && data.halted.root !== null) return data.halted.root;
  const [first] = data.roots.line;
  return first ?? -1;
}

function drawStrip() {
  if (!time) return;
  const width = bars.clientWidth, height = bars.clientHeight;
  bars.width = width * devicePixelRatio;
  bars.height = height * devicePixelRatio;
  barPen.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
  barPen.clearRect(0, 0, width, height);
  const root = stripRoot(), heights = time.waited_ps.map((_, slice) => waitingIn(slice, root));
  const most = maximum(heights.map(([all]) => all)) || 1, inks = ink(), room = height - 14;
  const each = width / sliceCount;
  drawOutages(width, height);
  for (let slice = 0; slice < sliceCount; slice++) {
    const all = (room * heights[slice][0]) / most;
    const of = Math.min(all, (room * heights[slice][1]) / most);
    const isShown = slice === state.slice;
    barPen.fillStyle = isShown ? inks.ring : inks.bar;
    const left = slice * each, wide = Math.max(0.5, each - (each > 4 ? 1 : 0));
    barPen.fillRect(left, height - all, wide, all);
    barPen.fillStyle = isShown ? inks.ring : inks.barChosen;
    barPen.fillRect(left, height - of, wide, of);
  }
  const begin = time.begin_ps[0], end = time.end_ps[sliceCount - 1];
  barPen.font = "11px system-ui, sans-serif";
  // What stands out comes first: a mark whose words would cover others is a short line.
  const taken = [], all = time.outages.length ? [...time.marks, ...begunMark()] : [...begunMark(), ...time.marks.toReversed()];
  for (const [ps, words] of all) {
    if (ps < begin || ps > end) continue;
    const x = (width * (ps - begin)) / (end - begin || 1);
    barPen.fillStyle = inks.text;
    const length = barPen.measureText(words).width + 8, isLeft = x + length > width;
    const [left, right] = isLeft ? [x - length, x] : [x, x + length];
    const isCovered = taken.some(([from, to]) => left < to && right > from);
    barPen.fillRect(Math.min(x, width - 1), isCovered ? 12 : 0, 1, isCovered ? 6 : height);
    if (isCovered) continue;
    taken.push([left, right]);
    barPen.textAlign = isLeft ? "right" : "left";
    barPen.fillText(words, isLeft ? x - 4 : x + 4, 10);
  }
}

/** Bands behind the bars: as long as a link was down, or slower. */
function drawOutages(width, height) {
  const begin = time.begin_ps[0], all = time.end_ps[sliceCount - 1] - begin || 1;
  barPen.fillStyle = ink().outage;
  for (const [from, until] of time.outages) {
    const left = Math.max(0, (width * (from - begin)) / all);
    const right = until === null ? width : Math.min(width, (width * (until - begin)) / all);
    if (right > 0 && left < width) barPen.fillRect(left, 0, Math.max(1, right - left), height);
  }
}

/** When the tailback that stands out begins, unless it is there from the start. */
function begunMark() {
  const root = stripRoot(), [roots, slices] = time.begun;
  const slice = slices[roots.indexOf(root)];
  return slice === undefined || slice === null || slice < 0.05 * sliceCount ? [] : [[time.begin_ps[slice], "begins"]];
}

function tellTime() {
  if (!time) return;
  $("slice").value = state.slice;
  $("now").textContent = state.slice < 0
    ? `all that was measured, ${timeText(time.begin_ps[0])} to ${timeText(time.end_ps[sliceCount - 1])}`
    : `${timeText(time.begin_ps[state.slice])} to ${timeText(time.end_ps[state.slice])}: waits of ${timeText(time.waited_ps[state.slice])}`;
  $("slice").setAttribute("aria-valuetext", $("now").textContent);
  $("play").textContent = playing ? "Pause" : "Play";
}

function play() {
  if (!time) return;
  if (playing) {
    clearInterval(playing);
    playing = 0;
    return tellTime();
  }
  if (state.slice >= sliceCount - 1) state.slice = -1;
  playing = setInterval(() => {
    if (state.slice >= sliceCount - 1) play();
    else choose({ slice: state.slice + 1 });
  }, 80);
  tellTime();
}
