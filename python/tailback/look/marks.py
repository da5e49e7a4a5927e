"""Instants that the time axis names: iterations, ends of jobs, faults, what ended the run."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tailback.errors import one_line
from tailback.units import counted

from .faulty import Spell
from .halted import Halted
from .standing import Standing

if TYPE_CHECKING:
    from tailback.results import Result

Mark = tuple[int, str]
"""When, in picoseconds, and what."""

_MOST = 10
"""Iterations of a program that have a mark."""


def marks(
    result: Result,
    standing: Standing | None,
    halted: Halted | None = None,
    outages: Sequence[Spell] = (),
) -> list[Mark]:
    """Return what happened when, in order of time."""
    found = _iterations(result) + _faults(outages)
    for job in result.experiment.jobs:
        measured = result.jobs.get(job.name)
        took = None if measured is None else measured.estimates.get("completion_us")
        if took is not None and math.isfinite(took.value) and not took.is_cut_off:
            found.append((job.start.ps + round(1e6 * took.value), f"{one_line(job.name)} ends"))
    if standing is not None:
        since = standing.at_ps if standing.since_ps is None else standing.since_ps
        found.append((since, "deadlock"))
    if halted is not None:
        found.append((halted.at_ps, "cut off" if result.failure is None else result.failure.kind))
    return sorted(found)


def _faults(outages: Sequence[Spell]) -> list[Mark]:
    """Return when faults began and were repaired; where, if they were at several places."""
    found: list[Mark] = []
    is_one = len({spell.where for spell in outages}) == 1
    for spell in outages:
        where = "" if is_one else f"{one_line(spell.where)}: "
        found.append((spell.begin_ps, f"{where}{spell.how}"))
        if spell.end_ps is not None:
            found.append((spell.end_ps, f"{where}{spell.after}"))
    return found


def _iterations(result: Result) -> list[Mark]:
    """Return when processes had done so many iterations on average: steps of a collective, too.

    Only of programs that end and whose processes (those of each job) do equally many.
    """
    if not result.experiment.finite:
        return []
    jobs = [job.name for job in result.experiment.jobs]
    made = result.processes["iterations"].to_numpy().astype(np.int64)
    of_job = result.processes["job"].to_numpy() if jobs else np.zeros(len(made), dtype=np.int64)
    found: list[Mark] = []
    for number, name in enumerate(jobs or [""]):
        own = made[of_job == number]
        column = f"{name}.iterations" if jobs else "iterations"
        if not len(own) or own.min() != own.max() or column not in result.samples.column_names:
            continue
        whole, start = int(own[0]), f"{one_line(name)}: " if jobs else ""
        done = result.samples[column].to_numpy() / len(own)
        times_ps = result.samples["time_ps"].to_numpy()
        step = max(1, math.ceil(whole / _MOST))
        for count in range(step, whole, step):
            at_ps = round(float(np.interp(count, done, times_ps)))
            found.append((at_ps, f"{start}{counted(count, 'iteration')}"))
    return found
