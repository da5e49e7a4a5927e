"""Packets that wait for each other, drawn on the network, numbered: each waits for the next.

The channels they hold are drawn in a colour of their own. A packet stands at the end of the last
one it has come to; one that is still in the queue of its node, at the node.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tailback.standstill import Blocked

from .picture import Channel, Dot, Line, Picture
from .placing import Point

_HEAD = 0.72
"""How far along the drawn part of a channel a packet stands."""
_BESIDE = 0.045
"""How far apart packets at one place are, as a part of the drawing's size."""


def circle_picture(
    network: Picture, circle: Sequence[Blocked], enters: Sequence[int], title: str
) -> Picture:
    """Return a network with packets that wait for each other; `enters`: by node, its switch."""
    held = {_channel(place) for blocked in circle for place in blocked["holds"]}
    lines = [replace(line, role="held") if line.channel in held else line for line in network.lines]
    drawn = {line.channel: line for line in lines if line.channel is not None}
    points = [_stands(blocked, drawn, network, enters) for blocked in circle]
    there: Counter[Point] = Counter()
    steps = []
    for number, (blocked, point) in enumerate(zip(circle, points, strict=True), 1):
        aside = there[point] * _BESIDE * network.extent
        there[point] += 1
        steps.append(Dot((point[0] + aside, point[1] + aside), str(number), blocked["text"]))
    return replace(network, title=title, lines=lines, steps=steps)


def _channel(place: Mapping[str, Any]) -> Channel:
    """Return the channels from one end to another, as lines have them."""
    (source, first), (destination, last) = place["from"], place["to"]
    kinds = {("node", "switch"): "injection", ("switch", "node"): "ejection"}
    kind = "direct" if (source, destination) == ("node", "node") else "internal"
    return kinds.get((source, destination), kind), first, last


def _stands(
    blocked: Blocked, drawn: Mapping[Channel, Line], network: Picture, enters: Sequence[int]
) -> Point:
    """Return where a packet is drawn."""
    held = (drawn.get(_channel(place)) for place in blocked["holds"])
    line = next(filter(None, held), None)
    if line is not None:
        return _along(line.points)
    node = blocked["source"]
    return (network.nodes[node] if network.nodes else network.switches[enters[node]]).point


def _along(points: Sequence[Point]) -> Point:
    """Return the point at which a packet stands on a line."""
    if len(points) > 2:
        return points[round(_HEAD * (len(points) - 1))]
    (x, y), (to_x, to_y) = points
    return x + _HEAD * (to_x - x), y + _HEAD * (to_y - y)
