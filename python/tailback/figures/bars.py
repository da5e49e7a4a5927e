"""Bars: stacked parts of times, and the activities of processes over time."""

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

#: Tracks of a chart; more cannot be distinguished.
MOST_LINES = 64
#: Slices closer than this part of the chart are merged.
_RESOLUTION = 1 / 2000
_LINE_PX, _MARGINS_PX = 22, 80
_BLACK = COLOURS.index("#000000")

Numbers = NDArray[Any]


def stacked(places: Sequence[str], parts: Mapping[str, Bars], x: Axis, height: Axis) -> Drawing:
    """Return stacked bars at each position; `parts`: by column in the table."""
    table = {x.label.replace(" ", "_"): places, **{name: p.lengths for name, p in parts.items()}}
    named = Axis(x.label, names=tuple(dict.fromkeys(places)))
    return Drawing.of(View((Panel([*parts.values()], named, height),), table))


def gantt(
    slices: Slices, names: Sequence[str], path: tuple[Numbers, Numbers] | None = None
) -> Drawing:
    """Return the chart of slices on named tracks, the first at the top.

    ``path``: times in ps, and the track of the critical path at each. Only the first `MOST_LINES`
    tracks are drawn.
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
    """Yield track, begin and end of slices, merged where gaps are shorter than ``least``."""
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
