"""A machine in the words of files, and in those of the engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ..errors import UserError
from ..graphs.network import Link as GraphLink
from ..parts import plain
from ..units import Rate, Size, Time
from . import costs
from .assembled import Assembled
from .collectives import OPERATIONS
from .fidelities import Fidelity
from .interface import LONGEST
from .link import check_whole
from .routing import DimensionOrder
from .switch import CLOCKED, FORWARDING, SEGMENTED
from .topologies import Graph

if TYPE_CHECKING:
    from .link import LinkClass, NodeLink
    from .loggops import LogGops

#: `duplex` as the engine has it.
_HALF_DUPLEX: dict[str, bool | str] = {"full": False, "half": True, "half_by_flit": "flit"}


def resolved(machine: Assembled, fidelity: Fidelity) -> dict[str, Any]:
    """Return every parameter by part, defaults filled in; a valid description.

    Keys that have no effect here are None. Of a network or routes from a file there is
    only how large they are, and their hash.
    """
    if machine.loggops is not None:
        return _without_network(machine, machine.loggops)
    routing = machine.chosen_routing
    return {
        "topology": plain(machine.topology.resolved()),
        "link": _link(machine) | _of_link(machine),
        "node_link": _of_node_link(machine),
        "link_classes": {
            name: {
                "rate": str(one.rate or machine.link.rate),
                "delay": str(machine.link.delay if one.delay is None else one.delay),
            }
            | _of_duplex(one)
            for name, one in machine.link_classes.items()
        },
        "switch": _switch(machine) | _of_switch(machine, fidelity),
        "routing": {}
        if routing is None
        else plain(routing.resolved(machine.topology) | {"selection": machine.selection}),
        "interface": _interface(machine) | _of_interface(machine),
        "clock": plain(machine.clock),
    }


def _link(machine: Assembled) -> dict[str, Any]:
    """Return the keys of links; those of frames and of marks only where there are any."""
    found = machine.link.written()
    left_out: tuple[str, ...] = () if machine.switch.has_frames else ("preamble", "frame_gap")
    if machine.has_marks:
        stop, go = (str(Size(flits * machine.link.flit.bytes)) for flits in machine.marks)
        found |= {"stop_mark": stop, "go_mark": go}
    else:
        left_out += ("stop_mark", "go_mark")
    return {key: value for key, value in found.items() if key not in left_out}


def _switch(machine: Assembled) -> dict[str, Any]:
    """Return the keys of switches; those that few have only where they have them."""
    left_out: tuple[str, ...] = ()
    if not machine.switch.forwards_frames:
        left_out += ("forwarding", *FORWARDING)
    if not machine.switch.is_segmented:
        left_out += ("segmentation", *SEGMENTED)
    if machine.switch.fall_through is None:
        left_out += ("fall_through",)
    if machine.switch.regrant_delay == Time(0):
        left_out += ("regrant_delay",)
    if not machine.switch.is_clocked:
        left_out += ("shared_buffer",)
    if not machine.has_packet_queues:
        left_out += ("queueing",)
    if machine.switch.input_order == "channel":
        left_out += ("input_order",)
    written = machine.switch.written()
    return {key: value for key, value in written.items() if key not in left_out}


def _without_network(machine: Assembled, loggops: LogGops) -> dict[str, Any]:
    """Return the parameters of a machine that is numbers; of interfaces, what collectives are."""
    parts = ("link", "node_link", "link_classes", "switch", "routing")
    given = machine.interface.given()
    collectives = {key: plain(value) for key, value in given.items() if key in OPERATIONS}
    return {
        "topology": plain(machine.topology.resolved()),
        **{name: {} for name in parts},
        "interface": collectives,
        "loggops": loggops.written(),
        "clock": plain(machine.clock),
    }


def _interface(machine: Assembled) -> dict[str, Any]:
    """Return the keys of interfaces; those of costs and receive FIFOs only where there are any."""
    written = machine.interface.written()
    receiving = ("receive_fifo", "drain_rate", "reply_queue")
    if not _fills_up(machine):
        del written["minimum_packet"]
    others = {
        key: value
        for key, value in written.items()
        if key not in costs.KEYS and (value is not None or key not in receiving)
    }
    return others | costs.resolved(machine.interface)


def _of_link(machine: Assembled) -> dict[str, Any]:
    return {} if machine.link.has_control_tokens else {"control_token_bits": None}


def _of_node_link(machine: Assembled) -> dict[str, Any]:
    if machine.switch.integrated:
        return dict.fromkeys(("rate", "delay", "width"))
    given = machine.node_link
    delay = machine.link.delay if given.delay is None else given.delay
    times = {"rate": str(machine.node_rate), "delay": str(delay)}
    return {**times, "width": machine.node_links, **_of_duplex(given)}


def _of_duplex(links: LinkClass | NodeLink) -> dict[str, Any]:
    """Return how directions share wires, where that is said of some links."""
    return {} if links.duplex is None else {"duplex": links.duplex}


def _of_switch(machine: Assembled, fidelity: Fidelity) -> dict[str, Any]:
    switch, flit = machine.switch, machine.link.flit.bytes
    flits = machine.input_flits(fidelity)
    found: dict[str, Any] = {
        "input_buffer": "unlimited" if flits is None else str(Size(flits * flit)),
        "output_buffer": None,
        "output_queue": None,
        "reserve": None,
        "overtaking": None,
        "virtual_channels": machine.channels_per_wire,
        "arbiter": switch.chosen_arbiter if machine.topology.switch_count > 0 else None,
    }
    if machine.link.flow_control == "in_band" and machine.topology.switch_count > 0:
        found["output_buffer"] = str(Size(output_flits(machine)))
    if switch.is_clocked:
        cycle = Time(machine.link.flit_ps())
        found["node_virtual_channels"] = machine.node_channels_per_wire
        found["vc_allocator"] = switch.vc_allocator or switch.allocator
        found["route_delay"] = str(cycle if switch.route_delay is None else switch.route_delay)
        given = switch.traversal_delay
        found["traversal_delay"] = str(cycle if given is None else given)
        if switch.output_buffer is not None:
            found["output_buffer"] = str(switch.output_buffer)
    else:
        found |= dict.fromkeys(CLOCKED)
    found |= _queues(machine)
    if switch.is_segmented:
        found |= {name: str(time) for name, time in cell_times(machine).items()}
    if machine.has_output_queues:
        places = machine.output_places
        found["output_queue"] = "unlimited" if places is None else places
        if places is not None:
            found["reserve"] = machine.reserves
            found["overtaking"] = switch.overtaking is not False
    if not machine.has_input_buffers:
        found["input_buffer"] = None
    if switch.forwards_frames:
        room = switch.memory_bytes
        found["memory"] = "unlimited" if room is None else str(Size(room))
        if switch.pause != "off":
            found["pause_high"], found["pause_low"] = (str(mark) for mark in switch.pause_marks)
    if not machine.interface.acknowledgements:
        found["ack_priority"] = None
    return found


def _of_interface(machine: Assembled) -> dict[str, Any]:
    interface = machine.interface
    window = interface.packets_in_flight
    whole = machine.sends_whole_messages
    return {
        "packet_size": None if whole else str(interface.packet_room),
        "first_packet": None if whole else str(interface.first_packet or interface.packet_room),
        "window": None if whole else "unlimited" if window is None else window,
        "early": str(early(machine)) if machine.switch.integrated else None,
        "ack_priority": interface.ack_priority if interface.acknowledgements else None,
    }


def _queues(machine: Assembled) -> dict[str, Any]:
    """Return how many of an input ask at a time, as a file has it."""
    found: dict[str, Any] = {}
    if machine.has_packet_queues:
        found["queueing"] = machine.queueing
    if machine.switch.is_clocked or machine.switch.queueing == "voq":
        found["input_speedup"] = machine.input_speedup
    return found


def output_flits(machine: Assembled) -> int:
    """Return the flits of an output buffer; with fidelity token only there is one."""
    given = machine.switch.output_buffer
    return given.bytes // machine.link.flit.bytes if isinstance(given, Size) else 35


def early(machine: Assembled) -> Size:
    """Return the data with which a message has begun to arrive."""
    given = machine.interface.early
    return Size(16) if given is None else given


def spec(
    machine: Assembled, fidelity: Fidelity, classes: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """Return the machine as the engine describes it: picoseconds, bytes, flits."""
    link = machine.link
    return {
        "topology": _topology_spec(machine),
        "link": {
            "flit_bytes": link.flit.bytes,
            "flit_ps": link.flit_ps(),
            "control_ps": link.control_ps(),
            "delay_ps": link.delay.ps,
            "width": link.width,
            "end_token": link.end_token,
            "packet_gap_ps": link.packet_gap.ps,
            "flow_control": _flow_control(machine),
            "credit_delay_ps": link.credit_delay.ps,
            "sharing": link.sharing,
            "half_duplex": _HALF_DUPLEX[link.duplex],
            **({"framing": _framing(machine)} if _fills_up(machine) else {}),
        },
        "node_link": {
            **_times(machine, machine.node_link.rate, machine.node_link.delay),
            "width": machine.node_links,
            **_half_duplex(machine.node_link),
        },
        "link_classes": {
            name: times
            for name, one in machine.link_classes.items()
            if (times := _times(machine, one.rate, one.delay) | _half_duplex(one))
        },
        "switch": _switch_spec(machine, fidelity),
        **({"ports": _ports_spec(machine)} if machine.switch.input_order == "port" else {}),
        "routing": _routing_spec(machine) | ({"traffic_classes": list(classes)} if classes else {}),
        "interface": _interface_spec(machine),
        **({} if machine.loggops is None else {"loggops": machine.loggops.spec()}),
    }


def _flow_control(machine: Assembled) -> str | dict[str, Any]:
    if not machine.has_marks:
        return machine.link.flow_control
    stop, go = machine.marks
    return {"stop_go": {"stop_flits": stop, "go_flits": go}}


def _fills_up(machine: Assembled) -> bool:
    """Whether there are frames, or packets that are filled up."""
    return machine.switch.has_frames or bool(machine.interface.minimum_packet.bytes)


def _framing(machine: Assembled) -> dict[str, int]:
    """Return how frames lie on links."""
    return {
        "minimum_bytes": machine.interface.minimum_packet.bytes,
        "preamble_bytes": machine.link.preamble.bytes,
        "gap_bytes": machine.link.frame_gap.bytes,
    }


def _half_duplex(links: LinkClass | NodeLink) -> dict[str, Any]:
    """Return how directions share wires, where that is said of some links."""
    return {} if links.duplex is None else {"half_duplex": _HALF_DUPLEX[links.duplex]}


def _times(machine: Assembled, rate: Rate | None, delay: Time | None) -> dict[str, Any]:
    """Return what differs from the machine's link."""
    found: dict[str, Any] = {}
    if rate is not None and rate != machine.link.rate:
        found |= {
            "flit_ps": machine.link.flit_ps(rate),
            "control_ps": machine.link.control_ps(rate),
        }
    if delay is not None and delay != machine.link.delay:
        found |= {"delay_ps": delay.ps}
    return found


