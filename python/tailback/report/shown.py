"""Which points of a large store a report shows: a page of all would be too large to be opened.

They are a grid of their own: of each parameter some values from the least to the greatest, of the
one with the most values as many as a line needs. Lines are means over all seeds of these.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from tailback.tables.frames import Ints, numbered, values

from .variation import Variation

ALL = 2000
"""Points of which all are shown."""
MOST = 250
"""Points that are shown of more."""
_ALONG = 100
"""Values of the parameter with the most values."""


@dataclass(frozen=True, eq=False)
class Shown:
    """The points that a report shows."""

    points: pa.StringArray
    """Those that are shown one by one."""
    seeds: pa.StringArray
    """These and others that differ from them in their seed, for means."""
    text: str
    """What is not shown, in a sentence; empty if all points are shown."""


def shown(variation: Variation, *, few: bool = False) -> Shown:
    """Return the points to be shown: all, or `MOST` of more than `ALL`; with `few`, of more."""
    points = variation.points
    identities = points["identity"].combine_chunks()
    if points.num_rows <= (MOST if few else ALL):
        return Shown(identities, identities, "")
    combination = numbered(points, variation.own)
    kept = np.flatnonzero(_grid(variation, combination))
    combination = combination[kept]
    different = len(np.unique(combination))
    seeds = max(1, MOST // different)
    single = kept[_rank(combination) < seeds]
    text = (
        f"This page shows {len(single):,} of {points.num_rows:,} points, with "
        f"{different:,} of {_count(numbered(points, variation.own)):,} combinations of parameters; "
        "means are over all their seeds. All points are in `tailback table`."
    )
    return Shown(identities.take(single), identities.take(kept), text)


def _grid(variation: Variation, combination: Ints) -> Ints:
    """Return which points have values that are shown: at most `MOST` combinations of them."""
    codes = [_by_rank(variation, column) for column in variation.own]
    counts = [_count(own) for own in codes]
    longest = counts.index(max(counts)) if counts else -1
    best = np.zeros(len(combination), bool)
    for most in _growing(max(counts, default=1)):
        found = np.ones(len(combination), bool)
        for i, (own, count) in enumerate(zip(codes, counts, strict=True)):
            found &= _spread(count, max(most, _ALONG) if i == longest else most)[own]
        if len(np.unique(combination[found])) > MOST:
            break
        best = found
    if len(np.unique(combination[best])) > MOST // 10:
        return best
    # Values that vary together, or at random, make no grid.
    return _spread(_count(combination), MOST)[combination]


def _by_rank(variation: Variation, column: str) -> Ints:
    """Return the place of each point's value among all values of a parameter."""
    places = {value: place for place, value in enumerate(variation.values(column))}
    found: Ints = np.array([places[value] for value in values(variation.points[column])])
    return found


def _growing(last: int) -> Iterator[int]:
    """Yield 1, 2, 3, 4, 6, 8, 12, ... up to the first that is not less than `last`."""
    most = 1
    while True:
        yield most
        if most >= last:
            return
        most = max(most + 1, most + most // 4)


def _spread(count: int, most: int) -> Ints:
    """Return which of so many values are kept, the first, the last, and others evenly between."""
    flags = np.zeros(count, bool)
    flags[np.round(np.linspace(0, count - 1, min(count, most))).astype(int)] = True
    return flags


def _rank(numbers: Ints) -> Ints:
    """Return for each entry how many equal ones are before it."""
    order = np.argsort(numbers, kind="stable")
    ordered = numbers[order]
    starts = np.searchsorted(ordered, ordered)
    rank = np.empty(len(numbers), np.int64)
    rank[order] = np.arange(len(numbers)) - starts
    return rank


def _count(numbers: Ints) -> int:
    return int(numbers.max(initial=-1)) + 1
