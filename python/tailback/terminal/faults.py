"""The faults of an experiment, in the report of `tailback describe`."""

from __future__ import annotations

import math

from rich.table import Table

from tailback.experiment.outages import Faults
from tailback.wording.scaling import MICROSECONDS, scaled

from .layout import new_table, numbers, texts


def faults_table(faults: Faults) -> Table:
    """Return how many faults there are, and those that begin first."""
    rows = [[one.where, _time(one.time_us), _time(one.duration_us)] for one in faults.first]
    title = f"Faults: {faults.count:,}"
    if faults.count > len(rows):
        title += f", the first {len(rows)} of them"
    heads = ["begins", "lasts"]
    if any(one.reroute_us is not None for one in faults.first):
        heads.append("routes avoid it after")
        for row, one in zip(rows, faults.first, strict=True):
            row.append("" if one.reroute_us is None else _time(one.reroute_us))
    return new_table(title, *texts("where"), *numbers(*heads), rows=rows)


def _time(time_us: float) -> str:
    return "for ever" if time_us == math.inf else scaled(time_us, MICROSECONDS)
