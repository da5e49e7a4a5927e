"""Pictures of results as SVG, for notebooks and for what shows notebooks without running them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tailback.wording.scaling import scaled

from .canvas import Path, Shape, Sheet, Text, svg
from .curves import lines_view
from .description import Axis, Line
from .files import Paper, sheet
from .framing import LETTER
from .labels import VARIABLES, metric_axis, parameter_axis
from .latency import distribution
from .look import colour
from .maps import matrix_form
from .network import Floats
from .network_files import network_sheet
from .network_map import NetworkMap
from .single import Measured, bins_of

_PAPER = Paper(width=560)
_LOAD = "offered_load"
_OF_LOADS = ("message_latency_us", "accepted_load")
_OF_PARAMETERS = ("theta_c", "theta_r", "completion_us", "messages_per_node_per_ms")
_ROW_PX, _TOP_PX, _GAP_PX = 24, 34, 10
_MOST_BARS = 8
MOST_ENDS = 400
"""Nodes and switches of a network that is drawn in little time."""


def latencies(results: Mapping[str, Measured]) -> str | None:
    """Return how long packets take, as shares in each mode; None if none was delivered."""
    variable, label = next(iter(VARIABLES.items()))
    known = {mode: b for mode, run in results.items() if (b := bins_of(run, variable)) is not None}
    if not known:
        return None
    panel = distribution(list(results), known).panels[0]
    lines = [
        replace(line, x=[float(x) for x in line.x], y=[float(y) for y in line.y])
        for line in panel.of_kind(Line)
        if line.look != "points"
    ]
    view = lines_view(lines, replace(panel.x, label=label), panel.y, label)
    return svg(sheet(view, _PAPER))


def accepted(loads: Sequence[float], rates: Sequence[float], saturated: Sequence[bool]) -> str:
    """Return what a network accepts of the loads that were tried, in messages per node and ms."""
    x, y = (
        Axis(f"{what} load", "messages per node and ms", log=False, from_zero=True)
        for what in ("offered", "accepted")
    )
    order = sorted(range(len(loads)), key=loads.__getitem__)
    ends = [0.0, max(loads)]
    line = Line(
        "accepted",
        [loads[i] for i in order],
        [rates[i] for i in order],
        saturated=[saturated[i] for i in order],
    )
    lines = [Line("offered", ends, ends, colour=6, look="plain"), line]
    return svg(sheet(lines_view(lines, x, y, "accepted load"), _PAPER))


def matrix(names: Sequence[str], measure: Axis, values: Floats) -> str:
    """Return a value for each victim and culprit, row by row, as a map of colours."""
    view = matrix_form(names, names).view(measure.name, measure, values)
    return svg(sheet(replace(view, title=measure.label), _PAPER))


def points(rows: Sequence[Mapping[str, Any]], varied: Sequence[str]) -> str | None:
    """Return a measure of all runs with contention against the load or what was varied.

    `rows`: a row for each run. None if nothing suitable is known.
    """
    along = [name for name in (_LOAD, *varied) if _differs(rows, name)]
    if not along:
        return None
    measures = _OF_LOADS if along[0] == _LOAD else _OF_PARAMETERS
    metric = next((name for name in measures if any(_is_known(row, name) for row in rows)), None)
    if metric is None:
        return None
    known = [row for row in rows if _is_known(row, metric) and _is_known(row, along[0])]
    known.sort(key=lambda row: float(row[along[0]]))
    flags = [bool(row["saturated"]) for row in known]
    across, up = ([row[name] for row in known] for name in (along[0], metric))
    line = Line("runs", across, up, saturated=flags, look="points")
    x = metric_axis(_LOAD) if along[0] == _LOAD else parameter_axis(along[0])
    y = metric_axis(metric)
    return svg(sheet(lines_view([line], x, y, f"{y.label} against {x.label}"), _PAPER))


def _differs(rows: Sequence[Mapping[str, Any]], name: str) -> bool:
    return len({row[name] for row in rows if _is_known(row, name)}) > 1


def _is_known(row: Mapping[str, Any], name: str) -> bool:
    value = row.get(name)
    return isinstance(value, int | float) and not isinstance(value, bool)


def bars(title: str, rows: Sequence[tuple[str, float]], unit: str) -> str | None:
    """Return the first rows as bars, with their names and values; None without rows."""
    shown = [row for row in rows if row[1] > 0][:_MOST_BARS]
    if not shown:
        return None
    texts = [scaled(value, unit, 3) for _, value in shown]
    left = LETTER * max(len(name) for name, _ in shown) + 2 * _GAP_PX
    right = LETTER * max(map(len, texts)) + 2 * _GAP_PX
    room = max(_PAPER.width - left - right, 120)
    most = max(value for _, value in shown)
    shapes: list[Shape] = [Text((_GAP_PX, 20), title, is_bold=True)]
    for number, ((name, value), text) in enumerate(zip(shown, texts, strict=True)):
        top, end = _TOP_PX + number * _ROW_PX, left + room * value / most
        low = top + _ROW_PX - 6
        corners = ((left, top), (end, top), (end, low), (left, low))
        shapes.append(Path(corners, fill=colour(0), is_closed=True))
        shapes.append(Text((left - _GAP_PX, low - 4), name, "end"))
        shapes.append(Text((end + 6, low - 4), text))
    height = _TOP_PX + _ROW_PX * len(shown) + _GAP_PX
    return svg(Sheet(left + room + right, height, title, shapes))


def network(drawn: NetworkMap) -> str:
    """Return a network with its loads."""
    return svg(network_sheet(drawn))
