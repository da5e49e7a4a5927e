"""What processes did when, a bar for each stretch, and the critical path drawn through it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tailback.timelines.model import Slices
from tailback.wording.scaling import MICROSECONDS, unit_for

from .curves import named
from .drawing import Drawing
from .look import colour

#: Lines of a chart; more cannot be told apart.
MOST_LINES = 64
#: Stretches nearer to each other than this part of the chart are drawn as one.
_RESOLUTION = 1 / 2000
_LINE_PX, _MARGINS_PX = 22, 80

Numbers = NDArray[Any]


def gantt(
    slices: Slices, names: Sequence[str], path: tuple[Numbers, Numbers] | None = None
) -> Drawing:
    """Return the chart of slices whose tracks have these names, the first at the top.

    ``path``: times in ps and tracks that the critical path is at then. Of more than `MOST_LINES`
    tracks, the first are drawn.
    """
    shown = list(names[:MOST_LINES])
    drawn = slices.track < len(shown)
    begin, end = slices.begin_ps.astype(float), slices.end_ps.astype(float)
    length = float(end[drawn].max(initial=0.0))
    unit = unit_for([length / 1e6], MICROSECONDS)
    scale = unit.size * 1e6
    data: list[dict[str, Any]] = []
    for number, name in enumerate(slices.names):
        of_name = drawn & (slices.name == number)
        if not of_name.any():
            continue
        found = list(
            _stretches(slices.track[of_name], begin[of_name], end[of_name], length * _RESOLUTION)
        )
        data.append(_bars(name, len(data), found, shown, scale))
    if path is not None:
        data.append(_path(path, shown, scale))
    height = _MARGINS_PX + _LINE_PX * len(shown)
    return Drawing({"data": data, "layout": _layout(unit.name, shown)}, {}, height_px=height)


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


def _bars(
    name: str,
    number: int,
    stretches: list[tuple[int, float, float]],
    names: list[str],
    scale: float,
) -> dict[str, Any]:
    return {
        "type": "bar",
        "orientation": "h",
        **named(name),
        "legendgroup": name,
        "y": [names[track] for track, _, _ in stretches],
        "base": [begin / scale for _, begin, _ in stretches],
        "x": [(end - begin) / scale for _, begin, end in stretches],
        "marker": {"color": colour(number), "line": {"width": 0}},
        "hovertemplate": f"%{{y}}: {name}<br>%{{base:.5~g}} + %{{x:.4~g}}<extra></extra>",
    }


def _path(path: tuple[Numbers, Numbers], names: list[str], scale: float) -> dict[str, Any]:
    time_ps, track = path
    lines = [names[at] if at < len(names) else None for at in track.tolist()]
    return {
        "type": "scatter",
        "mode": "lines",
        **named("critical path"),
        "legendgroup": "critical path",
        "x": (time_ps / scale).tolist(),
        "y": lines,
        "line": {"color": "#000000", "width": 2},
        "hoverinfo": "skip",
    }


def _layout(unit: str, names: list[str]) -> dict[str, Any]:
    return {
        "barmode": "overlay",
        "bargap": 0.3,
        "xaxis": {"title": {"text": f"time ({unit})", "standoff": 10}, "automargin": True},
        "yaxis": {
            "type": "category",
            "categoryorder": "array",
            "categoryarray": names[::-1],
            "automargin": True,
        },
        "margin": {"t": 16, "r": 16, "l": 64, "b": 56},
    }
