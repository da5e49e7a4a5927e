"""The same experiment with and without failed links, and its answer."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from tailback import csv_files, engine
from tailback.comparison import slowdown
from tailback.contents import unchanged
from tailback.errors import CircleError, RunFailure, UserError, shown
from tailback.experiment.faults import faults_of
from tailback.experiment.memory import at_once
from tailback.helping import Helped
from tailback.progress import Watch, ignore
from tailback.runner import run_mode
from tailback.since311 import StrEnum
from tailback.statistics import Estimate, finite
from tailback.threads import Task, in_order

from .cables import Cable, cables_of
from .drawing import sets_of

if TYPE_CHECKING:
    from tailback.experiment import Experiment
    from tailback.results import Result

DRAWS = 100
FAILURES = range(1, 4)
MOST_DRAWS = 100_000

WHOLE = ""
"""Stands for the whole run where there are no jobs."""


class Outcome(StrEnum):
    """What came of failed links."""

    RAN = "ran"
    CUT = "cut"
    """They cut the network: some node cannot reach another."""
    DEADLOCK = "deadlock"
    """The run ended in one, or it is refused because routing could."""
    NO_ROUTE = "no_route"
    """Routing knows no way between some nodes, though there is one."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """Links that failed together, and what that costs."""

    cables: tuple[Cable, ...]
    outcome: Outcome
    slowdowns: Mapping[str, Estimate]
    """How many times longer each job takes than without failures; `WHOLE` without jobs."""
    saturated: bool = False
    """Whether the network accepts less than is offered."""
    complete: bool = True
    """Whether the run was not interrupted, nor cut off by a limit."""

    @property
    def worst(self) -> float:
        """The slowdown of the job that suffers most; NaN if none is known."""
        known = [one.value for one in self.slowdowns.values() if not math.isnan(one.value)]
        return max(known, default=math.nan)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields for JSON; `failed_links` is the key of the topology."""
        return {
            "failed_links": [cable.key for cable in self.cables],
            "cables": [cable.name for cable in self.cables],
            "outcome": str(self.outcome),
            "slowdown": {job or "all": one.to_dict() for job, one in self.slowdowns.items()},
            "saturated": self.saturated,
        }


