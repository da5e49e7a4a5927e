"""What lies behind the means: exact moments and percentiles of runs taken together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tailback.metrics import class_of, owner_of, stem_of
from tailback.results import CLASS_VARIABLES
from tailback.store.columns import PERCENTILES
from tailback.tables import shape_of
from tailback.tables.bins import BINS, percentiles_of
from tailback.tables.flows import percentiles
from tailback.tables.frames import Floats, Ints, first_rows, numbered, values

from .groups import SEEDS, grouped

if TYPE_CHECKING:
    from tailback.store.points import PointStore

#: Columns of messages by the stems of metrics.
_COLUMNS = {
    "message_latency_us": "latency_ps",
    "message_alone_us": "alone_ps",
    "message_late_us": "late_ps",
    "message_slowdown": "slowdown",
}
_PS_IN_US = 1e6
_POWERS = ("sum", "sum2", "sum3")
_SHAPE = ("mean", "standard_deviation", "skewness")


def merged_moments(frame: pa.Table, over: Sequence[str] = SEEDS) -> pa.Table:
    """Return exact moments of all runs that differ only in the parameters `over`.

    One row per group, mode, variable and class: the parameters of the group,
    `runs`, `count`, the sums of powers as text of decimal digits, `min`, `max`,
    and `mean`, `standard_deviation`, `skewness` worked out from the sums and
    rounded once. Values are picoseconds (channels for `hops`).
    """
    groups = grouped(frame, over, ("moments",))
    lists = groups.runs["moments"].combine_chunks()
    rows = pa.Table.from_struct_array(pc.list_flatten(lists))
    cell = groups.cell[pc.list_parent_indices(lists).to_numpy()]
    merged: dict[tuple[int, str, str], list[list[int | None]]] = {}
    columns = [
        values(rows[name]) for name in ("variable", "class", "count", *_POWERS, "min", "max")
    ]
    for of_row, variable, packet_class, *numbers in zip(cell.tolist(), *columns, strict=True):
        merged.setdefault((of_row, variable, packet_class), []).append(numbers)
    # In the order of the groups; variables as they come.
    ranked = sorted(merged.items(), key=lambda entry: entry[0][0])
    heads = groups.heads().take([of_row for (of_row, *_), _ in ranked])
    return _beside(heads, [_added(*key[1:], runs) for key, runs in ranked])


def _added(
    variable: str, packet_class: str, runs: Sequence[Sequence[int | str | None]]
) -> dict[str, object]:
    """Return the moments of several runs as those of one."""
    *totals, least, greatest = zip(*runs, strict=True)
    count, *sums = (
        sum(int(number) for number in numbers if number is not None) for numbers in totals
    )
    return {
        "variable": variable,
        "class": packet_class,
        "runs": len(runs),
        "count": count,
        **dict(zip(_POWERS, map(str, sums), strict=True)),
        "min": min((number for number in least if number is not None), default=None),
        "max": max((number for number in greatest if number is not None), default=None),
        **dict(zip(_SHAPE, shape_of(count, *sums), strict=True)),
    }


def _beside(heads: pa.Table, rows: Sequence[Mapping[str, object]]) -> pa.Table:
    """Return the moments in `rows` behind the parameters of their groups."""
    types = {
        **dict.fromkeys(("variable", "class"), pa.string()),
        **dict.fromkeys(("runs", "count"), pa.int64()),
        **dict.fromkeys(_POWERS, pa.string()),
        **dict.fromkeys(("min", "max"), pa.uint64()),
        **dict.fromkeys(_SHAPE, pa.float64()),
    }
    for name, kind in types.items():
        heads = heads.append_column(name, pa.array([row[name] for row in rows], kind))
    return heads


def merged_percentiles(
    bins: pa.Table, place: Mapping[tuple[str, str], int], names: Sequence[str]
) -> Iterator[tuple[int, dict[str, float]]]:
    """Yield percentiles of histograms added up, by their names such as `lifetime_us_p99`.

    `bins` holds rows of histograms: `identity`, `mode`, `variable`, `class`, `low`, `high`,
    `count`.
    `place` says by identity and mode what they are added up for, as a number that comes
    with the percentiles.
    """
    runs = numbered(bins, ["identity", "mode"])
    first = bins.select(["identity", "mode"]).take(first_rows(runs))
    pairs = zip(values(first["identity"]), values(first["mode"]), strict=True)
    number = np.array([place.get(pair, -1) for pair in pairs], np.int64)[runs]
    wanted = dict(_wanted(names))
    for of in dict.fromkeys(of for of, _ in wanted.values()):
        percents = {name: percent for name, (other, percent) in wanted.items() if other == of}
        variable, traffic_class = of
        counts = pc.equal(bins["variable"], variable).to_numpy() & (number >= 0)
        if traffic_class:
            counts &= pc.equal(bins["class"], traffic_class).to_numpy()
        rows = np.flatnonzero(counts)
        yield from _percentiles(bins, rows, number[rows], percents)


def _wanted(names: Sequence[str]) -> Iterator[tuple[str, tuple[tuple[str, str], float]]]:
    """Yield a variable with its traffic class, if any, and a percentage for each column."""
    of_classes = {told: variable for variable, told in CLASS_VARIABLES.items()}
    for name in names:
        traffic_class, stem = class_of(name)
        for suffix, percent in PERCENTILES.items():
            if not stem.endswith(f"_{suffix}"):
                continue
            variable = stem.removesuffix(f"_{suffix}").removesuffix("_us")
            if traffic_class:
                # Of lateness there is one histogram for all classes.
                variable = of_classes.get(variable, "")
            yield name, ((variable, traffic_class), percent)


def _percentiles(
    bins: pa.Table, rows: Ints, number: Ints, percents: Mapping[str, float]
) -> Iterator[tuple[int, dict[str, float]]]:
    """Yield percentiles in microseconds of some rows, added up where they have one number."""
    order = np.argsort(number, kind="stable")
    together, starts = np.unique(number[order], return_index=True)
    low, high, count = (bins[name].to_numpy()[rows[order]] for name in BINS)
    for of_part, part in zip(together, np.split(np.arange(len(order)), starts[1:]), strict=False):
        found = percentiles_of(low[part], high[part], count[part], [*percents.values()])
        yield int(of_part), dict(zip(percents, (value / 1e6 for value in found), strict=True))


def of_runs(store: PointStore, runs: pa.Table) -> Iterator[tuple[int, pa.Table]]:
    """Yield the messages of those of the rows of `runs` that have some, with the row's number."""
    pairs = zip(values(runs["identity"]), values(runs["mode"]), strict=True)
    read: tuple[str, Mapping[str, pa.Table]] = ("", {})
    for number, (identity, mode) in enumerate(pairs):
        if identity != read[0]:
            # All modes of a point are in one file, and its rows follow each other.
            read = (identity, store.messages(identity))
        if mode in read[1]:
            yield number, read[1][mode]


