// Themes and the scale of colours.

const INKS = {
  light: { cold: "#c9d1d8", coldFew: "#bcc6ce", dot: "#7c8791", text: "#1d2329", soft: "#56616c",
    ring: "#0b4f9e", halo: "#ffffff", bar: "#c3ccd4", barChosen: "#ab3250", node: "#aeb7bf", outage: "#fbe7c6" },
  dark: { cold: "#343c44", coldFew: "#434d57", dot: "#7b8692", text: "#dfe4e9", soft: "#9aa5b0",
    ring: "#7cc0ff", halo: "#101317", bar: "#3a444d", barChosen: "#f6ad4c", node: "#555f69", outage: "#3d3420" },
};

let dark = matchMedia("(prefers-color-scheme: dark)").matches;
const ink = () => INKS[dark ? "dark" : "light"];
const scaleColours = () => data.scales[dark ? "dark" : "light"];

/** Shares of the largest value below this are drawn as cold. */
const COLD = 0.06;

/** Where on the scale a share of the largest value is: the square root tells small ones apart. */
function stepOf(share) {
  const steps = data.scales.light.length;
  const from = Math.sqrt(COLD);
  return Math.max(0, Math.min(steps - 1, Math.floor((steps * (Math.sqrt(share) - from)) / (1 - from))));
}

/** The share of the largest value at which a step of so many begins. */
function stepBegins(step, steps = data.scales.light.length) {
  const from = Math.sqrt(COLD);
  return (from + (step / steps) * (1 - from)) ** 2;
}

const changeColours = () => data.change_scales[dark ? "dark" : "light"];

/** The colour of a difference: half of the scale is for less, half for more. */
function changeColour(share, isMore) {
  const half = changeColours().length / 2, from = Math.sqrt(COLD);
  const step = Math.max(0, Math.min(half - 1, Math.floor((half * (Math.sqrt(share) - from)) / (1 - from))));
  return changeColours()[isMore ? half + step : half - 1 - step];
}

/** The colour of a line with this share of the largest value. */
const lineColour = (line, share) =>
  (showsChange() ? changeColour(share, data.change.queue[line] > 0) : scaleColours()[stepOf(share)]);

/** Whether differences are shown: not of what is chosen, unless it is a place. */
const showsChange = () => state.colour === "change" && (!state.pick || state.pick.kind === "point");

function setTheme(isDark) {
  dark = isDark;
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  $("theme").textContent = dark ? "Light" : "Dark";
}
