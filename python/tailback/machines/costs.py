"""What messages cost in software: keys of ``[machine.interface]``."""

from __future__ import annotations

from typing import Any

from .interface import Interface

#: Keys that are amounts of time: without any of them messages cost nothing.
AMOUNTS = (
    "send_overhead",
    "send_overhead_per_packet",
    "send_overhead_per_byte",
    "send_overhead_after",
    "receive_overhead",
    "receive_overhead_per_packet",
    "receive_overhead_per_byte",
    "receive_overhead_after",
    "packet_interval",
    "packet_interval_per_byte",
)
#: Keys that say how these are paid.
RULES = ("overhead_variation", "overlap", "receive_preempts", "multi_packet_only")
KEYS = (*AMOUNTS, *RULES)


def has_costs(interface: Interface) -> bool:
    """Whether messages cost anything in software."""
    return any(_amount(interface, key) for key in AMOUNTS)


def costs_cpu(interface: Interface, *sides: str) -> bool:
    """Whether messages cost CPU time on ``sides``, "send" or "receive"."""
    keys = [key for key in AMOUNTS if key.startswith(tuple(f"{side}_" for side in sides))]
    return any(_amount(interface, key) for key in keys)


def _amount(interface: Interface, key: str) -> int:
    value = getattr(interface, key)
    return 0 if value is None else int(value.amount)


def spec(interface: Interface) -> dict[str, Any] | None:
    """Return the costs as the engine describes them; None if there are none."""
    if not has_costs(interface):
        return None

    def side(name: str) -> dict[str, int]:
        return {
            "before_ps": _amount(interface, f"{name}_overhead"),
            "per_packet_ps": _amount(interface, f"{name}_overhead_per_packet"),
            "per_byte_fs": _amount(interface, f"{name}_overhead_per_byte"),
            "after_ps": _amount(interface, f"{name}_overhead_after"),
        }

    start_up = _amount(interface, "send_overhead")
    return {
        "send": side("send"),
        "receive": side("receive"),
        "packet_interval_ps": _amount(interface, "packet_interval"),
        "packet_interval_per_byte_fs": _amount(interface, "packet_interval_per_byte"),
        "variation_ps": round(start_up * (interface.overhead_variation or 0)),
        "overlap": interface.overlap is not False,
        "receive_preempts": bool(interface.receive_preempts),
        "multi_packet_only": bool(interface.multi_packet_only),
    }


def resolved(interface: Interface) -> dict[str, Any]:
    """Return the keys of costs with their defaults, as a file has them; of none, nothing."""
    if not has_costs(interface):
        return {}
    amounts = {key: str(getattr(interface, key) or 0) for key in AMOUNTS}
    return amounts | {
        "overhead_variation": interface.overhead_variation or 0.0,
        "overlap": interface.overlap is not False,
        "receive_preempts": bool(interface.receive_preempts),
        "multi_packet_only": bool(interface.multi_packet_only),
    }
