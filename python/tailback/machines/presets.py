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
* ``paragon``: 64 nodes of the Intel Paragon [Bokhari & Nicol 1996]. Printed is that a message of m
  bytes takes 231 + 0.022 m us (table 1), and routing along the row first (section 2); that links
  are faster than nodes (section 8), but not by how much. Assumed: four times, packets of 1792
  bytes, small buffers, a receiver with room for two packets, and start-ups that vary by 20 %,
  without which everybody keeps step and ties decide the result. Barriers are messages here, not
  what table 1 prints, which is negative.
* ``myrinet``: 256 hosts on 32 crossbars of 16 ports, a torus of 8 x 4 with two cables between
  neighbours [Chen & Wyckoff 2000]. Printed are the rate, cables of 22 flits, 16 flits of falling
  through a switch, and buffers that say STOP with 96 flits and GO with 64 (figure 7). What fits the
  printed routes and times: x first, the shorter way, from half a ring away downwards; cables by
  destination; buffers of 160 flits; round robin; and 16 flits more for who had to wait for an
  output. A message is one packet with a flit for its end, here its header. Packets can wait for
  each other in a circle.
* ``booksim_mesh``, ``booksim_torus``: the networks of the examples ``mesh88_lat`` and ``torus88``
  that come with BookSim2 [Jiang et al. 2013], in cycles of 1 ns with flits of 8 B. What an example
  leaves open is that program's default; its credits take a cycle more in some versions.
* ``garnet_like``: an 8 x 8 mesh with the router of Garnet 2.0 [Garnet 2020]: flits of 16 B, 4
  virtual channels of 4 flits, a cycle in a router and one on a link, x before y: the defaults of
  its source, where virtual channels of control messages have one flit. Choices are 1 GHz, and one
  virtual network, of data.
* ``slingshot_like``: a dragonfly of Rosetta switches [De Sensi et al. 2020]: 64 ports of 200
  Gbit/s [Argonne], of which 16 lead to nodes, 31 to the other switches of a group and 17 to other
  groups; a switch takes 350 ns on average. How ports are divided and the 350 ns are known from
  what others quote of that paper. Cables of 2 m and 20 m (5 ns/m), packets of 4096 B and UGAL
  are choices: what its routing and congestion control do exactly is not public.
  4 groups; the largest has 545.
* ``infiniband_like``: a fat tree of two levels of 36-port switches [Raz 2016], 648 nodes, with EDR
  links: four lanes of 25 Gbit/s [MSB7890]. That a switch takes 90 ns [Mellanox 2015] is known
  from what others quote. Packets of 2048 B with 26 B of headers and checksums [IBTA 2007] (8 B for
  the link, 12 B for the transport, checksums of 4 B and 2 B), routes by destination as subnet
  managers lay them; cables of 3 m are a choice.
* ``tpu_torus_like``: a cube of 64 accelerators, a torus of 4 x 4 x 4 with links of 50 GB/s
  [Jouppi et al. 2023], as others quote it; that a machine of 4096 has 24 TB/s across its middle
  [Google Cloud] is 47 GB/s for each of 512 links, if it is 16 x 16 x 16. Its packets and delays are
  not public: packets of 512 B in flits of 32 B, 2 virtual channels, 50 ns in a switch and 5 ns on
  a link are choices. Input buffers of these three are the usual ones, which links do not wait for.
* ``avici_tsr``: 256 nodes with gigabit Ethernet on 16 line cards of an Avici TSR [Chen & Wyckoff].
  Printed are its cells of 72 bytes in 30 ns, 16 ports per card, packets of 64 to 1518 bytes and
  one of the two fabrics of the hardware (sections 2.3 and 3.2). Fitted to the latencies and the
  throughput of figures 13 and 14: the shape of the torus, the delays, and that every fourth cell of
  a frame comes a cell time later. Buffers of cells have no bounds.
