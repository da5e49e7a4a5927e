"""The rows of all finished points without the large columns: read by column, as far as needed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tailback.tables.frames import below, column_of, differs, values

from .finished import Finished
from .index import Index, documented, read


class Runs:
    """One row per run; of points that are not in the index all columns are read at once."""

    def __init__(
        self,
        index: Index,
        finished: Finished,
        sweeps: Sequence[Mapping[str, Any]],
        without: Iterable[str] = (),
    ) -> None:
        """`sweeps` say more of some runs; columns `without` are as if they were not there."""
        self._sweeps, self._without = sweeps, {*without}
        left = finished.identities()
        self._files: dict[Path, Collection[str] | None] = {}
        for path, members in index.files().items():
            wanted = left.intersection(members)
            left -= wanted
            if wanted:
                self._files[path] = None if len(wanted) == len(members) else wanted
        self._others = finished.light(left, self._without) if left else []

    def __bool__(self) -> bool:
        return bool(self._files or self._others)

    @cached_property
    def schema(self) -> pa.Schema:
        """The columns that there are, in the documented order, and their types."""
        schema = self._stored
        for name, said in self._labels({*schema.names}).items():
            schema = schema.append(pa.field(name, column_of([*said.values()]).type))
        return schema

    @cached_property
    def _stored(self) -> pa.Schema:
        """Those that points have, without what only sweeps say."""
        schemas = [pq.read_schema(path) for path in self._files]
        schemas += [rows.schema for rows in self._others]
        whole = pa.unify_schemas(
            [schema.remove_metadata() for schema in schemas], promote_options="permissive"
        )
        names = whole.names
        if self._others or any(schema.names != names for schema in schemas):
            names = documented(names)
        return pa.schema([whole.field(name) for name in names if name not in self._without])

    @property
    def are_ordered(self) -> bool:
        """Whether they are read in order of identity."""
        return len(self._files) + len(self._others) == 1

    def read(self, names: Collection[str] | None = None) -> pa.Table:
        """Return columns: identities and all or those of `names` that there are.

        Where a parameter that a sweep varied is null as the default, it is what the sweep says.
        """
        wanted = [n for n in self._stored.names if names is None or n in {*names, "identity"}]
        tables = [read(path, members, wanted) for path, members in self._files.items()]
        for rows in self._others:
            tables.append(rows.select([name for name in wanted if name in rows.column_names]))
        runs = below(tables).select(wanted)
        known = {name for name in wanted if not runs[name].null_count}
        for name, said in self._labels(known, names).items():
            labels = [said.get(identity) for identity in values(runs["identity"])]
            if name not in wanted:
                runs = runs.append_column(name, column_of(labels))
                continue
            stored = runs[name]
            filled = pc.coalesce(stored, pa.array(labels, stored.type))
            runs = runs.set_column(wanted.index(name), name, filled)
        return runs

    def _labels(
        self, known: Collection[str], only: Collection[str] | None = None
    ) -> dict[str, dict[str, Any]]:
        """Return what only sweeps know of points: by column, then by identity.

        That is what is not `known` of all runs. Of several sweeps that have a point, one counts.
        """
        found: dict[str, dict[str, Any]] = {}
        told: set[str] = set()
        for sweep in self._sweeps:
            names = ["identity", *sweep["columns"]]
            wanted = [
                (i, name)
                for i, name in enumerate(names)
                if i and name not in known and (only is None or name in only)
            ]
            if not wanted:
                continue
            for i, name in wanted:
                of_sweep = {row[0]: row[i] for row in sweep["points"] if row[0] not in told}
                found.setdefault(name, {}).update(of_sweep)
            told |= {row[0] for row in sweep["points"]}
        return found

    def constant(self) -> set[str]:
        """Return columns in which all runs are known to agree, without reading the index.

        Its files say what the least and the largest value of a column is.
        """
        told = [_told_apart(path) for path in self._files]
        told += [{n: _only(rows[n]) for n in rows.column_names} for rows in self._others]
        found = set()
        for name in self._stored.names:
            only = {each.get(name, (None,)) for each in told}
            if len(only) == 1 and only != {()}:
                found.add(name)
        return found


def _told_apart(path: Path) -> dict[str, tuple[Any, ...]]:
    """Return the only value of each column of a file; nothing where there are several."""
    metadata = pq.read_metadata(path)
    values: dict[str, set[tuple[Any, ...]]] = {}
    for group in range(metadata.num_row_groups):
        rows = metadata.row_group(group)
        for place in range(rows.num_columns):
            column = rows.column(place)
            only = _only_told(column.statistics, column.num_values)
            values.setdefault(column.path_in_schema, set()).add(only)
    return {name: found.pop() if len(found) == 1 else () for name, found in values.items()}


def _only_told(told: Any, count: int) -> tuple[Any, ...]:
    if told is None or not told.has_null_count:
        return ()
    if told.null_count == count:
        return (None,)
    is_one = told.null_count == 0 and told.has_min_max and told.min == told.max
    return (told.min,) if is_one else ()


def _only(column: pa.ChunkedArray) -> tuple[Any, ...]:
    return () if differs(column) else (column[0].as_py(),)
