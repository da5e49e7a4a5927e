"""The load at which a network saturates: `saturate`."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

from tailback import saturation
from tailback.progress import Ticker, ignore
from tailback.saturation import Saturation
from tailback.workloads import Workload

from .experiments import What, experiment_of


def saturate(
    what: What,
    workload: Workload | None = None,
    *,
    low: float | None = None,
    high: float | None = None,
    tolerance: float = 0.02,
    progress: bool = False,
    **run_fields: Any,
) -> Saturation:
    """Find the load at which the network saturates, in messages per node and ms.

    The compute period of the workload, which must be asynchronous, is changed; its own
    is where the search begins. `low` and `high` bound the loads tried, `tolerance` is how
    far apart the ends of the answer may be, relatively. Other arguments are those of
    `run`. Ctrl-C ends the search with what is known so far: `complete == False`.

    >>> import tailback as tb
    >>> uniform = tb.Synthetic(sync="asynchronous", message_size="1 kB", compute_period="300 ns")
    >>> found = tb.saturate(tb.Star(nodes=8), uniform, tolerance=0.1, precision=0.1)
    >>> found.complete, found.low < found.high
    (True, True)
    """
    experiment = experiment_of(what, workload, **run_fields)
    with Ticker() if progress else nullcontext(ignore) as watch:
        return saturation.saturate(experiment, low=low, high=high, tolerance=tolerance, watch=watch)
