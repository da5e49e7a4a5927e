"""One language: an expression has the same value for one row of a table and for its values."""

from __future__ import annotations

import math
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tailback.analysis import where
from tailback.errors import UserError
from tailback.expressions import Expression, known, parsed
from tests.random_cases import random_cases

VALUES: dict[str, object] = {
    "n": 3,
    "x": 0.5,
    "period": "20 us",
    "size": "64 B",
    "rate": "100 Mbit/s",
    "sync": "asynchronous",
    "settled": True,
    "dims": [8, 8],
}
ROW = pa.table(
    {
        "sweep.n": [3],
        "sweep.x": [0.5],
        "workload.period_us": [20.0],
        "machine.interface.size_bytes": [64],
        "machine.link.rate_mbit_per_s": [100.0],
        "workload.sync": ["asynchronous"],
        "settled": [True],
        "machine.topology.dims": ["[8, 8]"],
    }
)


def of_values(text: str) -> object:
    return expression(text).truth(lambda name: known(VALUES[name]))


def expression(text: str) -> Expression:
    def resolve(name: str) -> str:
        if name not in VALUES:
            raise UserError("", None, f"unknown name {name}")
        return name

    return parsed("test", text, resolve)


def of_row(text: str) -> object:
    return where(ROW, text).num_rows == 1


SAME = [
    "n == 3 and x < 1 and not x > n",
    "period == 20 us and period in [20 us, 1 ms] and period / us == 20",
    "period * rate == 250 B and size / rate < 6 us and 1 / period == 50 kHz",
    "max(n, 7, x) == 7 and min([n, x]) == x and abs(x - n) == 2.5",
    "round(n / 7, 3) == 0.429 and floor(-x) == -1 and ceil(x) == 1",
    "sqrt(n * 12) == 6 and log10(1000 * n / 3) == 3 and log(n / n) == 0",
    "n ** 2 == 9 and n ** -1 < x and period // 3 us == 6 and period % 3 us == 2 us",
    "(n if settled else x) == 3 and (period if x > 1 else 2 * period) == 40 us",
    "sync == 'asynchronous' and sync in ['a', 'asynchronous'] and sync != 'a'",
    "dims == [8, 8] and dims in [[4], [8, 8]] and settled == true and settled",
    "period > '2 us' and -period < 0 and 0 < +size <= 64 B",
    "2 < 3 or 1 / 0 > n",
]


@pytest.mark.parametrize("text", SAME)
def test_values_and_columns_agree(text: str) -> None:
    assert of_values(text) is True
    assert of_row(text)
    assert of_values(f"not ({text})") is False
    assert not of_row(f"not ({text})")


REFUSED = [
    "period < size",
    "period + n > 1 us and size + period > 1",
    "sync < 3",
    "sync * 2 == 3",
    "floor(period) == 3",
    "period ** 0.5 > 1",
    "n and settled",
    "n == (1 if x else 2)",
    "x in n",
    "dims + 1 == 2",
    "unknown == 3",
    "n is 3",
    "sync.upper() == 'A'",
    "n.__class__ == 3",
    "open('x') == 3",
    "n == 3 if",
    "",
]


@pytest.mark.parametrize("text", REFUSED)
def test_both_refuse_the_same(text: str) -> None:
    for answer in (of_values, of_row):
        with pytest.raises(UserError) as caught:
            answer(text)
        assert "\n" not in str(caught.value)


NUMBERS = st.recursive(
    st.sampled_from(["n", "x", "2", "0.5", "-3", "(period / us)", "(size / B)", "(7 us / period)"]),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", "/", "//", "%"]), inner).map(
            lambda parts: f"({' '.join(parts)})"
        ),
        st.tuples(st.sampled_from(["abs", "floor", "ceil", "round", "max", "min"]), inner).map(
            lambda parts: f"{parts[0]}({parts[1]})"
        ),
        st.tuples(inner, inner).map(lambda parts: f"max({parts[0]}, {parts[1]})"),
    ),
    max_leaves=6,
)


@settings(max_examples=random_cases(150))
@given(NUMBERS)
def test_numbers_of_columns_are_those_of_values(text: str) -> None:
    try:
        found: Any = expression(text).value(lambda name: known(VALUES[name]))
    except UserError:
        return  # It divides by zero, which columns may.
    value = float(found.value)
    if not math.isfinite(value) or abs(value) > 1e12:
        return
    # Steps of floor, round, // and % may fall on either side of a rounding error.
    near = any(word in text for word in ("floor", "ceil", "round", "//", "%"))
    close = 1e-9 * max(1.0, abs(value))
    if not near:
        assert of_row(f"{value - close!r} <= {text} <= {value + close!r}")
    else:
        assert isinstance(of_row(f"{text} <= {value!r}"), bool)
