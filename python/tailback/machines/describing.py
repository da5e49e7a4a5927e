"""A machine in the words of files, and in those of the engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import UserError
from ..graphs.network import Link as GraphLink
from ..graphs.network import NodeTimes
from ..parts import plain
from ..units import Rate, Size, Time
from . import costs, needs
from .assembled import INTERFACES, Assembled
from .fidelities import Fidelity
from .interface import LONGEST
from .link import check_whole
from .routing import DimensionOrder
from .topologies import Listed

if TYPE_CHECKING:
    from .link import Link, LinkClass, NodeLink
    from .loggops import LogGops

#: What keys are by default, where that depends on others; worked out only for those listed.
Usual = dict[str, Callable[[], Any]]


class LinkTimes(NamedTuple):
    """What a link of a graph has of its own."""

    rate: Rate | None
    delay: Time | None


#: `duplex` as the engine has it.
_HALF_DUPLEX: dict[str, bool | str] = {"full": False, "half": True, "half_by_flit": "flit"}


def resolved(machine: Assembled, fidelity: Fidelity) -> dict[str, Any]:
    """Return every parameter by part, defaults filled in; a valid description.

    Keys that have no effect here are None, or left out. Of a network or routes from a file there
    is only how large they are, and their hash.
    """
    if machine.loggops is not None:
        return _without_network(machine, machine.loggops)
    routing = machine.chosen_routing
    return {
        "topology": plain(machine.topology.resolved()),
        "link": needs.described(machine, machine.link, _usual_of_link(machine)),
        "node_link": needs.described(
            machine,
            machine.node_link,
            {
                "rate": lambda: machine.interface_rate,
                "delay": lambda: machine.interface_delay,
                "width": lambda: machine.node_links,
            },
        ),
        "link_classes": {name: _class(machine, one) for name, one in machine.link_classes.items()},
        **_hosts(machine),
        "switch": needs.described(machine, machine.switch, _usual_of_switch(machine, fidelity)),
        "routing": {}
        if routing is None
        else plain(routing.resolved(machine.topology) | {"selection": machine.selection}),
        "interface": _interface(machine),
        "clock": plain(machine.clock),
    }


def _hosts(machine: Assembled) -> dict[str, Any]:
    """Return the keys of hosts, if there are any."""
    hosts, grouped = machine.hosts, machine.topology.grouped
    if hosts is None or grouped is None:
        return {}
    usual = {
        "rule": hosts.chosen_rule(grouped),
        "inner_rate": machine.node_rate,
        "inner_delay": machine.node_delay,
    }
    found = {name: value for name, value in (hosts.values() | usual).items() if value is not None}
    return {"hosts": plain(found)}


def _without_network(machine: Assembled, loggops: LogGops) -> dict[str, Any]:
    """Return the parameters of a machine that is numbers; of interfaces, what barriers are."""
    parts = ("link", "node_link", "link_classes", "switch", "routing")
    given = machine.interface.given()
    return {
        "topology": plain(machine.topology.resolved()),
        **{name: {} for name in parts},
        "interface": {key: plain(given[key]) for key in needs.WITHOUT_NETWORK if key in given},
        "loggops": loggops.written(),
        "clock": plain(machine.clock),
    }


def _class(machine: Assembled, one: LinkClass) -> dict[str, Any]:
    """Return the keys of a class of links."""
    link = machine.link
    return needs.described(
        machine,
        one,
        {
            "rate": lambda: one.rate or link.rate,
            "delay": lambda: link.delay if one.delay is None else one.delay,
        },
    )


def _usual_of_link(machine: Assembled) -> Usual:
    """Return what the keys of links are by default."""
    flit = machine.link.flit.bytes
    return {
        "stop_mark": lambda: Size(machine.marks[0] * flit),
        "go_mark": lambda: Size(machine.marks[1] * flit),
    }


def _usual_of_switch(machine: Assembled, fidelity: Fidelity) -> Usual:
    """Return what the keys of switches are by default."""
    switch = machine.switch
    cycle, times = Time(machine.link.flit_ps()), cell_times(machine)

    def output_buffer() -> Size | None:
        if switch.is_clocked and switch.output_buffer is not None:
            return switch.output_buffer
        is_used = machine.link.flow_control == "in_band" and machine.topology.switch_count > 0
        return Size(output_flits(machine)) if is_used else None

    def input_buffer() -> Size | str | None:
        if not machine.has_input_buffers:
            return None
        flits = machine.input_flits(fidelity)
        return "unlimited" if flits is None else Size(flits * machine.link.flit.bytes)

    return {
        "input_buffer": input_buffer,
        "output_buffer": output_buffer,
        "output_queue": lambda: _or_unlimited(machine.output_places),
        "reserve": lambda: machine.reserves,
        "overtaking": lambda: switch.overtaking is not False,
        "virtual_channels": lambda: machine.channels_per_wire,
        "node_virtual_channels": lambda: machine.node_channels_per_wire,
        "queueing": lambda: machine.queueing,
        "arbiter": lambda: switch.chosen_arbiter if machine.topology.switch_count > 0 else None,
        "vc_allocator": lambda: switch.vc_allocator or switch.allocator,
        "route_delay": lambda: cycle if switch.route_delay is None else switch.route_delay,
        "traversal_delay": lambda: (
            cycle if switch.traversal_delay is None else switch.traversal_delay
        ),
        "input_speedup": lambda: machine.input_speedup if needs.SPEEDUP.is_met(machine) else None,
        "cell_time": lambda: times["cell_time"],
        "card_delay": lambda: times["card_delay"],
        "fabric_delay": lambda: times["fabric_delay"],
        "hop_delay": lambda: times["hop_delay"],
        "memory": lambda: _or_unlimited(switch.memory),
        "pause_high": lambda: switch.pause_marks[0] if switch.pause != "off" else None,
        "pause_low": lambda: switch.pause_marks[1] if switch.pause != "off" else None,
    }


def _interface(machine: Assembled) -> dict[str, Any]:
    """Return the keys of interfaces; those of costs only where there are any."""
    interface = machine.interface
    usual: Usual = {
        "packet_size": lambda: interface.packet_room,
        "first_packet": lambda: interface.first_packet or interface.packet_room,
        "window": lambda: _or_unlimited(interface.packets_in_flight),
        "early": lambda: early(machine),
    }
    found = needs.described(machine, interface, usual)
    if not _fills_up(machine):
        del found["minimum_packet"]
    others = {key: value for key, value in found.items() if key not in costs.KEYS}
    return others | costs.resolved(interface)


def _or_unlimited(value: Any) -> Any:
    return "unlimited" if value is None else value


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
    return {
        "topology": _topology_spec(machine),
        "link": _link_spec(machine),
        "node_link": {
            **_times(machine, machine.node_link),
            "width": machine.node_links,
            **_half_duplex(machine.node_link),
        },
        "link_classes": {
            name: times
            for name, one in machine.link_classes.items()
            if (times := _times(machine, one) | _half_duplex(one))
        }
        | _interfaces(machine),
        "switch": _switch_spec(machine, fidelity),
        **({"ports": _ports_spec(machine)} if machine.switch.input_order == "port" else {}),
        "routing": _routing_spec(machine) | ({"traffic_classes": list(classes)} if classes else {}),
        "interface": _interface_spec(machine),
        **({} if machine.loggops is None else {"loggops": machine.loggops.spec()}),
    }


def _link_spec(machine: Assembled) -> dict[str, Any]:
    link = machine.link
    found = link.engine_keys()
    framing = found.pop("framing")
    if _fills_up(machine):
        minimum = machine.interface.minimum_packet.bytes
        found["framing"] = {**framing, "minimum_bytes": minimum}
    return found | {
        "flit_ps": link.flit_ps(),
        "control_ps": link.control_ps(),
        "flow_control": _flow_control(machine),
        "half_duplex": _HALF_DUPLEX[link.duplex],
    }


def _flow_control(machine: Assembled) -> str | dict[str, Any]:
    if not machine.has_marks:
        return machine.link.flow_control
    stop, go = machine.marks
    return {"stop_go": {"stop_flits": stop, "go_flits": go}}


def _fills_up(machine: Assembled) -> bool:
    """Whether there are frames, or packets that are filled up."""
    return machine.switch.has_frames or bool(machine.interface.minimum_packet.bytes)


def _half_duplex(links: LinkClass | NodeLink) -> dict[str, Any]:
    """Return how the two directions share wires, if these links have a rule of their own."""
    return {} if links.duplex is None else {"half_duplex": _HALF_DUPLEX[links.duplex]}


def _times(
    machine: Assembled,
    links: LinkClass | NodeLink | LinkTimes,
    usual: Link | LinkTimes | None = None,
) -> dict[str, Any]:
    """Return what differs from the usual link, by default the machine's."""
    found: dict[str, Any] = {}
    rate, delay = links.rate, links.delay
    usual = machine.link if usual is None else usual
    if rate is not None and rate != usual.rate:
        found |= {
            "flit_ps": machine.link.flit_ps(rate),
            "control_ps": machine.link.control_ps(rate),
        }
    if delay is not None and delay != usual.delay:
        found |= {"delay_ps": delay.ps}
    return found


