"""Tables with one row per compute period and a column per synchronisation."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from studies.comparison import Comparison
from studies.markdown import Notes, number, table
from studies.tweedie.experiment import NAMES, SATURATED_US, SYNCS, Point, Sync, entry
from studies.tweedie.published import Table


def points(printed: Table) -> tuple[Point, ...]:
    """Return everything that is run for a table."""
    return tuple(entry(sync, period_us) for period_us in printed.periods_us for sync in SYNCS)


def saturated(sync: Sync, period_us: float) -> bool:
    """Whether an entry is of the asynchronous workload at saturation."""
    return sync == "asynchronous" and period_us <= SATURATED_US


def comparisons(
    printed: Table, compare: Callable[[Sync, float], Comparison]
) -> dict[tuple[Sync, float], Comparison]:
    """Return a comparison for every entry of a table."""
    return {
        (sync, period_us): compare(sync, period_us)
        for period_us in printed.periods_us
        for sync in printed.columns
    }


def wide_table(
    periods_us: Sequence[float], compared: dict[tuple[Sync, float], Comparison], notes: Notes
) -> str:
    """Return printed, simulated and difference for each synchronisation, one row per period."""
    syncs = [sync for sync in SYNCS if any(key[0] == sync for key in compared)]
    header = ["c (µs)"]
    for sync in syncs:
        header += [f"{NAMES[sync]}: printed", "simulated", "difference"]
    lines = []
    for period_us in periods_us:
        line = [f"{period_us:g}"]
        for sync in syncs:
            c = compared[sync, period_us]
            line += [c.printed.text, number(c.simulated), notes.difference(c)]
        lines.append(line)
    return table(header, lines)
