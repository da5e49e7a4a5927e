"""Maps of a machine's network: switches, nodes, and every link with its load.

Links are drawn on the right-hand side of their direction, so that both directions are visible.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import hypot, nan
from typing import Any

from tailback.errors import UserError
from tailback.machines import Machine
from tailback.places import Ends, grid_places, shown
from tailback.units import counted
from tailback.wording.scaling import MICROSECONDS

from .network_map import Channel, Dot, Edge, NetworkMap
from .placing import Columns, Placing, Point, placed

#: Size of the largest network that is drawn.
MOST_SWITCHES = 4_000
MOST_LINKS = 20_000

Loads = Mapping[Channel, float]
"""Load in µs of channels by kind, source and destination, as in tables of channels."""

_ASIDE = (0.045, 0.006)
"""Offset of a link from the line between its ends: maximum, and as a part of the drawing's size."""
_BULGE = 0.18
_BENDS = 9


def picture(
    machine: Machine, graph: Columns, switches: int, loads: Loads, names: Sequence[str] = ()
) -> NetworkMap:
    """Return the map of a machine's network; `names`: names of switches, if any.

    Raises `UserError` if it is too large to draw.
    """
    links = graph["link_from"].size
    for count, most, what in (
        (switches, MOST_SWITCHES, "switches"),
        (links, MOST_LINKS, "links"),
    ):
        if count > most:
            problem = f"cannot draw {count} {what}; at most {most}"
            raise UserError("--plot", None, problem)
    where = placed(machine.topology, graph, switches)
    ends = _ends(machine)
    failed = machine.topology.facts.failed_links
    edges = [
        *_failed(where, failed, ends),
        *_internal(where, graph, loads, ends),
        *_external(where, graph, loads, ends),
    ]
    entering = Counter(graph["node_enters"].tolist())
    dots = [
        Dot(where.switches[n], _name(ends, n, names), _switch_text(ends, n, names, entering[n]))
        for n in range(switches)
    ]
    nodes = _node_dots(where.senders)
    if where.receivers != where.senders:
        nodes += _node_dots(where.receivers)
    sizes = [counted(len(graph["node_enters"]), "node"), counted(switches, "switch", "switches")]
    if failed:
        sizes.append(counted(len(failed), "failed link"))
    title = f"{machine.topology.kind.replace('_', ' ')}: {', '.join(sizes)}"
    per = "for one message per node"
    return NetworkMap(title, edges, dots, nodes, where.groups, fixed_unit=MICROSECONDS, measure=per)


def _node_dots(points: Sequence[Point]) -> list[Dot]:
    return [Dot(point, str(n), f"node {n}") for n, point in enumerate(points)]


def _name(ends: Ends, number: int, names: Sequence[str]) -> str:
    """Return the label of a switch, as short as possible."""
    if "switch" in ends.places:
        return shown(ends.places["switch"][number])
    return names[number] if names else str(number)


def _ends(machine: Machine) -> Ends:
    if not machine.sides:
        return Ends(names=machine.topology.labels)
    places = grid_places(machine.sides)
    return Ends({"switch": places, **({"node": places} if machine.shape else {})})


def _switch_text(ends: Ends, number: int, names: Sequence[str], nodes: int) -> str:
    if "node" in ends.places:
        return f"node {shown(ends.places['node'][number])}"
    if "switch" in ends.places:
        return f"switch {shown(ends.places['switch'][number])}, {counted(nodes, 'node')}"
    named = f" ({names[number]})" if names and names[number] != str(number) else ""
    return f"switch {number}{named}, {counted(nodes, 'node')}"


def _internal(where: Placing, graph: Columns, loads: Loads, ends: Ends) -> list[Edge]:
    columns = (graph[name].tolist() for name in ("link_from", "link_to", "link_width"))
    edges = []
    for source, destination, width in zip(*columns, strict=True):
        names = ends.of_channel("internal", source, destination)
        round_ = abs(source - destination) in where.rounds
        points = _way(where, where.switches[source], where.switches[destination], round_=round_)
        channel = ("internal", source, destination)
        edges.append(_line(points, names, width, loads, channel))
    return edges


def _failed(where: Placing, failed: Sequence[tuple[int, int]], ends: Ends) -> list[Edge]:
    """Return the links that have failed, each once."""
    edges = []
    for source, destination in failed:
        one, other = map(shown, ends.of_channel("internal", source, destination))
        round_ = abs(source - destination) in where.rounds
        points = _way(where, where.switches[source], where.switches[destination], round_=round_)
        edges.append(Edge(points, f"{one} to {other}: failed", nan, 1, role="failed"))
    return edges


def _external(where: Placing, graph: Columns, loads: Loads, ends: Ends) -> list[Edge]:
    """Return the channels of nodes, where nodes are drawn."""
    edges = []
    for node, (sender, receiver) in enumerate(zip(where.senders, where.receivers, strict=True)):
        if not where.switches:
            other = 1 - node
            way = _way(where, sender, where.receivers[other])
            edges.append(_external_line("direct", node, other, way, loads, ends))
            continue
        enters, leaves = int(graph["node_enters"][node]), int(graph["node_leaves"][node])
        way = _way(where, sender, where.switches[enters])
        edges.append(_external_line("injection", node, enters, way, loads, ends))
        way = _way(where, where.switches[leaves], receiver)
        edges.append(_external_line("ejection", leaves, node, way, loads, ends))
    return edges


def _external_line(
    kind: str, source: int, destination: int, way: Sequence[Point], loads: Loads, ends: Ends
) -> Edge:
    names = ends.of_channel(kind, source, destination)
    return _line(way, names, 1, loads, (kind, source, destination))


def _line(
    points: Sequence[Point], names: tuple[Any, Any], width: int, loads: Loads, channel: Channel
) -> Edge:
    text = f"{shown(names[0])} to {shown(names[1])}"
    if width > 1:
        text += f", {width} channels"
    return Edge(points, text, float(loads.get(channel, nan)), width, channel=channel)


def _way(where: Placing, start: Point, end: Point, *, round_: bool = False) -> list[Point]:
    """Return a line from start to end, offset to its right; an arc if long or a wraparound."""
    along = (end[0] - start[0], end[1] - start[1])
    length = hypot(*along) or 1.0
    right = (along[1] / length, -along[0] / length)
    aside = min(_ASIDE[0], _ASIDE[1] * where.extent)
    if not round_ and (not where.bent or length < 1.05):
        shift = (right[0] * aside, right[1] * aside)
        return [(start[0] + shift[0], start[1] + shift[1]), (end[0] + shift[0], end[1] + shift[1])]
    # Both directions bend to the same side of the drawing, one a little further.
    out = 1.0 if (along[0], along[1]) > (0.0, 0.0) else -1.0
    bulge = min(_BULGE * length, 0.25 + 0.03 * length) - out * aside
    points = []
    for step in range(_BENDS):
        t = step / (_BENDS - 1)
        off = -4 * bulge * t * (1 - t) * out
        points.append(
            (
                start[0] + along[0] * t + right[0] * off,
                start[1] + along[1] * t + right[1] * off,
            )
        )
    return points
