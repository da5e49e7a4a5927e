"""From compute periods to loads and back, for workloads that do not wait for the network."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tailback.errors import UserError, shown
from tailback.units import Time
from tailback.workloads import Synthetic

if TYPE_CHECKING:
    from tailback.experiment import Experiment

_PS_PER_MS = 10**9
_MBIT_PER_BYTE_PER_MS = 8e-3
_IDLE = 1000
_LONGEST = Time(10**12)  # of longer ones there is no time for many


@dataclass(frozen=True, slots=True)
class Loads:
    """What processes try to send at a compute period. Processes of a node share its processor."""

    per_ms_ps: float
    """Load times compute period: messages per node and ms, times picoseconds."""
    message_bytes: float
    """Mean length of a message."""

    @classmethod
    def of(cls, workload: Synthetic, mean_rate: float = 1.0) -> Loads:
        """Return the loads of a workload at any compute period.

        `mean_rate`: how often nodes send, as a share of how often one is asked to; loads are means
        over all nodes.
        """
        computing = _mean_over_nominal(workload.compute_distribution, workload.compute_sigma)
        length = _mean_over_nominal(workload.message_distribution, workload.message_sigma)
        per_ms_ps = mean_rate * workload.messages * _PS_PER_MS / computing
        return cls(per_ms_ps, workload.mean_bytes * length)

    def at(self, period_ps: int) -> float:
        """Return the load in messages per node and ms."""
        return self.per_ms_ps / period_ps

    def period_ps(self, load: float) -> float:
        """Return the compute period of a load, at most just above the longest that is tried."""
        return min(self.per_ms_ps / load, _LONGEST.ps + 1.0)

    def payload_mbit_per_s(self, load: float) -> float:
        """Return a load in Mbit/s of payload per node."""
        return load * self.message_bytes * _MBIT_PER_BYTE_PER_MS


@dataclass(frozen=True, slots=True)
class Bounds:
    """The compute periods that may be tried, in picoseconds, and the one to begin with."""

    shortest_ps: int
    longest_ps: int
    start_ps: int

    @classmethod
    def of(
        cls,
        experiment: Experiment,
        low: float | None,
        high: float | None,
        predicted: float | None,
    ) -> Bounds:
        """Return the bounds for loads from `low` to `high` (None: as far as makes sense).

        Without `high` the shortest period is what a process must compute at least: 1 ps,
        or a slot.
        Without `low` the longest is `_IDLE` times that in which the messages of an
        iteration find their ways and are acknowledged, one after the other, in an idle
        machine: what is lost then is not lost to other traffic. The start is the
        experiment's period, but no load of more than twice the `predicted` saturation.
        Raises `UserError` if the bounds leave nothing.
        """
        workload = open_loop(experiment)
        loads = Loads.of(workload, workload.mean_rate(experiment.machine))
        for name, bound in (("low", low), ("high", high)):
            if bound is not None and not 0 < bound < math.inf:
                raise UserError(name, shown(bound), "must be above zero: messages per node and ms")
        if low is not None and high is not None and low >= high:
            raise UserError("low", shown(low), f"must be below high = {shown(high)}")
        given = workload.compute_period.ps
        least = workload.compute_slot.ps if workload.compute_distribution == "geometric" else 1
        shortest = least if high is None else max(math.ceil(loads.period_ps(high)), least)
        if low is None:
            alone = experiment.machine.round_trip_ps(workload.mean_bytes)
            longest = max(given, shortest, _IDLE * workload.messages * alone)
        else:
            longest = math.floor(loads.period_ps(low))
        longest = min(longest, _LONGEST.ps)
        if longest < shortest:
            name, bound = ("high", high) if low is None else ("low", low)
            allowed = f"leaves no compute period; they are whole picoseconds up to {_LONGEST}"
            raise UserError(name, shown(bound), allowed)
        hopeless = 0 if predicted is None else math.ceil(loads.per_ms_ps / (2 * predicted))
        start = min(max(given, hopeless, shortest), longest)
        return cls(shortest, longest, start)


def open_loop(experiment: Experiment) -> Synthetic:
    """Return the workload; raise `UserError` if it is none whose load can be given."""
    workload = experiment.workload
    if not isinstance(workload, Synthetic):
        reason = "ends by itself" if workload.finite else "has no compute_period to vary"
        allowed = f'{reason}; only kind = "synthetic" with sync = "asynchronous" can saturate'
        raise UserError("workload.kind", shown(workload.kind), allowed)
    if workload.sync != "asynchronous":
        allowed = (
            "waits for its messages, so that the network slows it down and is never offered "
            'more than it takes; must be "asynchronous"'
        )
        raise UserError("workload.sync", shown(workload.sync), allowed)
    return workload


def _mean_over_nominal(shape: str, sigma: float) -> float:
    """Return the mean of a distribution over the mean it was given.

    Negative values of a normal distribution become 0, which raises its mean: to
    Phi(1/s) + s phi(1/s), with s its standard deviation over the given mean.
    """
    if shape != "normal" or sigma == 0:
        return 1.0
    density = math.exp(-0.5 / sigma**2) / math.sqrt(2 * math.pi)
    return 0.5 * math.erfc(-1 / (sigma * math.sqrt(2))) + sigma * density
