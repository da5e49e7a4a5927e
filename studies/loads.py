"""What every node of a square mesh sent and passed on in some runs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl

from studies.curve import Floats

Axis = Literal["x", "y"]

STARVED = 0.01
"""Nodes that send less than this share of the mean are starved."""


@dataclass(frozen=True, eq=False, slots=True)
class Loads:
    """Arrays of seeds, rows (y) and columns (x) of nodes."""

    rates: Floats
    """Messages sent per ms."""
    routed: Floats
    """Packets that left each switch per ms, data and acknowledgements."""
    ack_queues: Floats
    """Acknowledgements waiting in each node, averaged over time."""
    acknowledgements: Floats
    """Acknowledgements sent per ms."""

    @classmethod
    def of(cls, nodes: pl.DataFrame, channels: pl.DataFrame, window_ms: float) -> Loads:
        """Return the loads of runs from their tables of nodes and channels."""
        left = (
            channels.filter(pl.col("kind").cast(pl.String) != "injection")
            .group_by("identity", "from_node")
            .agg(pl.col("packets").sum())
            .sort("identity", "from_node")
        )
        side = math.isqrt(nodes["node"].n_unique())
        return cls(
            rates=_grid(nodes["messages_per_ms"], side),
            routed=_grid(left["packets"], side) / window_ms,
            ack_queues=_grid(nodes["ack_queue_mean"], side),
            acknowledgements=_grid(nodes["packets_sent_ack"], side) / window_ms,
        )

    @property
    def mean(self) -> float:
        """Messages per node and ms."""
        return float(self.rates.mean())

    @property
    def spread(self) -> float:
        """Standard deviation of the nodes' rates in a run, averaged over the runs."""
        return float(self.rates.std(axis=(1, 2)).mean())

    def by(self, axis: Axis) -> Floats:
        """Return messages per node and ms of each column (x) or row (y)."""
        means: Floats = self.rates.mean(axis=(0, 1) if axis == "x" else (0, 2))
        return means

    def starved(self, axis: Axis, share: float = STARVED) -> list[int]:
        """Return the columns or rows whose nodes send less than a share of the mean."""
        return [int(i) for i in np.flatnonzero(self.by(axis) < share * self.mean)]

    def surface(self, measure: Literal["rates", "routed"]) -> Floats:
        """Return the mean over the seeds, by y and x."""
        means: Floats = getattr(self, measure).mean(axis=0)
        return means


def _grid(values: pl.Series, side: int) -> Floats:
    grid: Floats = values.to_numpy().astype(np.float64).reshape(-1, side, side)
    return grid


def lines_text(axis: Axis, which: list[int]) -> str:
    """Return "x = 0 to 3, 12 to 15" for numbers of columns or rows; "none" for none."""
    spans: list[list[int]] = []
    for i in which:
        if spans and spans[-1][1] == i - 1:
            spans[-1][1] = i
        else:
            spans.append([i, i])
    texts = (f"{a}" if a == b else f"{a} to {b}" for a, b in spans)
    return f"{axis} = {', '.join(texts)}" if spans else "none"
