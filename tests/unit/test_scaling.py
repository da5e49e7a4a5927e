"""Units that scale themselves."""

from __future__ import annotations

import pytest

from tailback.wording.scaling import BYTES, MEGABITS, MICROSECONDS, scaled, unit_for


@pytest.mark.parametrize(
    ("value", "fixed", "text"),
    [
        (0.04, MICROSECONDS, "40 ns"),
        (3.34, MICROSECONDS, "3.34 µs"),
        (999.9, MICROSECONDS, "999.9 µs"),
        (1000.0, MICROSECONDS, "1 ms"),
        (2.5e6, MICROSECONDS, "2.5 s"),
        (0.0000004, MICROSECONDS, "0.4 ps"),
        (0.0, MICROSECONDS, "0 µs"),
        (32, BYTES, "32 B"),
        (64_000, BYTES, "64 kB"),
        (100.0, MEGABITS, "100 Mbit/s"),
        (400_000.0, MEGABITS, "400 Gbit/s"),
        (None, MICROSECONDS, "-"),
        (float("nan"), MICROSECONDS, "-"),
        (12.5, "furlongs", "12.5 furlongs"),
    ],
)
def test_a_number_with_the_unit_that_suits_it(value: float | None, fixed: str, text: str) -> None:
    assert scaled(value, fixed) == text


def test_the_unit_of_several_is_that_of_the_largest() -> None:
    assert unit_for([0.04, None, float("nan"), 0.8], MICROSECONDS).name == "ns"
    assert unit_for([0.04, 80], MICROSECONDS).name == "µs"
