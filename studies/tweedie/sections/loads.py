"""Load over the mesh: how much each column or row of nodes gets to send."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from studies.markdown import table
from studies.tweedie.experiment import DIAMETER, Point
from studies.tweedie.measure import Measurements

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Load:
    """Runs, one per seed, whose messages are counted by column (x) or by row (y)."""

    name: str
    point: Point
    axis: str = "x"

    def rates(self, measured: Measurements) -> Floats:
        """Return messages per node and ms of each column or row: mean over nodes and seeds."""
        rates: Floats = self._by_line(measured).mean(axis=1)
        return rates

    def silent(self, measured: Measurements) -> Flags:
        """Return of which columns or rows no node sent any message, with any seed."""
        silent: Flags = (self._by_line(measured) == 0).all(axis=1)
        return silent

    def verdict(self, measured: Measurements) -> str:
        """Return one line: which columns or rows are starved."""
        rates, silent = self.rates(measured), self.silent(measured)
        mean = rates.mean()
        if not (rates < mean / 10).any():
            return f"- {self.name}: none starved."
        parts = (
            f"under a tenth of the mean {self._lines(rates < mean / 10)}",
            f"under a hundredth {self._lines(rates < mean / 100)}",
            f"no message at all {self._lines(silent)}",
        )
        return f"- {self.name}: {'; '.join(parts)}."

    def _by_line(self, measured: Measurements) -> Floats:
        """Return the rates of all nodes (and seeds) of each column or row."""
        grid = (len(self.point), DIAMETER, DIAMETER)
        by_seed_y_x = np.array([measured[e].node_rates for e in self.point]).reshape(grid)
        line = 2 if self.axis == "x" else 1
        return np.moveaxis(by_seed_y_x, line, 0).reshape(DIAMETER, -1)

    def _lines(self, which: Flags) -> str:
        """Return "x = 0 to 3, 12 to 15" for the columns that are True."""
        ends = np.flatnonzero(np.diff(np.concatenate([[False], which, [False]])))
        spans = [
            f"{first}" if first == beyond - 1 else f"{first} to {beyond - 1}"
            for first, beyond in zip(ends[::2], ends[1::2], strict=True)
        ]
        return f"{self.axis} = {', '.join(spans)}" if spans else "none"


def load_table(loads: Iterable[Load], measured: Measurements) -> str:
    """Return messages per node and ms, one row per load, one column per column of nodes."""
    lines = [[load.name, *(f"{rate:.1f}" for rate in load.rates(measured))] for load in loads]
    return table(["", *(f"{i}" for i in range(DIAMETER))], lines)


def verdicts(loads: Iterable[Load], measured: Measurements) -> str:
    """Return one line per load that says which columns or rows are starved."""
    return "\n".join(load.verdict(measured) for load in loads)