def _topology_spec(machine: Assembled) -> dict[str, Any]:
    topology = machine.topology
    if not isinstance(topology, Graph):
        return topology.spec_left()

    def times(link: GraphLink) -> dict[str, Any]:
        delay = None if link.delay_ps is None else Time(link.delay_ps)
        try:
            check_whole(machine.link, link.rate or machine.link.rate, "")
        except UserError as error:
            names = topology.graph.switches
            where = f"link from {names[link.source]} to {names[link.destination]}"
            problem = f"{where}: rate is {error.given}; {error.allowed}"
            raise UserError(topology.file, None, problem) from None
        return _times(machine, link.rate, delay)

    return topology.spec_left(topology.spec_with(times))


def _switch_spec(machine: Assembled, fidelity: Fidelity) -> dict[str, Any]:
    switch = machine.switch
    queues = machine.has_output_queues and machine.output_places is not None
    return {
        "integrated": switch.integrated,
        "switching": switch.switching,
        "input_buffer_flits": _input_flits(machine, fidelity),
        "output_buffer_flits": output_flits(machine),
        "output_queue_packets": machine.output_places if queues else None,
        "reserve": queues and machine.reserves,
        "overtaking": queues and switch.overtaking is not False,
        "delay_ps": switch.delay.ps,
        # Left out where there are none: they change nothing.
        **({} if switch.fall_through is None else {"fall_through_ps": switch.fall_through.ps}),
        **({"regrant_delay_ps": switch.regrant_delay.ps} if switch.regrant_delay.ps else {}),
        "virtual_channels": machine.channels_per_wire,
        # Not in the identity of experiments that know nothing of it.
        **_queueing_spec(machine, fidelity),
        "arbiter": switch.chosen_arbiter,
        "ack_priority": switch.ack_priority,
        **(_clocked_spec(machine) if switch.is_clocked else {}),
        **({"cells": _cells_spec(machine)} if switch.is_segmented else {}),
        **({"frames": _frames_spec(machine)} if switch.forwards_frames else {}),
    }


