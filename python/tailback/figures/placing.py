"""Positions of switches and nodes in a drawing of a network: grids as grids, trees in layers.

Networks from files whose switches are not placed are drawn by the tiers or groups that their cables
have, else by springs.

Neighbours are about 1 apart. Nodes are drawn only if their positions add information: under trees,
on both sides of a butterfly, around a single switch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import cos, pi, prod, sin
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tailback.machines import topologies
from tailback.machines.topologies import Topology
from tailback.survey import structure

from .springs import at_rest
from .tiers import in_tiers

Point = tuple[float, float]
Columns = Mapping[str, NDArray[Any]]

_DEEP = (0.28, 0.2)
"""A step along the third dimension of a grid."""
_BETWEEN_BLOCKS = 1.4
_FLAT = 0.45
"""Height of a tree over its width."""


@dataclass(frozen=True)
class Group:
    """A group of switches: on a disc, or a level of a tree."""

    name: str
    named_at: Point
    """The centre of its name."""
    centre: Point = (0.0, 0.0)
    radius: float = 0.0
    """Of the disc; 0 if there is none."""

    @property
    def corners(self) -> tuple[Point, ...]:
        """The corners of the square around its disc; none without one."""
        (x, y), r = self.centre, self.radius
        return ((x - r, y - r), (x + r, y + r)) if r else ()


@dataclass(frozen=True)
class Placing:
    """Coordinates; the vertical one grows upwards."""

    switches: Sequence[Point]
    senders: Sequence[Point] = ()
    """The sending side of every node; empty if nodes are not drawn."""
    receivers: Sequence[Point] = ()
    """The receiving side of every node."""
    bent: bool = False
    """Whether links longer than 1 are bent, as straight ones would overlap others."""
    rounds: frozenset[int] = frozenset()
    """Differences of switch numbers between the ends of a row of a grid (wraparound links)."""
    groups: Sequence[Group] = ()

    @cached_property
    def extent(self) -> float:
        """Width or height of the drawing, whichever is more."""
        points = (*self.switches, *self.senders, *self.receivers)
        sides = ([point[axis] for point in points] for axis in (0, 1))
        return max(max(side) - min(side) for side in sides)


def placed(topology: Topology, graph: Columns, switches: int) -> Placing:
    """Return the positions of switches and nodes."""
    sides = topology.facts.sides
    if sides:
        # Lines of a HyperX are fully connected: no link of it closes a ring.
        rounds = frozenset() if isinstance(topology, topologies.HyperX) else _rounds(sides)
        return Placing(_grid(sides), bent=True, rounds=rounds)
    for kind, place in _FAMILIES.items():
        if isinstance(topology, kind) and topology.hosts is None:
            return place(topology)
    return _listed(topology, graph, switches)


def _listed(topology: Topology, graph: Columns, switches: int) -> Placing:
    """Return the positions in a file, else those of the tiers or groups, else those of springs."""
    given = None
    if isinstance(topology, topologies.Listed) and topology.hosts is None:
        given = topology.graph.positions
    if given is not None:
        return Placing(_scaled(np.array(given, dtype=np.float64), graph))
    found = structure(topology, graph, switches)
    if found.has_tiers:
        drawn = in_tiers(found, graph)
        aside = -0.5 - 0.05 * len(graph["node_enters"])
        groups = [Group(name, (aside, y)) for name, y in drawn.heights.items()]
        return Placing(drawn.switches, drawn.nodes, drawn.nodes, groups=groups)
    if found.group is not None:
        around = _circles("group", found.groups, switches // found.groups)
        points = dict(
            zip(np.argsort(found.group, kind="stable").tolist(), around.switches, strict=True)
        )
        return Placing([points[number] for number in range(switches)], groups=around.groups)
    return Placing(_scaled(at_rest(graph["link_from"], graph["link_to"], switches), graph))


def _grid(shape: Sequence[int]) -> list[Point]:
    """Return planes; a third dimension goes backwards, further ones are blocks side by side."""
    steps = [(1.0, 0.0), (0.0, 1.0)]
    if len(shape) > 2:
        shrunk = min(1.0, 2.5 / shape[2])
        steps.append((_DEEP[0] * shrunk, _DEEP[1] * shrunk))
    size = [float(shape[0]), float(shape[1] if len(shape) > 1 else 1)]
    for number, extent in enumerate(shape[3:]):
        axis = number % 2
        step = size[axis] + _BETWEEN_BLOCKS - 1
        steps.append((0.0, step) if axis else (step, 0.0))
        size[axis] = step * extent
    points = []
    for node in range(prod(shape)):
        x = y = 0.0
        rest = node
        for extent, (right, up) in zip(shape, steps, strict=False):
            rest, along = divmod(rest, extent)
            x, y = x + right * along, y + up * along
        points.append((x, y))
    return points


def _rounds(shape: Sequence[int]) -> frozenset[int]:
    strides = [prod(shape[:dimension]) for dimension in range(len(shape))]
    lines = zip(strides, shape, strict=True)
    return frozenset(stride * (extent - 1) for stride, extent in lines if extent > 2)


def _layered(nodes: int, counts: Sequence[int], *, first: int, root_first: bool) -> Placing:
    """Return switches level by level, spread evenly over the nodes, which are at the bottom.

    `counts`: switches of each level, in the order of their numbers; `first`: number of the first
    level.
    """
    height = max(1.5, _FLAT * nodes / (len(counts) + 1))
    up = [height * level for level in range(1, len(counts) + 1)]
    levels = list(zip(counts, up[::-1] if root_first else up, strict=True))
    switches = [
        ((place + 0.5) * nodes / count - 0.5, y) for count, y in levels for place in range(count)
    ]
    below = [(float(node), 0.35 * height) for node in range(nodes)]
    aside = -0.5 - 0.05 * nodes
    groups = [Group(f"level {n}", (aside, y)) for n, (_, y) in enumerate(levels, first)]
    return Placing(switches, below, below, groups=groups)


def _fat_tree(topology: topologies.FatTree) -> Placing:
    counts = [topology.arity ** (topology.levels - 1)] * topology.levels
    return _layered(topology.node_count, counts, first=0, root_first=True)


def _butterfly(topology: topologies.Butterfly) -> Placing:
    words = topology.arity ** (topology.stages - 1)
    width = max(2.0, _FLAT * 2 * topology.node_count / (topology.stages + 1))
    centre = (topology.arity - 1) / 2
    switches = [
        (stage * width, -(word * topology.arity + centre))
        for stage in range(topology.stages)
        for word in range(words)
    ]
    senders = [(-0.6 * width, -float(node)) for node in range(topology.node_count)]
    last = (topology.stages - 1 + 0.6) * width
    receivers = [(last, -float(node)) for node in range(topology.node_count)]
    above = 0.05 * topology.node_count + 0.5
    stages = [Group(f"stage {n}", (n * width, above)) for n in range(topology.stages)]
    return Placing(switches, senders, receivers, groups=stages)


def _tree(topology: topologies.Tree) -> Placing:
    counts: list[int] = topology.resolved()["switches_per_level"]
    return _layered(topology.node_count, counts, first=0, root_first=True)


def _xgft(topology: topologies.Xgft | topologies.PodFatTree) -> Placing:
    """Level 1 is the lowest."""
    spec = topology.spec()
    half = spec.get("switch_ports", 0) // 2
    children: list[int] = spec.get("children", [half, half, 2 * half])
    parents: list[int] = spec.get("parents", [half, half])
    nodes = topology.node_count
    levels = range(1, len(children) + 1)
    counts = [nodes // prod(children[:level]) * prod(parents[: level - 1]) for level in levels]
    return _layered(nodes, counts, first=1, root_first=False)


def _dragonfly(topology: topologies.Dragonfly) -> Placing:
    return _circles("group", topology.group_count, topology.switches_per_group)


def _dragonfly_plus(topology: topologies.DragonflyPlus) -> Placing:
    return _circles("group", topology.group_count, topology.leaves + topology.spines)


def _islands(topology: topologies.Islands) -> Placing:
    """Draw the rails as a circle inside that of the islands."""
    rails = _circle(topology.rail_count, 1.0)
    room = 2 * _radius(topology.rail_count, 1.0) + 2.0
    around = _circles("island", topology.islands, topology.accelerators, room)
    return Placing([*around.switches, *rails], groups=around.groups)


def _circles(name: str, count: int, size: int, room: float = 0.0) -> Placing:
    """Place ``count`` groups of ``size`` switches on a circle, with ``room`` inside."""
    inner = _radius(size, 1.0)
    outer = max(_radius(count, 2 * inner + 2.0), room + inner)
    switches, groups = [], []
    radius = inner + 0.45
    for group in range(count):
        angle = _angle(group, count)
        x, y = outer * cos(angle), outer * sin(angle)
        beyond = outer + radius + 0.09 * (outer + radius)
        named_at = (beyond * cos(angle), beyond * sin(angle))
        groups.append(Group(f"{name} {group}", named_at, (x, y), radius))
        for place in range(size):
            turned = angle + _angle(place, size) - pi / 2
            switches.append((x + inner * cos(turned), y + inner * sin(turned)))
    return Placing(switches, groups=groups)


def _fully_connected(topology: topologies.FullyConnected) -> Placing:
    return Placing(_circle(topology.switches, 1.0))


def _star(topology: topologies.Star) -> Placing:
    nodes = _circle(topology.node_count, 1.0)
    return Placing([(0.0, 0.0)], nodes, nodes)


def _pair(topology: topologies.Pair) -> Placing:
    nodes = [(0.0, 0.0), (1.0, 0.0)]
    return Placing([], nodes, nodes)


_FAMILIES: Mapping[type[Topology], Callable[[Any], Placing]] = {
    topologies.FatTree: _fat_tree,
    topologies.Butterfly: _butterfly,
    topologies.Tree: _tree,
    topologies.PodFatTree: _xgft,
    topologies.Xgft: _xgft,
    topologies.Dragonfly: _dragonfly,
    topologies.DragonflyPlus: _dragonfly_plus,
    topologies.Islands: _islands,
    topologies.FullyConnected: _fully_connected,
    topologies.Star: _star,
    topologies.Pair: _pair,
}


def _angle(number: int, count: int) -> float:
    """Return the angle of a position on a circle: the first on top, then clockwise."""
    return pi / 2 - 2 * pi * number / count


def _radius(count: int, apart: float) -> float:
    """Return the radius of a circle on which ``count`` neighbours are ``apart``."""
    return apart / (2 * sin(pi / count)) if count > 1 else 0.0


def _circle(count: int, apart: float) -> list[Point]:
    radius = max(_radius(count, apart), 1.0 if count > 1 else 0.0)
    angles = [_angle(number, count) for number in range(count)]
    return [(radius * cos(angle), radius * sin(angle)) for angle in angles]


def _scaled(points: NDArray[np.float64], graph: Columns) -> list[Point]:
    """Return points at a scale at which links are about 1 long."""
    lengths = np.hypot(*(points[graph["link_from"]] - points[graph["link_to"]]).T)
    usual = float(np.median(lengths)) if lengths.size else 0.0
    scaled = points / usual if usual > 0 else points
    return [(float(x), float(y)) for x, y in scaled]
