"""Maps of networks as files: an interactive page, or SVG."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from tailback import plotly_js
from tailback.errors import UserError
from tailback.files import check_named, write_named

from . import pages
from .canvas import svg
from .description import view_of
from .look import DARK
from .network_files import network_sheet
from .network_map import NetworkMap

_SCRIPT = """
const plot = document.querySelector(".js-plotly-plot");
const light = JSON.stringify([plot.data, plot.layout]);
const instead = %s;
const dark = matchMedia("(prefers-color-scheme: dark)");
function dress() {
  const colours = dark.matches ? light.replace(/#[0-9a-f]{6}/g, (c) => instead[c] ?? c) : light;
  const [data, layout] = JSON.parse(colours);
  document.body.style.background = layout.template.layout.paper_bgcolor;
  Plotly.react(plot, data, layout);
}
dress();
dark.addEventListener("change", dress);
"""

_PAGE = """<!DOCTYPE html>
<html>
<head><meta charset="utf-8"></head>
<body style="margin: 0">
<div id="plot" style="height: 100vh"></div>
<script type="text/plain" id="plotly">%(plotly)s</script>
<script>
(async () => {
%(loading)s
await Plotly.newPlot("plot", %(data)s, %(layout)s, {displaylogo: false, responsive: true});
%(script)s})();
</script>
</body>
</html>
"""


def check_picture(path: Path) -> None:
    """Raise `UserError` if no picture can be written there."""
    if path.suffix.lower() not in (".html", ".svg"):
        raise UserError("--plot", str(path), "must end in .html or .svg")
    check_named("--plot", path)


def write_picture(path: Path, seen: Callable[[], NetworkMap]) -> None:
    """Write a picture as a page of HTML or as SVG; raise `UserError` if that fails."""
    check_picture(path)
    is_svg = path.suffix.lower() == ".svg"
    text = svg(network_sheet(seen())) if is_svg else _page(seen())
    write_named("--plot", path, text.encode())


def _page(seen: NetworkMap) -> str:
    """Return an offline HTML page that follows the light or dark theme of its reader."""
    parts = pages.dressed(view_of(seen))
    numbers = {name: plotly_js.inlined(json.dumps(part)) for name, part in parts.items()}
    script = _SCRIPT % json.dumps(dict(DARK.instead))
    parts = {"plotly": plotly_js.packed(), "loading": plotly_js.LOADING, "script": script}
    return _PAGE % {**parts, **numbers}
