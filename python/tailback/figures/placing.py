"""Where the switches and nodes of a network are drawn: grids as they lie, trees in layers.

Neighbours are about 1 apart. Nodes are drawn where they show more than the switch they are on:
under trees, before and behind a butterfly, around a single switch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import cos, pi, prod, sin
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tailback import machines
from tailback.machines import Machine

Point = tuple[float, float]
Columns = Mapping[str, NDArray[Any]]

_DEEP = (0.28, 0.2)
"""A step along the third dimension of a grid."""
_BETWEEN_BLOCKS = 1.4
_MOST_SPRINGS_AT_REST = 60
_FLAT = 0.45
"""Height of a tree over its width."""


@dataclass(frozen=True)
class Group:
    """Switches that belong together: a disc they stand on, or a level of a tree."""

    name: str
    named_at: Point
    """Where the middle of its name is."""
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
    """Of every node, where it sends; empty if nodes are not drawn."""
    receivers: Sequence[Point] = ()
    """Of every node, where it receives."""
    bent: bool = False
    """Whether links that are longer than 1 would lie on others if they were straight."""
    rounds: frozenset[int] = frozenset()
    """Differences between the numbers of switches that are the ends of a line of a grid."""
    groups: Sequence[Group] = ()

    @cached_property
    def extent(self) -> float:
        """Width or height of the drawing, whichever is more."""
        points = (*self.switches, *self.senders, *self.receivers)
        sides = ([point[axis] for point in points] for axis in (0, 1))
        return max(max(side) - min(side) for side in sides)


def placed(machine: Machine, graph: Columns, switches: int) -> Placing:
    """Return where everything is drawn."""
    if machine.shape:
        return Placing(_grid(machine.shape), bent=True, rounds=_rounds(machine.shape))
    for kind, place in _FAMILIES.items():
        if isinstance(machine, kind):
            return place(machine)
    return Placing(_free(machine, graph, switches))


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


def _fat_tree(machine: machines.FatTree) -> Placing:
    words = machine.arity ** (machine.levels - 1)
    height = max(1.5, _FLAT * machine.nodes / (machine.levels + 1))
    centre = (machine.arity - 1) / 2
    switches = [
        (word * machine.arity + centre, (machine.levels - level) * height)
        for level in range(machine.levels)
        for word in range(words)
    ]
    nodes = [(float(node), 0.35 * height) for node in range(machine.nodes)]
    return Placing(switches, nodes, nodes, groups=_levels(machine.levels, height, machine.nodes))


def _levels(count: int, height: float, nodes: int) -> list[Group]:
    """Return the levels of a tree as groups, named on the left: level 0 is the root."""
    aside = -0.5 - 0.05 * nodes
    return [Group(f"level {n}", (aside, (count - n) * height)) for n in range(count)]


def _butterfly(machine: machines.Butterfly) -> Placing:
    words = machine.arity ** (machine.stages - 1)
    width = max(2.0, _FLAT * 2 * machine.nodes / (machine.stages + 1))
    centre = (machine.arity - 1) / 2
    switches = [
        (stage * width, -(word * machine.arity + centre))
        for stage in range(machine.stages)
        for word in range(words)
    ]
    senders = [(-0.6 * width, -float(node)) for node in range(machine.nodes)]
    last = (machine.stages - 1 + 0.6) * width
    receivers = [(last, -float(node)) for node in range(machine.nodes)]
    above = 0.05 * machine.nodes + 0.5
    stages = [Group(f"stage {n}", (n * width, above)) for n in range(machine.stages)]
    return Placing(switches, senders, receivers, groups=stages)


def _tree(machine: machines.Tree) -> Placing:
    levels: list[int] = machine.resolved("packet")["switches_per_level"]
    height = max(1.5, _FLAT * machine.nodes / (len(levels) + 1))
    switches = []
    for number, count in enumerate(levels):
        below = machine.nodes / count
        up = (len(levels) - number) * height
        switches += [((place + 0.5) * below - 0.5, up) for place in range(count)]
    nodes = [(float(node), 0.35 * height) for node in range(machine.nodes)]
    return Placing(switches, nodes, nodes, groups=_levels(len(levels), height, machine.nodes))


def _dragonfly(machine: machines.Dragonfly) -> Placing:
    inner = _radius(machine.switches_per_group, 1.0)
    outer = _radius(machine.group_count, 2 * inner + 2.0)
    switches, groups = [], []
    radius = inner + 0.45
    for group in range(machine.group_count):
        angle = _angle(group, machine.group_count)
        x, y = outer * cos(angle), outer * sin(angle)
        beyond = outer + radius + 0.09 * (outer + radius)
        named_at = (beyond * cos(angle), beyond * sin(angle))
        groups.append(Group(f"group {group}", named_at, (x, y), radius))
        for place in range(machine.switches_per_group):
            turned = angle + _angle(place, machine.switches_per_group) - pi / 2
            switches.append((x + inner * cos(turned), y + inner * sin(turned)))
    return Placing(switches, groups=groups)


def _fully_connected(machine: machines.FullyConnected) -> Placing:
    return Placing(_circle(machine.switches, 1.0))


def _star(machine: machines.Star) -> Placing:
    nodes = _circle(machine.nodes, 1.0)
    return Placing([(0.0, 0.0)], nodes, nodes)


def _pair(machine: machines.Pair) -> Placing:
    nodes = [(0.0, 0.0), (1.0, 0.0)]
    return Placing([], nodes, nodes)


_FAMILIES: Mapping[type[Machine], Callable[[Any], Placing]] = {
    machines.FatTree: _fat_tree,
    machines.Butterfly: _butterfly,
    machines.Tree: _tree,
    machines.Dragonfly: _dragonfly,
    machines.FullyConnected: _fully_connected,
    machines.Star: _star,
    machines.Pair: _pair,
}


def _angle(number: int, count: int) -> float:
    """Return where a place on a circle is: the first on top, then clockwise."""
    return pi / 2 - 2 * pi * number / count


def _radius(count: int, apart: float) -> float:
    """Return the radius at which so many neighbours on a circle are so far apart."""
    return apart / (2 * sin(pi / count)) if count > 1 else 0.0


def _circle(count: int, apart: float) -> list[Point]:
    radius = max(_radius(count, apart), 1.0 if count > 1 else 0.0)
    angles = [_angle(number, count) for number in range(count)]
    return [(radius * cos(angle), radius * sin(angle)) for angle in angles]


def _free(machine: Machine, graph: Columns, switches: int) -> list[Point]:
    """Return the places the file names, or else those where springs along the links rest."""
    given = machine.graph.positions if isinstance(machine, machines.Graph) else None
    if given is not None:
        return _scaled(np.array(given, dtype=np.float64), graph)
    import networkx as nx

    network = nx.Graph()
    network.add_nodes_from(range(switches))
    ends = (graph["link_from"].tolist(), graph["link_to"].tolist())
    network.add_edges_from(zip(*ends, strict=True))
    if switches <= _MOST_SPRINGS_AT_REST:
        places = nx.kamada_kawai_layout(network)
    else:
        places = nx.spring_layout(network, seed=1)
    return _scaled(np.array([places[switch] for switch in range(switches)]), graph)


def _scaled(points: NDArray[np.float64], graph: Columns) -> list[Point]:
    """Return points at a scale at which links are about 1 long."""
    lengths = np.hypot(*(points[graph["link_from"]] - points[graph["link_to"]]).T)
    usual = float(np.median(lengths)) if lengths.size else 0.0
    scaled = points / usual if usual > 0 else points
    return [(float(x), float(y)) for x, y in scaled]
