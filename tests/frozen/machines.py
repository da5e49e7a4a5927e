"""Machines of random experiments, by what they have in common."""

from __future__ import annotations

import random
from typing import Any

from tests.fuzz import files

from .loads import Scale

Tables = dict[str, Any]
Wish = tuple[str, str, Any]
"""A table, such as `machine.link` or `run`, a key and its value."""
Wishes = tuple[Wish, ...]
"""Several that go together."""


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


def whole_packets(rng: random.Random, scale: Scale) -> Tables:
    switching = rng.choice(["cut_through", "cut_through", "store_and_forward"])
    switch: Tables = {"switching": switching}
    if rng.random() < 0.3:
        switch["virtual_channels"] = rng.choice([2, 4])
    interface = _packets(rng, scale)
    queueing = rng.choice([None, "fifo", "voq", "output"])
    if queueing is not None:
        switch["queueing"] = queueing
    room = rng.choice([None, 1, 2, 2, 4])
    if room is not None:
        packet = scale.flit_bytes + int(interface["packet_size"].split()[0])
        switch["input_buffer"] = f"{room * (packet + scale.flit_bytes)} B"
    return _machine(scale, switch=switch, interface=interface)


def wormhole(rng: random.Random, scale: Scale, **switch: Any) -> Tables:
    buffer = {"input_buffer": _buffer(rng, scale)}
    return _machine(
        scale,
        switch={"switching": "wormhole", **buffer, **switch},
        interface=_packets(rng, scale),
    )


def separate(rng: random.Random, scale: Scale) -> Tables:
    """Return worms each of which has a wire to itself."""
    machine = wormhole(rng, scale)
    machine["link"]["sharing"] = "separate"
    return machine


def shared(rng: random.Random, scale: Scale) -> Tables:
    """Return worms that take turns on wires, at any time."""
    machine = wormhole(rng, scale, virtual_channels=rng.choice([2, 2, 3, 4]))
    machine["link"]["sharing"] = rng.choice(["round_robin", "until_stall"])
    if rng.random() < 0.7:
        machine["link"]["delay"] = scale.time(rng.choice([0.3, 1, 2.5]))
        machine["link"]["credit_delay"] = scale.time(rng.choice([0, 1, 1.7]))
    return machine


def in_slots(rng: random.Random, scale: Scale) -> Tables:
    """Return worms where everything takes a whole number of flits' times."""
    machine = shared(rng, scale)
    if rng.random() < 0.25:
        machine["switch"]["virtual_channels"] = 1
    machine["link"]["delay"] = scale.time(rng.randrange(4))
    machine["link"]["credit_delay"] = scale.time(rng.randrange(3))
    machine["switch"]["delay"] = scale.time(rng.randrange(3))
    return machine


def stop_go(rng: random.Random, scale: Scale) -> Tables:
    machine = wormhole(rng, scale)
    del machine["switch"]["input_buffer"]
    machine["link"] |= {"flow_control": "stop_go", "delay": scale.time(rng.choice([0, 1, 4.5]))}
    if rng.random() < 0.5:
        machine["switch"]["regrant_delay"] = scale.time(rng.choice([1, 2.5]))
    return machine


def regrant(rng: random.Random, scale: Scale) -> Tables:
    machine = shared(rng, scale)
    machine["switch"]["regrant_delay"] = scale.time(rng.choice([0.5, 2, 5]))
    return machine


def half_by_flit(rng: random.Random, scale: Scale) -> Tables:
    machine = wormhole(rng, scale)
    machine["link"]["duplex"] = "half_by_flit"
    return machine


def with_places(rng: random.Random, scale: Scale) -> Tables:
    """Return machines whose nodes have places for few replies."""
    machine = rng.choice([shared, separate, whole_packets])(rng, scale)
    machine["interface"]["reply_queue"] = rng.choice([1, 2, 4])
    return machine


def tokens(rng: random.Random, scale: Scale) -> Tables:
    preset = {"preset": rng.choice(["t9000_c104", "t9000_c104", "t9000_pair"])}
    return preset | {"node_link": {"width": rng.choice([1, 2])}}


def router(rng: random.Random, scale: Scale) -> Tables:
    allocators = ["islip", "separable_input_first", "separable_output_first", "wavefront"]
    machine = wormhole(
        rng,
        scale,
        allocator=rng.choice([*allocators, "maximum_size"]),
        virtual_channels=rng.choice([1, 2, 2, 4]),
    )
    machine["link"]["delay"] = scale.time(rng.randrange(3))
    machine["link"]["credit_delay"] = scale.time(rng.randrange(3))
    if rng.random() < 0.5:
        machine["switch"]["vc_allocator"] = rng.choice(allocators)
    return machine


