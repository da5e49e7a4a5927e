// A figure: what is chosen put together, drawn by Plotly, and saved.

const EXPORT_WIDTH_PX = 1000;
const NARROW_PX = 420;


class Figure {
  constructor(element, payload) {
    this.element = element;
    this.payload = payload;
    this.name = element.dataset.name;
    this.title = element.querySelector(".figure-title").textContent;
    this.plot = element.querySelector(".plot");
    this.by = payload.by;
    this.views = payload.views;
    this.hidden = new Set();
    this.controls = new Map();
    this.turn = 0;
    for (const choice of payload.choices) this.controls.set(choice.name, this.#control(choice));
    for (const button of element.querySelectorAll(".exports button")) {
      button.addEventListener("click", () => this.save(button.dataset.format));
    }
  }

  /** The control of a choice: one of the section's, if that holds it, else one of our own. */
  #control(choice) {
    const section = this.element.closest(`section[data-choices~="${CSS.escape(choice.name)}"]`);
    const shared = section ? (section.shared ??= new Map()) : new Map();
    if (!shared.has(choice.name)) {
      const form = (section ?? this.element).querySelector(":scope > .controls");
      shared.set(choice.name, new Control(choice, form));
    }
    const control = shared.get(choice.name);
    control.figures.push(this);
    return control;
  }

  get key() { return this.by.map((name) => this.controls.get(name).value).join(","); }

  /** What is chosen, in words; only where there is something to choose. */
  get selection() {
    const told = [...this.controls.values()].filter((control) => control.options.length > 1);
    return told.map((control) => [control.label, control.text]);
  }

  async #value(value) {
    if (value === null || typeof value !== "object") return value;
    if (value.$array) return array(value.$array);
    if (value.$cells) return cells(value.$cells);
    if (value.$shared !== undefined) return this.#value(this.payload.shared[value.$shared]);
    if (Array.isArray(value)) {
      const nested = value.some((part) => part !== null && typeof part === "object");
      return nested ? Promise.all(value.map((part) => this.#value(part))) : value;
    }
    const entries = Object.entries(value).map(async ([k, v]) => [k, await this.#value(v)]);
    return Object.fromEntries(await Promise.all(entries));
  }

  /** The parts of the view that is chosen; null where there is none. */
  async #assembled() {
    const view = this.views[this.key];
    if (view === undefined) return null;
    const parts = await this.#value(view);
    scale(parts, this.controls.get("scale")?.value);
    return parts;
  }

  async draw() {
    const turn = ++this.turn;
    this.element.dataset.drawing = "";
    const parts = await this.#assembled();
    if (turn !== this.turn) return;
    this.parts = parts;
    const message = this.element.querySelector(".message");
    message.hidden = parts !== null;
    message.textContent = parts ? "" : "There is no run for this choice: it failed or was left out.";
    this.plot.hidden = parts === null;
    if (parts) this.show();
    delete this.element.dataset.drawing;
  }

  /** Shows what was assembled, in the present theme; at once. */
  show(width) {
    const { data, layout } = this.styled(themes[shownTheme()]);
    const height = this.plot.clientHeight;
    const size = width ? { width, height, autosize: false } : { autosize: true };
    const finger = matchMedia("(pointer: coarse)").matches;
    Plotly.react(this.plot, data, { ...this.#narrowed(layout), ...size, ...(finger && { dragmode: false }) },
      { displayModeBar: false, responsive: !width });
    if (!this.answers) this.plot.on("plotly_click", (event) => openPoint(event.points[0]?.customdata));
    this.answers = true;
    this.#legend();
    this.#note();
    const words = this.selection.map(([label, text]) => `${label}: ${text}`).join(", ");
    this.element.querySelector(".selection").textContent = words;
    this.plot.setAttribute("aria-label", words ? `${this.title}; ${words}` : this.title);
  }

  /** Room for a map on a narrow screen: its scale goes above it. */
  #narrowed(layout) {
    if (!layout.coloraxis || this.plot.clientWidth > NARROW_PX) return layout;
    const bar = { ...layout.coloraxis.colorbar, orientation: "h", x: 0.5, y: 1, yanchor: "bottom", len: 1, thickness: 10 };
    bar.title = { ...bar.title, side: "top" };
    const untitled = { ...layout.xaxis, title: { text: "" } };
    return { ...layout, xaxis: untitled, coloraxis: { ...layout.coloraxis, colorbar: bar } };
  }

  styled(theme) {
    const data = this.parts.data.map((trace) => ({
      ...recoloured(trace, theme.instead),
      visible: this.hidden.has(trace.legendgroup) ? false : trace.visible ?? true,
    }));
    return { data, layout: themed(this.parts.layout, theme) };
  }

  #legend() {
    const list = this.element.querySelector(".legend");
    const entries = this.parts.data.filter((trace) => trace.meta?.label && trace.showlegend !== false);
    list.replaceChildren(...(entries.length > 1 ? entries : []).map((trace) => {
      const button = document.createElement("button");
      button.type = "button";
      button.setAttribute("aria-pressed", String(!this.hidden.has(trace.legendgroup)));
      button.append(swatch(recoloured(trace, themes[shownTheme()].instead)), trace.meta.label);
      button.addEventListener("click", () => {
        if (!this.hidden.delete(trace.legendgroup)) this.hidden.add(trace.legendgroup);
        const at = [...list.children].indexOf(button.parentElement);
        this.show();
        list.children[at].firstChild.focus();
      });
      const item = document.createElement("li");
      item.append(button);
      return item;
    }));
  }

  #note() {
    const note = this.element.querySelector(".note");
    const [heading, ...rows] = this.parts.note;
    if (!heading) return note.replaceChildren();
    const table = document.createElement("table");
    const isText = heading.map((_, i) => !i || /^[^-+\d]/.test(rows[0]?.[i] ?? ""));
    const fill = (row, tag, texts) => texts.forEach((text, i) => {
      const cell = document.createElement(tag);
      cell.textContent = text;
      if (!isText[i]) cell.className = "number";
      row.append(cell);
    });
    fill(table.createTHead().insertRow(), "th", heading);
    const body = table.createTBody();
    rows.forEach((texts) => fill(body.insertRow(), "td", texts));
    note.replaceChildren(table);
  }

