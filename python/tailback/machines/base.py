"""What all machines have in common: nodes and links."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field, model_validator

from ..errors import Description, UserError, shown
from ..units import Rate, Size, Time

Fidelity = Literal["token", "flit", "worm", "stream", "packet"]
FlowControl = Literal["in_band", "out_of_band"]

#: Nodes of the largest machine.
MOST_NODES = 2**20

#: Tokens that one flow-control token grants.
GRANTED = 8


class Machine(Description, init=False):
    """A machine of nodes joined by links; the base of every topology.

    Defaults are those of the T9000 transputer (the thesis (Tweedie), chapter 3):
    DS-Links of 100 Mbit/s, 10-bit data and 4-bit control tokens.
    """

    section: ClassVar[str] = "machine"
    topology: str

    link_rate: Rate = Field(
        default=Rate(100_000_000), description="Bits per second of a link, each direction."
    )
    data_token_bits: int = Field(
        default=10, ge=1, le=1000, description="Bits on the wire of a data or header byte."
    )
    control_token_bits: int = Field(
        default=4,
        ge=1,
        le=1000,
        description="Bits on the wire of an end-of-packet or flow-control token.",
    )
    header: Size = Field(default=Size(1), description="Header of a packet, at least 1 B.")
    packet_size: Size = Field(default=Size(32), description="Most data in one packet.")
    packet_gap: Time = Field(
        default=Time(0),
        description="How much longer the first token of a packet takes, on every channel.",
    )
    end_token: bool = Field(
        default=True, description="Whether a packet ends with a control token of its own."
    )
    flow_control: FlowControl = Field(
        default="in_band",
        description="How a sender learns of room in the next buffer: by flow-control tokens on "
        "the channel of the other direction, or by signals of their own.",
    )
    credit_delay: Time = Field(
        default=Time(0),
        description="Time from a flit's departure from a buffer until the sender may use its "
        "place; out of band only.",
    )
    wire_delay: Time = Field(default=Time(0), description="Time a token is on a wire.")
    link_width: int | None = Field(
        default=None,
        ge=1,
        le=256,
        description="Parallel links between a node and its switch; default: the network's degree.",
    )
    input_buffer: Size | None = Field(
        default=None,
        description="Buffer at every input of a switch, one token per byte, and with fidelity "
        "token of a node; default: 70 B, with fidelity token 35 B.",
    )
    acknowledgements: bool = Field(
        default=True,
        description="Whether data packets are acknowledged by packets; if not, it costs nothing.",
    )
    node_ack_priority: bool = Field(
        default=True, description="Whether a node sends acknowledgements before data."
    )
    time_slice: Time | None = Field(
        default=None,
        description="Longest time a process computes while others wait; default: until done.",
    )

    @model_validator(mode="after")
    def _sizes_possible(self) -> Machine:
        _between("header", self.header, 255)
        _between("packet_size", self.packet_size, 1_000_000)
        if self.time_slice == Time(0):
            raise UserError("time_slice", shown("0 s"), "must be above zero")
        not_above_a_second("packet_gap", self.packet_gap)
        not_above_a_second("wire_delay", self.wire_delay)
        not_above_a_second("credit_delay", self.credit_delay)
        if self.flow_control == "in_band" and self.credit_delay.ps:
            allowed = 'must be 0 with flow_control = "in_band": its tokens take their own time'
            raise UserError("credit_delay", shown(str(self.credit_delay)), allowed)
        return self

    @property
    @abstractmethod
    def shape(self) -> tuple[int, ...]:
        """Nodes along each dimension, x first; empty for a machine without coordinates."""

    if TYPE_CHECKING:  # of a star it is a key, which must not hide a property

        @property
        def nodes(self) -> int:
            """Number of nodes."""

    @property
    @abstractmethod
    def degree(self) -> int:
        """Links of a switch to other switches (of a node to others where there is no switch)."""

    @property
    def node_links(self) -> int:
        """Parallel links between a node and its switch: `link_width`, or the degree."""
        return self.degree if self.link_width is None else self.link_width

    @property
    def has_internal_channels(self) -> bool:
        """Whether any channel joins two switches."""
        return True

    @property
    def mean_internal_hops(self) -> int:
        """Channels between switches on a typical way (half the diameter), a rough figure."""
        return -(-sum(extent - 1 for extent in self.shape) // 2)

    @property
    def usual_fidelity(self) -> Fidelity:
        """The fidelity of a run that names none: whole packets in band, as in the thesis."""
        return "packet" if self.flow_control == "in_band" else self.exact_fidelity

    @property
    def exact_fidelity(self) -> Fidelity:
        """The fidelity that leaves nothing out: what ``auto`` stands for."""
        if self.flow_control == "in_band":
            return "token"
        return "flit" if self.packet_gap.ps else "worm"

    def input_room(self, fidelity: Fidelity) -> Size:
        """Return the size of an input buffer: `input_buffer`, or its default."""
        if self.input_buffer is not None:
            return self.input_buffer
        # The C104 has 35 B at its inputs and 35 B at its outputs. Only `token` has
        # buffers at outputs; elsewhere both are at the input.
        return Size(35) if fidelity == "token" else Size(70)

    def packet_tokens(self, data_bytes: int) -> int:
        """Return the number of tokens of a packet: header, data, end token if there is one."""
        return self.header.bytes + data_bytes + self.end_token

    def packet_ps(self, data_bytes: int) -> int:
        """Return the time a packet occupies the slowest channel, in picoseconds."""
        bits = self.data_token_bits * (self.header.bytes + data_bytes)
        if self.end_token:
            bits += self.control_token_bits
        return bits * self._slowest.bit_ps + self.packet_gap.ps

    def injection_ps(self, data_bytes: int) -> int:
        """Return the time a packet occupies a channel from a node, in picoseconds."""
        bits = self.data_token_bits * (self.header.bytes + data_bytes)
        if self.end_token:
            bits += self.control_token_bits
        return bits * self._injection.bit_ps + self.packet_gap.ps

    @property
    def _injection(self) -> Rate:
        return self.link_rate

    @property
    def has_injection_channels(self) -> bool:
        """Whether nodes send over channels of their own, which switches or nodes receive."""
        return True

    @property
    def full_packet_ps(self) -> int:
        """Return the time of a full packet on the slowest channel, in picoseconds."""
        return self.packet_ps(self.packet_size.bytes)

    @property
    def _slowest(self) -> Rate:
        return self.link_rate

    @property
    def _switch_delay_ps(self) -> int:
        return 0

    def round_trip_ps(self, message_bytes: int) -> int:
        """Return roughly how long a message and its acknowledgements take in an idle machine.

        Packets go one by one, each to be acknowledged before the next (which takes
        no time without `acknowledgements`); the way is `mean_internal_hops` long.
        """
        size = self.packet_size.bytes
        packets = max(1, -(-message_bytes // size))
        header = self.data_token_bits * self.header.bytes * self._slowest.bit_ps
        hop = header + self.packet_gap.ps + self.wire_delay.ps + self._switch_delay_ps
        way = (1 + self.mean_internal_hops) * hop
        there = self.packet_ps(min(message_bytes, size)) + way
        back = self.packet_ps(0) + way if self.acknowledgements else 0
        return packets * (there + back)

    def check(self, fidelity: Fidelity) -> None:
        """Raise `UserError` if the machine cannot be simulated with this fidelity."""
        self._check_flow_control(fidelity)
        least, content = self._least_input(fidelity)
        room = self.input_room(fidelity)
        if room.bytes < least:
            allowed = f"must hold {content}, at least {least} B with fidelity {fidelity}"
            raise UserError("machine.input_buffer", shown(str(room)), allowed)

    def _check_flow_control(self, fidelity: Fidelity) -> None:
        if fidelity in ("flit", "worm") and self.flow_control == "in_band":
            problem = "cannot do in-band flow control: its tokens share the wire with data"
            instead = 'use "token", or machine.flow_control = "out_of_band"'
            raise UserError("run.fidelity", shown(fidelity), f"{problem}; {instead}")
        if fidelity == "token" and self.flow_control == "out_of_band":
            problem = "has flow-control tokens, which share the wire with data"
            instead = f'use "{self.exact_fidelity}", or machine.flow_control = "in_band"'
            raise UserError("run.fidelity", shown(fidelity), f"{problem}; {instead}")
        if fidelity == "worm" and self.packet_gap.ps:
            allowed = 'must be 0 with fidelity worm; use run.fidelity = "flit"'
            raise UserError("machine.packet_gap", shown(str(self.packet_gap)), allowed)

    def _least_input(self, fidelity: Fidelity) -> tuple[int, str]:
        """Return the least size of an input buffer in tokens, and what it must hold."""
        # A node takes what arrives at once; only flow-control tokens count its room.
        least = GRANTED if fidelity == "token" else 0
        return least, f"the {GRANTED} B that a flow-control token grants"

    def resolved(self, fidelity: Fidelity) -> dict[str, Any]:
        """Return every parameter, with units and with the defaults that depend on others."""
        defaults = {
            "link_width": self.node_links,
            "input_buffer": str(self.input_room(fidelity)),
        }
        return self.model_dump(mode="json") | defaults

    def spec(self, fidelity: Fidelity) -> dict[str, Any]:
        """Return the machine as the engine describes it: picoseconds, bytes, tokens."""
        return {
            "topology": self._topology_spec(),
            "routing": {"kind": "dimension_order", "order": []},
            "link": self._link_spec(),
            "rates": self._rates_spec(),
            "node": {
                "link_width": self.node_links,
                "packet_bytes": self.packet_size.bytes,
                "acknowledges": self.acknowledgements,
                "ack_priority": self.node_ack_priority,
                "time_slice_ps": None if self.time_slice is None else self.time_slice.ps,
            },
            "switch": self._switch_spec(fidelity),
        }

    def _link_spec(self) -> dict[str, Any]:
        return {
            "bit_ps": self.link_rate.bit_ps,
            "data_token_bits": self.data_token_bits,
            "control_token_bits": self.control_token_bits,
            "header_bytes": self.header.bytes,
            "packet_gap_ps": self.packet_gap.ps,
            "end_token": self.end_token,
            "flow_control": self.flow_control,
            "credit_delay_ps": self.credit_delay.ps,
            "wire_delay_ps": self.wire_delay.ps,
            "switch_delay_ps": self._switch_delay_ps,
        }

    def _rates_spec(self) -> dict[str, Any]:
        """Return the engine's rates of channels that differ from `link_rate`."""
        return {"external_bit_ps": None, "dimension_bit_ps": []}

    @abstractmethod
    def _topology_spec(self) -> dict[str, Any]:
        """Return the engine's topology."""

    def _switch_spec(self, fidelity: Fidelity) -> dict[str, Any]:
        """Return the engine's switch; it needs one even for a machine that has none.

        Its input buffer is also a node's, which counts with fidelity token only.
        """
        packet = self.packet_tokens(self.packet_size.bytes)
        room = self.input_room(fidelity).bytes if fidelity == "token" else packet
        return {
            "input_buffer_tokens": room,
            "output_buffer_tokens": packet,
            "link_width": 1,
            "policy": "fifo",
            "ack_priority": False,
        }


def _between(field: str, size: Size, most: int) -> None:
    if not 1 <= size.bytes <= most:
        raise UserError(field, shown(str(size)), f"must be 1 B to {most} B")


def not_above_a_second(field: str, delay: Time) -> None:
    """Raise `UserError` if a delay is so long that sums of times could overflow."""
    if delay > Time(10**12):
        raise UserError(field, shown(str(delay)), "must be at most 1 s")
