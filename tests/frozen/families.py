"""Families of random experiments: what leads to each part of the engine that simulates channels."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .loads import Scale

Tables = dict[str, Any]
Wish = tuple[str, str, Any]


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


def _machine(scale: Scale, **parts: Tables) -> Tables:
    """Return the tables of a machine, with links of the scale."""
    interface = {"header": f"{scale.flit_bytes} B", **parts.pop("interface", {})}
    link = scale.link | parts.pop("link", {})
    return {"link": link, "interface": interface, **parts}


def _buffer(rng: random.Random, scale: Scale, low: int = 2) -> str:
    return f"{scale.flit_bytes * rng.choice([low, low + 1, low + 6, 40])} B"


def _packets(rng: random.Random, scale: Scale) -> Tables:
    """Return how messages are cut: mostly not, or into a few packets."""
    size = rng.choice([scale.bytes, scale.bytes, max(scale.bytes // 3, 1)])
    return {"packet_size": f"{size} B"}


def _whole_packets(rng: random.Random, scale: Scale) -> Tables:
    switching = rng.choice(["cut_through", "cut_through", "store_and_forward"])
    switch: Tables = {"switching": switching}
    if rng.random() < 0.3:
        switch["virtual_channels"] = rng.choice([2, 4])
    return _machine(scale, switch=switch, interface=_packets(rng, scale))


def _wormhole(rng: random.Random, scale: Scale, **switch: Any) -> Tables:
    buffer = {"input_buffer": _buffer(rng, scale)}
    return _machine(
        scale,
        switch={"switching": "wormhole", **buffer, **switch},
        interface=_packets(rng, scale),
    )


def _separate(rng: random.Random, scale: Scale) -> Tables:
    """Return worms each of which has a wire to itself."""
    machine = _wormhole(rng, scale)
    machine["link"]["sharing"] = "separate"
    return machine


def _shared(rng: random.Random, scale: Scale) -> Tables:
    """Return worms that take turns on wires, at any time."""
    machine = _wormhole(rng, scale, virtual_channels=rng.choice([2, 2, 3, 4]))
    machine["link"]["sharing"] = rng.choice(["round_robin", "until_stall"])
    if rng.random() < 0.7:
        machine["link"]["delay"] = scale.time(rng.choice([0.3, 1, 2.5]))
        machine["link"]["credit_delay"] = scale.time(rng.choice([0, 1, 1.7]))
    return machine


def _in_slots(rng: random.Random, scale: Scale) -> Tables:
    """Return worms where everything takes a whole number of flits' times."""
    machine = _shared(rng, scale)
    if rng.random() < 0.25:
        machine["switch"]["virtual_channels"] = 1
    machine["link"]["delay"] = scale.whole(rng.randrange(4))
    machine["link"]["credit_delay"] = scale.whole(rng.randrange(3))
    machine["switch"]["delay"] = scale.whole(rng.randrange(3))
    return machine


def _stop_go(rng: random.Random, scale: Scale) -> Tables:
    machine = _wormhole(rng, scale)
    del machine["switch"]["input_buffer"]
    machine["link"] |= {"flow_control": "stop_go", "delay": scale.time(rng.choice([0, 1, 4.5]))}
    if rng.random() < 0.5:
        machine["switch"]["regrant_delay"] = scale.time(rng.choice([1, 2.5]))
    return machine


def _regrant(rng: random.Random, scale: Scale) -> Tables:
    machine = _shared(rng, scale)
    machine["switch"]["regrant_delay"] = scale.time(rng.choice([0.5, 2, 5]))
    return machine


def _half_by_flit(rng: random.Random, scale: Scale) -> Tables:
    machine = _wormhole(rng, scale)
    machine["link"]["duplex"] = "half_by_flit"
    return machine


def _with_places(rng: random.Random, scale: Scale) -> Tables:
    """Return machines whose nodes have places for few replies."""
    machine = rng.choice([_shared, _separate, _whole_packets])(rng, scale)
    machine["interface"]["reply_queue"] = rng.choice([1, 2, 4])
    return machine


def _tokens(rng: random.Random, scale: Scale) -> Tables:
    preset = {"preset": rng.choice(["t9000_c104", "t9000_c104", "t9000_pair"])}
    return preset | {"node_link": {"width": rng.choice([1, 2])}}


def _router(rng: random.Random, scale: Scale) -> Tables:
    allocators = ["islip", "separable_input_first", "separable_output_first", "wavefront"]
    machine = _wormhole(
        rng,
        scale,
        allocator=rng.choice([*allocators, "maximum_size"]),
        virtual_channels=rng.choice([1, 2, 2, 4]),
    )
    machine["link"]["delay"] = scale.whole(rng.randrange(3))
    machine["link"]["credit_delay"] = scale.whole(rng.randrange(3))
    if rng.random() < 0.5:
        machine["switch"]["vc_allocator"] = rng.choice(allocators)
    return machine


