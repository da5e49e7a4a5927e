// Shows what the address asks for, in the size there is.

function measure() {
  const box = $("map").getBoundingClientRect();
  const isFirst = view.width === 1;
  [view.width, view.height] = [box.width, box.height];
  canvas.width = box.width * devicePixelRatio;
  canvas.height = box.height * devicePixelRatio;
  if (isFirst) fit();
}

// On a narrow screen a map is as high as its network needs, between half a width and a whole one.
const height = (edges.high - edges.low) / Math.max(edges.right - edges.left, 1e-9);
document.documentElement.style.setProperty("--height", String(Math.max(0.5, Math.min(0.88, height + 0.2))));
setTheme(dark);
$("time").hidden = !time;
readAddress();
measure();
new ResizeObserver(() => { const { width, height } = view; measure(); if (width !== view.width || height !== view.height) fit(); draw(); drawStrip(); }).observe($("map"));
addEventListener("beforeprint", () => setPrint(true));
addEventListener("afterprint", () => setPrint(false));
let wasDark = dark;
function setPrint(isPrinted) {
  if (isPrinted) wasDark = dark;
  setTheme(isPrinted ? false : wasDark);
  refresh();
  draw();
}
refresh();
draw();
document.documentElement.dataset.ready = "";
