"""Tables of many runs: numbered by what rows agree in, put below each other, as numbers and lists.

They are Arrow tables; here is what Arrow leaves out or does slowly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tailback.since311 import Self

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_LARGEST = 2**62


@dataclass(frozen=True, eq=False)
class Columns:
    """Columns that are read one by one, when they are asked for, and not kept.

    So a table need not fit into memory. It has what merging needs of `pyarrow.Table`.
    """

    column_names: Sequence[str]
    num_rows: int
    _read: Callable[[str], pa.ChunkedArray]
    _rows: Ints | None = None
    _own: Mapping[str, pa.Array] = field(default_factory=dict)

    def __getitem__(self, name: str) -> pa.ChunkedArray:
        if name in self._own:
            return self._own[name]
        column = self._read(name)
        return column if self._rows is None else column.take(self._rows)

    def select(self, names: Sequence[str]) -> Self:
        """Return some of the columns."""
        return replace(self, column_names=[*names])

    def take(self, rows: Ints) -> Self:
        """Return some of the rows, in this order."""
        own = {name: column.take(rows) for name, column in self._own.items()}
        chosen = rows if self._rows is None else self._rows[rows]
        return replace(self, num_rows=len(rows), _rows=chosen, _own=own)

    def set_column(self, _: int, name: str, column: pa.Array) -> Self:
        """Return the columns with another one of this name."""
        return replace(self, _own={**self._own, name: column})


Frame = pa.Table | Columns
"""Rows of runs, in memory or read by column."""


def below(tables: Sequence[pa.Table]) -> pa.Table:
    """Return tables below each other; what one does not have is null in its rows."""
    return pa.concat_tables(tables, promote_options="permissive")


def numbered(table: pa.Table, names: Iterable[str], *others: Ints) -> Ints:
    """Return the same number for rows that agree in `names`, counted by first appearance.

    They must agree in the numbers `others` as well.
    """
    numbers, kinds = np.zeros(table.num_rows, np.int64), 1
    # One column after the other: there may be many.
    for codes in chain(others, (_codes(table[name]) for name in names)):
        if not len(codes) or (codes == codes[0]).all():
            continue
        more = int(codes.max()) + 1
        if kinds * more > _LARGEST:
            numbers, kinds = _dense(numbers), len(numbers)
        numbers, kinds = numbers * more + codes, kinds * more
    return _dense(numbers)


def encoded(column: pa.ChunkedArray) -> tuple[Ints, pa.Array]:
    """Return numbers from 1 for the values of a column, 0 for null, and the values in order."""
    if pa.types.is_null(column.type):
        return np.zeros(len(column), np.int64), pa.nulls(0)
    whole = pc.dictionary_encode(column.combine_chunks())
    numbers: Ints = whole.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    return numbers + 1, whole.dictionary


def _codes(column: pa.ChunkedArray) -> Ints:
    return encoded(column)[0]


def _dense(numbers: Ints) -> Ints:
    """Return numbers counted from 0 by first appearance."""
    _, first, place = np.unique(numbers, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[place]


def first_rows(numbers: Ints) -> Ints:
    """Return the first row of each of the numbers that `numbered` gives."""
    first: Ints = np.unique(numbers, return_index=True)[1]
    return first


def combinations(table: pa.Table, names: Sequence[str]) -> int:
    """Return how many different rows there are in some columns; 1 of no column."""
    return int(numbered(table, names).max(initial=0)) + 1


def differs(column: pa.ChunkedArray) -> bool:
    """Whether a column has more than one value; null is one."""
    codes = _codes(column)
    return bool(len(codes)) and bool((codes != codes[0]).any())


def is_number(kind: pa.DataType) -> bool:
    """Whether a type is one of numbers."""
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def floats(column: pa.ChunkedArray) -> Floats:
    """Return numbers as an array, null as NaN."""
    filled = pc.fill_null(pc.cast(column, pa.float64()), float("nan"))
    array: Floats = filled.combine_chunks().to_numpy(zero_copy_only=False)
    return array


def nullable(values: NDArray[Any], kind: pa.DataType | None = None) -> pa.Array:
    """Return numbers as a column, NaN as null."""
    kind = pa.float64() if kind is None else kind
    unknown = np.isnan(values)
    return pa.array(np.where(unknown, 0, values), mask=unknown).cast(kind)


def column_of(found: Sequence[Any]) -> pa.Array:
    """Return values as a column: as texts where some of them are texts and others are not."""
    try:
        return pa.array(found)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return pa.array([None if value is None else str(value) for value in found])


def values(column: pa.ChunkedArray) -> list[Any]:
    """Return a column as a list: `to_pylist`, ten times as fast for texts and numbers."""
    kind = column.type
    if pa.types.is_boolean(kind) or pa.types.is_string(kind) or pa.types.is_large_string(kind):
        whole = pc.dictionary_encode(column.combine_chunks())
        words = [*whole.dictionary.to_pylist(), None]
        return [words[i] for i in whole.indices.fill_null(len(words) - 1).to_numpy().tolist()]
    if not is_number(kind):
        listed: list[Any] = column.to_pylist()
        return listed
    found: list[Any] = pc.fill_null(column, 0).combine_chunks().to_numpy().tolist()
    if column.null_count:
        for i in np.flatnonzero(column.is_null().combine_chunks().to_numpy(zero_copy_only=False)):
            found[i] = None
    return found


def dictionaries(table: pa.Table) -> list[dict[str, Any]]:
    """Return rows as dictionaries, by the names of columns."""
    names = table.column_names
    columns = [values(table[name]) for name in names]
    if not names:
        return [{} for _ in range(table.num_rows)]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
