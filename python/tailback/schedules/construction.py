"""Schedules of a complete exchange: in a collapsible order, or without regard for the network.

The steps of a mesh are products of pieces of its lines (`lines`). That steps of an order can be
merged with their neighbours is what [Bokhari & Nicol 1996, section 5] ask for without printing a
construction; this one has the permutations of their figure 5 as steps 120 and 121 of 8 x 8.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import product
from math import prod
from typing import Literal

import numpy as np

from tailback.errors import UserError

from .lines import Family, Map, families
from .schedule import Numbers, Schedule

Naive = Literal["ascending", "shifted", "random"]
"""In which order a node that regards nothing sends: to 0, 1, 2, ...; to its successor, the one
after that, ... and round to its predecessor; or to all in an order of its own."""

Order = Literal["bounded", "scott", "naive_ascending", "naive_shifted", "naive_random"]
"""In which order messages are sent: collapsible, with barriers or without."""

_NAIVE: dict[Order, Naive] = {
    "naive_ascending": "ascending",
    "naive_shifted": "shifted",
    "naive_random": "random",
}

MOST_MESSAGES = 2**24
"""Of the largest schedule that is made."""


def collapsible(shape: Sequence[int]) -> Schedule:
    """Return a complete exchange in the fewest steps without contention, for groups of any size.

    Per step each node sends at most one message and receives at most one, and each directed link
    carries at most one under row-then-column routing (dimension after dimension). There are as
    many steps as there are nodes, times the longest side over 4 (at least 1): `per_full` of them,
    one behind the other, keep every node busy once. Messages of nodes to themselves are among them.
    Works for meshes of any number of dimensions whose sides are 1, 2, 3 or multiples of 4; raises
    `UserError` for others.
    """
    return _collapsible(checked(shape))


# Groups of several sizes are of the same steps.
@lru_cache(maxsize=4)
def _collapsible(shape: tuple[int, ...]) -> Schedule:
    lines = [families(shape, side) for side in reversed(shape)]
    steps = list(_steps(lines, per_full(shape)))
    strides = [prod(shape[:axis]) for axis in reversed(range(len(shape)))]
    numbers, ends = [], []
    for number, step in enumerate(steps):
        for pieces in step:
            pairs = _product(pieces, strides)
            ends += pairs
            numbers += [number] * len(pairs)
    source, destination = np.array(ends, dtype=np.int64).T
    step_of = np.array(numbers, dtype=np.int64)
    order = np.lexsort((source, step_of))
    return Schedule(
        "bounded", shape, step_of[order], source[order], destination[order], len(steps), 1
    )


def in_order(shape: Sequence[int], order: Order, seed: int = 1) -> Schedule:
    """Return a complete exchange in an order; `bounded` with a barrier after every step.

    ``seed`` is that of `naive_random`. Raises `UserError` where there is no such schedule.
    """
    if order == "bounded":
        return collapsible(shape)
    return scott(shape) if order == "scott" else naive(shape, _NAIVE[order], seed)


def checked(shape: Sequence[int]) -> tuple[int, ...]:
    """Return the sides of a mesh; raises `UserError` if it is too large for a schedule."""
    nodes = prod(shape)
    if nodes < 2:
        raise UserError("mesh", " x ".join(map(str, shape)), "must have at least two nodes")
    if nodes**2 > MOST_MESSAGES:
        allowed = f"must have at most {int(MOST_MESSAGES**0.5)} nodes"
        raise UserError("mesh", " x ".join(map(str, shape)), allowed)
    return tuple(shape)


def per_full(shape: Sequence[int]) -> int:
    """Return how many steps keep every node busy once: a quarter of the longest side."""
    return max(1, max(shape) // 4)


def _steps(lines: list[list[Family]], shifts: int) -> Iterator[list[list[Map]]]:
    """Yield for each step the products of pieces that are sent in it.

    Nested: families, then types, dimension by dimension, then the shift. Blocks of one shift are
    such that all but one of their numbers say the last one: so each line of the mesh has the
    messages of one piece only, and all shifts together have all combinations of blocks.
    """
    for chosen in product(*lines):
        for types in product(*(family.pieces for family in chosen)):
            combinations = list(product(*(range(family.blocks) for family in chosen)))
            for shift in range(shifts):
                yield [
                    [pieces[block] for pieces, block in zip(types, blocks, strict=True)]
                    for blocks in combinations
                    if (blocks[-1] - sum(blocks[:-1])) % shifts == shift
                ]


def _product(pieces: list[Map], strides: list[int]) -> list[tuple[int, int]]:
    """Return the pairs of nodes of which each coordinate is a pair of a piece."""
    return [
        (
            sum(ends[0] * stride for ends, stride in zip(pairs, strides, strict=True)),
            sum(ends[1] * stride for ends, stride in zip(pairs, strides, strict=True)),
        )
        for pairs in product(*pieces)
    ]


def scott(shape: Sequence[int]) -> Schedule:
    """Return a complete exchange with a barrier after every step [Scott 1991].

    Its steps may come in any order; these come in the collapsible one.
    """
    made = collapsible(shape)
    return Schedule(
        "scott", made.shape, made.step, made.source, made.destination, made.steps, group=1
    )


def naive(shape: Sequence[int], order: Naive = "shifted", seed: int = 1) -> Schedule:
    """Return a complete exchange without barriers in which every node sends in a simple order."""
    shape = checked(shape)
    nodes = prod(shape)
    own = np.arange(nodes)[:, np.newaxis]
    if order == "ascending":
        # Everybody leaves out itself.
        turns = np.arange(nodes - 1)[np.newaxis, :]
        to = turns + (turns >= own)
    elif order == "shifted":
        to = (own + np.arange(1, nodes)[np.newaxis, :]) % nodes
    else:
        drawn = np.random.Generator(np.random.PCG64(seed))
        to = np.stack([_others(drawn.permutation(nodes), node) for node in range(nodes)])
    destination = to.T.ravel()
    source = np.tile(np.arange(nodes), nodes - 1)
    step = np.repeat(np.arange(nodes - 1), nodes)
    return Schedule(f"naive_{order}", shape, step, source, destination, nodes - 1, nodes - 1)


def _others(order: Numbers, node: int) -> Numbers:
    kept: Numbers = order[order != node]
    return kept
