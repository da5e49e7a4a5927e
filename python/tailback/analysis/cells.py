"""The runs of every group in every mode: how many there are, how they went, and their sums."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tailback.metrics import BASELINE
from tailback.tables.frames import Floats, Ints, encoded, floats, nullable

from .groups import Groups, first_known
from .pooling import Flags

RUN_BASELINE = "run.baseline"
"""The parameter that says which mode is the baseline."""

_KEPT = 6
"""Columns that are in memory: those of a metric."""

COUNTED = ("runs", "unsettled")
"""Columns that merging adds: how many runs were merged, and how many of them were not steady."""


@dataclass(frozen=True, eq=False)
class Cells:
    """The runs of every group in every mode, and what is summed over them.

    Of what is measured, NaN stands for what is not known.
    """

    groups: Groups
    _read: dict[str, Floats] = field(default_factory=dict)
    _in_mode: dict[str, Flags] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.groups.first)

    @property
    def cell(self) -> Ints:
        """The cell of every run."""
        return self.groups.cell

    @cached_property
    def steady(self) -> Flags:
        """Which runs were steady. Others are averaged as well: a test for drift may be wrong."""
        flags: Flags = self.groups.runs["steady"].to_numpy()
        return flags

    def are_in(self, mode: str) -> Flags:
        """Return which cells are in a mode of a ratio: `BASELINE` is each cell's own."""
        if mode not in self._in_mode:
            wanted = self.groups.of_first(RUN_BASELINE) if mode == BASELINE else mode
            found = pc.fill_null(pc.equal(self.groups.of_first("mode"), wanted), False)
            self._in_mode[mode] = found.to_numpy()
        return self._in_mode[mode]

    @cached_property
    def lost(self) -> Flags:
        """Which runs are of a workload that never ends, because messages are lost."""
        runs = self.groups.runs
        if "lost" not in runs.column_names:
            return np.zeros(runs.num_rows, bool)
        return _flags(runs["lost"])[1]

    @cached_property
    def group(self) -> Ints:
        """The group of every cell."""
        return self.groups.group[self.groups.first]

    def measured(self, name: str) -> Floats:
        """Return what is measured, of every run."""
        if name not in self._read:
            if len(self._read) == _KEPT:
                del self._read[next(iter(self._read))]
            self._read[name] = floats(self.groups.runs[name])
        return self._read[name]

    def sum(self, of_runs: Floats | Flags) -> Floats:
        """Return sums over cells, NaN counting as nothing."""
        weights: Any = np.nan_to_num(of_runs)
        return np.bincount(self.cell, weights, len(self)).astype(np.float64)

    def any(self, flags: Flags) -> Flags:
        """Return whether a flag is set anywhere in a cell."""
        found = np.zeros(len(self), bool)
        found[self.cell[flags]] = True
        return found

    def alone(self, name: str) -> Floats:
        """Return what is stored of the first run of a cell that has a value."""
        found = np.full(len(self), np.nan)
        known = first_known(self.measured(name), self.cell)
        found[: len(known)] = known
        return found

    def columns(self, merged: Mapping[str, Floats], single: Flags) -> dict[str, pa.Array]:
        """Return merged columns; where `single`, what is stored of the only run."""
        return {
            name: nullable(
                np.where(single, self.alone(name), values),
                pa.int64() if name.endswith("_batches") else None,
            )
            for name, values in merged.items()
        }


def _any_known(column: pa.ChunkedArray, cells: Cells) -> pa.Array:
    """Return whether a flag is set anywhere in a cell; null where it is never known."""
    known, flags = _flags(column)
    return pa.array(cells.any(known & flags), mask=~cells.any(known))


def counted(cells: Cells, ending: Iterable[str]) -> dict[str, pa.Array]:
    """Return how many runs there are in a cell, and how they went."""
    runs = cells.groups.runs
    known, converged = _flags(runs["converged"])
    together: dict[str, Any] = {
        "settled": ~cells.any(~_flags(runs["settled"])[1]),
        "steady": ~cells.any(~cells.steady),
        "saturated": _any_known(runs["saturated"], cells),
        "lost": pa.array(lost_in(cells)),
        "converged": pa.array(~cells.any(known & ~converged), mask=~cells.any(known)),
        "stop_reason": _joined(runs["stop_reason"], cells),
    }
    if "cut_off" in ending:
        together["cut_off"] = _joined(runs["cut_off"], cells)
    of_cells = {name: together.get(name) for name in ending}
    for name in ending:
        if of_cells[name] is None:
            of_cells[name] = _summed(runs[name], cells)
    size = np.bincount(cells.cell, minlength=len(cells))
    return {
        "identity": _only(cells, size),
        "runs": pa.array(size),
        "unsettled": pa.array(np.bincount(cells.cell[_drifts(cells)], minlength=len(cells))),
        **{name: pa.array(column) for name, column in of_cells.items()},
    }


def cut_off(cells: Cells, name: str) -> Flags:
    """Return the cells with a run in which a metric was cut off: there is only what it exceeds."""
    value, low = cells.measured(name), cells.measured(f"{name}_low")
    return cells.any(np.isnan(value) & ~np.isnan(low))


def lost_in(cells: Cells) -> Flags:
    """Return the cells with a run of a workload that never ends, because messages are lost."""
    return cells.any(cells.lost)


def unended(cells: Cells, name: str) -> Flags:
    """Return the cells with a run in which a metric is not known because messages are lost."""
    return cells.any(cells.lost & np.isnan(cells.measured(name)))


def at_least(cells: Cells, name: str) -> Floats:
    """Return a metric of every run; of one in which it was cut off what it is more than."""
    value = cells.measured(name)
    return np.where(np.isnan(value), cells.measured(f"{name}_low"), value)


def _drifts(cells: Cells) -> Flags:
    """Return which runs are not steady, though they were not cut off."""
    if "cut_off" not in cells.groups.runs.column_names:
        return ~cells.steady
    whole: Flags = cells.groups.runs["cut_off"].is_null().to_numpy()
    return whole & ~cells.steady


def _flags(column: pa.ChunkedArray) -> tuple[Flags, Flags]:
    """Return where flags are known, and where they are set."""
    known: Flags = column.is_valid().to_numpy()
    flags: Flags = pc.fill_null(column, False).to_numpy()
    return known, flags


def _summed(column: pa.ChunkedArray, cells: Cells) -> pa.Array:
    """Return sums over all runs, whole numbers exactly."""
    numbers = column.to_numpy()
    found = np.zeros(len(cells), numbers.dtype)
    np.add.at(found, cells.cell, numbers)
    return pa.array(found)


def _joined(column: pa.ChunkedArray, cells: Cells) -> pa.Array:
    """Return the different texts of a cell, sorted; null if there are none."""
    codes, dictionary = encoded(column)
    texts: list[str | None] = [None, *dictionary.to_pylist()]
    found = codes[cells.groups.first]
    several: dict[int, set[str]] = {}
    for row in np.flatnonzero(codes != found[cells.cell]).tolist():
        cell = int(cells.cell[row])
        both = (texts[int(found[cell])], texts[int(codes[row])])
        several.setdefault(cell, set()).update(text for text in both if text is not None)
    for cell, own in several.items():
        found[cell] = len(texts)
        texts.append(", ".join(sorted(own)))
    return pa.array(texts, pa.string()).take(pa.array(found))


def _only(cells: Cells, size: Ints) -> pa.ChunkedArray:
    """Return the identity of the only run of a cell; null if there are several, of other points."""
    return pc.if_else(pa.array(size > 1), None, cells.groups.of_first("identity"))