def _check_rate(machine: Assembled, topology: Listed, link: GraphLink | NodeTimes) -> None:
    """Refuse a rate of a file at which a flit takes no whole number of picoseconds."""
    try:
        check_whole(machine.link, link.rate or machine.link.rate, "")
    except UserError as error:
        where = "the link of a node"
        if isinstance(link, GraphLink):
            names = topology.graph.switches
            where = f"link from {names[link.source]} to {names[link.destination]}"
        problem = f"{where}: rate is {error.given}; {error.allowed}"
        raise UserError(topology.place, None, problem) from None


def _topology_spec(machine: Assembled) -> dict[str, Any]:
    topology = machine.topology
    if not isinstance(topology, Listed):
        return topology.spec_left(None, _inside(machine))

    fits: set[Rate | None] = set()

    def times(link: GraphLink | NodeTimes) -> dict[str, Any]:
        delay = None if link.delay_ps is None else Time(link.delay_ps)
        if link.rate not in fits:
            _check_rate(machine, topology, link)
            fits.add(link.rate)
        usual: Link | LinkTimes = machine.link
        if isinstance(link, NodeTimes):
            usual = LinkTimes(machine.interface_rate, machine.interface_delay)
        return _times(machine, LinkTimes(link.rate, delay), usual)

    return topology.spec_left(topology.spec_with(times), _inside(machine))


