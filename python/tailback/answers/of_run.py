"""How long messages take, and whether the network keeps up."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tailback.wording import number
from tailback.wording.phrases import percent, sentence
from tailback.wording.scaling import MICROSECONDS, measured
from tailback.workloads import Trace

from .status import Head, status

if TYPE_CHECKING:
    from tailback.results import Result
    from tailback.statistics import Estimate


def of_run(result: Result) -> Head:
    """Return the head of one run: completion time, or latency and rate of messages."""
    told = []
    completion = result.estimates.get("completion_us")
    if completion is not None and not math.isnan(completion.low):
        told.append(f"The workload takes {time_text(completion)}.")
    latency = result.estimates.get("message_latency_us")
    if latency is not None and not math.isnan(latency.value):
        told.append(sentence(f"a message takes {time_text(latency)} on average{_slowdown(result)}"))
    return Head(status({result.mode: result}), (*told, *_idle(result), *_load(result)))


def _idle(result: Result) -> list[str]:
    """Return how many nodes have no rank of a trace: rates per node are of all nodes."""
    workload, machine = result.experiment.workload, result.experiment.machine
    if not isinstance(workload, Trace):
        return []
    idle = machine.nodes - len(set(workload.nodes(machine)))
    if not idle:
        return []
    return [f"{idle:,} of {machine.nodes:,} nodes have no rank; rates per node count them as well."]


def _slowdown(result: Result) -> str:
    """Return how many times as long as alone, where that is measured."""
    slowdown = result.estimates.get("message_slowdown")
    if slowdown is None or math.isnan(slowdown.value):
        return ""
    return f", {number(slowdown, most=3)} times as long as alone"


def _load(result: Result) -> list[str]:
    """Return what is accepted of the load that is offered, if any is."""
    loads = [result.estimates.get(f"{name}_load") for name in ("offered", "accepted")]
    offered, accepted = (math.nan if load is None else load.value for load in loads)
    if math.isnan(offered) or math.isnan(accepted) or result.ending.saturated:
        return []
    return [f"The network accepts the offered load, {percent(offered)} of the injection rate."]


def time_text(time_us: Estimate) -> str:
    """Return a time in four digits with its interval, in a unit that suits it."""
    return measured(time_us, MICROSECONDS, 4)
