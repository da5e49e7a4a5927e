"""Estimates with confidence intervals from one run.

Four questions are answered here, each by pure functions of NumPy arrays:

* where does the start-up transient end? (`transient`: `mser5`)
* does what was measured drift? (`drift`: `drifts`)
* what is a long-run ratio, and how well is it known? (`ratios`: `ratio_of_sums`)
* what is the quotient of two such estimates? (`quotients`: `covariance`, `quotient`)

Every metric of Tailback is a ratio of two sums over the samples of a run: a
rate is messages over time, a mean lifetime is picoseconds over packets, a
utilisation is busy time over time. One estimator serves them all.
"""

from .batches import MAX_BATCHES, MIN_BATCHES, Floats, lag1_correlation
from .drift import DRIFT_CONFIDENCE, drifts, trend
from .estimates import Estimate, finite
from .quantiles import fisher_f, student_t
from .quotients import Series, covariance, quotient
from .ratios import ratio_of_sums
from .transient import Truncation, mser5, standard_errors

__all__ = [
    "DRIFT_CONFIDENCE",
    "MAX_BATCHES",
    "MIN_BATCHES",
    "Estimate",
    "Floats",
    "Series",
    "Truncation",
    "covariance",
    "drifts",
    "finite",
    "fisher_f",
    "lag1_correlation",
    "mser5",
    "quotient",
    "ratio_of_sums",
    "standard_errors",
    "student_t",
    "trend",
]
