"""Maps of two parameters: a measure for each pair of their values, the others held fixed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tailback.figures.description import Axis, View
from tailback.figures.grids import SATURATED, grid_view
from tailback.figures.labels import metric_axis, parameter_axis, value_text

from .series import EVERYTHING, Row, Series
from .variation import RANKS_OF_NUMBERS, rank

_LEAST = 3
"""Least values of each of two parameters whose map a report shows."""


@dataclass(frozen=True, eq=False, slots=True)
class Grid:
    """A map of two parameters with a title."""

    name: str
    """Base name of its file."""
    title: str
    x: Axis
    y: Axis
    measure: Axis
    rows: tuple[tuple[Row | None, ...], ...]
    """The merged row of each cell, by the values of `y`, then of `x`."""
    metric: str
    targets: tuple[tuple[str, ...], ...]
    values: tuple[Sequence[object], Sequence[object]]
    """Of both parameters, for the table."""
    caption: str = ""

    def view(self, title: str, limited: Callable[[Axis, Axis], tuple[Axis, Axis]]) -> View:
        """Return the map under a title; its axes have names and no limits."""
        x, y = limited(self.x, self.y)
        values = np.array([[_value(row, self.metric) for row in rows] for rows in self.rows])
        marks = [
            [SATURATED if row is not None and row["saturated"] else "" for row in rows]
            for rows in self.rows
        ]
        found = grid_view(x, y, self.measure, values, marks, self.targets)
        told = [f"{SATURATED}: saturated."] if any(map(any, marks)) else []
        note = " ".join([*filter(None, [self.caption]), *told])
        across, up = self.values
        table = {
            **found.table,
            x.name: [value for _ in up for value in across],
            y.name: [value for value in up for _ in across],
        }
        return replace(found, table=table, title=title, note=((note,),) if note else ())


def grid(series: Series, across: str, up: str, metric: str, mode: str) -> Grid | None:
    """Return the map of a metric over two parameters; None if it is known nowhere.

    Other parameters are held at their first values.
    """
    return next((found for _, found in grids(series, across, up, metric, mode)), None)


def grids(
    series: Series, across: str, up: str, metric: str, mode: str
) -> Iterator[tuple[str, Grid]]:
    """Yield the maps of a metric over two parameters, by the text of what is held fixed."""
    for held, fixed in series.fixing([across, up]).items():
        columns = [series.variation.values(column) for column in (across, up)]
        rows = tuple(
            tuple(
                series.row(mode, {**fixed, across: value, up: other}, metric)
                for value in columns[0]
            )
            for other in columns[1]
        )
        if not any(row is not None for line in rows for row in line):
            continue
        x, y = (
            _named(column, values) for column, values in zip((across, up), columns, strict=True)
        )
        measure = metric_axis(metric)
        words = f"{measure.label} by {x.label} and {y.label}"
        caption = "" if held == EVERYTHING else f"Where {held}."
        values = (columns[0], columns[1])
        address = series.variation.address
        targets = tuple(
            tuple("" if row is None else address(row, mode) for row in line) for line in rows
        )
        name = f"{metric}_map"
        yield held, Grid(name, words, x, y, measure, rows, metric, targets, values, caption)


def axes_of(series: Series) -> tuple[str, str] | None:
    """Return the first two parameters with several numbers each; None if there are not two."""
    found = [column for column in series.variation.columns if _has_numbers(series, column)]
    return (found[0], found[1]) if len(found) > 1 else None


def _has_numbers(series: Series, column: str) -> bool:
    values = series.variation.values(column)
    return len(values) >= _LEAST and all(rank(value)[0] in RANKS_OF_NUMBERS for value in values)


def _named(column: str, values: Sequence[object]) -> Axis:
    axis = parameter_axis(column)
    names = tuple(dict.fromkeys(value_text(column, value) for value in values))
    # The names say the unit.
    return replace(axis, unit="", names=names)


def _value(row: Row | None, metric: str) -> float:
    value = None if row is None else row.get(metric)
    return np.nan if value is None else float(value)
