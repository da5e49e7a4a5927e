"""The instructions of processes as the engine describes them."""

from __future__ import annotations

from typing import Any

from ..units import Size, Time
from .base import Shape, distribution

_AT_ONCE = Time(0)


def compute(duration: Time, shape: Shape = "constant", sigma: float = 0.0) -> dict[str, Any]:
    """Use the processor for ``duration``."""
    return {"op": "compute", "duration": distribution(shape, duration, sigma)}


def send(process: int, socket: int, size: Size, blocking: bool) -> dict[str, Any]:
    """Send a message to ``socket`` of ``process``."""
    to = {"process": process, "socket": socket}
    return {"op": "send", **to, "bytes": size.bytes, "blocking": blocking}


def multicast(processes: list[int], socket: int, size: Size) -> dict[str, Any]:
    """Send a message to ``socket`` of each of ``processes``, as the machine's multicasts are."""
    to = {"processes": processes, "socket": socket}
    return {"op": "multicast", **to, "bytes": size.bytes}


def receive(socket: int | None) -> dict[str, Any]:
    """Wait for a message on ``socket``, or on any."""
    return {"op": "receive", "socket": socket}


def barrier(group: list[int] | None = None) -> dict[str, Any]:
    """Wait until every process of ``group``, or every process, has come so far."""
    return {"op": "barrier", "group": group}


def process(
    node: int,
    steps: list[dict[str, Any]],
    sockets: list[int | None],
    *,
    start: Time = _AT_ONCE,
    start_window: Time = _AT_ONCE,
    repeat: int | None = None,
) -> dict[str, Any]:
    """Return a process; each of ``sockets`` is the process that may send to it, or None for any."""
    return {
        "node": node,
        "start_ps": start.ps,
        "start_window_ps": start_window.ps,
        "repeat": repeat,
        "sockets": sockets,
        "steps": steps,
    }
