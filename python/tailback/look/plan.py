"""Where a map draws switches, nodes and clusters of switches: from the layouts of figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import atan2, cos, pi, sin
from typing import TYPE_CHECKING

import numpy as np

from tailback.charging import Ints
from tailback.figures.placing import Placing, Point, placed
from tailback.places import End, shown
from tailback.statistics import Floats

from .lines import KINDS, Lines

if TYPE_CHECKING:
    from tailback.machines.topologies import Topology

_INJECTION, _INTERNAL, _EJECTION, _ = range(len(KINDS))
_STUB = 0.3
"""Length of a line to a node that the layout does not place; neighbours are 1 apart."""
_FAN = 0.45
"""Angle between two nodes of a switch, in radians, where there is room."""
_ASIDE = -pi / 4
_BENT_FROM = 1.05
_TILES = 20
"""Clusters along the longer side of a drawing, where the layout has no groups."""


@dataclass(frozen=True, eq=False)
class Plan:
    """Points: those of switches, then the sending and the receiving side of nodes."""

    x: Floats
    y: Floats
    """Upwards."""
    switches: int
    nodes: int
    start: Ints
    """Of every line, the point it leads from."""
    end: Ints
    bent: Ints
    """1 for a line that is drawn as an arc."""
    cluster: Ints
    """Of every point."""
    clusters: tuple[str, ...]
    """Names; empty for tiles of a drawing, which have none."""


def plan(topology: Topology, lines: Lines, nodes: int, switches: int) -> Plan:
    """Return the layout of a topology as a map draws it."""
    graph = _graph(lines, nodes)
    where = placed(topology, graph, switches)
    centres = np.array(where.switches, dtype=np.float64).reshape(-1, 2)
    if where.senders:
        sides = [np.array(side, dtype=np.float64) for side in (where.senders, where.receivers)]
    else:
        stubs = _stubs(where, centres, graph["node_enters"])
        sides = [stubs, stubs]
    points = np.concatenate([centres, *sides])
    start = _points_of(lines.source, lines.kind, {_INTERNAL, _EJECTION}, switches)
    end = _points_of(lines.destination, lines.kind, {_INTERNAL, _INJECTION}, switches)
    end[end >= switches] += nodes
    cluster, names = _clusters(where, centres)
    homes = [graph["node_enters"], graph["node_leaves"]]
    return Plan(
        x=points[:, 0],
        y=points[:, 1],
        switches=switches,
        nodes=nodes,
        start=start,
        end=end,
        bent=_bent(where, lines, points, start, end),
        cluster=np.concatenate([cluster, *(cluster[home] if switches else home for home in homes)]),
        clusters=names,
    )


def called(what: str, end: End) -> str:
    """Return a name as channels have it: `node 3` and `switch 3` where there is one coordinate."""
    if isinstance(end, str):
        return shown(end)
    if len(end) == 1:
        return f"{what} {end[0]}"
    return f"node {shown(end)}" if what == "node" else shown(end)


def _graph(lines: Lines, nodes: int) -> dict[str, Ints]:
    """Return the network as layouts read it."""
    inner, into, out = (lines.kind == kind for kind in (_INTERNAL, _INJECTION, _EJECTION))
    enters, leaves = (np.zeros(nodes, dtype=np.int64) for _ in range(2))
    enters[lines.source[into]] = lines.destination[into]
    leaves[lines.destination[out]] = lines.source[out]
    return {
        "link_from": lines.source[inner],
        "link_to": lines.destination[inner],
        "link_width": lines.widths[inner],
        "node_enters": enters,
        "node_leaves": leaves,
    }


def _points_of(numbers: Ints, kind: Ints, of_switches: set[int], switches: int) -> Ints:
    """Return the points of ends of lines: of switches for some kinds, else of nodes."""
    is_switch = np.isin(kind, sorted(of_switches))
    return numbers + np.where(is_switch, 0, switches)


def _stubs(where: Placing, centres: Floats, homes: Ints) -> Floats:
    """Return points for nodes that the layout does not place: a fan beside their switch."""
    points = np.zeros((len(homes), 2))
    if not len(centres):
        return points
    middles = _middles(where, centres)
    order = np.argsort(homes, kind="stable")
    found, first = np.unique(homes[order], return_index=True)
    for switch, own in zip(found.tolist(), np.split(order, first[1:]), strict=True):
        angle = _ASIDE if where.bent else _away(centres[switch], middles[switch])
        step = min(_FAN, 1.6 * pi / max(len(own), 1))
        for place, node in enumerate(own.tolist()):
            turned = angle + (place - (len(own) - 1) / 2) * step
            points[node] = centres[switch] + _STUB * np.array([cos(turned), sin(turned)])
    return points


def _middles(where: Placing, centres: Floats) -> Floats:
    """Return for every switch the point from which its nodes point away."""
    middles: Floats = np.repeat(centres.mean(axis=0)[None, :], len(centres), axis=0)
    for group in where.groups:
        if group.radius:
            inside = _inside(centres, group.centre, group.radius)
            middles[inside] = group.centre
    return middles


def _inside(centres: Floats, centre: Point, radius: float) -> Ints:
    return np.flatnonzero(np.hypot(*(centres - np.array(centre)).T) <= radius)


def _away(point: Floats, middle: Floats) -> float:
    x, y = point - middle
    return atan2(y, x) if x or y else _ASIDE


def _bent(where: Placing, lines: Lines, points: Floats, start: Ints, end: Ints) -> Ints:
    """Return which lines would lie on others if they were straight."""
    lengths = np.hypot(*(points[end] - points[start]).T)
    apart = np.abs(lines.source - lines.destination)
    rounds = np.isin(apart, sorted(where.rounds)) & (lines.kind == _INTERNAL)
    long = lengths > _BENT_FROM if where.bent else np.zeros(len(lines), dtype=bool)
    bent: Ints = (rounds | long).astype(np.int64)
    return bent


def _clusters(where: Placing, centres: Floats) -> tuple[Ints, tuple[str, ...]]:
    """Return the cluster of every switch: the groups of the layout, or tiles of the drawing."""
    discs = [group for group in where.groups if group.radius]
    found = np.full(len(centres), -1, dtype=np.int64)
    for number, group in enumerate(discs):
        found[_inside(centres, group.centre, group.radius)] = number
    if discs and (found >= 0).all():
        return found, tuple(group.name for group in discs)
    return _tiles(centres), ()


def _tiles(centres: Floats | Sequence[Point]) -> Ints:
    points = np.asarray(centres, dtype=np.float64).reshape(-1, 2)
    if not len(points):
        return np.zeros(0, dtype=np.int64)
    low = points.min(axis=0)
    side = max(float((points.max(axis=0) - low).max()) / _TILES, 1e-9)
    tiles = np.minimum(((points - low) / side).astype(np.int64), _TILES - 1)
    _, number = np.unique(tiles, axis=0, return_inverse=True)
    numbers: Ints = np.asarray(number, dtype=np.int64).reshape(-1)
    return numbers
