"""Tables of many runs: rows numbered, put below each other, as numbers and lists."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tailback.tables.frames import (
    below,
    column_of,
    combinations,
    dictionaries,
    differs,
    first_rows,
    floats,
    nullable,
    numbered,
    values,
)

ROWS = st.lists(
    st.tuples(
        st.sampled_from(["a", "b", None]),
        st.sampled_from([1.5, -1.5, None]),
        st.booleans(),
        st.integers(-2, 2),
    ),
    min_size=1,
)


def table_of(rows: list[tuple[object, ...]]) -> pa.Table:
    kinds = (pa.string(), pa.float64(), pa.bool_(), pa.int64())
    columns = zip(*rows, strict=True)
    return pa.table({n: pa.array(c, k) for n, c, k in zip("abcd", columns, kinds, strict=True)})


@given(ROWS)
def test_rows_that_agree_have_one_number_by_first_appearance(
    rows: list[tuple[object, ...]],
) -> None:
    order = {row: i for i, row in enumerate(dict.fromkeys(rows))}
    numbers = numbered(table_of(rows), "abcd")
    assert numbers.tolist() == [order[row] for row in rows]
    assert [rows[i] for i in first_rows(numbers)] == list(order)
    assert combinations(table_of(rows), [*"abcd"]) == len(order)


def test_so_many_columns_that_their_products_exceed_whole_numbers() -> None:
    wide = pa.table({str(i): np.arange(100) // (1 + i % 2) for i in range(20)})
    assert numbered(wide, wide.column_names).tolist() == list(range(100))


def test_other_numbers_count_as_well() -> None:
    table = pa.table({"a": ["x", "x", "x"]})
    assert numbered(table, ["a"], np.array([5, 7, 5])).tolist() == [0, 1, 0]
    assert numbered(table.slice(0, 0), ["a"]).tolist() == []


@given(ROWS)
def test_values_are_those_of_arrow(rows: list[tuple[object, ...]]) -> None:
    table = table_of(rows)
    halves = pa.concat_tables([table.slice(0, 1), table.slice(1)])
    for name in table.column_names:
        assert values(halves[name]) == table[name].to_pylist()
        assert differs(halves[name]) == (len(set(table[name].to_pylist())) > 1)
    assert dictionaries(halves) == table.to_pylist()


def test_null_and_nan_stand_for_each_other() -> None:
    column = nullable(np.array([1.0, math.nan]))
    assert column.to_pylist() == [1.0, None]
    assert nullable(np.array([1.0, math.nan]), pa.int64()).to_pylist() == [1, None]
    assert floats(pa.chunked_array([column])) == pytest.approx([1.0, math.nan], nan_ok=True)


def test_what_one_table_does_not_have_is_null() -> None:
    found = below([pa.table({"a": [1], "b": [None]}), pa.table({"b": ["x"], "a": [2.5]})])
    assert found.to_pylist() == [{"a": 1.0, "b": None}, {"a": 2.5, "b": "x"}]


def test_texts_among_numbers_are_a_column_of_texts() -> None:
    assert column_of([1, 2.5, None]).to_pylist() == [1.0, 2.5, None]
    assert column_of([1, "all", None]).to_pylist() == ["1", "all", None]
