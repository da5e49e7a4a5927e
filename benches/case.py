"""What a case is, and what it should cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

FIDELITIES = ("packet", "worm", "flit", "token", "stream")

#: Measures of `benches.timing` of which more is better; of all others less is.
MORE_IS_BETTER = {"packet_hops_per_s", "flit_hops_per_s"}


@dataclass(frozen=True)
class Goal:
    """What a measure of `benches.timing` should reach, and what it must reach at least."""

    measure: str
    goal: float
    least: float

    def reached(self, value: float, wanted: float) -> float:
        """Return how far `value` reaches: 1 or more if it is as wanted."""
        return value / wanted if self.measure in MORE_IS_BETTER else wanted / value


@dataclass(frozen=True)
class Case:
    """One timed run: the warm-up is simulated, but not timed."""

    name: str
    experiment: dict[str, dict[str, Any]]
    simulated_us: float
    warmup_us: float = 0
    goals: tuple[Goal, ...] = ()
