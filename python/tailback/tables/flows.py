"""How late the messages of flows were: rows of messages taken together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

FLOW = ("source", "destination", "class")
"""What the messages of a flow have in common; `class` only where there are several."""

MEASURES = ("latency_ps", "alone_ps", "late_ps", "slowdown")
"""What is told of the messages of a flow: columns of the table of messages."""

PERCENTILES = {"median": 50, "p95": 95, "p99": 99, "p99_9": 99.9}
"""Percentiles of each, by what is added to its name."""


def flows(messages: pa.Table, by: Sequence[str] = FLOW) -> pa.Table:
    """Return one row for each flow: what it sent, and how its messages fared.

    `by`: what messages of a flow have in common, columns of `messages`; those it has not got are
    left out. Of latency, time alone, lateness and slowdown (latency over time alone) there are
    mean, median and percentiles (the least value that so many are not above), in picoseconds; null
    where none is known, as of messages to their own node. `completion` is from the first send of
    a message of the flow until its last byte has come. `early` counts messages that were
    quicker than alone, `unknown` those of which it is not known how long they take alone.
    """
    keys = [name for name in by if name in messages.column_names]
    groups, first, counts = _groups(messages, keys)
    order = np.argsort(groups, kind="stable")
    ends = np.cumsum(counts)[:-1]
    known = [name for name in MEASURES if name in messages.column_names]
    late = _floats(messages, "late_ps") if "late_ps" in known else np.full(len(groups), np.nan)
    columns: dict[str, Any] = {name: messages[name].take(first) for name in keys}
    columns["messages"] = counts
    columns["bytes"] = _summed(messages["bytes"].to_numpy().astype(np.int64), groups, len(first))
    columns["early"] = _summed((late < 0).astype(np.int64), groups, len(first))
    columns["unknown"] = _summed(np.isnan(late).astype(np.int64), groups, len(first))
    if {"sent_ps", "arrived_ps"} <= {*messages.column_names}:
        columns["completion_ps"] = _completed(messages, groups, len(first))
    for name in known:
        parts = np.split(_floats(messages, name)[order], ends) if len(first) else []
        told = np.array([_told(part) for part in parts]).reshape(len(parts), 1 + len(PERCENTILES))
        for suffix, values in zip(("mean", *PERCENTILES), told.T, strict=True):
            stem, unit = (name[:-3], "_ps") if name.endswith("_ps") else (name, "")
            columns[f"{stem}_{suffix}{unit}"] = pa.array(values, from_pandas=True)
    return pa.table(columns)


def grouped(
    messages: pa.Table, by: Sequence[str], measures: Sequence[str]
) -> Iterator[tuple[tuple[Any, ...], dict[str, NDArray[np.float64]]]]:
    """Yield the messages that have columns `by` in common: these, and some measures as floats."""
    groups, first, counts = _groups(messages, by)
    if not len(first):
        return
    order, ends = np.argsort(groups, kind="stable"), np.cumsum(counts)[:-1]
    parts = {name: np.split(_floats(messages, name)[order], ends) for name in measures}
    for number, row in enumerate(first):
        key = tuple(messages[name][int(row)].as_py() for name in by)
        yield key, {name: parts[name][number] for name in measures}


def percentiles(values: NDArray[np.float64], percents: Sequence[float]) -> list[float]:
    """Return the least of `values` that so many percent of them are not above."""
    known = np.sort(values)
    reached = np.array(percents) * len(known) / 100
    places = np.maximum(np.ceil(reached).astype(np.int64) - 1, 0)
    found: list[float] = known[places].tolist()
    return found


def _groups(
    messages: pa.Table, keys: Sequence[str]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the flow of each message, in order of its keys; its first message, and how many."""
    group = np.zeros(messages.num_rows, dtype=np.int64)
    for name in keys:
        _, place = np.unique(np.array(messages[name].to_pylist()), return_inverse=True)
        group = group * (int(place.max(initial=0)) + 1) + place.reshape(-1)
        _, group = np.unique(group, return_inverse=True)
        group = group.reshape(-1).astype(np.int64)
    _, first, counts = np.unique(group, return_index=True, return_counts=True)
    return group, first.astype(np.int64), counts.astype(np.int64)


def _summed(values: NDArray[np.int64], groups: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    sums = np.zeros(most, dtype=np.int64)
    np.add.at(sums, groups, values)
    return sums


def _completed(messages: pa.Table, groups: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """Return how long it takes from the first send of each flow until all of it is there."""
    sent, arrived = (
        messages[name].to_numpy().astype(np.int64) for name in ("sent_ps", "arrived_ps")
    )
    first, last = np.full(most, np.iinfo(np.int64).max), np.zeros(most, dtype=np.int64)
    np.minimum.at(first, groups, sent)
    np.maximum.at(last, groups, arrived)
    took: NDArray[np.int64] = last - first
    return took


def _floats(messages: pa.Table, name: str) -> NDArray[np.float64]:
    """Return a column as floats, NaN for null: exact up to 2^53 ps, two and a half hours."""
    floats: NDArray[np.float64] = (
        messages[name].cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    )
    return floats


def _told(values: NDArray[np.float64]) -> list[float]:
    """Return mean and percentiles of what is known of `values`."""
    known = np.sort(values[~np.isnan(values)])
    if not len(known):
        return [np.nan] * (1 + len(PERCENTILES))
    return [float(known.mean()), *percentiles(known, [*PERCENTILES.values()])]
