"""Tables of runs that fit a terminal: `terminal.fitting`."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from tailback.terminal.fitting import fitted_table

ROWS: dict[str, list[Any]] = {
    "machine.switch.queueing": ["fifo", "fifo", "output", "output"],
    "mode": ["full", "endpoints", "full", "endpoints"],
    "runs": [2, 2, 2, 2],
    "saturated": [True, False, False, False],
    "message_latency_us": [5.5, 1.25, 1.5, 1.35],
    "message_latency_us_low": [5.0, 1.2, 1.4, 1.3],
    "message_latency_us_high": [6.0, 1.3, 1.6, 1.4],
    "theta_r": [0.9, None, 1.0, None],
    "offered_load": [0.7, 0.7, 0.8, 0.8],
}


def shown(width: int | None, *, asked: bool = False, **changed: list[Any]) -> list[str]:
    lines = fitted_table(pa.table(ROWS | changed), width, asked=asked).splitlines()
    assert width is None or max(map(len, lines)) <= width
    return [line.rstrip() for line in lines]


def test_modes_stand_side_by_side_and_constants_are_said_once() -> None:
    assert shown(None) == [
        "All rows: runs 2, saturated (endpoints) no",
        "",
        "                         message      message",
        "          saturated  _latency_us  _latency_us",
        "queueing  full              full    endpoints  theta_r  offered_load",
        "─" * 68,
        "fifo      yes           5.5 ±0.5   1.25 ±0.05      0.9           0.7",
        "output    no          1.50 ±0.10   1.35 ±0.05        1           0.8",
    ]


@pytest.mark.parametrize("width", [44, 60, 80])
def test_no_line_is_wider_than_the_terminal_and_what_is_left_out_is_named(width: int) -> None:
    lines = shown(width)
    heads = " ".join(lines)
    assert "queueing" in heads
    if width == 44:
        # Whether it is saturated, the latency of a mode, and theta_r fit.
        assert lines[-2:] == ["+2 columns: --fields", "  message_latency_us,offered_load"]
    # What matters most is there.
    assert "_latency_us" in heads


def test_columns_that_were_asked_for_go_on_below() -> None:
    lines = shown(40, asked=True)
    assert "+" not in "".join(lines)
    assert sum(line.split()[:1] == ["fifo"] for line in lines) == 3
    for name in ("theta_r", "offered_load", "saturated  _latency_us"):
        assert sum(name in line for line in lines) == 1


def test_rows_that_differ_in_more_than_parameters_stay_as_they_are() -> None:
    twice = shown(None, **{"machine.switch.queueing": ["fifo"] * 4})
    assert sum("endpoints" in line for line in twice) == 2
    assert twice[0] == "All rows: queueing fifo, runs 2"


def test_a_run_that_is_missing_is_not_another_value() -> None:
    """The second experiment has no run in `endpoints`."""
    fewer = {name: values[:3] for name, values in ROWS.items()}
    lines = fitted_table(pa.table(fewer), None, asked=False).splitlines()
    assert lines[-1].split()[:2] == ["output", "no"]
    assert "-" in lines[-1].split()
    assert "offered_load" in lines[4]


def test_one_row_says_nothing_once() -> None:
    one = {name: values[:1] for name, values in ROWS.items()}
    lines = fitted_table(pa.table(one), None, asked=False).splitlines()
    assert not lines[0].startswith("All rows")
    assert "mode" in lines[1]
