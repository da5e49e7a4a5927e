"""What would be simulated: `describe`."""

from __future__ import annotations

from typing import Any

from tailback import prediction
from tailback.prediction import Prediction
from tailback.workloads import Workload

from .experiments import What, experiment_of


def describe(what: What, workload: Workload | None = None, **run_fields: Any) -> Prediction:
    """Return what would be simulated, without simulating.

    >>> import tailback as tb
    >>> expected = tb.describe(tb.Torus(dims=(8, 8)), tb.Synthetic(message_size="1 kB"))
    >>> expected.nodes, round(expected.mean_hops, 2)
    (64, 6.06)
    """
    return prediction.describe(experiment_of(what, workload, **run_fields))
