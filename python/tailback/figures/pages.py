"""Draws views for pages and notebooks: as plotly's dictionaries.

They hold no paper, font and grid, which belong to the theme: a page sets them in its script.
Names and other texts are shown as they are: plotly's tags in them are not interpreted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from .description import Axis, Bars, Cells, Ground, HeatMap, Line, Panel, View, known
from .line_traces import line_traces, shown_text
from .look import COLOUR_SCALE, FONT, FONT_SIZE, LIGHT, Theme, colour
from .network_map import NetworkMap
from .network_traces import network_layout, network_traces

if TYPE_CHECKING:
    import plotly.graph_objects as go

PANEL_PX, GAP_PX = 370, 150
_BETWEEN_ROWS = 0.06
_MANY_DECADES = 3000
_GAPS_UP_TO = 100
"""Most cells along an axis with gaps between them."""
_TICKS_AT_EACH = 16
"""Most columns of a plane that have a tick each."""


def rendered(view: View) -> dict[str, Any]:
    """Return `{"data": […], "layout": {…}}`; `Cells` in it are matrices."""
    data: list[dict[str, Any]] = []
    layout: dict[str, Any] = {
        "hovermode": "closest",
        "margin": {"t": 16, "r": 16, "l": 64, "b": 56},
    }
    columns = 1 + max(panel.column for panel in view.panels)
    if columns > 1:
        whole = columns * PANEL_PX + (columns - 1) * GAP_PX
        layout |= {"margin": {"t": 48, "r": 24, "l": 64, "b": 56}, "width": whole + 24 + 64}
        layout["annotations"] = []
    for number, panel in enumerate(view.panels):
        end = _end(number)
        traces = list(_traces(panel, end))
        data += [
            {**trace, "xaxis": f"x{end}", "yaxis": f"y{end}"} if end else trace for trace in traces
        ]
        across = _across(panel.column, columns)
        layout |= _axes(view, number, across)
        if panel.title:
            layout["annotations"].append(_heading(panel.title, across[0]))
        for mark in panel.marks:
            layout |= _layout_of(mark, view, end, across[1] if columns > 1 else None)
    _show_once(data)
    return {"data": data, "layout": layout}


def figure(view: View, theme: Theme = LIGHT) -> go.Figure:
    """Return plotly's figure of a view, for notebooks and pages of its own."""
    import plotly.graph_objects as go

    parts = rendered(view)
    data = [{name: _plain(value) for name, value in trace.items()} for trace in parts["data"]]
    layout = {**parts["layout"], "template": {"layout": _template(theme)}}
    if view.title:
        layout["title"] = {"text": shown_text(view.title), "x": 0.02}
    return go.Figure(data, layout)


def _plain(value: Any) -> Any:
    return value.matrix() if isinstance(value, Cells) else value


def _template(theme: Theme) -> dict[str, Any]:
    """Return plotly's layout of a theme. The page does the same in its script."""
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


# ---- panels and axes


def _end(number: int) -> str:
    """Return what plotly's names of the axes of a panel end in."""
    return "" if number == 0 else str(number + 1)


def _across(column: int, columns: int) -> tuple[float, float]:
    """Return where a column of panels begins and ends, as parts of the width."""
    whole = columns * PANEL_PX + (columns - 1) * GAP_PX
    left = column * (PANEL_PX + GAP_PX) / whole
    return left, left + PANEL_PX / whole


def _heading(text: str, left: float) -> dict[str, Any]:
    place = {"x": left, "y": 1.0, "xanchor": "left", "yanchor": "bottom", "yshift": 6}
    heading = {"text": f"<b>{shown_text(text)}</b>", "showarrow": False}
    return {**heading, **place, "xref": "paper", "yref": "paper"}


