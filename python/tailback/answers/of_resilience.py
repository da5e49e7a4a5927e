"""What failed links cost, and which cost most."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tailback.failing import Spread
from tailback.statistics import Estimate
from tailback.units import counted
from tailback.wording.phrases import NEXT_TO_NONE, listed, longer, percent, sentence

from .status import Head, status

if TYPE_CHECKING:
    from tailback.failing import Resilience

_CABLE, _NOUN = "failed link", "link"


def of_resilience(found: Resilience) -> Head:
    """Return the head of draws of failed links: one sentence for each number of failures."""
    warned = status({"no failures": found.whole})
    if found.interrupted:
        ran = f"{len(found.draws)} of {counted(found.planned, 'draw')} were run"
        warned = (f"INCOMPLETE, interrupted: {ran}", *warned)
    elif not found.complete:
        warned = ("CUT OFF: some runs ended at a limit before they were complete", *warned)
    told = [sentence(text) for failures in found.failures if (text := _costs(found, failures))]
    told += [*_cut(found), *_when(found)]
    return Head(warned, tuple(told) or ("What failed links cost is not known: none was run.",))


def _when(found: Resilience) -> list[str]:
    """Return when links fail, if they do so while it runs."""
    if found.fault is None:
        return []
    time, after = found.fault.get("time"), found.fault.get("reroute_after")
    begins = "at the start" if time is None else f"at {time}"
    routes = "" if after is None else f", and routes avoid them after {after}"
    return [f"Links fail {begins} for {found.fault['duration']}{routes}."]


def _costs(found: Resilience, failures: int) -> str:
    """Return what so many failures cost the job that suffers most: in the median, and at worst."""
    worst = found.worst(failures)
    if worst is None:
        return ""
    job = max(worst.slowdowns, key=lambda name: _or_less(worst.slowdowns[name].value))
    spread, confidence = found.spread(failures, job), found.experiment.run.confidence
    what = counted(failures, _CABLE)
    run = f"job {job}" if job else "the run"
    makes = "makes" if failures == 1 else "make"
    if spread.quantile(1) - 1 < NEXT_TO_NONE:
        by = f"at most {percent(NEXT_TO_NONE)}" if spread.quantile(1) > 1 else "no"
        draws = counted(spread.draws, "draw")
        return f"{what} {makes} {run} {by} longer in {'each' if by != 'no' else 'any'} of {draws}"
    median, most = (longer(Estimate.exact(spread.quantile(q)), confidence) for q in (0.5, 1.0))
    where = listed([cable.name for cable in worst.cables])
    draws = counted(spread.draws, "draw")
    return f"{what} {makes} {run} {median} in the median of {draws} and {most} at worst: {where}"


def _or_less(value: float) -> float:
    return -math.inf if math.isnan(value) else value


def _cut(found: Resilience) -> list[str]:
    """Return how many draws cut nodes off or saturate the network."""
    told = []
    spreads = [found.spread(failures, found.jobs[0]) for failures in found.failures]
    for words, count in (
        ("cut nodes off", _number_cut),
        ("saturate the network", _number_saturated),
    ):
        there = [
            f"{count(one)} of {one.draws} with {counted(one.failures, _NOUN)}"
            for one in spreads
            if count(one)
        ]
        if there:
            told.append(sentence(f"draws that {words}: {listed(there)}"))
    return told


def _number_cut(spread: Spread) -> int:
    return spread.cut


def _number_saturated(spread: Spread) -> int:
    return spread.saturated
