"""Which job slows which down, and where."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from tailback.charging import NOBODY, Blame
from tailback.comparison.of_modes import slowdown
from tailback.results.names import Names
from tailback.statistics import Estimate
from tailback.wording.phrases import NEXT_TO_NONE, all_or_percent, listed, longer, percent, sentence

from .faults import in_words
from .of_blame import MOST
from .of_run import time_text
from .places import channel_text
from .status import Head, status

if TYPE_CHECKING:
    from tailback.comparison.of_jobs import Interference
    from tailback.results import Result
    from tailback.results.of_jobs import JobResult

_SMALL = 0.01
_TAKES = {
    "completion_us": "takes",
    "message_latency_us": "needs for a message",
    "messages_per_node_per_ms": "needs from message to message",
    "iterations_per_node_per_ms": "needs for an iteration",
}
"""What a job does longer, by its measure."""


def of_interference(found: Interference) -> Head:
    """Return the head of jobs run together and alone: the job that suffers most, first."""
    runs = {"all jobs together": found.together}
    runs |= {f"job {name} alone": result for name, result in found.alone.items()}
    slowed = _longer_of(found.slowdowns)
    if slowed:
        alone = {name: result.jobs[name] for name, result in found.alone.items()}
        both, confidence = (found.together.jobs, alone), found.experiment.run.confidence
        more = _longer_text(slowed, found.slowdowns, both, confidence)
        told = [sentence(f"beside the others, {more}"), *_where_and_who(found, slowed[0])]
        return Head(status(runs), tuple(told))
    later = _longer_of(found.latencies)
    if later:
        told = [_messages_alone(found, later[0]), *_where_and_who(found, later[0])]
        return Head(status(runs), tuple(told))
    return Head(status(runs), _nobody_slower(found))


def _longer_of(ratios: Mapping[str, Estimate]) -> list[str]:
    """Return the jobs that take longer than alone, beyond doubt, the worst first."""
    worst = sorted(ratios, key=lambda name: -ratios[name].value)
    return [name for name in worst if ratios[name].low > 1 + NEXT_TO_NONE]


def _messages_alone(found: Interference, name: str) -> str:
    """Return that jobs are as fast as alone, and how much longer messages of one take."""
    more = longer(found.latencies[name], found.experiment.run.confidence)
    return (
        f"Beside the others each job takes as long as alone (within {percent(NEXT_TO_NONE)}), but "
        f"messages of job {name} take {more}."
    )


def _nobody_slower(found: Interference) -> tuple[str, ...]:
    known = {name: ratio for name, ratio in found.slowdowns.items() if not math.isnan(ratio.value)}
    if not known:
        return ("What the jobs cost each other is not known: no two runs to compare.",)
    most = max((r.high for r in known.values() if not math.isnan(r.high)), default=math.nan)
    if math.isnan(most):
        return ("No job can be said to be slower beside the others: the run is too short.",)
    if most <= 1:
        return ("The jobs cost each other nothing: each is as fast as alone.",)
    if most - 1 < NEXT_TO_NONE:
        return (f"The jobs cost each other next to nothing: less than {percent(NEXT_TO_NONE)}.",)
    bound = longer(Estimate.exact(most), found.experiment.run.confidence)
    return (f"No job is measurably slower beside the others than alone; at most {bound}.",)


def of_contention(result: Result, baseline: Result) -> list[str]:
    """Return which jobs contention makes slower, the worst first; nothing without jobs.

    `result`, `baseline`: modes with more and with less contention.
    """
    both = (result.jobs, baseline.jobs)
    ratios = {name: slowdown(job, baseline.jobs[name]) for name, job in result.jobs.items()}
    slowed = _longer_of(ratios)
    if not slowed:
        return []
    confidence = result.experiment.run.confidence
    cause = "the network" if baseline.mode == "endpoints" else "contention"
    faults = result.experiment.faults
    if faults:  # They are in mode full alone.
        cause = f"{in_words(faults)} and {cause} together"
    told = f"because of {cause}, {_longer_text(slowed, ratios, both, confidence)}"
    return [sentence(told)]


def _longer_text(
    slowed: Sequence[str],
    ratios: Mapping[str, Estimate],
    both: tuple[Mapping[str, JobResult], Mapping[str, JobResult]],
    confidence: float,
) -> str:
    """Return how much longer the first of some jobs take; `both`: slower and faster."""
    told = []
    for name in slowed[:MOST]:
        slower, faster = (jobs[name] for jobs in both)
        metric = faster.speed
        more = longer(ratios[name], confidence)
        if metric.endswith("_us"):
            more += f": {time_text(slower[metric])} instead of {time_text(faster[metric])}"
        told.append(f"job {name} {_TAKES[metric]} {more}")
    rest = len(slowed) - len(told)
    return "; ".join(told) + (f"; so do {rest} more" if rest else "")


def _where_and_who(found: Interference, victim: str) -> list[str]:
    """Return where the messages of a job wait for other jobs, and which these are."""
    blame, names = found.together.blame, Names.of(found.together)
    if blame is None:
        return []
    number = found.names.index(victim)
    roots = roots_of_others(blame, number)
    causes = sorted(
        (
            (found.by_blame[victim, culprit].share, culprit)
            for culprit in found.names
            if culprit != victim
        ),
        reverse=True,
    )
    causes = [(share, culprit) for share, culprit in causes[:MOST] if share >= _SMALL]
    if not roots or not causes:
        return []
    named = [
        f"{channel_text(names.channel(channel))} ({percent(share)})"
        for channel, share in roots[:MOST]
        if share >= _SMALL
    ]
    where = f"messages of job {victim} wait for other jobs"
    if named:
        mostly = ", mostly" if len(roots) > len(named) else ""
        where += f"{mostly} at {listed(named)}"
    (share, first), *others = causes
    told = [f"job {first} causes {all_or_percent(share)} of the lateness of job {victim}"]
    told += [f"job {culprit} {percent(its)}" for its, culprit in others]
    return [sentence(where), sentence(listed(told))]


def roots_of_others(blame: Blame, victim: int) -> list[tuple[int, float]]:
    """Return the root channels of what others cost a class: number and share, most first."""
    sums = blame.channels
    channel, who, culprit = sums.keys[:, 0], sums.keys[:, 1], sums.keys[:, 2]
    chosen = (who == victim) & (culprit != victim) & (channel < NOBODY)
    times = np.bincount(channel[chosen], weights=sums.totals_ps[chosen])
    whole = float(times.sum())
    order = np.argsort(-times, kind="stable")
    return [(int(at), float(times[at]) / whole) for at in order if times[at] > 0]
