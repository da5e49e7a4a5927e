"""Which fidelities can simulate a machine, which leaves nothing out, and why others cannot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import UserError, choice, listed, shown
from ..parts import plain
from ..units import Size
from .link import check_whole
from .routing import Fidelity

if TYPE_CHECKING:
    from .machine import Machine

__all__ = ["Fidelity", "check", "exact", "impossible_routing", "possible_routings", "usual"]

#: Tokens that one flow-control token grants.
GRANTED = 8

#: Routing words that only integrated nodes have, and where.
_FOR_INTEGRATED = ("profitable", "first_hop")

#: The routing words that integrated nodes have, by switching and unit.
_INTEGRATED: dict[tuple[str, str], tuple[str, ...]] = {
    ("store_and_forward", "message"): ("dimension_order", "profitable", "first_hop"),
    ("cut_through", "message"): ("dimension_order", "profitable", "first_hop"),
    ("circuit", "message"): ("dimension_order", "profitable", "first_hop"),
    ("circuit", "packet"): ("dimension_order", "profitable", "first_hop"),
    ("wormhole", "message"): ("dimension_order",),
    ("wormhole", "packet"): ("dimension_order",),
    ("store_and_forward", "packet"): ("dimension_order", "first_hop"),
    ("cut_through", "packet"): ("dimension_order", "first_hop"),
}


def possible_routings(machine: Machine) -> tuple[str, ...]:
    """Return the words of the topology that are possible with the machine's switches."""
    words = machine.topology.routings
    if not machine.switch.integrated:
        return tuple(word for word in words if word not in _FOR_INTEGRATED)
    usable = _INTEGRATED[machine.switch.switching, machine.interface.unit]
    return tuple(word for word in words if word in usable)


def impossible_routing(machine: Machine, kind: str) -> UserError:
    """Return the mistake of a routing that is not possible here."""
    switch = machine.switch
    if kind in machine.topology.routings:
        if not switch.integrated:
            return UserError(
                "machine.routing.kind", shown(kind), "needs machine.switch.integrated = true"
            )
        having = [s for (s, unit), w in _INTEGRATED.items() if kind in w]
        words = listed(f'"{word}"' for word in dict.fromkeys(having)) if having else ""
        needed = f"machine.switch.switching = {words}"
        if not having:
            needed = "machine.switch.integrated = false"
        elif switch.switching in having:
            beside = f'with machine.switch.switching = "{switch.switching}"'
            needed = f'machine.interface.unit = "message" {beside}'
        return UserError("machine.routing.kind", shown(kind), f"needs {needed}")
    error = choice("machine.routing.kind", kind, possible_routings(machine))
    beside = f'machine.topology.kind = "{machine.topology.kind}"'
    return UserError(error.field, error.given, f"{error.allowed} with {beside}", error.nearest)


def usual(machine: Machine) -> Fidelity:
    """Return the fidelity of a run that names none: whole packets in band, as in the thesis."""
    return "packet" if machine.link.flow_control == "in_band" else exact(machine)


def exact(machine: Machine) -> Fidelity:
    """Return the cheapest fidelity that is exact for the machine."""
    if machine.switch.switching != "wormhole":
        return "packet"
    if machine.link.flow_control == "in_band":
        first: tuple[Fidelity, ...] = ("token",)
    elif machine.link.packet_gap.ps:
        first = ("flit",)
    else:
        first = ("worm", "flit")
    return next((f for f in first if _obstacle(machine, f) is None), "packet")


def why_exact(machine: Machine) -> str:
    """Say in words why that fidelity is the cheapest that is exact."""
    if machine.shares_wires:
        of_flits = "virtual channels share wires flit by flit"
    elif machine.link.packet_gap.ps:
        of_flits = "packets have a gap"
    else:
        of_flits = "packets may change to another virtual channel"
    of_packets = f"{machine.switch.switching} moves packets as a whole"
    if machine.switch.switching == "wormhole":
        of_packets = "no fidelity of flits can do this routing"
    return {
        "token": "flow control in band shares the wires with data",
        "worm": "worms have their wires to themselves: their times follow from a recurrence",
        "flit": of_flits,
        "packet": of_packets,
    }[exact(machine)]


