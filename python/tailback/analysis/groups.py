"""Runs that differ only in what does not matter, such as the seed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from tailback.errors import UserError, shown
from tailback.tables.frames import Floats, Frame, Ints, first_rows, floats, nullable, numbered

from .names import PARAMETERS, column_named

SEEDS = ("run.seed",)
"""What runs are merged over unless something else is asked for."""

ORIGIN = ("version", "results_version")


@dataclass(frozen=True)
class Groups:
    """Runs sorted into groups; no run is there twice."""

    runs: Frame
    group: Ints
    """Number of the group of each row, all modes together."""
    run: Ints
    """Number of the run in its group; the same in another mode."""
    keys: list[str]
    """The parameters that are the same in a group, without `mode`."""

    @cached_property
    def cell(self) -> Ints:
        """Number of group and mode of each row, by first appearance."""
        return numbered(self.runs, ["mode"], self.group)

    @cached_property
    def first(self) -> Ints:
        """The first row of every cell."""
        return first_rows(self.cell)

    def heads(self) -> pa.Table:
        """Return `mode` and the keys once for each cell, in order."""
        return pa.table({name: self.of_first(name) for name in ("mode", *self.keys)})

    def of_first(self, name: str) -> pa.ChunkedArray:
        """Return a column of the first run of every cell."""
        return self.runs.select([name]).take(self.first)[name]

    @cached_property
    def point(self) -> Ints:
        """Number of the run of each row, the same in another mode."""
        return numbered(self.runs, (), self.group, self.run)


def over_columns(over: Sequence[str], columns: Iterable[str]) -> list[str]:
    """Return the columns meant by `over`; raise `UserError` for what is no parameter."""
    columns = list(columns)
    found = [column_named(name, columns, "merge") for name in over]
    for name, column in zip(over, found, strict=True):
        if not column.startswith(PARAMETERS):
            raise UserError("merge", shown(name), "must be a parameter")
    return found


def grouped(frame: Frame, over: Sequence[str] = SEEDS, columns: Iterable[str] = ()) -> Groups:
    """Return the runs of `frame` in groups that differ only in the parameters `over`.

    Groups come in the order of their first runs. `columns` are kept beside the
    parameters and `identity`. Results of different versions are never in one
    group. A run that is part of two points (of other modes) counts once.
    """
    names = frame.column_names
    left_out = over_columns(over, names)
    parameters = [name for name in names if name.startswith(PARAMETERS)]
    keys = [name for name in (*ORIGIN, *parameters) if name in names and name not in left_out]
    runs = frame.select([*dict.fromkeys(["identity", "mode", *keys, *left_out, *columns])])
    # Names of a sweep are no part of a run: the same run may have several.
    different = [name for name in left_out if not name.startswith("sweep.")]
    return _once(Groups(runs, numbered(runs, keys), numbered(runs, different), keys))


def _once(groups: Groups) -> Groups:
    """Leave out rows of the same run; keep what only one of them knows of other modes."""
    runs = groups.runs
    same = numbered(runs, ["mode"], groups.group, groups.run)
    first = first_rows(same)
    if len(first) == runs.num_rows:
        return groups
    kept = runs.take(first)
    # Only a point that was run in full and throttled knows what lies between them.
    for i, name in enumerate(runs.column_names):
        if name.startswith("theta_"):
            kept = kept.set_column(i, name, nullable(first_known(floats(runs[name]), same)))
    return Groups(kept, groups.group[first], groups.run[first], groups.keys)


def first_known(values: Floats, numbers: Ints) -> Floats:
    """Return for each number the first of its values that is not NaN; NaN if there is none."""
    found = np.full(int(numbers.max(initial=-1)) + 1, np.nan)
    known = np.flatnonzero(~np.isnan(values))[::-1]
    found[numbers[known]] = values[known]
    return found
