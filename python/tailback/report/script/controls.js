// What the reader chooses: menus and sliders, of one figure or of a section.

/** A choice and the figures it is made for: a menu, or a slider over ordered options. */
class Control {
  constructor(choice, form) {
    Object.assign(this, choice);
    this.value = choice.start;
    this.figures = [];
    const label = document.createElement("label");
    label.append(`${choice.label} `);
    this.input = choice.form === "slider" ? this.#slider(label) : this.#menu(label);
    this.input.dataset.choice = choice.name;
    this.input.addEventListener("input", () => choose(this, Number(this.input.value)));
    if (choice.options.length > 1) form.append(label);
    this.set(choice.start);
  }

  #menu(label) {
    const menu = document.createElement("select");
    this.options.forEach((text, i) => menu.add(new Option(text, i)));
    label.append(menu);
    return menu;
  }

  #slider(label) {
    const slider = Object.assign(document.createElement("input"),
      { type: "range", min: 0, max: this.options.length - 1, step: 1 });
    this.output = document.createElement("output");
    label.append(slider, this.output);
    return slider;
  }

  get text() { return this.options[this.value]; }

  set(value) {
    this.value = value;
    this.input.value = value;
    if (this.output) this.output.textContent = this.text;
    this.input.setAttribute("aria-valuetext", this.text);
  }
}

/** Chooses an option; others follow where there is nothing for their combination. */
function choose(control, value) {
  control.set(value);
  const touched = new Set(control.figures);
  for (const figure of control.figures) {
    const key = nearestKey(figure, control);
    if (!key) continue;
    figure.by.forEach((name, i) => {
      const other = figure.controls.get(name);
      if (other.value !== key[i]) {
        other.set(key[i]);
        other.figures.forEach((f) => touched.add(f));
      }
    });
  }
  touched.forEach((figure) => figure.draw());
  document.querySelectorAll("section[data-pages]").forEach(linkPage);
}

/** The address of the page of a point, by the numbers of its values; undefined if it has none. */
function pageOf(section, numbers) {
  return JSON.parse(section.dataset.pages ?? "{}")[numbers];
}

/** Leads to the page of the point that a section shows. */
function linkPage(section) {
  const numbers = section.dataset.points.split(" ").map((name) => section.shared?.get(name)?.value ?? 0);
  const link = section.querySelector(".own-page a");
  const page = pageOf(section, numbers.join(","));
  link.hidden = page === undefined;
  if (page !== undefined) link.href = page;
}

/** Opens the page of a point, `mode:1,0,…`; without one, shows it in the section of points. */
function openPoint(address) {
  const section = document.querySelector("section[data-points]");
  if (typeof address !== "string" || !section?.shared) return undefined;
  const [mode, numbers] = address.split(":");
  const page = pageOf(section, numbers);
  if (page !== undefined) return window.open(page, "_blank", "noopener");
  const values = numbers.split(",").map(Number);
  let last = null;
  section.dataset.points.split(" ").forEach((name, i) => {
    const control = section.shared.get(name);
    if (control) (last = control).set(values[i]);
  });
  const modes = section.shared.get("mode");
  if (modes?.options.includes(mode)) (last = modes).set(modes.options.indexOf(mode));
  if (!last) return;
  choose(last, last.value);
  section.scrollIntoView({ behavior: "smooth" });
  section.querySelector("select, input")?.focus({ preventScroll: true });
}

/** The view there is that keeps `control` and changes as few others as possible. */
function nearestKey(figure, control) {
  const mine = figure.by.indexOf(control.name);
  if (mine < 0 || figure.views[figure.key] !== undefined) return null;
  let best = null;
  let most = -1;
  for (const text of Object.keys(figure.views)) {
    const key = text.split(",").map(Number);
    if (key[mine] !== control.value) continue;
    const same = figure.by.filter((name, i) => figure.controls.get(name).value === key[i]).length;
    if (same > most) [best, most] = [key, same];
  }
  return best;
}
