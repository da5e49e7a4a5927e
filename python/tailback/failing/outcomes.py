"""What came of sets of links that fail together, and what is asked of all of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tailback import csv_files, engine
from tailback.helping import Helped
from tailback.since311 import StrEnum
from tailback.statistics import Estimate, finite

from .cables import Cable

if TYPE_CHECKING:
    from tailback.experiment import Experiment
    from tailback.results import Result

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
