"""The faults of an experiment, in the report of `tailback describe`."""

from __future__ import annotations

import math

from rich.table import Table

from tailback.experiment.outages import Faults
from tailback.wording.scaling import MICROSECONDS, scaled

from .layout import new_table, numbers, texts


def faults_table(faults: Faults) -> Table:
    """Return how many faults there are, and those that begin first."""
    rows = [(one.where, _time(one.time_us), _time(one.duration_us)) for one in faults.first]
    title = f"Faults: {faults.count:,}"
    if faults.count > len(rows):
        title += f", the first {len(rows)} of them"
    return new_table(title, *texts("where"), *numbers("begins", "lasts"), rows=rows)


def _time(time_us: float) -> str:
    return "for ever" if time_us == math.inf else scaled(time_us, MICROSECONDS)
