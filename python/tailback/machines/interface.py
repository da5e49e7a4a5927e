"""Network interfaces: packets, windows, acknowledgements, the processor."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from ..errors import UserError
from ..parts import (
    MaybeRate,
    MaybeSize,
    MaybeTime,
    MaybeTimePerByte,
    Part,
    SizeKey,
    key,
    up_to_packets,
)
from ..units import Rate, Size, Time, TimePerByte, whole_ps
from . import needs
from .collectives import Collectives, CollectivesKey, Method, method_spec
from .letters import LOGGP, spelled_out

#: The longest message that is sent as one packet.
LONGEST = Size(16_000_000)


Window = Annotated[int | Literal["unlimited"] | None, up_to_packets(2**20)]


class Interface(Part):
    """The network interface of every node, and the software below its processes."""

    section: ClassVar[str] = "machine.interface"

    unit: Literal["packet", "message"] = key(
        engine=True,
        default="packet",
        description="What is sent as one piece: packets of at most packet_size, or whole messages.",
    )
    packet_size: MaybeSize = key(
        engine="packet_bytes",
        needs=needs.PACKETS,
        also="mtu packet max_packet_size",
        default=None,
        description="Most data in one packet; default: 1000 B; of whole messages no limit.",
    )
    first_packet: MaybeSize = key(
        engine="first_packet_bytes",
        needs=needs.PACKETS,
        default=None,
        description="Most data in the first packet of a message; default: packet_size.",
    )
    header: SizeKey = key(
        engine="header_bytes",
        also="header_size",
        default=Size(8),
        description="Header of a packet, at least 1 B.",
    )
    minimum_packet: SizeKey = key(
        engine="/machine.link.framing.minimum_bytes",
        needs=needs.FILLED_UP,
        default=Size(0),
        description="Least length of a frame, or of a packet that integrated nodes store, header "
        "included: shorter ones are filled up; with switch.forwarding, segmentation or integrated.",
    )
    window: Window = key(
        engine=True,
        needs=needs.PACKETS,
        also="outstanding in_flight",
        default=None,
        description="Packets of one message in flight, at most, or unlimited; default: unlimited "
        "without acknowledgements (where delivery opens a window, at no cost), else 1.",
    )
    message_order: Literal["fifo", "round_robin"] = key(
        engine=True,
        aliases={"fcfs": "fifo"},
        default="fifo",
        description="In which order the packets of several messages leave a node: as they are "
        "made, or one of each message in turn.",
    )
    acknowledgements: bool = key(
        engine="acknowledges",
        needs=needs.SWITCHED,
        also="acks",
        default=False,
        description="Whether data packets are acknowledged by packets; if not, it costs nothing.",
    )
    ack_priority: bool = key(
        engine=True,
        needs=needs.ACKS,
        default=True,
        description="Whether a node sends acknowledgements before data.",
    )
    local: Literal["memory", "switch"] = key(
        engine=True,
        added=True,
        needs=(needs.SWITCHED, needs.SWITCHES),
        default="memory",
        description="How messages of a node to itself are delivered: at once (memory), or in "
        "packets over its links and switch (switch).",
    )
    multicast: Literal["unicast", "tree", "switches"] | None = key(
        engine=True,
        added=True,
        default=None,
        description="How a message gets to several nodes: as one to each, in order (unicast, the "
        "default), passed on by receivers along a binomial tree (tree), or as one that switches "
        "make copies of (switches), where they can.",
    )
    time_slice: MaybeTime = key(
        engine="time_slice_ps",
        default=None,
        description="Longest time a process computes while others wait; default: until done.",
    )
    early: MaybeSize = key(
        engine="early_bytes",
        needs=needs.INTEGRATED,
        default=None,
        description="Data with which a message has begun to arrive, for the time until then; "
        "where nodes are integrated; default: 16 B.",
    )

    send_overhead: MaybeTime = key(
        engine="costs.send.before_ps",
        default=None,
        description="What a message costs the CPU of its sender before anything leaves; "
        "default: nothing, like all other costs.",
    )
    send_overhead_per_packet: MaybeTime = key(
        engine="costs.send.per_packet_ps",
        default=None,
        description="What each of its packets costs there, before it leaves.",
    )
    send_overhead_per_byte: MaybeTimePerByte = key(
        engine="costs.send.per_byte_fs",
        default=None,
        description="What each byte costs there, with its packet.",
    )
    send_overhead_after: MaybeTime = key(
        engine="costs.send.after_ps",
        default=None,
        description="What the message costs there after its last packet.",
    )
    receive_overhead: MaybeTime = key(
        engine="costs.receive.before_ps",
        default=None,
        description="What a message costs the CPU of its receiver when its first packet is there, "
        "while others arrive.",
    )
    receive_overhead_per_packet: MaybeTime = key(
        engine="costs.receive.per_packet_ps",
        default=None,
        description="What each of its packets costs there, when it is there.",
    )
    receive_overhead_per_byte: MaybeTimePerByte = key(
        engine="costs.receive.per_byte_fs",
        default=None,
        description="What each byte costs there, with its packet.",
    )
    receive_overhead_after: MaybeTime = key(
        engine="costs.receive.after_ps",
        default=None,
        description="What the message costs there after its last packet (LogGP: o); then it is "
        "received.",
    )
    packet_interval: MaybeTime = key(
        engine="costs.packet_interval_ps",
        default=None,
        description="Least time between the starts of two data packets of a node.",
    )
    packet_interval_per_byte: MaybeTimePerByte = key(
        engine="costs.packet_interval_per_byte_fs",
        default=None,
        description="How much longer that is for each data byte of the first of the two.",
    )
    overhead_variation: float | None = key(
        engine="costs.variation_ps",
        needs=needs.SEND_OVERHEAD.but(0),
        default=None,
        between=(0, 1),
        description="By which share send_overhead may be less or more: drawn uniformly, for every "
        "message of a process the same in all modes.",
    )
    overlap: bool | None = key(
        engine="costs.overlap",
        needs=needs.COSTS.but(True),
        default=None,
        description="Whether the CPU may prepare a packet while the one before is leaving the "
        "node; default: true.",
    )
    receive_preempts: bool | None = key(
        engine="costs.receive_preempts",
        needs=needs.CPU_COSTS.but(False),
        default=None,
        description="Whether receiving interrupts sending, and both interrupt computing; if not "
        "(default), the CPU finishes what it has begun.",
    )
    multi_packet_only: bool | None = key(
        engine="costs.multi_packet_only",
        needs=needs.PACKET_COSTS.but(False),
        default=None,
        description="Whether what each packet costs is only paid for messages of several packets.",
    )
    barrier: Method = key(
        default=None,
        description='What a barrier is: messages by the table or an algorithm, "free", or '
        '{base = "134 us", per_log2 = "27.1 us"} after the last has come, per_log2 times log2 of '
        'the number of members; default: "messages".',
    )
    collectives: CollectivesKey = key(
        default=Collectives(),
        description='What other collectives are: messages by the table "mpich" (default) or '
        '"open_mpi", or a table such as {all_reduce = "ring", broadcast = "free"}.',
    )
    reduce_per_byte: MaybeTimePerByte = key(
        default=None,
        description="Processor time to add a byte that comes in a reduction to one's own; "
        "default: none.",
    )
    receive_fifo: int | None = key(
        engine=True,
        added=True,
        shown="given",
        needs=(needs.SWITCHED, needs.NO_CIRCUITS),
        also="ejection_buffer receive_buffer",
        default=None,
        between=(1, 2**20),
        description="Packets that a node has places for, from when they are granted the channel "
        "to it until they have been drained; without a place none is granted; default: any number.",
    )
    drain_rate: MaybeRate = key(
        engine="drain_byte_ps",
        added=True,
        shown="given",
        needs=(needs.SWITCHED, needs.NO_CIRCUITS),
        default=None,
        description="Data bits per second at which a node drains packets that come, one at a "
        "time, each from its start on the channel to the node; default: at once.",
    )

    reply_queue: int | None = key(
        engine=True,
        added=True,
        shown="given",
        needs=(needs.SWITCHED, needs.SWITCHES, needs.NO_CIRCUITS, needs.NO_FRAMES, needs.NO_MARKS),
        also="reply_buffer",
        default=None,
        between=(1, 2**20),
        description="Requests that a node takes in before their replies have left it; others wait "
        "in the network; in fidelities packet, worm and flit; default: any number.",
    )

    @classmethod
    def loggp(
        cls,
        *,
        o: Time | str | int = 0,
        O: TimePerByte | str | int = 0,  # noqa: E741, N803 - as in the model
        g: Time | str | int = 0,
        G: TimePerByte | str | int = 0,  # noqa: N803 - as in the model
        **keys: Any,
    ) -> Interface:
        """Return an interface with the costs of LogGP [Alexandrov et al. 1995], and other keys.

        ``o`` and ``O`` are overhead per message and byte at either end, ``g`` and ``G`` the
        intervals between packets and per byte; files may have them too.
        """
        given = {"o": o, "O": O, "g": g, "G": G}
        named = {word: value for word, value in given.items() if value != 0}
        return cls(**spelled_out(named | keys, cls.section, LOGGP))

    def _check(self) -> None:
        if self.drain_rate is not None:
            try:
                self._drain_ps(self.drain_rate)
            except UserError as error:
                raise self.refused("drain_rate", error.allowed or "") from None
        if self.receive_fifo is not None and self.drain_rate is None:
            raise self.refused(
                "receive_fifo", "has no effect here; needs machine.interface.drain_rate"
            )
        if not 1 <= self.header.bytes <= 1000:
            raise self.refused("header", "must be 1 B to 1000 B")
        size = self.packet_size
        if size is not None and not 1 <= size.bytes <= LONGEST.bytes:
            raise self.refused("packet_size", f"must be 1 B to {LONGEST}")
        if self.time_slice == Time(0):
            raise self.refused("time_slice", "must be above zero")
        if self.early is not None and not 1 <= self.early.bytes <= LONGEST.bytes:
            raise self.refused("early", f"must be 1 B to {LONGEST}")
        first = self.first_packet
        if self.unit == "message":
            return
        if first is not None and not 1 <= first.bytes <= self.packet_room.bytes:
            raise self.refused("first_packet", f"must be 1 B to packet_size = {self.packet_room}")

    def collectives_spec(self) -> dict[str, Any]:
        """Return what differs from the defaults of collectives as the engine describes it."""
        found = self.collectives.spec()
        if self.barrier is not None:
            found["barrier"] = method_spec(self.barrier)
        if self.reduce_per_byte is not None and self.reduce_per_byte.fs:
            found["reduce_fs_per_byte"] = self.reduce_per_byte.fs
        return found

    def amount(self, name: str) -> int:
        """Return a cost in the engine's unit; 0 if it is left out."""
        value = getattr(self, name)
        return 0 if value is None else int(value.amount)

    @property
    def has_costs(self) -> bool:
        """Whether messages cost anything in software."""
        return any(self.amount(name) for name in AMOUNTS)

    @property
    def costs_cpu(self) -> bool:
        """Whether messages cost CPU time."""
        return any(self.amount(name) for name in AMOUNTS if "overhead" in name)

    @property
    def drain_byte_ps(self) -> int | None:
        """Time to drain a byte of data, in picoseconds; None: none."""
        return None if self.drain_rate is None else self._drain_ps(self.drain_rate)

    @staticmethod
    def _drain_ps(rate: Rate) -> int:
        return whole_ps(8 * rate.bit_ps, "draining a byte", str(rate))

    @property
    def packet_room(self) -> Size:
        """Most data in one packet."""
        if self.unit == "message":
            return LONGEST
        return Size(1000) if self.packet_size is None else self.packet_size

    @property
    def packets_in_flight(self) -> int | None:
        """`window` or its default; None: unlimited, as of whole messages."""
        if self.window == "unlimited" or self.unit == "message":
            return None
        if self.window is None:
            return 1 if self.acknowledgements else None
        return int(self.window)


#: Keys of what messages cost in software.
COSTS = {name: one for name, one in Interface.keys.items() if one.path(name).startswith("costs.")}
#: Those that are amounts of time: without any of them messages cost nothing.
AMOUNTS = tuple(
    name
    for name, one in COSTS.items()
    if one.path(name).endswith(("_ps", "_fs")) and name != "overhead_variation"
)
