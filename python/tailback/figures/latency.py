"""Distributions of latencies: cumulative and density, from histograms.

The bins of stored histograms are narrow (64 to an octave). Four of them are
taken together, which the eye does not see and which leaves less noise: 16 to an
octave, at 2^k (1 + j/16) ps. Their borders are borders of stored bins, so counts
stay whole. Percentiles come from the stored bins.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tailback.wording import UNKNOWN, plain

from .curves import log_ticks, named
from .drawing import Drawing, Path, Settings
from .look import MODE_LOOKS, colour, dash, see_through

Floats = NDArray[np.float64]

PERCENTILES = (50, 90, 99)
_PER_OCTAVE = 16
_PS_IN_US = 1e6
_TRACES = 3
"""Traces of each mode: cumulative, density, percentiles."""
_HEIGHT_PX = 560
TIMES: Path = ("table", 0, "values")
"""Where the borders of the bins are, in what `shown` returns."""
_NOTE: Path = ("note",)
_NOTHING = np.array([], np.float32)


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
        reached = np.cumsum(self.count)
        wanted = percent / 100 * float(reached[-1])
        i = min(int(np.searchsorted(reached, wanted)), len(self.low) - 1)
        within = (wanted - float(reached[i] - self.count[i])) / float(self.count[i])
        width = float(self.high[i] - self.low[i])
        return (float(self.low[i]) + within * width) / _PS_IN_US

    @classmethod
    def together(cls, parts: Sequence[Bins]) -> Bins:
        """Return histograms added up; a bin of one is a bin of all."""
        low, high, count = (
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("low", "high", "count")
        )
        order = np.argsort(low, kind="stable")
        starts = np.flatnonzero(np.diff(low[order], prepend=-1.0))
        first = order[starts]
        return cls(low[first], high[first], np.add.reduceat(count[order], starts))


def distribution(modes: Sequence[str]) -> Drawing:
    """Return the drawing of the distributions of some modes, still empty: `shown` fills it."""
    data: list[dict[str, Any]] = []
    for number, mode in enumerate(modes):
        data += _mode_traces(number, mode)
    shares = {"rangemode": "tozero", "automargin": True}
    layout = {
        "xaxis": {"type": "log", "showticklabels": False, "anchor": "y", **log_ticks()},
        "xaxis2": {
            "type": "log",
            "matches": "x",
            "anchor": "y2",
            **log_ticks(),
            "title": {"text": "time (µs)", "standoff": 10},
        },
        "yaxis": {
            **shares,
            "domain": [0.5, 1],
            "range": [0, 1.02],
            "tickformat": ".0%",
            "title": {"text": "share not above", "standoff": 10},
        },
        "yaxis2": {
            **shares,
            "domain": [0, 0.44],
            "tickformat": "~g",
            "title": {"text": "share per decade", "standoff": 10},
        },
        "hovermode": "closest",
        "margin": {"t": 16, "r": 16, "l": 64, "b": 56},
    }
    empty: dict[str, list[float]] = {"from_us": []}
    for mode in modes:
        empty |= {f"{mode}_share_not_above": [], f"{mode}_share_per_decade": []}
    return Drawing({"data": data, "layout": layout}, empty, height_px=_HEIGHT_PX)


def shown(modes: Sequence[str], bins: Mapping[str, Bins]) -> Settings:
    """Return what fills the drawing of `modes` with the histograms of those there are."""
    known = {mode: b for mode, b in bins.items() if b.total > 0}
    edges, counts = _coarse(known)
    times = (edges / _PS_IN_US).astype(np.float32)
    settings: dict[Path, Any] = {TIMES: times}
    rows = [("", *(f"p{percent}" for percent in PERCENTILES), "counted")]
    for number, mode in enumerate(modes):
        places = _places(number)
        if mode not in known:
            settings |= dict.fromkeys(places, _NOTHING)
            rows.append((mode, *(UNKNOWN for _ in PERCENTILES), "0"))
            continue
        share, density = _shapes(edges, counts[mode])
        at = [known[mode].percentile_us(percent) for percent in PERCENTILES]
        values = (times, share, times, density, share, density, at)
        settings |= zip(places, values, strict=True)
        rows.append((mode, *(f"{plain(value, 4)} µs" for value in at), f"{known[mode].total:,}"))
    settings[_NOTE] = tuple(rows)
    return settings


@cache
def _places(mode: int) -> tuple[Path, ...]:
    """Return where the numbers of a mode are: two lines, two columns, percentiles."""
    first = mode * _TRACES
    lines = tuple(("data", trace, axis) for trace in (first, first + 1) for axis in ("x", "y"))
    columns = tuple(("table", 1 + 2 * mode + i, "values") for i in (0, 1))
    return (*lines, *columns, ("data", first + 2, "x"))


def _mode_traces(number: int, mode: str) -> list[dict[str, Any]]:
    """Return cumulative, density and percentiles of one mode, without values."""
    shade = colour(number)
    pattern = dash(MODE_LOOKS.get(mode, "solid"))
    common = {"type": "scatter", "mode": "lines", "legendgroup": mode, **named(mode)}
    line = {"color": shade, "width": 2, "dash": pattern}
    below = "not above %{x:.4~g} µs: %{y:.1%}<extra>%{fullData.name}</extra>"
    density = "%{x:.4~g} µs<extra>%{fullData.name}</extra>"
    return [
        {**common, "line": line, "hovertemplate": below},
        {
            **common,
            "line": {**line, "shape": "hv", "width": 1.5},
            "xaxis": "x2",
            "yaxis": "y2",
            "fill": "tozeroy",
            "fillcolor": see_through(shade, 0.12),
            "showlegend": False,
            "hovertemplate": density,
        },
        {
            **common,
            "mode": "markers",
            "y": [percent / 100 for percent in PERCENTILES],
            "text": [f"p{percent}" for percent in PERCENTILES],
            "marker": {"color": shade, "size": 8, "symbol": "circle"},
            "showlegend": False,
            "hovertemplate": "%{text}: %{x:.4~g} µs<extra>%{fullData.name}</extra>",
        },
    ]


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
