"""Routings that are possible with a topology and switches; the engine decides."""

from __future__ import annotations

from .. import door
from ..errors import NoEffectError, UserError, choice, listed, shown
from .assembled import Assembled


def check(machine: Assembled) -> None:
    """Raise `UserError` if the machine's routing is not possible, or has no effect."""
    if machine.routing is None:
        return
    kind = machine.routing.kind
    if not machine.topology.routings:
        beside = f'machine.topology.kind = "{machine.topology.kind}"'
        problem = f"has no effect with {beside}: one way only"
        raise NoEffectError("machine.routing.kind", shown(kind), problem)
    if kind not in _possible(machine):
        raise _impossible(machine, kind)
    which = machine.routing.parallel_links
    if which != "any" and machine.link.width == 1:
        problem = "has no effect here; needs machine.link.width above 1"
        raise NoEffectError("machine.routing.parallel_links", shown(which), problem)
    machine.routing.check(machine.topology)


def _suited(machine: Assembled) -> tuple[door.Suited, ...]:
    return door.routings(machine.topology.family or machine.topology.kind)


def _possible(machine: Assembled) -> tuple[str, ...]:
    """Return the words of the topology that are possible with the machine's switches."""
    suited = _suited(machine)
    if not machine.switch.integrated:
        return tuple(one.kind for one in suited if one.switched)
    crossing = (machine.switch.switching, machine.interface.unit)
    return tuple(one.kind for one in suited if crossing in one.integrated)


def _impossible(machine: Assembled, kind: str) -> UserError:
    """Return the mistake of a routing that is not possible here."""
    switch = machine.switch
    suited = {one.kind: one for one in _suited(machine)}
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
    error = choice("machine.routing.kind", kind, _possible(machine))
    beside = f'machine.topology.kind = "{machine.topology.kind}"'
    return UserError(error.field, error.given, f"{error.allowed} with {beside}", error.nearest)
