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
from .phrases import NEXT_TO_NONE, compared, interval, listed, longer, percent

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
    thetas: Mapping[str, Estimate],
    baseline: str,
    *,
    open_loop: bool = False,
    confidence: float = 0.95,
) -> list[Finding]:
    """Return the cost of `full` against the baseline, then its known parts.

    Workloads that end are compared by completion time, others by message rate. `open_loop`:
    processes send at their own pace, so that rates say little below saturation. `confidence`:
    that of the intervals.
    """
    found = list(_step(thetas, "", baseline, confidence))
    for step in STEPS:
        of_step = _step(thetas, step, baseline, confidence)
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
STEPS_OF_COST = tuple(_STEPS_IN_WORDS)
"""The parts of the cost, each with a cause: inside the network, and at the links of nodes."""


def unbounded(modes: Sequence[str]) -> str:
    """Return that these modes are saturated, so that message latency has no mean."""
    many = "modes" if len(modes) > 1 else "mode"
    return (
        f"The network cannot carry the load in {many} {listed(modes)}, so message latency grows "
        "without end."
    )


def step_sentence(
    step: str,
    what: str,
    times: Estimate,
    *,
    instead: str = "",
    beside: str = "",
    confidence: float = 0.95,
) -> str:
    """Return how much longer a time is because of a part of the cost.

    `step`: of `STEPS_OF_COST`; `what`: the time, such as `message latency`; `times`: how many
    times as long; `instead`: both times in words, `17.6 µs instead of 11.1 µs`; `beside`: what
    else is part of it, `the faults`.
    """
    cause = _STEPS_IN_WORDS[step]
    start = f"{_subject(cause, beside)} {'make' if beside else _makes(cause)} {what}"
    told = f": {instead}." if instead else "."
    if times.low > 1:
        return f"{start} {longer(times, confidence)}{told}"
    if times.high < 1:
        shorter = plain(1 / times.value, 3)
        return f"{start} no longer: it is {shorter} times as quick in company here."
    if math.isnan(times.low):
        return (
            f"{start} {plain(times.value, 3)} times as long{told[:-1]}; the run is too short for "
            "an interval."
        )
    if times.high - 1 < NEXT_TO_NONE:
        return f"{start} no longer."
    most = longer(Estimate.exact(times.high), confidence)
    return f"{start} at most {most}, if at all: the run is too short to tell."


def _subject(cause: str, beside: str) -> str:
    """Return a cause, and what else is part of it, as the subject of a sentence."""
    known = _SHARED.get(cause, cause.capitalize())
    if not beside:
        return known
    both = f"{beside} and {known[:1].lower()}{known[1:]} together"
    return both[:1].upper() + both[1:]


def _makes(cause: str) -> str:
    return "make" if cause.endswith("s") else "makes"


def _step(
    thetas: Mapping[str, Estimate], step: str, baseline: str, confidence: float
) -> Iterator[Finding]:
    has_ended = not math.isnan(thetas[f"theta_c{step}"].value)
    less, more = _modes(step, baseline)
    between = _BETWEEN.get((less, more))
    compared = f"{more} against {less}" + (f" ({between})" if between else "")
    for name in ("theta_c" if has_ended else "theta_r", "theta_t"):
        theta = thetas[name + step]
        said = sentence(name + step, theta, baseline, confidence)
        yield Finding(compared, name + step, theta, said)


def _modes(step: str, baseline: str) -> tuple[str, str]:
    theta = THETAS[f"theta_r{step}"].against(baseline)
    return theta.less, theta.more


def sentence(name: str, theta: Estimate, baseline: str, confidence: float = 0.95) -> str:
    """Return the meaning of a theta; `name` as in `metrics.THETAS`."""
    compared = THETAS[name].against(baseline)
    less, more = compared.less, compared.more
    if compared.metric == "messages_per_node_per_ms":
        return rate_sentence(theta, less, more, confidence)
    takes, reason = _TAKES[compared.metric]
    return _times_sentence(theta, (less, more), takes, reason, confidence)


def rate_sentence(
    theta: Estimate, less: str, more: str = "full", confidence: float = 0.95, beside: str = ""
) -> str:
    """Return the meaning of the message rate in mode `more` divided by that in mode `less`.

    `beside`: what else is part of it, `the faults`.
    """
    if math.isnan(theta.value):
        return "Not known: a mode is missing or sent nothing."
    if theta.low > 1:
        fewer = percent(1 - 1 / theta.value)
        return f"No cost: {less} is slower here, by {fewer}, {_because(less)}."
    if theta.high < 1:
        what = _BETWEEN.get((less, more), "contention")
        costs = "cost" if beside or what.endswith("s") else "costs"
        ends = [percent(1 - end) for end in (theta.high, theta.low)]
        return (
            f"{_subject(what, beside)} {costs} {percent(1 - theta.value)} of the "
            f"message rate{interval(theta, ends, confidence)}."
        )
    if math.isnan(theta.low):
        return "No cost can be seen: the run is too short to say."
    most = 1 - theta.low
    return f"No cost can be seen; at most {percent(most)} of the message rate." if most else _NONE


_TAKES = {
    "completion_us": ("Completion takes", "no workload has ended"),
    "routed_lifetime_us": ("Packets are routed", "no packet crossed between switches"),
}
"""By metric: what takes a time, and why that may be unknown."""
_TIME = {"Completion takes": "completion", "Packets are routed": "routed lifetimes"}


def _times_sentence(
    theta: Estimate, modes: tuple[str, str], takes: str, reason: str, confidence: float
) -> str:
    """Return the meaning of a time in the first mode divided by that in the second."""
    less, _ = modes
    if math.isnan(theta.value) or theta.value == 0:
        return f"Not known: a mode is missing or {reason}."
    if theta.low > 1:
        start = f"{takes[0].lower()}{takes[1:]}"
        return f"No cost: {start} {longer(theta, confidence)} in {less}, {_because(less)}."
    times = inverse(theta)
    if theta.high < 1:
        return _longer_sentence(times, modes, takes, confidence)
    if math.isnan(theta.low):
        return "No cost can be seen: the run is too short to say."
    if times.high - 1 < NEXT_TO_NONE:
        return _NONE
    return f"No cost can be seen; at most {longer(Estimate.exact(times.high), confidence)}."


def inverse(theta: Estimate) -> Estimate:
    """Return how many times as long, of how many times as short."""
    return Estimate(1 / theta.value, 1 / theta.high, 1 / theta.low if theta.low else math.inf)


def _longer_sentence(times: Estimate, modes: tuple[str, str], takes: str, confidence: float) -> str:
    """Return a sentence for a time that is `times` as long in the second mode."""
    what, told = _BETWEEN.get(modes), compared(times, confidence, f"in {modes[0]}")
    if times.value - 1 < NEXT_TO_NONE:
        return f"Next to no cost: {told}."
    if what is None:
        return f"{takes} {told}."
    return f"{_SHARED[what]} {_makes(what)} {_TIME[takes]} {longer(times, confidence)}."


def _because(less: str) -> str:
    return _RESTRICTIONS.get(less, _OTHERWISE)
