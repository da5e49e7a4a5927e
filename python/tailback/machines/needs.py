"""Conditions under which keys of a machine have an effect.

A key names its needs (``key(needs=FLITS)``), and is refused where one of them is not met.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..errors import NoEffectError, shown
from ..parts import Part, Shown, plain

#: An `Assembled`: it is above this module, whose needs its keys name.
Assembled = Any

#: Keys of interfaces that have an effect where there is no network.
WITHOUT_NETWORK = ("barrier",)

#: Tables whose keys are checked, in this order.
_PARTS = ("switch", "interface", "link", "node_link")
#: Keys that keys of interfaces and links depend on: checked before these. `machine_of` drops a
#: preset's keys in the order in which they are refused.
_DECISIVE = (("interface", "acknowledgements"), ("switch", "integrated"))


@dataclass(frozen=True, slots=True)
class Need:
    """What a key needs to have an effect."""

    is_met: Callable[[Assembled], bool]
    what: str
    """What would do, as a file has it."""
    unmet: Shown = ""
    """How a key that needs it first is listed without it: as nothing (blank), or not (used)."""
    exempt: tuple[Any, ...] = ()
    """Values that need nothing: they only state what holds anyway."""

    def but(self, *values: Any) -> Need:
        """Return the same need of all other values than these."""
        return replace(self, exempt=values)

    def allows(self, machine: Assembled, value: object) -> bool:
        """Whether a value of the key may be given on a machine."""
        return value in self.exempt or self.is_met(machine)


_QUEUES = 'machine.switch.integrated = true and switching = "store_and_forward" or "cut_through"'
_FRAMES = "machine.switch.forwarding or segmentation"

INTEGRATED = Need(lambda m: m.switch.integrated, "machine.switch.integrated = true", "blank")
SWITCHED = Need(lambda m: not m.switch.integrated, "machine.switch.integrated = false")
SWITCHES = Need(lambda m: m.topology.switch_count > 0, "a machine.topology.kind with switches")
WAYS = Need(
    lambda m: bool(m.topology.routings), "a machine.topology.kind with links between switches"
)
DIRECT = Need(
    lambda m: m.topology.facts.is_direct,
    'one node on every switch: machine.topology.kind = "mesh", "torus" or "hypercube"',
)
FLITS = Need(lambda m: m.switch.switching == "wormhole", 'machine.switch.switching = "wormhole"')
NO_CIRCUITS = Need(lambda m: not m.makes_circuits, "machine.switch.switching other than circuit")
TURNS = Need(
    lambda m: m.switch.integrated and m.switch.switching != "wormhole",
    f"{INTEGRATED.what} and machine.switch.switching other than wormhole",
)
INPUT_BUFFERS = Need(
    lambda m: m.makes_circuits or m.has_input_buffers, f"{SWITCHED.what}, or {FLITS.what}"
)
PACKET_QUEUES = Need(
    lambda m: m.has_packet_queues,
    'machine.switch.switching = "cut_through" or "store_and_forward", and neither integrated nor '
    "forwarding nor segmentation",
    "used",
)
OUTPUT_QUEUES = Need(lambda m: m.has_output_queues, _QUEUES, "blank")
OUTPUT_PLACES = Need(
    lambda m: m.has_output_queues and m.output_places is not None,
    f"{_QUEUES}, and a number of machine.switch.output_queue",
    "blank",
)
OUTPUT_BUFFERS = Need(
    lambda m: m.switch.is_clocked or m.link.flow_control == "in_band",
    'machine.link.flow_control = "in_band" or machine.switch.allocator',
)

CLOCKED = Need(lambda m: m.switch.is_clocked, "machine.switch.allocator", "blank")
NOT_CLOCKED = Need(
    lambda m: not m.switch.is_clocked, "no machine.switch.allocator, but route_delay"
)
TURN_BY_TURN = Need(
    lambda m: m.switch.chosen_arbiter == "round_robin" and not m.switch.is_clocked,
    'machine.switch.arbiter = "round_robin", without machine.switch.allocator',
)


def arbiter(word: str) -> Need:
    """Return the need of an arbiter."""
    return Need(lambda m: m.switch.chosen_arbiter == word, f'machine.switch.arbiter = "{word}"')


SPEEDUP = Need(
    lambda m: m.switch.is_clocked or m.switch.queueing == "voq",
    'machine.switch.allocator or machine.switch.queueing = "voq"',
)

SEGMENTATION = Need(lambda m: m.switch.is_segmented, "machine.switch.segmentation", "used")
FORWARDING = Need(lambda m: m.switch.forwards_frames, "machine.switch.forwarding", "used")
NO_FORWARDING = Need(
    lambda m: not m.switch.forwards_frames, "no machine.switch.forwarding, but memory"
)
FRAMES = Need(lambda m: m.switch.has_frames, _FRAMES, "used")
NO_FRAMES = Need(lambda m: not m.switch.has_frames, f"no {_FRAMES}")
FILLED_UP = Need(
    lambda m: (
        m.switch.has_frames or (m.switch.integrated and m.switch.switching == "store_and_forward")
    ),
    f'{_FRAMES}, or machine.switch.integrated with switching = "store_and_forward"',
)
PAUSES = Need(lambda m: m.switch.pause != "off", 'machine.switch.pause = "all" or "per_priority"')

CONTROL_TOKENS = Need(
    lambda m: m.link.has_control_tokens,
    'machine.link.end_token = true or flow_control = "in_band"',
    "blank",
)
OUT_OF_BAND = Need(
    lambda m: m.link.flow_control == "out_of_band", 'machine.link.flow_control = "out_of_band"'
)
MARKS = Need(lambda m: m.has_marks, 'machine.link.flow_control = "stop_go"', "used")
NO_MARKS = Need(lambda m: not m.has_marks, f"no {MARKS.what}")

PACKETS = Need(lambda m: not m.sends_whole_messages, 'machine.interface.unit = "packet"', "blank")
ACKS = Need(
    lambda m: m.interface.acknowledgements, "machine.interface.acknowledgements = true", "blank"
)
COSTS = Need(
    lambda m: m.interface.has_costs,
    "machine.interface.send_overhead, packet_interval or another cost",
)
CPU_COSTS = Need(
    lambda m: m.interface.costs_cpu, "machine.interface.send_overhead or another overhead"
)
SEND_OVERHEAD = Need(
    lambda m: bool(m.interface.amount("send_overhead")), "machine.interface.send_overhead"
)
PACKET_COSTS = Need(
    lambda m: bool(
        m.interface.amount("send_overhead_per_packet")
        or m.interface.amount("receive_overhead_per_packet")
    ),
    "machine.interface.send_overhead_per_packet or receive_overhead_per_packet",
)


def described(
    machine: Assembled, part: Part, usual: Mapping[str, Callable[[], Any]]
) -> dict[str, Any]:
    """Return the keys of a part as a file has them, as they are listed for this machine.

    ``usual`` has, by key, what a key stands for here if it is not what was given.
    """
    found: dict[str, Any] = {}
    for name, value in part.listed().items():
        one = part.keys[name]
        first = one.needs[0] if one.needs else None
        how = one.shown or (first.unmet if first else "")
        if first is None or how in ("", "given") or first.is_met(machine):
            found[name] = plain(usual[name]()) if name in usual else value
        elif how == "blank":
            found[name] = None
    return found


def check(machine: Assembled) -> None:
    """Raise `NoEffectError` for the first key that has none."""
    if machine.loggops is not None:
        _check_without_network(machine)
    parts = {name: getattr(machine, name) for name in _PARTS}
    every = [(name, word) for name, part in parts.items() for word in part.key_names]
    first = [place for place in every if place[0] == "switch" and place not in _DECISIVE]
    for name, word in dict.fromkeys((*first, *_DECISIVE, *every)):
        one, value = parts[name].keys[word], getattr(parts[name], word)
        for need in one.needs:
            if value != one.default and not need.allows(machine, value):
                allowed = f"has no effect here; needs {need.what}"
                raise NoEffectError(f"machine.{name}.{word}", shown(plain(value)), allowed)


def _check_without_network(machine: Assembled) -> None:
    """Refuse what describes a network, where there is none."""
    problem = "has no effect with [machine.loggops]: there is no network"
    if machine.routing is not None:
        # Keys come before the kind, which may be a default that the user did not write.
        given = {**machine.routing.given(), "kind": machine.routing.kind}
        word, value = next(iter(given.items()))
        raise NoEffectError(f"machine.routing.{word}", shown(plain(value)), problem)
    for name in ("link", "node_link", "switch", "interface"):
        part = getattr(machine, name)
        for word, value in part.given().items():
            if name != "interface" or word not in WITHOUT_NETWORK:
                raise NoEffectError(f"{part.section}.{word}", shown(plain(value)), problem)
    for name in machine.link_classes:
        raise NoEffectError(f"machine.link_classes.{name}", None, problem)
