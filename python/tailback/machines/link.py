"""Links: how fast, how far, in what steps."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Annotated, ClassVar, Literal

from pydantic import BeforeValidator, Field

from ..errors import UserError, joined, shown
from ..parts import MaybeRate, MaybeSize, MaybeTime, Part, RateKey, SizeKey, TimeKey, key
from ..units import Rate, Size, Time, is_nearly_whole, whole_ps
from . import needs

#: The longest delay: sums of times must not overflow.
LONGEST_DELAY = Time(10**12)
#: Bytes of a flit that is chosen by the rate, at most.
_WIDEST = 256


#: How the two directions of a link share wires.
Duplex = Literal["full", "half", "half_by_flit"]
#: The same of some links.
OwnDuplex = Literal["full", "half_by_flit"] | None


class Link(Part):
    """The links between switches: rate, delay, flit, width, encoding, flow control."""

    section: ClassVar[str] = "machine.link"

    rate: RateKey = key(
        also="bandwidth speed capacity",
        default=Rate(100 * 10**9),
        description="Bits per second of a link, each direction.",
    )
    flit: SizeKey = key(
        engine="flit_bytes",
        also="flit_size flit_width phit",
        default=Size(1),
        description="What moves in one step and what buffers count; header and payload are "
        "rounded up to whole flits. Where it is not given and rate does not fit: the fewest bytes "
        "that take a whole number of picoseconds (within 0.1 %).",
    )
    delay: TimeKey = key(
        engine="delay_ps",
        also="latency propagation_delay cable_delay",
        default=Time(0),
        description="Time a flit is on a wire.",
    )
    width: int = key(
        engine=True,
        needs=(needs.WAYS, needs.SWITCHED),
        also="lanes parallel_links",
        default=1,
        between=(1, 255),
        description="Parallel links between neighbouring switches.",
    )
    sharing: Literal["round_robin", "until_stall", "separate"] = key(
        engine=True,
        needs=needs.WAYS,
        default="round_robin",
        description="How virtual channels share a wire: flit by flit in turn, each until it has "
        "nothing to send or no credit, or not at all: each has a wire of its own.",
    )
    duplex: Duplex = key(
        engine="half_duplex",
        needs=(needs.TURNS.but("half_by_flit"), needs.FLITS.but("half")),
        default="full",
        description="Whether the two directions of a link have a wire each (full) or share one: a "
        "packet, message or circuit at a time (half), or flit by flit, in turn while both can "
        "send (half_by_flit).",
    )
    flow_control: Literal["out_of_band", "in_band", "stop_go"] = key(
        engine=True,
        default="out_of_band",
        description="How a sender learns of room in the next buffer: by signals of their own, "
        "flit by flit, by flow-control tokens on the channel of the other direction, or by "
        "signals that stop it and let it go on.",
    )
    stop_mark: MaybeSize = key(
        engine="/machine.link.stop_mark_flits",
        needs=needs.MARKS,
        also="high_mark xoff_mark",
        default=None,
        description="With stop_go: what a buffer holds when its sender is told to stop; default: "
        "go_mark and 32 flits.",
    )
    go_mark: MaybeSize = key(
        engine="/machine.link.go_mark_flits",
        needs=needs.MARKS,
        also="low_mark xon_mark",
        default=None,
        description="With stop_go: what it holds when the sender is told to go on again; "
        "default: what passes while a signal goes to and fro, but less than stop_mark.",
    )
    credit_delay: TimeKey = key(
        engine="credit_delay_ps",
        needs=needs.OUT_OF_BAND,
        default=Time(0),
        description="Time from a flit's departure from a buffer until the sender may use its "
        "place; out of band only. 0: at once, however long the wire; a credit that crosses the "
        "wire takes as long as delay.",
    )
    packet_gap: TimeKey = key(
        engine="packet_gap_ps",
        default=Time(0),
        description="How much longer the first flit of a packet takes, on every channel.",
    )
    preamble: SizeKey = key(
        engine="framing.preamble_bytes",
        needs=needs.FRAMES,
        default=Size(0),
        description="What is sent before every frame; with switch.forwarding or segmentation.",
    )
    frame_gap: SizeKey = key(
        engine="framing.gap_bytes",
        needs=needs.FRAMES,
        default=Size(0),
        description="For how many bytes' time no frame starts after one; with switch.forwarding "
        "or segmentation.",
    )
    data_token_bits: int = key(
        default=8, between=(1, 1000), description="Bits on the wire of a data or header byte."
    )
    control_token_bits: int = key(
        needs=needs.CONTROL_TOKENS,
        default=4,
        between=(1, 1000),
        description="Bits on the wire of an end-of-packet or flow-control token.",
    )
    end_token: bool = key(
        engine=True,
        default=False,
        description="Whether a packet ends with a control token of its own.",
    )

    def _check(self) -> None:
        if "flit" not in self.named() and (fitting := self._fitting_flit(self.rate)):
            self.__dict__["flit"] = fitting
        if not 1 <= self.flit.bytes <= 65_536:
            raise self.refused("flit", "must be 1 B to 65536 B")
        for name in ("preamble", "frame_gap"):
            if getattr(self, name).bytes > 10_000:
                raise self.refused(name, "must be at most 10000 B")
        if self.flit.bytes > 1 and (self.end_token or self.flow_control == "in_band"):
            allowed = "must be 1 B with end tokens, and with flow-control tokens (in_band)"
            raise self.refused("flit", allowed)

    def check_delays(self) -> None:
        """Refuse delays so long that sums of times could overflow; once they are times."""
        for name in ("packet_gap", "delay", "credit_delay"):
            if getattr(self, name) > LONGEST_DELAY:
                raise self.refused(name, "must be at most 1 s")
        check_whole(self, self.rate, self.section)

    def flit_ps(self, rate: Rate | None = None) -> int:
        """Return the time of a flit at ``rate`` (none: the link's own), in picoseconds."""
        used = self.rate if rate is None else rate
        return _flit_ps(self.flit, self.data_token_bits, used)

    def _fitting_flit(self, rate: Rate) -> Size | None:
        """Return the smallest flit that takes a whole number of ps, or nearly; None: there is none.

        Flits of 1 B alone go with control tokens.
        """
        byte = self.data_token_bits * rate.bit_ps
        sizes = range(1, 2 if self.has_control_tokens else _WIDEST + 1)
        return next((Size(size) for size in sizes if is_nearly_whole(size * byte)), None)

    def control_ps(self, rate: Rate | None = None) -> int:
        """Return the time of an end token or a flow-control token, in picoseconds."""
        used = self.rate if rate is None else rate
        exact = self.control_token_bits * used.bit_ps
        return whole_ps(exact, "a control token", str(used)) if self.has_control_tokens else 1

    @property
    def has_control_tokens(self) -> bool:
        """Whether there are control tokens on it."""
        return self.end_token or self.flow_control == "in_band"

    def rounding(self, rate: Rate) -> Fraction:
        """Return by which share the time of a flit differs from the exact one."""
        exact = self.flit.bytes * self.data_token_bits * rate.bit_ps
        return Fraction(self.flit_ps(rate)) / exact - 1

    def flits(self, size: int) -> int:
        """Return how many flits hold ``size`` bytes."""
        return -(-size // self.flit.bytes)


@lru_cache(maxsize=256)
def _flit_ps(flit: Size, byte_bits: int, rate: Rate) -> int:
    """Return the time of a flit. A run asks for that of few links, again and again."""
    return whole_ps(flit.bytes * byte_bits * rate.bit_ps, f"a flit of {flit}", str(rate))


def _width(given: object) -> object:
    """Refuse what is neither a number of links nor the degree, in one line."""
    is_number = isinstance(given, int) and not isinstance(given, bool)
    if given != "degree" and not (is_number and 1 <= given <= 255):  # type: ignore[operator]
        raise UserError("", shown(given), 'must be a number of links, 1 to 255, or "degree"')
    return given


Width = Annotated[
    int | Literal["degree"],
    BeforeValidator(
        _width, json_schema_input_type=Annotated[int, Field(ge=1, le=255)] | Literal["degree"]
    ),
]


class LinkClass(Part):
    """A class of links that differs from `Link`: what is left out is as there."""

    section: ClassVar[str] = "machine.link_classes"

    rate: MaybeRate = key(
        default=None, description="Bits per second of such a link; default: link.rate."
    )
    delay: MaybeTime = key(
        default=None, description="Time a flit is on such a wire; default: link.delay."
    )
    duplex: OwnDuplex = key(
        shown="given",
        default=None,
        description="Whether the two directions have a wire each (full) or share one flit by flit "
        "(half_by_flit); default: link.duplex.",
    )


class NodeLink(Part):
    """The links between a node and its switch: what is left out is as with `Link`."""

    section: ClassVar[str] = "machine.node_link"

    rate: MaybeRate = key(
        shown="blank",
        needs=needs.SWITCHED,
        default=None,
        description="Bits per second of such a link; default: link.rate.",
    )
    delay: MaybeTime = key(
        shown="blank",
        needs=needs.SWITCHED,
        default=None,
        description="Time a flit is on such a wire; default: link.delay.",
    )
    width: Width = key(
        shown="blank",
        engine=True,
        needs=needs.SWITCHED,
        default=1,
        description="Parallel links between a node and its switch: a number from 1 to 255, or "
        "degree: as many as the switch has to others.",
    )
    duplex: OwnDuplex = key(
        shown="given",
        needs=(needs.FLITS, needs.SWITCHED),
        default=None,
        description="Whether what a node sends and what it receives have wires of their own (full) "
        "or share them flit by flit (half_by_flit); default: link.duplex.",
    )


def check_delay(part: LinkClass | NodeLink, section: str) -> None:
    """Refuse a delay so long that sums of times could overflow; once it is a time."""
    if part.delay is not None and part.delay > LONGEST_DELAY:
        allowed = f"must be at most {LONGEST_DELAY}"
        raise UserError(joined(section, "delay"), shown(str(part.delay)), allowed)


def check_whole(link: Link, rate: Rate, section: str, name: str = "rate") -> None:
    """Refuse a rate at which a flit takes no whole number of picoseconds, not even nearly."""
    try:
        link.flit_ps(rate)
        link.control_ps(rate)
    except UserError as error:
        fitting = link._fitting_flit(rate)
        hint = f"; machine.link.flit = {fitting} would do" if fitting else ""
        allowed = f"{error.allowed}{hint}"
        raise UserError(joined(section, name), shown(str(rate)), allowed) from None