def _of_router(rng: random.Random, scale: Scale) -> list[Wish]:
    switch = {
        "arbiter": rng.choice(["fifo", "round_robin", "oldest_first", "least_recently_granted"]),
        "iterations": rng.choice([1, 2]),
        "route_delay": scale.whole(rng.randrange(3)),
        "traversal_delay": scale.whole(rng.randrange(1, 3)),
        "speculative": rng.random() < 0.5,
        "vc_reuse": rng.choice(["after_tail", "after_credits"]),
        "hold": rng.random() < 0.5,
        "input_speedup": rng.choice([1, 2]),
        "output_speedup": rng.choice([1, 2]),
        "internal_speedup": rng.choice([1, 2]),
        "shared_buffer": f"{rng.choice([0, 4]) * scale.flit_bytes} B",
        "output_buffer": f"{3 * scale.flit_bytes} B",
        "node_virtual_channels": rng.choice([1, 2]),
    }
    return [("machine.switch", *pair) for pair in switch.items() if rng.random() < 0.6]


def _circuits(rng: random.Random, scale: Scale) -> Tables:
    unit = rng.choice(["packet", "message"])
    switch: Tables = {"switching": "circuit"}
    machine = _machine(scale, switch=switch, interface={"unit": unit})
    machine["link"]["sharing"] = "separate"
    if rng.random() < 0.4:
        switch["integrated"] = True
        machine |= {"interface": {"unit": "message"}, "topology": _direct(rng)}
        if rng.random() < 0.4:
            machine["link"]["duplex"] = "half"
    return machine


def _direct(rng: random.Random) -> Tables:
    """Return a network in which nodes can be their own switches."""
    meshes = [{"kind": "mesh", "dims": dims} for dims in ([3, 3], [4, 2], [5], [2, 2, 2])]
    return rng.choice([*meshes, *({"kind": "hypercube", "dimensions": n} for n in (2, 3, 4))])


def _stored(rng: random.Random, scale: Scale) -> Tables:
    switching, unit = rng.choice(
        [
            ("store_and_forward", "message"),
            ("cut_through", "message"),
            ("store_and_forward", "packet"),
        ]
    )
    interface: Tables = {"unit": unit}
    switch: Tables = {"integrated": True, "switching": switching}
    if unit == "packet":
        interface["packet_size"] = f"{rng.choice([scale.bytes, max(scale.bytes // 3, 1)])} B"
        switch["output_queue"] = rng.choice([1, 2, 4, 16])
    machine = _machine(scale, switch=switch, interface=interface, topology=_direct(rng))
    if rng.random() < 0.4:
        machine["link"]["duplex"] = "half"
    return machine


def _of_stored(rng: random.Random, scale: Scale) -> list[Wish]:
    return [
        ("machine.switch", "reserve", rng.random() < 0.5),
        ("machine.switch", "overtaking", rng.random() < 0.5),
        ("machine.interface", "first_packet", f"{max(scale.bytes // 4, 1)} B"),
    ]


def _integrated_worms(rng: random.Random, scale: Scale) -> Tables:
    switch = {"integrated": True, "switching": "wormhole", "input_buffer": _buffer(rng, scale)}
    machine = _machine(scale, switch=switch, interface={"unit": "message"}, topology=_direct(rng))
    if rng.random() < 0.3:
        machine["link"]["duplex"] = "half_by_flit"
    return machine


def _cells(rng: random.Random, scale: Scale) -> Tables:
    machine: Tables = {"preset": "avici_tsr"}
    if rng.random() < 0.6:
        dims = rng.choice([[2, 2], [3], [4, 2]])
        machine["topology"] = {"dims": dims, "nodes_per_switch": rng.choice([1, 2, 4])}
    return machine


def _of_cells(rng: random.Random, scale: Scale) -> list[Wish]:
    switch = {
        "segmentation": rng.choice(["32 B", "100 B"]),
        "cell_time": "50 ns",
        "cell_pacing": rng.choice([1, 2, 7]),
        "card_delay": "60 ns",
        "fabric_delay": "0 ns",
        "hop_delay": "75 ns",
    }
    return [("machine.switch", *pair) for pair in switch.items() if rng.random() < 0.4]


def _frames(rng: random.Random, scale: Scale) -> Tables:
    machine: Tables = {"preset": "gigabit_ethernet"}
    if rng.random() < 0.6:
        levels = rng.choice([[1, 2], [1, 4], [1, 2, 4]])
        machine["topology"] = {"switches_per_level": levels, "nodes_per_switch": 3}
    return machine