def why_usual(machine: Machine) -> str:
    """Say in words why a run that names no fidelity has that one."""
    if machine.link.flow_control == "in_band":
        return "whole packets unless asked for more, with flow control in band"
    return why_exact(machine)


def check(machine: Machine, fidelity: Fidelity) -> None:
    """Raise `UserError` if the machine cannot be simulated with this fidelity."""
    _check_rates(machine)
    _check_graph(machine)
    obstacle = _obstacle(machine, fidelity)
    if obstacle is not None:
        remedy = f'use "{exact(machine)}"'
        raise UserError("run.fidelity", shown(fidelity), f"{obstacle}; {remedy}")
    _check_flow_control(machine, fidelity)
    _check_channels(machine)
    _check_buffers(machine, fidelity)
    _check_one_time(machine, fidelity)
    one_way = machine.topology.links_one_way
    if fidelity == "token" and one_way is not None:
        problem = f"sends flow-control tokens back along every link; those {one_way}"
        instead = 'use machine.link.flow_control = "out_of_band", or run.fidelity = "packet"'
        raise UserError("run.fidelity", shown(fidelity), f"{problem}; {instead}")


def _obstacle(machine: Machine, fidelity: Fidelity) -> str | None:
    """Say why a fidelity cannot simulate the switching, the routing or the virtual channels."""
    return _obstacle_of_switching(machine, fidelity) or _obstacle_of_routing(machine, fidelity)


def _obstacle_of_switching(machine: Machine, fidelity: Fidelity) -> str | None:
    switching = machine.switch.switching
    if switching != "wormhole" and fidelity != "packet":
        return f'cannot do machine.switch.switching = "{switching}", which moves whole packets'
    if machine.switch.integrated and switching == "wormhole" and fidelity not in ("worm", "flit"):
        return 'cannot do machine.switch.integrated = true with switching = "wormhole"'
    return None


def _obstacle_of_routing(machine: Machine, fidelity: Fidelity) -> str | None:
    routing = machine.chosen_routing
    if routing is None:
        return None
    if fidelity not in routing.fidelities:
        return f'cannot do machine.routing.kind = "{routing.kind}": {routing.because}'
    if fidelity in ("token", "stream") and routing.may_choose(machine.topology):
        return "cannot do packets that have a choice of outputs"
    if fidelity in ("token", "worm", "stream") and machine.shares_wires:
        shared = f"{machine.channels_per_wire} virtual channels that share a wire"
        return f'cannot do {shared}, only machine.link.sharing = "separate"'
    return None


def _check_flow_control(machine: Machine, fidelity: Fidelity) -> None:
    in_band = machine.link.flow_control == "in_band"
    if fidelity in ("flit", "worm") and in_band:
        problem = "cannot do in-band flow control: its tokens share the wire with data"
        instead = 'use "token", or machine.link.flow_control = "out_of_band"'
        raise UserError("run.fidelity", shown(fidelity), f"{problem}; {instead}")
    if fidelity == "token" and not in_band:
        problem = "has flow-control tokens, which share the wire with data"
        instead = f'use "{exact(machine)}", or machine.link.flow_control = "in_band"'
        raise UserError("run.fidelity", shown(fidelity), f"{problem}; {instead}")
    gap = machine.link.packet_gap
    if fidelity == "worm" and gap.ps:
        allowed = 'must be 0 with fidelity worm; use run.fidelity = "flit"'
        raise UserError("machine.link.packet_gap", shown(str(gap)), allowed)


def _check_channels(machine: Machine) -> None:
    """Refuse fewer virtual channels than the routing needs, where nodes are integrated."""
    if machine.switch.integrated and machine.routing_classes > 1:
        routing = machine.chosen_routing
        kind = "" if routing is None else routing.kind
        problem = "needs two virtual channels on a torus, and integrated nodes have one"
        raise UserError("machine.routing.kind", shown(kind), problem)


