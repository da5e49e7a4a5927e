"""Traffic patterns: which node sends to which.

The formulas are those of [Dally & Towles 2004], table 3.1; ``docs/model.md`` has
them. The engine has them too: here they say what a description needs, how many
nodes send anything, and which wait for each other. Patterns of digits to any base, along one
dimension, and with two destinations a node are only here; the engine is told the destinations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import prod
from random import Random
from typing import Literal

from ..errors import UserError, choice, shown

Pattern = Literal[
    "uniform",
    "transpose",
    "bit_complement",
    "bit_reverse",
    "shuffle",
    "butterfly",
    "tornado",
    "neighbour",
    "hot_spot",
    "next_group",
    "traffic_matrix",
    "permutation",
    "random_permutation",
    "digit_reverse",
    "digit_shuffle",
    "diagonal",
    "asymmetric",
]

#: Patterns that draw destinations at random.
DRAWN: tuple[Pattern, ...] = (
    "uniform",
    "hot_spot",
    "next_group",
    "traffic_matrix",
    "diagonal",
    "asymmetric",
)
#: Patterns of digits, which need a base.
OF_DIGITS: tuple[Pattern, ...] = ("digit_reverse", "digit_shuffle")
#: Patterns that give every node two destinations.
OF_TWO: tuple[Pattern, ...] = ("diagonal", "asymmetric")
#: Patterns that may move along one dimension alone.
OF_DIMENSIONS: tuple[Pattern, ...] = ("tornado", "neighbour")

Row = tuple[tuple[int, float], ...]


@lru_cache(maxsize=8)
def destinations(pattern: Pattern, nodes: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return for every node the node it sends to, in a pattern that is a formula.

    ``shape``: switches along each dimension, each with as many nodes; empty for a machine without
    coordinates. Raises `UserError` if the pattern is not defined for this machine.
    """
    return tuple(map(_formula(pattern, nodes, shape), range(nodes)))


@lru_cache(maxsize=8)
def random_permutation(nodes: int, seed: int) -> tuple[int, ...]:
    """Return one of all permutations, all equally likely; the same everywhere for a seed.

    Places are exchanged from the last one down [Durstenfeld 1964], by numbers of the Mersenne
    Twister, which Python keeps as they are.
    """
    draw = Random(seed)
    to = list(range(nodes))
    for last in range(nodes - 1, 0, -1):
        place = int(draw.random() * (last + 1))
        to[place], to[last] = to[last], to[place]
    return tuple(to)


def refuse_identity(pattern: Pattern, to: Sequence[int]) -> None:
    """Raise `UserError` if every node would send to itself."""
    if all(node == destination for node, destination in enumerate(to)):
        allowed = "leaves nobody to send to: here every node is its own destination"
        raise UserError("workload.pattern", shown(pattern), allowed)


def longest_cycle(to: Sequence[int]) -> int:
    """Return how many nodes come after each other, at most, until one sends to the first."""
    seen = [False] * len(to)
    longest = 0
    for start in range(len(to)):
        length, node = 0, start
        while not seen[node]:
            seen[node] = True
            length, node = length + 1, to[node]
        longest = max(longest, length)
    return longest


def _formula(pattern: Pattern, nodes: int, shape: tuple[int, ...]) -> Callable[[int], int]:
    bits = nodes.bit_length() - 1
    is_power = nodes == 1 << bits
    if pattern == "transpose":
        return _transpose(nodes, shape)
    if pattern in ("bit_reverse", "shuffle", "butterfly"):
        if not is_power:
            raise _needs(pattern, f"a power of two of nodes, not {nodes}")
        return _of_bits(pattern, bits)
    if pattern == "bit_complement":
        if not is_power and not shape:
            raise _needs(pattern, f"a grid or a power of two of nodes, not {nodes}")
        return lambda node: nodes - 1 - node
    if not shape:
        raise _needs(pattern, "a machine with coordinates, such as a mesh")
    if pattern == "tornado":
        return _moved(nodes, shape, [(side + 1) // 2 - 1 for side in shape])
    return _moved(nodes, shape, [1] * len(shape))


def _of_bits(pattern: Pattern, bits: int) -> Callable[[int], int]:
    """Return a formula that exchanges bits of a node's number."""
    if pattern == "butterfly":
        ends = 1 | 1 << (bits - 1)
        # Where the first and the last bit differ, both change.
        return lambda node: node ^ (ends if (node ^ node >> (bits - 1)) & 1 else 0)
    if pattern == "shuffle":
        return lambda node: (node << 1 | node >> (bits - 1)) & ((1 << bits) - 1)
    return lambda node: int(f"{node:0{bits}b}"[::-1], 2)


def _transpose(nodes: int, shape: tuple[int, ...]) -> Callable[[int], int]:
    if len(shape) == 2 and shape[0] == shape[1]:
        side, per_switch = shape[0], nodes // prod(shape)

        def turned(node: int) -> int:
            switch, place = divmod(node, per_switch)
            return (switch // side + switch % side * side) * per_switch + place

        return turned
    half = (nodes.bit_length() - 1) // 2
    if nodes != 1 << 2 * half:
        needed = "a square grid of two dimensions or an even power of two of nodes"
        raise _needs("transpose", f"{needed}, not {nodes}")
    return lambda node: node >> half | (node & (1 << half) - 1) << half


def _moved(nodes: int, shape: tuple[int, ...], by: Sequence[int]) -> Callable[[int], int]:
    """Return a function that moves a node by ``by`` along each dimension, modulo the side.

    Where switches have several nodes, it has the same place on its switch.
    """
    per_switch = nodes // prod(shape)
    strides = [per_switch * prod(shape[:dimension]) for dimension in range(len(shape))]

    def to(node: int) -> int:
        places = zip(shape, strides, by, strict=True)
        moved = ((node // stride + step) % side * stride for side, stride, step in places)
        return sum(moved) + node % per_switch

    return to


def _needs(pattern: Pattern, needed: str) -> UserError:
    return UserError("workload.pattern", shown(pattern), f"needs {needed}")


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

    return tuple(map(to, range(nodes)))


def weighted_rows(pattern: Pattern, nodes: int, *, includes_self: bool) -> Sequence[Row]:
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
