"""Which jobs on one machine slow each other down: by runs, and by blame.

All jobs are run together, each is run alone in its place, and so is every pair; with many jobs,
all but one instead. A job has the same random numbers in all runs, so common errors cancel.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from tailback import csv_files
from tailback.charging import Blame
from tailback.errors import UserError, choice
from tailback.experiment import Experiment
from tailback.experiment.memory import at_once
from tailback.progress import Watch, ignore
from tailback.runner import run_mode
from tailback.statistics import Estimate, finite
from tailback.threads import Task, in_order
from tailback.wording import notebook, number

from .of_modes import ratio_of, slowdown

if TYPE_CHECKING:
    from tailback.results import Result

By = Literal["pairs", "without"]
BY: tuple[By, ...] = ("pairs", "without")

#: With more jobs the default is runs of all jobs but one instead of pairs.
MOST_PAIRED = 6

_LATENCY = "message_latency_us"
_LONGEST = 30  # characters of the names of jobs in a line on progress

#: Parts of a charge: their names in JSON, and in CSV.
_SHORT = {
    "charged_us_per_message": "charged_us_per_message",
    "share_of_lateness": "share",
}


@dataclass(frozen=True, slots=True)
class Charge:
    """What one job is charged with for the lateness of the messages of another."""

    us_per_message: float
    """Mean over the messages of the victim."""
    share: float
    """Of all lateness of the victim; NaN if there is none."""


@dataclass(frozen=True, eq=False, repr=False)
class Interference:
    """What jobs on one machine cost each other, in one contention mode.

    `together` is the run of all jobs, `alone[name]` that of one. `others[victim, culprit]` shows
    what the culprit costs the victim: with `by` = `pairs` it is the run of these two, compared
    with the victim alone; with `without` it is the run of all but the culprit, with which the run
    of all is compared.
    """

    experiment: Experiment
    by: By
    together: Result
    alone: Mapping[str, Result]
    others: Mapping[tuple[str, str], Result]
    interrupted: bool
    """Whether Ctrl-C ended it."""
    cut_off: bool
    """Whether a limit ended a run before it was complete."""

    @property
    def complete(self) -> bool:
        """Whether no run was interrupted or cut off."""
        return not self.interrupted and not self.cut_off

    @property
    def names(self) -> tuple[str, ...]:
        """The jobs, in order."""
        return tuple(job.name for job in self.experiment.jobs)

    @cached_property
    def slowdowns(self) -> Mapping[str, Estimate]:
        """How many times longer each job takes among all others than alone; 1: no cost.

        Measured by completion time for a finite job, by message latency for an open-loop one,
        else by the time between messages.
        """
        return {
            name: slowdown(self.together.jobs[name], self.alone[name].jobs[name])
            for name in self.names
            if name in self.alone
        }

    @cached_property
    def latencies(self) -> Mapping[str, Estimate]:
        """Mean latency of a job's messages among all others over that alone."""
        return {
            name: ratio_of(self.together.jobs[name], self.alone[name].jobs[name], _LATENCY)
            for name in self.names
            if name in self.alone
        }

    @cached_property
    def by_runs(self) -> Mapping[tuple[str, str], Estimate]:
        """By victim and culprit: how many times longer the victim takes because of the culprit."""
        found: dict[tuple[str, str], Estimate] = {}
        for (victim, culprit), other in self.others.items():
            if self.by == "pairs":
                if victim in self.alone:
                    alone = self.alone[victim].jobs[victim]
                    found[victim, culprit] = slowdown(other.jobs[victim], alone)
            else:
                without = other.jobs[victim]
                found[victim, culprit] = slowdown(self.together.jobs[victim], without)
        return found

    @cached_property
    def by_blame(self) -> Mapping[tuple[str, str], Charge]:
        """By victim and culprit: what the culprit is charged with in the run of all jobs.

        Empty in fidelity fluid, which has no blame.
        """
        blame = self.together.blame
        return {} if blame is None else charges(blame, self.names)

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the tables of the runs, for JSON."""
        first = self.together
        return {
            "mode": first.mode,
            "by": self.by,
            "complete": self.complete,
            "jobs": [self._job(name) for name in self.names],
            "interference": self.rows(),
            "fidelity": first.fidelity,
            "seed": first.seed,
            "version": first.version,
            "results_version": first.results_version,
            "identity": first.identity,
            "parameters": self.experiment.resolved(),
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each victim and culprit, with the results of both methods."""
        return [
            {
                "victim": victim,
                "culprit": culprit,
                "slowdown": _known(self.by_runs.get((victim, culprit))),
                **_charged(self.by_blame.get((victim, culprit))),
            }
            for victim in self.names
            for culprit in self.names
        ]

    def csv_text(self) -> str:
        """Return the rows as CSV, estimates as value, low and high; unknown values are empty."""
        names = ("victim", "culprit", "slowdown", "slowdown_low", "slowdown_high", *_SHORT.values())
        rows = (
            (
                row["victim"],
                row["culprit"],
                *((row["slowdown"] or {}).get(part) for part in ("value", "low", "high")),
                *(row[name] for name in _SHORT),
            )
            for row in self.rows()
        )
        return csv_files.csv_text(names, rows)

    def _job(self, name: str) -> dict[str, Any]:
        together = self.together.jobs[name]
        alone = self.alone[name].jobs[name] if name in self.alone else None
        return {
            "job": name,
            "measured_by": together.speed,
            "slowdown": _known(self.slowdowns.get(name)),
            "latency_ratio": _known(self.latencies.get(name)),
            "together": together.to_dict(),
            "alone": None if alone is None else alone.to_dict(),
        }

    def _repr_html_(self) -> str:
        heads = ("job", "measured by", "together", "slowdown", "latency over alone")
        rows = []
        for name in self.names:
            job = self.together.jobs[name]
            ratios = (found.get(name) for found in (self.slowdowns, self.latencies))
            told = ["unknown" if ratio is None else number(ratio) for ratio in ratios]
            rows.append((name, job.speed, number(job[job.speed]), *told))
        return notebook.shown(heads, rows, picture=self._repr_svg_())

    def _repr_svg_(self) -> str:
        from tailback.figures import notebooks
        from tailback.figures.description import Axis

        pairs = [(victim, culprit) for victim in self.names for culprit in self.names]
        ratios = [self.by_runs.get(pair) for pair in pairs]
        percent = [math.nan if ratio is None else 100 * (ratio.value - 1) for ratio in ratios]
        axis = Axis("longer because of the culprit", "%", log=False, from_zero=True)
        return notebooks.matrix(self.names, axis, np.array(percent))

    def __repr__(self) -> str:
        told = ", ".join(f"{name} {value.value:.4g}" for name, value in self.slowdowns.items())
        state = "" if self.complete else ", incomplete"
        return f"<Interference: slowdowns {told}{state}>"


