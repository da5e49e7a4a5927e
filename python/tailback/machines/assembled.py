"""The parts of a machine, and what follows from them: rates, channels, buffers, times."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator

from ..parts import MaybeFrequency, Part, key, plain
from ..units import Rate, Size, Time
from .fidelities import Fidelity
from .interface import Interface
from .kinds import ROUTINGS
from .link import Link, LinkClass, NodeLink
from .loggops import LogGops
from .routing import MinimalAdaptive, Routing, Selection
from .switch import Queueing, Switch
from .topologies import Hosts, Listed, Mesh, Topology

#: The class of the links between hosts and the network.
INTERFACES = "interfaces"

#: Flits between the STOP and GO marks by default.
HYSTERESIS = 32

#: Most cycles of a stage of a clocked switch.
MOST_CYCLES = 64

Classes = Annotated[Mapping[str, LinkClass], BeforeValidator(dict)]


class Assembled(Part):
    """The parts, each possible by itself; whether they fit each other is `Machine`'s to say."""

    helpful: ClassVar[tuple[str, ...]] = ("chosen_routing", "degree", "homes", "nodes", "shape")
    section: ClassVar[str] = "machine"

    topology: Topology = key(default=Mesh(), description="Who is wired to whom.")
    link: Link = key(default=Link(), description="The links between switches.")
    node_link: NodeLink = key(
        default=NodeLink(), description="The links between nodes and switches."
    )
    link_classes: Classes = key(
        default={}, description="Classes of links that differ, by the name the topology gives them."
    )
    hosts: Hosts | None = key(
        default=None,
        description="Hosts with several interfaces: the nodes of the topology are these.",
    )
    switch: Switch = key(default=Switch(), description="The switches.")
    routing: Routing | None = key(
        default=None, description="Which way packets go; default: the usual one of the topology."
    )
    interface: Interface = key(
        default=Interface(), description="The network interfaces of the nodes."
    )
    loggops: LogGops | None = key(
        default=None,
        description="Instead of a network: what messages take, in six numbers; for traces only.",
    )
    clock: MaybeFrequency = key(
        also="frequency clock_rate",
        default=None,
        description='Frequency of the clock: times may be given in cycles ("3 cycles"), and '
        "results are told in cycles too.",
    )

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return self.topology.node_count

    @property
    def shape(self) -> tuple[int, ...]:
        """Nodes along each dimension, x first; empty for a machine without coordinates."""
        return self.topology.shape

    @property
    def sides(self) -> tuple[int, ...]:
        """Switches along each dimension, x first; empty where there is none."""
        return self.topology.facts.sides

    @property
    def group_nodes(self) -> int | None:
        """Nodes of a group, island or largest subtree; None where there are no groups."""
        return self.topology.facts.group_nodes

    def homes(self) -> tuple[int, ...]:
        """Return the switch of every node."""
        return self.topology.homes

    @property
    def degree(self) -> int:
        """Links of a switch to other switches (of a node to others where there is no switch)."""
        return self.topology.degree

    @property
    def has_internal_channels(self) -> bool:
        """Whether any channel joins two switches."""
        return self.topology.facts.links > 0

    @cached_property
    def chosen_routing(self) -> Routing | None:
        """`routing` or the topology's usual one; None where packets have no choice of links."""
        if not self.topology.routings:
            return None
        return self.routing or ROUTINGS[self.topology.default_routing()]()

    @property
    def node_links(self) -> int:
        """Parallel links between a node and its switch, at least one; one where they are one."""
        if self.switch.integrated:
            return 1
        return (
            max(1, self.degree) if self.node_link.width == "degree" else int(self.node_link.width)
        )

    @property
    def node_rate(self) -> Rate:
        """Rate of the links between nodes and switches: with hosts, those inside."""
        inside = None if self.hosts is None else self.hosts.inner_rate
        return self.interface_rate if inside is None else inside

    @property
    def interface_rate(self) -> Rate:
        """Rate of the links to the network: of nodes, or of the interfaces of hosts."""
        return self.link.rate if self.node_link.rate is None else self.node_link.rate

    @cached_property
    def class_rates(self) -> tuple[Rate, ...]:
        """Rates of the classes of links, in the topology's order; none if there are no classes."""
        special = {name: one.rate or self.link.rate for name, one in self.link_classes.items()}
        if self.hosts is not None:
            special[INTERFACES] = self.interface_rate
        return tuple(special.get(name, self.link.rate) for name in self.topology.link_classes)

    @property
    def _rates_of_file(self) -> tuple[Rate | None, ...]:
        """By node (by interface of hosts) the rate that a file gives; empty if there is none."""
        own = self.topology.graph.node_times if isinstance(self.topology, Listed) else None
        return tuple(times.rate for times in own or ())

    @property
    def node_rates(self) -> tuple[Rate, ...]:
        """By node the rate of its link."""
        rates, grouped = self.interface_rates, self.topology.grouped
        if grouped is None:
            return rates
        alone = grouped.is_alone
        return tuple(
            rates[own] if alone[grouped.of_interfaces[own]] else self.node_rate
            for own in grouped.own
        )

    @property
    def interface_rates(self) -> tuple[Rate, ...]:
        """By interface the rate of its link to the network; without hosts by node."""
        own = self._rates_of_file or (None,) * self.topology.network.node_count
        return tuple(rate or self.interface_rate for rate in own)

    @property
    def rates(self) -> tuple[Rate, ...]:
        """Rates of all links there are: of nodes, of every class, of a graph's."""
        of_nodes = {rate for rate in self._rates_of_file if rate is not None}
        return (self.node_rate, *sorted(of_nodes), *self.internal_rates)

    @cached_property
    def internal_rates(self) -> tuple[Rate, ...]:
        """Rates of the links between switches."""
        found = set(self.class_rates) or {self.link.rate}
        if isinstance(self.topology, Listed):
            found |= {link.rate for link in self.topology.graph.links if link.rate is not None}
        if self.hosts is not None:
            found |= {rate for rate in self._rates_of_file if rate is not None}
        return tuple(sorted(found))

    @cached_property
    def routing_classes(self) -> int:
        """Classes of virtual channels that the routing tells apart: it needs as many."""
        routing = self.chosen_routing
        return 1 if routing is None else routing.facts(self.topology).classes

    @property
    def channels_per_wire(self) -> int:
        """`virtual_channels` or its default; with separate wires, wires per link."""
        given = self.switch.virtual_channels
        if given is None and self.switch.forwards_frames:
            return 1
        return self.routing_classes if given is None else given

    @property
    def node_channels_per_wire(self) -> int:
        """Virtual channels of a link between a node and its switch."""
        given = self.switch.node_virtual_channels
        usual = self.channels_per_wire if self.switch.is_clocked else 1
        return usual if given is None else given

    @property
    def output_places_behind_crossbar(self) -> int | None:
        """Flits that wait behind the crossbar of a clocked switch, at most; None: any number."""
        given = self.switch.output_buffer
        return None if given is None else given.bytes // self.link.flit.bytes

    @property
    def shared_places(self) -> int:
        """Flits at an input that all its virtual channels share; `UserError` if not whole flits."""
        given, flit = self.switch.shared_buffer, self.link.flit
        if given.bytes % flit.bytes:
            raise self.switch.refused("shared_buffer", f"must be whole flits of {flit}")
        return given.bytes // flit.bytes

    def cycles(self, name: str) -> int:
        """Return a delay of the pipeline in cycles; raise `UserError` if it is no whole number."""
        given: Time | None = getattr(self.switch, name)
        cycle = self.link.flit_ps()
        if given is None:
            return 1
        if given.ps % cycle:
            allowed = f"must be a whole number of cycles, the time of a flit: {Time(cycle)}"
            raise self.switch.refused(name, allowed)
        if given.ps > MOST_CYCLES * cycle:
            allowed = f"must be at most {MOST_CYCLES} cycles: {Time(MOST_CYCLES * cycle)}"
            raise self.switch.refused(name, allowed)
        return given.ps // cycle

    @property
    def sends_behind_slower_links(self) -> bool:
        """Whether a node could feed several links at once, but sends one message after another."""
        slower = self.has_internal_channels and min(self.internal_rates) < self.node_rate
        return slower and self.interface.message_order == "fifo"

    @property
    def shares_wires(self) -> bool:
        """Whether several virtual channels share a wire anywhere."""
        is_shared = self.link.sharing != "separate" and self.has_internal_channels
        return is_shared and self.channels_per_wire > 1

    @property
    def sends_whole_messages(self) -> bool:
        """Whether a message is one packet."""
        return self.interface.unit == "message"

    @property
    def makes_circuits(self) -> bool:
        """Whether packets hold all channels of their way at once."""
        return self.switch.switching == "circuit"

    @property
    def has_input_buffers(self) -> bool:
        """Whether packets stand in buffers at the inputs of switches."""
        switch = self.switch
        if switch.forwards_frames:
            return False
        return switch.switching == "wormhole" or not (switch.integrated or self.makes_circuits)

    @property
    def has_packet_queues(self) -> bool:
        """Whether whole packets stand in input buffers and ask for outputs at any time."""
        stores = self.switch.switching in ("store_and_forward", "cut_through")
        if not stores or not self.has_input_buffers or self.switch.has_frames:
            return False
        return self.topology.switch_count > 0

    @cached_property
    def queueing(self) -> Queueing:
        """`switch.queueing` or its default: output, where who waits keeps to its output."""
        if self.switch.queueing is not None:
            return self.switch.queueing
        routing = self.chosen_routing
        keeps = routing is None or not (routing.spreads or routing.facts(self.topology).escapes)
        is_usual = self.has_packet_queues and self.interface.reply_queue is None
        # Who asks for an allocator is told what that needs, not of a key that was not given.
        is_usual = is_usual and not self.switch.is_clocked
        return "output" if is_usual and keeps else "fifo"

    @property
    def input_speedup(self) -> int | None:
        """`switch.input_speedup` or its default; None: as rates of channels are at each input."""
        given = self.switch.input_speedup
        is_even = self.switch.is_clocked or set(self.rates) == {self.node_rate}
        return 1 if given is None and is_even else given

    @cached_property
    def selection(self) -> Selection:
        """`routing.selection` or its default: random where the first would fill up alone."""
        routing = self.chosen_routing
        if routing is not None and routing.selection is not None:
            return routing.selection
        takes_first = self.makes_circuits or self.switch.has_frames or self.switch.is_clocked
        if routing is None or takes_first:
            return "first"
        climbs = isinstance(routing, MinimalAdaptive) and not self.topology.facts.is_direct
        if routing.spreads or routing.ascends or climbs:
            return "random"
        keeps_to_it = self.queueing != "fifo" and routing.facts(self.topology).chooses
        return "random" if keeps_to_it else "first"

    @property
    def has_output_queues(self) -> bool:
        """Whether packets stand in queues at outgoing channels."""
        stores = self.switch.switching in ("store_and_forward", "cut_through")
        return self.switch.integrated and stores

    @property
    def output_places(self) -> int | None:
        """Packets that an output queue has room for; None: unlimited."""
        given = self.switch.output_queue
        if given is None:
            return None if self.sends_whole_messages else 16
        return None if given == "unlimited" else int(given)

    @property
    def reserves(self) -> bool:
        """Whether a place is kept from contrary packets: by default where there are any."""
        given, routing = self.switch.reserve, self.chosen_routing
        if given is None:
            return routing is not None and routing.kind == "first_hop"
        return given

    @property
    def has_marks(self) -> bool:
        """Whether senders are told to stop and to go on."""
        return self.link.flow_control == "stop_go"

    @cached_property
    def round_trip_flits(self) -> int:
        """Flits that a link can send while a signal goes to and fro, where that is longest."""
        fastest = min(self.link.flit_ps(rate) for rate in self.rates)
        return -(-2 * self.longest_delay_ps // fastest)

    @cached_property
    def longest_delay_ps(self) -> int:
        """Time on the longest link, in picoseconds."""
        link = self.link
        delays = [link.delay, self.node_link.delay, *(c.delay for c in self.link_classes.values())]
        delays.append(None if self.hosts is None else self.hosts.inner_delay)
        longest = max(delay.ps for delay in delays if delay is not None)
        if isinstance(self.topology, Listed):
            longest = max(longest, *(one.delay_ps or 0 for one in self.topology.graph.links), 0)
        return longest

    @property
    def marks(self) -> tuple[int, int]:
        """Buffer occupancy in flits at which the sender stops, and at which it resumes."""
        link, flit = self.link, self.link.flit.bytes
        stop = None if link.stop_mark is None else link.stop_mark.bytes // flit
        if link.go_mark is not None:
            go = link.go_mark.bytes // flit
        else:
            # What leaves until the first flit after a GO is there.
            go = max(self.round_trip_flits, link.flits(self.interface.header.bytes) - 1)
            go = go if stop is None else max(0, min(go, stop - 1))
        return (go + HYSTERESIS if stop is None else stop), go

    def input_flits(self, fidelity: Fidelity) -> int | None:
        """Return the flits an input buffer holds: `input_buffer`, or its default; None: any."""
        given = self.switch.input_buffer
        if given is None and self.has_marks:
            return self.marks[0] + self.round_trip_flits
        is_room_for_all = self.sends_whole_messages or self.switch.is_segmented
        if given == "unlimited" or (given is None and is_room_for_all):
            return None
        if isinstance(given, Size):
            return given.bytes // self.link.flit.bytes
        if self.link.flow_control == "in_band":
            # The C104 has 35 B at its inputs and 35 B at its outputs. Only `token` has
            # buffers at outputs; elsewhere both are at the input.
            return 35 if fidelity == "token" else 70
        return self.usual_input_flits

    @property
    def usual_input_flits(self) -> int:
        """Flits of the usual input buffer: what passes in a round trip of credits, and packets.

        Of whole packets 16, so that queues for outputs carry 97 % of what links do (docs/model.md);
        two where flits go on by themselves.
        """
        packets = 16 if self.has_packet_queues else 2
        room = packets * self.packet_flits(self.interface.packet_room.bytes)
        if not self.has_credits:
            return room
        away = self.longest_delay_ps + self.switch_ps + self.link.credit_delay.ps
        return room + -(-away // min(self.link.flit_ps(rate) for rate in self.rates))

    @property
    def has_credits(self) -> bool:
        """Whether senders know of room in limited input buffers by credits."""
        taken_in_whole = self.switch.has_frames or self.sends_whole_messages
        by_tokens = self.link.flow_control == "in_band" or self.has_marks
        return not (taken_in_whole or by_tokens or self.switch.integrated)

    def credit_flits(self, delay_ps: int, rate: Rate, packet_bytes: int | None = None) -> int:
        """Return the flits of a buffer that keeps a link busy: what passes until room is known.

        `packet_bytes`: data of every packet; None: full packets.

        From the start of a flit: there and back, and where packets have room as a whole until one
        has left: `cut_through` while it comes, `store_and_forward` when all of it has come.
        """
        link = self.link
        packets = {"cut_through": 1, "store_and_forward": 2}.get(self.switch.switching, 0)
        # Of flits that go on by themselves only the header waits until the switch has looked at it.
        away = delay_ps + link.credit_delay.ps + (self.switch_ps if packets else 0)
        under_way = -(-away // link.flit_ps(rate))
        full = self.interface.packet_room.bytes
        whole = packets * self.packet_flits(full if packet_bytes is None else packet_bytes)
        return under_way + max(whole, 1)

    @property
    def switch_ps(self) -> int:
        """Time from a header's arrival at a switch until it asks for an output, in picoseconds."""
        switch = self.switch
        return (switch.delay if switch.fall_through is None else switch.fall_through).ps

    @property
    def node_delay(self) -> Time:
        """Time that a flit is on a link between a node and its switch: with hosts, inside."""
        return self.interface_delay if self.hosts is None else self.hosts.inner_delay or Time(0)

    @property
    def interface_delay(self) -> Time:
        """Time that a flit is on a link to the network: of a node, or an interface of a host."""
        return self.link.delay if self.node_link.delay is None else self.node_link.delay

    # Times.

    def packet_flits(self, data_bytes: int) -> int:
        """Return the flits of a packet: header, data, end token if there is one."""
        flits = self.link.flits(self.interface.header.bytes) + self.link.flits(data_bytes)
        return flits + self.link.end_token

    def packet_ps(self, data_bytes: int) -> int:
        """Return the time a packet occupies the slowest channel, in picoseconds."""
        return self._packet_ps(data_bytes, min(self.rates))

    def injection_ps(self, data_bytes: int) -> int:
        """Return the time a packet occupies a channel from a node, in picoseconds."""
        return self._packet_ps(data_bytes, self.node_rate)

    def over_packets(self, message_bytes: int, of_packet: Callable[[int], int]) -> int:
        """Add up what the packets of a message count, by their bytes: full ones, and the last."""
        size = self.interface.packet_room.bytes
        full = max(0, -(-message_bytes // size) - 1)
        whole = full * of_packet(size) if full else 0
        return whole + of_packet(message_bytes - full * size)

    def message_injection_ps(self, message_bytes: int) -> int:
        """Return the time the packets of a message occupy a channel from a node, in picoseconds."""
        return self.over_packets(message_bytes, self.injection_ps)

    def _packet_ps(self, data_bytes: int, rate: Rate) -> int:
        """Return the time a packet occupies a channel of a rate, in picoseconds."""
        link = self.link
        flits = link.flits(self.interface.header.bytes) + link.flits(data_bytes)
        end = link.control_ps(rate) if link.end_token else 0
        return flits * link.flit_ps(rate) + end + link.packet_gap.ps

    @property
    def has_injection_channels(self) -> bool:
        """Whether nodes send over channels of their own, which switches or nodes receive."""
        return not self.switch.integrated

    @property
    def full_packet_ps(self) -> int:
        """Return the time of a full packet on the slowest channel; of whole messages a header's."""
        return self.packet_ps(0 if self.sends_whole_messages else self.interface.packet_room.bytes)

    def round_trip_ps(self, message_bytes: int) -> int:
        """Return roughly how long a message takes in an idle machine.

        With acknowledgements, until the last has arrived; the way is half the diameter long.
        Packets beyond the window, and those behind a circuit, wait for one to be delivered.
        """
        size = min(message_bytes, self.interface.packet_room.bytes)
        packets = max(1, -(-message_bytes // self.interface.packet_room.bytes))
        header = self.link.flits(self.interface.header.bytes) * self.link.flit_ps(min(self.rates))
        wait = self.link.delay.ps + self.switch.delay.ps
        if self.switch.fall_through is not None:
            wait = max(0, self.link.delay.ps + self.switch.fall_through.ps - self.link.flit_ps())
        hop = header + self.link.packet_gap.ps + wait
        if self.switch.switching == "store_and_forward":
            hop = self.packet_ps(size) + wait
        hops = self.topology.facts.typical_hops
        if self.switch.integrated:
            return (max(1, hops) - 1) * hop + packets * self.packet_ps(size) + wait
        way = (1 + hops) * hop
        there = self.packet_ps(size) + way
        back = self.packet_ps(0) + way if self.interface.acknowledgements else 0
        window = self.interface.packets_in_flight
        if self.makes_circuits:
            return packets * (there + way) + back
        if window is None:
            return (packets - 1) * self.packet_ps(size) + there + back
        return -(-packets // window) * (there + back)

    # What was given.

    def written(self) -> dict[str, Any]:
        """Return what was given, as a file has it."""
        found: dict[str, Any] = {"topology": {"kind": self.topology.kind, **self.topology.given()}}
        for name in ("link", "node_link", "switch", "interface"):
            found[name] = getattr(self, name).given()
        found["link_classes"] = {name: one.given() for name, one in self.link_classes.items()}
        found = {name: part for name, part in found.items() if part}
        if self.routing is not None:
            found["routing"] = {"kind": self.routing.kind, **self.routing.given()}
        # These mean something without any key.
        for name in ("hosts", "loggops"):
            if (part := getattr(self, name)) is not None:
                found[name] = part.given()
        if self.clock is not None:
            found["clock"] = str(self.clock)
        written: dict[str, Any] = plain(found)
        return written

    def cycle(self) -> Time | None:
        """Return the time of a cycle of the clock, if there is one."""
        return None if self.clock is None else self.clock.cycle
