// Flows: what messages of one source, destination and class crossed, waited for, and kept waiting.

const { flows } = data;
const flowCount = flows.source ? flows.source.length : 0;
const SHOWN_FLOWS = 6;

/** The flow by its ends; with its class where that is not its source. */
function flowName(flow) {
  if (flow < 0) return flow === OTHERS ? "others" : "nobody";
  const ends = `${points.nodes[flows.source[flow]]} to ${points.nodes[flows.destination[flow]]}`;
  return classes.what === "node" ? ends : `${ends}, ${className(flows.class[flow])}`;
}

const flowRows = (rows) => rows.map(({ other, ps }) => ({
  name: flowName(other), ps, pick: other >= 0 ? { kind: "flow", number: other } : null }));

/** What is not known of flows. */
const flowNotes = () => (flows.notes ?? []).map((words) => element("p", words, { class: "note" }));

/** The lines that packets of a flow crossed, or waited for. */
const wayOfFlow = (flow) => [...rowsOf(flows.ways, flow), ...rowsOf(flows.waits, flow)]
  .map((row) => row.other).filter((line) => line >= 0);

/** Flows of which something holds, those that waited longest first, by how long they waited. */
function someFlows(title, isOne, note = "") {
  if (flows.why_not) return [element("p", flows.why_not, { class: "note" })];
  const own = [];
  for (let flow = 0; flow < flowCount; flow++) if (isOne(flow)) own.push({ other: flow, ps: flows.waited_ps[flow] });
  if (!own.length) return [];
  const rest = own.slice(SHOWN_FLOWS), rows = flowRows(own.slice(0, SHOWN_FLOWS));
  for (const row of rows) row.said = timeText(row.ps);
  if (rest.length) rows.push({ name: counted(rest.length, "other"), ps: sum(rest), said: timeText(sum(rest)), isRest: true });
  return [...list(title, rows, 0, note || "How long packets of each waited in all."), ...flowNotes()];
}

const flowsOfNode = (node) => someFlows("Its flows", (flow) => flows.source[flow] === node || flows.destination[flow] === node);
const flowsOfClass = (number) => someFlows("Its flows", (flow) => flows.class[flow] === number);

/** Flows of which packets waited for a line, the longest wait first. */
let flowsByLine = null;
function flowsOfLine(line) {
  if (flows.why_not) return [];
  if (!flowsByLine) {
    flowsByLine = new Map();
    flows.waits.owner.forEach((flow, row) => {
      const at = flows.waits.other[row];
      if (!flowsByLine.has(at)) flowsByLine.set(at, []);
      flowsByLine.get(at).push({ other: flow, ps: flows.waits.ps[row] });
    });
    for (const rows of flowsByLine.values()) rows.sort((a, b) => b.ps - a.ps || a.other - b.other);
  }
  const rows = flowRows((flowsByLine.get(line) ?? []).slice(0, SHOWN_FLOWS));
  for (const row of rows) row.said = timeText(row.ps);
  return list("Waiting here, by flow", rows, 0);
}

function ofFlow(flow) {
  const messages = flows.messages[flow], waited = flows.waited_ps[flow], ways = rowsOf(flows.ways, flow);
  const shownWays = lineRows(ways.slice(0, 12));
  for (const row of shownWays) row.said = timeText(row.ps);
  return [
    ...heading(flowName(flow), "Flow: messages of one source, destination and class"),
    facts([
      ["messages", `${messages.toLocaleString("en")} (${flows.bytes[flow].toLocaleString("en")} B)`],
      ["took", messages ? `${timeText(flows.took_ps[flow] / messages)} per message` : "no message arrived"],
      ["packets waited", `${timeText(waited)} in all`],
      ["delays others", `${timeText(flows.delays_ps[flow])} in all`],
    ]),
    ...list("Its packets wait for", lineRows(rowsOf(flows.waits, flow).slice(0, 12)), waited, "Channels, by how long packets waited for them."),
    ...list("They wait for packets of", flowRows(rowsOf(flows.blamed, flow)), waited, "The flow whose packet was in the way."),
    ...list("It keeps waiting", flowRows(rowsOf(flows.delayed, flow)), flows.delays_ps[flow]),
    ...list("Its ways", shownWays, 0, `${counted(ways.filter((row) => row.other >= 0).length, "channel")} crossed by its packets and acknowledgements; how long they kept each busy.`),
    ...flowNotes(),
  ];
}
