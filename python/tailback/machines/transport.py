"""How messages cross a machine: between nodes and switches, or where both are one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field, model_validator

from ..errors import UserError, listed, shown
from ..units import Size, Time
from .base import Fidelity, not_above_a_second
from .joined import JoinedSwitches

Transport = Literal["switched", "datagram", "datagram_cut_through", "circuit", "wormhole", "packet"]

SWITCHED: Transport = "switched"

#: The longest message of a transport that sends it as one packet.
LONGEST = Size(1_000_000)

_ANY = ("arbitration", "early")
_WHOLE: tuple[Fidelity, ...] = ("packet",)


@dataclass(frozen=True, slots=True)
class _Scheme:
    """What a machine must know of a transport (`docs/transports.md`)."""

    options: tuple[str, ...]
    """Keys of ``[machine]`` that only some transports have."""
    routings: tuple[str, ...]
    fidelities: tuple[Fidelity, ...] = _WHOLE
    stores: bool = False
    """Whether a packet goes on only when all of it is there."""


_FREELY = ("dimension_order", "profitable", "first_hop")

_SCHEMES: dict[str, _Scheme] = {
    "datagram": _Scheme(("duplex", *_ANY), _FREELY, stores=True),
    "datagram_cut_through": _Scheme(("duplex", *_ANY), _FREELY),
    "circuit": _Scheme(("duplex", *_ANY), _FREELY),
    "wormhole": _Scheme(_ANY, ("dimension_order",), ("worm", "flit")),
    "packet": _Scheme(
        ("duplex", "first_packet_data", "packet_buffers", "reserve", "overtaking", *_ANY),
        ("dimension_order", "first_hop"),
        stores=True,
    ),
}

#: Keys that some transports have, and machines whose nodes lie beside their switches never.
TRANSPORT_KEYS = (
    "transport",
    *dict.fromkeys(option for scheme in _SCHEMES.values() for option in scheme.options),
)

#: Routing words that need a transport.
_FOR_TRANSPORTS = ("profitable", "first_hop")

#: Keys of what is not there where nodes and switches are one, and what they must be.
_ABSENT: dict[str, object] = {
    "link_width": None,
    "node_link_rate": None,
    "virtual_channels": None,
    "internal_link_width": 1,
    "switch_delay": Time(0),
}


class TransportMachine(JoinedSwitches, init=False):
    """A machine whose nodes may be one with its switches: `transport` says how messages cross."""

    transport: Transport = Field(
        default=SWITCHED,
        description="How messages cross: from node to switch and on, as the fidelity says "
        "(switched), or between nodes that are their own switches: stored as a whole (datagram), "
        "stored only where the next channel is not free (datagram_cut_through), over a circuit, "
        "by wormhole routing, or as packets of one size that are stored (docs/transports.md).",
    )
    duplex: Literal["full", "half"] | None = Field(
        default=None,
        description="Whether the two directions of a link have a wire each (full) or one in turn "
        "(half); with a transport other than wormhole; default: full.",
    )
    first_packet_data: Size | None = Field(
        default=None,
        description="Most data in the first packet of a message; with transport packet; default: "
        "packet_size.",
    )
    packet_buffers: int | None = Field(
        default=None,
        ge=1,
        le=65_536,
        description="Packets that the queue of an outgoing channel has room for; with transport "
        "packet; default: 16.",
    )
    reserve: bool | None = Field(
        default=None,
        description="Whether one of these places is kept from packets that took another first "
        "step than dimension order; with transport packet; default: with routing first_hop.",
    )
    overtaking: bool | None = Field(
        default=None,
        description="Whether a packet that has no place in its next queue may be overtaken by "
        "those of other messages behind it; with transport packet; default: true.",
    )
    arbitration: Time | None = Field(
        default=None,
        description="Time from a packet's, or its header's, arrival at a node until it can be "
        "granted a channel; with a transport; default: 0.",
    )
    early: Size | None = Field(
        default=None,
        description="Data with which a message has begun to arrive, for the time until then; "
        "with a transport; default: 16 B.",
    )

    @model_validator(mode="before")
    @classmethod
    def _as_its_transport_has_it(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Fill in the defaults that a transport changes."""
        word = given.get("transport", SWITCHED)
        if word == SWITCHED or word not in _SCHEMES:
            return given
        defaults = {"acknowledgements": False, "flow_control": "out_of_band"}
        whole = {"packet_size": LONGEST} if _sends_whole(word) else {}
        return defaults | whole | given

    @model_validator(mode="after")
    def _transport_possible(self) -> TransportMachine:
        scheme = _SCHEMES.get(self.transport)
        for key in TRANSPORT_KEYS[1:]:
            value = getattr(self, key)
            if value is not None and (scheme is None or key not in scheme.options):
                raise UserError(key, shown(_plain(value)), _not_an_option(key, self.transport))
        if scheme is not None:
            self._check_what_is_absent()
            self._check_sizes()
        return self

    @property
    def _possible_routings(self) -> tuple[str, ...]:
        if self.is_switched:
            return tuple(word for word in self.routings if word not in _FOR_TRANSPORTS)
        return tuple(w for w in _SCHEMES[self.transport].routings if w in self.routings)

    def _impossible_routing(self, word: str) -> UserError:
        if self.is_switched and word in _FOR_TRANSPORTS:
            having = (f'"{other}"' for other in _having_routing(word))
            return UserError("routing", shown(word), f"needs transport = {listed(having)}")
        return super()._impossible_routing(word)

    def _check_what_is_absent(self) -> None:
        """Refuse what is not there where nodes and switches are one."""
        absent = dict(_ABSENT)
        if self.transport != "wormhole":
            absent["input_buffer"] = None
        for key, needed in absent.items():
            value = getattr(self, key)
            if value == needed or (key == "virtual_channels" and value == 1):
                continue
            allowed = f'must be left out with transport = "{self.transport}"'
            if key == "switch_delay":
                allowed += "; its time is arbitration"
            raise UserError(key, shown(_plain(value)), allowed)
        if self.acknowledgements:
            allowed = f'must be false with transport = "{self.transport}"'
            raise UserError("acknowledgements", shown(True), allowed)
        if self.routing_classes > 1:
            problem = "needs two virtual channels on a torus, and a transport has one"
            raise UserError("routing", shown(self.chosen_routing), problem)

    def _check_sizes(self) -> None:
        if self.arbitration is not None:
            not_above_a_second("arbitration", self.arbitration)
        if self._is_whole and self.packet_size != LONGEST:
            allowed = f'must be left out with transport = "{self.transport}": a message is a packet'
            raise UserError("packet_size", shown(str(self.packet_size)), allowed)
        if self.early is not None and not 1 <= self.early.bytes <= LONGEST.bytes:
            raise UserError("early", shown(str(self.early)), f"must be 1 B to {LONGEST}")
        first = self.first_packet_data
        if first is not None and not 1 <= first.bytes <= self.packet_size.bytes:
            allowed = f"must be 1 B to packet_size = {self.packet_size}"
            raise UserError("first_packet_data", shown(str(first)), allowed)
        if self.transport != "packet":
            return
        if self.packet_size.bytes < self.header.bytes:
            allowed = f"must be at least the header of a packet, {self.header}"
            raise UserError("packet_size", shown(str(self.packet_size)), allowed)
        if self._reserves and self._buffers < 2:
            allowed = "must be at least 2: one is kept from contrary packets (reserve)"
            raise UserError("packet_buffers", shown(self._buffers), allowed)

    @property
    def is_switched(self) -> bool:
        """Whether nodes lie beside their switches: there is no other transport."""
        return self.transport == SWITCHED

    @property
    def _is_whole(self) -> bool:
        """Whether a message is one packet."""
        return _sends_whole(self.transport)

    @property
    def _buffers(self) -> int:
        return 16 if self.packet_buffers is None else self.packet_buffers

    @property
    def _reserves(self) -> bool:
        """Whether a place is kept from contrary packets: by default where there are any."""
        return self.chosen_routing == "first_hop" if self.reserve is None else self.reserve

    @property
    def _overtakes(self) -> bool:
        return self.overtaking is not False

    @property
    def _early(self) -> Size:
        return Size(16) if self.early is None else self.early

    @property
    def _arbitration(self) -> Time:
        return Time(0) if self.arbitration is None else self.arbitration

    @property
    def node_links(self) -> int:
        """Parallel links between a node and its switch; where they are one it says nothing."""
        return super().node_links if self.is_switched else 1

    @property
    def has_injection_channels(self) -> bool:
        """Whether nodes send over channels of their own: where they lie beside their switches."""
        return self.is_switched

    @property
    def _switch_delay_ps(self) -> int:
        return super()._switch_delay_ps if self.is_switched else self._arbitration.ps

    @property
    def full_packet_ps(self) -> int:
        """Return the time of a full packet; of its header if messages are packets."""
        return self.packet_ps(0) if self._is_whole else super().full_packet_ps

    def round_trip_ps(self, message_bytes: int) -> int:
        """Return roughly how long a message takes in an idle machine."""
        if self.is_switched:
            return super().round_trip_ps(message_bytes)
        size = min(message_bytes, self.packet_size.bytes)
        packets = max(1, -(-message_bytes // self.packet_size.bytes))
        waits = self.wire_delay.ps + self._switch_delay_ps
        stored = self.packet_ps(size if _SCHEMES[self.transport].stores else 0) + waits
        hops = max(1, self.mean_internal_hops)
        return (hops - 1) * stored + packets * self.packet_ps(size) + waits

    def _obstacle(self, fidelity: Fidelity) -> str | None:
        """Say why a fidelity cannot simulate the transport, or else the routing."""
        if not self.is_switched and fidelity not in _SCHEMES[self.transport].fidelities:
            return f'cannot do machine.transport = "{self.transport}"'
        return super()._obstacle(fidelity)

    def _least_input(self, fidelity: Fidelity) -> tuple[int, str]:
        if self.is_switched or self.transport == "wormhole":
            return super()._least_input(fidelity)
        return 0, "nothing"

    def resolved(self, fidelity: Fidelity) -> dict[str, Any]:
        """Return every parameter, with units and with the defaults that depend on others.

        A machine with nodes beside switches has no parameters of transports.
        """
        found = super().resolved(fidelity)
        if self.is_switched:
            return {key: value for key, value in found.items() if key not in TRANSPORT_KEYS}
        options = _SCHEMES[self.transport].options
        chosen = {
            "duplex": self.duplex or "full",
            "first_packet_data": str(self.first_packet_data or self.packet_size),
            "packet_buffers": self._buffers,
            "reserve": self._reserves,
            "overtaking": self._overtakes,
            "arbitration": str(self._arbitration),
            "early": str(self._early),
        }
        absent = dict.fromkeys(("link_width", "node_link_rate"))
        if self.transport != "wormhole":
            absent["input_buffer"] = None
        return found | absent | {key: chosen[key] for key in chosen if key in options}

    def spec(self, fidelity: Fidelity) -> dict[str, Any]:
        """Return the machine as the engine describes it: picoseconds, bytes, tokens."""
        spec = super().spec(fidelity)
        return spec if self.is_switched else spec | {"transport": self._transport_spec()}

    def _transport_spec(self) -> dict[str, Any]:
        first = self.first_packet_data
        return {
            "scheme": self._scheme_spec(),
            "half_duplex": self.duplex == "half",
            "first_packet_bytes": None if first is None else first.bytes,
            "early_bytes": self._early.bytes,
        }

    def _scheme_spec(self) -> dict[str, Any]:
        if self.transport.startswith("datagram"):
            return {"kind": "datagram", "cut_through": self.transport != "datagram"}
        if self.transport != "packet":
            return {"kind": self.transport}
        return {
            "kind": "packet",
            "buffers": self._buffers,
            "reserve": self._reserves,
            "overtaking": self._overtakes,
        }


def _sends_whole(transport: str) -> bool:
    """Whether a message of this transport is one packet."""
    return transport not in (SWITCHED, "packet")


def _having_routing(routing: str) -> list[str]:
    return [word for word, scheme in _SCHEMES.items() if routing in scheme.routings]


def _not_an_option(key: str, transport: str) -> str:
    having = [f'"{word}"' for word, scheme in _SCHEMES.items() if key in scheme.options]
    return f'not an option with transport = "{transport}", only with {listed(having)}'


def _plain(value: object) -> object:
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    return value if isinstance(value, bool | int | str) else str(value)
