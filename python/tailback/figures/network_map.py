"""A network as a map: switches, nodes, and links in the colours of their loads."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from tailback.wording.scaling import Unit, unit_for

from .look import LIGHT
from .placing import Group, Point

SCALE = ("#4575d4", "#1f9e89", "#b8921f", "#e5602f", "#c2255c")
"""Colours of loads, from none to the highest: all are visible on white and on black."""

HELD = SCALE[-1]
"""The colour of deadlocked packets and of the channels that they hold."""

_SHADES = 32

Channel = tuple[str, int, int]
"""Kind of channels, and the numbers of what they lead from and to."""

Role = Literal["link", "failed", "held"]

_FEW, _MANY = 80, 400
_HELD_WIDER = 1.8


@dataclass(frozen=True)
class Edge:
    """A link, or the channels between a node and its switch."""

    points: Sequence[Point]
    text: str
    value: float
    """Its load; NaN if unknown."""
    width: int = 1
    """How many wires it has."""
    role: Role = "link"
    """A failed link is dashed; a link held by a deadlocked packet stands out."""
    channel: Channel | None = None
    """The channels that it represents."""


@dataclass(frozen=True)
class Dot:
    """A switch or a node: what is written beside it, and its tooltip."""

    point: Point
    name: str
    text: str


@dataclass(frozen=True)
class NetworkMap:
    """Links in the colours of their loads, and on top of them switches and nodes with names."""

    title: str
    edges: Sequence[Edge]
    switches: Sequence[Dot]
    nodes: Sequence[Dot]
    groups: Sequence[Group] = ()
    steps: Sequence[Dot] = ()
    """Deadlocked packets in the order of their cycle: each waits for the next."""
    fixed_unit: str = ""
    """The unit in which loads are given; they are shown in the unit that suits the highest load."""
    measure: str = ""
    """What follows the unit in the title of the colour scale."""
    summary: str = ""
    """The text at the end of the colour scale in files; by default the highest load."""
    least: float = 0.0
    """The load shown in the first colour."""
    unknown: str = LIGHT.faint
    """The colour of edges whose load is not known."""
    box: float = 0.0
    """The side length of nodes drawn as squares with their names inside; 0: nodes are dots."""
    px_per_unit: float = math.inf
    """The largest scale used in a file."""

    @cached_property
    def most(self) -> float:
        """The highest load; 0 if none is known."""
        return max((edge.value for edge in self.edges if math.isfinite(edge.value)), default=0.0)

    @cached_property
    def unit(self) -> Unit:
        """The unit that suits the highest load."""
        return unit_for([self.most], self.fixed_unit)

    def share(self, edge: Edge) -> float | None:
        """Return where on the scale of colours an edge is, from 0 to 1; None if not known."""
        if not math.isfinite(edge.value) or self.most == 0 or edge.value < self.least:
            return None
        return (edge.value - self.least) / ((self.most - self.least) or 1.0)

    def tooltip(self, edge: Edge) -> str:
        """Return the tooltip of an edge: its ends and its load."""
        if not math.isfinite(edge.value) or self.most == 0:
            return edge.text
        return f"{edge.text}: {edge.value / self.unit.size:.4g} {self.unit.name}"

    def stroke(self, edge: Edge) -> float:
        """Return the thickness of an edge in pixels; edges of several wires are thicker."""
        if self.box:
            return 4.0
        count = len(self.edges)
        thin = 3.0 if count < _FEW else 2.0 if count < _MANY else 1.2
        return (
            thin * (1 + 0.5 * math.log2(edge.width)) * (_HELD_WIDER if edge.role == "held" else 1)
        )

    @property
    def most_text(self) -> str:
        """The text at the end of the colour scale."""
        highest = f"{self.most / self.unit.size:.4g} {self.unit.name} {self.measure}"
        return self.summary or highest

    @property
    def dot_px(self) -> float:
        """The diameter of a switch in pixels."""
        return 10 if len(self.switches) < _MANY else 5

    @property
    def waiting(self) -> list[Point]:
        """The closed path from packet to packet."""
        return [step.point for step in (*self.steps, *self.steps[:1])]

    @cached_property
    def corners(self) -> tuple[Point, Point]:
        """The lower left and the upper right corner of all that is drawn."""
        points = [point for edge in self.edges for point in edge.points]
        points += [dot.point for dot in (*self.switches, *self.nodes, *self.steps)]
        points += [corner for group in self.groups for corner in group.corners]
        xs, ys = zip(*points, strict=True)
        return (min(xs), min(ys)), (max(xs), max(ys))

    @property
    def extent(self) -> float:
        """Width or height, whichever is more."""
        (left, low), (right, high) = self.corners
        return max(right - left, high - low, 1e-9)


def shade(share: float) -> str:
    """Return the colour of a place on the scale, from 0 to 1: one of 32."""
    place = round(share * (_SHADES - 1)) / (_SHADES - 1) * (len(SCALE) - 1)
    first = min(int(place), len(SCALE) - 2)
    parts = zip(_rgb(SCALE[first]), _rgb(SCALE[first + 1]), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * (place - first)):02x}" for a, b in parts)


def _rgb(colour: str) -> tuple[int, ...]:
    return tuple(int(colour[i : i + 2], 16) for i in (1, 3, 5))
