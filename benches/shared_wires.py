"""The cases of virtual channels that share wires flit by flit.

On tori, on meshes with escape channels, and on dragonflies with UGAL. A flit takes 1 ns on a
channel, wires 2 ns, a switch 1 ns and a credit 2 ns. Traffic is uniform as in `benches.open_loop`;
messages fill one packet and are not acknowledged. It is Poisson, or Bernoulli: then everything
happens in slots of a flit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from benches.case import Case, Goal
from benches.open_loop import FLIT_HOPS, LOADS

#: What takes time besides the flits.
DELAYS: dict[str, dict[str, Any]] = {
    "link": {"delay": "2 ns", "credit_delay": "2 ns"},
    "switch": {"delay": "1 ns"},
}

#: When messages are sent.
Arrivals = Literal["poisson", "bernoulli"]

ARRIVALS: dict[Arrivals, dict[str, str]] = {
    "poisson": {},
    "bernoulli": {"compute_distribution": "geometric", "compute_slot": "1 ns"},
}


@dataclass(frozen=True)
class Network:
    """A network, its packets and input buffers, and what it can about take.

    `saturation` is a load, in flits per node and flit time, of which four fifths are delivered
    without queues that grow; `hops` is how many channels a packet crosses on average.
    """

    name: str
    nodes: int
    hops: float
    packet_flits: int
    buffer_flits: int
    saturation: float
    topology: dict[str, Any]
    routing: dict[str, Any]
    virtual_channels: int

    def experiment(self, flits_per_ns: float, arrivals: Arrivals) -> dict[str, dict[str, Any]]:
        """Return the experiment at a load per node, which is the same from the beginning."""
        payload = f"{self.packet_flits - 1} B"
        switch = {
            "input_buffer": f"{self.buffer_flits} B",
            "virtual_channels": self.virtual_channels,
        }
        return {
            "machine": {
                "preset": "wormhole_mesh",
                "topology": self.topology,
                "routing": self.routing,
                "interface": {"packet_size": payload},
                "link": DELAYS["link"],
                "switch": DELAYS["switch"] | switch,
            },
            "workload": {
                "preset": "uniform_open_loop",
                "message_size": payload,
                "compute_period": f"{round(self.packet_flits / flits_per_ns * 1e3)} ps",
                "start": "together",
            }
            | ARRIVALS[arrivals],
            "run": {"seed": 1, "fidelity": "flit"},
        }

    def case(self, load: float, arrivals: Arrivals, goals: tuple[Goal, ...] = ()) -> Case:
        """Return the case at a share of saturation; the warm-up is a quarter of the timed part."""
        flits_per_ns = load * self.saturation
        timed_us = FLIT_HOPS / (self.nodes * flits_per_ns * self.hops) / 1e3
        return Case(
            f"{self.name} L{self.packet_flits} B{self.buffer_flits} {load:.0%} flit"
            f" {'shared' if arrivals == 'poisson' else 'slots'}",
            self.experiment(flits_per_ns, arrivals),
            simulated_us=round(timed_us * 5 / 4, 3),
            warmup_us=round(timed_us / 4, 3),
            goals=goals,
        )


def torus(side: int, packet_flits: int, buffer_flits: int, saturation: float) -> Network:
    """Return a square torus with two virtual channels."""
    return Network(
        f"torus {side}x{side}",
        side**2,
        side / 2 + 2,
        packet_flits,
        buffer_flits,
        saturation,
        {"kind": "torus", "dims": [side, side]},
        {"kind": "dimension_order"},
        2,
    )


TORI = (
    torus(8, 4, 8, 0.55),
    torus(8, 34, 70, 0.6),
    torus(32, 4, 8, 0.13),
    torus(32, 34, 70, 0.14),
)


def with_escapes(packet_flits: int, buffer_flits: int, saturation: float) -> Network:
    """Return a mesh of 8 x 8 with three virtual channels, of which one is for escapes."""
    return Network(
        "escapes 8x8",
        64,
        2 * 8 / 3 + 2,
        packet_flits,
        buffer_flits,
        saturation,
        {"kind": "mesh", "dims": [8, 8]},
        {"kind": "minimal_adaptive"},
        3,
    )


ESCAPES = (with_escapes(4, 8, 0.35), with_escapes(34, 70, 0.3625))


def dragonfly(
    nodes_per_switch: int, switches_per_group: int, global_links: int, groups: int
) -> Network:
    """Return a dragonfly with UGAL."""
    topology = {
        "kind": "dragonfly",
        "nodes_per_switch": nodes_per_switch,
        "switches_per_group": switches_per_group,
        "global_links": global_links,
        "groups": groups,
    }
    nodes = nodes_per_switch * switches_per_group * groups
    return Network(f"dragonfly {nodes}", nodes, 5, 4, 32, 1.0, topology, {"kind": "ugal_l"}, 3)


DRAGONFLY = dragonfly(4, 8, 4, 33)

SHARED_WIRES = [
    *(network.case(load, arrivals) for network in TORI for load in LOADS for arrivals in ARRIVALS),
    *(network.case(load, "bernoulli") for network in ESCAPES for load in LOADS),
    # 40 times what BookSim2 made when that goal was set.
    DRAGONFLY.case(0.5, "bernoulli", (Goal("flit_hops_per_s", 11.6e6, 11.6e6),)),
]

#: A large network at a fifth of what its nodes can send: at most 4 GB.
LARGE = dragonfly(8, 32, 8, 256).case(0.2, "poisson", (Goal("bytes_per_node", 20e3, 4e9 / 65_536),))
