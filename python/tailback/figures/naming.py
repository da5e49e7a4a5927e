"""Placement of names beside dots so that they do not overlap.

Text widths are estimated. A name that fits nowhere is left out; the tooltip still shows it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .network_map import NetworkMap
from .placing import Point

_LETTER, _LINE = 7.0, 15.0
"""Width of a letter and height of a line of the usual font, in pixels."""
_DOT = 7.0
_APART = 14.0
_MOST = 400

Box = tuple[float, float, float, float]
"""Left, right, low and high end, in pixels."""


@dataclass(frozen=True, slots=True)
class Name:
    """A text and the offset of its centre from a point, in pixels right and up."""

    point: Point
    text: str
    right: float
    up: float

    @property
    def half_px(self) -> float:
        """Half of its width, estimated."""
        return len(self.text) * _LETTER / 2


def named_switches(network: NetworkMap, width_px: float) -> list[Name]:
    """Return the names of switches that fit into a drawing of about this width or height."""
    dots = [(dot.point, dot.name) for dot in network.switches]
    others = [dot.point for dot in (*network.nodes, *network.steps)]
    return placed_names(dots, others, width_px / network.extent)


def placed_names(
    dots: Sequence[tuple[Point, str]], obstacles: Sequence[Point], px_per_unit: float
) -> list[Name]:
    """Return the names that fit beside their dots at this scale.

    `obstacles` are points that no name may cover, beside the dots themselves.
    """
    if len(dots) > _MOST:
        return []
    taken = [_around(point, px_per_unit) for point, _ in dots]
    taken += [_around(point, px_per_unit) for point in obstacles]
    found: list[Name] = []
    for point, text in dots:
        for right, up in _places(text):
            box = _box(point, text, right, up, px_per_unit)
            if not any(_overlap(box, other) for other in taken):
                taken.append(box)
                found.append(Name(point, text, right, up))
                break
    return found


def _places(text: str) -> Iterator[tuple[float, float]]:
    """Yield possible positions of a name, the best first: above, below, right, left."""
    aside = len(text) * _LETTER / 2 + _DOT + 3
    yield 0, _APART
    yield 0, -_APART
    yield aside, 0
    yield -aside, 0


def _around(point: Point, scale: float) -> Box:
    x, y = point[0] * scale, point[1] * scale
    return x - _DOT / 2, x + _DOT / 2, y - _DOT / 2, y + _DOT / 2


def _box(point: Point, text: str, right: float, up: float, scale: float) -> Box:
    x, y = point[0] * scale + right, point[1] * scale + up
    half = len(text) * _LETTER / 2
    return x - half, x + half, y - _LINE / 2, y + _LINE / 2


def _overlap(one: Box, other: Box) -> bool:
    apart = one[1] <= other[0] or other[1] <= one[0] or one[3] <= other[2] or other[3] <= one[2]
    return not apart
