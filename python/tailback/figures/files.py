"""Draws views into files: lines with axes and a legend, or a network."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import isfinite

from .canvas import XY, Disc, Path, Shape, Sheet, Text
from .description import Axis, Line, LinePoint, Panel, View
from .look import LIGHT, colour, dash
from .network_files import network_sheet
from .network_map import NetworkMap
from .scales import Scale, scale_of

WIDTH, HEIGHT = 720, 480
_LEFT, _RIGHT, _TOP, _BOTTOM = 78, 20, 46, 60
_LEGEND_LINE = 19
_LETTER = 6.6
"""Approximate mean width of a letter in pixels."""
_TITLE = 76
"""Longest title, in letters, that fits at the usual size."""
_GREY = Line("", [], [], colour=6)

_DOT = LinePoint(0.0, 0.0)
_EXPLAINED = {
    "saturated": replace(_DOT, saturated=True),
    "hollow": replace(_DOT, hollow=True),
    "bound": replace(_DOT, bound=True),
}
MARKS = {"saturated": "saturated", "hollow": "not settled", "bound": "cut off: at least so much"}
"""Legend texts for special markers, by the field of a point."""


def sheet(view: View) -> Sheet:
    """Return a view of one panel of lines, or of a network, as shapes."""
    [panel] = view.panels
    networks = panel.of_kind(NetworkMap)
    return network_sheet(networks[0]) if networks else _sheet_of_lines(view, panel)


@dataclass(frozen=True, slots=True)
class _Frame:
    """Where the axes are, in pixels."""

    x: Scale
    y: Scale
    left: float
    top: float
    width: float
    height: float

    def across(self, value: float | str) -> float:
        return self.left + self.width * self.x.place(value)

    def up(self, value: float) -> float:
        """Return the height of a value, clipped to the axis."""
        return self.top + self.height * (1 - min(max(self.y.place(value), 0.0), 1.0))


def _sheet_of_lines(view: View, panel: Panel) -> Sheet:
    """Return lines with their points and intervals, axes, a legend below them, and notes."""
    lines = panel.of_kind(Line)
    x, y = _scales(lines, panel.x, panel.y)
    named, marks = [line for line in lines if line.name], _marks(lines)
    legend = (
        list(_legend(named if len(named) > 1 else [], marks)) if len(named) > 1 or marks else []
    )
    turned = sum(map(len, x.categories)) * _LETTER > WIDTH - _LEFT - _RIGHT
    longest = max((len(text) for text in x.categories), default=0)
    bottom = _BOTTOM + (min(longest * _LETTER * 0.5, 140) if turned else 0)
    columns = _columns([text for _, text in legend])
    rows = -(-len(legend) // columns)
    notes = [row[0] for row in view.note]
    height = HEIGHT + (rows + len(notes)) * _LEGEND_LINE + (bottom - _BOTTOM)
    frame = _Frame(x, y, _LEFT, _TOP, WIDTH - _LEFT - _RIGHT, HEIGHT - _TOP - _BOTTOM)
    size = 15 * min(1.0, max(_TITLE / len(view.title), 0.5)) if view.title else 15
    middle = (WIDTH / 2, 26.0)
    shapes: list[Shape] = [Text(middle, view.title, "middle", round(size, 1), is_bold=True)]
    shapes += _axes(frame, turned=turned, bottom=bottom)
    shapes += [shape for line in lines for shape in _line(line, frame)]
    below = _TOP + frame.height + bottom + 12
    for i, (key, text) in enumerate(legend):
        left = _LEFT + (i % columns) * frame.width / columns
        top = below + (i // columns) * _LEGEND_LINE
        shapes += [*_moved(key, left, top), Text((left + 36, top + 4), text)]
    below += rows * _LEGEND_LINE + 4
    for i, note in enumerate(notes):
        shapes.append(Text((_LEFT, below + i * _LEGEND_LINE), note, fill=LIGHT.faint))
    return Sheet(WIDTH, height, view.title, shapes)


def _scales(lines: Sequence[Line], x: Axis, y: Axis) -> tuple[Scale, Scale]:
    across = scale_of(x, [value for line in lines for value in line.x])
    values = [v for line in lines for v in line.y if v is not None and isfinite(v)]
    low, high = min(values, default=0.0), max(values, default=1.0)
    # Far ends of intervals would squeeze the rest.
    near = (max(low - (high - low) / 2, 0), high + (high - low) / 2)
    ends = (v for line in lines for end in (line.low, line.high) for v in end or ())
    return across, scale_of(y, [*values, *(v for v in ends if v and near[0] < v < near[1])])


def _marks(lines: Sequence[Line]) -> list[str]:
    """Return the special markers that occur, as fields of a point."""
    points = [point for line in lines if line.marked for point in line.points]
    return [field for field in MARKS if any(getattr(point, field) for point in points)]


def _columns(texts: Sequence[str]) -> int:
    """Return the number of columns of the legend."""
    longest = max(map(len, texts), default=1)
    return max(1, min(4, len(texts), int((WIDTH - _LEFT) / (longest * _LETTER + 56))))


def _axes(frame: _Frame, *, turned: bool, bottom: float) -> Iterator[Shape]:
    right, floor = frame.left + frame.width, frame.top + frame.height
    for value, text in frame.y.ticks:
        at = frame.up(value)
        yield _stroke((frame.left, at), (right, at), LIGHT.grid)
        yield Text((frame.left - 8, at + 4), text, "end")
    for value, text in frame.x.ticks:
        at = frame.across(value)
        if not frame.x.categories:
            yield _stroke((at, frame.top), (at, floor), LIGHT.grid)
        yield _stroke((at, floor), (at, floor + 4), LIGHT.faint)
        if turned:
            yield Text((at, floor + 14), text, "end", turned=-30)
        else:
            yield Text((at, floor + 19), text, "middle")
    yield _stroke((frame.left, floor), (right, floor), LIGHT.faint)
    yield _stroke((frame.left, frame.top), (frame.left, floor), LIGHT.faint)
    yield Text((frame.left + frame.width / 2, floor + bottom - 16), frame.x.title, "middle")
    yield Text((18, frame.top + frame.height / 2), frame.y.title, "middle", turned=-90)


def _stroke(begin: XY, end: XY, shade: str, width: float = 1.0) -> Path:
    return Path((begin, end), shade, width)


def _line(line: Line, frame: _Frame) -> Iterator[Shape]:
    """Yield the line through the points, their intervals, and the points."""
    points = [point for point in line.points if point.y is not None]
    joined = [point for point in points if not point.hollow and not point.bound]
    if line.is_joined and len(joined) > 1:
        yield _through(line, [_place(point, frame) for point in joined])
    if line.look == "plain" or not line.marked:
        return
    for point in points:
        yield from _interval(point, colour(line.colour), frame)
    for point in points:
        yield from _mark(line, point, *_place(point, frame))


def _place(point: LinePoint, frame: _Frame) -> XY:
    return frame.across(point.x), frame.up(point.y or 0.0)


def _through(line: Line, points: Sequence[XY]) -> Path:
    pattern = dash(line.look)
    dashes = "" if pattern == "solid" else pattern.replace("px", "")
    return Path(points, colour(line.colour), 1 if line.look == "plain" else 2, dash=dashes)


def _interval(point: LinePoint, shade: str, frame: _Frame) -> Iterator[Shape]:
    if point.low is None or point.high is None or point.low == point.high:
        return
    at, low, high = frame.across(point.x), frame.up(point.low), frame.up(point.high)
    yield _stroke((at, low), (at, high), shade, 1.2)
    for end in (low, high):
        yield _stroke((at - 4, end), (at + 4, end), shade, 1.2)


def _mark(line: Line, point: LinePoint, x: float, y: float) -> Iterator[Shape]:
    """Yield a dot; open if the run never settled, a cross if saturated, an arrow if a bound."""
    shade = colour(line.colour)
    fill = LIGHT.paper if point.hollow or point.bound else shade
    if point.bound:
        yield _stroke((x, y), (x, y - 15), shade, 1.6)
        yield Path(((x - 4.5, y - 9.5), (x, y - 15), (x + 4.5, y - 9.5)), shade, 1.6)
        yield Disc((x, y), 2.5, fill, shade, 1.6)
    elif point.saturated or line.look == "printed":
        yield _stroke((x - 5, y - 5), (x + 5, y + 5), shade, 2.4)
        yield _stroke((x + 5, y - 5), (x - 5, y + 5), shade, 2.4)
    elif line.look == "dashed":
        corners = [(x + a * 3.5, y + b * 3.5) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
        yield Path(corners, shade, 1.6, fill, is_closed=True)
    elif line.look == "dotted":
        corners = [(x, y - 5), (x + 5, y), (x, y + 5), (x - 5, y)]
        yield Path(corners, shade, 1.6, fill, is_closed=True)
    else:
        yield Disc((x, y), 4, fill, shade, 1.6)


def _legend(named: Sequence[Line], marks: Sequence[str]) -> Iterator[tuple[list[Shape], str]]:
    """Yield keys and texts: of the lines, then of special markers."""
    for line in named:
        key: list[Shape] = []
        if line.look not in ("points", "printed"):
            key.append(_through(line, ((0, 0), (28, 0))))
        if line.look != "plain" and line.marked:
            key += _mark(line, _DOT, 14, 0)
        yield key, line.name
    for field in marks:
        below = 4 if field == "bound" else 0
        yield list(_mark(_GREY, _EXPLAINED[field], 14, below)), MARKS[field]


def _moved(shapes: Sequence[Shape], right: float, down: float) -> Iterator[Shape]:
    for shape in shapes:
        if isinstance(shape, Path):
            yield replace(shape, points=[(x + right, y + down) for x, y in shape.points])
        elif isinstance(shape, Disc):
            yield replace(shape, middle=(shape.middle[0] + right, shape.middle[1] + down))
