"""Switches: switching, buffers, virtual channels, arbitration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, Strict

from ..errors import UserError, shown
from ..parts import (
    MaybeSize,
    MaybeTime,
    Part,
    SizeKey,
    TimeKey,
    key,
    size_of_machine,
    up_to_packets,
)
from ..units import Size, Time
from . import needs

if TYPE_CHECKING:
    from ..parts.keys import Written

Switching = Literal["cut_through", "wormhole", "store_and_forward", "circuit"]
Arbiter = Literal[
    "fifo",
    "random",
    "net_first",
    "oldest_first",
    "hops_first",
    "round_robin",
    "priority",
    "least_recently_granted",
    "deficit_round_robin",
]
InputOrder = Literal["channel", "port"]
Allocator = Literal[
    "islip",
    "separable_input_first",
    "separable_output_first",
    "wavefront",
    "maximum_size",
]
Queueing = Literal["fifo", "voq", "output"]
Unlimited = Literal["unlimited"]


def _room(given: object) -> object:
    """Return a size, or that there is no limit."""
    if given is None or given == "unlimited":
        return given
    try:
        return size_of_machine(Size.parse(given))
    except UserError as error:
        allowed = f'{error.allowed}, or "unlimited"'
        raise UserError("", error.given, allowed, error.nearest) from None


def _speedup(given: object) -> object:
    """Return a speedup, of which a whole number is whole; refuse others in one line."""
    if isinstance(given, bool) or not isinstance(given, int | float) or not 1 <= given <= 64:
        raise UserError("", shown(given), "must be a number from 1 to 64")
    found = Fraction(given).limit_denominator(_MOST_CYCLES)
    return int(found) if found.denominator == 1 else float(found)


if TYPE_CHECKING:
    Room = Written[Size | Unlimited | None]
    Shares = Written[tuple[Size, ...] | None]
else:
    Shares = Annotated[tuple[SizeKey, ...], Strict(False), Field(min_length=1)] | None
    Room = Annotated[Size | Unlimited | None, BeforeValidator(_room)]
#: Cycles after which steps begin with a cycle again, at most.
_MOST_CYCLES = 64
Speedup = Annotated[
    int | float,
    BeforeValidator(_speedup, json_schema_input_type=Annotated[float, Field(ge=1, le=64)]),
]
Places = Annotated[int | Unlimited | None, up_to_packets(65_536)]


class Switch(Part):
    """Every switch: how packets cross it, its buffers, its virtual channels, its arbiters."""

    section: ClassVar[str] = "machine.switch"

    switching: Switching = key(
        engine=True,
        aliases={
            "virtual_cut_through": "cut_through",
            "vct": "cut_through",
            "saf": "store_and_forward",
            "circuit_switching": "circuit",
        },
        default="cut_through",
        description="How packets go on: when there is room for all of them in the next buffer, "
        "as soon as their header is there (cut_through) or when all of them is "
        "(store_and_forward); flit by flit (wormhole); or when their header has all channels of "
        "the way (circuit).",
    )
    integrated: bool = key(
        engine=True,
        needs=needs.DIRECT,
        default=False,
        description="Whether nodes are their own switches: no link lies between them, and "
        "packets are delivered on all channels at once.",
    )
    delay: TimeKey = key(
        engine="delay_ps",
        needs=(needs.SWITCHES, needs.NOT_CLOCKED),
        also="router_delay hop_latency",
        default=Time(0),
        description="Time from a header's arrival (with store_and_forward: a packet's) to the "
        "request for an output; where nodes are integrated, of their own packets too.",
    )
    fall_through: MaybeTime = key(
        engine="fall_through_ps",
        added=True,
        shown="given",
        needs=needs.SWITCHES,
        also="cut_through_latency",
        default=None,
        description="Time from when a flit begins to arrive until it can begin to leave, in place "
        "of delay, which counts from when all of a header has arrived; at least that of a flit.",
    )
    regrant_delay: TimeKey = key(
        engine="regrant_delay_ps",
        added=True,
        shown="given",
        needs=needs.SWITCHES,
        default=Time(0),
        description="Time from when a packet that had to wait for its output is granted it until "
        "it may start.",
    )
    edge_delay: TimeKey = key(
        engine="edge_delay_ps",
        added=True,
        shown="given",
        needs=(needs.SWITCHES, needs.SWITCHED),
        default=Time(0),
        description="Time besides delay that packets from nodes take in their first switch, such "
        "as for look-ups at an edge port.",
    )
    input_buffer: Room = key(
        engine="input_buffer_flits",
        needs=(needs.NO_CIRCUITS, needs.INPUT_BUFFERS, needs.NO_FORWARDING),
        also="buffer slack_buffer buffer_size vc_buf_size input_queue",
        default=None,
        description="Buffer of every virtual channel at every input, or unlimited; default: what "
        "passes in a round trip of credits and 16 full packets, two where flits go on by "
        "themselves; with flow control in band 70 B, with fidelity token 35 B; with stop_go "
        "stop_mark and what passes while a signal goes to and fro.",
    )
    shared_buffer: SizeKey = key(
        engine="/machine.switch.pipeline.shared_buffer_flits",
        shown="used",
        needs=needs.CLOCKED,
        also="buffer_pool shared_buffers",
        default=Size(0),
        description="Room at every input that all its virtual channels share, besides the "
        "input_buffer that each has for itself, in switches that run by a clock.",
    )
    output_buffer: MaybeSize = key(
        engine="output_buffer_flits",
        needs=(needs.SWITCHES, needs.OUTPUT_BUFFERS),
        default=None,
        description="Buffer at every output; with fidelity token only; default: 35 B.",
    )
    output_queue: Places = key(
        engine="output_queue_packets",
        needs=needs.OUTPUT_QUEUES,
        default=None,
        description="Packets that the queue of an outgoing channel has room for, or unlimited; "
        "with integrated nodes and store_and_forward or cut_through; default: 16 packets, "
        "unlimited for whole messages.",
    )
    reserve: bool | None = key(
        engine=True,
        needs=needs.OUTPUT_PLACES,
        default=None,
        description="Whether one place of an output_queue is kept from packets that took another "
        "first step than dimension order; default: with routing first_hop.",
    )
    overtaking: bool | None = key(
        engine=True,
        needs=needs.OUTPUT_PLACES,
        default=None,
        description="Whether a packet that has no place in its next output_queue may be overtaken "
        "by those of other messages behind it; default: true.",
    )
    virtual_channels: int | None = key(
        engine=True,
        needs=(needs.SWITCHED.but(1), needs.WAYS.but(1)),
        also="vcs num_vcs vc",
        default=None,
        between=(1, 255),
        description="Virtual channels of every link between switches, each with an input buffer of "
        "its own; default: as many as the routing needs on this topology.",
    )
    node_virtual_channels: int | None = key(
        engine=True,
        needs=needs.CLOCKED,
        default=None,
        between=(1, 255),
        description="Virtual channels of every link between a node and its switch, in switches "
        "that run by a clock; default: virtual_channels.",
    )
    queueing: Queueing | None = key(
        engine=True,
        needs=needs.PACKET_QUEUES,
        default=None,
        description="Which packets of an input buffer may ask, where packets are sent as a whole: "
        "the first of all, and one leaves at a time (fifo); the first for each output, and "
        "input_speedup leave at a time (voq), or any number (output). Default: output; fifo where "
        "who waits may take another way, and with presets of machines of their time.",
    )
    arbiter: Arbiter | None = key(
        engine=True,
        needs=needs.SWITCHES.but("fifo"),
        also="queue_policy arbitration_policy",
        aliases={"age": "oldest_first", "fcfs": "fifo", "matrix": "least_recently_granted"},
        default=None,
        description="Which waiting input is granted a free output; default: fifo. Of switches that "
        "run by a clock, how allocators choose among requests; default: round_robin. There fifo, "
        "oldest_first and priority need separable or wavefront allocators, least_recently_granted "
        "(a matrix arbiter) separable ones, and there are no others.",
    )
    shares: Shares = key(
        engine="arbiter_keys.shares_bytes",
        added=True,
        shown="given",
        needs=needs.arbiter("deficit_round_robin"),
        default=None,
        description="With arbiter deficit_round_robin: how much each traffic class may send in its "
        "turn, headers included, in the order of the classes; default: a full packet each.",
    )
    input_order: InputOrder = key(
        shown="given",
        needs=needs.TURN_BY_TURN.but("channel"),
        default="channel",
        description="In which order round_robin goes over the inputs of a switch: by the numbers "
        "of channels, or by those of its ports (port): nodes first, then the links of each port "
        "in turn; of a graph whose file has ports, as that says.",
    )
    ack_priority: bool = key(
        engine=True,
        needs=needs.ACKS,
        default=False,
        description="Whether switches grant acknowledgements before data.",
    )

    allocator: Allocator | None = key(
        engine="pipeline.allocator",
        default=None,
        description="Who is given the crossbar, cycle by cycle, in a switch that runs by a clock, "
        "of which a cycle is the time of a flit; default: no clock, packets are granted outputs "
        "at any time.",
    )
    iterations: int = key(
        engine="pipeline.iterations",
        needs=needs.CLOCKED,
        default=1,
        between=(1, 64),
        description="Iterations of the allocators, islip or separable.",
    )
    vc_iterations: int | None = key(
        engine="pipeline.vc_iterations",
        shown="given",
        needs=needs.CLOCKED,
        default=None,
        between=(1, 64),
        description="Iterations of vc_allocator; default: as iterations.",
    )
    vc_allocator: Allocator | None = key(
        engine="pipeline.vc_allocator",
        needs=needs.CLOCKED,
        default=None,
        description="Who is given the virtual channels of outputs; default: as allocator.",
    )
    route_delay: MaybeTime = key(
        engine="pipeline.route_cycles",
        needs=needs.CLOCKED,
        default=None,
        description="Time in which a header is routed, in whole cycles; 0 ns: in the switch "
        "before (look-ahead); default: one cycle.",
    )
    traversal_delay: MaybeTime = key(
        engine="pipeline.traversal_cycles",
        needs=needs.CLOCKED,
        default=None,
        description="Time in which a flit crosses the crossbar, in whole cycles; default: one.",
    )
    speculative: bool = key(
        engine="pipeline.speculative",
        needs=needs.CLOCKED,
        default=False,
        description="Whether a header asks for the crossbar while it asks for a virtual channel.",
    )
    vc_reuse: Literal["after_tail", "after_credits"] = key(
        engine="pipeline.atomic",
        needs=needs.CLOCKED,
        default="after_tail",
        description="When a virtual channel can be granted again: when the tail of the packet has "
        "left (after_tail), or when the buffer at its end is empty again too (after_credits).",
    )
    hold: bool = key(
        engine="pipeline.holds",
        needs=needs.CLOCKED,
        default=False,
        description="Whether an input keeps the crossbar until its packet's tail as long as it "
        "has flits and credits.",
    )
    input_speedup: int | None = key(
        engine="pipeline.input_speedup",
        needs=needs.SPEEDUP,
        default=None,
        between=(1, 64),
        description="Flits that an input can send over the crossbar at once, in a switch that runs "
        "by a clock; default: 1. With queueing voq packets that an input sends at a time, to "
        "different outputs; default: its rate over that of the slowest output of its switch, "
        "rounded up.",
    )
    output_speedup: int = key(
        engine="pipeline.output_speedup",
        needs=needs.CLOCKED,
        default=1,
        between=(1, 64),
        description="Flits that an output can take from it at once.",
    )
    internal_speedup: Speedup = key(
        engine="/machine.switch.pipeline.internal_speedup",
        needs=needs.CLOCKED,
        default=1,
        description="Steps of the allocators and the crossbar in a cycle, 1 to 64; 1.7: one or two "
        "in a cycle, 17 in ten.",
    )
    stages: Literal["pipelined", "batched"] = key(
        shown="given",
        needs=needs.CLOCKED,
        default="pipelined",
        description="Whether a route_delay or traversal_delay of several cycles takes in new "
        "flits in every cycle, or only when those in the stage have left it (batched, as in "
        "BookSim2).",
    )
    output_buffer_view: Literal["arrival", "request"] = key(
        shown="given",
        needs=needs.CLOCKED,
        default="arrival",
        description="When a flit has to find room in output_buffer: when it will be there, or when "
        "it requests the crossbar (request, as in BookSim2: flits that are crossing have no place "
        "yet).",
    )
    delivery: Literal["any", "same_channel"] = key(
        shown="given",
        needs=needs.CLOCKED,
        default="any",
        description="On which virtual channel of its link a node receives a packet: any that is "
        "free, or that of the number by which it came over the last link, the first from a node "
        "of the same switch (same_channel, as in BookSim2 on dragonflies).",
    )
    port_order: Literal["channels", "nodes_first", "dimensions", "nodes_then_dimensions"] = key(
        shown="given",
        needs=needs.CLOCKED,
        default="channels",
        description="In which order allocators number the wires of a switch: links by the numbers "
        "of channels, then nodes; nodes first; or on grids by dimension, the larger coordinate "
        "first, whether there is a link or not (dimensions), before or behind nodes.",
    )

    segmentation: MaybeSize = key(
        engine="cells.cell_bytes",
        shown="given",
        default=None,
        description="Bytes of a cell, where switches are line cards of one fabric that cut frames "
        "into cells and put them together again where they leave; default: no cells.",
    )
    cell_time: MaybeTime = key(
        engine="cells.cell_ps",
        needs=needs.SEGMENTATION,
        default=None,
        description="Time of a cell: each card's port into the fabric, each link between cards and "
        "each card's port out of it takes one cell in that time; needed with segmentation.",
    )
    cell_pacing: int | None = key(
        engine="cells.pacing",
        needs=needs.SEGMENTATION,
        default=None,
        between=(1, 65_536),
        description="A card leaves one cell time free before every so manieth cell of a frame; "
        "default: before none.",
    )
    card_delay: MaybeTime = key(
        engine="cells.card_ps",
        needs=needs.SEGMENTATION,
        default=None,
        description="Time from a cell's start at the port into the fabric until it is out of it, "
        "on one card, at least cell_time; default: cell_time.",
    )
    fabric_delay: MaybeTime = key(
        engine="cells.leave_ps",
        needs=needs.SEGMENTATION,
        default=None,
        description="How much longer that takes for a cell that goes to another card; default: "
        "0 ns.",
    )
    hop_delay: MaybeTime = key(
        engine="cells.hop_ps",
        needs=needs.SEGMENTATION,
        default=None,
        description="Time from a cell's start on a link between cards until it asks for the next, "
        "or for the port out of the fabric, besides link.delay; default: cell_time.",
    )

    @property
    def is_segmented(self) -> bool:
        """Whether switches are line cards in front of a fabric of cells."""
        return self.segmentation is not None

    forwarding: Literal["per_switch", "per_port"] | None = key(
        engine="frames.engine",
        shown="given",
        needs=needs.SWITCHED,
        default=None,
        description="Who looks up the outputs of frames, one after the other, in a switch that "
        "takes each in as a whole and queues it at its output: one engine for all inputs "
        "(per_switch) or one for each (per_port); default: packets stand in input buffers.",
    )
    forwarding_time: TimeKey = key(
        engine="frames.forwarding_ps",
        needs=needs.FORWARDING,
        default=Time(0),
        description="How long it takes to look up the output of a frame, whatever its length.",
    )
    memory: Room = key(
        engine="frames.memory_bytes",
        needs=needs.FORWARDING,
        default=None,
        description="Frames that a switch has room for, all its queues together, or unlimited "
        "(default); others are lost.",
    )
    pause: Literal["off", "all", "per_priority"] = key(
        engine="frames.pause",
        needs=needs.FORWARDING,
        default="off",
        description="Whether neighbours are told to pause when a memory gets full: with all they "
        "send [IEEE 802.3x], or with what they send of one traffic class (per_priority) "
        "[IEEE 802.1Qbb].",
    )
    pause_high: MaybeSize = key(
        engine="frames.pause_high_bytes",
        needs=(needs.FORWARDING, needs.PAUSES),
        default=None,
        description="Above how much in memory they are told to pause; default: three quarters of "
        "memory.",
    )
    pause_low: MaybeSize = key(
        engine="frames.pause_low_bytes",
        needs=(needs.FORWARDING, needs.PAUSES),
        default=None,
        description="At how much in memory, or less, they are told to go on; default: half of "
        "pause_high.",
    )

    @property
    def forwards_frames(self) -> bool:
        """Whether it forwards frames: takes each in as a whole and queues it at its output."""
        return self.forwarding is not None

    @property
    def memory_bytes(self) -> int | None:
        """What it has room for; None: for any number of frames."""
        return self.memory.bytes if isinstance(self.memory, Size) else None

    @property
    def pause_marks(self) -> tuple[Size, Size]:
        """Above how much in memory neighbours pause, and at how much they go on."""
        room = self.memory_bytes
        if self.pause_high is None and room is None:
            raise self.refused("pause_high", "must be given with pause, where memory is unlimited")
        high = Size(3 * (room or 0) // 4) if self.pause_high is None else self.pause_high
        return high, Size(high.bytes // 2) if self.pause_low is None else self.pause_low

    @property
    def has_frames(self) -> bool:
        """Whether what crosses it are frames, taken in as a whole."""
        return self.forwards_frames or self.is_segmented

    @property
    def steps_per_cycles(self) -> tuple[int, int]:
        """Steps of the allocators, and the cycles in which there are so many."""
        return Fraction(self.internal_speedup).limit_denominator(_MOST_CYCLES).as_integer_ratio()

    @property
    def is_clocked(self) -> bool:
        """Whether it runs by a clock."""
        return self.allocator is not None

    @property
    def chosen_arbiter(self) -> Arbiter:
        """`arbiter`, or the usual one."""
        return self.arbiter or ("round_robin" if self.is_clocked else "fifo")

    def check_classes(self, classes: Sequence[Mapping[str, Any]]) -> None:
        """Refuse keys of arbiters that only the traffic classes of a workload give a meaning."""
        if self.shares is not None and not classes:
            allowed = (
                'needs traffic classes: those of workload.kind = "traffic", or jobs of which one '
                "has a priority or virtual_channels"
            )
            raise self.refused("shares", allowed)
        if self.shares is not None and len(self.shares) != len(classes):
            allowed = f"must be one for each of the {len(classes)} traffic classes"
            raise self.refused("shares", allowed)

    def arbitration(self, packet: Size, classes: Sequence[Mapping[str, Any]]) -> str | None:
        """Say in words how outputs are shared among traffic classes; None: as requests come.

        ``packet``: the longest, header included.
        """
        if self.chosen_arbiter != "deficit_round_robin" or len(classes) < 2:
            return None
        sizes = [share.bytes for share in self.shares or [packet] * len(classes)]
        told = (
            f"{one['name']} {size:,} B ({size / sum(sizes):.1%})"
            for one, size in zip(classes, sizes, strict=True)
        )
        return f"saturated outputs serve traffic classes in turn: {', '.join(told)}"

    def one_queue(self, names: Sequence[str]) -> str | None:
        """Say in words that an arbiter cannot divide what one node sends; None: it can.

        `names`: classes that share nodes and virtual channels with another.
        """
        what = {"priority": "priorities", "deficit_round_robin": "shares"}.get(self.chosen_arbiter)
        if what is None or not names or self.pause == "per_priority":
            return None
        told = ", ".join(names[:-1])
        return (
            f"a node sends packets of {told} and {names[-1]} in the order of their messages, over "
            f"the same virtual channels: where an output is saturated, {what} do not change how "
            "much of each it carries from one node"
        )

    def check_delays(self) -> None:
        """Refuse delays so long that sums of times could overflow; once they are times."""
        for name in ("delay", "fall_through", "regrant_delay", "edge_delay", "forwarding_time"):
            given = getattr(self, name)
            if given is not None and given > Time(10**12):
                raise self.refused(name, "must be at most 1 s")
        if self.is_segmented and self.cell_time is None:
            raise self.refused("segmentation", "needs machine.switch.cell_time")
        if self.is_segmented and self.allocator is not None:
            raise self.refused("segmentation", "must be left out with switch.allocator")
