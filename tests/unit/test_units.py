"""Quantities with units: exact, and refused with what was probably meant."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tailback.errors import UserError
from tailback.units import Quantity, Rate, Size, Time

GOOD = [
    (Time, "16 us", 16_000_000),
    (Time, "16us", 16_000_000),
    (Time, " 16  us ", 16_000_000),
    (Time, "16 µs", 16_000_000),
    (Time, "16 μs", 16_000_000),
    (Time, "3.34 us", 3_340_000),
    (Time, "16.1 us", 16_100_000),
    (Time, "1e-3 ns", 1),
    (Time, "2.5E2 ns", 250_000),
    (Time, "1 s", 10**12),
    (Time, "0 ms", 0),
    (Time, "0", 0),
    (Time, "100000 s", 10**17),
    (Time, 0, 0),
    (Time, 0.0, 0),
    (Time, Time(5), 5),
    (Size, "32 B", 32),
    (Size, "32 bytes", 32),
    (Size, "16 bit", 2),
    (Size, "1.5 kB", 1500),
    (Size, "1 KiB", 1024),
    (Size, "2 MiB", 2 * 2**20),
    (Rate, "100 Mbit/s", 10**8),
    (Rate, "0.1 Gbit/s", 10**8),
    (Rate, "12.5 MB/s", 10**8),
    (Rate, "20 MB/s", 16 * 10**7),
]


@pytest.mark.parametrize(("kind", "text", "amount"), GOOD)
def test_exact_amounts(kind: type[Quantity], text: object, amount: int) -> None:
    assert kind.parse(text) == kind(amount)


BAD = [
    (Time, 16, '= 16: needs a unit: write "16 us" if that is meant'),
    (Time, 1.5, '= 1.5: needs a unit: write "1.5 us" if that is meant'),
    (Size, 32, '= 32: needs a unit: write "32 B" if that is meant'),
    (Rate, 100, '= 100: needs a unit: write "100 Mbit/s" if that is meant'),
    (Time, "16", '= "16": needs a unit, such as "16 us"'),
    (Time, "16 uss", "unknown unit; a time is in ps, ns, us, ms or s; did you mean us?"),
    (Time, "16 US", "unknown unit; a time is in ps, ns, us, ms or s; did you mean us?"),
    (Time, "16 parsecs", "unknown unit; a time is in ps, ns, us, ms or s"),
    (Size, "32 kb", "did you mean kB?"),
    (Rate, "100 mbit/s", "did you mean Mbit/s?"),
    (Rate, "100 Mbps", "unknown unit; a rate is in"),
    (Time, "32 B", '= "32 B": is a number of bytes; a time is needed, such as "16 us"'),
    (Size, "16 us", '= "16 us": is a time; a number of bytes is needed, such as "32 B"'),
    (Rate, "1 s", '= "1 s": is a time; a rate is needed, such as "100 Mbit/s"'),
    (Time, "-1 us", '= "-1 us": must not be negative'),
    (Time, "0.1 ps", "must be a whole number of picoseconds"),
    (Size, "4 bit", "must be a whole number of bytes"),
    (Rate, "3 Gbit/s", "one bit must take whole picoseconds, not 333.3333"),
    (Rate, 0, "= 0: must be above zero"),
    (Rate, "0 bit/s", "must be above zero"),
    (Time, "100001 s", "must be at most 100000 s"),
    (Time, "1e99 s", "must be at most"),
    (Time, "1e999 s", "must be a number and a unit"),
    (Time, "sixteen us", 'must be a number and a unit, such as "16 us"'),
    (Time, "1_000 us", "must be a number and a unit"),
    (Time, "16 us\n17 us", "must be a number and a unit"),
    (Time, "١٦ us", "must be a number and a unit"),
    (Time, "nan s", "must be a number and a unit"),
    (Time, "", "must be a number and a unit"),
    (Time, True, '= true: must be a time, such as "16 us"'),
    (Time, None, '= null: must be a time, such as "16 us"'),
    (Time, ["16 us"], 'must be a time, such as "16 us"'),
    (Time, Size(3), "must be a time"),
    (Time, "9" * 500 + " us", "must be a number and a unit"),
]


@pytest.mark.parametrize(("kind", "text", "expected"), BAD)
def test_refused_in_one_line(kind: type[Quantity], text: object, expected: str) -> None:
    with pytest.raises(UserError) as caught:
        kind.parse(text)
    line = str(caught.value)
    assert expected in line
    assert "\n" not in line
    assert len(line) < 250


@pytest.mark.parametrize(
    ("quantity", "text"),
    [
        (Time(16_000_000), "16 us"),
        (Time(3_340_000), "3.34 us"),
        (Time(1), "1 ps"),
        (Time(0), "0 s"),
        (Time(1_234_567), "1.234567 us"),
        (Time(2 * 10**12), "2 s"),
        (Size(32), "32 B"),
        (Size(2048), "2048 B"),
        (Rate(10**8), "100 Mbit/s"),
        (Rate(10**9), "1 Gbit/s"),
    ],
)
def test_printed_as_written(quantity: Quantity, text: str) -> None:
    assert str(quantity) == text


@given(st.integers(0, Time.largest))
def test_printing_loses_nothing(amount: int) -> None:
    assert Time.parse(str(Time(amount))) == Time(amount)


@given(st.integers(0, 10**12), st.sampled_from(sorted(Time.units)))
def test_decimal_times_are_exact(thousandths: int, unit: str) -> None:
    amount = Fraction(thousandths, 1000) * Time.units[unit]
    text = f"{thousandths // 1000}.{thousandths % 1000:03d} {unit}"
    if amount.denominator == 1 and amount <= Time.largest:
        assert Time.parse(text).ps == amount
    else:
        with pytest.raises(UserError):
            Time.parse(text)


def test_other_dimensions_do_not_compare() -> None:
    assert Time(3) != Size(3)
    with pytest.raises(TypeError):
        _ = Time(3) < Size(4)


def test_bit_time() -> None:
    assert Rate.parse("100 Mbit/s").bit_ps == 10_000
