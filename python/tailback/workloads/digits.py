"""Patterns of digits to any base, along one dimension, and with two destinations a node.

Each is what its formula in ``docs/model.md`` says; the engine is told the destinations.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod

from ..errors import UserError, choice, shown
from .patterns import Pattern, refuse_identity

#: Patterns of digits, which need a base.
OF_DIGITS: tuple[Pattern, ...] = ("digit_reverse", "digit_shuffle")
#: Patterns that give every node two destinations.
OF_TWO: tuple[Pattern, ...] = ("diagonal", "asymmetric")
#: Patterns that may move along one dimension alone.
OF_DIMENSIONS: tuple[Pattern, ...] = ("tornado", "neighbour")

Row = tuple[tuple[int, float], ...]


@lru_cache(maxsize=8)
def digit_permutation(pattern: Pattern, nodes: int, base: int) -> tuple[int, ...]:
    """Return for every node the one whose digits are its own in reverse order, or rotated left.

    Raises `UserError` if the number of nodes is no power of the base.
    """
    count = 0
    while base**count < nodes:
        count += 1
    if base**count != nodes:
        needed = f"needs a power of pattern_base = {base} of nodes, not {nodes}"
        raise UserError("workload.pattern", shown(pattern), needed)
    if pattern == "digit_shuffle":
        highest = nodes // base
        found = tuple(node % highest * base + node // highest for node in range(nodes))
    else:
        found = tuple(_reversed(node, base, count) for node in range(nodes))
    refuse_identity(pattern, found)
    return found


def _reversed(node: int, base: int, count: int) -> int:
    found = 0
    for _ in range(count):
        node, digit = divmod(node, base)
        found = found * base + digit
    return found


@lru_cache(maxsize=8)
def moved_along(
    pattern: Pattern, nodes: int, shape: tuple[int, ...], dimension: str
) -> tuple[int, ...]:
    """Return for every node the one that is further by the pattern's step in one dimension.

    Raises `UserError` for a machine without it.
    """
    names = [*"xyz", *(f"x{number}" for number in range(3, len(shape)))][: len(shape)]
    if dimension not in names:
        if not names:
            allowed = "needs a machine with coordinates, such as a mesh"
            raise UserError("workload.pattern_dimension", shown(dimension), allowed)
        raise choice("workload.pattern_dimension", dimension, names)
    place = names.index(dimension)
    side = shape[place]
    step = 1 if pattern == "neighbour" else (side + 1) // 2 - 1
    stride = nodes // prod(shape) * prod(shape[:place])

    def to(node: int) -> int:
        at = node // stride % side
        return node + ((at + step) % side - at) * stride

    found = tuple(map(to, range(nodes)))
    refuse_identity(pattern, found)
    return found


def rows(pattern: Pattern, nodes: int, *, includes_self: bool) -> Sequence[Row]:
    """Return the destinations of every node with their weights.

    Raises `UserError` where the pattern is not defined.
    """
    if pattern == "diagonal":
        if not includes_self:
            allowed = (
                "needs includes_self = true: two thirds of the messages are to the node itself"
            )
            raise UserError("workload.pattern", shown(pattern), allowed)
        return [((node, 2.0), ((node + 1) % nodes, 1.0)) for node in range(nodes)]
    if nodes % 2:
        allowed = f"needs an even number of nodes, not {nodes}"
        raise UserError("workload.pattern", shown(pattern), allowed)
    half = nodes // 2
    both = [(node % half, node % half + half) for node in range(nodes)]
    return [
        tuple((to, 1.0) for to in pair if includes_self or to != node)
        for node, pair in enumerate(both)
    ]