def _interfaces(machine: Assembled) -> dict[str, Any]:
    """Return the class of links between hosts and the network, which are as those of nodes."""
    if machine.hosts is None:
        return {}
    own = _times(machine, machine.node_link) | _half_duplex(machine.node_link)
    return {INTERFACES: {**own, "width": 1}}


def _inside(machine: Assembled) -> dict[str, Any]:
    """Return what differs on links inside hosts from those of nodes."""
    if machine.hosts is None:
        return {}
    usual = LinkTimes(machine.interface_rate, machine.interface_delay)
    return _times(machine, LinkTimes(machine.node_rate, machine.node_delay), usual)


def _switch_spec(machine: Assembled, fidelity: Fidelity) -> dict[str, Any]:
    switch = machine.switch
    queues = machine.has_output_queues and machine.output_places is not None
    found = switch.engine_keys(cell_times(machine))
    # Stages, cells and frames have tables of their own, where there are any.
    pipeline, cells, frames = (found.pop(name) for name in ("pipeline", "cells", "frames"))
    # Not in the identity of experiments that know nothing of it.
    for name in ("queueing", "node_virtual_channels"):
        del found[name]
    found |= {
        "input_buffer_flits": _input_flits(machine, fidelity),
        "output_buffer_flits": output_flits(machine),
        "output_queue_packets": machine.output_places if queues else None,
        "reserve": queues and machine.reserves,
        "overtaking": queues and switch.overtaking is not False,
        "virtual_channels": machine.channels_per_wire,
        "arbiter": switch.chosen_arbiter,
        **_queueing_spec(machine, fidelity),
    }
    if switch.is_clocked:
        found["node_virtual_channels"] = machine.node_channels_per_wire
        found["pipeline"] = pipeline | _pipeline_spec(machine)
    if switch.is_segmented:
        found["cells"] = cells
    if switch.forwards_frames:
        high, low = (Size(0), Size(0)) if switch.pause == "off" else switch.pause_marks
        frames |= {"memory_bytes": switch.memory_bytes}
        found["frames"] = frames | {"pause_high_bytes": high.bytes, "pause_low_bytes": low.bytes}
    return found


