"""The activities of processes over time: what a process does above, what it waits for below."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tailback.timelines.building import ACTIVITIES, WAITS
from tailback.timelines.model import Slices
from tailback.units import counted
from tailback.wording.scaling import MICROSECONDS, scaled, unit_for

from .description import Axis, Bars, Line, Mark, Panel, View
from .drawing import Drawing
from .look import COLOURS

#: Tracks of a chart; more cannot be distinguished.
MOST_LINES = 64
#: Slices closer than this part of the chart are merged.
_RESOLUTION = 1 / 2000
_LINE_PX, _MARGINS_PX = 30, 80
_DIGITS = 5

Numbers = NDArray[Any]

_BLUE, _VERMILION, _GREEN, _PINK, _SKY, _ORANGE, _BLACK = range(len(COLOURS))
#: Colours by name of an activity, and whether they are faint. What others cost is strongest.
_COLOURS = {
    ACTIVITIES["compute"]: (_BLUE, False),
    ACTIVITIES["send"]: (_SKY, False),
    ACTIVITIES["receive"]: (_SKY, True),
    ACTIVITIES["meet"]: (_GREEN, True),
    ACTIVITIES["wait_message"]: (_BLACK, True),
    ACTIVITIES["wait_sent"]: (_BLACK, True),
    WAITS["partner_ps"]: (_BLACK, True),
    WAITS["own_ps"]: (_BLUE, True),
    WAITS["source_ps"]: (_GREEN, False),
    WAITS["destination_ps"]: (_ORANGE, False),
    WAITS["network_ps"]: (_VERMILION, False),
    WAITS["spread_ps"]: (_PINK, False),
}


def gantt(
    slices: Slices,
    names: Sequence[str],
    path: tuple[Numbers, Numbers] | None = None,
    told: Callable[[int], str] = lambda _: "",
) -> Drawing:
    """Return the chart of slices on named tracks, the first at the top.

    ``path``: times in ps, and the track of the critical path at each; ``told``: what else is said
    of a slice by its number. Only the first `MOST_LINES` tracks are drawn.
    """
    shown = tuple(names[:MOST_LINES])
    drawn = slices.track < len(shown)
    length = float(slices.end_ps[drawn].max(initial=0))
    unit = unit_for([length / 1e6], MICROSECONDS)
    scale = unit.size * 1e6
    marks: list[Mark] = []
    for number, name in enumerate(slices.names):
        its = np.flatnonzero(drawn & (slices.name == number))
        if not len(its):
            continue
        found = list(_stretches(slices, its, length * _RESOLUTION))
        colour, is_faint = _COLOURS[name]
        marks.append(
            Bars(
                name,
                [shown[one.track] for one in found],
                [(one.end_ps - one.begin_ps) / scale for one in found],
                [one.begin_ps / scale for one in found],
                colour,
                [_words(shown[one.track], one, told) for one in found],
                is_faint=is_faint,
                lane=int(name.startswith("waits")),
            )
        )
    if path is not None:
        times, tracks = path
        along = [shown[at] if at < len(shown) else None for at in tracks.tolist()]
        along_us = (times / scale).tolist()
        marks.append(Line("critical path", along_us, along, colour=_BLACK, marked=False))
    panel = Panel(
        marks, Axis("time", unit.name, from_zero=True), Axis("", names=shown, downwards=True)
    )
    return Drawing.of(View((panel,), height_px=_MARGINS_PX + _LINE_PX * len(shown)))


class _Stretch(NamedTuple):
    """Slices of a track that are drawn as one."""

    track: int
    begin_ps: int
    end_ps: int
    first: int
    """The number of the first slice."""
    slices: int
    inside_ps: int
    """How long they last, without gaps."""


def _words(track: str, stretch: _Stretch, told: Callable[[int], str]) -> str:
    """Return what is said of a stretch: begin to end, duration, and what else of a single one."""
    begin, end, inside = (
        scaled(time_ps / 1e6, MICROSECONDS, _DIGITS)
        for time_ps in (stretch.begin_ps, stretch.end_ps, stretch.inside_ps)
    )
    if stretch.slices > 1:
        several = counted(stretch.slices, "stretch", "stretches")
        return f"{track}\n{begin} to {end}: {inside} in {several}"
    more = told(stretch.first)
    return f"{track}\n{begin} to {end}: {inside}" + (f"\n{more}" if more else "")


def _stretches(slices: Slices, its: Numbers, least: float) -> Iterator[_Stretch]:
    """Yield some slices by track, merged where gaps are shorter than ``least``."""
    order = its[np.lexsort((slices.begin_ps[its], slices.track[its]))]
    columns = (slices.track, slices.begin_ps, slices.end_ps)
    rows = zip(order.tolist(), *(column[order].tolist() for column in columns), strict=True)
    open_one: _Stretch | None = None
    for number, track, begin, end in rows:
        if open_one and track == open_one.track and begin - open_one.end_ps < least:
            open_one = open_one._replace(
                end_ps=max(open_one.end_ps, end),
                slices=open_one.slices + 1,
                inside_ps=open_one.inside_ps + end - begin,
            )
            continue
        if open_one:
            yield open_one
        open_one = _Stretch(track, begin, end, number, 1, end - begin)
    if open_one:
        yield open_one
