"""Keys that mean something only beside others: refused where they have no effect."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..errors import NoEffectError, shown
from ..parts import fields_of, plain
from ..units import Time
from . import costs
from .assembled import Assembled
from .collectives import OPERATIONS
from .switch import CLOCKED, FORWARDING, SEGMENTED


@dataclass(frozen=True, slots=True)
class _Need:
    """What a key needs to mean something."""

    part: str
    key: str
    is_met: Callable[[Assembled], bool]
    what: str
    """What would do, as a file has it."""
    but: tuple[Any, ...] = ()
    """Values that are what they are anyway."""


def _is_integrated(machine: Assembled) -> bool:
    return machine.switch.integrated


def _is_switched(machine: Assembled) -> bool:
    return not machine.switch.integrated


def _can_fill_up(machine: Assembled) -> bool:
    switch = machine.switch
    stores = switch.integrated and switch.switching == "store_and_forward"
    return switch.has_frames or stores


def _has_queues(machine: Assembled) -> bool:
    return machine.has_output_queues


def _has_places(machine: Assembled) -> bool:
    return machine.has_output_queues and machine.output_places is not None


def _has_input_buffers(machine: Assembled) -> bool:
    return machine.makes_circuits or machine.has_input_buffers


def _makes_no_circuits(machine: Assembled) -> bool:
    return not machine.makes_circuits


def _has_control_tokens(machine: Assembled) -> bool:
    return machine.link.has_control_tokens


def _in_band(machine: Assembled) -> bool:
    return machine.link.flow_control == "in_band"


def _out_of_band(machine: Assembled) -> bool:
    return machine.link.flow_control == "out_of_band"


def _has_marks(machine: Assembled) -> bool:
    return machine.has_marks


def _has_no_marks(machine: Assembled) -> bool:
    return not machine.has_marks


def _goes_round(machine: Assembled) -> bool:
    switch = machine.switch
    return switch.chosen_arbiter == "round_robin" and not switch.is_clocked


def _is_clocked(machine: Assembled) -> bool:
    return machine.switch.is_clocked


def _has_input_speedup(machine: Assembled) -> bool:
    return machine.switch.is_clocked or machine.switch.queueing == "voq"


def _has_packet_queues(machine: Assembled) -> bool:
    return machine.has_packet_queues


def _is_not_clocked(machine: Assembled) -> bool:
    return not machine.switch.is_clocked


def _is_segmented(machine: Assembled) -> bool:
    return machine.switch.is_segmented


def _forwards_frames(machine: Assembled) -> bool:
    return machine.switch.forwards_frames


def _has_no_frames(machine: Assembled) -> bool:
    return not machine.switch.forwards_frames


def _pauses(machine: Assembled) -> bool:
    return machine.switch.pause != "off"


def _has_frames(machine: Assembled) -> bool:
    return machine.switch.has_frames


def _has_no_line_cards(machine: Assembled) -> bool:
    return not machine.switch.has_frames


def _has_output_buffers(machine: Assembled) -> bool:
    return machine.switch.is_clocked or _in_band(machine)


def _has_ways(machine: Assembled) -> bool:
    return bool(machine.topology.routings)


def _has_switches(machine: Assembled) -> bool:
    return machine.topology.switch_count > 0


def _is_direct(machine: Assembled) -> bool:
    return machine.topology.facts.is_direct


def _acknowledges(machine: Assembled) -> bool:
    return machine.interface.acknowledgements


def _turns(machine: Assembled) -> bool:
    return machine.switch.integrated and machine.switch.switching != "wormhole"


def _moves_flits(machine: Assembled) -> bool:
    return machine.switch.switching == "wormhole"


def _sends_packets(machine: Assembled) -> bool:
    return not machine.sends_whole_messages


def _costs(machine: Assembled) -> bool:
    return costs.has_costs(machine.interface)


def _costs_cpu(machine: Assembled) -> bool:
    return costs.costs_cpu(machine.interface, "send", "receive")


def _varies(machine: Assembled) -> bool:
    return machine.interface.send_overhead not in (None, Time(0))


def _costs_packets(machine: Assembled) -> bool:
    interface = machine.interface
    paid = (interface.send_overhead_per_packet, interface.receive_overhead_per_packet)
    return any(cost not in (None, Time(0)) for cost in paid)


_PACKETS = 'machine.interface.unit = "packet"'
_STOP_GO = 'machine.link.flow_control = "stop_go"'
_QUEUES = 'machine.switch.integrated = true and switching = "store_and_forward" or "cut_through"'
_WHOLE = (
    'machine.switch.switching = "cut_through" or "store_and_forward", and neither integrated nor '
    "forwarding nor segmentation"
)
_PLACES = f"{_QUEUES}, and a number of machine.switch.output_queue"
_NO_CIRCUITS = "machine.switch.switching other than circuit"
_INTEGRATED = "machine.switch.integrated = true"
_SWITCHED = "machine.switch.integrated = false"
_FLITS = 'machine.switch.switching = "wormhole"'
_WAYS = "a machine.topology.kind with links between switches"
_SWITCHES = "a machine.topology.kind with switches"
_DIRECT = 'machine.topology.kind = "mesh", "torus" or "hypercube"'
_COSTS = "machine.interface.send_overhead, packet_interval or another cost"
_COSTS_CPU = "machine.interface.send_overhead or another overhead"
_COSTS_PACKETS = "machine.interface.send_overhead_per_packet or receive_overhead_per_packet"
_FORWARDING = "machine.switch.forwarding"
_FRAMES = f"{_FORWARDING} or segmentation"
_PAUSES = 'machine.switch.pause = "all" or "per_priority"'
_ACKS = "machine.interface.acknowledgements = true"

NEEDS = (
    _Need("switch", "output_queue", _has_queues, _QUEUES),
    _Need("switch", "reserve", _has_places, _PLACES),
    _Need("switch", "overtaking", _has_places, _PLACES),
    _Need("switch", "input_buffer", _makes_no_circuits, _NO_CIRCUITS),
    _Need(
        "switch",
        "input_buffer",
        _has_input_buffers,
        f'{_SWITCHED}, or machine.switch.switching = "wormhole"',
    ),
    _Need("switch", "virtual_channels", _is_switched, _SWITCHED, (1,)),
    _Need("switch", "virtual_channels", _has_ways, _WAYS, (1,)),
    _Need("link", "width", _has_ways, _WAYS),
    _Need("link", "sharing", _has_ways, _WAYS),
    _Need("switch", "arbiter", _has_switches, _SWITCHES, ("fifo",)),
    _Need(
        "switch",
        "input_order",
        _goes_round,
        'machine.switch.arbiter = "round_robin", without machine.switch.allocator',
        ("channel",),
    ),
    _Need("switch", "delay", _has_switches, _SWITCHES),
    _Need("switch", "output_buffer", _has_switches, _SWITCHES),
    _Need(
        "switch",
        "output_buffer",
        _has_output_buffers,
        'machine.link.flow_control = "in_band" or machine.switch.allocator',
    ),
    *(
        _Need("switch", name, _is_clocked, "machine.switch.allocator")
        for name in (*CLOCKED, "shared_buffer")
    ),
    _Need("switch", "queueing", _has_packet_queues, _WHOLE),
    _Need(
        "switch",
        "input_speedup",
        _has_input_speedup,
        'machine.switch.allocator or machine.switch.queueing = "voq"',
    ),
    *(_Need("switch", name, _is_segmented, "machine.switch.segmentation") for name in SEGMENTED),
    _Need("switch", "delay", _is_not_clocked, "no machine.switch.allocator, but route_delay"),
    *(_Need("switch", name, _forwards_frames, _FORWARDING) for name in FORWARDING),
    _Need("switch", "pause_high", _pauses, _PAUSES),
    _Need("switch", "pause_low", _pauses, _PAUSES),
    _Need("switch", "input_buffer", _has_no_frames, f"no {_FORWARDING}, but memory"),
    _Need("switch", "forwarding", _is_switched, _SWITCHED),
    _Need("link", "preamble", _has_frames, _FRAMES),
    _Need("link", "frame_gap", _has_frames, _FRAMES),
    _Need(
        "interface",
        "minimum_packet",
        _can_fill_up,
        f'{_FRAMES}, or machine.switch.integrated with switching = "store_and_forward"',
    ),
    _Need("switch", "ack_priority", _acknowledges, _ACKS),
    _Need("interface", "ack_priority", _acknowledges, _ACKS),
    _Need("interface", "packet_size", _sends_packets, _PACKETS),
    _Need("interface", "window", _sends_packets, _PACKETS),
    _Need("interface", "first_packet", _sends_packets, _PACKETS),
    _Need("interface", "acknowledgements", _is_switched, _SWITCHED),
    _Need("switch", "integrated", _is_direct, f"one node on every switch: {_DIRECT}"),
    _Need("interface", "early", _is_integrated, _INTEGRATED),
    _Need("interface", "overlap", _costs, _COSTS, (True,)),
    _Need("interface", "receive_preempts", _costs_cpu, _COSTS_CPU, (False,)),
    _Need("interface", "overhead_variation", _varies, "machine.interface.send_overhead", (0,)),
    _Need("interface", "multi_packet_only", _costs_packets, _COSTS_PACKETS, (False,)),
    _Need("interface", "local", _is_switched, _SWITCHED),
    _Need("interface", "local", _has_switches, _SWITCHES),
    _Need(
        "link",
        "duplex",
        _turns,
        f"{_INTEGRATED} and machine.switch.switching other than wormhole",
        ("half_by_flit",),
    ),
    _Need("link", "duplex", _moves_flits, _FLITS, ("half",)),
    _Need("node_link", "duplex", _moves_flits, _FLITS),
    _Need("node_link", "duplex", _is_switched, _SWITCHED),
    _Need(
        "link",
        "control_token_bits",
        _has_control_tokens,
        'machine.link.end_token = true or flow_control = "in_band"',
    ),
    _Need("interface", "receive_fifo", _is_switched, _SWITCHED),
    _Need("interface", "drain_rate", _is_switched, _SWITCHED),
    _Need("interface", "receive_fifo", _makes_no_circuits, _NO_CIRCUITS),
    _Need("interface", "drain_rate", _makes_no_circuits, _NO_CIRCUITS),
    _Need("interface", "reply_queue", _is_switched, _SWITCHED),
    _Need("interface", "reply_queue", _has_switches, _SWITCHES),
    _Need("interface", "reply_queue", _makes_no_circuits, _NO_CIRCUITS),
    _Need("interface", "reply_queue", _has_no_line_cards, f"no {_FRAMES}"),
    _Need("interface", "reply_queue", _has_no_marks, f"no {_STOP_GO}"),
    _Need("link", "width", _is_switched, _SWITCHED),
    # Flow-control tokens take their own time.
    _Need("link", "credit_delay", _out_of_band, 'machine.link.flow_control = "out_of_band"'),
    _Need("link", "stop_mark", _has_marks, _STOP_GO),
    _Need("link", "go_mark", _has_marks, _STOP_GO),
    _Need("switch", "fall_through", _has_switches, _SWITCHES),
    _Need("switch", "regrant_delay", _has_switches, _SWITCHES),
    _Need("node_link", "rate", _is_switched, _SWITCHED),
    _Need("node_link", "delay", _is_switched, _SWITCHED),
    _Need("node_link", "width", _is_switched, _SWITCHED),
)


def check(machine: Assembled) -> None:
    """Raise `NoEffectError` for the first key that has none."""
    if machine.loggops is not None:
        _check_without_network(machine)
    for need in NEEDS:
        part = getattr(machine, need.part)
        value = getattr(part, need.key)
        usual = fields_of(type(part))[need.key].default
        if value == usual or value in need.but or need.is_met(machine):
            continue
        field = f"machine.{need.part}.{need.key}"
        raise NoEffectError(field, shown(plain(value)), f"has no effect here; needs {need.what}")


def _check_without_network(machine: Assembled) -> None:
    """Refuse what describes a network, where there is none."""
    problem = "has no effect with [machine.loggops]: there is no network"
    if machine.routing is not None:
        # Its keys before its kind: that may be the usual one, of which nobody said anything.
        given = {**machine.routing.given(), "kind": machine.routing.kind}
        key, value = next(iter(given.items()))
        raise NoEffectError(f"machine.routing.{key}", shown(plain(value)), problem)
    for name in ("link", "node_link", "switch", "interface"):
        for key, value in getattr(machine, name).given().items():
            if name != "interface" or key not in OPERATIONS:
                raise NoEffectError(f"machine.{name}.{key}", shown(plain(value)), problem)
    for name in machine.link_classes:
        raise NoEffectError(f"machine.link_classes.{name}", None, problem)
