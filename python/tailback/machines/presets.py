"""Named machines: ``preset = "t9000_c104"``, refined by further keys.

* ``t9000_c104``: the T9000 transputer and C104 switch on a 16 x 16 grid, as in the thesis
  (Tweedie), chapters 3 and 5. Its buffers are the defaults, which depend on the fidelity.
* ``t9000_pair``: two T9000 on one DS-Link (the same, section 4.1.4).
* ``wormhole_mesh``: no machine that was built, but what wormhole routing is mostly studied
  on: a mesh of small buffers that sends one flit (of a byte) per nanosecond, 32 of them a
  packet, and acknowledges nothing.
* ``buzzard_mudge_...``: the hypercube of 64 nodes of [Buzzard & Mudge 1988] with each of its
  transports (docs/switching.md). What the paper does not say is a choice: headers of 2 bytes
  where a message is one packet, and input buffers of 2 bytes for wormholes.
* ``symult_2010``: the Symult 2010 of 64 nodes [Chittor & Enbody 1990]. Printed are 8 lines for both
  directions of a link, one after the other, one-flit buffers, headers of 1 or 2 flits and packets
  of 256 bytes (section 2), and that a flit takes 57.7 ns and a packet 24.6 us of software besides
  (section 4), of which a flit is its header here. Fitted to figure 12: what a message costs a
  node's one CPU before and after its packets, and a packet where it arrives.
"""

from __future__ import annotations

from typing import Any

Tables = dict[str, Any]

#: DS-Links and the T9000's virtual channel processor.
_T9000: Tables = {
    "link": {
        "rate": "100 Mbit/s",
        "data_token_bits": 10,
        "control_token_bits": 4,
        "end_token": True,
        "flow_control": "in_band",
    },
    "node_link": {"width": "degree"},
    "switch": {"switching": "wormhole"},
    "interface": {
        "header": "1 B",
        "packet_size": "32 B",
        "acknowledgements": True,
        "ack_priority": True,
        "window": 1,
    },
}


def _hypercube(switch: Tables, interface: Tables, routing: str = "dimension_order") -> Tables:
    """Return a hypercube of integrated nodes.

    2 ticks a byte, 4 ticks of arbitration; a tick is 1 ns [Buzzard & Mudge 1988, section 6].
    """
    return {
        "topology": {"kind": "hypercube", "dimensions": 6},
        "link": {"rate": "4 Gbit/s"},
        "switch": {"integrated": True, "delay": "4 ns", **switch},
        "routing": {"kind": routing},
        "interface": {"early": "16 B", **interface},
    }


_MESSAGES: Tables = {"unit": "message", "header": "2 B"}

#: Section 5.3: packets of 4 header and 16 data bytes, of which the first has 10; 16 of them
#: for each outgoing channel.
_PACKETS: Tables = {
    "unit": "packet",
    "header": "4 B",
    "packet_size": "16 B",
    "first_packet": "10 B",
}
_QUEUES: Tables = {"switching": "store_and_forward", "output_queue": 16}

PRESETS: dict[str, Tables] = {
    "t9000_c104": {
        **_T9000,
        "topology": {"kind": "mesh", "dims": [16, 16]},
        "routing": {"kind": "dimension_order"},
        "switch": {**_T9000["switch"], "arbiter": "fifo", "ack_priority": False},
    },
    "t9000_pair": {**_T9000, "topology": {"kind": "pair"}},
    "wormhole_mesh": {
        "topology": {"kind": "mesh", "dims": [8, 8]},
        "link": {"rate": "8 Gbit/s", "delay": "1 ns", "credit_delay": "1 ns", "width": 1},
        "node_link": {"width": 1},
        "switch": {
            "switching": "wormhole",
            "delay": "2 ns",
            "input_buffer": "16 B",
            "arbiter": "fifo",
        },
        "routing": {"kind": "dimension_order"},
        "interface": {
            "header": "1 B",
            "packet_size": "31 B",
            "acknowledgements": False,
            "window": 1,
        },
    },
    "buzzard_mudge_datagram": _hypercube({"switching": "store_and_forward"}, _MESSAGES),
    "buzzard_mudge_cut_through": _hypercube({"switching": "cut_through"}, _MESSAGES),
    "buzzard_mudge_circuit": _hypercube({"switching": "circuit"}, _MESSAGES),
    "buzzard_mudge_wormhole": _hypercube(
        {"switching": "wormhole", "input_buffer": "2 B"}, _MESSAGES
    ),
    "buzzard_mudge_packet_fixed": _hypercube(_QUEUES, _PACKETS),
    "buzzard_mudge_packet_adaptive": _hypercube(_QUEUES, _PACKETS, "first_hop"),
}

PRESETS["symult_2010"] = {
    "topology": {"kind": "mesh", "dims": [8, 8]},
    "link": {"rate": "138648180 bit/s", "duplex": "half_by_flit"},
    "switch": {"switching": "wormhole", "input_buffer": "1 B", "arbiter": "fifo"},
    "routing": {"kind": "dimension_order"},
    "interface": {
        "header": "1 B",
        "packet_size": "256 B",
        "acknowledgements": False,
        "send_overhead": "105 us",
        "send_overhead_per_packet": "24.49 us",
        "send_overhead_after": "179 us",
        "receive_overhead_per_packet": "32 us",
        "receive_overhead_after": "101 us",
        "multi_packet_only": True,
        "overlap": False,
        "receive_preempts": True,
    },
}

#: What the mode `full` of such a machine is compared with, unless `run.baseline` says otherwise:
#: [Tweedie, definition 6.1].
BASELINES = {"t9000_c104": "throttled", "t9000_pair": "throttled"}
