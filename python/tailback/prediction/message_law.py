"""How long a message takes alone, by its length, where it costs something in software."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .alone import latencies

if TYPE_CHECKING:
    from tailback.experiment import Experiment

#: Packets of the messages whose latency tells that of all longer ones.
_SEVERAL = (8, 32)
#: Longer ones are simulated until latency grows in proportion to the bytes, up to so many packets:
#: what software does while packets arrive takes no time of its own once these take longer.
_MOST = 8192
_LIKE = 1e-3
#: Where a message is one packet, whatever its length.
_LONG = 1000


@dataclass(frozen=True, slots=True)
class Line:
    """Latencies on a straight line."""

    start_us: float
    per_byte_us: float

    @classmethod
    def through(cls, first: tuple[int, float], second: tuple[int, float]) -> Line:
        """Return the line through two messages: their bytes and latencies."""
        slope = (second[1] - first[1]) / (second[0] - first[0])
        return cls(first[1] - slope * first[0], slope)

    def to_dict(self) -> dict[str, float]:
        """Return the fields for JSON."""
        return {"start_us": self.start_us, "per_byte_us": self.per_byte_us}


@dataclass(frozen=True, slots=True)
class MessageLaw:
    """What a message takes alone, from node 0 to node 1, without variation."""

    packet_bytes: int
    """Most data of one packet."""
    one_packet: Line | None
    """Of messages of one packet; None if that has one byte at most."""
    several: Line | None
    """Of messages of many whole packets; None where every message is one packet."""
    latencies_us: dict[int, float]
    """By bytes."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        return {
            "packet_bytes": self.packet_bytes,
            "one_packet": None if self.one_packet is None else self.one_packet.to_dict(),
            "several_packets": None if self.several is None else self.several.to_dict(),
            "latency_us_by_bytes": {str(size): time for size, time in self.latencies_us.items()},
        }


def message_law(experiment: Experiment) -> MessageLaw | None:
    """Return how long messages take alone: some are simulated. None if nothing costs anything."""
    machine = experiment.machine
    if not machine.interface.has_costs or machine.nodes < 2:
        return None
    whole = machine.sends_whole_messages
    packet = _LONG if whole else machine.interface.packet_room.bytes
    sizes = [1, packet] if whole else [1, packet, packet + 1, *(n * packet for n in _SEVERAL)]
    alone = latencies(experiment, [(0, 1, size) for size in sizes])
    found = dict(zip(sizes, alone, strict=True))
    one = None if packet == 1 else Line.through((1, found[1]), (packet, found[packet]))
    several = None if whole else _of_several(experiment, packet, found)
    return MessageLaw(packet, one, several, found)


def _of_several(experiment: Experiment, packet: int, found: dict[int, float]) -> Line:
    """Return the line on which long messages are, and add those of which it is made to `found`."""
    few, many = (n * packet for n in _SEVERAL)
    line = Line.through((few, found[few]), (many, found[many]))
    while many < _MOST * packet:
        longer = 4 * many
        [time] = latencies(experiment, [(0, 1, longer)])
        further = Line.through((many, found[many]), (longer, time))
        if abs(further.per_byte_us - line.per_byte_us) <= _LIKE * further.per_byte_us:
            break
        found[longer], many, line = time, longer, further
    return line
