"""The paper's rule against deadlock without overtaking: how and when everything stands still.

A place in each queue is kept from contrary packets [Buzzard & Mudge 1988, section 5.2]. The
argument is that those that are not contrary always move on. But where a queue sends strictly in
turn, a contrary packet at its head that waits for a place holds up all those behind it.
"""

from __future__ import annotations

from dataclasses import dataclass

import tailback as tb
from tailback.errors import RunFailure
from tailback.runner import run_mode

SEEDS = tuple(range(1, 9))


@dataclass(frozen=True, slots=True)
class Standstill:
    """What became of one run without overtaking."""

    seed: int
    length: int
    overtaking: bool
    text: str
    """The report of the deadlock; empty if everything was delivered."""
    at_us: float
    """When it was found, or when the last message was there."""
    circle: tuple[str, ...] = ()
    """The packets that wait for each other, and what each holds and waits for."""


def attempt(case: tuple[int, int, bool]) -> Standstill:
    """Run adaptive packets at the heaviest load; a case is length, seed and overtaking."""
    length, seed, overtaking = case
    machine = {
        "preset": "buzzard_mudge_packet_adaptive",
        "switch": {"overtaking": overtaking},
    }
    workload = {
        "preset": "buzzard_mudge",
        "message_size": f"{length} B",
        "compute_period": f"{2 * length} ns",
    }
    tables = {"machine": machine, "workload": workload, "run": {"seed": seed}}
    try:
        result = run_mode(tb.Experiment.from_dict(tables), "full")
    except RunFailure as failure:
        at_us = (failure.at_ps or 0) / 1e6
        # Every channel is alone on its link.
        circle = tuple(packet["text"].replace(" (channel 0)", "") for packet in failure.circle)
        return Standstill(seed, length, overtaking, str(failure), at_us, circle)
    return Standstill(seed, length, overtaking, "", result.ending.simulated_ms * 1000)


def cases(length: int) -> list[tuple[int, int, bool]]:
    """Return all seeds with and without overtaking."""
    return [(length, seed, overtaking) for overtaking in (False, True) for seed in SEEDS]