def interference(
    experiment: Experiment,
    by: str | None = None,
    *,
    jobs: int | None = None,
    watch: Watch = ignore,
) -> Interference:
    """Run all jobs of an experiment together, each alone, and pairs or all but one.

    `by`: `pairs` or `without`; default: pairs of up to `MOST_PAIRED` jobs. Up to `jobs` runs go on
    at once; None: one per processor. Ctrl-C ends it with what was measured so far. Raises
    `UserError` without jobs.
    """
    if not experiment.jobs:
        raise UserError("job", None, "must be given: [[job]], to see what jobs cost each other")
    way = _way(by, len(experiment.jobs))
    names = tuple(job.name for job in experiment.jobs)
    wanted = _runs(names, way)
    # Jobs in the background are measured alone for as long as beside the others.
    first = 1 if any(job.background for job in experiment.jobs) else 0
    found: list[Result] = []
    for runs in (wanted[:first], wanted[first:]):
        if runs and not any(result.interrupted for result in found):
            span_ps = round(found[0].ending.simulated_ms * 1e9) if found else None
            tasks = [Task(partial(_run, experiment, one, span_ps), _together(one)) for one in runs]
            found += in_order(tasks, at_once(experiment, jobs), watch)
    results = dict(zip(map(frozenset, wanted), found, strict=False))
    alone = {name: results[one] for name in names if (one := frozenset([name])) in results}
    return Interference(
        experiment=experiment,
        by=way,
        together=results[frozenset(names)],
        alone=alone,
        others=_others(names, way, results),
        interrupted=len(found) < len(wanted) or any(result.interrupted for result in found),
        cut_off=any(result.ending.cut_off for result in found),
    )


