"""Draws lines on pages: markers, and bands or error bars for intervals."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from tailback.errors import printable
from tailback.wording import plain

from .description import Axis, Line, LinePoint
from .look import Look, dash, see_through

_BAND_OPACITY, _AREA_OPACITY = 0.18, 0.12
_MARKER_PX = 6
_SMALL_MARKER_PX, _MANY_POINTS = 3, 40


def shown_text(text: str) -> str:
    """Return text escaped for plotly, which would interpret tags in it."""
    return printable(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def line_traces(lines: Sequence[Line], x: Axis, y: Axis) -> Iterator[dict[str, Any]]:
    """Yield plotly's traces of lines on two axes.

    Intervals are bands if x rises along the line, else error bars: x may be a measured
    load or a category.
    """
    points = [[] if isinstance(line.x, np.ndarray) else line.points for line in lines]
    # Bands first, so that no band covers a line.
    for line, its in zip(lines, points, strict=True):
        if line.low is not None and not _has_bars(line, its):
            yield from _band(line, its)
    for line, its in zip(lines, points, strict=True):
        yield from _traces(line, its, x, y)


def _traces(line: Line, points: Sequence[LinePoint], x: Axis, y: Axis) -> Iterator[dict[str, Any]]:
    """Yield the joined points, the open ones, and lower bounds."""
    if isinstance(line.x, np.ndarray):
        yield _of_arrays(line, x, y)
        return
    joined = [point for point in points if not point.hollow and not point.bound]
    hollow = [point for point in points if point.hollow and not point.bound]
    above = [point for point in points if point.bound]
    shade, mark = line.shade, line.symbol
    size = _MARKER_PX if len(points) <= _MANY_POINTS else _SMALL_MARKER_PX
    # Plotly outlines markers of different sizes by default.
    marker: dict[str, Any] = {"color": shade, "size": size, "symbol": mark, "line": {"width": 0}}
    if any(point.saturated for point in points):
        marker["symbol"] = ["x" if point.saturated else mark for point in joined]
        marker["size"] = [size + 3 if point.saturated else size for point in joined]
    if line.look == "printed":
        marker |= {"symbol": "x-thin", "size": 9, "line": {"color": shade, "width": 2}}
    thin = line.look == "plain"
    parts = (["lines"] if line.is_joined else []) + (
        ["markers"] if line.marked and not thin else []
    )
    yield {
        **_common(line),
        **_places(line, joined, x, y),
        "mode": "+".join(parts),
        "line": {"color": shade, "width": 1 if thin else 2, "dash": dash(line.look)},
        "marker": marker,
        **(_bars(joined, shade) if line.low is not None and _has_bars(line, points) else {}),
    }
    if hollow:
        opened = [f"{'x' if point.saturated else mark}-open" for point in hollow]
        yield {
            **_common(line),
            **_places(line, hollow, x, y),
            "mode": "markers",
            "marker": {
                **marker,
                "symbol": opened if len(set(opened)) > 1 else opened[0],
                "size": 8,
                "line": {"width": 1.5},
            },
            "showlegend": False,
        }
    if above:
        ring = {"width": 1.5, "color": shade}
        yield {
            **_common(line),
            **_places(line, above, x, y),
            "mode": "markers",
            "marker": {**marker, "symbol": "triangle-up-open", "size": 9, "line": ring},
            # In the legend only if nothing else of the line is drawn.
            "showlegend": bool(line.name) and not joined,
        }


@lru_cache(maxsize=256)
def _style(shade: str, look: Look, is_area: bool) -> dict[str, Any]:
    style = {"color": shade, "dash": dash(look), "width": 2}
    return style | ({"shape": "hv", "width": 1.5} if is_area else {})


@lru_cache(maxsize=256)
def _label(name: str) -> dict[str, str]:
    return {"label": name}


def _common(line: Line) -> dict[str, Any]:
    """Return what all traces of a line share: its name for plotly and for the page's legend."""
    named = {"name": shown_text(line.name), "meta": _label(line.name)}
    group = {"legendgroup": line.name, "showlegend": bool(line.name)}
    return {"type": "scatter", **named, **group}