def owned_by(messages: pa.Table, owner: str | None) -> pa.Table:
    """Return the messages of a traffic class or job; all if it is None."""
    if owner is None:
        return messages
    if "class" not in messages.column_names:
        return messages.slice(0, 0)
    return messages.filter(pc.equal(messages["class"], owner))


def of_rows(store: PointStore, runs: pa.Table, metric: str) -> Floats:
    """Return a metric of all messages of `runs` that have a row: `jobs.a.message_late_us`, ….

    Of what `_COLUMNS` does not have nothing is known.
    """
    stem = stem_of(metric)
    if stem not in _COLUMNS:
        return np.zeros(0)
    owner = owner_of(metric)
    found = [np.zeros(0)]
    for _, messages in of_runs(store, runs):
        known = owned_by(messages, owner)[_COLUMNS[stem]].drop_null()
        numbers = known.cast(pa.float64(), safe=False).to_numpy()
        found.append(numbers / _PS_IN_US if stem.endswith("_us") else numbers)
    return np.concatenate(found)


def percentiles_of_rows(numbers: Floats, names: Sequence[str]) -> dict[str, float]:
    """Return percentiles by the names of their columns: the least value so many are not above."""
    percents = {
        name: PERCENTILES[name.removeprefix(metric_of_percentile(name))[1:]] for name in names
    }
    if not len(numbers):
        return {}
    return dict(zip(percents, percentiles(numbers, [*percents.values()]), strict=True))


def metric_of_percentile(name: str) -> str:
    """Return what a percentile is of: `message_late_us` for `message_late_us_p99`."""
    ends = [f"_{suffix}" for suffix in PERCENTILES if name.endswith(f"_{suffix}")]
    return name.removesuffix(max(ends, key=len, default=""))
