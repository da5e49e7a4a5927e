"""Two runs on the same network: for which lines more packets wait in one than in the other.

Compared is the mean number of waiting packets, which is also the waiting time of all packets by
time that was measured: runs may differ in length.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tailback.answers.places import channel_text
from tailback.errors import UserError, shown
from tailback.statistics import Floats
from tailback.units import counted
from tailback.wording.phrases import listed
from tailback.wording.scaling import MICROSECONDS, scaled

from .lines import Lines

if TYPE_CHECKING:
    from tailback.experiment import Experiment
    from tailback.results import Result

WAITS = ("wait_throttling_ps", "wait_internal_ps")
"""How long packets waited, by channel: columns of `Result.channels`."""
_NAMED = 2
_MUCH = 0.1
"""A change with this share of the largest is named in a sentence."""
_ENDS = ("kind", "from_node", "to_node")


@dataclass(frozen=True, eq=False)
class Against:
    """A run that another one is compared with."""

    name: str
    """Of its file, or its mode."""
    result: Result


def check_same(experiment: Experiment, other: Experiment, name: str) -> None:
    """Raise `UserError`, before any run, if networks are not of one size."""
    mine, theirs = (one.machine.topology.facts for one in (experiment, other))
    sizes = [
        f"{counted(one.switches, 'switch', 'switches')}, {counted(one.links, 'link')}"
        for one in (mine, theirs)
    ]
    if sizes[0] != sizes[1]:
        raise _not_same(name, sizes)


def _not_same(name: str, sizes: Sequence[str]) -> UserError:
    told = "; here ".join(reversed(sizes))
    return UserError("--against", shown(name), f"must have the same network (it has {told})")


def queue(result: Result, lines: Lines) -> Floats:
    """Return how many packets wait for each line on average, by Little's law."""
    wait_ps = sum(lines.total(result.channels[name].to_numpy()) for name in WAITS)
    window_ps = 1e9 * result.ending.window_ms
    found: Floats = np.asarray(wait_ps) / window_ps if window_ps else np.zeros(len(lines))
    return found


def change(result: Result, lines: Lines, against: Against) -> Floats:
    """Return how many packets more wait for each line than in the other run.

    Raises `UserError` if the other run has another network.
    """
    mine, theirs = (one.channels.select(_ENDS) for one in (result, against.result))
    if not mine.equals(theirs):
        sizes = [counted(one.num_rows, "channel") for one in (mine, theirs)]
        raise _not_same(against.name, sizes)
    return queue(result, lines) - queue(against.result, lines)


def compared(result: Result, against: Against, changed: Floats, lines: Lines) -> list[str]:
    """Return how late messages are in the other run, and where more and where fewer wait."""
    told = [*_lateness(result, against)]
    most = float(np.abs(changed).max(initial=0.0))
    if not most > 0:
        return [*told, f"For no channel wait more or fewer packets than in {against.name}."]
    order = np.argsort(-np.abs(changed), kind="stable")
    much = [int(line) for line in order if abs(changed[line]) >= _MUCH * most]
    for word, some in (("More", changed > 0), ("Fewer", changed < 0)):
        named = [f"{channel_text(lines.names[n])} ({changed[n]:+.3g})" for n in much if some[n]]
        if named:
            where = listed(named[:_NAMED])
            told.append(f"{word} packets wait on average than there for {where}.")
    return told


def _lateness(result: Result, against: Against) -> list[str]:
    values = [
        one.blame.late(one.experiment.run.confidence).value
        for one in (result, against.result)
        if one.blame is not None and one.blame.has_lateness
    ]
    if len(values) < 2 or any(map(math.isnan, values)):
        return []
    return [f"In {against.name} it is late by {scaled(values[1], MICROSECONDS, 3)}."]
