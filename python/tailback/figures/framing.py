"""Paper, and the frame of axes on it: where values lie, in pixels, and what stands around them."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tailback.errors import UserError

from .canvas import PX_PER_INCH, XY, Disc, Path, Shape, Text
from .look import FONT_SIZE, LIGHT
from .scales import Scale

LETTER = 6.6
"""Approximate mean width of a letter in pixels."""
LINE_PX = 19
"""Distance between lines of text."""
_LEFT, _RIGHT, _TOP, _BOTTOM = 78, 20, 16, 60
_HEADING = 30
_LEAST = 80
"""Least width and height of the frame."""
_BETWEEN = 6
"""Least distance between two texts of an axis."""


@dataclass(frozen=True, slots=True)
class Paper:
    """The size of a picture in pixels, a hundredth of an inch each."""

    width: float = 720
    height: float | None = None
    """None: so that the frame has a good shape, whatever the legend and notes need."""
    in_inches: bool = False
    """Whether SVG says its size in inches, as a column of a paper has it."""
    has_heading: bool = False
    """Whether the title stands above the picture."""


_SHAPE = 0.56
"""Height of a frame as a part of the width of the paper."""


@dataclass(frozen=True, slots=True)
class Frame:
    """Where the axes are, in pixels."""

    x: Scale
    y: Scale
    left: float
    top: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """Its right side."""
        return self.left + self.width

    @property
    def floor(self) -> float:
        """Its lower side."""
        return self.top + self.height

    def across(self, value: float | str) -> float:
        """Return the distance of a value from the left side of the paper."""
        return self.left + self.width * self.x.place(value)

    def up(self, value: float | str) -> float:
        """Return the distance of a value from the upper side of the paper."""
        return self.top + self.height * (1 - self.y.place(value))

    def holds(self, point: XY) -> bool:
        """Whether a point is in the frame or on its border."""
        near = 0.01
        is_across = self.left - near <= point[0] <= self.right + near
        return is_across and self.top - near <= point[1] <= self.floor + near

    def clipped(self, value: float) -> float:
        """Return the height of a value, or of the border that it is beyond."""
        return min(max(self.up(value), self.top), self.floor)

    def inside(self, points: Sequence[XY]) -> Iterator[list[XY]]:
        """Yield the pieces of a polyline that are in the frame."""
        piece: list[XY] = []
        for begin, end in itertools.pairwise(points):
            part = self._part(begin, end)
            if part is None or (piece and piece[-1] != part[0]):
                if piece:
                    yield piece
                piece = []
            if part is not None:
                piece = [*(piece or [part[0]]), part[1]]
        if piece:
            yield piece

    def _part(self, begin: XY, end: XY) -> tuple[XY, XY] | None:
        """Return the part of a stretch that is in the frame [Liang & Barsky 1984]."""
        first, last = 0.0, 1.0
        way = (end[0] - begin[0], end[1] - begin[1])
        sides = ((self.left, self.right), (self.top, self.floor))
        for along, start, (low, high) in zip(way, begin, sides, strict=True):
            if along == 0:
                if not low <= start <= high:
                    return None
                continue
            ends = sorted(((low - start) / along, (high - start) / along))
            first, last = max(first, ends[0]), min(last, ends[1])
        if first > last:
            return None

        def at(share: float) -> XY:
            return begin[0] + share * way[0], begin[1] + share * way[1]

        return begin if first == 0 else at(first), end if last == 1 else at(last)


@dataclass(frozen=True, slots=True)
class Around:
    """What stands around a frame: a title, a legend and notes below it."""

    title: str
    legend: Sequence[tuple[Sequence[Shape], str]] = ()
    """Keys, drawn from (0, 0) to (28, 0), and their texts."""
    notes: Sequence[str] = ()
    right: float = _RIGHT
    """Room at the right-hand side."""


def framed(paper: Paper, x: Scale, y: Scale, around: Around) -> tuple[Frame, float, list[Shape]]:
    """Return the frame on paper, the height of the paper, and everything around the frame.

    Raises `UserError` if the paper is too small.
    """
    top = _TOP + (_HEADING if paper.has_heading else 0)
    left = max(_LEFT, 50 + LETTER * max((len(text) for _, text in y.ticks), default=0))
    left = min(left, 0.4 * paper.width)
    width = paper.width - left - around.right
    turned = sum(map(len, x.categories)) * LETTER > width
    longest = max((len(text) for text in x.categories), default=0)
    bottom = _BOTTOM + (min(longest * LETTER * 0.5, 140) if turned else 0)
    columns = _columns([text for _, text in around.legend], width + left / 2)
    rows = -(-len(around.legend) // columns)
    notes = [line for note in around.notes for line in _wrapped(note, width)]
    below = bottom + (rows + len(notes)) * LINE_PX
    height = _SHAPE * paper.width if paper.height is None else paper.height - top - below
    if min(width, height) < _LEAST:
        least = left + around.right + _LEAST, top + below + _LEAST
        asked, needed = _size((paper.width, paper.height or least[1])), _size(least)
        raise UserError(
            "size", asked, f"is too small for axes and legend: at least {needed} inches"
        )
    frame = Frame(x, y, left, top, width, height)
    shapes = [*_heading(paper, around.title), *_axes(frame, turned=turned, bottom=bottom)]
    start = frame.floor + bottom + 8
    for i, (key, text) in enumerate(around.legend):
        at = left + (i % columns) * width / columns, start + (i // columns) * LINE_PX
        room = width / columns - 40 if columns > 1 else paper.width - left - 40
        shapes += [*_moved(key, *at), Text((at[0] + 36, at[1] + 4), text, size=_fit(text, room))]
    start += rows * LINE_PX + 4
    for i, note in enumerate(notes):
        shapes.append(Text((left, start + i * LINE_PX), note, fill=LIGHT.faint))
    return frame, top + height + below, shapes


def _size(sides: tuple[float, float]) -> str:
    return "x".join(f"{side / PX_PER_INCH:.2g}" for side in sides)


def _heading(paper: Paper, title: str) -> Iterator[Shape]:
    if paper.has_heading:
        size = _fit(title, paper.width - 20, 15)
        yield Text((paper.width / 2, 26.0), title, "middle", size, is_bold=True)


def _fit(text: str, room: float, size: float = FONT_SIZE) -> float:
    """Return a size of letters at which a text has room, at least half of the usual one."""
    needed = len(text) * LETTER * size / FONT_SIZE
    return size if needed <= room else round(max(size * room / needed, size / 2), 1)


def _wrapped(note: str, width: float) -> list[str]:
    return textwrap.wrap(note, max(20, int(width / LETTER)))


def _columns(texts: Sequence[str], width: float) -> int:
    """Return the number of columns of the legend."""
    longest = max(map(len, texts), default=1)
    return max(1, min(4, len(texts), int(width / (longest * LETTER + 56))))


def _axes(frame: Frame, *, turned: bool, bottom: float) -> Iterator[Shape]:
    right, floor = frame.right, frame.floor
    for value, text in frame.y.ticks:
        at = frame.up(value)
        if not frame.y.categories:
            yield stroke((frame.left, at), (right, at), LIGHT.grid)
        yield Text((frame.left - 8, at + 4), text, "end", _fit(text, frame.left - 36))
    free, letters = 0.0, _letters(frame)
    for value, text in frame.x.ticks:
        at, half = frame.across(value), len(text) * LETTER * letters / FONT_SIZE / 2
        if not frame.x.categories:
            yield stroke((at, frame.top), (at, floor), LIGHT.grid)
        yield stroke((at, floor), (at, floor + 4), LIGHT.faint)
        if turned:
            yield Text((at, floor + 14), text, "end", turned=-30)
        elif at - half >= free:
            yield Text((at, floor + 19), text, "middle", letters)
            free = at + half + _BETWEEN
    yield stroke((frame.left, floor), (right, floor), LIGHT.faint)
    yield stroke((frame.left, frame.top), (frame.left, floor), LIGHT.faint)
    middle = frame.left + frame.width / 2
    size = _fit(frame.x.title, 2 * min(middle, right - middle + 20))
    yield Text((middle, floor + bottom - 16), frame.x.title, "middle", size)
    yield upright(frame, 18, frame.y.title, bottom)


def _letters(frame: Frame) -> float:
    """Return a size of letters at which all columns have their name below, if there is one."""
    names = [text for _, text in frame.x.ticks] if frame.x.categories else []
    room = frame.width / max(len(names), 1) - _BETWEEN
    return min((_fit(name, room) for name in names), default=FONT_SIZE)


def upright(frame: Frame, at: float, title: str, below: float = 0.0) -> Text:
    """Return the title of a scale beside a frame, in its middle as far as there is room above.

    `below`: room under the frame.
    """
    size = _fit(title, frame.top + frame.height + below)
    half = len(title) * LETTER * size / FONT_SIZE / 2
    middle = max(frame.top + frame.height / 2, half)
    return Text((at, middle), title, "middle", size, turned=-90)


def stroke(begin: XY, end: XY, shade: str, width: float = 1.0) -> Path:
    """Return a straight line."""
    return Path((begin, end), shade, width)


def _moved(shapes: Sequence[Shape], right: float, down: float) -> Iterator[Shape]:
    for shape in shapes:
        if isinstance(shape, Path):
            yield replace(shape, points=[(x + right, y + down) for x, y in shape.points])
        elif isinstance(shape, Disc):
            yield replace(shape, middle=(shape.middle[0] + right, shape.middle[1] + down))
