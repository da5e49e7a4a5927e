"""Runs that differ only in what does not matter, such as the seed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import polars as pl

from tailback.errors import UserError, shown

from .names import PARAMETERS, Frame, column_named

SEEDS = ("run.seed",)
"""What runs are merged over unless something else is asked for."""

_ORIGIN = ("version", "results_version")

GROUP, RUN = "_group", "_run"
"""Columns of numbers: of the group (all modes together), and of the run in it."""


@dataclass(frozen=True)
class Groups:
    """Runs sorted into groups; no run is there twice."""

    runs: pl.DataFrame
    """The rows, with `GROUP` and `RUN`; a run in another mode has the same `RUN`."""
    keys: list[str]
    """The parameters that are the same in a group, without `mode`."""

    def heads(self) -> pl.DataFrame:
        """Return `GROUP`, `mode` and the keys once for each group and mode, in order."""
        first = [pl.col(key).first() for key in self.keys]
        return self.runs.group_by(GROUP, "mode", maintain_order=True).agg(first)


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
    names = frame.lazy().collect_schema().names()
    left_out = over_columns(over, names)
    parameters = [name for name in names if name.startswith(PARAMETERS)]
    keys = [name for name in (*_ORIGIN, *parameters) if name in names and name not in left_out]
    kept = dict.fromkeys(["identity", "mode", *keys, *left_out, *columns])
    runs = frame.lazy().select(list(kept)).collect()
    # Names of a sweep are no part of a run: the same run may have several.
    different = [name for name in left_out if not name.startswith("sweep.")]
    runs = runs.with_columns(_numbers(runs, keys, GROUP), _numbers(runs, different, RUN))
    return Groups(_once(runs), keys)


def _numbers(runs: pl.DataFrame, names: Sequence[str], called: str) -> pl.Series:
    """Return the same number for rows that agree in `names`, counted by first appearance."""
    varying = [name for name in names if runs[name].n_unique() > 1]
    if not varying:
        return pl.Series(called, [0], dtype=pl.UInt32).new_from_index(0, len(runs))
    rows = runs.select(varying).with_row_index("_row")
    numbered = rows.group_by(varying, maintain_order=True).agg("_row").with_row_index(called)
    return numbered.select(called, "_row").explode("_row").sort("_row")[called]


def _once(runs: pl.DataFrame) -> pl.DataFrame:
    """Leave out rows of the same run; keep what only one of them knows of other modes."""
    same = [GROUP, RUN, "mode"]
    if runs.select(same).is_unique().all():
        return runs
    shared = [name for name in runs.columns if name.startswith("theta_")]
    # Only a point that was run in two modes knows what lies between them.
    filled = runs.with_columns(pl.col(shared).drop_nulls().first().over(same))
    return filled.unique(same, keep="first", maintain_order=True)
