// What model.py and encoding.py wrote: compressed JSON, and tables of bytes by slice of time.

async function inflated(element) {
  const bytes = Uint8Array.from(atob(element.textContent.trim()), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

const $ = (id) => document.getElementById(id);
const data = JSON.parse(new TextDecoder().decode(await inflated($("data"))));
const { points, lines, charges, classes, time } = data;
const lineCount = lines.name.length;
const switchCount = points.switches.length, nodeCount = points.nodes.length;
const sliceCount = time ? time.begin_ps.length : 0;
const OTHERS = -1;

const tables = {};
for (const element of document.querySelectorAll("script.table")) {
  tables[element.dataset.name] = await inflated(element);
}

/** The values that the bytes of a table stand for. */
const decoders = {};
function decoder(name) {
  if (!decoders[name]) {
    const [low, high] = time.ranges[name];
    decoders[name] = Float64Array.from({ length: 256 }, (_, byte) =>
      byte ? low * (high / low) ** ((byte - 1) / 254) : 0);
  }
  return decoders[name];
}

/** The value of a row of a table in a slice. */
const at = (name, row, slice) => decoder(name)[tables[name][row * sliceCount + slice]];

/** Where the rows of each owner are: `[first, end]` by owner. */
function indexed(table) {
  const found = new Map();
  table.owner.forEach((owner, row) => {
    const known = found.get(owner);
    if (known) known[1] = row + 1;
    else found.set(owner, [row, row + 1]);
  });
  return found;
}

/** The rows of an owner: `{other, ps}`, the longest first. */
const indexes = new Map();
function rowsOf(table, owner) {
  if (!table) return [];
  if (!indexes.has(table)) indexes.set(table, indexed(table));
  const [first, end] = indexes.get(table).get(owner) ?? [0, 0];
  return Array.from({ length: end - first }, (_, i) =>
    ({ other: table.other[first + i], ps: table.ps[first + i] }));
}

/** Roots in descending order of the lateness that begins there. */
const rootRank = new Map(data.roots.line.map((line, rank) => [line, rank]));

/** The nodes of classes, the other way round. */
const classOfNode = new Map();
classes.nodes.forEach((nodes, number) => nodes.forEach((node) => classOfNode.set(node, number)));

/** Pairs of a root and a line, by either. */
const pairsOfRoot = new Map(), pairsOfLine = new Map();
if (time) {
  const put = (map, key, pair) => (map.has(key) ? map.get(key).push(pair) : map.set(key, [pair]));
  time.pairs.root.forEach((root, pair) => {
    put(pairsOfRoot, root, pair);
    put(pairsOfLine, time.pairs.line[pair], pair);
  });
}

/** The tailback of a line: pairs of the tree behind it, as root or as a branch of its first root. */
const tailbacks = new Map();
function tailback(line) {
  if (!tailbacks.has(line)) tailbacks.set(line, foundTailback(line));
  return tailbacks.get(line);
}

function foundTailback(line) {
  if (!time) return null;
  const { root, line: of, depth, parent } = time.pairs;
  if (pairsOfRoot.has(line)) {
    return { root: line, pairs: pairsOfRoot.get(line), from: 0 };
  }
  const [first] = pairsOfLine.get(line) ?? [];
  if (first === undefined) return null;
  // Pairs come in descending order, so this is the root that it waits for longest.
  const all = pairsOfRoot.get(root[first]), byLine = new Map(all.map((pair) => [of[pair], pair]));
  const isBehind = (pair) => {
    const seen = new Set();
    for (let at = pair; at !== undefined && !seen.has(at); at = byLine.get(parent[at])) {
      if (of[at] === line) return true;
      seen.add(at);
    }
    return false;
  };
  return { root: root[first], pairs: all.filter(isBehind), from: Math.max(depth[first], 0) };
}
