"""Lines with confidence bands: a measure against a parameter or a load."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tailback.wording import plain

from .drawing import Axis, Drawing
from .look import Look, colour, dash, see_through, symbol

_BAND_OPACITY = 0.18
_MARKER_PX = 6
_SMALL_MARKER_PX, _MANY_POINTS = 3, 40
_MANY_DECADES = 3000


@dataclass(frozen=True, slots=True)
class Line:
    """Points that belong together, joined in their order.

    `x` holds numbers, or texts for an axis of categories. `low` and `high` are
    a confidence interval for every point, None or NaN where it is not known.
    Points that are `hollow` are drawn open and are not joined to others; those
    that are `saturated` are crosses, joined as usual. Of those that are `bounds`
    it is known only that the value is above: arrows, not joined either.
    """

    name: str
    """In the legend; empty: in none."""
    x: Sequence[float] | Sequence[str]
    y: Sequence[float | None]
    low: Sequence[float | None] | None = None
    high: Sequence[float | None] | None = None
    hollow: Sequence[bool] | None = None
    saturated: Sequence[bool] | None = None
    bounds: Sequence[bool] | None = None
    colour: int = 0
    look: Look = "solid"
    marked: bool = True
    """Whether its points are marked, or only the line through them is drawn."""
    remarks: Sequence[str] | None = None
    """Shown beside each point when one points at it."""


def curves(lines: Sequence[Line], x: Axis, y: Axis) -> Drawing:
    """Return lines with their confidence bands, and a table of all their points.

    Where x is a measured load (or a category) and so does not rise along a
    line, intervals are drawn as bars instead of bands.
    """
    table = table_of(lines, x, y)
    lines, x, y = in_suitable_units(lines, x, y)
    data: list[dict[str, Any]] = []
    # Bands first: lines of others are drawn over them.
    data.extend(band for i, line in enumerate(lines) if (band := _band(line, i, x)))
    for i, line in enumerate(lines):
        data.extend(_traces(line, i, x, y))
    xs = [value for line in lines for value in line.x]
    ys = [value for line in lines for value in line.y]
    plot = {
        "data": data,
        "layout": {
            "xaxis": axis_layout(x, xs),
            "yaxis": axis_layout(y, ys),
            "hovermode": "closest",
            "margin": {"t": 16, "r": 16, "l": 64, "b": 56},
        },
    }
    return Drawing(plot, table)


def in_suitable_units(lines: Sequence[Line], x: Axis, y: Axis) -> tuple[Sequence[Line], Axis, Axis]:
    """Return lines and axes in units that suit their largest values: ns, µs, ms, …."""
    along = [v for line in lines for v in line.x if not isinstance(v, str)]
    x, across = x.in_unit_of(along)
    y, up = y.in_unit_of([value for line in lines for value in line.y])
    if across == up == 1:
        return lines, x, y
    return [_scaled(line, across, up) for line in lines], x, y


def _scaled(line: Line, across: float, up: float) -> Line:
    """Return a line with its numbers divided; those that are not known stay so."""

    def divided(values: Sequence[float | None] | None) -> list[float | None] | None:
        return None if values is None else [None if v is None else v / up for v in values]

    xs = line.x if _categories(line) else [v / across for v in line.x if not isinstance(v, str)]
    return replace(
        line, x=xs, y=divided(line.y) or [], low=divided(line.low), high=divided(line.high)
    )


def table_of(lines: Sequence[Line], x: Axis, y: Axis) -> dict[str, list[Any]]:
    """Return every point of every line: one row each."""
    table: dict[str, list[Any]] = {
        "line": [line.name for line in lines for _ in line.x],
        x.name: [value for line in lines for value in line.x],
        y.name: [_number(value) for line in lines for value in line.y],
    }
    if any(line.low is not None for line in lines):
        table["low"] = [v for line in lines for v in _numbers(line.low, len(line.x))]
        table["high"] = [v for line in lines for v in _numbers(line.high, len(line.x))]
    if any(line.hollow is not None for line in lines):
        table["settled"] = [not hollow for line in lines for hollow in _flags(line)]
    if any(any(line.saturated or ()) for line in lines):
        table["saturated"] = [flag for line in lines for flag in _saturated(line)]
    if any(any(line.bounds or ()) for line in lines):
        table["cut off, at least"] = [flag for line in lines for flag in _bounds(line)]
    return table


def axis_layout(axis: Axis, values: Iterable[Any]) -> dict[str, Any]:
    """Return plotly's axis: logarithmic where the values spread over more than a decade."""
    title = {"text": shown_text(axis.title), "standoff": 10}
    present = [value for value in values if value is not None]
    if any(isinstance(value, str) for value in present):
        return {"title": title, "type": "category", "automargin": True}
    numbers = [float(value) for value in present if math.isfinite(value)]
    layout: dict[str, Any] = {"title": title, "automargin": True}
    if spreads(numbers) if axis.log is None else axis.log:
        return layout | {"type": "log", **log_ticks(numbers)}
    layout |= {"type": "linear", "exponentformat": "none", "separatethousands": True}
    if axis.percent:
        layout |= {"tickformat": ".0%" if max(numbers, default=1) > 0.05 else ".1%"}
        label = f"{axis.label} ({axis.unit})" if axis.unit else axis.label
        layout["title"] = {**title, "text": shown_text(label)}
    return layout | ({"rangemode": "tozero"} if axis.from_zero else {})