  // ---- saving

  get fileName() {
    const words = this.selection.map(([, text]) => text.replace(/µ/g, "u").replace(/[^\w.+-]+/g, "-"));
    return [this.name, ...words].join("_").replace(/-+(?=_|$)/g, "").slice(0, 120);
  }

  async save(format) {
    if (!this.parts) return;
    if (format === "csv") return this.#download(new Blob([this.csv()], { type: "text/csv" }), "csv");
    const { data, layout } = this.styled(themes.light);
    const height = this.plot.clientHeight + 70;
    const words = this.selection.map(([label, text]) => `${label}: ${text}`).join(", ");
    const text = `<b>${plain(this.title)}</b><br><span style="font-size: 12px">${plain(words)}</span>`;
    const title = { text, font: { size: 15 }, x: 0.02, xanchor: "left" };
    const width = layout.yaxis?.scaleanchor ? height * 1.2 : EXPORT_WIDTH_PX;
    const entries = data.filter((trace) => trace.meta?.label && trace.showlegend !== false);
    const paper = { paper_bgcolor: themes.light.paper, plot_bgcolor: themes.light.plot };
    const url = await Plotly.toImage(
      { data, layout: { ...layout, ...paper, title, showlegend: entries.length > 1, margin: { ...layout.margin, t: 72 } } },
      { format, width, height, scale: format === "png" ? 2 : 1 });
    const [head, body] = [url.slice(0, url.indexOf(",")), url.slice(url.indexOf(",") + 1)];
    const bytes = head.endsWith("base64")
      ? Uint8Array.from(atob(body), (letter) => letter.charCodeAt(0))
      : decodeURIComponent(body);
    return this.#download(new Blob([bytes], { type: head.slice(5).split(/[;,]/)[0] }), format);
  }

  /** The numbers shown, one row each, with what was chosen in front. */
  csv() {
    const chosen = this.selection.map(([label, text]) => ({ name: label.replace(/\s+/g, "_"), text }));
    const columns = Object.entries(this.parts.table).map(([name, values]) => ({ name, values }));
    const length = Math.max(0, ...columns.map((column) => column.values.length));
    const lines = [[...chosen, ...columns].map((column) => quoted(column.name))];
    for (let row = 0; row < length; row++) {
      lines.push([...chosen.map((c) => quoted(c.text)), ...columns.map((c) => quoted(c.values[row], c.values))]);
    }
    return lines.map((line) => line.join(",")).join("\r\n") + "\r\n";
  }

  #download(blob, ending) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = `${this.fileName}.${ending}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }
}

/** Sets the ends of the scale of colours, or of bars: an option of SCALE in drawing.py. */
function scale(parts, option) {
  const [here, anywhere] = parts.ends;
  const axis = parts.layout.coloraxis;
  if (axis) Object.assign(axis, option === 1 ? { cauto: true } : { cmax: (option === 2 ? anywhere : here) || 1 });
  else if (option !== undefined) Object.assign(parts.layout.yaxis, option === 2 ? { range: [0, anywhere * 1.05 || 1] } : { rangemode: option === 1 ? "normal" : "tozero" });
}

function quoted(value, from) {
  if (value === null || value === undefined || Number.isNaN(value)) return "";
  if (typeof value === "number") {
    // float32 has no more than seven digits
    return from instanceof Float32Array && !Number.isInteger(value) ? String(Number(value.toPrecision(5))) : String(value);
  }
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Text that Plotly shows as it is. */
function plain(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
