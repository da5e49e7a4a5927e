"""Deadlocked packets on a map of their network, numbered: each waits for the next.

The channels that they hold have a colour of their own. A packet is drawn at the end of the last
channel that it has reached, or at its node if it is still in the queue there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from tailback.errors import RunFailure
from tailback.machines import Machine, machine_of
from tailback.standstill import Blocked, Standstill, channel_of
from tailback.survey import survey

from . import topology
from .network_map import Channel, Dot, Edge, NetworkMap
from .placing import Point
from .written import write_picture

_HEAD = 0.72
"""Position of a packet along its channel."""
_BESIDE = 0.045
"""Distance between packets at one position, as a part of the drawing's size."""


def write_standstill(machine: Machine, failure: RunFailure, path: Path) -> None:
    """Write the cycle of waiting packets as HTML or SVG; `failure` must have one.

    Raises `UserError` if it cannot be written, or the network is too large to be seen.
    """
    write_picture(path, lambda: _picture(machine, str(failure), failure.circle))


def picture_of(standstill: Standstill, text: str) -> NetworkMap | None:
    """Return the picture of a failure with that text; None if there is nothing to draw.

    Raises `UserError` if the network is too large to be seen.
    """
    if not standstill.circle or standstill.machine is None:
        return None
    return _picture(machine_of(standstill.machine), text, standstill.circle)


def _picture(machine: Machine, text: str, circle: Sequence[Blocked]) -> NetworkMap:
    graph, names = survey(machine).graph, machine.topology.labels.get("switch", ())
    network = topology.picture(machine, graph, machine.topology.switch_count, {}, names)
    what = text.partition(":")[0]
    title = f"{what}: every number waits for the next, the last one for 1"
    held = {channel_of(place) for blocked in circle for place in blocked["holds"]}
    edges = [replace(e, role="held") if e.channel in held else e for e in network.edges]
    drawn = {edge.channel: edge for edge in edges if edge.channel is not None}
    there: Counter[Point] = Counter()
    steps = []
    for number, blocked in enumerate(circle, 1):
        x, y = point = _stands(blocked, drawn, network, graph["node_enters"])
        aside = there[point] * _BESIDE * network.extent
        there[point] += 1
        steps.append(Dot((x + aside, y + aside), str(number), blocked["text"]))
    return replace(network, title=title, edges=edges, steps=steps)


def _stands(
    blocked: Blocked, drawn: Mapping[Channel, Edge], network: NetworkMap, enters: NDArray[Any]
) -> Point:
    """Return the position of a packet; `enters`: the switch of each node."""
    held = (drawn.get(channel_of(place)) for place in blocked["holds"])
    edge = next(filter(None, held), None)
    if edge is None:
        node = blocked["source"]
        return (network.nodes[node] if network.nodes else network.switches[int(enters[node])]).point
    if len(edge.points) > 2:
        return edge.points[round(_HEAD * (len(edge.points) - 1))]
    (x, y), (to_x, to_y) = edge.points
    return x + _HEAD * (to_x - x), y + _HEAD * (to_y - y)
