"""Distributions of the times between messages."""

from __future__ import annotations

from typing import Any, Literal

from ..units import Time
from .base import Shape, distribution

#: Distributions of other times as well, and what else makes messages come.
Gaps = Literal[Shape, "geometric", "on_off"]


def gaps(
    shape: Gaps, mean: Time, *, sigma: float, slot: Time, burst: float, peak: float
) -> dict[str, Any]:
    """Return a distribution of times as the engine describes it.

    ``sigma`` is for the normal, ``slot`` for the geometric distribution, ``burst`` and
    ``peak`` are for bursts.
    """
    if shape == "geometric":
        return distribution("constant", mean, 0.0) | {"shape": {shape: {"slot": slot.ps}}}
    if shape == "on_off":
        parameters = {"burst": burst, "peak": peak}
        return distribution("constant", mean, 0.0) | {"shape": {shape: parameters}}
    return distribution(shape, mean, sigma)
