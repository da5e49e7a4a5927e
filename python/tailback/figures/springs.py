"""Positions of a network without coordinates: springs as long as the shortest routes.

Classical scaling of the distances from some pivots [Brandes & Pich 2007] is the start. Small
networks are then drawn by stress majorisation [Gansner, Koren & North 2005]: switches come to lie
as far apart as there are links between them, as near as that can be done in a plane.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_MOST_AT_REST = 300
"""Switches of the largest network whose springs come to rest; larger ones keep their start."""
_PIVOTS = 60
_STEPS = 150
_ALIKE = 1e-9
"""Difference, as a share of the longest, of directions that are equally long."""
_STILL = 1e-4
"""Relative change of the stress at which springs are at rest."""


def at_rest(begin: NDArray[Any], end: NDArray[Any], switches: int) -> NDArray[np.float64]:
    """Return the positions of switches, one row each; links lead from `begin` to `end`.

    The same network has the same positions, but for rounding. Links are taken in both directions.
    """
    if switches < 3:
        return np.arange(switches, dtype=np.float64)[:, None] * [1.0, 0.0]
    ends = np.concatenate([begin, end]), np.concatenate([end, begin])
    are_few = switches <= _MOST_AT_REST
    pivots = np.arange(switches) if are_few else np.linspace(0, switches - 1, _PIVOTS).astype(int)
    apart = _distances(pivots, ends, switches)
    start = _scaled_classically(apart)
    return _majorised(start, apart) if are_few else start


def _distances(
    pivots: NDArray[Any], ends: tuple[NDArray[Any], NDArray[Any]], switches: int
) -> NDArray[np.float64]:
    """Return the links between each pivot and each switch; parts that are not joined lie apart."""
    found = np.full((len(pivots), switches), -1)
    found[np.arange(len(pivots)), pivots] = 0
    begin, end = ends
    step = 0
    while True:
        pivot, link = np.nonzero(found[:, begin] == step)
        reached = end[link]
        is_new = found[pivot, reached] < 0
        if not is_new.any():
            break
        step += 1
        found[pivot[is_new], reached[is_new]] = step
    found[found < 0] = 2 * step + 1
    return found.astype(np.float64)


def _scaled_classically(apart: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the two directions in which the distances from pivots differ most."""
    squared = apart**2
    centred = squared - squared.mean(0) - squared.mean(1, keepdims=True) + squared.mean()
    _, size, directions = np.linalg.svd(-0.5 * centred, full_matrices=False)
    places = (leading(size, directions) * np.sqrt(size[:2, None])).T
    # Switches whose distances are alike would lie on each other; a spiral tells them apart.
    turn = np.arange(len(places)) * np.pi * (3 - np.sqrt(5))
    radius = 1e-3 * np.abs(places).max() * np.sqrt(np.arange(1, len(places) + 1) / len(places))
    return np.asarray(places + radius[:, None] * np.stack([np.cos(turn), np.sin(turn)], axis=1))


def leading(size: NDArray[np.float64], directions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the first two directions; of those that are as long, the nearest to fixed ones.

    Which of these a library returns depends on the processor.
    """
    numbers = np.arange(directions.shape[1])
    chosen = np.zeros((2, directions.shape[1]))
    for place, fixed in enumerate((np.cos(numbers), np.sin(numbers))):
        alike = directions[np.abs(size - size[place]) <= _ALIKE * size[0]]
        nearest = alike.T @ (alike @ fixed)
        nearest -= chosen.T @ (chosen @ nearest)
        chosen[place] = nearest / np.linalg.norm(nearest)
    return chosen


def _majorised(places: NDArray[np.float64], apart: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return places of less stress: weights are one over the squared distance, as usual."""
    weights = 1 / np.where(apart > 0, apart, np.inf) ** 2
    solve = np.linalg.pinv(np.diag(weights.sum(1)) - weights)
    stress = np.inf
    for _ in range(_STEPS):
        offsets = places[:, None] - places[None]
        lengths = np.hypot(offsets[..., 0], offsets[..., 1])
        before, stress = stress, float((weights * (lengths - apart) ** 2).sum())
        if stress >= before * (1 - _STILL):
            break
        pulls = weights * apart / np.where(lengths > 0, lengths, np.inf)
        places = solve @ (np.diag(pulls.sum(1)) - pulls) @ places
    return places
