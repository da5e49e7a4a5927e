"""Estimates in other units."""

from __future__ import annotations

import tailback as tb


def scaled(estimate: tb.Estimate, factor: float) -> tb.Estimate:
    """Return an estimate in another unit."""
    value, low, high = (factor * x for x in (estimate.value, estimate.low, estimate.high))
    return tb.Estimate(value, low, high, estimate.batches)


def in_percent(share: tb.Estimate) -> tb.Estimate:
    """Return a share as a percentage."""
    return scaled(share, 100)
