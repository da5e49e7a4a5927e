"""A number and how well it is known."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from tailback.helping import Helped


@dataclass(frozen=True, slots=True)
class Estimate(metaclass=Helped):
    """A number with its confidence interval `low` to `high`.

    NaN stands for what is not known: `value` when nothing was counted, `low`
    and `high` when there were too few batches, or `value` and `high`
    when it is more than `low`. `batches` is 0 for a number that is exact
    (everything there is was measured); then low = value = high.

    >>> import tailback as tb
    >>> estimate = tb.Estimate(value=10.0, low=9.5, high=10.5, batches=20)
    >>> estimate.half_width, estimate.relative
    (0.5, 0.05)
    """

    value: float
    low: float
    high: float
    batches: int = 0
    standard_error: float = math.nan
    """Half of the interval is this times the quantile of Student's t with `batches` - 1 degrees."""
    weight: float = math.nan
    """What a ratio was divided by: the sum of its denominators."""

    @property
    def half_width(self) -> float:
        """Half of the interval; NaN when not known."""
        return (self.high - self.low) / 2

    @property
    def relative(self) -> float:
        """Half-width over the size of the value; NaN when not known."""
        if self.value == 0:
            return 0.0 if self.half_width == 0 else math.inf
        return self.half_width / abs(self.value)

    @classmethod
    def exact(cls, value: float, weight: float = math.nan) -> Estimate:
        """Return a number without error."""
        return cls(value, value, value, standard_error=0.0, weight=weight)

    @classmethod
    def more_than(cls, low: float) -> Estimate:
        """Return what is known of a number that was cut off: it is more than that."""
        return cls(math.nan, low, math.nan)

    @property
    def is_cut_off(self) -> bool:
        """Whether it is known only to be more than `low`."""
        return math.isnan(self.value) and not math.isnan(self.low)

    @classmethod
    def unknown(cls) -> Estimate:
        """Return what stands for nothing having been counted."""
        return cls(math.nan, math.nan, math.nan)

    def times(self, factor: float) -> Estimate:
        """Return the same in a unit of which one is 1 / `factor` of this one (positive)."""
        value, low, high = (x * factor for x in (self.value, self.low, self.high))
        error = self.standard_error * factor
        return replace(self, value=value, low=low, high=high, standard_error=error)

    def to_dict(self) -> dict[str, float | None]:
        """`value`, `low` and `high` for JSON, with None for what is not known."""
        fields = {"value": self.value, "low": self.low, "high": self.high}
        return {name: finite(x) for name, x in fields.items()}

    def __repr__(self) -> str:
        if self.is_cut_off:
            return f"> {self.low:.6g} (cut off)"
        return f"{self.value:.6g} [{self.low:.6g}, {self.high:.6g}]"


def finite(value: float | None) -> float | None:
    """Return a number for JSON and Parquet; None for one that is not known, or infinite."""
    return value if value is not None and math.isfinite(value) else None
