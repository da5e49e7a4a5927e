"""What messages cost in software: keys of ``[machine.interface]``."""

from __future__ import annotations

from typing import Any

from ..parts import nested
from .interface import AMOUNTS, COSTS, Interface

#: Keys of costs: amounts of time, and how these are paid.
KEYS = tuple(COSTS)


def spec(interface: Interface) -> dict[str, Any]:
    """Return the costs as the engine describes them; nothing if there are none."""
    if not interface.has_costs:
        return {}
    start_up, variation = interface.amount("send_overhead"), interface.overhead_variation or 0
    rules = _rules(interface) | {"overhead_variation": round(start_up * variation)}
    given = {name: interface.amount(name) for name in AMOUNTS} | rules
    return nested({COSTS[name].path(name): value for name, value in given.items()})


def resolved(interface: Interface) -> dict[str, Any]:
    """Return the keys of costs with their defaults, as a file has them; of none, nothing."""
    if not interface.has_costs:
        return {}
    amounts = {name: str(getattr(interface, name) or 0) for name in AMOUNTS}
    return amounts | _rules(interface)


def _rules(interface: Interface) -> dict[str, Any]:
    return {
        "overhead_variation": interface.overhead_variation or 0.0,
        "overlap": interface.overlap is not False,
        "receive_preempts": bool(interface.receive_preempts),
        "multi_packet_only": bool(interface.multi_packet_only),
    }
