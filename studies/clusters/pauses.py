"""Ethernet switches that tell each other to pause: when for ever, and when frames are lost."""

from __future__ import annotations

import re
from dataclasses import dataclass

from studies.clusters.settings import ETHERNET, EXCHANGES, NETWORKS
from studies.runs import answers
from tailback.errors import RunFailure
from tailback.experiment import Experiment
from tailback.runner import run_mode

MARKS_KIB = (16, 32, 64, 128, 256)
SIZES = (512, 1024, 2048)


@dataclass(frozen=True)
class Paused:
    """`torus` with messages of one size, between switches that tell their neighbours to pause."""

    kib: int
    """Above so much in memory they are told; where memory is bounded: how much there is, and they
    are told at three quarters of it."""
    is_bounded: bool
    size: int
    completion_us: float | None
    """When the last process was done; None: never."""
    told: str = ""
    """What the run ended with, if it did not finish."""

    @property
    def lost(self) -> int | None:
        """How many frames found no room, if that is why it never ended."""
        found = re.search(r"the first of (\d+) for which switches had no room", self.told)
        return int(found[1]) if found else None

    @property
    def each_other(self) -> tuple[str, ...]:
        """The switches that pause each other for ever, if that is why it never ended."""
        found = re.search(r"(switch \S+) and (switch \S+) pause each other", self.told)
        return found.groups() if found else ()


def run() -> list[Paused]:
    """Run all on all processors; progress on standard error."""
    if ETHERNET not in NETWORKS:
        return []
    asked = [
        (kib, bounded, size) for bounded in (False, True) for kib in MARKS_KIB for size in SIZES
    ]
    return answers(_paused, asked, "memories")


def _paused(asked: tuple[int, bool, int]) -> Paused:
    kib, is_bounded, size = asked
    bounds = {"memory": f"{kib} KiB"} if is_bounded else {"pause_high": f"{kib} KiB"}
    tables = {
        "machine": {**ETHERNET.machine, "switch": {"pause": "all", **bounds}},
        "workload": {"kind": "torus", "message_size": f"{size} B", "exchanges": EXCHANGES},
    }
    try:
        result = run_mode(Experiment.from_dict(tables), "full")
    except RunFailure as failure:
        return Paused(kib, is_bounded, size, None, str(failure))
    return Paused(kib, is_bounded, size, result["completion_us"].value)


def largest_standstill(found: list[Paused]) -> Paused | None:
    """Return the standstill with the largest memory: the least expected."""
    stuck = [one for one in found if one.each_other]
    return max(stuck, key=lambda one: (one.kib, one.size), default=None)
