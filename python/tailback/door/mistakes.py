"""Errors of the engine in the words of users.

Its fields are translated to the keys of an experiment file, its picoseconds, bytes and flits to
quantities, and where there are coordinates switches and nodes are named by them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tailback import _engine as compiled
from tailback.errors import CircleError, UserError, shown
from tailback.parts.keys import USER_NAMES
from tailback.places import Ends
from tailback.places import shown as place_shown
from tailback.units import Size, Time

#: Channels or packets of a cycle that are named in one line.
LONGEST_CIRCLE = 6

#: The engine's paths of what follows from several keys; keys say themselves what it calls them.
_USER_FIELDS = {
    "machine.topology.children": "machine.topology.switches_per_level",
    "machine.topology.widths": "machine.topology.level_widths",
    "machine.routing": "machine.routing.kind",
    "machine.routing.next": "machine.routing.file",
    "machine.routing.classes": "machine.routing.file",
    "machine.switch.pipeline.in_batches": "machine.switch.stages",
    "machine.switch.pipeline.keeps_channel": "machine.switch.delivery",
    "machine.switch.pipeline.port_order": "machine.switch.port_order",
    "machine.switch.pipeline.sees_output_buffer": "machine.switch.output_buffer_view",
    "machine.switch.pipeline.speedup_cycles": "machine.switch.internal_speedup",
}
#: What its messages say in other words, the longer ones first.
_USER_WORDS = {
    "switch.pipeline.atomic = true": 'switch.vc_reuse = "after_credits"',
    # What makes switches run by a clock.
    "switch.pipeline": "switch.allocator",
}
#: Times of links that follow from their rate.
_OF_RATE = re.compile(r"\.(flit|control)_ps$")
#: What the engine's names end with that the user's do not.
_UNIT = re.compile(r"_(ps|bytes|flits|packets)$")
#: Numbers with a unit of the engine, in its messages.
_NUMBERS = re.compile(r"\b(\d+)(?: to (\d+))? (ps|bytes|flits)\b")
#: Numbers without: they are in the unit of the field.
_RANGE = re.compile(r"\bmust be (\d+)(?: to (\d+))?(?! to|\d| ps| bytes| flits)")
#: Words of the engine that users quote.
_WORD = re.compile(r"(?!true$|false$|unlimited$)[a-z][a-z0-9_]*")


def user_field(field: str) -> str:
    """Return the engine's path of a field as the user writes it."""
    own = (
        field.replace(".algorithm.", ".")
        .replace(".pipeline.", ".")
        .replace(".frames.", ".")
        .replace(".half_duplex", ".duplex")
    )
    own = own.replace("workload.processes[", "workload.process[")
    if own.startswith("workload.traffic_class["):
        own = _of_class(own)
    own = _OF_RATE.sub(".rate", own)
    return _user_name(field) or _user_name(own) or _UNIT.sub("", own)


def _user_name(field: str) -> str | None:
    """Return the key that the engine calls so, if it is a key."""
    return _USER_FIELDS.get(field) or USER_NAMES.get(field)


def _of_class(field: str) -> str:
    """Return the path of a key of a traffic class, whose messages are the synthetic workload's."""
    place, _, key = field.partition("].")
    own = (_user_name(f"workload.{key}") or key).removeprefix("workload.")
    return f"{place}].{own.replace('compute_', 'period_').replace('period_period', 'period')}"


def user_error(error: compiled.SpecError, spec: str) -> UserError:
    """Return an error of the engine as the user's; `spec`: the JSON it was told."""
    unit = _UNIT.search(error.field)
    in_words = _Quantities(unit[1] if unit else "", spec)
    field, given = user_field(error.field), in_words.given(error.given)
    allowed = in_words.told(error.allowed)
    for engine, users in _USER_WORDS.items():
        allowed = allowed.replace(engine, users)
    names = Names.of(spec)
    if not error.circle:
        if "failed" in field + allowed or field.startswith("fault"):
            given, allowed = given and names.told(given), names.told(allowed)
        return UserError(field, given, allowed)
    if len(error.circle) > LONGEST_CIRCLE:
        remedy = allowed.rpartition("; ")[2]
        size = len(error.circle)
        allowed = f"can deadlock: {size} channels wait for each other in a cycle; {remedy}"
    circle = [names.held(channel) for channel in error.circle]
    return CircleError(field, given, names.told(allowed), circle)


