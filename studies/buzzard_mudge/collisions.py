"""Two messages generated together at one idle node: how often they want the same first link.

Equations (1) and (2) of [Buzzard & Mudge 1988, section 5.1], against simulated datagrams: in one
run node 0 sends every pair of messages to all pairs of other nodes, one pair long after the
other, and the second message waits if it collides. Other nodes send nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

import tailback as tb
from tailback.runner import run_mode

DIMENSIONS = range(1, 9)

_BYTES = 16
_APART_NS = 10_000
"""Longer than any of the messages is on its way."""


@dataclass(frozen=True, slots=True)
class Collisions:
    """Shares of the pairs of messages that collide on a cube."""

    dimensions: int
    pairs: int
    fixed: float
    adaptive: float

    @property
    def fixed_expected(self) -> float:
        """Equation (1) in closed form: (2^n + 1) / (3 (2^n - 1))."""
        nodes = 1 << self.dimensions
        return (nodes + 1) / (3 * (nodes - 1))

    @property
    def adaptive_printed(self) -> float:
        """Equation (2) as printed: 2^n / (2^n - 1)^2."""
        nodes = 1 << self.dimensions
        return nodes / (nodes - 1) ** 2

    @property
    def adaptive_expected(self) -> float:
        """Equation (2) corrected: 1 / (2^n - 1)."""
        return 1 / ((1 << self.dimensions) - 1)

    @property
    def agree(self) -> bool:
        """Whether both shares are the expected ones, to the last pair."""
        found = (self.fixed, self.adaptive)
        expected = (self.fixed_expected, self.adaptive_expected)
        return all(
            round(share * self.pairs) == round(probability * self.pairs)
            for share, probability in zip(found, expected, strict=True)
        )


def collisions(dimensions: int) -> Collisions:
    """Return what two messages did on a cube, for all pairs of destinations."""
    pairs = ((1 << dimensions) - 1) ** 2
    fixed, adaptive = (
        _waits(dimensions, routing) / pairs for routing in ("dimension_order", "first_hop")
    )
    return Collisions(dimensions, pairs, fixed, adaptive)


def _waits(dimensions: int, routing: str) -> int:
    """Return how many of the second messages waited for their first channel."""
    others = range(1, (1 << dimensions))
    rows: list[tuple[str, int, int, str]] = []
    for number, pair in enumerate(product(others, repeat=2)):
        at = f"{number * _APART_NS} ns"
        rows += [(at, 0, destination, f"{_BYTES} B") for destination in pair]
    machine = {
        "preset": "buzzard_mudge_datagram",
        "topology": {"dimensions": dimensions},
        "routing": {"kind": routing},
    }
    run = {"sample_interval": "1 ms"}
    workload = {"kind": "messages", "messages": rows}
    asked = tb.Experiment.from_dict({"machine": machine, "workload": workload, "run": run})
    channels = run_mode(asked, "full").channels
    columns = (channels[name].to_numpy() for name in ("from_node", "kind", "waits"))
    source, kind, waits = columns
    first = (source == 0) & (np.asarray(kind) == "internal")
    return int(waits[first].sum())
