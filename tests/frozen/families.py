"""Families of random experiments: what leads to each part of the engine that simulates channels."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from . import machines
from .loads import Scale
from .machines import Tables, Wish, Wishes


def _no_wishes(rng: random.Random, scale: Scale) -> list[Wish]:
    return []


@dataclass(frozen=True)
class Family:
    """What cases have in common."""

    name: str
    machine: Callable[[random.Random, Scale], Tables]
    run: Mapping[str, Any] = field(default_factory=dict)
    wishes: Callable[[random.Random, Scale], list[Wish]] = _no_wishes
    """What may be besides, of this family only."""
    fixed: frozenset[tuple[str, str]] = frozenset()
    """Keys that stay as they are."""
    routings: tuple[str, ...] = ()
    """Those that are tried; none: all."""
    workloads: tuple[str, ...] = ()
    """Those that are drawn from; none: all."""
    is_blamed: bool = True
    """Whether it may be asked who makes whom wait."""
    scale: Callable[[random.Random], Scale] = Scale.draw
    other_modes: float = 0.15
    """Share of cases in another mode than `full`."""


def _keys(*names: str) -> frozenset[tuple[str, str]]:
    """Return keys that stay: `link.delay` of the machine."""
    pairs = (name.split(".") for name in names)
    return frozenset((f"machine.{table}", key) for table, key in pairs)


_SHARING = _keys("link.sharing", "switch.virtual_channels", "link.duplex", "node_link.duplex")
_SHARING |= _keys("switch.regrant_delay", "link.packet_gap")
_TIMES = _keys("link.delay", "link.credit_delay", "link.packet_gap", "switch.delay")
_TIMES |= _keys("node_link.delay", "node_link.rate", "switch.fall_through", "link.end_token")
_OTHERS = tuple(
    f"interface.{name}"
    for name in (
        *("send_overhead", "send_overhead_per_packet", "send_overhead_per_byte"),
        *("send_overhead_after", "receive_overhead", "receive_overhead_per_packet"),
        *("receive_overhead_per_byte", "receive_overhead_after", "packet_interval"),
        *("packet_interval_per_byte", "drain_rate", "time_slice"),
    )
)
_SLOTS = _SHARING | _TIMES | _keys(*_OTHERS)
_ADAPTIVE = ("minimal_adaptive",)
_AROUND = (
    "shortest",
    "hop_classes",
    "minimal_adaptive",
    "deflection",
    "valiant",
    "ugal_l",
    "minimal",
)
_MOVED = ("chaos", "deflection")
_WEIGHED = ("ugal_l", "ugal_g", "par", "dal", "minimal_adaptive", "up_down")


def besides(rng: random.Random, scale: Scale, topology: str) -> list[Wishes]:
    """Return what any machine may have, and random keys seldom come to."""
    flits = rng.choice([1, 2])
    rate = f"{8 * scale.flit_bytes * 10**12 // (scale.flit_ps * flits)} bit/s"
    drain = ("machine.interface", "drain_rate", rate)
    width = ("machine.link", "width", rng.choice([2, 3]))
    own = {"delay": scale.time(rng.randrange(4))} if rng.random() < 0.6 else {"rate": rate}
    name = {"dragonfly": "global", "islands": "scale_out"}.get(topology, "x")
    groups: list[tuple[float, Wishes]] = [
        (0.35, (("machine.switch", "arbiter", rng.choice(_ARBITERS)),)),
        (0.25, (("machine.routing", "selection", rng.choice(_SELECTIONS)),)),
        (0.1, (width,)),
        (0.08, (width, ("machine.routing", "parallel_links", "destination"))),
        (0.1, (("machine.link", "packet_gap", scale.time(flits)),)),
        (0.12, (("machine.interface", "receive_fifo", rng.choice([1, 2, 4])), drain)),
        (0.05, (drain,)),
        (0.15, (("machine.interface", "acknowledgements", True),)),
        (0.1, (("machine.switch", "ack_priority", True),)),
        (0.15, (("machine.interface", "window", rng.choice([1, 2, 8])),)),
        (0.15, (("machine.interface", "multicast", rng.choice(["tree", "switches"])),)),
        (0.08, (("machine.node_link", "duplex", "half_by_flit"),)),
        (0.1, (("machine.interface", "local", "switch"), ("workload", "includes_self", True))),
        (0.15, (("machine.link_classes", name, own),)),
    ]
    return [wishes for share, wishes in groups if rng.random() < share]


_ARBITERS = (
    *("random", "net_first", "oldest_first", "hops_first"),
    *("round_robin", "priority", "least_recently_granted"),
)
_SELECTIONS = ("random", "fewest_waiting", "most_credit")

FAMILIES = (
    Family("packet", machines.whole_packets, {"fidelity": "packet"}),
    Family("flit", machines.separate, {"fidelity": "flit"}, fixed=_keys("link.sharing")),
    Family("shared", machines.shared, {"fidelity": "flit"}, fixed=_SHARING, is_blamed=False),
    Family(
        "slotted",
        machines.in_slots,
        {"fidelity": "flit"},
        fixed=_SLOTS,
        workloads=("in_slots", "in_slots", "messages"),
        is_blamed=False,
        other_modes=0,
    ),
    Family("router", machines.router, {}, machines.of_router, _TIMES),
    Family("worm", machines.separate, {"fidelity": "worm"}, fixed=_keys("link.sharing")),
    Family("stream", machines.separate, {"fidelity": "stream"}, fixed=_keys("link.sharing")),
    Family("circuit", machines.circuits),
    Family("stored", machines.stored, {}, machines.of_stored),
    Family("cells", machines.cells, {}, machines.of_cells, scale=Scale.of_ethernet),
    Family("frames", machines.frames, {}, machines.of_frames, scale=Scale.of_ethernet),
    Family("fluid", machines.whole_packets, {"fidelity": "fluid"}),
    Family("modes", machines.any_machine, other_modes=1),
    Family("anything", machines.any_machine),
    Family("token", machines.tokens, {"fidelity": "token"}, scale=Scale.of_transputers),
    Family(
        "escapes", machines.shared, {"fidelity": "flit"}, _no_wishes, _SHARING, _ADAPTIVE, (), False
    ),
    Family(
        "escapes in slots",
        machines.in_slots,
        {"fidelity": "flit"},
        _no_wishes,
        _SLOTS,
        _ADAPTIVE,
        ("in_slots",),
        is_blamed=False,
        other_modes=0,
    ),
    Family("flit, charged", machines.shared, {"fidelity": "flit", "blame": True}, fixed=_SHARING),
    Family("stop and go", machines.stop_go),
    Family("regrant", machines.regrant, {"fidelity": "flit"}),
    Family("half by flit", machines.half_by_flit, {"fidelity": "flit"}),
    Family("replies", machines.with_places, workloads=("replies",), other_modes=0),
    Family("moved", machines.whole_packets, routings=_MOVED, other_modes=0),
    Family("integrated worms", machines.integrated_worms),
    Family("weighed", machines.any_machine, routings=_WEIGHED, other_modes=0),
    Family("presets", machines.preset, scale=Scale.of_ethernet),
    Family("in band", machines.tokens, scale=Scale.of_transputers),
    Family("failed links", machines.failed_links, routings=_AROUND, other_modes=0.1),
    Family("routes", machines.written_routes, routings=("table", "source_routes")),
    Family("loggops", machines.loggops, workloads=("trace",), other_modes=0),
)
