"""How much the first internal channels can carry: a bound on every throttled rate."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from studies.tweedie.experiment import DIAMETER

_RADIUS = 8
_DATA_MS = 3.34e-3
_ACK_MS = 0.14e-3
"""Time a packet occupies a channel."""

Floats = NDArray[np.float64]


def capacity_per_ms() -> float:
    """Return the mean message rate at which every node's busiest first channel is full.

    All packets of a node, data and acknowledgements, begin on one of the four
    channels of its switch (x first). A node's share of data for one of them,
    and the acknowledgements it owes, are exact; the rates are a fixed point.
    """
    chosen, ways = _destinations(), _first_channels()
    data = np.stack([(chosen * way).sum(axis=1) for way in ways])
    rate = np.full(DIAMETER**2, 400.0)
    for _ in range(100):
        owed = (rate[:, None] * chosen).T
        acks = np.stack([(owed * way).sum(axis=1) for way in ways])
        with np.errstate(divide="ignore"):
            full = np.where(data > 0, (1 - _ACK_MS * acks) / (_DATA_MS * data), np.inf)
        rate = (rate + full.min(axis=0)) / 2
    return float(rate.mean())


def _offsets() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return x and y of every destination (column) less those of every source (row)."""
    node = np.arange(DIAMETER**2)
    x, y = node % DIAMETER, node // DIAMETER
    return x[None, :] - x[:, None], y[None, :] - y[:, None]


def _destinations() -> Floats:
    """Return the probability that a source (row) chooses a destination (column)."""
    dx, dy = _offsets()
    near = (np.maximum(abs(dx), abs(dy)) <= _RADIUS) & ((dx != 0) | (dy != 0))
    shares: Floats = near / near.sum(axis=1, keepdims=True)
    return shares


def _first_channels() -> list[NDArray[np.bool_]]:
    """Return for each direction whether a packet from row to column begins with it."""
    dx, dy = _offsets()
    return [dx < 0, dx > 0, (dx == 0) & (dy < 0), (dx == 0) & (dy > 0)]
