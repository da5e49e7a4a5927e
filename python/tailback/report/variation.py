"""The parameters that vary between the points of a store, and their texts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow as pa

from tailback.analysis.names import PARAMETERS
from tailback.analysis.tables import sweep_order
from tailback.figures.drawing import Choice, Key
from tailback.figures.labels import description_text, parameter_label, value_text
from tailback.tables.frames import (
    Frame,
    combinations,
    dictionaries,
    differs,
    first_rows,
    is_number,
    numbered,
)

SEED = "run.seed"
ORIGIN = ("version", "results_version")

_SLIDER_FROM = 4


@dataclass(frozen=True, eq=False)
class Variation:
    """The parameters in which the points of a store differ.

    `points` has one row per point: `identity`, `version` and all parameters.
    """

    points: pa.Table
    asked: tuple[str, ...] = ()
    """Columns varied by the sweeps, in their order."""

    @classmethod
    def of(cls, runs: Frame, sweeps: Sequence[Mapping[str, Any]]) -> Variation:
        """Return what varies between `runs`, in the order of `sweeps`."""
        kept = [n for n in runs.column_names if n.startswith(PARAMETERS) or n in ORIGIN]
        first = first_rows(numbered(runs, ["identity"]))
        order = first[sweep_order(runs["identity"].take(first), sweeps)]
        points = pa.table({name: runs[name].take(order) for name in ("identity", *kept)})
        asked = dict.fromkeys(str(name) for sweep in sweeps for name in sweep["columns"])
        return cls(points, tuple(name for name in asked if name in points.column_names))

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """The points as dictionaries."""
        return dictionaries(self.points)

    @cached_property
    def columns(self) -> list[str]:
        """Columns that vary, without the seed; those varied by sweeps first.

        Columns determined by others (the radius by the size of the mesh, say) are left
        out unless a sweep varies them.
        """
        differing = [name for name in self.asked if self.differs(name) and name != SEED]
        others = [
            name for name in self.points.column_names if name not in {"identity", SEED, *differing}
        ]
        return [*differing, *self.telling([n for n in others if self.differs(n)], differing)]

    @cached_property
    def following(self) -> list[str]:
        """Columns that vary because others do."""
        others = [
            name for name in self.points.column_names if name not in {"identity", *self.columns}
        ]
        return [name for name in others if self.differs(name) and name != SEED]

    @cached_property
    def several_seeds(self) -> bool:
        """Whether there are points that differ only in their seed."""
        return self._combinations([*self.columns, SEED]) > self._combinations(self.columns)

    @cached_property
    def own(self) -> list[str]:
        """The columns that tell points apart, but for their seeds."""
        return self.telling(self.columns, [])

    @cached_property
    def _numbers(self) -> dict[str, dict[Any, int]]:
        return {c: {value: i for i, value in enumerate(self.values(c))} for c in self.own}

    def address(self, row: Mapping[str, Any], mode: str) -> str:
        """Return the choices of a point on a page: the mode and numbers of values, `full:1,0`."""
        return f"{mode}:{','.join(str(self._numbers[c][row[c]]) for c in self.own)}"

    def differs(self, column: str) -> bool:
        """Whether not all points have the same value."""
        return differs(self.points[column])

    def told(self, row: Mapping[str, Any], column: str) -> str | None:
        """Return the value of a run, `several` if values differ; None if there is none."""
        value = row.get(column)
        if value is None:
            return None
        differs = column in self.points.column_names and self.differs(column)
        return "several" if differs else value_text(column, value)

    def is_number(self, column: str) -> bool:
        """Whether a column is numeric."""
        return is_number(self.points[column].type)

    def telling(self, columns: Sequence[str], given: Sequence[str]) -> list[str]:
        """Return those of `columns` that `given` and the others do not determine."""
        kept = list(columns)
        for name in reversed(columns):
            rest = [*given, *(other for other in kept if other != name)]
            if self._combinations(rest) == self._combinations([*rest, name]):
                kept.remove(name)
        return kept

    def _combinations(self, columns: Sequence[str]) -> int:
        return combinations(self.points, columns)

    def values(self, column: str) -> list[Any]:
        """Return the distinct values: numbers and sizes ascending, words in order of occurrence."""
        return sorted(self.points[column].unique().to_pylist(), key=rank)

    def text(self, row: Mapping[str, Any], columns: Iterable[str]) -> str:
        """Return `compute period = 16 µs, sync = asynchronous`."""
        return description_text({column: row[column] for column in columns})

    def common(self) -> dict[str, Any]:
        """Return the parameters that are the same at all points."""
        return {
            n: v
            for n, v in dictionaries(self.points.slice(0, 1))[0].items()
            if n.startswith(PARAMETERS) and not self.differs(n)
        }


@dataclass(frozen=True, eq=False)
class PointChoices:
    """Controls for choosing a point: one for each parameter that distinguishes points."""

    variation: Variation

    @cached_property
    def columns(self) -> list[str]:
        """The parameters, the seed last."""
        own = self.variation.own
        return [*own, SEED] if self.variation.several_seeds else own

    @cached_property
    def choices(self) -> tuple[Choice, ...]:
        """One control for each; a slider for numbers with many values."""
        return tuple(self._choice(column) for column in self.columns)

    def _choice(self, column: str) -> Choice:
        values = self._values[column]
        options = tuple(value_text(column, value) for value in values)
        slides = self.variation.is_number(column) and len(values) >= _SLIDER_FROM
        start = values.index(self._first[column])
        return Choice(
            column, parameter_label(column), options, start, "slider" if slides else "menu"
        )

    @cached_property
    def _values(self) -> dict[str, list[Any]]:
        return {column: self.variation.values(column) for column in self.columns}

    @cached_property
    def _first(self) -> dict[str, Any]:
        """The initial point: the first in the order of the controls."""
        rows = self.variation.rows
        ranked = [(tuple(rank(row[c]) for c in self.columns), row) for row in rows]
        return min(ranked, key=lambda pair: pair[0])[1]

    @cached_property
    def keys(self) -> dict[str, Key]:
        """The key of every point, by its identity."""
        numbers = {c: {v: i for i, v in enumerate(self._values[c])} for c in self.columns}
        return {
            row["identity"]: tuple(numbers[c][row[c]] for c in self.columns)
            for row in self.variation.rows
        }


RANKS_OF_NUMBERS = (1, 2)
"""The first parts of the keys of numbers and of sizes."""


def rank(value: Any) -> tuple[Any, ...]:
    """Return a sort key: unknown first, numbers by size, lists by their entries.

    All words have one key: a stable sort leaves them in the order of the sweep.
    """
    if value is None:
        return (0,)
    if isinstance(value, bool | int | float):
        return (1, value)
    try:
        read = json.loads(value)
    except ValueError:
        return (3,)
    if isinstance(read, list) and all(isinstance(entry, int | float) for entry in read):
        return (2, len(read), *read)
    return (3,)


def ranks(varied: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """Return the sort key of a point given by its varied parameters."""
    return [rank(value) for value in varied.values()]