* ``gigabit_ethernet``: four switches of 64 nodes each and one in their midst [Chen & Wyckoff].
  Printed are the rate, the sizes of frames, their gap and that switches store and forward; the time
  of a switch is such that printed latencies are exact: an engine that takes 384 ns for every frame,
  whatever its length, and 20 ns more. Cables of 4 ns. Memories are unlimited, and nobody pauses.
* ``loggops``: no network, but six numbers [Hoefler, Schneider & Lumsdaine 2010], by default those
  of the authors' simulator; for traces only.
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

#: Section 5.3: packets of 20 bytes, 4 of them header and 16 data; the first has 10, and 6 of length
#: and type, and short ones are filled up. 16 of them for each outgoing channel.
_PACKETS: Tables = {
    "unit": "packet",
    "header": "4 B",
    "packet_size": "16 B",
    "first_packet": "10 B",
    "minimum_packet": "20 B",
}
_QUEUES: Tables = {"switching": "store_and_forward", "output_queue": 16}


def _booksim(topology: str, switch: Tables, link: Tables, routing: Tables) -> Tables:
    """Return a network of an example of BookSim2: cycles of 1 ns, flits of 8 B."""
    return {
        "clock": "1 GHz",
        "topology": {"kind": topology, "dims": [8, 8]},
        "link": {"rate": "64 Gbit/s", "flit": "8 B", **link},
        "node_link": {"delay": "1 cycle"},
        "switch": {"switching": "wormhole", "allocator": "islip", "virtual_channels": 2, **switch},
        "routing": {"kind": "dimension_order", **routing},
        "interface": {"header": "8 B", "packet_size": "152 B", "local": "switch"},
    }


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
    "booksim_mesh": _booksim(
        "mesh",
        {"input_buffer": "128 B", "vc_reuse": "after_credits", "input_speedup": 2},
        {"delay": "1 cycle", "credit_delay": "2 cycles"},
        {},
    ),
    "booksim_torus": _booksim(
        "torus",
        {"input_buffer": "64 B"},
        {"delay": "2 cycles", "credit_delay": "1 cycle"},
        {"ring_classes": "wrapping"},
    ),
    "garnet_like": {
        "clock": "1 GHz",
        "topology": {"kind": "mesh", "dims": [8, 8]},
        # The cycle on a link is that in which a flit is sent.
        "link": {"rate": "128 Gbit/s", "flit": "16 B"},
        "switch": {
            "switching": "wormhole",
            "allocator": "separable_input_first",
            "route_delay": "0 ns",
            "speculative": True,
            "virtual_channels": 4,
            "input_buffer": "64 B",
        },
        "routing": {"kind": "dimension_order"},
        "interface": {"header": "8 B", "packet_size": "64 B"},
    },
    "slingshot_like": {
        "topology": {
            "kind": "dragonfly",
            "nodes_per_switch": 16,
            "switches_per_group": 32,
            "global_links": 17,
            "groups": 4,
        },
        "link": {"rate": "200 Gbit/s", "delay": "10 ns", "credit_delay": "10 ns"},
        "link_classes": {"global": {"delay": "100 ns"}},
        "switch": {"switching": "cut_through", "delay": "350 ns"},
        "routing": {"kind": "ugal_l"},
        "interface": {"header": "32 B", "packet_size": "4096 B"},
    },
    "infiniband_like": {
        "topology": {"kind": "xgft", "children": [18, 36], "parents": [18]},
        "link": {"rate": "100 Gbit/s", "delay": "15 ns", "credit_delay": "15 ns"},
        "switch": {"switching": "cut_through", "delay": "90 ns"},
        "routing": {"kind": "d_mod_k"},
        "interface": {"header": "26 B", "packet_size": "2048 B"},
    },
    "tpu_torus_like": {
        "topology": {"kind": "torus", "dims": [4, 4, 4]},
        "link": {"rate": "400 Gbit/s", "flit": "32 B", "delay": "5 ns", "credit_delay": "5 ns"},
        "switch": {
            "switching": "wormhole",
            "delay": "50 ns",
            "virtual_channels": 2,
        },
        "routing": {"kind": "dimension_order"},
        "interface": {"header": "32 B", "packet_size": "480 B"},
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

PRESETS["avici_tsr"] = {
    "topology": {"kind": "concentrated_torus", "dims": [8, 2], "nodes_per_switch": 16},
    "link": {"rate": "1 Gbit/s", "preamble": "8 B", "frame_gap": "12 B"},
    "switch": {
        "switching": "store_and_forward",
        "segmentation": "72 B",
        "cell_time": "30 ns",
        "cell_pacing": 4,
        "card_delay": "180 ns",
        "fabric_delay": "30 ns",
        "hop_delay": "60 ns",
    },
    "routing": {"kind": "dimension_order", "ties": "up"},
    "interface": {
        "header": "18 B",
        "minimum_packet": "64 B",
        "packet_size": "1500 B",
        "acknowledgements": False,
        "multicast": "switches",
    },
}

PRESETS["paragon"] = {
    "topology": {"kind": "mesh", "dims": [8, 8]},
    # 5.5 ns a byte, a quarter of 22 ns.
    "link": {"rate": "1454545455 bit/s"},
    "switch": {"switching": "wormhole", "input_buffer": "64 B", "arbiter": "fifo"},
    "routing": {"kind": "dimension_order"},
    "interface": {
        "header": "1 B",
        "packet_size": "1792 B",
        "acknowledgements": False,
        "send_overhead": "231 us",
        "overhead_variation": 0.2,
        "overlap": False,
        "packet_interval_per_byte": "22 ns/B",
        "receive_fifo": 2,
        "drain_rate": "363636364 bit/s",
    },
}

# A flit is a byte, 6.25 ns.
PRESETS["myrinet"] = {
    "topology": {"kind": "concentrated_torus", "dims": [8, 4], "nodes_per_switch": 8},
    "link": {
        "rate": "1280 Mbit/s",
        "delay": "22 flits",
        "width": 2,
        "flow_control": "stop_go",
        "stop_mark": "96 B",
        "go_mark": "64 B",
    },
    "node_link": {"width": 1},
    "switch": {
        "switching": "wormhole",
        "fall_through": "16 flits",
        "regrant_delay": "16 flits",
        "input_buffer": "160 B",
        "virtual_channels": 1,
        "arbiter": "round_robin",
        "input_order": "port",
    },
    "routing": {
        "kind": "dimension_order",
        "ties": "down",
        "parallel_links": "destination",
        "allow_deadlock": True,
    },
    "interface": {"unit": "message", "header": "1 B"},
}

PRESETS["gigabit_ethernet"] = {
    "topology": {"kind": "tree", "switches_per_level": [1, 4], "nodes_per_switch": 64},
    "link": {"rate": "1 Gbit/s", "delay": "4 ns", "preamble": "8 B", "frame_gap": "12 B"},
    "switch": {
        "switching": "store_and_forward",
        "forwarding": "per_switch",
        "forwarding_time": "384 ns",
        "delay": "20 ns",
        "memory": "unlimited",
        "pause": "off",
        "arbiter": "fifo",
    },
    "routing": {"kind": "spanning_tree"},
    "interface": {
        "header": "18 B",
        "minimum_packet": "64 B",
        "packet_size": "1500 B",
        "multicast": "switches",
    },
}

# The parameters are the defaults of `LogGops`; a rank needs a node.
PRESETS["loggops"] = {"topology": {"kind": "star", "nodes": 4096}, "loggops": {}}

#: Machines of today: with all others switches serve who came first at an input, as they did.
OF_TODAY = frozenset(("slingshot_like", "infiniband_like", "tpu_torus_like"))
OF_THEIR_TIME: Tables = {"switch": {"queueing": "fifo"}}

#: What the mode `full` of such a machine is compared with, unless `run.baseline` says otherwise:
#: [Tweedie, definition 6.1].
BASELINES = {"t9000_c104": "throttled", "t9000_pair": "throttled"}