def log_ticks(numbers: Sequence[float] = ()) -> dict[str, Any]:
    """Return where a logarithmic axis has ticks: at 1, 2 and 5, or at 1 where there are many."""
    known = [number for number in numbers if number > 0] or [1.0]
    steps = (1, 2, 5) if max(known) / min(known) < _MANY_DECADES else (1,)
    at = [float(f"{step}e{decade}") for decade in range(-9, 10) for step in steps]
    return {"tickvals": at, "ticktext": [_tick(value) for value in at], "minor": {"dtick": "D1"}}


def _tick(value: float) -> str:
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"


def spreads(numbers: Sequence[float]) -> bool:
    """Whether positive numbers spread over more than a decade."""
    return bool(numbers) and min(numbers) > 0 and max(numbers) / min(numbers) > 10


def shown_text(text: str) -> str:
    """Return text as plotly shows it as it is: its tags are not interpreted."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def named(text: str) -> dict[str, Any]:
    """Return the name of a trace: for plotly, and as it is for the page's own legend."""
    return {"name": shown_text(text), "meta": {"label": text}}


def _traces(line: Line, number: int, x: Axis, y: Axis) -> Iterator[dict[str, Any]]:
    """Yield the joined points, the open ones, and lower bounds."""
    hollow, bounds = _flags(line), _bounds(line)
    drawn_open = [i for i, flag in enumerate(hollow) if flag and not bounds[i]]
    joined = [i for i, flag in enumerate(hollow) if not flag and not bounds[i]]
    above = [i for i, flag in enumerate(bounds) if flag]
    shade = colour(line.colour)
    size = _MARKER_PX if len(line.x) <= _MANY_POINTS else _SMALL_MARKER_PX
    marker: dict[str, Any] = {
        "color": shade,
        "size": size,
        "symbol": symbol(line.colour, line.look),
        # Where sizes differ Plotly draws an edge unless told not to.
        "line": {"width": 0},
    }
    mode = "markers" if line.look in ("points", "printed") or _categories(line) else "lines+markers"
    full = _saturated(line)
    if any(full):
        marker["symbol"] = ["x" if full[i] else marker["symbol"] for i in joined]
        marker["size"] = [size + 3 if full[i] else size for i in joined]
    if line.look == "printed":
        marker |= {"symbol": "x-thin", "size": 9, "line": {"color": shade, "width": 2}}
    common = {"type": "scatter", "legendgroup": str(number), **named(line.name)}
    thin = line.look == "plain"
    yield common | {
        **_places(line, joined, x, y),
        "mode": mode if line.marked and not thin else "lines",
        "line": {"color": shade, "width": 1 if thin else 2, "dash": dash(line.look)},
        "marker": marker,
        "showlegend": bool(line.name),
        **_bars(line, joined, shade, x),
    }
    if drawn_open:
        open_symbol: list[str] | str = f"{symbol(line.colour, line.look)}-open"
        if any(full[i] for i in drawn_open):
            open_symbol = ["x-open" if full[i] else str(open_symbol) for i in drawn_open]
        yield common | {
            **_places(line, drawn_open, x, y),
            "mode": "markers",
            "marker": {**marker, "symbol": open_symbol, "size": 8, "line": {"width": 1.5}},
            "showlegend": False,
        }
    if above:
        yield common | {
            **_places(line, above, x, y),
            "mode": "markers",
            "marker": {
                **marker,
                "symbol": "triangle-up-open",
                "size": 9,
                "line": {"width": 1.5, "color": shade},
            },
            # Where nothing else of the line is shown the legend has this.
            "showlegend": bool(line.name) and not joined,
        }


