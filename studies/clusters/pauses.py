"""Ethernet switches whose memory gets full: who tells whom to pause, and for how long."""

from __future__ import annotations

import re
from dataclasses import dataclass

from studies.clusters.settings import ETHERNET, EXCHANGES
from studies.runs import answers
from tailback.errors import RunFailure
from tailback.experiment import Experiment
from tailback.runner import run_mode

MEMORIES_KIB = (16, 32, 64, 128, 256)
SIZES = (512, 1024, 2048)


@dataclass(frozen=True)
class Paused:
    """`torus` with messages of one size, between switches with so much memory."""

    memory_kib: int
    size: int
    completion_us: float | None
    """When the last process was done; None: they wait for each other for ever."""
    told: str = ""
    """What the run ended with, if it did not finish."""

    @property
    def switches(self) -> tuple[str, ...]:
        """The channels in the circle, as they are told."""
        return tuple(dict.fromkeys(re.findall(r"switch \d+ -> switch \d+|\d+->\d+", self.told)))


def run() -> list[Paused]:
    """Run all on all processors; progress on standard error."""
    asked = [(memory, size) for memory in MEMORIES_KIB for size in SIZES]
    return answers(_paused, asked, "memories")


def _paused(asked: tuple[int, int]) -> Paused:
    memory, size = asked
    switch = {"memory": f"{memory} KiB", "pause": "all"}
    tables = {
        "machine": {**ETHERNET.machine, "switch": switch},
        "workload": {
            "kind": "torus",
            "message_size": f"{size} B",
            "exchanges": EXCHANGES,
        },
    }
    try:
        result = run_mode(Experiment.from_dict(tables), "full")
    except RunFailure as failure:
        return Paused(memory, size, None, str(failure))
    return Paused(memory, size, result["completion_us"].value)


def first_standstill(found: list[Paused]) -> Paused | None:
    """Return the smallest case that never ends."""
    stuck = [one for one in found if one.completion_us is None]
    return min(stuck, key=lambda one: (one.memory_kib, one.size), default=None)
