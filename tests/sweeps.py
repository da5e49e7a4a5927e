"""Sweeps written as text, for tests."""

from __future__ import annotations

from typing import Any

import pytest

from tailback.errors import UserError
from tailback.since311 import tomllib
from tailback.sweeps import Point, Sweep
from tailback.units import Time


def sweep_of(text: str) -> Sweep:
    """Return the sweep written as TOML; without a header, the text is the table [sweep]."""
    if not text.lstrip().startswith("["):
        text = f"[sweep]\n{text}"
    return Sweep.from_dict(tomllib.loads(text))


def values_of(text: str) -> list[tuple[object, ...]]:
    """Return what is varied at each point."""
    return [tuple(point.varied.values()) for point in sweep_of(text).points()]


def column_of(text: str) -> list[object]:
    """Return the first thing that is varied, at each point."""
    return [values[0] for values in values_of(text)]


def refusal(text: str) -> str:
    """Return the one line with which a sweep is refused, when it is read or expanded."""
    with pytest.raises(UserError) as caught:
        list(sweep_of(text).points())
    line = str(caught.value)
    assert "\n" not in line
    assert caught.value.exit_code == 2
    return line


def refused(line: str, expected: str) -> None:
    assert expected in line
    assert "\n" not in line


def made_or_refused(table: dict[str, Any], expected: str) -> Sweep | None:
    """Return the sweep, or None if it is refused with a line that has ``expected`` in it."""
    try:
        return Sweep.from_dict({"sweep": table})
    except UserError as error:
        refused(str(error), expected)
        return None


def point_or_refused(table: dict[str, Any], expected: str) -> Point | None:
    """Return the only point, or None if the sweep is refused with such a line."""
    sweep = made_or_refused(table, expected)
    if sweep is None:
        return None
    try:
        [point] = sweep.points()
    except UserError as error:
        refused(str(error), expected)
        return None
    return point


def us(*numbers: float) -> list[object]:
    return [Time(round(number * 10**6)) for number in numbers]
