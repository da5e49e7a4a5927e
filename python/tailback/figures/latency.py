"""Distributions of latencies: cumulative and density, from histograms.

Stored histograms have narrow bins (64 per octave). Four bins are merged, which
reduces noise without visible loss: 16 per octave, at 2^k (1 + j/16) ps. Borders
coincide with those of stored bins, so counts stay whole. Percentiles come from
the stored bins.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tailback.tables.bins import BINS, percentiles_of, together
from tailback.wording import UNKNOWN, plain

from .description import Axis, Line, Panel, View
from .look import MODE_LOOKS

Floats = NDArray[np.float64]

PERCENTILES = (50, 90, 99)
_PER_OCTAVE = 16
_PS_IN_US = 1e6
_HEIGHT_PX = 560
_TIME = Axis("time", "µs", log=True)
_SHARE = Axis("share not above", log=False, percent=True, from_zero=True)
_DENSITY = Axis("share per decade", log=False, from_zero=True)


@dataclass(frozen=True, eq=False, slots=True)
class Bins:
    """A histogram of times in picoseconds: borders `low` to `high`, both included, ascending."""

    low: NDArray[np.uint64]
    high: NDArray[np.uint64]
    count: NDArray[np.uint64]

    @property
    def total(self) -> int:
        """How many values there are."""
        return int(self.count.sum())

    def percentile_us(self, percent: float) -> float:
        """Return the time below which `percent` of the values lie, interpolated in its bin."""
        [found] = percentiles_of(self.low, self.high, self.count, [percent])
        return found / _PS_IN_US

    @classmethod
    def together(cls, parts: Sequence[Bins]) -> Bins:
        """Return the sum of histograms with the same bins."""
        columns = (np.concatenate([getattr(part, name) for part in parts]) for name in BINS)
        return cls(*together(*columns))


def distribution(modes: Sequence[str], bins: Mapping[str, Bins]) -> View:
    """Return the distributions of `modes`; modes without packets have no lines.

    The upper panel is cumulative, with percentiles; the lower one is the density.
    """
    known = {mode: b for mode, b in bins.items() if b.total > 0}
    edges, counts = _coarse(known)
    times = (edges / _PS_IN_US).astype(np.float32)
    table: dict[str, Any] = {"from_us": times}
    note = [("", *(f"p{percent}" for percent in PERCENTILES), "counted")]
    above: list[Line] = []
    below: list[Line] = []
    for number, mode in enumerate(modes):
        if mode not in known:
            note.append((mode, *(UNKNOWN for _ in PERCENTILES), "0"))
            continue
        share, density = _shapes(edges, counts[mode])
        at = [known[mode].percentile_us(percent) for percent in PERCENTILES]
        look = MODE_LOOKS.get(mode, "solid")
        above.append(Line(mode, times, share, colour=number, look=look, marked=False))
        words = [f"p{percent}" for percent in PERCENTILES]
        shares = [percent / 100 for percent in PERCENTILES]
        above.append(Line(mode, at, shares, colour=number, look="points", remarks=words))
        below.append(Line(mode, times, density, colour=number, look=look, is_area=True))
        table |= {f"{mode}_share_not_above": share, f"{mode}_share_per_decade": density}
        note.append((mode, *(f"{plain(us, 4)} µs" for us in at), f"{known[mode].total:,}"))
    panels = (Panel(above, _TIME, _SHARE), Panel(below, _TIME, _DENSITY))
    return View(panels, table, tuple(note), _HEIGHT_PX)


def _coarse(bins: Mapping[str, Bins]) -> tuple[Floats, dict[str, Floats]]:
    """Return borders (ps) that enclose all values, and the counts of each between them."""
    if not bins:
        return np.array([]), {}
    places = {mode: _number(b.low) for mode, b in bins.items()}
    first = min(int(p.min()) for p in places.values())
    last = max(int(p.max()) for p in places.values())
    numbers = np.arange(first, last + 2)
    octave, part = np.divmod(numbers, _PER_OCTAVE)
    edges = np.exp2(octave) * (1 + part / _PER_OCTAVE)
    counts: dict[str, Floats] = {}
    for mode, b in bins.items():
        weights = b.count.astype(np.float64)
        counts[mode] = np.bincount(places[mode] - first, weights, last - first + 1).astype(
            np.float64
        )
    return edges, counts


def _number(low: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return the number of the coarse bin of values: 16 k + j from 2^k (1 + j/16) on."""
    _, exponent = np.frexp(np.maximum(low, 1).astype(np.float64))
    octave = exponent.astype(np.int64) - 1
    part = np.floor((low / np.exp2(octave) - 1) * _PER_OCTAVE).astype(np.int64)
    result: NDArray[np.int64] = octave * _PER_OCTAVE + np.maximum(part, 0)
    return result


def _shapes(edges: Floats, counts: Floats) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return, at every border, the share below it and the density above it (per decade)."""
    share = np.concatenate([[0.0], np.cumsum(counts)]) / counts.sum()
    density = np.append(counts / counts.sum() / np.diff(np.log10(edges)), 0.0)
    return share.astype(np.float32), density.astype(np.float32)