def _places(line: Line, which: Sequence[int], x: Axis, y: Axis) -> dict[str, Any]:
    """Return coordinates of points and what is shown beside them."""
    low, high = _numbers(line.low, len(line.x)), _numbers(line.high, len(line.x))
    texts = []
    for i in which:
        words = [] if low[i] is None else [_half_width(low[i], high[i], y)]
        if _saturated(line)[i]:
            words.append("saturated")
        if _bounds(line)[i]:
            words.append("at least: cut off")
        if line.remarks is not None and line.remarks[i]:
            words.append(shown_text(line.remarks[i]))
        texts.append("<br>".join(words))
    return {
        "x": [line.x[i] for i in which],
        "y": [_number(line.y[i]) for i in which],
        "text": texts,
        "hovertemplate": f"{_told(x, 'x', _categories(line))}<br><b>{_told(y, 'y')}</b>"
        " %{text}<extra>%{fullData.name}</extra>",
    }


def _told(axis: Axis, letter: str, category: bool = False) -> str:
    """Return plotly's template of a coordinate with label and unit."""
    style = "" if category else ":.3~%" if axis.percent else ":.4~g"
    return f"{shown_text(axis.label)}: %{{{letter}{style}}} {shown_text(axis.unit)}".rstrip()


def _half_width(low: float | None, high: float | None, axis: Axis) -> str:
    if low is None or high is None:
        return ""
    half = (high - low) / 2
    return f"± {plain(100 * half, 2)} %" if axis.percent else f"± {plain(half, 2)}"


def _band(line: Line, number: int, x: Axis) -> dict[str, Any] | None:
    """Return the area between `low` and `high`, in one piece per stretch of known points."""
    if line.low is None or _bars_instead(line):
        return None
    xs: list[Any] = []
    ys: list[Any] = []
    for piece in _known_stretches(line):
        if xs:
            xs.append(None)
            ys.append(None)
        there, low, high = (list(column) for column in zip(*piece, strict=True))
        xs += there + there[::-1]
        ys += low + high[::-1]
    if not xs:
        return None
    return {
        "type": "scatter",
        "mode": "lines",
        "x": xs,
        "y": ys,
        "fill": "toself",
        "fillcolor": see_through(colour(line.colour), _BAND_OPACITY),
        "line": {"width": 0, "color": colour(line.colour)},
        "legendgroup": str(number),
        "showlegend": False,
        "hoverinfo": "skip",
    }


def _known_stretches(line: Line) -> Iterator[list[tuple[float, float, float]]]:
    """Yield runs of at least two neighbouring points, as x, low and high."""
    piece: list[Any] = []
    low, high = _numbers(line.low, len(line.x)), _numbers(line.high, len(line.x))
    for there, below, above, hollow in zip(line.x, low, high, _flags(line), strict=True):
        if hollow:
            continue
        if below is None or above is None:
            if len(piece) > 1:
                yield piece
            piece = []
        else:
            piece.append((there, below, above))
    if len(piece) > 1:
        yield piece


def _bars(line: Line, which: Sequence[int], shade: str, x: Axis) -> dict[str, Any]:
    """Return intervals as bars, where a band could not be read."""
    if line.low is None or line.high is None or not _bars_instead(line):
        return {}
    y = [_number(line.y[i]) for i in which]
    low, high = _numbers(line.low, len(line.x)), _numbers(line.high, len(line.x))
    up = [_difference(high[i], y[k]) for k, i in enumerate(which)]
    down = [_difference(y[k], low[i]) for k, i in enumerate(which)]
    bars = {"type": "data", "array": up, "arrayminus": down, "thickness": 1.2, "width": 3}
    return {"error_y": {**bars, "symmetric": False, "color": see_through(shade, 0.6)}}


def _difference(above: float | None, below: float | None) -> float:
    return 0.0 if above is None or below is None else above - below


def _bars_instead(line: Line) -> bool:
    """Whether a band would fold over itself or has no direction to go along."""
    if line.look in ("points", "printed") or _categories(line):
        return True
    there = [x for x, hollow in zip(line.x, _flags(line), strict=True) if not hollow]
    return any(a >= b for a, b in itertools.pairwise(there))  # type: ignore[operator]


def _categories(line: Line) -> bool:
    return any(isinstance(x, str) for x in line.x)


def _flags(line: Line) -> list[bool]:
    return [False] * len(line.x) if line.hollow is None else list(line.hollow)


def _saturated(line: Line) -> list[bool]:
    return [False] * len(line.x) if line.saturated is None else list(line.saturated)


def _bounds(line: Line) -> list[bool]:
    return [False] * len(line.x) if line.bounds is None else list(line.bounds)


def _numbers(values: Sequence[float | None] | None, count: int) -> list[float | None]:
    return [None] * count if values is None else [_number(value) for value in values]


def _number(value: float | None) -> float | None:
    """Return a number that is known, else None: JSON has no NaN."""
    return None if value is None or not math.isfinite(value) else float(value)