def charges(blame: Blame, names: Iterable[str]) -> dict[tuple[str, str], Charge]:
    """Return what each job is charged with for the lateness of each, if classes are jobs."""
    jobs = tuple(names)
    pairs = blame.pairs.by(0, 1)
    time_ps = {
        (victim, culprit): float(total)
        for (victim, culprit), total in zip(pairs.keys.tolist(), pairs.totals_ps, strict=True)
    }
    found = {}
    for victim, name in enumerate(jobs):
        messages = float(blame.messages(victim).sum())
        whole = sum(time for (who, _), time in time_ps.items() if who == victim)
        for culprit, other in enumerate(jobs):
            time = time_ps.get((victim, culprit), 0.0)
            mean = time / 1e6 / messages if messages else math.nan
            found[name, other] = Charge(mean, time / whole if whole else math.nan)
    return found


def _way(by: str | None, jobs: int) -> By:
    if by is None:
        return "pairs" if jobs <= MOST_PAIRED else "without"
    for known in BY:
        if by == known:
            return known
    raise choice("by", by, BY)


def _runs(names: tuple[str, ...], way: By) -> list[tuple[str, ...]]:
    """Return the sets of jobs to run, each once: all, each alone, then pairs or all but one."""
    others = list(combinations(names, 2 if way == "pairs" else len(names) - 1))
    wanted = [names, *((name,) for name in names), *(other for other in others if other)]
    return list(dict.fromkeys(wanted))


def _others(
    names: tuple[str, ...], way: By, results: Mapping[frozenset[str], Result]
) -> dict[tuple[str, str], Result]:
    found = {}
    for victim in names:
        for culprit in names:
            jobs = {victim, culprit} if way == "pairs" else set(names) - {culprit}
            if victim != culprit and frozenset(jobs) in results:
                found[victim, culprit] = results[frozenset(jobs)]
    return found


def _run(
    experiment: Experiment, chosen: tuple[str, ...], span_ps: int | None, watch: Watch
) -> Result:
    return run_mode(_part(experiment, chosen, span_ps), experiment.run.mode, watch=watch)


def _part(experiment: Experiment, chosen: tuple[str, ...], span_ps: int | None) -> Experiment:
    """Return the experiment with some jobs, and the sample interval of all, to be comparable.

    `span_ps`: how long those run that would go on for ever.
    """
    is_whole = len(chosen) == len(experiment.jobs)
    part = experiment if is_whole else experiment.only(*chosen)
    known: dict[str, object] = {}
    if span_ps is not None and not part.finite:
        known = {"duration": f"{span_ps} ps", "warmup": "0 s"}
    return part.with_run(
        sample_interval=f"{experiment.sample_interval_ps} ps",
        blame=is_whole and experiment.fidelity != "fluid",
        **known,
    )


def _together(jobs: tuple[str, ...]) -> str:
    """Return the names of jobs that run together, or how many there are."""
    named = "+".join(jobs)
    return named if len(named) <= _LONGEST else f"{len(jobs)} jobs"


def _known(estimate: Estimate | None) -> dict[str, float | None] | None:
    return None if estimate is None else estimate.to_dict()


def _charged(charge: Charge | None) -> dict[str, float | None]:
    known = charge or Charge(math.nan, math.nan)
    return {
        name: finite(value)
        for name, value in zip(_SHORT, (known.us_per_message, known.share), strict=True)
    }
