"""What is run: five programs, their sizes, and three networks of 256 hosts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from studies.study import Study
from tailback.machines import PRESETS

STUDY = Study("clusters")

SIZES = (32, 64, 128, 256, 512, 1024, 2048)
"""Lengths of messages in bytes, of figures 18 and 20."""
LONG_BYTES = 1_500_000
"""Of the message of figure 14: the text has 15 MB, the printed numbers are those of a tenth."""
EXCHANGES = 9
"""Of mesh and torus: slopes and completions are those of nine, whatever the text counts."""
PARTED_SIZES = (128, 512, 2048)
"""Lengths for which it is told what contention costs."""
BLAMED_SIZE = 2048

Tables = Mapping[str, Any]


@dataclass(frozen=True)
class Network:
    """One of the three networks."""

    name: str
    preset: str
    timer_us: float = 0.0
    """What a message takes longer that a timer sends: what the source's hosts did."""
    leaves_gaps: bool = False
    """Whether a host leaves 22 flits of 6.25 ns between the tail of a message and the next."""
    counts_frames: bool = False
    """Whether figure 14 has the rate at which frames follow each other, without the time until the
    first of them has come."""

    @property
    def machine(self) -> dict[str, Any]:
        """The machine, as a table of a file."""
        # Not an interval from start to start, which is over when a worm has been stopped. A host
        # that computes already computes so much longer.
        gaps = {"send_overhead_after": "137500 ps", "overlap": False, "receive_preempts": True}
        return {"preset": self.preset, **({"interface": gaps} if self.leaves_gaps else {})}


MYRINET = Network("Myrinet", "myrinet", timer_us=0.00625, leaves_gaps=True)
ETHERNET = Network("Ethernet", "gigabit_ethernet")
AVICI = Network("Avici", "avici_tsr", counts_frames=True)
NETWORKS = tuple(one for one in (AVICI, MYRINET, ETHERNET) if one.preset in PRESETS)
"""In the order in which they are printed."""


@dataclass(frozen=True)
class Case:
    """A program on a network, in some modes."""

    network: Network
    workload: Tables
    modes: tuple[str, ...] = ("full",)
    blame: bool = False
    machine: Tables = field(default_factory=dict)
    """Keys that differ from the network's."""

    @property
    def description(self) -> dict[str, Any]:
        """The experiment, as tables of a file."""
        return {
            "machine": {**self.network.machine, **self.machine},
            "workload": dict(self.workload),
            "run": {"keep_messages": True, "baseline": "free", "blame": self.blame},
        }


def _parted(size: int) -> tuple[str, ...]:
    return ("full", "endpoints", "free") if size in PARTED_SIZES else ("full",)


def token_pass(network: Network) -> Case:
    """Return figure 13: one byte, round all hosts three times."""
    return Case(network, {"kind": "token_pass"})


def throughput(network: Network, size: int = LONG_BYTES) -> Case:
    """Return figure 14: one long message between neighbours."""
    send = {"send": 1, "bytes": f"{size} B", "blocking": False}
    processes = [
        {"node": 0, "repeat": 1, "steps": [send]},
        {"node": 1, "repeat": 1, "steps": [{"receive": 0}]},
    ]
    return Case(network, {"kind": "program", "process": processes})


def exchange(network: Network, program: str, size: int) -> Case:
    """Return figures 18 and 20, and 21 to 28: `mesh` or `torus` of 16 x 16 processes."""
    workload = {"kind": program, "message_size": f"{size} B", "exchanges": EXCHANGES}
    is_blamed = program == "torus" and size == BLAMED_SIZE
    return Case(network, workload, _parted(size), is_blamed)


def fan(network: Network, program: str, size: int) -> Case:
    """Return figures 15 to 17: `fan_in` to one host, or `fan_out` of one, copied on the way."""
    workload: dict[str, Any] = {"kind": program, "message_size": f"{size} B"}
    if program == "fan_out":
        workload["multicast"] = True
    is_blamed = program == "fan_in" and size == BLAMED_SIZE
    return Case(network, workload, _parted(size), is_blamed)


def cases() -> list[Case]:
    """Return everything that is run, what takes longest first."""
    wanted = [
        make(network, program, size)
        for size in reversed(SIZES)
        for network in NETWORKS
        for make, programs in ((exchange, ("torus", "mesh")), (fan, ("fan_in", "fan_out")))
        for program in programs
    ]
    for network in NETWORKS:
        wanted += [throughput(network), token_pass(network)]
        if network.counts_frames:
            wanted.append(throughput(network, LONG_BYTES // 2))
    return wanted
