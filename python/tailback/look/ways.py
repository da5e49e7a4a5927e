"""The lines that packets of each job cross, on the routes that they take or may take."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tailback.charging import Ints
from tailback.prediction.loads import predicted_loads
from tailback.statistics import Floats

from .charged import Rows
from .lines import Lines, added

if TYPE_CHECKING:
    from tailback.results import Result

_MOST_PAIRS = 100_000
"""Pairs of nodes of all jobs whose routes are walked for a page: about half a second."""
MOST_LINES = 4000
"""Lines of a job that are told apart."""


def ways(result: Result, lines: Lines) -> Rows:
    """Return how long packets of each job keep each line busy; nothing without jobs.

    Of large jobs, and those that come after them, nothing is told.

    From routes, not measured: for messages that a program decides upon while it runs, nothing is
    known.
    """
    experiment = result.experiment
    if not experiment.jobs:
        return Rows.empty()
    places = experiment.workload.places(experiment.machine)  # type: ignore[attr-defined]
    left = _MOST_PAIRS
    owners: list[Ints] = [np.zeros(0, dtype=np.int64)]
    others: list[Ints] = [np.zeros(0, dtype=np.int64)]
    times: list[Floats] = [np.zeros(0)]
    for number, job in enumerate(experiment.jobs):
        left -= len(places[job.name]) ** 2
        if left < 0:
            break
        loads = predicted_loads(experiment.only(job.name), result.channels)
        load_ps = np.asarray(loads.predicted["channel_load"], dtype=np.float64)
        by_line = added(lines.of_channel, load_ps, len(lines))
        own = np.flatnonzero(by_line > 0)
        owners.append(np.full(len(own), number))
        others.append(own)
        times.append(by_line[own])
    owner, other = np.concatenate(owners), np.concatenate(others)
    return Rows.of(owner, other, np.concatenate(times), MOST_LINES)