def _queueing_spec(machine: Assembled, fidelity: Fidelity) -> dict[str, Any]:
    """Return which packets of input buffers may ask, and how many leave at a time."""
    given = machine.switch.queueing
    # Fluid has no packets that could ask.
    queueing = machine.queueing if fidelity == "packet" or given is not None else "fifo"
    if queueing == "fifo":
        return {}
    speedup = machine.input_speedup if queueing == "voq" else None
    return {
        "queueing": queueing,
        **({} if speedup is None else {"input_speedup": speedup}),
    }


def _ports_spec(machine: Assembled) -> dict[str, Any]:
    """Return at which ports of switches links end, if a file says so."""
    topology = machine.topology
    return topology.ports_spec() if isinstance(topology, Graph) else {}


def _frames_spec(machine: Assembled) -> dict[str, Any]:
    """Return what switches do with frames."""
    switch = machine.switch
    high, low = (Size(0), Size(0)) if switch.pause == "off" else switch.pause_marks
    return {
        "engine": switch.forwarding,
        "forwarding_ps": switch.forwarding_time.ps,
        "memory_bytes": switch.memory_bytes,
        "pause": switch.pause,
        "pause_high_bytes": high.bytes,
        "pause_low_bytes": low.bytes,
    }


def _cells_spec(machine: Assembled) -> dict[str, Any]:
    """Return what line cards cut frames into."""
    switch = machine.switch
    times = cell_times(machine)
    return {
        "cell_bytes": 0 if switch.segmentation is None else switch.segmentation.bytes,
        "cell_ps": times["cell_time"].ps,
        "pacing": switch.cell_pacing,
        "card_ps": times["card_delay"].ps,
        "leave_ps": times["fabric_delay"].ps,
        "hop_ps": times["hop_delay"].ps,
    }