def _axes(view: View, number: int, across: tuple[float, float]) -> dict[str, Any]:
    """Return both axes of a panel, in its place."""
    panel = view.panels[number]
    same = [i for i, other in enumerate(view.panels) if other.column == panel.column]
    row, rows, end = same.index(number), len(same), _end(number)
    height = (1 - _BETWEEN_ROWS * (rows - 1)) / rows
    top = 1 - row * (height + _BETWEEN_ROWS)
    x, y = ({**_axis(panel, letter)} for letter in "xy")
    if len(view.panels) > 1:
        x |= {"domain": across, "anchor": f"y{end}"}
        y |= {"domain": (top - height, top), "anchor": f"x{end}"}
    if row < rows - 1:
        x |= {"matches": f"x{_end(same[-1])}", "showticklabels": False, "title": {"text": ""}}
    if panel.ground in ("plane", "nothing"):
        y["scaleanchor"] = f"x{end}"
    return {f"xaxis{end}": x, f"yaxis{end}": y}


def _axis(panel: Panel, letter: str) -> dict[str, Any]:
    axis: Axis = getattr(panel, letter)
    lines = panel.of_kind(Line)
    # Arrays are of distributions, whose axes are as they are.
    columns = [getattr(line, letter) for line in lines]
    values = [v for column in columns if not isinstance(column, np.ndarray) for v in column]
    texts = axis.names or any(isinstance(value, str) for value in values)
    numbers = () if texts else tuple(n for v in values if (n := known(v)) is not None)
    size = 0
    for heat in panel.of_kind(HeatMap):
        size = heat.cells.shape["yx".index(letter)] if panel.ground == "plane" else 0
    return _axis_layout(axis, numbers, panel.ground, bool(texts), size)


@lru_cache(maxsize=256)
def _axis_layout(
    axis: Axis, numbers: tuple[float, ...], ground: Ground, has_texts: bool, cells: int
) -> dict[str, Any]:
    """Return plotly's axis for the values along it; `cells`: how many a plane has along it."""
    layout: dict[str, Any] = {"title": {"text": shown_text(axis.title), "standoff": 10}}
    if ground == "nothing":
        return {"visible": False, "showgrid": False, "zeroline": False}
    if ground != "grid":
        layout |= {"showgrid": False, "zeroline": False}
    if ground == "plane":
        layout["constrain"] = "domain"
        layout |= {"dtick": 1} if cells <= _TICKS_AT_EACH else {}
    else:
        layout["automargin"] = True
    layout |= {"autorange": "reversed"} if axis.downwards else {}
    if axis.ticks:
        at, texts = zip(*axis.ticks, strict=True)
        layout |= {"tickvals": at, "ticktext": texts, "ticks": ""}
    elif has_texts:
        layout["type"] = "category"
        if axis.names:
            layout |= {"categoryorder": "array", "categoryarray": axis.names}
            layout |= {} if axis.downwards else {"range": (-0.5, len(axis.names) - 0.5)}
    elif ground == "grid":
        layout |= _of_numbers(axis, numbers)
    return layout


def _of_numbers(axis: Axis, numbers: Sequence[float]) -> dict[str, Any]:
    if axis.is_log(numbers):
        return {"type": "log", **_log_ticks(numbers)}
    layout: dict[str, Any] = {"exponentformat": "none", "separatethousands": True}
    layout |= {"type": "linear"} | ({"rangemode": "tozero"} if axis.from_zero else {})
    if axis.percent:
        label = f"{axis.label} ({axis.unit})" if axis.unit else axis.label
        layout |= {"tickformat": ".0%" if max(numbers, default=1) > 0.05 else ".1%"}
        layout["title"] = {"text": shown_text(label), "standoff": 10}
    return layout


def _log_ticks(numbers: Sequence[float]) -> dict[str, Any]:
    """Return where a logarithmic axis has ticks: at 1, 2 and 5, or at 1 where there are many."""
    positive = [number for number in numbers if number > 0] or [1.0]
    steps = (1, 2, 5) if max(positive) / min(positive) < _MANY_DECADES else (1,)
    at = [float(f"{step}e{decade}") for decade in range(-9, 10) for step in steps]
    texts = [f"{value:,.0f}" if value >= 1 else f"{value:g}" for value in at]
    return {"tickvals": at, "ticktext": texts, "minor": {"dtick": "D1"}}


