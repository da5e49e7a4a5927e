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
    """
    experiment = experiment_of(what, workload, **run_fields)
    with Ticker() if progress else nullcontext(ignore) as watch:
        return of_jobs.interference(experiment, by, watch=watch)
