"""One mode run, or several compared: `run`, `cost`."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import nullcontext
from typing import Any

from tailback import comparison
from tailback.comparison import Cost
from tailback.progress import Ticker, ignore
from tailback.results import Result
from tailback.runner import run_mode
from tailback.workloads import Workload

from .experiments import What, experiment_of


def run(
    what: What,
    workload: Workload | None = None,
    *,
    packets: bool = False,
    progress: bool = False,
    **run_fields: Any,
) -> Result:
    """Run one contention mode (`mode`, default `full`) and return what was measured.

    `run_fields` are those of `Run`: `seed=2`, `duration="5 ms"`. `packets`
    keeps one row per packet; `progress` shows where the run is on standard
    error. The engine runs without the GIL. Ctrl-C ends the run early: the
    result then has `complete == False`.

    >>> import tailback as tb
    >>> result = tb.run(tb.Torus(dims=(4, 4)), tb.RingAllreduce(size="100 kB"))
    >>> print(f"{result['completion_us'].value:.2f} us, {result['hops'].value} hops")
    15.19 us, 3.25 hops
    >>> result.channels.num_rows  # an Arrow table
    160
    """
    experiment = experiment_of(what, workload, **run_fields)
    with Ticker() if progress else nullcontext(ignore) as watch:
        return run_mode(experiment, experiment.run.mode, packets=packets, watch=watch)


def cost(
    what: What,
    workload: Workload | None = None,
    *,
    modes: Iterable[str] = (),
    packets: bool = False,
    progress: bool = False,
    **run_fields: Any,
) -> Cost:
    """Run the same experiment with and without contention and compare.

    Arguments are those of `run`. `full`, the `baseline` (default `endpoints`), `endpoints` and
    `free` are run; `modes` may add others.

    >>> import tailback as tb
    >>> cost = tb.cost(tb.Mesh(dims=(4, 4)), tb.CompleteExchange(send_order="naive_shifted"))
    >>> print(f"contention in the network: {1 / cost.theta_c.value:.2f} times as long")
    contention in the network: 1.33 times as long
    """
    experiment = experiment_of(what, workload, **run_fields)
    with Ticker() if progress else nullcontext(ignore) as watch:
        return comparison.cost(experiment, modes, packets=packets, watch=watch)
