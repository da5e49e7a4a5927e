"""The cost of contention in sentences.

A theta compares a mode with less contention (the baseline) with one that has more. If it exceeds 1
by more than its interval, the baseline is slower: it has a restriction that the other mode has
not, and the sentence names that restriction instead of a negative cost.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from tailback.metrics import STEPS, THETAS
from tailback.statistics import Estimate

from .numbers import plain

_RESTRICTIONS = {
    "endpoints": "as packets reach nodes in another order; a run can be quicker in company",
    "throttled": "through its queue before the first internal channel",
}
_OTHERWISE = "though nobody waits there: messages come in another order"

_BETWEEN = {("endpoints", "full"): "the network", ("free", "endpoints"): "the links of nodes"}
"""The cause of a cost, by the modes with less and with more contention."""

_SHARED = {
    "the network": "The network (links shared between switches)",
    "the links of nodes": "The links of nodes (shared by messages of a node, or to it)",
}
"""The cause as the subject of a sentence, with the resources that are shared."""


_NONE = "No cost can be seen."
_AT_THEIR_PACE = " Processes send at their own pace (open loop): look at latency."


class Finding(NamedTuple):
    """A theta and its meaning."""

    compared: str
    """The two modes, and the cause that separates them if it has a name."""
    name: str
    theta: Estimate
    sentence: str


def findings(
    thetas: Mapping[str, Estimate], baseline: str, *, open_loop: bool = False
) -> list[Finding]:
    """Return the cost of `full` against the baseline, then its known parts.

    Workloads that end are compared by completion time, others by message rate. `open_loop`:
    processes send at their own pace, so that rates say little below saturation.
    """
    found = list(_step(thetas, "", baseline))
    for step in STEPS:
        of_step = _step(thetas, step, baseline)
        if step and _modes(step, baseline) != _modes("", baseline):
            found += [finding for finding in of_step if not math.isnan(finding.theta.value)]
    return [_at_their_pace(found[0]), *found[1:]] if open_loop else found


def _at_their_pace(finding: Finding) -> Finding:
    """Point to latency if a rate of an open loop shows no cost."""
    is_rate = finding.name.startswith("theta_r")
    if not is_rate or not finding.sentence.startswith("No cost can be seen"):
        return finding
    return finding._replace(sentence=finding.sentence + _AT_THEIR_PACE)


_STEPS_IN_WORDS = {"network": "the network", "endpoints": "the links of nodes"}


def latency_sentences(
    latencies: Mapping[str, Estimate], saturated: Sequence[str] = ()
) -> list[str]:
    """Return how much longer the mean latency of messages is because of contention, and why.

    `latencies` are ratios by step, as `Cost.latencies`; `saturated` modes have no mean.
    """
    if saturated:
        modes = " and ".join(saturated)
        return [f"Messages: {modes} cannot carry the load, so that latency grows without end."]
    known = {step: ratio for step, ratio in latencies.items() if not math.isnan(ratio.value)}
    return [_latency_sentence(_STEPS_IN_WORDS[step], ratio) for step, ratio in known.items()]


def _latency_sentence(what: str, ratio: Estimate) -> str:
    makes = "make" if what.endswith("s") else "makes"
    start = f"{_SHARED[what]} {makes} message latency"
    if ratio.low > 1:
        longer = plain(ratio.value, 3)
        return f"{start} {'less than 0.5 % longer' if longer == '1.00' else longer + ' times'}" + (
            "." if longer == "1.00" else " as long."
        )
    if ratio.high < 1:
        shorter = plain(1 / ratio.value, 3)
        return f"{start} no longer: messages are {shorter} times as quick in company here."
    if math.isnan(ratio.low):
        return (
            f"{start} {plain(ratio.value, 3)} times as long; the run is too short for an interval."
        )
    most = plain(ratio.high, 3)
    return f"{start} no longer" + ("." if most == "1.00" else f"; at most {most} times as long.")


def _step(thetas: Mapping[str, Estimate], step: str, baseline: str) -> Iterator[Finding]:
    has_ended = not math.isnan(thetas[f"theta_c{step}"].value)
    less, more = _modes(step, baseline)
    between = _BETWEEN.get((less, more))
    compared = f"{more} against {less}" + (f" ({between})" if between else "")
    for name in ("theta_c" if has_ended else "theta_r", "theta_t"):
        theta = thetas[name + step]
        yield Finding(compared, name + step, theta, sentence(name + step, theta, baseline))


def _modes(step: str, baseline: str) -> tuple[str, str]:
    theta = THETAS[f"theta_r{step}"].against(baseline)
    return theta.less, theta.more


def sentence(name: str, theta: Estimate, baseline: str) -> str:
    """Return the meaning of a theta; `name` as in `metrics.THETAS`."""
    compared = THETAS[name].against(baseline)
    less, more = compared.less, compared.more
    if compared.metric == "messages_per_node_per_ms":
        return rate_sentence(theta, less, more)
    if compared.metric == "completion_us":
        return _times_sentence(theta, (less, more), "Completion takes", "no workload has ended")
    reason = "no packet crossed between switches"
    return _times_sentence(theta, (less, more), "Packets are routed", reason)


def rate_sentence(theta: Estimate, less: str, more: str = "full") -> str:
    """Return the meaning of the message rate in mode `more` divided by that in mode `less`."""
    if math.isnan(theta.value):
        return "Not known: a mode is missing or sent nothing."
    if theta.low > 1:
        fewer = 100 * (1 - 1 / theta.value)
        return f"No cost: {less} is slower here, by {fewer:.2g} %, {_because(less)}."
    if theta.high < 1:
        what = _BETWEEN.get((less, more), "contention")
        costs = "cost" if what.endswith("s") else "costs"
        share = 100 * (1 - theta.value)
        return f"{_SHARED.get(what, what.capitalize())} {costs} {share:.2g} % of the message rate."
    if math.isnan(theta.low):
        return "No cost can be seen: the run is too short to say."
    most = 100 * (1 - theta.low)
    return f"No cost can be seen; at most {most:.2g} % of the message rate." if most else _NONE


_TIME = {"Completion takes": "completion", "Packets are routed": "routed lifetimes"}


def _times_sentence(theta: Estimate, modes: tuple[str, str], takes: str, reason: str) -> str:
    """Return the meaning of a time in the first mode divided by that in the second."""
    less, _ = modes
    if math.isnan(theta.value) or theta.value == 0:
        return f"Not known: a mode is missing or {reason}."
    if theta.low > 1:
        longer = f"{takes} {plain(theta.value, 3)} times as long in {less}"
        return f"No cost: {longer[0].lower()}{longer[1:]}, {_because(less)}."
    if theta.high < 1:
        return _longer_sentence(1 / theta.value, modes, takes)
    if math.isnan(theta.low):
        return "No cost can be seen: the run is too short to say."
    most = plain(1 / theta.low, 3)
    return _NONE if most == "1.00" else f"No cost can be seen; at most {most} times as long."


def _longer_sentence(times: float, modes: tuple[str, str], takes: str) -> str:
    """Return a sentence for a time that is `times` as long in the second mode."""
    longer, what = plain(times, 3), _BETWEEN.get(modes)
    if longer == "1.00":
        return f"Next to no cost: less than 0.5 % longer than in {modes[0]}."
    if what is None:
        return f"{takes} {longer} times as long as in {modes[0]}."
    make = "make" if what.endswith("s") else "makes"
    return f"{_SHARED[what]} {make} {_TIME[takes]} {longer} times as long."


def _because(less: str) -> str:
    return _RESTRICTIONS.get(less, _OTHERWISE)
