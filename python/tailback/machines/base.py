"""What all machines have in common: nodes and links."""

from __future__ import annotations

from abc import abstractmethod
from math import prod
from typing import Any, ClassVar, Literal

from pydantic import Field, model_validator

from ..errors import Description, UserError, shown
from ..units import Rate, Size, Time

Fidelity = Literal["packet"]

#: Nodes of the largest machine.
MOST_NODES = 2**20


class Machine(Description, init=False):
    """A machine of nodes joined by links; the base of every topology.

    Defaults are those of the T9000 transputer (the thesis (Tweedie), chapter 3):
    DS-Links of 100 Mbit/s, 10-bit data and 4-bit control tokens.
    """

    section: ClassVar[str] = "machine"
    topology: str

    link_rate: Rate = Field(
        default=Rate(100_000_000), description="Bits per second of every link, each direction."
    )
    data_token_bits: int = Field(
        default=10, ge=1, le=1000, description="Bits on the wire of a data or header byte."
    )
    control_token_bits: int = Field(
        default=4, ge=1, le=1000, description="Bits on the wire of an end-of-packet token."
    )
    header: Size = Field(default=Size(1), description="Header of a packet, at least 1 B.")
    packet_size: Size = Field(default=Size(32), description="Most data in one packet.")
    wire_delay: Time = Field(default=Time(0), description="Time a token is on a wire.")
    link_width: int | None = Field(
        default=None,
        ge=1,
        le=256,
        description="Parallel links between a node and its switch; default: the network's degree.",
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
        not_above_a_second("wire_delay", self.wire_delay)
        return self

    @property
    @abstractmethod
    def shape(self) -> tuple[int, ...]:
        """Nodes along each dimension, x first; empty for a machine without coordinates."""

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return prod(self.shape)

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

    def packet_ps(self, data_bytes: int) -> int:
        """Return the time a packet occupies a channel, in picoseconds."""
        bits = self.data_token_bits * (self.header.bytes + data_bytes) + self.control_token_bits
        return bits * self.link_rate.bit_ps

    @property
    def _switch_delay_ps(self) -> int:
        return 0

    def round_trip_ps(self, message_bytes: int) -> int:
        """Return roughly how long a message and its acknowledgements take in an idle machine.

        Packets go one by one, each to be acknowledged before the next; the way is
        `mean_internal_hops` long.
        """
        size = self.packet_size.bytes
        packets = max(1, -(-message_bytes // size))
        header = self.data_token_bits * self.header.bytes * self.link_rate.bit_ps
        hop = header + self.wire_delay.ps + self._switch_delay_ps
        way = (1 + self.mean_internal_hops) * hop
        each = min(message_bytes, size)
        return packets * (self.packet_ps(each) + self.packet_ps(0) + 2 * way)

    def check(self, fidelity: Fidelity) -> None:
        """Raise `UserError` if the machine cannot be simulated with this fidelity."""

    def resolved(self) -> dict[str, Any]:
        """Return every parameter, with units and with the defaults that depend on others."""
        return self.model_dump(mode="json") | {"link_width": self.node_links}

    def spec(self) -> dict[str, Any]:
        """Return the machine as the engine describes it: picoseconds, bytes, tokens."""
        return {
            "topology": self._topology_spec(),
            "routing": {"kind": "dimension_order", "order": []},
            "link": {
                "bit_ps": self.link_rate.bit_ps,
                "data_token_bits": self.data_token_bits,
                "control_token_bits": self.control_token_bits,
                "header_bytes": self.header.bytes,
                "wire_delay_ps": self.wire_delay.ps,
                "switch_delay_ps": self._switch_delay_ps,
            },
            "node": {
                "link_width": self.node_links,
                "packet_bytes": self.packet_size.bytes,
                "ack_priority": self.node_ack_priority,
                "time_slice_ps": None if self.time_slice is None else self.time_slice.ps,
            },
            "switch": self._switch_spec(),
        }

    @abstractmethod
    def _topology_spec(self) -> dict[str, Any]:
        """Return the engine's topology."""

    def _switch_spec(self) -> dict[str, Any]:
        """Return the engine's switch; it needs one even for a machine that has none."""
        tokens = self.header.bytes + self.packet_size.bytes + 1
        return {
            "input_buffer_tokens": tokens,
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
