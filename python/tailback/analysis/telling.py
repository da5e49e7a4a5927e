"""What differs between two results or experiments, for the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite
from typing import Any

from tailback.errors import one_line, shown
from tailback.wording import UNKNOWN, number, plain

from .differences import Differences, Outcome, Place

_WIDEST = 40


def differences_text(found: Differences) -> str:
    """Return a line for each difference, and how many measures are the same."""
    return "\n".join(_lines(found))


def _lines(found: Differences) -> Iterator[str]:
    if found.asked:
        yield "Asked differently"
        rows = [[one.name, _value(one.first), _value(one.second)] for one in found.asked]
        yield from _aligned(rows)
    else:
        yield "The same was asked."
    if found.outcomes:
        yield "Came out differently (first, second, second - first; * its interval is without 0)"
        places = dict.fromkeys(one.place for one in found.outcomes)
        for place in places:
            if place:
                yield f" {_place(place)}"
            yield from _aligned([_row(one) for one in found.outcomes if one.place == place])
    for which, apart in zip(("first", "second"), found.apart, strict=True):
        for place in apart:
            yield f"Only in the {which}: {_place(place)}"
    if found.same:
        yield f"{found.same} measures are the same."


def _row(one: Outcome) -> list[str]:
    relative = one.difference.value / abs(one.first.value) if one.first.value else float("nan")
    share = f"{100 * relative:+.2g} %" if isfinite(relative) else ""
    mark = "*" if one.is_clear else ""
    delta = one.difference
    told = number(delta) if delta.value else f"0 ±{plain(max(delta.high, -delta.low), 2)}"
    return [one.name, number(one.first), number(one.second), told, share, mark]


def _place(place: Place) -> str:
    return one_line(", ".join(f"{name} = {value}" for name, value in place))


def _value(value: Any) -> str:
    if value is None:
        return UNKNOWN
    if isinstance(value, float):
        return plain(value, 12)
    text = value if isinstance(value, str) else shown(value)
    return one_line(text if len(text) <= _WIDEST else f"{text[: _WIDEST - 3]}...")


def _aligned(rows: list[list[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield f"  {'  '.join(cells)}".rstrip()