def _of_arrays(line: Line, x: Axis, y: Axis) -> dict[str, Any]:
    """Return a line without markers through many points, perhaps with the area below it."""
    style = _style(line.shade, line.look, line.is_area)
    area: dict[str, Any] = {}
    if line.is_area:
        area = {"fill": "tozeroy", "fillcolor": see_through(style["color"], _AREA_OPACITY)}
    told = f"{_told(x, 'x')}<br><b>{_told(y, 'y')}</b><extra>%{{fullData.name}}</extra>"
    places = {"x": line.x, "y": line.y, "mode": "lines", "line": style, "hovertemplate": told}
    return {**_common(line), **places, **area}


def _places(line: Line, points: Sequence[LinePoint], x: Axis, y: Axis) -> dict[str, Any]:
    """Return the coordinates of points and their tooltips."""
    texts = []
    for point in points:
        words = [] if point.low is None else [_half_width(point, y)]
        words += ["saturated"] if point.saturated else []
        words += ["at least: cut off"] if point.bound else []
        words += [shown_text(point.remark)] if point.remark else []
        texts.append("<br>".join(words))
    along = _told(x, "x", category=line.has_categories)
    targets = {} if line.targets is None else {"customdata": [p.target for p in points]}
    return {
        **targets,
        "x": [point.x for point in points],
        "y": [point.y for point in points],
        "text": texts,
        "hovertemplate": f"{along}<br><b>{_told(y, 'y')}</b>"
        " %{text}<extra>%{fullData.name}</extra>",
    }


def _told(axis: Axis, letter: str, *, category: bool = False) -> str:
    """Return plotly's template for a coordinate with label and unit."""
    style = "" if category else ":.3~%" if axis.percent else ":.4~g"
    return f"{shown_text(axis.label)}: %{{{letter}{style}}} {shown_text(axis.unit)}".rstrip()


def _half_width(point: LinePoint, axis: Axis) -> str:
    if point.low is None or point.high is None:
        return ""
    half = (point.high - point.low) / 2
    return f"± {plain(100 * half, 2)} %" if axis.percent else f"± {plain(half, 2)}"


def _band(line: Line, points: Sequence[LinePoint]) -> Iterator[dict[str, Any]]:
    """Yield the area between `low` and `high`, in pieces where intervals are unknown."""
    settled = [point for point in points if not point.hollow]
    stretches = itertools.groupby(settled, lambda p: p.low is not None and p.high is not None)
    xs: list[Any] = []
    ys: list[Any] = []
    for is_known, stretch in stretches:
        piece = list(stretch)
        if not is_known or len(piece) < 2:
            continue
        if xs:
            xs.append(None)
            ys.append(None)
        xs += [point.x for point in (*piece, *piece[::-1])]
        ys += [*(point.low for point in piece), *(point.high for point in piece[::-1])]
    if xs:
        yield {
            **_common(line),
            "mode": "lines",
            "x": xs,
            "y": ys,
            "fill": "toself",
            "fillcolor": see_through(line.shade, _BAND_OPACITY),
            "line": {"width": 0, "color": line.shade},
            "showlegend": False,
            "hoverinfo": "skip",
        }


def _bars(points: Sequence[LinePoint], shade: str) -> dict[str, Any]:
    """Return intervals as error bars."""
    up = [_difference(point.high, point.y) for point in points]
    down = [_difference(point.y, point.low) for point in points]
    bars = {"type": "data", "array": up, "arrayminus": down, "thickness": 1.2, "width": 3}
    return {"error_y": {**bars, "symmetric": False, "color": see_through(shade, 0.6)}}


def _difference(above: float | None, below: float | None) -> float:
    return 0.0 if above is None or below is None else above - below


def _has_bars(line: Line, points: Sequence[LinePoint]) -> bool:
    """Whether a band would fold over itself or has no direction to go along."""
    there = [point.x for point in points if not point.hollow]
    return not line.is_joined or any(a >= b for a, b in itertools.pairwise(there))
