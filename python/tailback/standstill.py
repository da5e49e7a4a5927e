"""A run in which packets wait for each other for ever: told and kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tailback.errors import RunFailure
from tailback.since311 import Self

if TYPE_CHECKING:
    from tailback.machines import Machine

Blocked = Mapping[str, Any]
"""A packet of a cycle, as `RunFailure.circle` has it."""

_SHOWN = 40
_BESIDE = 8
"""Who waits is told so often beside a cycle, which is the reason."""


@dataclass(frozen=True, slots=True)
class Standstill:
    """Who waits for whom, as a store keeps it."""

    circle: Sequence[Blocked]
    """`RunFailure.circle`."""
    waiting: Sequence[Sequence[str]]
    """`RunFailure.waiting`, as far as it is told."""
    more: int
    """How many more wait."""
    machine: Mapping[str, Any] | None
    """What of a machine makes its network; None where that is in a file."""

    @classmethod
    def of(cls, machine: Machine, failure: RunFailure) -> Self:
        """Return what is kept of a run that stands still."""
        waiting = waiting_told(failure)
        more = len(failure.waiting) - len(waiting)
        return cls(failure.circle, waiting, more, _network(machine))

    @classmethod
    def read(cls, kept: Any) -> Self:
        """Return what a store kept; raise `ValueError` for anything else."""
        if not _is_whole(kept):
            raise ValueError("not of a run that stands still")
        return cls(**kept)


def _network(machine: Machine) -> dict[str, Any] | None:
    written = machine.written()
    if "file" in written["topology"]:
        return None
    width = {"link": {"width": machine.link.width}} if machine.link.width > 1 else {}
    return {"topology": written["topology"], **width}


def _is_whole(kept: object) -> bool:
    """Whether it is what JSON makes of a `Standstill`."""
    if not isinstance(kept, dict) or kept.keys() != set(Standstill.__slots__):
        return False
    circle, waiting, machine = (kept[name] for name in ("circle", "waiting", "machine"))
    return (
        isinstance(circle, list)
        and all(map(_is_blocked, circle))
        and isinstance(waiting, list)
        and all(isinstance(pair, list) and len(pair) == 2 for pair in waiting)
        and isinstance(kept["more"], int)
        and (machine is None or isinstance(machine, dict))
    )


def _is_blocked(packet: object) -> bool:
    known = {"packet", "class", "from", "to", "source", "holds", "waits_for", "held_by", "lack"}
    return (
        isinstance(packet, dict)
        and packet.keys() >= known | {"text"}
        and isinstance(packet["holds"], list)
        and all(map(_is_place, (*packet["holds"], packet["waits_for"])))
    )


def _is_place(place: object) -> bool:
    return (
        isinstance(place, dict)
        and "name" in place
        and all(isinstance(place.get(e), list) and len(place[e]) == 2 for e in ("from", "to"))
    )


def channel_of(place: Mapping[str, Any]) -> tuple[str, int, int]:
    """Return kind and ends of the channel of a place that a packet holds or waits for."""
    (source, first), (destination, last) = place["from"], place["to"]
    kinds = {("node", "switch"): "injection", ("switch", "node"): "ejection"}
    kind = "direct" if (source, destination) == ("node", "node") else "internal"
    return kinds.get((source, destination), kind), first, last


# In words.


def waiting_told(failure: RunFailure) -> tuple[tuple[str, str], ...]:
    """Return who waits for what, as many as are told."""
    return failure.waiting[: _BESIDE if failure.circle else _SHOWN]


def circle_headings(circle: Sequence[Blocked]) -> tuple[str, ...]:
    """Return what is told of the packets of a cycle."""
    return ("packet", *_class(circle), "from", "to", "holds", "waits for", "held by")


def circle_rows(circle: Sequence[Blocked], between: str) -> list[tuple[str, ...]]:
    """Return packets that wait for each other, each for something the next one has.

    `between` stands between the channels that a packet holds.
    """
    return [
        (
            *(str(packet[key]) for key in ("packet", *_class(circle), "from", "to")),
            between.join(place["name"] for place in packet["holds"]) or _stands(packet),
            _wanted(packet),
            _holder(packet),
        )
        for packet in circle[:_SHOWN]
    ]


def _class(circle: Sequence[Blocked]) -> tuple[str, ...]:
    return ("class",) if any(packet["class"] is not None for packet in circle) else ()


def _stands(packet: Blocked) -> str:
    """Return where a packet is that holds no channel."""
    is_queued = packet["lack"] in {"first_in_queue", "reply_leaves", "rest_is_queued"}
    return f"the queue of node {packet['from']}" if is_queued else ""


def _wanted(packet: Blocked) -> str:
    if packet["lack"] == "reply_place":
        return f"a place for its reply at node {packet['to']}"
    if packet["lack"] in {"reply_leaves", "rest_is_queued"}:
        return "those before it"
    return str(packet["waits_for"]["name"])


#: What is said of a packet that lacks something no packet holds.
_LACKS = {
    "pause": "(paused)",
    "reply_place": "(no place)",
    "rest_comes": "(behind others)",
    "rest_leaves": "(behind others)",
    "rest_is_queued": "(behind others)",
    "reply_leaves": "(behind others)",
}


def _holder(packet: Blocked) -> str:
    if packet["lack"] in _LACKS:
        return _LACKS[packet["lack"]]
    return "(no room)" if packet["held_by"] is None else f"packet {packet['held_by']}"
