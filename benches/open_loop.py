"""The cases of uniform Poisson traffic on wormhole meshes, at shares of saturation.

A flit takes 1 ns on a channel, wires, switches and credits no time. A node has
one channel to its switch and one from it; packets are a header flit and data
flits, without an end token, and nothing is acknowledged.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from benches.case import FIDELITIES, Case, Goal


@dataclass(frozen=True)
class Mesh:
    """A square mesh: its size, packets and input buffers, and what it can take.

    `saturation` is the highest load at which `worm` delivers at least 99 % of
    what is offered, in flits per node and flit time, to 1 % of what the middle of
    the mesh could carry (4 / side), as ``python -m benches.saturation`` finds it.
    `goals` are those of the timed loads, by fidelity.
    """

    side: int
    packet_flits: int
    buffer_flits: int
    saturation: float
    goals: Mapping[str, Goal] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The mesh in a few letters."""
        return f"{self.side}x{self.side} L{self.packet_flits} B{self.buffer_flits}"

    def hops_per_us(self, flits_per_ns: float) -> float:
        """Return how many channels packets cross per microsecond at a load per node."""
        hops = 2 * self.side / 3 + 2
        return self.side**2 * flits_per_ns / self.packet_flits * 1e3 * hops

    def experiment(self, fidelity: str, flits_per_ns: float) -> dict[str, dict[str, Any]]:
        """Return the experiment at a load per node, Poisson from the beginning."""
        payload = f"{self.packet_flits - 1} B"
        machine = {
            "preset": "wormhole_mesh",
            "topology": {"dims": [self.side, self.side]},
            "interface": {"packet_size": payload},
            **self.buffers(fidelity),
        }
        workload = {
            "preset": "uniform_open_loop",
            "message_size": payload,
            "compute_period": f"{round(self.packet_flits / flits_per_ns * 1e3)} ps",
            "start": "together",
        }
        return {
            "machine": machine,
            "workload": workload,
            "run": {"seed": 1, "fidelity": fidelity},
        }

    def buffers(self, fidelity: str) -> dict[str, dict[str, str]]:
        """Return the links and switches: buffers, and the flow control that fills them.

        `token` has flow control in band, and buffers at inputs and outputs: each as
        large as the one at the input elsewhere, but not above the 35 B of a C104.
        """
        link = {"delay": "0 s", "credit_delay": "0 s"}
        switch = {"delay": "0 s"}
        if fidelity != "token":
            return {"link": link, "switch": switch | {"input_buffer": f"{self.buffer_flits} B"}}
        room = f"{min(self.buffer_flits, 35)} B"
        return {
            "link": link | {"flow_control": "in_band"},
            "switch": switch | {"input_buffer": room, "output_buffer": room},
        }

    def case(
        self,
        fidelity: str,
        load: float,
        packet_hops: float,
        goals: tuple[Goal, ...] = (),
        warmup_ways: int = 4,
    ) -> Case:
        """Return the case at a share of saturation.

        The warm-up is a quarter of the timed part, and at least `warmup_ways` times as
        long as a packet needs from corner to corner of an empty mesh.
        """
        flits_per_ns = load * self.saturation
        timed_us = packet_hops / self.hops_per_us(flits_per_ns)
        least_us = warmup_ways * (2 * self.side + self.packet_flits) / 1e3
        warmup_us = max(timed_us / 4, least_us)
        return Case(
            f"{self.name} {load:.0%} {fidelity}",
            self.experiment(fidelity, flits_per_ns),
            simulated_us=round(warmup_us + timed_us, 3),
            warmup_us=round(warmup_us, 3),
            goals=goals,
        )

    def timed(self, fidelity: str, load: float) -> Case:
        """Return the case that measures speed: so many packet-hops or flit-hops."""
        flit_by_flit = fidelity in ("flit", "token")
        packet_hops = FLIT_HOPS / self.packet_flits if flit_by_flit else PACKET_HOPS
        goals = (self.goals[fidelity],) if fidelity in self.goals else ()
        return self.case(fidelity, load, packet_hops, goals)


#: Timed packet-hops of `packet`, `worm` and `stream`, which work packet by packet.
PACKET_HOPS = 5e6

#: Timed flit-hops of `flit` and `token`, which work flit by flit.
FLIT_HOPS = 2e7

#: Shares of saturation.
LOADS = (0.3, 0.8)

MESHES = (
    Mesh(8, 4, 8, 0.345, {"worm": Goal("packet_hops_per_s", 20e6, 12e6)}),
    Mesh(
        32,
        34,
        70,
        0.10375,
        {
            "worm": Goal("packet_hops_per_s", 20e6, 12e6),
            "flit": Goal("flit_hops_per_s", 40e6, 25e6),
        },
    ),
    Mesh(32, 34, 16, 0.080, {"worm": Goal("packet_hops_per_s", 10e6, 6e6)}),
    Mesh(128, 34, 70, 0.0290625, {"worm": Goal("packet_hops_per_s", 10e6, 5e6)}),
)

OPEN_LOOP = [
    mesh.timed(fidelity, load) for mesh in MESHES for fidelity in FIDELITIES for load in LOADS
]

#: What a large mesh needs at saturation, where most packets are on their way.
MEMORY = [
    MESHES[-1].case(fidelity, 1.0, 2e7, (Goal("bytes_per_node", 1e3, 3e3),))
    for fidelity in ("packet", "worm")
]

#: A million nodes, at the share of what the middle of the mesh can carry at which
#: 128 x 128 is 20 % saturated.
MILLION = Mesh(1024, 34, 70, MESHES[-1].saturation * 128 / 1024).case(
    "worm", 0.2, PACKET_HOPS, warmup_ways=1
)
