"""Which links fail together: different sets, drawn by a seed, or all sets where these are few."""

from __future__ import annotations

import hashlib
from itertools import combinations
from math import comb

#: Sets that are listed and sorted by what is drawn for each; of more, sets are drawn one by one.
_LISTED = 100_000


def sets_of(links: int, failures: int, draws: int, seed: int) -> list[tuple[int, ...]]:
    """Return up to ``draws`` different sets of ``failures`` links, all equally likely.

    All sets, in order, if there are no more. The first sets are the same with more draws.
    """
    every = comb(links, failures)
    if every <= draws:
        return list(combinations(range(links), failures))
    if every <= _LISTED:
        listed = combinations(range(links), failures)
        return sorted(listed, key=lambda one: _drawn(seed, *one))[:draws]
    found: dict[tuple[int, ...], None] = {}
    attempt = 0
    while len(found) < draws:
        found[_drawn_set(links, failures, seed, attempt)] = None
        attempt += 1
    return list(found)


def _drawn_set(links: int, failures: int, seed: int, attempt: int) -> tuple[int, ...]:
    """Return one set: links are drawn until there are enough different ones."""
    chosen: set[int] = set()
    number = 0
    while len(chosen) < failures:
        chosen.add(int.from_bytes(_drawn(seed, failures, attempt, number), "big") % links)
        number += 1
    return tuple(sorted(chosen))


def _drawn(seed: int, *key: int) -> bytes:
    """Return what is drawn for a key: the same with every version of every library."""
    return hashlib.sha256(f"{seed} {key}".encode()).digest()
