"""The layout of figures on pages: positions of panels, axes and colour scales.

Views that differ only in their values share one cached layout; callers must not change it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from .description import Axis, Bars, Ground, HeatMap, Line, Panel, View, known
from .line_traces import shown_text
from .look import LIGHT, root_scale

PANEL_PX, GAP_PX = 370, 150
_BETWEEN_ROWS = 0.06
_MANY_DECADES = 3000
_TICKS_AT_EACH = 16
"""Planes of at most so many columns have a tick for each."""


@dataclass(frozen=True, slots=True)
class _AxisShape:
    """The properties that determine the layout of an axis."""

    axis: Axis
    ground: Ground
    numbers: tuple[float, ...]
    """The values along it, if the layout depends on them."""
    has_texts: bool
    cells: int
    """The number of cells of a plane along it."""


@dataclass(frozen=True, slots=True)
class _PanelShape:
    """The properties that determine the layout of a panel."""

    x: _AxisShape
    y: _AxisShape
    ground: Ground
    title: str
    column: int
    bars: str
    """How bars at one position are combined; empty without bars."""
    measure: Axis | None
    """Of its heat map."""
    is_root: bool
    """Whether colours of its heat map go with square roots."""


def layout_of(view: View) -> dict[str, Any]:
    """Return plotly's layout of a view, without the upper ends of colour scales."""
    return _layout(tuple(map(_panel_shape, view.panels)))


def axis_end(number: int) -> str:
    """Return the suffix of plotly's names for the axes of a panel."""
    return "" if number == 0 else str(number + 1)


def _panel_shape(panel: Panel) -> _PanelShape:
    bars = ["stack" if bars.begins is None else "overlay" for bars in panel.of_kind(Bars)]
    heats = panel.of_kind(HeatMap)
    return _PanelShape(
        _axis_shape(panel, "x"),
        _axis_shape(panel, "y"),
        panel.ground,
        panel.title,
        panel.column,
        next(iter(bars), ""),
        next((heat.measure for heat in heats), None),
        any(heat.is_root for heat in heats),
    )


def _axis_shape(panel: Panel, letter: str) -> _AxisShape:
    axis: Axis = getattr(panel, letter)
    columns = [getattr(line, letter) for line in panel.of_kind(Line)]
    # Arrays belong to distributions, whose axes do not depend on the values.
    values = [v for column in columns if not isinstance(column, np.ndarray) for v in column]
    texts = bool(axis.names) or any(isinstance(value, str) for value in values)
    numbers: tuple[float, ...] = ()
    if not texts and (axis.log is None or axis.percent):
        numbers = tuple(number for value in values if (number := known(value)) is not None)
    heats = panel.of_kind(HeatMap) if panel.ground == "plane" else []
    cells = max((heat.cells.shape["yx".index(letter)] for heat in heats), default=0)
    return _AxisShape(axis, panel.ground, numbers, texts, cells)


@lru_cache(maxsize=1024)
def _layout(panels: tuple[_PanelShape, ...]) -> dict[str, Any]:
    layout: dict[str, Any] = {"hovermode": "closest"}
    layout["margin"] = {"t": 16, "r": 16, "l": 64, "b": 56}
    columns = 1 + max(panel.column for panel in panels)
    whole = columns * PANEL_PX + (columns - 1) * GAP_PX
    if columns > 1:
        layout |= {"margin": {"t": 48, "r": 24, "l": 64, "b": 56}, "width": whole + 24 + 64}
    headings = []
    for number, panel in enumerate(panels):
        left = panel.column * (PANEL_PX + GAP_PX) / whole
        right = left + PANEL_PX / whole
        layout |= _axes(panels, number, (left, right))
        if panel.title:
            headings.append(_heading(panel.title, left))
        if panel.bars:
            layout |= {"barmode": panel.bars, "bargap": 0.25}
        if panel.measure is not None:
            bar = _colour_bar(panel.measure, right if columns > 1 else None)
            colours = root_scale(LIGHT) if panel.is_root else LIGHT.scale
            scale = {"colorscale": colours, "cmin": 0, "colorbar": bar}
            layout[f"coloraxis{axis_end(number)}"] = scale
    return layout | ({"annotations": headings} if headings else {})


