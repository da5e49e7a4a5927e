"""The rows of all finished points without the large columns: read by column, as far as needed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tailback.since311 import Self
from tailback.tables.frames import Columns, Ints, below, differs

from .finished import Finished
from .index import Index, documented, split


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
        self._files: list[tuple[pq.ParquetFile, Ints | None]] = []
        for path, members in index.files().items():
            wanted, left = split(left, members)
            if len(wanted):
                file = pq.ParquetFile(path)
                rows = None if len(wanted) == len(members) else _places(file, None, wanted)
                self._files.append((file, rows))
        self._others = finished.light(left.to_pylist(), self._without) if len(left) else []

    def __bool__(self) -> bool:
        return bool(self._files or self._others)

    def of(self, identities: pa.StringArray) -> Self:
        """Return the runs of some points."""
        chosen = copy(self)
        chosen._files = [(file, _places(file, rows, identities)) for file, rows in self._files]
        kept = (pc.is_in(rows["identity"], identities) for rows in self._others)
        chosen._others = [r.filter(k) for r, k in zip(self._others, kept, strict=True)]
        return chosen

    @cached_property
    def schema(self) -> pa.Schema:
        """The columns that there are, in the documented order, and their types."""
        schema = self._stored
        for name, kind in self._only_said.items():
            schema = schema.append(pa.field(name, kind))
        return schema

    @cached_property
    def _stored(self) -> pa.Schema:
        """Those that points have, without what only sweeps say."""
        schemas = [file.schema_arrow for file, _ in self._files]
        schemas += [rows.schema for rows in self._others]
        whole = pa.unify_schemas(
            [schema.remove_metadata() for schema in schemas], promote_options="permissive"
        )
        names = whole.names
        if self._others or any(schema.names != names for schema in schemas):
            names = documented(names)
        return pa.schema([whole.field(name) for name in names if name not in self._without])

    @cached_property
    def _of_points(self) -> frozenset[str]:
        """The names of these: Arrow makes a list of them whenever it is asked."""
        return frozenset(self._stored.names)

    @cached_property
    def _only_said(self) -> dict[str, pa.DataType]:
        """The columns of which only sweeps know, and their types."""
        said = [sweep["points"].schema for sweep in self._sweeps]
        names = dict.fromkeys(name for schema in said for name in schema.names)
        stored = {"identity", *self._of_points}
        return {
            name: _common([schema.field(name).type for schema in said if name in schema.names])
            for name in names
            if name not in stored
        }

    @property
    def are_ordered(self) -> bool:
        """Whether they are read in order of identity."""
        return len(self._files) + len(self._others) == 1

    def read(self, names: Collection[str] | None = None) -> pa.Table:
        """Return columns: identities and all or those of `names` that there are.

        Where a parameter that a sweep varied is null as the default, it is what the sweep says.
        """
        wanted = self.schema.names
        if names is not None:
            chosen = {*names, "identity"}
            wanted = [name for name in wanted if name in chosen]
        runs = self._table([name for name in wanted if name in self._of_points])
        for name in wanted:
            column = self._filled(name, runs)
            if column is None:
                continue
            place = runs.schema.get_field_index(name)
            if place < 0:
                runs = runs.append_column(name, column)
            else:
                runs = runs.set_column(place, name, column)
        return runs

    def columns(self, names: Iterable[str]) -> Columns:
        """Return the same columns, each to be read when it is asked for; by identity."""
        rows = sum(f.metadata.num_rows if r is None else len(r) for f, r in self._files)
        rows += sum(rows.num_rows for rows in self._others)
        found = Columns([*names], rows, self._column)
        if self.are_ordered:
            return found
        return found.take(pc.sort_indices(found["identity"]).to_numpy())

    def _column(self, name: str) -> pa.ChunkedArray:
        runs = self._table([name] if name in self._of_points else ["identity"])
        filled = self._filled(name, runs)
        return runs[name] if filled is None else filled

    def _table(self, names: Sequence[str]) -> pa.Table:
        """Return columns as points have them."""
        return below([*self._parts(names)]).select(names)

    def _parts(self, names: Sequence[str]) -> Iterator[pa.Table]:
        for file, rows in self._files:
            own = file.read(names, use_threads=False)
            yield own if rows is None else own.take(rows)
        for table in self._others:
            there = {*table.column_names}
            yield table.select([name for name in names if name in there])

    def _filled(self, name: str, runs: pa.Table) -> pa.ChunkedArray | None:
        """Return a column with what sweeps say of it; None if they say nothing new.

        Of several sweeps that have a point, the first counts.
        """
        stored = runs[name] if name in self._of_points else None
        if name == "identity" or (stored is not None and not stored.null_count):
            return None
        identities, found = None, stored
        for sweep in self._sweeps:
            points = sweep["points"]
            if name not in points.column_names:
                continue
            if identities is None:
                has = "identity" in runs.column_names
                identities = runs["identity"] if has else self._table(["identity"])["identity"]
            kind = self._only_said[name] if stored is None else stored.type
            # Of a point that is there twice, the last counts.
            points = points.take(np.arange(points.num_rows)[::-1])
            place = pc.index_in(identities, points["identity"].combine_chunks())
            said = points[name].take(place).cast(kind)
            found = said if found is None else pc.coalesce(found, said)
        return None if found is stored else found

    def constant(self) -> set[str]:
        """Return columns in which all runs are known to agree, without reading the index.

        Its files say what the least and the largest value of a column is.
        """
        told = [_told_apart(file.metadata) for file, _ in self._files]
        told += [{n: _only(rows[n]) for n in rows.column_names} for rows in self._others]
        found = set()
        for name in self._stored.names:
            only = {each.get(name, (None,)) for each in told}
            if len(only) == 1 and only != {()}:
                found.add(name)
        return found


def _places(file: pq.ParquetFile, rows: Ints | None, wanted: pa.StringArray) -> Ints:
    """Return those of the rows of a file, or of all, that some points have."""
    identities = file.read(["identity"], use_threads=False)["identity"]
    flags = pc.is_in(identities, wanted).to_numpy()
    found: Ints = np.flatnonzero(flags) if rows is None else rows[flags[rows]]
    return found


def _common(kinds: Sequence[pa.DataType]) -> pa.DataType:
    """Return a type that has the values of all, texts where some of them are texts."""
    schemas = [pa.schema([("value", kind)]) for kind in kinds]
    try:
        return pa.unify_schemas(schemas, promote_options="permissive").field("value").type
    except pa.ArrowTypeError:
        return pa.string()


def _told_apart(metadata: pq.FileMetaData) -> dict[str, tuple[Any, ...]]:
    """Return the only value of each column of a file; nothing where there are several."""
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
