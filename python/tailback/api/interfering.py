"""Jobs run together and alone: `interference`."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

from tailback.comparison import of_jobs
from tailback.comparison.of_jobs import Interference
from tailback.progress import Ticker, ignore
from tailback.workloads import Workload

from .experiments import What, experiment_of


def interference(
    what: What,
    workload: Workload | None = None,
    *,
    by: str | None = None,
    progress: bool = False,
    **run_fields: Any,
) -> Interference:
    """Run the jobs of an experiment together and alone, and return who slows whom down.

    `by`: also `"pairs"` of jobs (default of up to six), or all `"without"` one. Other arguments
    are those of `run`.

    >>> import tailback as tb
    >>> ring = tb.RingAllreduce(size="100 kB")
    >>> jobs = [tb.Job(name=name, share=8, placement="random", workload=ring) for name in "ab"]
    >>> found = tb.interference(tb.Experiment(tb.Machine(topology=tb.Mesh(dims=(4, 4))), jobs=jobs))
    >>> {name: round(slowdown.value, 2) for name, slowdown in found.slowdowns.items()}
    {'a': 1.99, 'b': 1.99}
    """
    experiment = experiment_of(what, workload, **run_fields)
    with Ticker() if progress else nullcontext(ignore) as watch:
        return of_jobs.interference(experiment, by, watch=watch)
