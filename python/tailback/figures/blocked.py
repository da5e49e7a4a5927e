"""Packets that wait for each other for ever, drawn on their network."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tailback.errors import RunFailure
from tailback.machines import Machine, machine_of
from tailback.standstill import Blocked, Standstill
from tailback.survey import survey

from . import topology
from .circle import circle_picture
from .picture import Picture
from .written import write_picture


def write_standstill(machine: Machine, failure: RunFailure, path: Path) -> None:
    """Write who waits for whom as a page of HTML or as SVG; `failure` must have a circle.

    Raises `UserError` if it cannot be written, or the network is too large to be seen.
    """
    write_picture(path, lambda: _picture(machine, str(failure), failure.circle))


def _picture(machine: Machine, text: str, circle: Sequence[Blocked]) -> Picture:
    graph, names = survey(machine).graph, machine.topology.labels.get("switch", ())
    network = topology.picture(machine, graph, machine.topology.switch_count, {}, names)
    what = text.partition(":")[0]
    title = f"{what}: every number waits for the next, the last one for 1"
    enters = [int(switch) for switch in graph["node_enters"]]
    return circle_picture(network, circle, enters, title)


def picture_of(standstill: Standstill, text: str) -> Picture | None:
    """Return the picture of a failure with that text; None if there is nothing to draw.

    Raises `UserError` if the network is too large to be seen.
    """
    if not standstill.circle or standstill.machine is None:
        return None
    return _picture(machine_of(standstill.machine), text, standstill.circle)