@dataclass(frozen=True, slots=True)
class Spread:
    """The slowdowns of all draws with as many failures, of one job or of the whole run."""

    failures: int
    job: str
    draws: int
    cut: int
    """Draws that cut the network, for which routing knows no way, or that ended in a deadlock."""
    saturated: int
    values: tuple[float, ...]
    """The slowdowns that are known, in ascending order."""

    def quantile(self, share: float) -> float:
        """Return the least slowdown that this share of the draws does not exceed."""
        if not self.values:
            return math.nan
        return self.values[max(0, math.ceil(share * len(self.values)) - 1)]

    def to_dict(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        ends = {"median": 0.5, "p95": 0.95, "max": 1.0}
        known = {name: self.quantile(share) for name, share in ends.items()}
        return {
            "failures": self.failures,
            "job": self.job or None,
            "draws": self.draws,
            "cut": self.cut,
            "saturated": self.saturated,
            **{name: finite(value) for name, value in known.items()},
        }


@dataclass(frozen=True, eq=False, repr=False)
class Resilience(metaclass=Helped):
    """What random link failures cost an experiment.

    `whole` is the run without failures (but for those of the experiment itself), `draws` has a
    `Drawn` for each set of links that failed together. A slowdown is measured by completion time
    for a workload or job that ends, by message latency for an open loop, else by the time between
    messages. All runs have the same random numbers, so common errors cancel.
    """

    experiment: Experiment
    cables: tuple[Cable, ...]
    failures: tuple[int, ...]
    """How many links fail together."""
    asked: int
    """Draws asked for, of each number of failures."""
    whole: Result
    draws: tuple[Drawn, ...]
    planned: int
    """Draws there would be without an interruption."""
    fault: Mapping[str, str] | None = None
    """When links fail while it runs, as keys of a ``[[fault]]``; None: they have from the start."""

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended it."""
        return self.whole.interrupted or len(self.draws) < self.planned

    @property
    def complete(self) -> bool:
        """Whether no run was interrupted or cut off."""
        runs_are = all(drawn.complete for drawn in self.draws)
        return not self.interrupted and self.whole.complete and runs_are

    @property
    def jobs(self) -> tuple[str, ...]:
        """The jobs, in order; `WHOLE` alone without jobs."""
        return tuple(self.whole.jobs) or (WHOLE,)

    def of(self, failures: int) -> list[Drawn]:
        """Return the draws with so many failures."""
        return [drawn for drawn in self.draws if len(drawn.cables) == failures]

    def spread(self, failures: int, job: str = WHOLE) -> Spread:
        """Return the slowdowns of a job with so many failures."""
        drawn = self.of(failures)
        values = [one.slowdowns[job].value for one in drawn if job in one.slowdowns]
        return Spread(
            failures=failures,
            job=job,
            draws=len(drawn),
            cut=sum(one.outcome is not Outcome.RAN for one in drawn),
            saturated=sum(one.saturated for one in drawn),
            values=tuple(sorted(value for value in values if not math.isnan(value))),
        )

    @cached_property
    def spreads(self) -> list[Spread]:
        """The slowdowns by number of failures and job."""
        return [self.spread(failures, job) for failures in self.failures for job in self.jobs]

    def worst(self, failures: int) -> Drawn | None:
        """Return the draw with so many failures that costs a job most; None if none ran."""
        known = [drawn for drawn in self.of(failures) if not math.isnan(drawn.worst)]
        # Of equals the first.
        return max(known, key=lambda drawn: drawn.worst, default=None)

    def worst_first(self) -> list[Drawn]:
        """Return the draws with fewest failures, those that cost most first; cut ones lead."""
        drawn = self.of(self.failures[0])
        cut = [one for one in drawn if one.outcome is not Outcome.RAN]
        ran = [one for one in drawn if not math.isnan(one.worst)]
        return cut + sorted(ran, key=lambda one: -one.worst)

    def to_dict(self) -> dict[str, Any]:
        """Return everything, for JSON: the same bytes every time."""
        whole = self.whole
        return {
            "complete": self.complete,
            "cables": len(self.cables),
            "failures": list(self.failures),
            "draws_asked": self.asked,
            **({} if self.fault is None else {"fault": dict(self.fault)}),
            "spreads": [spread.to_dict() for spread in self.spreads],
            "draws": [drawn.to_dict() for drawn in self.draws],
            "whole": whole.measured(),
            "fidelity": whole.fidelity,
            "seed": whole.seed,
            "version": engine.VERSION,
            "results_version": engine.RESULTS_VERSION,
            "identity": whole.identity,
            "parameters": self.experiment.resolved(),
        }

    def csv_text(self) -> str:
        """Return a row per draw and job as CSV; unknown values are empty."""
        names = ("failures", "without", "outcome", "job", "slowdown", "low", "high", "saturated")
        rows = [
            (
                *(len(drawn.cables), " and ".join(cable.name for cable in drawn.cables)),
                *(str(drawn.outcome), job or None),
                *drawn.slowdowns.get(job, Estimate.unknown()).to_dict().values(),
                str(drawn.saturated).lower(),
            )
            for drawn in self.draws
            for job in self.jobs
        ]
        return csv_files.csv_text(names, rows)

    def __repr__(self) -> str:
        told = [f"{s.failures}: {s.quantile(0.5):.4g} to {s.quantile(1):.4g}" for s in self.spreads]
        state = "" if self.complete else ", incomplete"
        return f"<Resilience: median and worst slowdown by failures {', '.join(told)}{state}>"


def resilience(
    experiment: Experiment,
    failures: Iterable[int] = FAILURES,
    draws: int = DRAWS,
    *,
    fault: Mapping[str, str] | None = None,
    jobs: int | None = None,
    watch: Watch = ignore,
) -> Resilience:
    """Run an experiment with links that fail together, drawn at random, and without.

    For each number in `failures` there are up to `draws` different sets of links: all sets if
    there are no more. ``run.seed`` says which. With `fault`, keys of a ``[[fault]]`` such as
    ``{"time": "1 ms", "duration": "2 ms"}``, they fail while it runs, and else from the start. Up
    to `jobs` runs go on at once; None: one per processor. Ctrl-C ends it with what was measured
    so far. Raises `UserError` for a network without links between switches, or a routing that
    knows no way round failed ones.

    >>> import tailback as tb
    >>> machine = tb.Machine(topology=tb.Mesh(dims=(3, 3)), routing=tb.MinimalAdaptive())
    >>> experiment = tb.Experiment(machine, tb.RingAllreduce(size="90 kB"))
    >>> found = resilience(experiment, failures=[1])
    >>> round(found.spread(1).quantile(0.5), 2), found.worst_first()[0].cables[0].name
    (1.01, '(0, 1) to (1, 1)')
    """
    if experiment.faults:
        raise UserError("fault", None, "must be left out: links that fail are drawn")
    cables = cables_of(experiment.machine.topology)
    counts = _checked(failures, draws, len(cables))
    seed = experiment.run.seed
    sets = [one for count in counts for one in sets_of(len(cables), count, draws, seed)]
    drawn: list[Drawn] = []
    with unchanged(experiment.files_read()):
        at_most = at_once(experiment, jobs)
        [whole] = in_order([Task(partial(_run, experiment), "no failures")], 1, watch)
        if not whole.interrupted:
            fail = _failing if fault is None else partial(_failing_meanwhile, fault=fault)
            tasks = [_task(experiment, whole, [cables[link] for link in one], fail) for one in sets]
            drawn = in_order(tasks, at_most, watch)
    found = tuple(drawn)
    planned = len(sets)
    return Resilience(experiment, tuple(cables), counts, draws, whole, found, planned, fault)


def _checked(failures: Iterable[int], draws: int, links: int) -> tuple[int, ...]:
    counts = tuple(sorted(set(failures)))
    wrong = next((count for count in counts if not 1 <= count <= links), None)
    if wrong is not None or not counts:
        given = "none" if wrong is None else shown(wrong)
        raise UserError("failures", given, f"must be from 1 to {links}, the links between switches")
    if not 1 <= draws <= MOST_DRAWS:
        raise UserError("draws", shown(draws), f"must be 1 to {MOST_DRAWS}")
    return counts


def _run(experiment: Experiment, watch: Watch) -> Result:
    return run_mode(experiment, experiment.run.mode, watch=watch)


#: Returns an experiment in which links fail; None if they cut the network.
_Fail = Callable[["Experiment", Sequence[Cable]], "Experiment | None"]


def _task(
    experiment: Experiment, whole: Result, cables: Sequence[Cable], fail: _Fail
) -> Task[Drawn]:
    named = " and ".join(cable.name for cable in cables)
    return Task(partial(_drawn, experiment, whole, tuple(cables), fail), f"without {named}")


def _drawn(
    experiment: Experiment, whole: Result, cables: tuple[Cable, ...], fail: _Fail, watch: Watch
) -> Drawn:
    """Run the experiment without these links."""
    try:
        failed = fail(experiment, cables)
        if failed is None:
            return Drawn(cables, Outcome.CUT, {})
        result = _run(failed, watch)
    except CircleError:
        return Drawn(cables, Outcome.DEADLOCK, {})
    except UserError as refused:
        # Routing that knows no way round a single link is none to ask about.
        if len(cables) == 1 or "no way" not in refused.allowed:
            raise
        return Drawn(cables, Outcome.NO_ROUTE, {})
    except RunFailure as failure:
        if failure.kind != "deadlock":
            raise
        return Drawn(cables, Outcome.DEADLOCK, {})
    if whole.jobs:
        slowdowns = {name: slowdown(result.jobs[name], job) for name, job in whole.jobs.items()}
    else:
        slowdowns = {WHOLE: slowdown(result, whole)}
    saturated = bool(result.ending.saturated)
    return Drawn(cables, Outcome.RAN, slowdowns, saturated, result.complete)


def _failing(experiment: Experiment, cables: Sequence[Cable]) -> Experiment | None:
    """Return the experiment with these links failed; None if they cut the network.

    Times that follow from the machine stay as they are, to be comparable.
    """
    machine = experiment.machine
    topology = machine.topology
    named = (*(topology.failed_links or ()), *(cable.key for cable in cables))
    try:
        left = type(topology)(**topology.named() | {"failed_links": named})
        left.facts  # noqa: B018  # asked for its refusals: not every kind does so when it is made
    except UserError as refused:
        if "cuts the network" not in refused.allowed:
            raise
        return None
    same = experiment.with_run(sample_interval=f"{experiment.sample_interval_ps} ps")
    return replace(same, machine=type(machine)(**machine.named() | {"topology": left}))


def _failing_meanwhile(
    experiment: Experiment, cables: Sequence[Cable], fault: Mapping[str, str]
) -> Experiment:
    """Return the experiment in which these links fail while it runs."""
    same = experiment.with_run(sample_interval=f"{experiment.sample_interval_ps} ps")
    return replace(same, faults=faults_of([{**fault, "link": cable.key} for cable in cables]))
