"""Lines with their intervals: a measure against a parameter or a load."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from .description import Axis, Line, Panel, View, known
from .drawing import Drawing

__all__ = ["Axis", "Line", "curves", "lines_view"]


def curves(lines: Sequence[Line], x: Axis, y: Axis) -> Drawing:
    """Return lines with their intervals, and a table of all their points."""
    return Drawing.of(lines_view(lines, x, y))


def lines_view(
    lines: Sequence[Line], x: Axis, y: Axis, title: str = "", note: tuple[tuple[str, ...], ...] = ()
) -> View:
    """Return lines in units that suit their largest values (ns, µs, ms, …), and their table."""
    table = _table(lines, x, y)
    along = [value for line in lines for value in line.x if not isinstance(value, str)]
    x, across = x.in_unit_of(along)
    y, up = y.in_unit_of([value for line in lines for value in line.y])
    if across != 1 or up != 1:
        lines = [_scaled(line, across, up) for line in lines]
    return View((Panel(lines, x, y),), table, note, title=title)


def _scaled(line: Line, across: float, up: float) -> Line:
    """Return a line with its numbers divided."""

    def divided(values: Any) -> list[float | None] | None:
        return None if values is None else [None if v is None else v / up for v in values]

    xs = line.x if line.has_categories else [value / across for value in line.x]
    return replace(
        line, x=xs, y=divided(line.y) or [], low=divided(line.low), high=divided(line.high)
    )


def _table(lines: Sequence[Line], x: Axis, y: Axis) -> dict[str, list[Any]]:
    """Return one row for each point of each line."""
    points = [(line.name, point) for line in lines for point in line.points]
    table: dict[str, list[Any]] = {
        "line": [name for name, _ in points],
        x.name: [point.x for _, point in points],
        y.name: [known(point.y) for _, point in points],
    }
    if any(line.low is not None for line in lines):
        table["low"] = [point.low for _, point in points]
        table["high"] = [point.high for _, point in points]
    if any(line.hollow is not None for line in lines):
        table["settled"] = [not point.hollow for _, point in points]
    for name, flags in (
        ("saturated", [point.saturated for _, point in points]),
        ("cut off, at least", [point.bound for _, point in points]),
    ):
        table |= {name: flags} if any(flags) else {}
    return table
