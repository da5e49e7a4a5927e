"""Which fidelities can simulate a machine, which leaves nothing out: as the engine says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .. import door
from ..errors import UserError, choice, listed, shown
from .routing import Fidelity

if TYPE_CHECKING:
    from .machine import Machine

__all__ = [
    "Fidelity",
    "check",
    "impossible_routing",
    "possible_routings",
    "usual",
    "why_usual",
]


def possible_routings(machine: Machine) -> tuple[str, ...]:
    """Return the words of the topology that are possible with the machine's switches."""
    suited = door.routings(machine.topology.kind)
    if not machine.switch.integrated:
        return tuple(one.kind for one in suited if one.switched)
    crossing = (machine.switch.switching, machine.interface.unit)
    return tuple(one.kind for one in suited if crossing in one.integrated)


def impossible_routing(machine: Machine, kind: str) -> UserError:
    """Return the mistake of a routing that is not possible here."""
    switch = machine.switch
    suited = {one.kind: one for one in door.routings(machine.topology.kind)}
    if kind in suited:
        if not switch.integrated:
            return UserError(
                "machine.routing.kind", shown(kind), "needs machine.switch.integrated = true"
            )
        having = dict.fromkeys(switching for switching, _ in suited[kind].integrated)
        words = listed(f'"{word}"' for word in having) if having else ""
        needed = f"machine.switch.switching = {words}"
        if not having:
            needed = "machine.switch.integrated = false"
        elif switch.switching in having:
            beside = f'with machine.switch.switching = "{switch.switching}"'
            needed = f'machine.interface.unit = "message" {beside}'
        return UserError("machine.routing.kind", shown(kind), f"needs {needed}")
    error = choice("machine.routing.kind", kind, possible_routings(machine))
    beside = f'machine.topology.kind = "{machine.topology.kind}"'
    return UserError(error.field, error.given, f"{error.allowed} with {beside}", error.nearest)


def usual(machine: Machine) -> Fidelity:
    """Return the fidelity of a run that names none: whole packets in band, as in the thesis."""
    return "packet" if machine.link.flow_control == "in_band" else machine.exact_fidelity


def why_usual(machine: Machine) -> str:
    """Say in words why a run that names no fidelity has that one."""
    if machine.link.flow_control == "in_band":
        return "whole packets unless asked for more, with flow control in band"
    return machine.exact.why


def check(machine: Machine, fidelity: Fidelity, classes: Sequence[Mapping[str, Any]]) -> None:
    """Raise `UserError` if the machine cannot be simulated with this fidelity and these classes."""
    with machine.topology.names():
        door.check(machine.spec(fidelity, classes), fidelity)
