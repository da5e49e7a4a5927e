"""What is simulated: meshes, groupings, sizes, and the formulas of table 1."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from studies.study import Study
from tailback.schedules import Contention, contentions

STUDY = Study("paragon")

SIDES = (4, 8, 12, 16)
NAIVE_SIDES = (4, 8, 12)
"""On 16 x 16 the naive exchange did not run on the machine."""
SLICE = 15232
"""Message size of figures 12 to 15, in bytes."""
SIZES = (64, 256, 1024, 4096, 8640, SLICE)
"""Message sizes that are simulated; those of the figures are not printed."""
BUFFERS = {"64 B": 64, "256 B": 256, "1000 B": 1000, "2000 B": 2000}
"""At the inputs of switches: as in the preset, and larger ones, up to more than a packet."""
BUFFERED_GROUPS = (16, 32, 64, 128)
ORDERS = {
    "naive_shifted": "from its own number on",
    "naive_ascending": "0, 1, 2, ...",
    "naive_random": "at random",
}

COMPLETION = "completion_us"
THETA_T, THETA_R, THETA_C = "theta_t", "theta_r", "theta_c"
NETWORK, ENDPOINTS = "theta_c_network", "theta_c_endpoints"


def step_us(size: int) -> float:
    """Return the time of a message without contention: table 1."""
    return 231 + 0.022 * size


@dataclass(frozen=True, slots=True)
class Reading:
    """What the formula of a barrier is taken to be; as printed it is negative."""

    name: str
    us: Callable[[int], float]
    """Its time on n x n nodes."""


PLUS = Reading("27.1 log2 n + 134", lambda n: 27.1 * math.log2(n) + 134)
TIMES_TEN = Reading("271 log2 n - 134", lambda n: 271 * math.log2(n) - 134)
READINGS = (PLUS, TIMES_TEN)


def printed_barrier_us(side: int) -> float:
    """Return what the printed formula gives."""
    return 27.1 * math.log2(side) - 134


@dataclass(frozen=True, slots=True)
class Grouping:
    """Steps between two barriers on a mesh, and the bounds of section 7."""

    side: int
    contention: Contention

    @property
    def name(self) -> str:
        """As the figures name it."""
        return f"({self.contention.node}, {self.contention.link})"

    @property
    def barriers(self) -> int:
        """One after each group."""
        return self.side**3 // 4 // self.contention.group

    @property
    def fewest_steps(self) -> int:
        """Messages that a node sends at least, one after the other: n^3/4c, and never below n^2."""
        return max(self.side**3 // 4 // self.contention.link, self.side**2)

    def lower_us(self, barrier_us: float, size: int = SLICE) -> float:
        """Return the time if nothing waits for anything but barriers."""
        return self.fewest_steps * step_us(size) + self.barriers * barrier_us

    def upper_us(self, barrier_us: float, size: int = SLICE) -> float:
        """Return the time if all steps are done one after the other."""
        return self.side**3 // 4 * step_us(size) + self.barriers * barrier_us


def _groupings(side: int) -> tuple[Grouping, ...]:
    found = [Grouping(side, contention) for contention in contentions((side, side))]
    # (256, 1024) on 16 x 16 did not run on the machine.
    return tuple(g for g in found if g.contention.link < 1024)


GROUPINGS: Mapping[int, tuple[Grouping, ...]] = {side: _groupings(side) for side in SIDES}
