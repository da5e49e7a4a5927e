"""What is run: patterns, sizes, machines, and the software they have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from studies.study import Study

STUDY = Study("symult")

FLIT_NS = 57.7
"""Printed, section 4: 0.0577 us for each byte."""
FAST_FLIT_NS = 35.0
"""What fits the size of the delays of figure 8 best."""

Keys = Mapping[str, Any]

FIGURE_12: Keys = {}
"""The software of the preset, fitted to figure 12."""
SECTION_3_1: Keys = {
    "receive_overhead_per_packet": "0 s",
    "receive_overhead_after": "105.2 us",
}
"""That of sections 3.1 and 4, on another day: what the printed law leaves for it. All that a packet
costs where it arrives is hidden behind the next one there."""
FOUR_NEIGHBOURS: Keys = {"receive_overhead_after": "283 us"}
"""That of the programs with four neighbours: 182 us more for each message received (fitted)."""


@dataclass(frozen=True)
class Case:
    """A loop that is run."""

    peers: str
    size: int
    side: int = 4
    sends_first: str = "A"
    compute_us: float = 500.0
    distribution: str = "constant"
    loops: int = 10
    flit_ns: float = FLIT_NS
    software: Keys = field(default_factory=dict)
    modes: tuple[str, ...] = ("full", "endpoints", "free")
    ends_early: bool = False
    """Whether nodes are done before the CPU is: its work for the last message sent is in no loop.
    What is measured is then by how much longer twice as many loops take."""

    @property
    def twice(self) -> Case:
        """The same with twice as many loops."""
        return replace(self, loops=2 * self.loops)

    @property
    def description(self) -> dict[str, Any]:
        """The experiment, as tables of a file."""
        return {
            "machine": {
                "preset": "symult_2010",
                "topology": {"dims": [self.side, self.side]},
                "link": {"rate": f"{round(8e9 / self.flit_ns)} bit/s"},
                "interface": dict(self.software),
            },
            "workload": {
                "kind": "peer_exchange",
                "peers": self.peers,
                "sends_first": self.sends_first,
                "message_size": f"{self.size} B",
                "compute": f"{self.compute_us} us",
                "distribution": self.distribution,
                "repeat": self.loops,
            },
            "run": {"baseline": "free"},
        }


SHORT = (1, 64, 128, 256)
LONG = (512, 1024, 2048, 4096, 8192)


def law(size: int) -> Case:
    """Return the loop of section 3.1: neighbours, one of them sends at a time."""
    return Case("adjacent", size, software=SECTION_3_1, modes=("full",))


def along_the_diagonal() -> Case:
    """Return the loop of section 3.2, figure 6: paths of up to 22 hops."""
    return Case("diagonal", 4096, 12, software=SECTION_3_1, modes=("full",))


PATTERNS = {
    "AB_1NN": ("adjacent", "A", FIGURE_12),
    "AA_1NN": ("adjacent", "all", FIGURE_12),
    "AB_4NN": ("four_neighbours", "A", FOUR_NEIGHBOURS),
    "AA_4NN": ("four_neighbours", "all", FOUR_NEIGHBOURS),
}
"""Of figure 12."""


def near_neighbours(pattern: str, size: int) -> Case:
    """Return a loop of figure 12; on which machine, and with which computing, is not printed."""
    peers, first, software = PATTERNS[pattern]
    return Case(peers, size, sends_first=first, software=software, ends_early=True)


FIGURE_8_SIZE = 4096
TRANSPOSED_SIDES = (4, 8, 12)
TRANSPOSED_SIZES = (1024, 4096, 8192)


def transpose(
    side: int = 8, size: int = FIGURE_8_SIZE, flit_ns: float = FLIT_NS, loops: int = 40
) -> Case:
    """Return the loop of section 3.3.1, figure 8."""
    return Case(
        "transpose",
        size,
        side,
        compute_us=250.0,
        distribution="uniform",
        loops=loops,
        flit_ns=flit_ns,
    )


def transposed_loops(side: int) -> int:
    """Return how many loops tell the mean delay well enough: fewer on more nodes."""
    return {4: 30, 8: 10, 12: 4}[side]


def cases() -> list[Case]:
    """Return everything that is run, what takes longest first."""
    wanted = [
        transpose(side, size, flit, transposed_loops(side))
        for side in reversed(TRANSPOSED_SIDES)
        for size in reversed(TRANSPOSED_SIZES)
        for flit in (FLIT_NS, FAST_FLIT_NS)
    ]
    wanted += [transpose(flit_ns=flit) for flit in (FLIT_NS, FAST_FLIT_NS)]
    wanted.append(along_the_diagonal())
    from studies.symult import published

    wanted += [near_neighbours(p, size) for p in PATTERNS for size in published.sizes()]
    wanted += [law(size) for size in (*SHORT, *LONG)]
    return wanted
