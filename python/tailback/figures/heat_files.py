"""Maps of two axes in files: cells with their numbers, and a scale of colours at the right."""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt

import numpy as np

from .canvas import Path, Shape, Sheet, Text
from .description import HeatMap, Panel, View
from .framing import LETTER, LINE_PX, Around, Frame, Paper, framed, stroke, upright
from .look import LIGHT, on_map
from .scales import Scale, scale_of

_SCALE_PX, _GAP_PX, _STEPS = 14, 18, 48
_DARK_FROM = 0.55
"""Cells above this share of the scale are dark, and have light numbers."""


def heat_sheet(view: View, panel: Panel, paper: Paper) -> Sheet:
    """Return a map with named rows and columns, its scale of colours, and notes."""
    [heat] = panel.of_kind(HeatMap)
    values = heat.cells.matrix()
    scale = scale_of(heat.measure, values[np.isfinite(values)].tolist())
    longest = max((len(text) for _, text in scale.ticks), default=1)
    right = _GAP_PX + _SCALE_PX + 10 + longest * LETTER + LINE_PX + 8
    around = Around(view.title, (), [row[0] for row in view.note], right)
    rows = panel.y.names[::-1] if panel.y.downwards else panel.y.names
    x, y = scale_of(panel.x, panel.x.names), scale_of(panel.y, rows)
    frame, height, shapes = framed(paper, x, y, around)
    shapes += _cells(heat, frame, scale, downwards=panel.y.downwards)
    shapes += _scale(heat, frame, scale)
    return Sheet(paper.width, paper.height or height, view.title, shapes, in_inches=paper.in_inches)


def _cells(heat: HeatMap, frame: Frame, scale: Scale, *, downwards: bool) -> Iterator[Shape]:
    values = heat.cells.matrix()
    width, height = frame.width / values.shape[1], frame.height / values.shape[0]
    has_room = width > 5 * LETTER and height > LINE_PX
    for row, column in np.argwhere(np.isfinite(values)).tolist():
        value = float(values[row, column])
        share = _share(heat, scale.place(value))
        from_top = row if downwards else values.shape[0] - 1 - row
        left, top = frame.left + column * width, frame.top + from_top * height
        yield _box(left, top, width, height, on_map(share))
        text = heat.numbers[row][column] if heat.numbers is not None else ""
        if has_room and text:
            fill = LIGHT.paper if share > _DARK_FROM else LIGHT.text
            yield Text((left + width / 2, top + height / 2 + 4), text, "middle", 11, fill)


def _share(heat: HeatMap, place: float) -> float:
    """Return where on the sequence of colours a place on the scale is."""
    return sqrt(max(place, 0.0)) if heat.is_root else place


def _scale(heat: HeatMap, frame: Frame, scale: Scale) -> Iterator[Shape]:
    """Yield the scale of colours, from its lowest value at the floor upwards."""
    left, step = frame.right + _GAP_PX, frame.height / _STEPS
    for number in range(_STEPS):
        shade = on_map(_share(heat, (number + 0.5) / _STEPS))
        yield _box(left, frame.floor - (number + 1) * step, _SCALE_PX, step, shade)
    right = left + _SCALE_PX
    for value, text in scale.ticks:
        at = frame.floor - frame.height * scale.place(value)
        yield stroke((right, at), (right + 4, at), LIGHT.faint)
        yield Text((right + 7, at + 4), text)
    longest = max((len(text) for _, text in scale.ticks), default=1)
    beside = right + 10 + longest * LETTER + LINE_PX - 4
    yield upright(frame, beside, scale.title)


def _box(left: float, top: float, width: float, height: float, fill: str) -> Path:
    right, low = left + width, top + height
    # A stroke of its own colour, so that no gaps show between neighbours.
    corners = ((left, top), (right, top), (right, low), (left, low))
    return Path(corners, fill, 0.5, fill, is_closed=True)
