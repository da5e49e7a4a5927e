// The panel at the right: what is chosen, in numbers. All text is text, never HTML.

const panel = $("panel");

/** Names up to this long are not broken. */
const SHORT = 28;
/** Packets of a deadlock that are listed. */
const MOST_PACKETS = 40;

/** A link that chooses something. */
function chooser(name, pick) {
  return element("a", name, { href: addressOf({ pick }), ...(name.length <= SHORT ? { class: "short" } : {}) });
}

function element(name, words = "", attributes = {}) {
  const made = document.createElement(name);
  made.textContent = words;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

/** A list of names, shares and bars; a row with `pick` can be clicked. */
function list(title, rows, whole, note = "") {
  if (!rows.length) return [];
  const table = element("table", "", { "data-list": title });
  // What is not told apart has no bar: it would hide how the others compare.
  const isTold = (row) => row.name !== "others" && !row.isRest;
  const most = maximum(rows.filter(isTold).map((row) => row.ps)) || 1;
  for (const each of rows) {
    const { name, ps, pick, said } = each, row = table.insertRow();
    row.dataset.ps = ps;
    const cell = row.insertCell();
    if (pick) {
      cell.append(chooser(name, pick));
    } else cell.textContent = name;
    row.insertCell().textContent = said ?? percent(whole ? ps / whole : 0);
    const bar = element("i");
    bar.style.width = `${(100 * ps) / most}%`;
    if (isTold(each)) cell.append(bar);
    row.title = timeText(ps);
  }
  return [element("h3", title), ...(note ? [element("p", note, { class: "note" })] : []), table];
}

function facts(pairs) {
  const made = element("dl");
  for (const [name, value] of pairs) made.append(element("dt", name), element("dd", value));
  return made;
}

const lineRows = (rows) => rows.map(({ other, ps }) => ({
  name: lineName(other), ps, pick: other >= 0 ? { kind: "line", number: other } : null }));
const classRows = (rows) => rows.map(({ other, ps }) => ({
  name: className(other), ps, pick: other >= 0 ? { kind: "class", number: other } : null }));
const groupRows = (rows) => rows.map(({ other, ps }) => ({ name: groupName(other), ps }));

/** Lists of classes; of groups of nodes first where there are many. */
function who(title, owner, name, whole, note = "") {
  const rows = owner === null ? ofEverybody(name) : rowsOf(charges[name], owner);
  if (!data.groups) return list(title, classRows(rows), whole, note);
  const groups = rowsOf(charges[`${name}_by_group`], owner ?? OTHERS);
  return [
    ...list(`${title}, by group of nodes`, groupRows(groups), whole, note),
    ...list(`${title}, by node`, classRows(rows.slice(0, 4)), whole),
  ];
}

/** All lateness by victim or culprit, the most first. */
function ofEverybody(name) {
  const table = name === "victims" ? charges.blamed : charges.delayed, sums = new Map();
  table.owner.forEach((owner, row) => sums.set(owner, (sums.get(owner) ?? 0) + table.ps[row]));
  return [...sums].map(([other, ps]) => ({ other, ps })).sort((a, b) => b.ps - a.ps).slice(0, 8);
}

const sum = (rows) => rows.reduce((total, row) => total + row.ps, 0);

function tell() {
  const { pick } = state;
  const parts = !pick ? ofAll() : pick.kind === "line" ? ofLine(pick.number) : pick.kind === "point" ? ofPoint(pick.number) : pick.kind === "flow" ? ofFlow(pick.number) : ofClass(pick.number);
  panel.replaceChildren(...parts);
  panel.dataset.pick = pick ? `${pick.kind}:${pick.number}` : "";
}

const heading = (words, under = "") => {
  const back = element("a", "×", { href: addressOf({ pick: null }), class: "back", "aria-label": "Back to the whole network" });
  const made = element("h2", words);
  made.append(back);
  return [made, ...(under ? [element("p", under, { class: "under" })] : [])];
};

function ofAll() {
  const shown = bigRoots().slice(0, 12), roots = shown.map((line, rank) => ({
    name: lineName(line), ps: data.roots.ps[line], said: data.roots.share[rank], pick: { kind: "line", number: line } }));
  const folded = data.roots.line.slice(shown.length);
  if (folded.length) roots.push({ name: `${counted(folded.length, "other")}`, ps: sum(folded.map((line) => ({ ps: data.roots.ps[line] }))), isRest: true });
  return [
    ...ofDeadlock(),
    ...ofHalted(),
    ...ofFaults(),
    ...(state.colour === "change" ? ofChange() : []),
    ...(roots.length ? list("Where it begins", roots, data.late_ps, "Share of all lateness by root channel.") : waitsOfAll()),
    ...who("In the way", null, "culprits", data.late_ps, "Whose traffic is charged."),
    ...who("Late", null, "victims", data.late_ps, "Whose messages are late."),
    element("p", "Choose a channel on the map to see its tailback: the channels on which packets wait because of it.", { class: "note" }),
  ];
}

/** Lines for which more or fewer packets wait than in the other run, the largest difference first. */
let changedKept = null;
function changed() {
  const by = data.change.queue, most = largest("change");
  changedKept ??= by.map((_, line) => line).filter((line) => Math.abs(by[line]) >= COLD * most)
    .sort((a, b) => Math.abs(by[b]) - Math.abs(by[a]) || a - b);
  return changedKept;
}

function ofChange() {
  const by = data.change.queue, note = `Packets waiting on average, compared with ${data.change.name}.`;
  const rows = (some) => some.slice(0, 8).map((line) => ({
    name: lineName(line), ps: Math.abs(by[line]), said: valueText("change", by[line]), pick: { kind: "line", number: line } }));
  const more = rows(changed().filter((line) => by[line] > 0)), fewer = rows(changed().filter((line) => by[line] < 0));
  if (!more.length && !fewer.length) return [element("p", "No packets wait more or less than there.", { class: "note" })];
  return [...list("More wait here", more, 0, note), ...list("Fewer wait here", fewer, 0, more.length ? "" : note)];
}

/** The packets of a deadlock, numbered as on the map: each waits for what the next one holds. */
function ofDeadlock() {
  if (!data.deadlock || !data.deadlock.packets.length) return [];
  const { packets, waits } = data.deadlock, table = element("table", "", { "data-list": "Deadlock" });
  packets.slice(0, MOST_PACKETS).forEach((packet, place) => {
    const row = table.insertRow(), cell = row.insertCell();
    row.dataset.line = waits[place];
    cell.append(element("b", `${place + 1}`), ` ${packet} waits for `);
    if (waits[place] < 0) cell.append("what is not on the map");
    else cell.append(chooser(lineName(waits[place]), { kind: "line", number: waits[place] }));
  });
  const more = packets.length - MOST_PACKETS;
  return [
    element("h3", "Deadlock"),
    element("p", "Each packet waits for what the next one holds, the last one for the first.", { class: "note" }),
    table,
    ...(more > 0 ? [element("p", `and ${counted(more, "more packet")}`, { class: "note" })] : []),
  ];
}

/** Links that failed, or were slower, while the run went on. */
function ofFaults() {
  if (!data.faults.length) return [];
  const table = element("table", "", { "data-list": "Faults" });
  for (const { text: words, lines: own } of data.faults) {
    const cell = table.insertRow().insertCell();
    own.slice(0, 2).forEach((line, place) => {
      if (place) cell.append(", ");
      cell.append(chooser(lineName(line), { kind: "line", number: line }));
    });
    if (own.length > 2) cell.append(` and ${own.length - 2} more`);
    cell.append(own.length ? `: ${words}` : words);
  }
  return [element("h3", "Faults"), table];
}

/** What a run left undone that ended too early. */
function ofHalted() {
  if (!data.halted) return [];
  const { lines: stand, packets, waiting, more } = data.halted;
  const rows = stand.map((line, place) => ({
    name: lineName(line), ps: packets[place], said: packets[place].toLocaleString("en"), pick: { kind: "line", number: line } }));
  const table = element("table", "", { "data-list": "Who waits at the end" });
  for (const [who, what, node] of waiting) {
    const cell = table.insertRow().insertCell();
    cell.append(node === null ? element("b", who) : chooser(who, { kind: "point", number: switchCount + node }), ` waits for ${what}`);
  }
  return [
    ...list("Where packets wait at the end", rows, 0, "Packets that wait for the channel."),
    ...(waiting.length ? [element("h3", "Who waits at the end"), table] : []),
    ...(more > 0 ? [element("p", `and ${counted(more, "more")}`, { class: "note" })] : []),
  ];
}

function waitsOfAll() {
  const rows = lines.wait_ps.map((ps, line) => ({ other: line, ps })).sort((a, b) => b.ps - a.ps).slice(0, 12);
  return list("Where packets wait", lineRows(rows.filter((row) => row.ps)), sum(rows));
}

function ofLine(line) {
  const packets = lines.packets[line], rank = rootRank.get(line), waited = lines.wait_ps[line];
  const width = lines.channels[line];
  const kind = KIND_TEXTS[lines.kinds[lines.kind[line]]] + (width > 1 ? `, ${width} channels` : "");
  const late = data.roots.ps[line], causes = rowsOf(charges.causes, line);
  return [
    ...heading(lineName(line), kind),
    facts([
      ["busy", percent(lines.busy[line])],
      ["packets", packets.toLocaleString("en")],
      ["waiting here", waited ? `${timeText(waited)} in all, ${timeText(waited / (packets || 1))} per packet; ${plain(lines.queue[line], 3)} packets at a time` : "nobody"],
      ["root of", late ? `${data.roots.mean[rank]} ${data.roots.unit} (${data.roots.share[rank]})` : "nothing"],
    ]),
    ...treeParts(line),
    ...who("In the way here", line, "culprits", late, "Whose traffic is charged with the lateness that begins here."),
    ...who("Late because of it", line, "victims", late, "Whose messages."),
    ...(time ? waitersHere(line) : []),
    ...list("Cause of waits here", causes.map(({ other, ps }) => ({ name: data.causes[other] ?? "others", ps })), sum(causes)),
  ];
}

function waitersHere(line) {
  const all = time.line_ps[line], roots = (pairsOfLine.get(line) ?? []).slice(0, 6);
  return [
    ...list("Waiting here", classRows(rowsOf(time.victims, line)), all),
    ...flowsOfLine(line),
    ...list("They wait because of", lineRows(roots.map((pair) => ({ other: time.pairs.root[pair], ps: time.pairs.ps[pair] }))), all, "Root channels of the waits here."),
  ];
}

/** The tailback by depth. */
function treeParts(line) {
  const tree = tailback(line);
  if (!tree) return [];
  const { depth, line: of } = time.pairs, levels = new Map();
  for (const pair of tree.pairs) {
    const key = depth[pair];
    if (!levels.has(key)) levels.set(key, []);
    levels.get(key).push({ other: of[pair], ps: pairPs(pair) });
  }
  const all = sum(tree.pairs.map((pair) => ({ ps: pairPs(pair) })));
  const waitingLines = tree.pairs.filter((pair) => pairPs(pair) > 0).length;
  const what = tree.root === line ? "" : `, a branch of that of ${lineName(tree.root)}`;
  const when = state.slice < 0 ? "" : " in this slice";
  const made = [element("h3", "Tailback"), element("p", `${counted(waitingLines, "channel")} with ${timeText(all)} of waits${when}${what}.`, { class: "note", id: "tailback" })];
  const table = element("table", "", { "data-list": "Tailback" });
  for (const key of [...levels.keys()].sort((a, b) => (a < 0) - (b < 0) || a - b)) {
    const rows = levels.get(key).filter((row) => row.ps > 0 || row.other === line).sort((a, b) => b.ps - a.ps);
    if (!rows.length) continue;
    const row = table.insertRow(), cell = row.insertCell();
    row.dataset.depth = key;
    row.dataset.ps = sum(rows);
    row.dataset.lines = rows.map(({ other }) => other).sort((a, b) => a - b).join(" ");
    cell.append(element("b", key < 0 ? "elsewhere" : key === 0 ? "at the root" : `${key} back`), ` ${counted(rows.length, "channel")}: `);
    rows.slice(0, 3).forEach(({ other }, place) => {
      if (place) cell.append(", ");
      cell.append(chooser(lineName(other), { kind: "line", number: other }));
    });
    if (rows.length > 3) cell.append(" …");
    row.insertCell().textContent = percent(all ? sum(rows) / all : 0);
  }
  return [...made, table];
}

function ofPoint(point) {
  const own = incident(point), isNode = point >= switchCount;
  const here = own.filter((line) => lines.from[line] === point || (isNode && lines.from[line] >= switchCount));
  const rows = (some) => some.map((line) => ({ other: line, ps: lines.wait_ps[line] })).sort((a, b) => b.ps - a.ps).slice(0, 16);
  const node = isNode ? nodeOf(point) : -1, number = classOfNode.get(node);
  const all = sum(lines.wait_ps.map((ps) => ({ ps })));
  const nodes = isNode ? [] : own.filter((line) => lines.kinds[lines.kind[line]] === "injection").map((line) => nodeOf(lines.from[line]));
  return [
    ...heading(pointName(point), isNode ? "" : counted(nodes.length, "node")),
    ...list(isNode ? "Waiting in it" : "Waiting in it, by channel out of it", lineRows(rows(here)), all, "Share of all waits of packets."),
    ...list("Waiting for it", lineRows(rows(own.filter((line) => !here.includes(line)))), all, "On channels that lead to it."),
    ...(number === undefined ? [] : ofClass(number, false)),
    ...(isNode ? flowsOfNode(node) : []),
    ...list("Its nodes", nodes.map((each) => ({ name: points.nodes[each], ps: lines.wait_ps[own.find((line) => nodeOf(lines.from[line]) === each && lines.from[line] >= switchCount)] ?? 0, pick: { kind: "point", number: switchCount + each } })).slice(0, 16), all),
  ];
}

/** The channels that packets of a class crossed, those it kept busy longest first. */
function waysOf(number) {
  const way = wayOf(number), rows = rowsOf(data.ways, number);
  if (!way.size) return [];
  const shown = rows.slice(0, 8).map(({ other, ps }) => ({
    name: lineName(other), ps, said: timeText(ps), pick: { kind: "line", number: other } }));
  return list("Its ways", shown, 0, `${counted(way.size, "channel")} crossed by its packets; how long they kept each busy.`);
}

function ofClass(number, isAlone = true) {
  const blamed = rowsOf(charges.blamed, number), delayed = rowsOf(charges.delayed, number);
  const late = sum(blamed), messages = classes.messages[number] ?? 0;
  const nodes = classes.nodes[number] ?? [];
  const title = className(number);
  return [
    ...(isAlone ? heading(title, `Traffic class: ${CLASS_WORDS[classes.what]}${nodes.length > 1 ? `, ${counted(nodes.length, "node")}` : ""}`) : [element("h3", `Its traffic: ${title}`)]),
    facts([
      ["messages", messages.toLocaleString("en")],
      ["late", messages ? `${timeText(late / messages)} per message (${percent(late / (data.late_ps || 1))} of all lateness)` : "no message"],
      ["delays others", `${timeText(sum(delayed.filter((row) => row.other !== number)))} in all`],
    ]),
    ...list("Late at", lineRows(rowsOf(charges.places, number)), late, "Root channels of its lateness."),
    ...list("In its way", classRows(blamed), late),
    ...list("It makes late", classRows(delayed), sum(delayed)),
    ...waysOf(number),
    ...(isAlone ? flowsOfClass(number) : []),
    ...(time ? list("Its packets wait for", lineRows(rowsOf(time.waits, number).slice(0, 8)), sum(rowsOf(time.waits, number))) : []),
  ];
}
