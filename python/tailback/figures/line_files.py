"""Lines in files: strokes, markers, intervals, and a legend below the frame."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import dist, isfinite

from .canvas import XY, Disc, Path, Shape, Sheet
from .description import Axis, Line, LinePoint, Panel, View
from .framing import Around, Frame, Paper, framed, stroke
from .look import LIGHT, SYMBOLS, dash
from .scales import Scale, scale_of

_RADIUS = 4.0
_GREY = Line("", [], [], colour=6)
_APART, _AFTER = 120.0, 17.0
"""Distance of markers along a line without markers at its points, and from line to line."""

_DOT = LinePoint(0.0, 0.0)
_EXPLAINED = {
    "saturated": replace(_DOT, saturated=True),
    "hollow": replace(_DOT, hollow=True),
    "bound": replace(_DOT, bound=True),
}
MARKS = {"saturated": "saturated", "hollow": "not settled", "bound": "cut off: at least so much"}
"""Legend texts for special markers, by the field of a point."""


def line_sheet(view: View, panel: Panel, paper: Paper) -> Sheet:
    """Return lines with their points and intervals, axes, a legend below them, and notes."""
    lines = panel.of_kind(Line)
    x, y = _scales(lines, panel.x, panel.y)
    named, marks = [line for line in lines if line.name], _marks(lines, x, y)
    told = named if len(named) > 1 else []
    legend = list(_legend(told, marks))
    around = Around(view.title, legend, [row[0] for row in view.note])
    frame, height, shapes = framed(paper, x, y, around)
    shapes += [shape for line in lines for shape in _line(line, frame, several=len(told) > 1)]
    return Sheet(paper.width, paper.height or height, view.title, shapes, in_inches=paper.in_inches)


def _scales(lines: Sequence[Line], x: Axis, y: Axis) -> tuple[Scale, Scale]:
    across = scale_of(x, [value for line in lines for value in line.x])
    values = [v for line in lines for v in line.y if v is not None and isfinite(v)]
    low, high = min(values, default=0.0), max(values, default=1.0)
    # Far ends of intervals would squeeze the rest.
    near = (max(low - (high - low) / 2, 0), high + (high - low) / 2)
    ends = (v for line in lines for end in (line.low, line.high) for v in end or ())
    return across, scale_of(y, [*values, *(v for v in ends if v and near[0] < v < near[1])])


def _marks(lines: Sequence[Line], x: Scale, y: Scale) -> list[str]:
    """Return the special markers that occur between the ends of the axes, as fields of a point."""
    known = (point for line in lines if line.marked for point in line.points)
    points = [
        point
        for point in known
        if point.y is not None and 0 <= x.place(point.x) <= 1 and 0 <= y.place(point.y) <= 1
    ]
    return [field for field in MARKS if any(getattr(point, field) for point in points)]


def _line(line: Line, frame: Frame, *, several: bool) -> Iterator[Shape]:
    """Yield the line through the points, their intervals, and the points."""
    points = [point for point in line.points if point.y is not None]
    joined = [point for point in points if not point.hollow and not point.bound]
    if line.is_joined and len(joined) > 1:
        for piece in frame.inside([_place(point, frame) for point in joined]):
            yield _through(line, piece)
            if several and not line.marked:
                yield from _spaced(line, piece)
    if line.look == "plain" or not line.marked:
        return
    for point in points:
        if frame.holds((frame.across(point.x), frame.clipped(point.y))):
            yield from _interval(point, line.shade, frame)
    for point in points:
        place = _place(point, frame)
        if frame.holds(place):
            yield from _mark(line, point, *place)


def _place(point: LinePoint, frame: Frame) -> XY:
    return frame.across(point.x), frame.up(point.y)


def _through(line: Line, points: Sequence[XY]) -> Path:
    pattern = dash(line.look)
    dashes = "" if pattern == "solid" else pattern.replace("px", "")
    return Path(points, line.shade, 1 if line.look == "plain" else 2, dash=dashes)


def _spaced(line: Line, points: Sequence[XY]) -> Iterator[Shape]:
    """Yield a few markers along a line, where those of other lines are not."""
    left = _APART / 2 + _AFTER * ((line.colour if line.mark is None else line.mark) % 7)
    for begin, end in itertools.pairwise(points):
        length = dist(begin, end)
        while length and left <= length:
            share = left / length
            at = (begin[0] + share * (end[0] - begin[0]), begin[1] + share * (end[1] - begin[1]))
            yield _symbol(line, *at, line.shade)
            left += _APART
        left -= length


def _interval(point: LinePoint, shade: str, frame: Frame) -> Iterator[Shape]:
    if point.low is None or point.high is None or point.low == point.high:
        return
    at, low, high = frame.across(point.x), frame.clipped(point.low), frame.clipped(point.high)
    yield stroke((at, low), (at, high), shade, 1.2)
    for end in (low, high):
        yield stroke((at - 4, end), (at + 4, end), shade, 1.2)


def _mark(line: Line, point: LinePoint, x: float, y: float) -> Iterator[Shape]:
    """Yield a marker; open if the run never settled, a cross if saturated, an arrow if a bound."""
    shade = line.shade
    if point.bound:
        yield stroke((x, y), (x, y - 15), shade, 1.6)
        yield Path(((x - 4.5, y - 9.5), (x, y - 15), (x + 4.5, y - 9.5)), shade, 1.6)
        yield Disc((x, y), 2.5, LIGHT.paper, shade, 1.6)
    elif point.saturated or line.look == "printed":
        yield stroke((x - 5, y - 5), (x + 5, y + 5), shade, 2.4)
        yield stroke((x + 5, y - 5), (x - 5, y + 5), shade, 2.4)
    else:
        yield _symbol(line, x, y, LIGHT.paper if point.hollow else shade)


def _symbol(line: Line, x: float, y: float, fill: str) -> Shape:
    corners = SYMBOLS[line.symbol]
    if not corners:
        return Disc((x, y), _RADIUS, fill, line.shade, 1.6)
    points = [(x + _RADIUS * right, y + _RADIUS * down) for right, down in corners]
    return Path(points, line.shade, 1.6, fill, is_closed=True)


def _legend(named: Sequence[Line], marks: Sequence[str]) -> Iterator[tuple[list[Shape], str]]:
    """Yield keys and texts: of the lines, then of special markers."""
    for line in named:
        key: list[Shape] = []
        if line.look not in ("points", "printed"):
            key.append(_through(line, ((0, 0), (28, 0))))
        if line.look != "plain":
            key += _mark(line, _DOT, 14, 0)
        yield key, line.name
    for field in marks:
        below = 4 if field == "bound" else 0
        yield list(_mark(_GREY, _EXPLAINED[field], 14, below)), MARKS[field]