@dataclass(frozen=True, slots=True)
class _Quantities:
    """What the engine's numbers are, with units."""

    unit: str
    """Of the field it speaks of."""
    spec: str

    def given(self, text: str) -> str | None:
        """Return a value as the user would write it; None if there is none."""
        if text.isdigit():
            quantity = self._quantity(int(text), self.unit)
            return text if quantity == text else shown(quantity)
        return shown(text) if _WORD.fullmatch(text) else text or None

    def told(self, text: str) -> str:
        """Return a message with quantities instead of numbers."""
        text = _RANGE.sub(lambda found: f"must be {self._range(found, self.unit)}", text)
        return _NUMBERS.sub(lambda found: self._range(found, found[3]), text)

    def _range(self, found: re.Match[str], unit: str) -> str:
        ends = (self._quantity(int(end), unit) for end in found.group(1, 2) if end)
        return " to ".join(ends)

    def _quantity(self, number: int, unit: str) -> str:
        if unit == "ps":
            return str(Time(number))
        if unit == "bytes":
            return str(Size(number))
        return str(Size(number * self._flit_bytes())) if unit == "flits" else str(number)

    def _flit_bytes(self) -> int:
        link = json.loads(self.spec).get("machine", {}).get("link", {})
        return int(link.get("flit_bytes", 1))


class Names:
    """What switches and nodes are called in messages: by their coordinates, if they have two."""

    def __init__(self, shape: tuple[int, ...], *, has_places: bool = True) -> None:
        """``shape``: switches along each dimension, x first; empty without dimensions.

        ``has_places``: whether nodes have the coordinates of their switches, one on each.
        """
        self._shape = shape if len(shape) > 1 else ()
        self._node = self._number if has_places else str

    @classmethod
    def of(cls, spec: str) -> Names:
        """Return the names of the machine of a run, or of the network of a question."""
        given = json.loads(spec)
        topology = given.get("machine", given).get("topology", {})
        topology = topology.get("of", topology)
        shape = tuple(topology.get("dims", ())) or (2,) * topology.get("dimensions", 0)
        return cls(shape, has_places=topology.get("nodes_per_switch", 1) == 1)

    def told(self, text: str) -> str:
        """Return a message of the engine with coordinates instead of numbers."""
        if not self._shape:
            return text
        text = re.sub(r"\bswitch (\d+)", lambda match: self._number(int(match[1])), text)
        text = re.sub(r"(?<=\bnode )\d+", lambda match: self._node(int(match[0])), text)
        # Routes lead from node to node, channels from switch to switch.
        channels, routes, ways = text.partition("; routes ")
        ends = re.compile(r"\d+(?=->)|(?<=->)\d+")
        channels = ends.sub(lambda match: self._number(int(match[0])), channels)
        return channels + routes + ends.sub(lambda match: self._node(int(match[0])), ways)

    def blocked(self, packet: Mapping[str, Any]) -> dict[str, Any]:
        """Return a packet of a deadlock with names."""
        return {
            **packet,
            "text": self.told(packet["text"]),
            "from": self._node(packet["source"]),
            "to": self._node(packet["destination"]),
            "holds": [channel_named(place, self._end) for place in packet["holds"]],
            "waits_for": channel_named(packet["waits_for"], self._end),
        }

    def held(self, channel: Mapping[str, int]) -> dict[str, Any]:
        """Return a channel of a cycle with names."""
        ends = f"{self._number(channel['from'])} to {self._number(channel['to'])}"
        kind = f" (class {channel['class']})" if channel["class"] else ""
        packet = f"{self._node(channel['source'])} to {self._node(channel['destination'])}"
        return {**channel, "channel": f"{ends}{kind}", "packet": packet}

    def _end(self, end: tuple[str, int]) -> str:
        kind, number = end
        is_known = bool(self._shape) and kind == "switch"
        return self._number(number) if is_known else f"{kind} {self._number(number)}"

    def _number(self, number: int) -> str:
        """Return ``(3, 0)`` for a switch or the node on it; a number where it has only that."""
        if not self._shape:
            return str(number)
        place = []
        for extent in self._shape:
            number, coordinate = divmod(number, extent)
            place.append(str(coordinate))
        return f"({', '.join(place)})"


class Named:
    """The same in a network whose switches and nodes have names, as its file gives them."""

    def __init__(self, labels: Mapping[str, Sequence[str]]) -> None:
        """``labels``: `Topology.labels`, of nodes too."""
        self._ends = Ends(names=labels)

    def told(self, text: str) -> str:
        """Return a message of the engine with names instead of numbers."""
        return _END.sub(lambda found: self._end((found[1], int(found[2]))), text)

    def blocked(self, packet: Mapping[str, Any]) -> dict[str, Any]:
        """Return a packet of a deadlock with names."""
        return {
            **packet,
            "text": self.told(packet["text"]),
            "from": self._end(("node", packet["source"])),
            "to": self._end(("node", packet["destination"])),
            "holds": [channel_named(place, self._end) for place in packet["holds"]],
            "waits_for": channel_named(packet["waits_for"], self._end),
        }

    def _end(self, end: tuple[str, int]) -> str:
        return place_shown(self._ends.of_end(*end))


#: A switch or a node in a message of the engine.
_END = re.compile(r"\b(switch|node) (\d+)")


def channel_named(
    place: Mapping[str, Any], named: Callable[[tuple[str, int]], str]
) -> dict[str, Any]:
    """Return a channel of a deadlock with its name."""
    lane = f" (channel {place['lane']})" if place["lane"] else ""
    return {**place, "name": f"{named(place['from'])} to {named(place['to'])}{lane}"}
