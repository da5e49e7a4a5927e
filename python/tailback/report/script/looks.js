// Light and dark, the colours of data in both, and legends' little pictures.

function themed(layout, theme) {
  const result = { ...structuredClone(layout), showlegend: false,
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
    font: { family: theme.font, size: theme.size, color: theme.text },
    hoverlabel: { bgcolor: theme.paper, bordercolor: theme.faint, font: { color: theme.text, size: theme.size }, align: "left", namelength: -1 } };
  const axes = new Set(["xaxis", "yaxis", ...Object.keys(result).filter((key) => /^[xy]axis\d*$/.test(key))]);
  for (const name of axes) {
    result[name] = { gridcolor: theme.grid, linecolor: theme.faint, tickcolor: theme.faint,
      zerolinecolor: theme.faint, showline: true, ticks: "outside", ticklen: 4, ...result[name] };
    if (result[name].minor) result[name].minor.gridcolor = theme.grid;
    if (result[name].title) result[name].title.font = { size: theme.size };
  }
  for (const name of Object.keys(result).filter((key) => /^coloraxis\d*$/.test(key))) {
    const axis = result[name];
    axis.colorbar.title.font = { size: theme.size };
    axis.colorscale = axis.colorscale.map(([at], i) => [at, theme.scale[i][1]]);
  }
  for (const part of [...(result.annotations ?? []), ...(result.shapes ?? [])]) {
    for (const name of ["bgcolor", "fillcolor"]) part[name] = theme.instead[part[name]] ?? part[name];
  }
  return result;
}

/** A trace with colours that can be told from the paper. */
function recoloured(trace, instead) {
  const result = { ...trace };
  for (const part of ["line", "marker", "error_y"]) {
    if (result[part]?.color in instead) result[part] = { ...result[part], color: instead[result[part].color] };
  }
  const light = /^rgba\((\d+),(\d+),(\d+),([\d.]+)\)$/;
  for (const holder of [result, result.error_y]) {
    const name = holder === result ? "fillcolor" : "color";
    const parts = holder?.[name]?.match?.(light);
    const hex = parts && "#" + parts.slice(1, 4).map((n) => Number(n).toString(16).padStart(2, "0")).join("");
    if (hex in instead) {
      const [r, g, b] = [1, 3, 5].map((i) => parseInt(instead[hex].slice(i, i + 2), 16));
      const changed = { ...holder, [name]: `rgba(${r},${g},${b},${parts[4]})` };
      if (holder === result) result.fillcolor = changed.fillcolor; else result.error_y = changed;
    }
  }
  return result;
}

function swatch(trace) {
  const svg = (tag, attributes) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
    return element;
  };
  const picture = svg("svg", { width: 34, height: 12, viewBox: "0 0 34 12", "aria-hidden": "true" });
  const colour = trace.line?.color ?? trace.marker?.color;
  if (trace.type === "bar") {
    picture.append(svg("rect", { x: 8, y: 1, width: 18, height: 10, fill: colour }));
    return picture;
  }
  const mode = trace.mode ?? "lines";
  const dashes = (trace.line?.dash ?? "").replace(/px/g, "").replace("solid", "");
  if (mode.includes("lines")) {
    picture.append(svg("line", { x1: 1, x2: 33, y1: 6, y2: 6, stroke: colour, "stroke-width": 2, "stroke-dasharray": dashes }));
  }
  const shapes = {
    square: "M13 2h8v8h-8z", diamond: "M17 1l5 5l-5 5l-5-5z", "triangle-down": "M12 2h10l-5 9z",
    cross: "M15 1h4v3h3v4h-3v3h-4v-3h-3v-4h3z", "triangle-right": "M13 1v10l9-5z",
    "triangle-left": "M21 1v10l-9-5z", pentagon: "M17 1l5 4l-2 6h-6l-2-6z",
    "triangle-up-open": "M17 1l5 9h-10z",
    "x-thin": "M13 2l8 8M21 2l-8 8",
  };
  const symbols = [trace.marker?.symbol ?? "circle"].flat();
  const symbol = symbols.find((name) => name !== "x") ?? "circle";
  if (!mode.includes("markers")) return picture;
  picture.append(symbol in shapes
    ? svg("path", { d: shapes[symbol], fill: colour, ...(symbol === "x-thin" && { stroke: colour, "stroke-width": 2 }) })
    : svg("circle", { cx: 17, cy: 6, r: 3.6, fill: colour }));
  return picture;
}
