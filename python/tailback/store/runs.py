"""The rows of all finished points without the large columns: read by column, as far as needed."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tailback.tables.frames import below, differs

from .finished import Finished
from .index import Index, documented, read


class Runs:
    """One row per run; of points that are not in the index all columns are read at once."""

    def __init__(self, index: Index, finished: Finished, without: Iterable[str] = ()) -> None:
        """`without`: columns that are as if they were not there."""
        self._without = {*without}
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
        """Return columns: identities and all or those of `names` that there are."""
        wanted = [n for n in self.schema.names if names is None or n in {*names, "identity"}]
        tables = [read(path, members, wanted) for path, members in self._files.items()]
        for rows in self._others:
            tables.append(rows.select([name for name in wanted if name in rows.column_names]))
        return below(tables).select(wanted)

    def constant(self) -> set[str]:
        """Return columns in which all runs are known to agree, without reading the index.

        Its files say what the least and the largest value of a column is.
        """
        told = [_told_apart(path) for path in self._files]
        told += [{n: _only(rows[n]) for n in rows.column_names} for rows in self._others]
        found = set()
        for name in self.schema.names:
            values = {each.get(name, (None,)) for each in told}
            if len(values) == 1 and values != {()}:
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
