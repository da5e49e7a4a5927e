"""Machines: who is wired to whom, by what, and how packets find their way.

One class per family of topologies; their fields are the keys of ``[machine]``.
"""

from __future__ import annotations

from typing import Any

from .base import MOST_NODES, Fidelity, Machine
from .families import Butterfly, Dragonfly, Family, FatTree, FullyConnected, Tree
from .graph import Graph
from .grids import Mesh, Torus
from .hypercube import Hypercube
from .joined import JoinedSwitches
from .lattice import Lattice
from .pair import Pair
from .routed import RoutedMachine
from .star import Star
from .switched import SwitchedMachine
from .transport import TRANSPORT_KEYS, TransportMachine

__all__ = [
    "DEFAULT_TOPOLOGY",
    "MOST_NODES",
    "PRESETS",
    "TOPOLOGIES",
    "TRANSPORT_KEYS",
    "Butterfly",
    "Dragonfly",
    "Family",
    "FatTree",
    "Fidelity",
    "FullyConnected",
    "Graph",
    "Hypercube",
    "JoinedSwitches",
    "Lattice",
    "Machine",
    "Mesh",
    "Pair",
    "RoutedMachine",
    "Star",
    "SwitchedMachine",
    "Torus",
    "TransportMachine",
    "Tree",
]

#: Every family of topologies by the word in ``machine.topology``.
TOPOLOGIES: dict[str, type[Machine]] = {
    "mesh": Mesh,
    "torus": Torus,
    "hypercube": Hypercube,
    "pair": Pair,
    "star": Star,
    "fat_tree": FatTree,
    "butterfly": Butterfly,
    "tree": Tree,
    "fully_connected": FullyConnected,
    "dragonfly": Dragonfly,
    "graph": Graph,
}

#: The topology of a ``[machine]`` table that names none.
DEFAULT_TOPOLOGY = "mesh"

#: Buzzard & Mudge 1988, section 6: 2 ticks a byte, 4 ticks of arbitration; a tick is 1 ns.
_BUZZARD_MUDGE: dict[str, Any] = {
    "topology": "hypercube",
    "dimensions": 6,
    "routing": "dimension_order",
    "link_rate": "4 Gbit/s",
    "data_token_bits": 8,
    "header": "2 B",
    "end_token": False,
    "arbitration": "4 ns",
    "early": "16 B",
}

#: Section 5.3: packets of 4 header and 16 data bytes, of which the first has 10; 16 of them
#: for each outgoing channel.
_BUZZARD_MUDGE_PACKETS: dict[str, Any] = {
    **_BUZZARD_MUDGE,
    "transport": "packet",
    "header": "4 B",
    "packet_size": "16 B",
    "first_packet_data": "10 B",
    "packet_buffers": 16,
}

_T9000: dict[str, Any] = {
    "link_rate": "100 Mbit/s",
    "data_token_bits": 10,
    "control_token_bits": 4,
    "header": "1 B",
    "packet_size": "32 B",
    "end_token": True,
    "flow_control": "in_band",
    "acknowledgements": True,
    "node_ack_priority": True,
}

#: Named machines: ``preset = "t9000_c104"``, refined by further keys.
#:
#: * ``t9000_c104``: the T9000 transputer and C104 switch on a 16 x 16 grid, as
#:   in the thesis (Tweedie), chapters 3 and 5. Its buffers are the defaults, which
#:   depend on the fidelity.
#: * ``t9000_pair``: two T9000 on one DS-Link (the same, section 4.1.4).
#: * ``wormhole_mesh``: no machine that was built, but what wormhole routing is mostly
#:   studied on: a mesh of small buffers that sends one flit (of a byte) per nanosecond,
#:   32 of them a packet, and acknowledges nothing.
#: * ``buzzard_mudge_...``: the hypercube of 64 nodes of [Buzzard & Mudge 1988] with each of
#:   its transports (docs/transports.md). What the paper does not say is a choice: headers of
#:   2 bytes where a message is one packet, and input buffers of 2 bytes for wormholes.
PRESETS: dict[str, dict[str, Any]] = {
    "t9000_c104": {
        "topology": "mesh",
        "dims": [16, 16],
        "routing": "dimension_order",
        **_T9000,
        "queue_policy": "fifo",
        "switch_ack_priority": False,
    },
    "t9000_pair": {"topology": "pair", **_T9000},
    "wormhole_mesh": {
        "topology": "mesh",
        "dims": [8, 8],
        "routing": "dimension_order",
        "link_rate": "8 Gbit/s",
        "data_token_bits": 8,
        "header": "1 B",
        "packet_size": "31 B",
        "end_token": False,
        "flow_control": "out_of_band",
        "credit_delay": "1 ns",
        "wire_delay": "1 ns",
        "switch_delay": "2 ns",
        "link_width": 1,
        "internal_link_width": 1,
        "input_buffer": "16 B",
        "queue_policy": "fifo",
        "acknowledgements": False,
    },
    "buzzard_mudge_datagram": {**_BUZZARD_MUDGE, "transport": "datagram"},
    "buzzard_mudge_cut_through": {**_BUZZARD_MUDGE, "transport": "datagram_cut_through"},
    "buzzard_mudge_circuit": {**_BUZZARD_MUDGE, "transport": "circuit"},
    "buzzard_mudge_wormhole": {
        **_BUZZARD_MUDGE,
        "transport": "wormhole",
        "input_buffer": "2 B",
    },
    "buzzard_mudge_packet_fixed": _BUZZARD_MUDGE_PACKETS,
    "buzzard_mudge_packet_adaptive": {**_BUZZARD_MUDGE_PACKETS, "routing": "first_hop"},
}
