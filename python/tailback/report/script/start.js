// Begins: everything is decoded, drawn, and bound to the theme and the printer.

const PRINT_WIDTH_PX = 660;
const root = document.documentElement;

let printing = false;
const shownTheme = () => (printing ? "light" : root.dataset.theme);
const button = document.getElementById("theme");

function setTheme(name) {
  root.dataset.theme = name;
  button.textContent = name === "dark" ? "Light" : "Dark";
  button.setAttribute("aria-pressed", String(name === "dark"));
  figures.forEach((figure) => figure.parts && figure.show());
}

function setPrinting(now) {
  if (printing === now) return;
  printing = now;
  document.querySelectorAll("details").forEach((details) => {
    if (now) details.dataset.was = details.open;
    details.open = now || details.dataset.was === "true";
  });
  figures.forEach((figure) => figure.parts && figure.show(now ? PRINT_WIDTH_PX : undefined));
}

document.querySelectorAll("form").forEach((form) => form.addEventListener("submit", (e) => e.preventDefault()));
document.querySelectorAll(".table table").forEach(sortable);
document.querySelectorAll(".table").forEach(searchable);

const themes = await inflatedJson(document.getElementById("themes"));
const elements = [...document.querySelectorAll("figure.figure")];
const figures = [];
for (const element of elements) {
  figures.push(new Figure(element, await inflatedJson(element.querySelector("script.drawing"))));
}
document.querySelectorAll("section[data-pages]").forEach(linkPage);
setTheme(root.dataset.theme);
button.addEventListener("click", () => setTheme(root.dataset.theme === "dark" ? "light" : "dark"));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (e) => setTheme(e.matches ? "dark" : "light"));
matchMedia("print").addEventListener("change", (e) => setPrinting(e.matches));
addEventListener("beforeprint", () => setPrinting(true));
addEventListener("afterprint", () => setPrinting(false));
await loadPlotly();
for (const figure of figures) await figure.draw();
root.dataset.ready = "true";
