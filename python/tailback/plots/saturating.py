"""Curves that end where the network saturates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tailback.figures.description import Line
from tailback.report.usual import Picture

_TEXT = "Curves end at the last point before saturation."


def ended(seen: Picture) -> Picture:
    """Return a picture without points from the first saturated one of each line on.

    Its caption says so, and nothing else.
    """
    lines = [_ended(line) for line in seen.lines]
    longest = max(
        (float(x) for line in lines if line.look != "plain" for x in _numbers(line)), default=None
    )
    if longest is not None:
        lines = [_up_to(line, longest) if line.look == "plain" else line for line in lines]
    return replace(seen, lines=lines, caption=_TEXT if seen.has_saturated else "")


def _ended(line: Line) -> Line:
    flags = line.saturated
    if flags is None or not any(flags):
        return line
    return _first(line, list(flags).index(True))


def _up_to(line: Line, most: float) -> Line:
    """Return a straight reference line as far as the others go."""
    ends = [min(float(x), most) for x in line.x]
    return replace(line, x=ends, y=ends)


def _numbers(line: Line) -> list[float]:
    return [] if line.has_categories else [float(x) for x in line.x]


def _first(line: Line, count: int) -> Line:
    def part(values: Any) -> Sequence[Any] | None:
        return None if values is None else values[:count]

    return replace(
        line,
        x=line.x[:count],
        y=line.y[:count],
        low=part(line.low),
        high=part(line.high),
        hollow=part(line.hollow),
        saturated=part(line.saturated),
        bounds=part(line.bounds),
        remarks=part(line.remarks),
        targets=part(line.targets),
    )