def _of_frames(rng: random.Random, scale: Scale) -> list[Wish]:
    frame = scale.bytes + 40
    switch = {
        "forwarding": rng.choice(["per_switch", "per_port"]),
        "memory": f"{rng.choice([2, 4, 10]) * max(frame, 1600)} B",
        "pause": rng.choice(["off", "all", "all", "per_priority"]),
        "arbiter": rng.choice(["fifo", "priority"]),
    }
    return [("machine.switch", *pair) for pair in switch.items() if rng.random() < 0.7]


def _any_machine(rng: random.Random, scale: Scale) -> Tables:
    return rng.choice([_whole_packets, _wormhole, _whole_packets, _integrated_worms])(rng, scale)


def _preset(rng: random.Random, scale: Scale) -> Tables:
    small = {
        "wormhole_mesh": {"dims": [3, 3]},
        "booksim_mesh": {"dims": [4, 3]},
        "booksim_torus": {"dims": [4, 4]},
        "garnet_like": {"dims": [3, 2]},
        "slingshot_like": {"nodes_per_switch": 2, "switches_per_group": 3, "global_links": 1},
        "infiniband_like": {"children": [3, 4], "parents": [2]},
        "tpu_torus_like": {"dims": [2, 3, 2]},
        "myrinet": {"dims": [3, 2], "nodes_per_switch": 2},
        "buzzard_mudge_datagram": {"dimensions": 3},
        "buzzard_mudge_circuit": {"dimensions": 3},
        "buzzard_mudge_wormhole": {"dimensions": 3},
        "buzzard_mudge_packet_fixed": {"dimensions": 3},
        "buzzard_mudge_packet_adaptive": {"dimensions": 4},
    }
    name = rng.choice(sorted(small))
    topology = dict(small[name])
    if name == "slingshot_like":
        topology["groups"] = 3
    return {"preset": name, "topology": topology}


def _loggops(rng: random.Random, scale: Scale) -> Tables:
    return {"preset": "loggops", "topology": {"nodes": 8}}


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
_MOVED = ("chaos", "deflection")
_WEIGHED = ("ugal_l", "ugal_g", "par", "dal", "minimal_adaptive", "up_down")

FAMILIES = (
    Family("packet", _whole_packets, {"fidelity": "packet"}),
    Family("flit", _separate, {"fidelity": "flit"}, fixed=_keys("link.sharing")),
    Family("shared", _shared, {"fidelity": "flit"}, fixed=_SHARING, is_blamed=False),
    Family(
        "slotted",
        _in_slots,
        {"fidelity": "flit"},
        fixed=_SLOTS,
        workloads=("in_slots", "in_slots", "messages"),
        is_blamed=False,
        other_modes=0,
    ),
    Family("router", _router, {}, _of_router, _TIMES),
    Family("worm", _separate, {"fidelity": "worm"}, fixed=_keys("link.sharing")),
    Family("stream", _separate, {"fidelity": "stream"}, fixed=_keys("link.sharing")),
    Family("circuit", _circuits),
    Family("stored", _stored, {}, _of_stored),
    Family("cells", _cells, {}, _of_cells, scale=Scale.of_ethernet),
    Family("frames", _frames, {}, _of_frames, scale=Scale.of_ethernet),
    Family("fluid", _whole_packets, {"fidelity": "fluid"}),
    Family("modes", _any_machine, other_modes=1),
    Family("anything", _any_machine),
    Family("token", _tokens, {"fidelity": "token"}, scale=Scale.of_transputers),
    Family("escapes", _shared, {"fidelity": "flit"}, _no_wishes, _SHARING, _ADAPTIVE, (), False),
    Family(
        "escapes in slots",
        _in_slots,
        {"fidelity": "flit"},
        _no_wishes,
        _SLOTS,
        _ADAPTIVE,
        ("in_slots",),
        is_blamed=False,
        other_modes=0,
    ),
    Family("flit, charged", _shared, {"fidelity": "flit", "blame": True}, fixed=_SHARING),
    Family("stop and go", _stop_go),
    Family("regrant", _regrant, {"fidelity": "flit"}),
    Family("half by flit", _half_by_flit, {"fidelity": "flit"}),
    Family("replies", _with_places, workloads=("replies",), other_modes=0),
    Family("moved", _whole_packets, routings=_MOVED, other_modes=0),
    Family("integrated worms", _integrated_worms),
    Family("weighed", _any_machine, routings=_WEIGHED, other_modes=0),
    Family("presets", _preset, scale=Scale.of_ethernet),
    Family("in band", _tokens, scale=Scale.of_transputers),
    Family("loggops", _loggops, workloads=("trace",), other_modes=0),
)
