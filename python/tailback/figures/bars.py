"""Bars: parts of times one above the other, and what processes did when."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tailback.timelines.model import Slices
from tailback.wording.scaling import MICROSECONDS, unit_for

from .description import Axis, Bars, Line, Mark, Panel, View
from .drawing import Drawing
from .look import COLOURS

#: Lines of a chart; more cannot be told apart.
MOST_LINES = 64
#: Stretches nearer to each other than this part of the chart are drawn as one.
_RESOLUTION = 1 / 2000
_LINE_PX, _MARGINS_PX = 22, 80
_BLACK = COLOURS.index("#000000")

Numbers = NDArray[Any]


def stacked(places: Sequence[str], parts: Mapping[str, Bars], x: Axis, height: Axis) -> Drawing:
    """Return a stack of bars at each place; `parts`: by the names of their columns."""
    table = {x.label.replace(" ", "_"): places, **{name: p.lengths for name, p in parts.items()}}
    named = Axis(x.label, names=tuple(dict.fromkeys(places)))
    return Drawing.of(View((Panel([*parts.values()], named, height),), table))


def gantt(
    slices: Slices, names: Sequence[str], path: tuple[Numbers, Numbers] | None = None
) -> Drawing:
    """Return the chart of slices whose tracks have these names, the first at the top.

    ``path``: times in ps and tracks that the critical path is at then. Of more than `MOST_LINES`
    tracks, the first are drawn.
    """
    shown = tuple(names[:MOST_LINES])
    drawn = slices.track < len(shown)
    begin, end = slices.begin_ps.astype(float), slices.end_ps.astype(float)
    length = float(end[drawn].max(initial=0.0))
    unit = unit_for([length / 1e6], MICROSECONDS)
    scale = unit.size * 1e6
    marks: list[Mark] = []
    for number, name in enumerate(slices.names):
        of_name = drawn & (slices.name == number)
        if not of_name.any():
            continue
        its = (slices.track[of_name], begin[of_name], end[of_name])
        rows, begins, ends = zip(*_stretches(*its, length * _RESOLUTION), strict=True)
        places = [shown[track] for track in rows]
        lengths = [(end - begin) / scale for begin, end in zip(begins, ends, strict=True)]
        marks.append(Bars(name, places, lengths, [b / scale for b in begins], len(marks)))
    if path is not None:
        times, tracks = path
        along = [shown[at] if at < len(shown) else None for at in tracks.tolist()]
        along_us = (times / scale).tolist()
        marks.append(Line("critical path", along_us, along, colour=_BLACK, marked=False))
    panel = Panel(marks, Axis("time", unit.name), Axis("", names=shown, downwards=True))
    return Drawing.of(View((panel,), height_px=_MARGINS_PX + _LINE_PX * len(shown)))


def _stretches(
    track: Numbers, begin: Numbers, end: Numbers, least: float
) -> Iterator[tuple[int, float, float]]:
    """Yield track, begin and end of what is drawn as one."""
    order = np.lexsort((begin, track))
    at, since, until = -1, 0.0, 0.0
    for place in order.tolist():
        if track[place] == at and begin[place] - until < least:
            until = max(until, end[place])
            continue
        if at >= 0:
            yield at, since, until
        at, since, until = int(track[place]), begin[place], end[place]
    if at >= 0:
        yield at, since, until
