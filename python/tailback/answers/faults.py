"""What the faults of an experiment cost, in one sentence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tailback.statistics import Estimate
from tailback.wording.phrases import NEXT_TO_NONE, interval, listed, percent, sentence
from tailback.wording.scaling import MICROSECONDS, scaled

from .of_run import time_text

if TYPE_CHECKING:
    from tailback.comparison import Cost
    from tailback.experiment.faults import Fault

MEASURES = {
    "completion_us": "completion time",
    "message_latency_us": "message latency",
    "messages_per_node_per_ms": "time between messages",
    "iterations_per_node_per_ms": "time of an iteration",
}
"""What a slowdown is measured by."""


def of_faults(cost: Cost) -> list[str]:
    """Return what faults cost, by job where there are several; nothing without faults."""
    full, whole = cost.modes.get("full"), cost.without_faults
    if full is None or whole is None:
        return []
    faults = cost.experiment.faults
    if not are_several(faults):
        costs = "This fault costs"
    elif any(fault.comes_again for fault in faults):
        costs = "These faults cost"
    else:
        costs = f"These {len(faults)} faults cost"
    confidence = cost.experiment.run.confidence
    told = []
    for name, slowdown in cost.fault_slowdowns.items():
        if math.isnan(slowdown.value):
            continue
        run, without = (full.jobs[name], whole.jobs[name]) if name else (full, whole)
        metric = without.speed
        more = _more(slowdown, confidence)
        if metric.endswith("_us"):
            longer = run[metric].value - without[metric].value
            more = f"{time_text(Estimate.exact(longer))} ({more})" if longer > 0 else more
        told.append(f"{f'job {name} ' if name else ''}{more} of {MEASURES[metric]}")
    if not told:
        return [f"What {costs[0].lower()}{costs[1:]} is not known."]
    return [sentence(f"{costs} {listed(told)}"), *_rerouted(faults)]


def _rerouted(faults: Sequence[Fault]) -> list[str]:
    """Return when routes avoid links that are down, if they do."""
    times = {fault.reroute_after for fault in faults if fault.is_down}
    after = [scaled(time.ps / 1e6, MICROSECONDS) for time in times if time is not None]
    if not after:
        return []
    what = "failed links" if are_several(faults) else "the failed link"
    if len(times) > 1:
        return [f"Routes avoid {what} some time after the failure, if at all."]
    return [f"Routes avoid {what} {after[0]} after the failure."]


def in_words(faults: Sequence[Fault]) -> str:
    """Return `the fault`, or `the faults` where tables stand for several."""
    return "the faults" if are_several(faults) else "the fault"


def are_several(faults: Sequence[Fault]) -> bool:
    """Whether tables of faults stand for several."""
    return len(faults) > 1 or any(fault.comes_again for fault in faults)


def _more(slowdown: Estimate, confidence: float) -> str:
    """Return `7 %`, with the interval; `next to nothing` of less than half a percent."""
    if abs(slowdown.value - 1) < NEXT_TO_NONE:
        return "next to nothing"
    ends = [percent(end - 1) for end in (slowdown.low, slowdown.high)]
    return f"{percent(slowdown.value - 1)}{interval(slowdown, ends, confidence)}"
