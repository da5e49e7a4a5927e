"""Probes: a load is run until it is clear whether the network keeps up with it."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tailback.experiment import Experiment, Run
from tailback.metrics import TOLERATED_LOSS
from tailback.progress import Watch
from tailback.runner import run_mode
from tailback.runner.procedure import Stop
from tailback.since311 import StrEnum
from tailback.statistics import Estimate, finite, ratio_of_sums
from tailback.units import Time

from .loads import Loads, open_loop

if TYPE_CHECKING:
    from tailback.results import Result

Watched = Callable[[str], AbstractContextManager[Watch]]

_KEPT = ("seed", "confidence", "fidelity", "warmup", "max_duration", "max_events")
_SAMPLES = 800
_MESSAGES = 25
_LOOKS = 7


class Verdict(StrEnum):
    """Whether the network keeps up with a load."""

    STABLE = "stable"
    SATURATED = "saturated"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Probe:
    """A load that was tried. Rates are messages per node and ms."""

    compute_period_ps: int
    load: float
    """Offered by the compute period."""
    offered: float
    """Offered in the window; NaN without a window."""
    dropped: float
    """Dropped by a throttle."""
    accepted: Estimate
    """Delivered."""
    share: Estimate
    """Delivered over offered, with the confidence of the verdict."""
    verdict: Verdict
    simulated_ms: float
    """Simulated time of the deciding run, warm-up included."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        return {
            "compute_period_us": self.compute_period_ps / 1e6,
            "load": self.load,
            "offered": finite(self.offered),
            "dropped": finite(self.dropped),
            "accepted": self.accepted.to_dict(),
            "share_delivered": self.share.to_dict(),
            "verdict": str(self.verdict),
            "simulated_ms": self.simulated_ms,
        }


class Prober:
    """Tries loads of one experiment, in the mode `full`.

    A run has at least `_SAMPLES` samples of half an iteration each, and at least
    `_MESSAGES` / `tolerance`^2 messages: if they come at random instants, their number has
    a standard deviation of a fifth of the tolerance. A load that stays undecided is run
    again, twice as long, until it has been looked at `_LOOKS` times, or until its share of
    delivered messages is known to a quarter of the tolerance and to half of the tolerated
    loss: the load is then about as close to saturation. Looking often must not make
    mistakes more likely, so that each look has an equal part of the probability of error
    that the experiment's confidence leaves (Bonferroni's inequality).
    """

    def __init__(self, experiment: Experiment, tolerance: float, *, packets: bool) -> None:
        """`packets`: whether any message leaves its node."""
        self._experiment, self._tolerance = experiment, tolerance
        self._packets = packets
        self._workload = open_loop(experiment)
        self._sending_share = self._workload.sending_share(experiment.machine)
        self._loads = Loads.of(self._workload, self._workload.mean_rate(experiment.machine))
        self._confidence = 1 - (1 - experiment.run.confidence) / _LOOKS

    def probe(self, period_ps: int, watched: Watched) -> Probe | None:
        """Run a load until it is decided, or cannot be; None after Ctrl-C, or if it is stopped.

        `watched` gives who watches one run of it.
        """
        for look in range(_LOOKS):
            experiment, longest = self._described(period_ps, look)
            with watched(f"load {self._loads.at(period_ps):,.4g}") as watch:
                result = run_mode(experiment, "full", watch=watch)
            if result.interrupted:
                return None
            probe = self._judged(result, period_ps)
            known = probe.share.half_width <= min(self._tolerance / 4, TOLERATED_LOSS / 2)
            if probe.verdict is not Verdict.UNDECIDED or known or longest:
                break
            if result.ending.stop_reason == Stop.MAX_EVENTS:
                break
        return probe

    def _described(self, period_ps: int, look: int) -> tuple[Experiment, bool]:
        """Return the run for one look, and whether it is as long as is allowed."""
        machine, run = self._experiment.machine, self._experiment.run
        fields = self._workload.named()
        workload = type(self._workload)(
            **fields | {"load": None, "compute_period": Time(period_ps)}
        )
        given = {key: value for key, value in run.named().items() if key in _KEPT}
        given["metric"] = "delivered_messages_per_node_per_ms"
        interval_ps = max(period_ps // 2, 1)
        if self._packets:
            interval_ps = Experiment(machine, workload, Run(**given)).sample_interval_ps
        messages_per_ms = machine.nodes * self._loads.at(period_ps)
        messages_ps = _MESSAGES / self._tolerance**2 / messages_per_ms * 1e9
        samples = max(_SAMPLES, math.ceil(messages_ps / interval_ps)) << look
        warmup_ps = 0 if run.warmup is None else run.warmup.ps
        most_ps = run.max_duration.ps if "max_duration" in given else Time.largest
        duration_ps = min(warmup_ps + samples * interval_ps, most_ps)
        times = {
            "duration": Time(duration_ps),
            "sample_interval": Time(min(interval_ps, duration_ps)),
        }
        return Experiment(machine, workload, Run(**given | times)), duration_ps == most_ps

    def _judged(self, result: Result, period_ps: int) -> Probe:
        times = result.samples["time_ps"].to_numpy()
        begin = int(np.searchsorted(times, round(result.ending.warmup_ms * 1e9)))
        grown = {
            name: np.diff(result.samples[name].to_numpy()[begin:]).astype(np.float64)
            for name in ("messages_delivered", "iterations")
        }
        # Nodes that send nothing complete iterations as well.
        messages = self._workload.messages * self._sending_share
        offered = grown["iterations"] * messages
        share = ratio_of_sums(grown["messages_delivered"], offered, self._confidence)
        iterations = result["iterations_per_node_per_ms"].value
        return Probe(
            compute_period_ps=period_ps,
            load=self._loads.at(period_ps),
            offered=iterations * messages,
            dropped=result["failed_messages_per_node_per_ms"].value,
            accepted=result["delivered_messages_per_node_per_ms"],
            share=share,
            verdict=verdict_on(share),
            simulated_ms=result.ending.simulated_ms,
        )

    def supposed(self, period_ps: int, verdict: Verdict) -> Probe:
        """Return a probe that was not run, as if it had this verdict."""
        nothing, unknown = math.nan, Estimate.unknown()
        load = self._loads.at(period_ps)
        return Probe(period_ps, load, nothing, nothing, unknown, unknown, verdict, nothing)


def verdict_on(share: Estimate) -> Verdict:
    """Return what the share of delivered messages says: one of its ends decides."""
    if share.low > 1 - TOLERATED_LOSS:
        return Verdict.STABLE
    return Verdict.SATURATED if share.high < 1 - TOLERATED_LOSS else Verdict.UNDECIDED
