"""How the pairs of nodes of a line are sent in pieces that load no link twice.

A *piece* maps the places of a block of the line to each other, one to one, so that each directed
link of the line carries at most one of its messages. A *family* has disjoint blocks of the line
that together cover it, and for each of its *types* a piece on every block. All pieces of all
families together have each of the n * n pairs of places, those with themselves included, once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tailback.errors import UserError

Map = Sequence[tuple[int, int]]
"""Pairs of places: from, to."""


@dataclass(frozen=True)
class Family:
    """Blocks that cover a line, and pieces on them: ``pieces[type][block]``."""

    pieces: tuple[tuple[Map, ...], ...]

    @property
    def blocks(self) -> int:
        """Number of blocks."""
        return len(self.pieces[0])


def families(mesh: Sequence[int], side: int) -> list[Family]:
    """Return the families of a line of ``side`` places of a ``mesh``.

    Sides of 4 k have 2 k - 1 families of k blocks, and 4 k types in all: the fewest that there
    can be, since k * 4 k = n^2/4 pieces carry the n^2/4 messages that cross the middle of the line
    in one direction. Sides of 1, 2 and 3 are one block with as many types. Raises `UserError` for
    others.
    """
    if side in _SHORT:
        return [Family(tuple((mapping,) for mapping in _SHORT[side]))]
    if side % 4 or side < 4:
        allowed = f"side {side} must be 1, 2, 3 or a multiple of 4: of others no way is known of "
        allowed += "filling the links across the middle in every step"
        raise UserError("mesh", " x ".join(map(str, mesh)), allowed)
    quarter = side // 4
    return [_family(number, quarter) for number in range(2 * quarter - 1)]


_SHORT: dict[int, list[Map]] = {
    1: [[(0, 0)]],
    2: [[(0, 0), (1, 1)], [(0, 1), (1, 0)]],
    3: [[(0, 0), (1, 1), (2, 2)], [(0, 1), (1, 2), (2, 0)], [(0, 2), (1, 0), (2, 1)]],
}
"""Rotations: one way everybody goes one step, the other way the rest goes all the way."""


def _family(number: int, quarter: int) -> Family:
    """Return a family: a round of a tournament of the places of one half, mirrored."""
    rounds = 2 * quarter - 1
    pairs = [(rounds, number)]
    pairs += [((number + i) % rounds, (number - i) % rounds) for i in range(1, quarter)]
    ordered = [(min(pair), max(pair)) for pair in pairs]
    types = _TYPES if number == 0 else _TYPES[:2]
    last = 4 * quarter - 1
    return Family(
        tuple(tuple(kind(p, q, last - q, last - p) for p, q in ordered) for kind in types)
    )


#: Of a block of two places p < q of the lower half and their mirror images q' < p'.
_TYPES: Sequence[Callable[[int, int, int, int], Map]] = (
    lambda p, q, q_, p_: [(p, q), (q, p_), (p_, q_), (q_, p)],
    lambda p, q, q_, p_: [(p, q_), (q_, p_), (p_, q), (q, p)],
    lambda p, q, q_, p_: [(p, p), (p_, p_), (q, q_), (q_, q)],
    lambda p, q, q_, p_: [(q, q), (q_, q_), (p, p_), (p_, p)],
)
