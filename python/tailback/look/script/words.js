// Numbers and names as text.

const UNITS = [["s", 1e12], ["ms", 1e9], ["µs", 1e6], ["ns", 1e3], ["ps", 1]];

/** A time in a suitable unit. */
function timeText(ps, digits = 4) {
  if (!ps) return "0";
  const [unit, size] = UNITS.find(([, each]) => Math.abs(ps) >= each) ?? ["ps", 1];
  return `${plain(ps / size, digits)} ${unit}`;
}

function plain(value, digits = 4) {
  if (!value) return "0";
  if (Math.abs(value) >= 10 ** digits) return Math.round(value).toLocaleString("en");
  const short = value.toPrecision(digits);
  if (short.includes("e")) return short;
  return short.includes(".") ? short.replace(/0+$/, "").replace(/\.$/, "") : short;
}

const percent = (share) =>
  share > 0 && share < 0.0005 ? "< 0.1 %" : `${share >= 0.9995 ? "100" : (100 * share).toFixed(1)} %`;

const counted = (number, one, more = `${one}s`) => `${number.toLocaleString("en")} ${number === 1 ? one : more}`;

const lineName = (line) => (line < 0 ? (line === OTHERS ? "others" : "no channel") : lines.name[line]);
function className(number) {
  if (number < 0) return number === OTHERS ? "others" : "nobody";
  return classes.what === "node" ? `node ${classes.name[number]}` : classes.name[number];
}

const groupName = (number) => (number < 0 ? (number === OTHERS ? "others" : "nobody") : data.groups[number]);
const CLASS_WORDS = { job: "job", node: "node", process: "process", class: "traffic class" };

const KIND_TEXTS = {
  injection: "from a node into the network",
  internal: "between switches",
  ejection: "from the network to a node",
  direct: "from node to node",
};

function pointName(point) {
  if (point < switchCount) {
    const name = points.switches[point];
    return name.startsWith("(") ? `switch ${name}` : name;
  }
  return points.nodes[nodeOf(point)];
}

/** The node of a point: each has a sending and a receiving side. */
const nodeOf = (point) => (point - switchCount) % nodeCount;
