"""Arrow tables from the engine's columns.

Columns of the engine are wrapped, not copied; derived columns (shares, means,
microseconds) are added behind them. Raw times end in `_ps`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tailback.errors import UserError, one_line

from .bins import BINS, bounded

Columns = Mapping[str, NDArray[Any]]

CHANNEL_KINDS = ("injection", "internal", "ejection", "direct")
PACKET_CLASSES = ("data", "ack")

_NONE = np.uint64(2**64 - 1)


def table(columns: Columns) -> pa.Table:
    """Return the columns as they are, without copying."""
    return pa.table({name: pa.array(column) for name, column in columns.items()})


def nodes(columns: Columns, window_ps: int) -> pa.Table:
    """Return one row per node: counts of the window and what follows from them.

    * `messages_per_ms`: messages sent;
    * `cpu_utilisation`: share of the window its processor was busy;
    * `data_queue_mean`, `ack_queue_mean`: packets waiting, averaged over time.
    """
    per_ms = _over(columns["messages_sent"], window_ps / 1e9)
    derived = {
        "messages_per_ms": per_ms,
        "cpu_utilisation": _over(columns["cpu_busy_ps"], window_ps),
        "data_queue_mean": _over(columns["data_queue_area_ps"], window_ps),
        "ack_queue_mean": _over(columns["ack_queue_area_ps"], window_ps),
    }
    return table({**columns, **derived})


def processes(columns: Columns, ended: NDArray[Any]) -> pa.Table:
    """Return one row per process: iterations of the window, and when it was done.

    `completed_ps` is null of those that have not `ended`: else it is when the process had carried
    out its last instruction, and the last message that it sent or that was sent to it was
    received.
    """
    result = table(columns)
    if ended.all():
        return result
    place = result.column_names.index("completed_ps")
    completed = pa.array(columns["completed_ps"], pa.uint64(), mask=~ended)
    return result.set_column(place, "completed_ps", completed)


def channels(columns: Columns, window_ps: int) -> pa.Table:
    """Return one row per channel: counts of the window and what follows from them.

    * `utilisation`, `held`: shares of the window it transmitted, and it
      transmitted or was kept by a packet that waited for room;
    * `throttling_us`, `internal_contention_us`: mean wait for it, over the
      packets that started on it (null where there were none).
    """
    packets = columns["packets"]
    derived = {
        "utilisation": _over(columns["busy_ps"], window_ps),
        "held": _over(columns["held_ps"], window_ps),
        "throttling_us": _over(columns["wait_throttling_ps"], packets * 1e6),
        "internal_contention_us": _over(columns["wait_internal_ps"], packets * 1e6),
    }
    result = table(columns)
    kind = _named(columns["kind"], CHANNEL_KINDS)
    result = result.set_column(result.column_names.index("kind"), "kind", kind)
    for name, values in derived.items():
        result = result.append_column(name, pa.array(values, from_pandas=True))
    return result


def channel_ends(columns: Columns) -> pa.Table:
    """Return one row per channel: its number, kind, ends and place, without measures."""
    names = ("channel", "kind", "from_node", "to_node", "dimension", "direction", "place")
    kind = _named(columns["kind"], CHANNEL_KINDS)
    return pa.table({name: pa.array(columns[name]) for name in names} | {"kind": kind})


def packets(columns: Columns) -> pa.Table:
    """Return one row per delivered packet, in order of delivery.

    Instants are whole picoseconds (`…_ps`, exact) and nanoseconds (`…_ns`,
    the nearest float: exact for whole nanoseconds). `first_internal` is null
    for a packet that crossed no channel between switches.
    """
    result: dict[str, pa.Array | pa.DictionaryArray] = {}
    instants: dict[str, pa.Array] = {}
    for name, column in columns.items():
        if name == "class":
            result[name] = _named(column, PACKET_CLASSES)
        elif name.endswith("_ps"):
            none = column == _NONE
            mask = none if none.any() else None
            result[name.removesuffix("_ps") + "_ns"] = pa.array(column / 1e3, mask=mask)
            instants[name] = pa.array(column, mask=mask)
        else:
            result[name] = pa.array(column)
    return pa.table({**result, **instants})


def messages(
    columns: Columns, late: Columns | None = None, classes: Sequence[str] | None = None
) -> pa.Table:
    """Return one row per message received, in that order.

    Instants are whole picoseconds, `latency_ns` the time from its send until its last byte has
    come, in nanoseconds. `message` counts all that were sent, whether they have a row or not.

    `late` says of messages when their first packet was queued and the last delivered, and how long
    that takes alone: then there are `alone_ps`, `late_ps`, which is less than 0 for a message that
    was quicker than alone, and `slowdown`, the quotient; null for messages that are not in it,
    such as those to their own node. `classes`: of every message its traffic class or job.
    """
    found: dict[str, Any] = {name: pa.array(column) for name, column in columns.items()}
    found["latency_ns"] = pa.array(columns["latency_ps"] / 1e3)
    if late is not None:
        found |= _lateness(columns["message"], late)
    if classes is not None:
        found["class"] = pa.array(classes, pa.string())
    return pa.table(found)


def _lateness(messages: NDArray[Any], late: Columns) -> dict[str, pa.Array]:
    """Return how late each of these messages was, if that is known."""
    order = np.argsort(late["message"], kind="stable")
    known = late["message"][order]
    place = np.minimum(np.searchsorted(known, messages), max(len(known) - 1, 0))
    if not len(known):
        nothing = pa.nulls(len(messages))
        types = {"alone_ps": pa.uint64(), "late_ps": pa.int64(), "slowdown": pa.float64()}
        return {name: nothing.cast(kind) for name, kind in types.items()}
    is_there, row = known[place] == messages, order[place]
    alone = late["alone_ps"][row]
    latency = (late["delivered_ps"] - late["queued_ps"])[row]
    return {
        "alone_ps": pa.array(alone, mask=~is_there),
        "late_ps": pa.array(latency.astype(np.int64) - alone.astype(np.int64), mask=~is_there),
        "slowdown": pa.array(_over(latency, alone), mask=~is_there | (alone == 0)),
    }


def histograms(rows: Sequence[Mapping[str, Any]], moments: Sequence[Mapping[str, Any]]) -> pa.Table:
    """Return counts of values from `low` to `high`, both included, per variable and class.

    Values are picoseconds, of `hops` channels. Empty bins are left out. `moments` has the extremes
    of the same values, row by row: no bin goes beyond them.
    """
    rows = [_bounded(*pair) for pair in zip(rows, moments, strict=True)]
    lengths = [len(row["count"]) for row in rows]

    def text(name: str) -> pa.Array:
        return pa.array(np.repeat([str(row[name]) for row in rows], lengths).tolist(), pa.string())

    def numbers(name: str) -> pa.Array:
        parts = [np.asarray(row[name], dtype=np.uint64) for row in rows]
        return pa.array(np.concatenate(parts) if parts else np.zeros(0, np.uint64))

    return pa.table(
        {"variable": text("variable"), "class": text("class")}
        | {name: numbers(name) for name in BINS}
    )


def _bounded(row: Mapping[str, Any], extremes: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a histogram of which no bin goes beyond the extremes of its values."""
    low, high = bounded(row["low"], row["high"], extremes["min"], extremes["max"])
    return {**row, "low": low, "high": high}


