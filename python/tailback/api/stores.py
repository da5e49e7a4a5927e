"""The results of a sweep as a table: `table`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, TypeAlias

import pyarrow as pa

from tailback.analysis import flows_of, messages, tables
from tailback.errors import UserError, choice
from tailback.store.points import PointStore

Results: TypeAlias = PointStore | str | os.PathLike[str]
"""What `sweep` returned, or the folder it was written into."""


def table(  # noqa: PLR0913  # each a thing that can be asked for
    results: Results,
    fields: Sequence[str] | None = None,
    conditions: Sequence[str] = (),
    over: Sequence[str] = ("run.seed",),
    sort: Sequence[str] = (),
    limit: int | None = None,
    *,
    rows: Literal["runs", "flows", "messages"] = "runs",
) -> pa.Table:
    """Return the runs of a sweep as an Arrow table, those that differ only in `over` merged.

    Without `fields`: what the sweep varied, and the main metrics with their intervals.
    `conditions` must all hold; rows are sorted by `sort` (`"-field"`: from high to low).
    Where the sweep has `run.keep_messages`, `rows` may be the flows or messages of each run
    instead. Raises `UserError` for a name or a condition that is not clear.
    """
    store = store_of(results)
    if rows == "runs":
        return tables.table(store, fields, conditions, over, sort, limit)
    made = {"flows": flows_of, "messages": messages}
    if rows not in made:
        raise choice("rows", rows, ("runs", *made))
    return made[rows](store, fields, conditions, sort, limit)


def store_of(results: Results) -> PointStore:
    """Return the results of a sweep; raise `UserError` if there are none in a folder."""
    if isinstance(results, PointStore):
        return results
    place = Path(results)
    if place.suffix == ".toml":
        raise UserError(str(place), None, "is an experiment file; a folder of results is needed")
    return PointStore.open(place)