def cell_times(machine: Assembled) -> dict[str, Time]:
    """Return the times of a fabric of cells, defaults filled in."""
    switch = machine.switch
    cell = Time(0) if switch.cell_time is None else switch.cell_time
    usual = {
        "cell_time": cell,
        "card_delay": cell,
        "fabric_delay": Time(0),
        "hop_delay": cell,
    }
    given = {name: getattr(switch, name) for name in usual}
    return {name: usual[name] if time is None else time for name, time in given.items()}


def _clocked_spec(machine: Assembled) -> dict[str, Any]:
    channels = machine.node_channels_per_wire
    return {"node_virtual_channels": channels, "pipeline": _pipeline_spec(machine)}


def _pipeline_spec(machine: Assembled) -> dict[str, Any]:
    switch = machine.switch
    flits, shared = machine.output_places_behind_crossbar, machine.shared_places
    return {
        "route_cycles": machine.cycles("route_delay"),
        "traversal_cycles": machine.cycles("traversal_delay"),
        "speculative": switch.speculative,
        "vc_allocator": switch.vc_allocator or switch.allocator,
        "vc_iterations": switch.iterations,
        "allocator": switch.allocator,
        "iterations": switch.iterations,
        "input_speedup": switch.input_speedup or 1,
        "output_speedup": switch.output_speedup,
        "internal_speedup": switch.internal_speedup,
        "output_buffer_flits": flits,
        **({"shared_buffer_flits": shared} if shared else {}),
        "atomic": switch.vc_reuse == "after_credits",
        "holds": switch.hold,
    }


def _input_flits(machine: Assembled, fidelity: Fidelity) -> int | None:
    """Return the flits of an input buffer; without switches it counts with fidelity token only."""
    if machine.topology.switch_count == 0 and fidelity != "token":
        return machine.packet_flits(machine.interface.packet_room.bytes)
    return machine.input_flits(fidelity)


def _routing_spec(machine: Assembled) -> dict[str, Any]:
    # Where packets have no choice of links any will do.
    routing = machine.chosen_routing or DimensionOrder()
    return routing.spec(machine.topology, machine.selection)


def _interface_spec(machine: Assembled) -> dict[str, Any]:
    interface = machine.interface
    first = interface.first_packet
    slice_ = interface.time_slice
    collectives = interface.collectives_spec()
    return {
        "unit": interface.unit,
        "packet_bytes": min(interface.packet_room, LONGEST).bytes,
        "first_packet_bytes": None if first in (None, interface.packet_room) else first.bytes,
        "header_bytes": interface.header.bytes,
        "acknowledges": interface.acknowledgements,
        "ack_priority": interface.ack_priority,
        "window": interface.packets_in_flight,
        "message_order": interface.message_order,
        "time_slice_ps": None if slice_ is None else slice_.ps,
        "early_bytes": early(machine).bytes if machine.switch.integrated else 0,
        # Left out where nothing costs anything: it changes nothing.
        **({} if (paid := costs.spec(interface)) is None else {"costs": paid}),
        # Not in the identity of experiments that know nothing of it.
        **({"collectives": collectives} if collectives else {}),
        **_receiving(machine),
        # Left out where it is as before there was this key.
        **({} if interface.local == "memory" else {"local": interface.local}),
        **({} if interface.multicast is None else {"multicast": interface.multicast}),
    }


def _receiving(machine: Assembled) -> dict[str, int]:
    """Return how a node takes packets in, where it does not so at once."""
    interface = machine.interface
    given = {
        "receive_fifo": interface.receive_fifo,
        "drain_byte_ps": interface.drain_byte_ps,
        "reply_queue": interface.reply_queue,
    }
    return {name: value for name, value in given.items() if value is not None}


def rounded(machine: Assembled) -> list[tuple[Rate, int, Fraction]]:
    """Return rates whose flits take no whole number of ps: the time used, by how much it is off."""
    link = machine.link
    offs = ((rate, link.rounding(rate)) for rate in sorted(set(machine.rates)))
    return [(rate, link.flit_ps(rate), off) for rate, off in offs if off]