def _queueing_spec(machine: Assembled, fidelity: Fidelity) -> dict[str, Any]:
    """Return which packets of input buffers may ask, and how many leave at a time."""
    given = machine.switch.queueing
    # Fluid has no packets that could ask.
    queueing = machine.queueing if fidelity == "packet" or given is not None else "fifo"
    if queueing == "fifo":
        return {}
    speedup = machine.input_speedup if queueing == "voq" else None
    return {"queueing": queueing} | ({} if speedup is None else {"input_speedup": speedup})


def _ports_spec(machine: Assembled) -> dict[str, Any]:
    """Return the port numbers of links, if the network comes from a file that has them."""
    topology = machine.topology
    return topology.ports_spec() if isinstance(topology, Listed) else {}


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


def _pipeline_spec(machine: Assembled) -> dict[str, Any]:
    """Return what does not follow from one key of the stages of a switch."""
    switch, shared = machine.switch, machine.shared_places
    steps, cycles = switch.steps_per_cycles
    # Keys that came later are left out where they say what there was before.
    later = {
        "speedup_cycles": cycles if cycles > 1 else None,
        "sees_output_buffer": switch.output_buffer_view == "request" or None,
        "in_batches": switch.stages == "batched" or None,
        "keeps_channel": switch.delivery == "same_channel" or None,
        "port_order": None if switch.port_order == "channels" else switch.port_order,
    }
    return {
        "route_cycles": machine.cycles("route_delay"),
        "traversal_cycles": machine.cycles("traversal_delay"),
        "vc_allocator": switch.vc_allocator or switch.allocator,
        "vc_iterations": switch.vc_iterations or switch.iterations,
        "input_speedup": switch.input_speedup or 1,
        "internal_speedup": steps,
        **{name: value for name, value in later.items() if value is not None},
        "output_buffer_flits": machine.output_places_behind_crossbar,
        **({"shared_buffer_flits": shared} if shared else {}),
        "atomic": switch.vc_reuse == "after_credits",
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
    first, collectives = interface.first_packet, interface.collectives_spec()
    found = interface.engine_keys()
    del found["costs"]
    drained = interface.drain_byte_ps
    return found | {
        "packet_bytes": min(interface.packet_room, LONGEST).bytes,
        "first_packet_bytes": None if first in (None, interface.packet_room) else first.bytes,
        "window": interface.packets_in_flight,
        "early_bytes": early(machine).bytes if machine.switch.integrated else 0,
        # Left out where nothing costs anything, as before there were these keys.
        **costs.spec(interface),
        **({"collectives": collectives} if collectives else {}),
        **({} if drained is None else {"drain_byte_ps": drained}),
    }


def rounded(machine: Assembled) -> list[tuple[Rate, int, Fraction]]:
    """Return rates whose flits take no whole number of ps: the time used, by how much it is off."""
    link = machine.link
    offs = ((rate, link.rounding(rate)) for rate in sorted(set(machine.rates)))
    return [(rate, link.flit_ps(rate), off) for rate, off in offs if off]
