"""How many messages share a node or a link, counted along the ways they go."""

from __future__ import annotations

from math import prod

import numpy as np
from numpy.typing import NDArray

from .schedule import Numbers, coordinates

Loads = NDArray[np.int64]
"""By window, dimension, direction (0: up, 1: down) and node: messages on the channel that leaves
the node. Those that would leave the mesh carry none."""

_MOST_CELLS = 2**22


def link_loads(
    shape: tuple[int, ...], window: Numbers, source: Numbers, destination: Numbers, windows: int
) -> Loads:
    """Return the messages on every channel in each of ``windows`` windows of time.

    Ways are dimension-order ones: along the row to the right column, then along the column.
    """
    at, to = coordinates(shape, source), coordinates(shape, destination)
    loads = np.zeros((windows, len(shape), 2, prod(shape)), dtype=np.int64)
    here = list(at)
    for axis, side in enumerate(shape):
        begin, end = at[axis], to[axis]
        for direction, low, high in (
            (0, begin, np.maximum(begin, end)),
            (1, np.minimum(begin, end) + 1, begin + 1),
        ):
            loads[:, axis, direction] = _covered(
                shape, axis, side, window, here, low, high, windows
            )
        here[axis] = end
    return loads


def _covered(  # noqa: PLR0913, PLR0917  # one line of each message: where, from, to
    shape: tuple[int, ...],
    axis: int,
    side: int,
    window: Numbers,
    here: list[Numbers],
    low: Numbers,
    high: Numbers,
    windows: int,
) -> Loads:
    """Return how many messages leave each place along ``axis`` from low to high - 1."""
    longer = [*shape]
    longer[axis] = side + 1
    # As arrays are laid out: the first coordinate last.
    layout = (windows, *reversed(longer))
    change = np.zeros(prod(layout), dtype=np.int64)
    for place, sign in ((low, 1), (high, -1)):
        index = list(here)
        index[axis] = place
        flat = np.ravel_multi_index((window, *reversed(index)), layout)
        change += sign * np.bincount(flat, minlength=change.size)
    along = len(shape) - axis
    counted = change.reshape(layout).cumsum(axis=along)
    kept = counted.take(range(side), axis=along)
    return kept.reshape(windows, -1)


def most_on_a_link(
    shape: tuple[int, ...], window: Numbers, source: Numbers, destination: Numbers
) -> int:
    """Return the most messages on one directed link in one window; windows ascend."""
    windows = int(window[-1]) + 1 if window.size else 0
    at_once = max(1, _MOST_CELLS // (2 * len(shape) * prod(shape)))
    most = 0
    for first in range(0, windows, at_once):
        low, high = np.searchsorted(window, [first, first + at_once])
        part = window[low:high] - first
        count = min(at_once, windows - first)
        loads = link_loads(shape, part, source[low:high], destination[low:high], count)
        most = max(most, int(loads.max(initial=0)))
    return most


def most_of_a_node(window: Numbers, node: Numbers, nodes: int) -> int:
    """Return the most messages that a node has in one window."""
    if not node.size:
        return 0
    return int(np.unique(window * nodes + node, return_counts=True)[1].max())
