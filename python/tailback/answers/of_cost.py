"""What contention costs, where, and because of whom."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from tailback.metrics import STEPS
from tailback.wording.phrases import listed, percent, sentence
from tailback.wording.verdict import (
    STEPS_OF_COST,
    inverse,
    rate_sentence,
    step_sentence,
    unbounded,
)

from .faults import in_words, of_faults
from .lateness import MUCH, Lateness
from .of_blame import MOST, where_text, who_sentences
from .of_jobs import of_contention
from .of_run import time_text
from .places import link_text
from .status import Head, status

if TYPE_CHECKING:
    from tailback.comparison import Cost, WaitingChannel
    from tailback.statistics import Estimate

_LATENCY, _COMPLETION = "message_latency_us", "completion_us"
_LONGER = 1.005
_BUSY = 0.5
"""A channel that is busy for a smaller share of time holds up few."""
_MUCH_LESS = 0.8
"""Channels of which the busiest has less than this share of its busy time are told beside it."""
_TRIFLE = 0.02
"""Places with a smaller share of waits than this of the first are not named beside it."""
_ENDPOINTS_IS_FREE = (
    "Here mode endpoints is the same as free, so this includes waits for the links of nodes."
)
_ONE_AFTER_ANOTHER = (
    "A node sends its messages one after the other: behind one for a slower link between switches "
    'the others wait as well, and this counts as the network (interface.message_order = "fifo").'
)
_OF_INTERFACES = "The cables of hosts' interfaces count as the network here."


def of_cost(cost: Cost) -> Head:
    """Return the head of a comparison of modes.

    The cost of workloads that end is that of their completion, of open loops that of message
    latency, and else of the message rate.
    """
    found = status({f"mode {mode}": result for mode, result in cost.modes.items()})
    if cost.cut_off:
        modes = listed(cost.cut_off)
        return Head(found, (f"What contention costs is not known: {modes} did not end.",))
    if cost.lossy:
        modes = listed(cost.lossy)
        return Head(found, (f"What contention costs is not known: {modes} lost messages.",))
    return Head(found, (*of_faults(cost), *_of_jobs(cost), *_how_much(cost), *_where(cost)))


def _of_jobs(cost: Cost) -> list[str]:
    """Return the jobs that suffer: beside a longer one they do not show in the whole."""
    full, baseline = cost.modes.get("full"), cost.modes.get(cost.baseline)
    return [] if full is None or baseline is None else of_contention(full, baseline)


def _how_much(cost: Cost) -> list[str]:
    open_loop = cost.experiment.workload.is_open_loop
    if not math.isnan(cost.theta_c.value):
        times = {step: inverse(cost.thetas[f"theta_c_{step}"]) for step in STEPS_OF_COST}
        what = "completion of all jobs" if cost.experiment.jobs else "completion"
        found = _steps(cost, times, what, _COMPLETION)
    elif open_loop and not cost.saturated:
        found = _steps(cost, cost.latencies, "message latency", _LATENCY)
    else:
        found = [unbounded(cost.saturated)] if open_loop else []
        found += _rates(cost)
    if found and cost.endpoints_is_free and "endpoints" in cost.modes:
        found.append(_ENDPOINTS_IS_FREE)
    if found and _waits_behind_slower_links(cost):
        found.append(_ONE_AFTER_ANOTHER)
    if found and cost.experiment.machine.hosts is not None:
        found.append(_OF_INTERFACES)
    return found or [finding.sentence for finding in cost.findings()[:1]]


def _waits_behind_slower_links(cost: Cost) -> bool:
    """Whether messages take longer, and may wait in their node behind others for slower links."""
    network = cost.latencies.get("network")
    is_longer = network is not None and network.value > _LONGER
    return is_longer and cost.experiment.machine.sends_behind_slower_links


def _steps(cost: Cost, times: Mapping[str, Estimate], what: str, metric: str) -> list[str]:
    """Return a sentence for each known part of the cost."""
    found = []
    for step, ratio in times.items():
        if math.isnan(ratio.value) or _is_unknown(cost, step):
            continue
        less, more = (cost.modes[mode][metric] for mode in STEPS[f"_{step}"])
        instead = f"{time_text(more)} instead of {time_text(less)}"
        confidence = cost.experiment.run.confidence
        beside = _beside(cost, step)
        found.append(
            step_sentence(step, what, ratio, instead=instead, beside=beside, confidence=confidence)
        )
    return found


def _rates(cost: Cost) -> list[str]:
    """Return what each known part costs of the message rate."""
    found = []
    for step, place in zip(STEPS_OF_COST, ("In the network", "At the links of nodes"), strict=True):
        theta = cost.thetas[f"theta_r_{step}"]
        if not math.isnan(theta.value) and not _is_unknown(cost, step):
            less, more = STEPS[f"_{step}"]
            confidence = cost.experiment.run.confidence
            said = rate_sentence(theta, less, more, confidence, _beside(cost, step))
            is_none = said.startswith("No cost")
            found.append(f"{place} n{said[1:]}" if is_none else said)
    return found


def _beside(cost: Cost, step: str) -> str:
    """Return the faults, where they are part of a step: mode `full` alone has them."""
    if step != "network" or not cost.experiment.faults:
        return ""
    return in_words(cost.experiment.faults)


def _is_unknown(cost: Cost, step: str) -> bool:
    """Whether a part of the cost is counted as the network's, for want of the mode between."""
    return step == "endpoints" and cost.endpoints_is_free


def _where(cost: Cost) -> list[str]:
    """Return where waits begin and who causes them, or without blame where packets wait."""
    full = cost.modes.get("full")
    if full is not None and full.blame is not None and full.blame.has_lateness:
        late = Lateness.of(full)
        where = where_text("lateness", late.roots(MOST), late.blame.rest_share)
        return [*([sentence(where)] if where else []), *who_sentences(late)]
    waiting = cost.channels_waiting_most(MOST)
    if not waiting or _nobody_is_late(cost):
        return []
    if sum(channel.share for channel in waiting) < MUCH:
        most = percent(waiting[0].share)
        return [f"Packets wait at many channels: none has more than {most} of all waits."]
    told = [channel for channel in waiting if channel.share >= _TRIFLE * waiting[0].share]
    named = [f"{_called(channel)} ({percent(channel.share)})" for channel in told]
    where = f"packets wait longest, also behind their own message, for {listed(named)}"
    return [sentence(where), *_busiest(cost, waiting)]


def _nobody_is_late(cost: Cost) -> bool:
    """Whether messages take no longer in any mode, so that packets wait for their own only."""
    ratios = [ratio.value for ratio in cost.latencies.values() if not math.isnan(ratio.value)]
    return bool(ratios) and max(ratios) < _LONGER


def _busiest(cost: Cost, named: Sequence[WaitingChannel]) -> list[str]:
    """Return which channel is busiest, where packets wait for others that are not.

    They wait there for room behind: a queue that grows backwards shows where it ends.
    """
    busiest = cost.busiest_channel
    if busiest is None or busiest.utilisation < _BUSY:
        return []
    most = max(channel.utilisation for channel in named)
    if most > _MUCH_LESS * busiest.utilisation:
        return []
    told = f"The busiest is {_called(busiest)}, {percent(busiest.utilisation)} of the time"
    are = "those are busy at most" if len(named) > 1 else "that one is busy"
    return [f"{told}; {are} {percent(most)}."]


def _called(channel: WaitingChannel) -> str:
    return link_text(channel.kind, channel.source, channel.destination)
