"""The file of one point, read in parts."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .columns import LIGHT, NESTED
from .documents import damaged

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

_LARGE = frozenset(NESTED) - frozenset(LIGHT)
_MAGIC = b"PAR1"
_PATH = "_path"


def check_whole(path: Path) -> None:
    """Raise `UserError` unless a file begins and ends as a Parquet file does."""
    try:
        with path.open("rb") as file:
            begins = file.read(len(_MAGIC))
            size = file.seek(0, os.SEEK_END)
            file.seek(max(size - len(_MAGIC), len(_MAGIC)))
            ends = file.read(len(_MAGIC))
    except OSError as error:
        raise damaged(path, str(error.strerror)) from None
    if not begins == ends == _MAGIC:
        raise damaged(path, "not a whole Parquet file")


def light(paths: Sequence[Path]) -> list[pl.DataFrame]:
    """Return the rows of points, in their order, without the large columns.

    In one frame, which takes a third of the time, if all have the same columns.
    """
    import polars as pl

    for path in paths:
        check_whole(path)
    try:
        scan = pl.scan_parquet(list(paths), include_file_paths=_PATH)
        together = scan.drop(sorted(_LARGE)).collect()
    except (pl.exceptions.PolarsError, OSError):
        # Other columns, or a damaged file: it will be named.
        return [_rows(path, _LARGE) for path in paths]
    for name, identity in together.select(_PATH, "identity").unique().iter_rows():
        _check_identity(Path(name), {identity})
    return [together.drop(_PATH)]


def nested(path: Path, name: str) -> pl.DataFrame:
    """Return the tables in a large column below each other, `identity` and `mode` in front."""
    rows = _rows(path, _LARGE - {name}).select("identity", "mode", name)
    return rows.explode(name).unnest(name)


def _rows(path: Path, drop: Iterable[str]) -> pl.DataFrame:
    import polars as pl

    check_whole(path)
    try:
        frame = pl.scan_parquet(path).drop(sorted(drop)).collect()
        identities = set(frame["identity"])
    except (pl.exceptions.PolarsError, OSError) as error:
        raise damaged(path, str(error).splitlines()[0]) from None
    _check_identity(path, identities)
    return frame


def tables(path: Path, wanted: Mapping[str, Iterable[str]]) -> dict[str, dict[str, pa.Table]]:
    """Return some columns of the tables in large columns, by mode and name."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    check_whole(path)
    leaves = [f"{name}.list.element.{column}" for name in wanted for column in wanted[name]]
    try:
        with pq.ParquetFile(path) as file:
            table = file.read(["identity", "mode", *leaves], use_threads=False)
    except (pa.ArrowException, OSError) as error:
        raise damaged(path, str(error).splitlines()[0]) from None
    _check_identity(path, set(table["identity"].to_pylist()))
    lists = {name: table[name].combine_chunks() for name in wanted}
    return {
        mode: {name: _table_in(column, row) for name, column in lists.items()}
        for row, mode in enumerate(table["mode"].to_pylist())
    }


def _table_in(column: pa.ListArray, row: int) -> pa.Table:
    """Return what a column of tables holds in a row."""
    import pyarrow as pa

    start, end = (column.offsets[i].as_py() for i in (row, row + 1))
    return pa.Table.from_struct_array(column.values.slice(start, end - start))


def _check_identity(path: Path, found: set[str]) -> None:
    if found != {path.stem}:
        raise damaged(path, "it holds another point")
