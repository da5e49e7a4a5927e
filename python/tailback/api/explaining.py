"""Where the time of a program went: `explain`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

from tailback import explaining
from tailback.explaining import Explanation
from tailback.progress import Ticker, ignore
from tailback.workloads import Workload

from .experiments import What, experiment_of


def explain(
    what: What,
    workload: Workload | None = None,
    *,
    faster: Sequence[str] = (),
    without: Sequence[str] = (),
    slack: bool = True,
    progress: bool = False,
    **run_fields: Any,
) -> Explanation:
    """Run a program that ends, with contention and without, and return where its time went.

    `faster` (`"links:2"`) and `without` (`"channel:(0, 0)->(1, 0)"`) are runs with a change, as for
    `tailback explain`; `slack`: also how late processes could be, which takes memory. Other
    arguments are those of `run`. Raises `UserError` for a workload that goes on for ever.

    >>> import tailback as tb
    >>> tb.explain(tb.Torus(dims=(4, 4)), tb.RingAllreduce(size="100 kB"))
    <Explanation 15.192 us in 31 segments>
    """
    asked = experiment_of(what, workload, **run_fields)
    experiment = explaining.prepared(asked, slack=slack)
    changes = [explaining.faster(change, experiment) for change in faster]
    changes += [explaining.without(change, experiment) for change in without]
    with Ticker() if progress else nullcontext(ignore) as watch:
        return explaining.explain(experiment, changes=changes, watch=watch)
