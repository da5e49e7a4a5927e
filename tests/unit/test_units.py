"""Quantities with units: exact, and refused with what was probably meant."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tailback.errors import UserError
from tailback.units import Frequency, Quantity, Rate, Size, Time, quantity, whole_ps

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
    (Rate, "1 kbit/s", 1000),
    (Rate, "1.6 Tbit/s", 16 * 10**11),
    (Rate, "25.78125 Gbit/s", 25_781_250_000),
    (Rate, "3 Gbit/s", 3 * 10**9),
    (Rate, "100 Mbps", 10**8),
    (Rate, "400 Gbps", 4 * 10**11),
    (Rate, "400 Gb/s", 4 * 10**11),
    (Rate, "50 GB/s", 4 * 10**11),
    (Rate, "1 Tbps", 10**12),
    (Rate, "9 kbps", 9000),
    (Frequency, "1 GHz", 10**9),
    (Frequency, "1.2 GHz", 12 * 10**8),
    (Frequency, "33 Mhz", 33 * 10**6),
]


@pytest.mark.parametrize(("kind", "text", "amount"), GOOD)
def test_exact_amounts(kind: type[Quantity], text: object, amount: int) -> None:
    assert kind.parse(text) == kind(amount)


BAD = [
    (Time, 16, '= 16: needs a unit: write "16 us" if that is meant'),
    (Time, 1.5, '= 1.5: needs a unit: write "1.5 us" if that is meant'),
    (Size, 32, '= 32: needs a unit: write "32 B" if that is meant'),
    (Rate, 100, '= 100: needs a unit: write "100 Gbit/s" if that is meant'),
    (Frequency, 1, '= 1: needs a unit: write "1 GHz" if that is meant'),
    (Time, "16", '= "16": needs a unit, such as "16 us"'),
    (Time, "16 uss", "unknown unit; a time is in ps, ns, us, ms or s; did you mean us?"),
    (Time, "16 US", "unknown unit; a time is in ps, ns, us, ms or s; did you mean us?"),
    (Time, "16 parsecs", "unknown unit; a time is in ps, ns, us, ms or s"),
    (Size, "32 kb", "unknown unit; a number of bytes is in bit, B, kB, KiB, MB, MiB, GB or GiB"),
    (Size, "32 kBs", "did you mean kB?"),
    (Size, "32 kib", "unknown unit; a number of bytes is in bit"),
    (Rate, "100 mbit/s", "did you mean Mbit/s?"),
    (Rate, "100 gbps", "did you mean Gbit/s?"),
    (Rate, "100 Gbit", "did you mean Gbit/s?"),
    (Rate, "100 GBps", "did you mean GB/s?"),
    (Rate, "100 MBps", "did you mean MB/s?"),
    (Rate, "100 GBit/s", "did you mean Gbit/s?"),
    (Rate, "100 parsecs", "unknown unit; a rate is in bit/s, kbit/s, Mbit/s"),
    (Frequency, "1 GHZ", "did you mean GHz?"),
    (Frequency, "1 Gbit/s", "is a rate; a frequency is needed"),
    (Frequency, "999 Hz", '= "999 Hz": must be at least 1 kHz'),
    (Frequency, "101 GHz", "must be at most 100 GHz"),
    (Time, "1 GHz", '= "1 GHz": is a frequency; a time is needed, such as "16 us"'),
    (Time, "-3 cycles", '= "-3 cycles": must not be negative'),
    (Time, "1e18 cycles", "must be at most 100000000000000000 cycles"),
    (Size, "3 cycles", "unknown unit; a number of bytes is in"),
    (Time, "32 B", '= "32 B": is a number of bytes; a time is needed, such as "16 us"'),
    (Size, "16 us", '= "16 us": is a time; a number of bytes is needed, such as "32 B"'),
    (Rate, "1 s", '= "1 s": is a time; a rate is needed, such as "100 Gbit/s"'),
    (Time, "-1 us", '= "-1 us": must not be negative'),
    (Time, "0.1 ps", "must be a whole number of picoseconds"),
    (Size, "4 bit", "must be a whole number of bytes"),
    (Rate, "0.5 bit/s", "must be a whole number of bits per second"),
    (Rate, 0, "= 0: must be at least 1 kbit/s"),
    (Rate, "0 bit/s", "must be at least 1 kbit/s"),
    (Rate, "100.0000000001 Tbit/s", "must be at most 100 Tbit/s"),
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
        (Rate(16 * 10**11), "1.6 Tbit/s"),
        (Rate(25_781_250_000), "25.78125 Gbit/s"),
        (Frequency(12 * 10**8), "1.2 GHz"),
        (Time(0, Fraction(3)), "3 cycles"),
        (Time(0, Fraction(1)), "1 cycle"),
        (Time(0, Fraction(5, 2)), "2.5 cycles"),
        (Time(0, Fraction(1_234_567)), "1234567 cycles"),
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
    assert Rate.parse("400 Gbit/s").bit_ps == Fraction(5, 2)
    assert Rate.parse("3 Gbit/s").bit_ps == Fraction(1000, 3)


@given(st.integers(1, 10**6), st.sampled_from([1, 10, 1000]))
def test_cycles_are_written_as_they_are_read(count: int, parts: int) -> None:
    time = Time.parse(f"{count / parts:.3f} cycles")
    assert Time.parse(str(time)) == time
    assert time.cycles == Fraction(f"{count / parts:.3f}")


def test_cycles_become_times_with_a_clock() -> None:
    cycle = Frequency.parse("2 GHz").cycle
    assert cycle == Time(500)
    assert Time.parse("3 cycles").at(cycle) == Time(1500)
    assert Time.parse("0.5 cycles").at(cycle) == Time(250)
    assert Time.parse("7 ns").at(cycle) == Time.parse("7 ns").at(None) == Time(7000)


@pytest.mark.parametrize("ask", [lambda time: time.ps, lambda time: time.at(None)])
def test_cycles_without_a_clock_are_refused(ask: Any) -> None:
    with pytest.raises(UserError, match=r'"3 cycles": is in cycles; give machine.clock, such as'):
        ask(Time.parse("3 cycles"))


@given(st.integers(1000, Rate.largest), st.integers(1, 4096))
def test_the_time_of_a_flit_is_whole_or_nearly(rate: int, flit: int) -> None:
    exact = 8 * flit * Rate(rate).bit_ps
    try:
        found = whole_ps(exact, "a flit", "1 B")
    except UserError as error:
        assert abs(round(exact) - exact) > exact / 1000  # why it is refused
        assert "must be a whole number of ps, or nearly (0.1 %)" in str(error)  # noqa: PT017
    else:
        assert abs(found - exact) <= exact / 1000


def test_any_quantity_may_be_asked_for() -> None:
    assert quantity("16 us") == Time(16_000_000)
    assert quantity("400 Gbps") == Rate(4 * 10**11)
    assert quantity("3 B") == Size(3)
    assert quantity("1 GHz") == Frequency(10**9)
    # Of no fixed size: no number to calculate with.
    assert quantity("3 cycles") is None
    assert quantity("torus") is None
    with pytest.raises(UserError, match=r"unknown unit; did you mean GB/s\?"):
        quantity("3 GBps")


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (Size(2**60), '"1152921504606846976 B": must be at most 1000000000000000 B'),
        (Size(-5), "-5: must not be negative"),
        (Size(1.5), "1.5: must be a whole number of bytes"),  # type: ignore[arg-type]
        (Time(2**70), '"1180591620.717411303424 s": must be at most 100000 s'),
        (Rate(2**70), "must be at most 100 Tbit/s"),
    ],
)
def test_quantities_made_of_numbers_have_the_limits_of_texts(made: Any, told: str) -> None:
    with pytest.raises(UserError, match=re.escape(told)):
        type(made).parse(made)
