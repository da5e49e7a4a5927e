"""Waits by slice of time, from the tables that a run keeps of them, as a map shows them.

This is the only module that knows what these tables are called. A run that did not keep them has
no slices, and its page no time axis.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tailback.charging import Ints, numbered
from tailback.statistics import Floats

from .charged import MOST_IN_ALL, MOST_ROWS, Rows
from .lines import Lines, added

if TYPE_CHECKING:
    import pyarrow as pa

    from tailback.results import Result

NO_ROOT = -1
MOST_PAIRS = 20_000
"""Pairs of a root and a line whose waits are kept by slice; the longest."""
_BEGUN = 0.1
"""Waits have begun in the first slice with this share of those of the longest."""
MOST_PLACES = 64
"""Lines that are told apart of those for which the packets of a class waited."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """How long packets waited for a line because of what happened on its root line."""

    root: Ints
    line: Ints
    waited_ps: Floats
    by_slice_ps: Floats
    """Of the longest `MOST_PAIRS` pairs, which come first: row by row, a column for each slice."""


@dataclass(frozen=True, eq=False)
class Sliced:
    """Waits, queues and busy time of lines by slice. Arrays have a row for each slice."""

    begin_ps: Ints
    end_ps: Ints
    waited_ps: Floats
    """By the table of waits, in all."""
    queue_ps: Floats
    """By the table of channels: queue length times time, which is how long packets waited."""
    busy_ps: Floats
    root_ps: Floats
    """Waits by the line where their root is."""
    pairs: Pairs
    victims: Rows
    """Of each line: the classes whose packets waited for it."""
    culprits: Rows
    """Of each line: the classes in the way."""
    waits: Rows
    """Of each class: the lines its packets waited for."""


def sliced(result: Result, lines: Lines) -> Sliced | None:
    """Return the slices of a run; None if it did not keep any."""
    if result.slices is None or result.slice_channels is None:
        return None
    if not result.slice_channels.num_rows:
        return None
    return of_tables(result.slices, result.slice_channels, lines)


def of_tables(waits: pa.Table, channels: pa.Table, lines: Lines) -> Sliced:
    """Return the slices of these two tables.

    `waits`: a row for each slice, channel, root, victim and culprit, with `waited_ps`;
    `channels`: a row for each slice and channel, with `busy_ps` and `queue_ps`. Both have the
    number of a slice; where either has its ends these count.
    """
    begin, end = _ends(waits, channels)
    shape = (len(begin), len(lines))
    slice_, line, root, victim, culprit = (
        _numbers(waits, name) for name in ("slice", "channel", "root", "victim", "culprit")
    )
    line, root = _lines(line, lines), _lines(root, lines)
    waited_ps = waits["waited_ps"].to_numpy().astype(np.float64)
    rooted = root >= 0
    place, of = _numbers(channels, "slice"), _lines(_numbers(channels, "channel"), lines)
    queue_ps, busy_ps = (
        _table(shape, place, of, channels[name].to_numpy()) for name in ("queue_ps", "busy_ps")
    )
    return Sliced(
        begin,
        end,
        waited_ps=_table(shape, slice_, line, waited_ps),
        queue_ps=queue_ps,
        busy_ps=busy_ps / np.maximum(lines.widths, 1),
        root_ps=_table(shape, slice_[rooted], root[rooted], waited_ps[rooted]),
        pairs=_pairs(len(begin), slice_[rooted], root[rooted], line[rooted], waited_ps[rooted]),
        victims=_summed(line, victim, waited_ps),
        culprits=_summed(line, culprit, waited_ps),
        waits=_summed(victim, line, waited_ps, MOST_PLACES),
    )


def begins(waited_ps: Floats) -> int | None:
    """Return the slice in which waits by slice begin; None if there are none."""
    most = float(waited_ps.max(initial=0.0))
    return int(np.argmax(waited_ps >= _BEGUN * most)) if most > 0 else None


def _ends(waits: pa.Table, channels: pa.Table) -> tuple[Ints, Ints]:
    """Return when each slice begins and ends; one without rows lasts as long as the others."""
    numbers, begins, ends = [], [], []
    for table in (waits, channels):
        if {"begin_ps", "end_ps"} <= {*table.column_names}:
            numbers.append(_numbers(table, "slice"))
            begins.append(_numbers(table, "begin_ps"))
            ends.append(_numbers(table, "end_ps"))
    told, first = np.unique(np.concatenate(numbers), return_index=True)
    begin, end = np.concatenate(begins)[first], np.concatenate(ends)[first]
    known = np.concatenate([_numbers(table, "slice") for table in (waits, channels)])
    count = int(known.max(initial=-1)) + 1
    length = int((end - begin).max(initial=1))
    start = int(begin[0] - told[0] * length) if len(told) else 0
    every = start + length * np.arange(count, dtype=np.int64)
    every_end = every + length
    every[told], every_end[told] = begin, end
    return every, every_end


def _pairs(slices: int, slice_: Ints, root: Ints, line: Ints, waited_ps: Floats) -> Pairs:
    keys, row = numbered(np.column_stack([root, line]))
    totals = added(row, waited_ps, len(keys))
    order = np.argsort(-totals, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    kept = rank[row] < MOST_PAIRS
    shape = (min(len(keys), MOST_PAIRS), slices)
    by_slice = _table(shape, rank[row][kept], slice_[kept], waited_ps[kept])
    roots, behind = keys[order].T if len(keys) else keys.T
    return Pairs(roots, behind, totals[order], by_slice)


def _summed(owners: Ints, others: Ints, times_ps: Floats, most: int = MOST_ROWS) -> Rows:
    known = owners >= 0
    keys, row = numbered(np.column_stack([owners[known], others[known]]))
    sums = added(row, times_ps[known], len(keys))
    return Rows.of(keys[:, 0], keys[:, 1], sums, most, MOST_IN_ALL)


def _table(shape: tuple[int, int], row: Ints, column: Ints, values: Any) -> Floats:
    """Return sums by row and column."""
    places, times = row * shape[1] + column, np.asarray(values, dtype=np.float64)
    return added(places, times, shape[0] * shape[1]).reshape(shape)


def _lines(channels: Ints, lines: Lines) -> Ints:
    """Return the lines of channels; a channel that is not known stays below 0."""
    known = (channels >= 0) & (channels < len(lines.of_channel))
    found = np.full(len(channels), NO_ROOT, dtype=np.int64)
    found[known] = lines.of_channel[channels[known]]
    return found


def _numbers(table: pa.Table, name: str) -> Ints:
    column = table[name]
    filled = column.fill_null(NO_ROOT) if column.null_count else column
    numbers: Ints = filled.to_numpy().astype(np.int64)
    return numbers