# ---- marks


def _traces(panel: Panel, end: str) -> Iterator[dict[str, Any]]:
    yield from line_traces(panel.of_kind(Line), panel.x, panel.y)
    for bars in panel.of_kind(Bars):
        yield _bars(bars, panel)
    for heat in panel.of_kind(HeatMap):
        yield _heat(heat, f"coloraxis{end}")
    for network in panel.of_kind(NetworkMap):
        yield from network_traces(network)


def _show_once(data: Sequence[dict[str, Any]]) -> None:
    """Show a name in the legend once."""
    seen: set[str] = set()
    for trace in data:
        if trace.get("showlegend", True) and "name" in trace:
            trace["showlegend"] = trace["name"] not in seen
            seen.add(trace["name"])


def _layout_of(
    mark: Line | Bars | HeatMap | NetworkMap, view: View, end: str, right: float | None
) -> Mapping[str, Any]:
    """Return what a mark needs of the layout besides its axes."""
    if isinstance(mark, Bars):
        stacked = mark.begins is None
        return {"barmode": "stack" if stacked else "overlay", "bargap": 0.25}
    if isinstance(mark, NetworkMap):
        return network_layout(mark)
    if isinstance(mark, HeatMap) and mark.has_scale:
        scale = {"colorscale": COLOUR_SCALE, "cmin": 0, "cmax": view.most or 1.0}
        return {f"coloraxis{end}": {**scale, "colorbar": _colour_bar(mark.measure, right)}}
    return {}


@lru_cache(maxsize=256)
def _colour_bar(measure: Axis, right: float | None) -> dict[str, Any]:
    """Return the scale of a map of colours; in one of several panels it has no title."""
    bar: dict[str, Any] = {"thickness": 14, "outlinewidth": 0}
    bar["tickformat"] = "~%" if measure.percent else "~g"
    if right is not None:
        return {**bar, "x": right, "xanchor": "left", "title": {"text": ""}}
    title = measure.label if measure.percent else measure.title
    return {**bar, "title": {"text": shown_text(title), "side": "right"}}


def _heat(heat: HeatMap, axis: str) -> dict[str, Any]:
    style = ".1%" if heat.measure.percent else ".3~g"
    told = f"{heat.told}%{{z:{style}}} {heat.measure.unit}".rstrip()
    gap = 1 if max(heat.cells.shape) <= _GAPS_UP_TO else 0
    trace = {
        "type": "heatmap",
        "z": heat.cells,
        "x": heat.across,
        "y": heat.up,
        "text": heat.texts,
        "xgap": gap,
        "ygap": gap,
        "hoverongaps": False,
        "hovertemplate": f"{told}<extra></extra>",
    }
    own = {"colorscale": COLOUR_SCALE, "showscale": False, "zmin": 0}
    trace |= {"coloraxis": axis} if heat.has_scale else own
    return {name: value for name, value in trace.items() if value is not None}


def _bars(bars: Bars, panel: Panel) -> dict[str, Any]:
    lies = bool(panel.y.names)
    measure = panel.x if lies else panel.y
    place, length = ("y", "x") if lies else ("x", "y")
    style = ".1%" if measure.percent else ".4~g"
    told = f"%{{{length}:{style}}} {measure.unit}".rstrip()
    told = told if bars.begins is None else f"%{{base:.5~g}} + {told}"
    who = "%{hovertext}" if bars.texts is not None else f"%{{{place}}}"
    named = f"<br>{shown_text(bars.name)}" if bars.name else ""
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
        "hovertext": bars.texts,
        "marker": {"color": colour(bars.colour), "line": {"width": 0}},
        "hovertemplate": f"{who}{named}: {told}<extra></extra>",
    }
    return {name: value for name, value in trace.items() if value is not None}