def _check_buffers(machine: Machine, fidelity: Fidelity) -> None:
    """Refuse buffers in which packets cannot move."""
    flit = machine.link.flit.bytes
    least, content = _least_flits(machine, fidelity)
    flits = machine.input_flits(fidelity)
    if flits is not None and flits < least:
        size = f"{flits * flit} B"
        allowed = f"must hold {content}, at least {least * flit} B with fidelity {fidelity}"
        given = machine.switch.input_buffer
        raise UserError("machine.switch.input_buffer", shown(plain(given) or size), allowed)
    if fidelity == "token" and machine.switch.output_buffer == Size(0):
        allowed = "must be at least 1 B with fidelity token"
        raise UserError("machine.switch.output_buffer", shown("0 B"), allowed)
    if machine.has_output_queues and machine.reserves and machine.output_places == 1:
        allowed = "must be at least 2: one is kept from contrary packets (reserve)"
        raise UserError("machine.switch.output_queue", shown(1), allowed)


def _least_flits(machine: Machine, fidelity: Fidelity) -> tuple[int, str]:
    """Return the least flits of an input buffer, and what it must hold."""
    link, interface = machine.link, machine.interface
    if machine.switch.integrated and machine.switch.switching != "wormhole":
        return 0, "nothing"
    if machine.topology.switch_count == 0:
        # A node takes what arrives at once; only flow-control tokens count its room.
        granted = f"the {GRANTED} B that a flow-control token grants"
        return (GRANTED if fidelity == "token" else 0), granted
    header = link.flits(interface.header.bytes)
    if fidelity != "packet":
        more, content = 0, "a header"
        if fidelity == "token":
            # A packet asks for an output when all of its header is there; all but its last byte
            # may stand there when room is granted.
            more, content = GRANTED - 1, f"a header (room is granted {GRANTED} B at a time)"
        elif fidelity == "stream":
            # What is sent in the header's time, which a gap makes longer.
            more = -(-link.packet_gap.ps // link.flit_ps())
        return header + more, content
    least = machine.packet_flits(interface.packet_room.bytes)
    routing = machine.chosen_routing
    if routing is not None and routing.stores:
        # A packet enters the network only where a place stays free.
        return 2 * least, f"two packets with routing {routing.kind}"
    return least, "a whole packet"


def _check_one_time(machine: Machine, fidelity: Fidelity) -> None:
    """Refuse rates that differ where a fidelity, or an integrated node, has one only."""
    differ = len(set(machine.rates)) > 1
    if not differ:
        return
    if fidelity == "stream":
        instead = f'use run.fidelity = "{exact(machine)}"'
        problem = f"cannot do links of several rates; {instead}"
        raise UserError("run.fidelity", shown(fidelity), problem)
    if machine.switch.integrated:
        problem = "must be left out where nodes are integrated: all links have one rate there"
        raise UserError(_other_rate(machine), None, problem)


def _other_rate(machine: Machine) -> str:
    """Return the key that gives some links another rate than the others have."""
    for name, links in machine.link_classes.items():
        if links.rate is not None:
            return f"machine.link_classes.{name}.rate"
    if machine.node_link.rate is not None:
        return "machine.node_link.rate"
    return "machine.topology.file"


def _check_rates(machine: Machine) -> None:
    """Refuse rates of a network from a file at which a flit takes no whole number of ps."""
    from .topologies import Graph

    topology = machine.topology
    if not isinstance(topology, Graph):
        return
    for link in topology.graph.links:
        try:
            check_whole(machine.link, link.rate or machine.link.rate, "")
        except UserError as error:
            names = topology.graph.switches
            where = f"link from {names[link.source]} to {names[link.destination]}"
            problem = f"{where}: rate is {error.given}; {error.allowed}"
            raise UserError(topology.file, None, problem) from None


def _check_graph(machine: Machine) -> None:
    """Refuse routing that needs links in both directions on a network that has others."""
    from .topologies import Graph

    topology, routing = machine.topology, machine.chosen_routing
    if not isinstance(topology, Graph) or routing is None:
        return
    one_way = topology.graph.first_one_way()
    if one_way is not None and routing.goes_back:
        ends = f"first: {one_way[0]} to {one_way[1]}"
        problem = f"needs links in both directions; {topology.file} has others ({ends})"
        raise UserError("machine.routing.kind", shown(routing.kind), f'{problem}; use "shortest"')
