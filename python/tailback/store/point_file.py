"""Files of points, one or several in each, read in parts."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import fields
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tailback.charging import Blame, Totals, unknown_blame
from tailback.errors import UserError

from .classes import spread
from .columns import BLAME_TABLES, LIGHT, MESSAGE_TABLE, NESTED, PATH_TABLES
from .documents import DamagedError, check_is_file

_LARGE = frozenset(NESTED) - frozenset(LIGHT)
#: Columns that not every file has.
_OPTIONAL = frozenset((MESSAGE_TABLE, *PATH_TABLES, *BLAME_TABLES))
OLD_BLAME = "has waits of packets, charged by an older version, not how late messages were"
"""What is wrong with blame that has other tables."""

_TOGETHER = 64
"""Files that are read at once."""

_MAGIC = b"PAR1"
_PATH = "__filename"
"""What Arrow calls the file a row comes from."""


class Place(NamedTuple):
    """Where the rows of a point are."""

    path: Path
    identity: str
    shared: bool
    """Whether other points are there too."""


def check_whole(path: Path) -> None:
    """Raise `UserError` unless a file begins and ends as a Parquet file does."""
    check_is_file(path)
    try:
        with path.open("rb") as file:
            begins = file.read(len(_MAGIC))
            size = file.seek(0, os.SEEK_END)
            file.seek(max(size - len(_MAGIC), len(_MAGIC)))
            ends = file.read(len(_MAGIC))
    except OSError as error:
        raise DamagedError(path, str(error.strerror)) from None
    if not begins == ends == _MAGIC:
        raise DamagedError(path, "not a whole Parquet file")


def light(
    paths: Sequence[Path], segments: Mapping[Path, Iterable[str]], without: Iterable[str] = ()
) -> list[pa.Table]:
    """Return the rows of points without the large columns and some others.

    `paths`: files of one point each; `segments`: others, and which of their points. What was
    measured of traffic classes is columns there.
    """
    dropped = _LARGE | _OPTIONAL | {*without}
    found = []
    for start in range(0, len(paths), _TOGETHER):
        found += _light(paths[start : start + _TOGETHER], dropped)
    for path, identities in segments.items():
        rows = _read(path, dropped=dropped)
        chosen = pc.is_in(rows["identity"], pa.array([*identities], pa.string()))
        found.append(spread(rows.filter(chosen)))
    # Of each file there is a piece of each column, and a piece is larger than what is in it.
    return [rows.combine_chunks() for rows in found]


def light_columns(rows: pa.Table) -> pa.Table:
    """Return what `light` returns of whole rows."""
    dropped = _LARGE | _OPTIONAL
    names = [name for name in rows.column_names if name not in dropped]
    return spread(rows.select(names)).combine_chunks()


def _light(paths: Sequence[Path], dropped: frozenset[str]) -> list[pa.Table]:
    """Return these columns of files: in one table, a third of the time, if all have the same."""
    from pyarrow import dataset

    for path in paths:
        check_whole(path)
    try:
        files = dataset.dataset([str(path) for path in paths], format="parquet")
        schemas = {fragment.physical_schema for fragment in files.get_fragments()}
        if len(schemas) == 1:
            names = [name for name in files.schema.names if name not in dropped]
            together = files.to_table(columns=[*names, _PATH])
            pairs = together.group_by([_PATH, "identity"]).aggregate([])
            for name, identity in zip(
                *(pairs[c].to_pylist() for c in pairs.column_names), strict=True
            ):
                _check_identity(Path(name), {identity})
            return [spread(together.drop_columns([_PATH]))]
    except (pa.ArrowException, OSError):
        pass  # A damaged file: it will be named.
    return [spread(_alone(path, _read(path, dropped=dropped))) for path in paths]


def nested(place: Place, name: str) -> pa.Table:
    """Return the tables in a large column below each other, `identity` and `mode` in front.

    None of a point that does not have it.
    """
    rows = _columns(place, [name])
    if name not in rows.column_names:
        return rows.slice(0, 0)
    lists = rows[name].combine_chunks()
    inner = pa.Table.from_struct_array(pc.list_flatten(lists))
    outer = rows.select(["identity", "mode"]).take(pc.list_parent_indices(lists))
    for column in inner.column_names:
        outer = outer.append_column(column, inner[column])
    return outer


def _read(
    path: Path, names: Iterable[str] | None = None, dropped: Collection[str] = frozenset()
) -> pa.Table:
    """Return columns of a file: those of `names` that there are, or all but some."""
    check_whole(path)
    try:
        with pq.ParquetFile(path) as file:
            if names is None:
                names = [name for name in file.schema_arrow.names if name not in dropped]
            table = file.read([*names], use_threads=False)
        table["identity"]
    except (pa.ArrowException, OSError, KeyError) as error:
        raise DamagedError(path, str(error).splitlines()[0]) from None
    return table


def whole(place: Place) -> pa.Table:
    """Return all rows and columns of a point."""
    return _columns(place, None)


def identities(path: Path) -> pa.StringArray:
    """Return the points of which a file has rows, in its order."""
    return _read(path, ["identity"])["identity"].unique()


def tables(place: Place, wanted: Mapping[str, Iterable[str]]) -> dict[str, dict[str, pa.Table]]:
    """Return some columns of the tables in large columns, by mode and name."""
    leaves = [f"{name}.list.element.{column}" for name in wanted for column in wanted[name]]
    return _tables_in(_columns(place, leaves), wanted)


def messages(place: Place) -> dict[str, pa.Table]:
    """Return the messages that have a row, by mode; none of a point that has kept none."""
    table = _columns(place, [MESSAGE_TABLE])
    if MESSAGE_TABLE not in table.column_names:
        return {}
    found = _tables_in(table, [MESSAGE_TABLE])
    return {mode: tables[MESSAGE_TABLE] for mode, tables in found.items() if tables}


def blame(place: Place) -> dict[str, Blame]:
    """Return who made whom late, by mode; raise `UserError` where that was not asked for."""
    totals = [f"blame_{field.name}" for field in fields(Totals)]
    said = ("blame_begin_ps", "blame_batch_ps", "run.blame_share", "blame_exact", *totals)
    table = _columns(place, (*said, *BLAME_TABLES))
    if BLAME_TABLES[0] not in table.column_names:
        raise unknown_blame()
    if not {*said, *BLAME_TABLES} <= {*table.column_names}:
        raise UserError(str(place.path), None, f"{OLD_BLAME}; run the sweep again")
    of_mode = _tables_in(table, BLAME_TABLES)
    rows = zip(*(table[name].to_pylist() for name in said), strict=True)
    return {
        mode: Blame.of_tables(tables, Totals(*sums), (begin, length), share, exact=exact)
        for (mode, tables), (begin, length, share, exact, *sums) in zip(
            of_mode.items(), rows, strict=True
        )
    }


def _columns(place: Place, names: Iterable[str] | None) -> pa.Table:
    """Return `identity`, `mode` and those of these columns that there are, or all, of a point."""
    wanted = None if names is None else ("identity", "mode", *names)
    if not place.shared:
        return _alone(place.path, _read(place.path, wanted))
    rows = _of_segment(place.path, wanted)
    return rows.filter(pc.equal(rows["identity"], place.identity)).combine_chunks()


@lru_cache(maxsize=4)
def _of_segment(path: Path, names: tuple[str, ...] | None) -> pa.Table:
    """Return columns of several points, kept: the next point to be read is often one of them."""
    return _read(path, names)


def _tables_in(table: pa.Table, names: Iterable[str]) -> dict[str, dict[str, pa.Table]]:
    """Return what columns of tables hold, by mode and name, but for those that are null."""
    lists = {name: table[name].combine_chunks() for name in names}
    return {
        mode: {
            name: _table_in(column, row) for name, column in lists.items() if column[row].is_valid
        }
        for row, mode in enumerate(table["mode"].to_pylist())
    }


def _table_in(column: pa.ListArray, row: int) -> pa.Table:
    """Return what a column of tables holds in a row."""
    start, end = (column.offsets[i].as_py() for i in (row, row + 1))
    return pa.Table.from_struct_array(column.values).slice(start, end - start)


def _alone(path: Path, rows: pa.Table) -> pa.Table:
    """Return the rows of the file of one point; raise `UserError` if they are of others."""
    _check_identity(path, {*rows["identity"].to_pylist()})
    return rows


def _check_identity(path: Path, found: set[str]) -> None:
    if found != {path.name.partition(".")[0]}:
        raise DamagedError(path, "it holds another point")