def of_router(rng: random.Random, scale: Scale) -> list[Wish]:
    switch = {
        "arbiter": rng.choice(["fifo", "round_robin", "oldest_first", "least_recently_granted"]),
        "iterations": rng.choice([1, 2]),
        "route_delay": scale.time(rng.randrange(3)),
        "traversal_delay": scale.time(rng.randrange(1, 3)),
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


def circuits(rng: random.Random, scale: Scale) -> Tables:
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


def stored(rng: random.Random, scale: Scale) -> Tables:
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


def of_stored(rng: random.Random, scale: Scale) -> list[Wish]:
    return [
        ("machine.switch", "reserve", rng.random() < 0.5),
        ("machine.switch", "overtaking", rng.random() < 0.5),
        ("machine.interface", "first_packet", f"{max(scale.bytes // 4, 1)} B"),
    ]


def integrated_worms(rng: random.Random, scale: Scale) -> Tables:
    switch = {"integrated": True, "switching": "wormhole", "input_buffer": _buffer(rng, scale)}
    machine = _machine(scale, switch=switch, interface={"unit": "message"}, topology=_direct(rng))
    if rng.random() < 0.3:
        machine["link"]["duplex"] = "half_by_flit"
    return machine


def cells(rng: random.Random, scale: Scale) -> Tables:
    machine: Tables = {"preset": "avici_tsr"}
    if rng.random() < 0.6:
        dims = rng.choice([[2, 2], [3], [4, 2]])
        machine["topology"] = {"dims": dims, "nodes_per_switch": rng.choice([1, 2, 4])}
    return machine


def of_cells(rng: random.Random, scale: Scale) -> list[Wish]:
    switch = {
        "segmentation": rng.choice(["32 B", "100 B"]),
        "cell_time": "50 ns",
        "cell_pacing": rng.choice([1, 2, 7]),
        "card_delay": "60 ns",
        "fabric_delay": "0 ns",
        "hop_delay": "75 ns",
    }
    return [("machine.switch", *pair) for pair in switch.items() if rng.random() < 0.4]


def frames(rng: random.Random, scale: Scale) -> Tables:
    machine: Tables = {"preset": "gigabit_ethernet"}
    if rng.random() < 0.6:
        levels = rng.choice([[1, 2], [1, 4], [1, 2, 4]])
        machine["topology"] = {"switches_per_level": levels, "nodes_per_switch": 3}
    if rng.random() < 0.5:
        pause, memory = rng.choice(["all", "all", "per_priority"]), 1600 * rng.choice([2, 4, 8])
        machine["switch"] = {"memory": f"{memory} B", "pause": pause}
    return machine


def of_frames(rng: random.Random, scale: Scale) -> list[Wish]:
    frame = scale.bytes + 40
    switch = {
        "forwarding": rng.choice(["per_switch", "per_port"]),
        "memory": f"{rng.choice([2, 4, 10]) * max(frame, 1600)} B",
        "pause": rng.choice(["off", "all", "all", "per_priority"]),
        "arbiter": rng.choice(["fifo", "priority"]),
    }
    return [("machine.switch", *pair) for pair in switch.items() if rng.random() < 0.7]


def any_machine(rng: random.Random, scale: Scale) -> Tables:
    return rng.choice([whole_packets, wormhole, whole_packets, integrated_worms])(rng, scale)


def preset(rng: random.Random, scale: Scale) -> Tables:
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


def loggops(rng: random.Random, scale: Scale) -> Tables:
    return {"preset": "loggops", "topology": {"nodes": 8}}


def failed_links(rng: random.Random, scale: Scale) -> Tables:
    """Return machines of which some links have failed."""
    topology = rng.choice(
        [
            {"kind": "mesh", "dims": [3, 4]},
            {"kind": "torus", "dims": [4, 3]},
            {"kind": "hypercube", "dimensions": 4},
            {"kind": "hyperx", "dims": [3, 3], "nodes_per_switch": 2},
            {"kind": "dragonfly"},
            {"kind": "pod_fat_tree", "switch_ports": 4},
        ]
    )
    machine = rng.choice([whole_packets, wormhole, shared])(rng, scale)
    machine["topology"] = {**topology, "failed_share": rng.choice([0.05, 0.15])}
    return {**machine, "routing": {"kind": "up_down"}}


def written_routes(rng: random.Random, scale: Scale) -> Tables:
    """Return rings for which files have routes."""
    machine = rng.choice([whole_packets, wormhole, shared])(rng, scale)
    topology = {"kind": "torus", "dims": [files.NODES]}
    return {
        **machine,
        "topology": topology,
        "routing": {"kind": "shortest", "allow_deadlock": True},
    }