def moments(rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    """Return count, sums of powers, extremes per variable and class.

    `sum`, `sum2` and `sum3` are exact whole numbers of any length, as text of
    decimal digits (ps, ps^2, ps^3; of `hops` channels), so that runs can be
    merged without loss. `mean`, `standard_deviation` and `skewness` are
    worked out from them exactly and rounded once.
    """
    power = ("sum", "sum2", "sum3")
    columns: dict[str, pa.Array] = {
        "variable": pa.array([row["variable"] for row in rows], pa.string()),
        "class": pa.array([row["class"] for row in rows], pa.string()),
        "count": pa.array([row["count"] for row in rows], pa.uint64()),
        **{name: pa.array([str(row[name]) for row in rows], pa.string()) for name in power},
    }
    for name in ("min", "max"):
        values = [row[name] if row["count"] else None for row in rows]
        columns[name] = pa.array(values, pa.uint64())
    shape = [shape_of(row["count"], row["sum"], row["sum2"], row["sum3"]) for row in rows]
    for i, name in enumerate(("mean", "standard_deviation", "skewness")):
        columns[name] = pa.array([s[i] for s in shape], pa.float64())
    return pa.table(columns)


def slices(kept: Mapping[str, Any]) -> pa.Table:
    """Return the waits of packets by slice of time; waits of 0 are left out.

    One row for each slice, channel waited for and channel at which the wait had its `root` (-1:
    none is known), and, where classes of messages are told apart, the classes of those that waited
    (`victim`) and of who was at the root (`culprit`); null otherwise. `waited_ps` is the waiting
    time of all packets together in that slice, which lasts from `begin_ps` to `end_ps`.
    """
    rows = kept["waits"]
    classes = {name: rows[name] for name in ("victim", "culprit")}
    return pa.table(
        {
            **_slice_ends(kept, rows),
            "channel": pa.array(rows["channel"].astype(np.int64)),
            "root": pa.array(rows["root"]),
            **{name: pa.array(values, mask=values < 0) for name, values in classes.items()},
            "waited_ps": pa.array(rows["waited_ps"].astype(np.int64)),
        }
    )


def slice_channels(kept: Mapping[str, Any]) -> pa.Table:
    """Return what channels did by slice of time; channels without anything are left out.

    `busy_ps` is how long the channel transmitted in the slice, and `queue_ps` the number of packets
    that waited for it, summed up over time: divided by the length of the slice it is the mean
    length of the queue. It is the sum of `waited_ps` of the table `slices`, whose slices these are.
    """
    rows = kept["channels"]
    columns = {name: pa.array(column.astype(np.int64)) for name, column in rows.items()}
    return pa.table(_slice_ends(kept, rows) | columns)


def class_channels(kept: Mapping[str, Any]) -> pa.Table:
    """Return how long the packets of each traffic class, or job, kept each channel busy.

    Of the same run as the tables above; channels that no packet of a class crossed are left out.
    No rows if there would be more than a million.
    """
    return table({name: column.astype(np.int64) for name, column in kept["ways"].items()})


def _slice_ends(kept: Mapping[str, Any], rows: Columns) -> dict[str, pa.Array]:
    """Return of every row the number of its slice, and when that begins and ends."""
    number = rows["slice"].astype(np.int64)
    begin = kept["begin_ps"] + number * kept["width_ps"]
    end = np.minimum(begin + kept["width_ps"], kept["end_ps"])
    return {"slice": pa.array(number), "begin_ps": pa.array(begin), "end_ps": pa.array(end)}


def from_parquet(path: Path) -> pa.Table:
    """Return the table in a Parquet file; raise `UserError` if there is none."""
    import pyarrow.parquet as pq

    try:
        return pq.read_table(path)
    except (OSError, ValueError, pa.ArrowException) as error:
        raise UserError(str(path), None, f"is no Parquet file: {one_line(str(error))}") from None


def shape_of(n: int, s1: int, s2: int, s3: int) -> tuple[float | None, float | None, float | None]:
    """Return mean, standard deviation (n - 1) and skewness from exact sums of powers."""
    if n == 0:
        return None, None, None
    mean = Fraction(s1, n)
    second = Fraction(s2, n) - mean**2
    third = Fraction(s3, n) - 3 * mean * Fraction(s2, n) + 2 * mean**3
    deviation = math.sqrt(second * n / (n - 1)) if n > 1 else None
    skewness = float(third) / math.sqrt(second) ** 3 if second > 0 else None
    return float(mean), deviation, skewness


def _over(above: NDArray[Any], below: NDArray[Any] | float) -> NDArray[np.float64]:
    """Return above / below, NaN where below is zero."""
    bottom = np.broadcast_to(np.asarray(below, dtype=np.float64), above.shape)
    ratios: NDArray[np.float64] = np.full(above.shape, np.nan)
    np.divide(above.astype(np.float64), bottom, out=ratios, where=bottom > 0)
    return ratios


def _named(codes: NDArray[Any], names: tuple[str, ...]) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int8)), pa.array(names))


def parquet(table: pa.Table, *, store_schema: bool = True) -> bytes:
    """Return a table as the content of a Parquet file: the same bytes for the same table.

    `store_schema`: whether Arrow finds its own types again where Parquet has other ones.
    """
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd", store_schema=store_schema)
    return bytes(sink.getvalue())