def _heading(text: str, left: float) -> dict[str, Any]:
    place = {"x": left, "y": 1.0, "xanchor": "left", "yanchor": "bottom", "yshift": 6}
    heading = {"text": f"<b>{shown_text(text)}</b>", "showarrow": False}
    return {**heading, **place, "xref": "paper", "yref": "paper"}


def _axes(
    panels: Sequence[_PanelShape], number: int, across: tuple[float, float]
) -> dict[str, Any]:
    """Return both axes of a panel in its position."""
    panel = panels[number]
    same = [i for i, other in enumerate(panels) if other.column == panel.column]
    row, rows, end = same.index(number), len(same), axis_end(number)
    height = (1 - _BETWEEN_ROWS * (rows - 1)) / rows
    top = 1 - row * (height + _BETWEEN_ROWS)
    x, y = _axis(panel.x), _axis(panel.y)
    if len(panels) > 1:
        x |= {"domain": across, "anchor": f"y{end}"}
        y |= {"domain": (top - height, top), "anchor": f"x{end}"}
    if row < rows - 1:
        x |= {"matches": f"x{axis_end(same[-1])}", "showticklabels": False, "title": {"text": ""}}
    if panel.ground in ("plane", "nothing"):
        y["scaleanchor"] = f"x{end}"
    return {f"xaxis{end}": x, f"yaxis{end}": y}


def _colour_bar(measure: Axis, right: float | None) -> dict[str, Any]:
    """Return the colour bar of a heat map; without a title among several panels."""
    bar: dict[str, Any] = {"thickness": 14, "outlinewidth": 0}
    bar["tickformat"] = "~%" if measure.percent else "~g"
    if right is not None:
        return {**bar, "x": right, "xanchor": "left", "title": {"text": ""}}
    title = measure.label if measure.percent else measure.title
    return {**bar, "title": {"text": shown_text(title), "side": "right"}}


def _axis(shape: _AxisShape) -> dict[str, Any]:
    axis, ground = shape.axis, shape.ground
    layout: dict[str, Any] = {"title": {"text": shown_text(axis.title), "standoff": 10}}
    if ground == "nothing":
        return {"visible": False, "showgrid": False, "zeroline": False}
    if ground != "grid":
        layout |= {"showgrid": False, "zeroline": False}
    if ground == "plane":
        layout["constrain"] = "domain"
        layout |= {"dtick": 1} if shape.cells <= _TICKS_AT_EACH else {}
    else:
        layout["automargin"] = True
    layout |= {"autorange": "reversed"} if axis.downwards else {}
    if axis.ticks:
        at, texts = zip(*axis.ticks, strict=True)
        layout |= {"tickvals": at, "ticktext": texts, "ticks": ""}
    elif shape.has_texts:
        layout["type"] = "category"
        if axis.names:
            layout |= {"categoryorder": "array", "categoryarray": axis.names}
            layout |= {} if axis.downwards else {"range": (-0.5, len(axis.names) - 0.5)}
    elif ground == "grid":
        layout |= _of_numbers(axis, shape.numbers)
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
    """Return the ticks of a logarithmic axis: at 1, 2 and 5, or at 1 over many decades."""
    positive = [number for number in numbers if number > 0] or [1.0]
    steps = (1, 2, 5) if max(positive) / min(positive) < _MANY_DECADES else (1,)
    at = [float(f"{step}e{decade}") for decade in range(-9, 10) for step in steps]
    texts = [f"{value:,.0f}" if value >= 1 else f"{value:g}" for value in at]
    return {"tickvals": at, "ticktext": texts, "minor": {"dtick": "D1"}}
