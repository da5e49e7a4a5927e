"""Lengths that stand for those of the messages of a workload."""

from __future__ import annotations

from math import gcd, log
from statistics import NormalDist

_QUANTILES = 4096


def lengths(shape: str, mean: int, sigma: float) -> list[int]:
    """Return lengths of messages in bytes that stand for their distribution: equal quantiles."""
    if shape == "constant":
        return [mean]
    middles = [(i + 0.5) / _QUANTILES for i in range(_QUANTILES)]
    if shape == "exponential":
        return [round(-mean * log(1 - p)) for p in middles]
    normal = NormalDist(mean, sigma * mean) if sigma else None
    return [mean if normal is None else max(0, round(normal.inv_cdf(p))) for p in middles]


def mixed(portions: tuple[tuple[int, int], ...]) -> list[int]:
    """Return each length as often as its weight says, in lowest terms."""
    common = gcd(*(weight for _, weight in portions))
    return [size for size, weight in portions for _ in range(weight // common)]
