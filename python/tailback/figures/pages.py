"""Draws views for pages and notebooks: as plotly's dictionaries.

Paper, font and grid belong to the theme, which the page's script applies.
Texts are shown literally: plotly does not interpret tags in them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tailback.distribution import installing
from tailback.errors import UserError

from .description import Bars, Cells, HeatMap, Line, Panel, View
from .layout import axis_end, layout_of
from .line_traces import line_traces, shown_text
from .look import FONT, FONT_SIZE, LIGHT, Theme, colour, see_through
from .network_map import NetworkMap
from .network_traces import network_layout, network_traces

if TYPE_CHECKING:
    import plotly.graph_objects as go

_GAPS_UP_TO = 100
"""Heat maps of at most so many cells along an axis have gaps between them."""


def rendered(view: View) -> dict[str, Any]:
    """Return `{"data": […], "layout": {…}}`; `Cells` in it are matrices.

    The upper ends of colour scales are missing: `figure` or the page's script sets them.
    """
    data: list[dict[str, Any]] = []
    layout = layout_of(view)
    for number, panel in enumerate(view.panels):
        end = axis_end(number)
        for trace in _traces(panel, end):
            data.append({**trace, "xaxis": f"x{end}", "yaxis": f"y{end}"} if end else trace)
        for network in panel.of_kind(NetworkMap):
            layout = {**layout, **network_layout(network)}
    _show_once(data)
    return {"data": data, "layout": layout}


def figure(view: View, theme: Theme = LIGHT) -> go.Figure:
    """Return plotly's figure of a view, for notebooks. Raises `UserError` without plotly."""
    try:
        import plotly.graph_objects as go
    except ImportError:
        raise UserError("plotly", None, f"is not installed: {installing('notebook')}") from None
    return go.Figure(**dressed(view, theme))


def dressed(view: View, theme: Theme = LIGHT) -> dict[str, Any]:
    """Return what `rendered` does with the looks of a theme and a title, to stand by itself."""
    parts = rendered(view)
    data = [{name: _plain(value) for name, value in trace.items()} for trace in parts["data"]]
    layout = {**parts["layout"], "template": {"layout": _template(theme)}}
    for name in [name for name in layout if name.startswith("coloraxis")]:
        layout[name] = {**layout[name], "cmax": view.most or 1.0}
    if view.title:
        layout["title"] = {"text": shown_text(view.title), "x": 0.02}
    return {"data": data, "layout": layout}


def _plain(value: Any) -> Any:
    return value.matrix() if isinstance(value, Cells) else value


def _template(theme: Theme) -> dict[str, Any]:
    """Return plotly's layout of a theme; the page's script does the same."""
    faint = dict.fromkeys(("linecolor", "tickcolor", "zerolinecolor"), theme.faint)
    axis = {**faint, "gridcolor": theme.grid, "showline": True, "ticks": "outside"}
    axis["title"] = {"font": {"size": FONT_SIZE}}
    return {
        "font": {"family": FONT, "size": FONT_SIZE, "color": theme.text},
        "paper_bgcolor": theme.paper,
        "plot_bgcolor": theme.plot,
        "xaxis": axis,
        "yaxis": axis,
    }


def _traces(panel: Panel, end: str) -> Iterator[dict[str, Any]]:
    """Yield plotly's traces of the marks of a panel; lines lie over bars."""
    for bars in panel.of_kind(Bars):
        yield _bars(bars, panel)
    yield from line_traces(panel.of_kind(Line), panel.x, panel.y)
    for heat in panel.of_kind(HeatMap):
        yield _heat(heat, f"coloraxis{end}")
    for network in panel.of_kind(NetworkMap):
        yield from network_traces(network)


def _show_once(data: Sequence[dict[str, Any]]) -> None:
    """Show each name in the legend only once."""
    seen: set[str] = set()
    for trace in data:
        if trace.get("showlegend", True) and "name" in trace:
            trace["showlegend"] = trace["name"] not in seen
            seen.add(trace["name"])


def _heat(heat: HeatMap, axis: str) -> dict[str, Any]:
    style = ".1%" if heat.measure.percent else ".3~g"
    told = f"{heat.tooltip}%{{z:{style}}} {heat.measure.unit}".rstrip()
    gap = 1 if max(heat.cells.shape) <= _GAPS_UP_TO else 0
    trace = {
        "type": "heatmap",
        "z": heat.cells,
        "x": heat.across,
        "y": heat.up,
        "text": heat.texts if heat.numbers is None else heat.numbers,
        "texttemplate": None if heat.numbers is None else "%{text}",
        "customdata": heat.targets,
        "coloraxis": axis,
        "xgap": gap,
        "ygap": gap,
        "hoverongaps": False,
        "hovertemplate": f"{told}<extra></extra>",
    }
    return {name: value for name, value in trace.items() if value is not None}


#: Where in its place a bar begins, and how wide it is, by lane.
_LANES = ((-0.4, 0.42), (0.06, 0.3))
_FAINT = 0.35


def _lines(text: str) -> str:
    """Return text for a tooltip, line by line."""
    return shown_text(text).replace("\n", "<br>")


def _bars(bars: Bars, panel: Panel) -> dict[str, Any]:
    lies = bool(panel.y.names)
    measure = panel.x if lies else panel.y
    place, length = ("y", "x") if lies else ("x", "y")
    style = ".1%" if measure.percent else ".4~g"
    told = f"%{{{length}:{style}}} {measure.unit}".rstrip()
    told = told if bars.begins is None else f"%{{base:.5~g}} + {told}"
    who = "%{hovertext}" if bars.texts is not None else f"%{{{place}}}"
    named = f"<br>{shown_text(bars.name)}" if bars.name else ""
    template = f"{who}{named}: {told}<extra></extra>"
    shade = colour(bars.colour)
    lane: dict[str, float] = {}
    if bars.lane is not None:
        template = f"<b>{shown_text(bars.name)}</b><br>%{{hovertext}}<extra></extra>"
        lane = {"offset": _LANES[bars.lane][0], "width": _LANES[bars.lane][1]}
    trace = {
        "type": "bar",
        "name": shown_text(bars.name),
        "meta": {"label": bars.name},
        "legendgroup": bars.name,
        "showlegend": bool(bars.name),
        "orientation": "h" if lies else "v",
        place: bars.places,
        length: bars.lengths,
        "base": bars.begins,
        "hovertext": None if bars.texts is None else [_lines(text) for text in bars.texts],
        "marker": {
            "color": see_through(shade, _FAINT) if bars.is_faint else shade,
            "line": {"width": 0},
        },
        "hovertemplate": template,
        **lane,
    }
    return {name: value for name, value in trace.items() if value is not None}
