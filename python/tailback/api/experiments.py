"""One experiment: `load`, `describe`, `run`, `cost`, `explain`, `interference`, `saturate`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tailback.errors import UserError, shown
from tailback.experiment import Experiment, Run
from tailback.machines import Machine, Topology
from tailback.progress import Ticker, Watch, ignore
from tailback.workloads import Workload

if TYPE_CHECKING:
    from tailback.comparison import Cost
    from tailback.comparison.of_jobs import Interference
    from tailback.explaining import Explanation
    from tailback.prediction import Prediction
    from tailback.results import Result
    from tailback.saturation import Saturation

What = Experiment | Machine | Topology | str | os.PathLike[str]
"""An experiment, the file of one, or a machine (then a workload follows).

A topology stands for the machine that is described by nothing else.
"""


def load(
    path: str | os.PathLike[str], overrides: Iterable[str] = (), *, code: bool = True
) -> Experiment:
    """Read an experiment file; `overrides` are such as `"run.seed=2"`.

    A workload may be a program in Python, which is executed: `code=False` refuses such a file.

    >>> import tailback as tb
    >>> experiment = tb.load("examples/two_jobs.toml", ["machine.routing.kind=spray"])
    >>> experiment.machine.routing.kind, [job.name for job in experiment.jobs]
    ('spray', ['train', 'shuffle'])
    """
    return Experiment.load(Path(path), overrides, code=code)


def experiment_of(what: What, workload: Workload | None = None, **run_fields: Any) -> Experiment:
    """Return the experiment meant by the arguments of `run`, `cost` and `describe`."""
    if isinstance(what, Topology):
        what = Machine(topology=what)
    if isinstance(what, Machine):
        if not isinstance(workload, Workload):
            given = None if workload is None else shown(type(workload).__name__)
            raise UserError("workload", given, "must be given with a machine: one of tb.workloads")
        return Experiment(what, workload, Run(**run_fields))
    if not isinstance(what, Experiment | str | os.PathLike):
        known = "must be an experiment, the path of one, a machine or a topology"
        raise UserError("what", shown(type(what).__name__), known)
    if workload is not None:
        raise UserError("workload", None, "is part of the experiment already")
    experiment = what if isinstance(what, Experiment) else load(what)
    return experiment.with_run(**run_fields) if run_fields else experiment


def watched(progress: bool) -> AbstractContextManager[Ticker | Watch]:
    """Return what is told of the state of a run: it shows it on standard error, or nothing."""
    return Ticker() if progress else nullcontext(ignore)


def describe(what: What, workload: Workload | None = None, **run_fields: Any) -> Prediction:
    """Return what would be simulated, without simulating.

    >>> import tailback as tb
    >>> expected = tb.describe(tb.Torus(dims=(8, 8)), tb.Synthetic(message_size="1 kB"))
    >>> expected.nodes, round(expected.mean_hops, 2)
    (64, 6.06)
    """
    from tailback import prediction

    return prediction.describe(experiment_of(what, workload, **run_fields))


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
    from tailback.runner import run_mode

    experiment = experiment_of(what, workload, **run_fields)
    with watched(progress) as watch:
        return run_mode(experiment, experiment.run.mode, packets=packets, watch=watch)


def cost(  # each a thing that can be asked for
    what: What,
    workload: Workload | None = None,
    *,
    modes: Iterable[str] = (),
    packets: bool = False,
    jobs: int | None = None,
    progress: bool = False,
    **run_fields: Any,
) -> Cost:
    """Run the same experiment with and without contention and compare.

    Arguments are those of `run`. `full`, the `baseline` (default `endpoints`), `endpoints` and
    `free` are run; `modes` may add others. Up to `jobs` of them run at once, in threads; default:
    one per processor.

    >>> import tailback as tb
    >>> cost = tb.cost(tb.Mesh(dims=(4, 4)), tb.CompleteExchange(send_order="naive_shifted"))
    >>> print(f"contention in the network: {1 / cost.theta_c.value:.2f} times as long")
    contention in the network: 1.33 times as long
    """
    from tailback import comparison

    experiment = experiment_of(what, workload, **run_fields)
    with watched(progress) as watch:
        return comparison.cost(experiment, modes, packets=packets, jobs=jobs, watch=watch)


def explain(  # noqa: PLR0913  # each a thing that can be asked for
    what: What,
    workload: Workload | None = None,
    *,
    faster: Sequence[str] = (),
    without: Sequence[str] = (),
    slack: bool = True,
    jobs: int | None = None,
    progress: bool = False,
    **run_fields: Any,
) -> Explanation:
    """Run a program that ends, with contention and without, and return where its time went.

    `faster` (`"links:2"`) and `without` (`"channel:(0, 0)->(1, 0)"`) are runs with a change, as for
    `tailback explain`; `slack`: also how late processes could be, which takes memory. Other
    arguments are those of `cost`. Raises `UserError` for a workload that goes on for ever.

    >>> import tailback as tb
    >>> tb.explain(tb.Torus(dims=(4, 4)), tb.RingAllreduce(size="100 kB"))
    <Explanation 15.192 us in 31 segments>
    """
    from tailback import explaining

    asked = experiment_of(what, workload, **run_fields)
    experiment = explaining.prepared(asked, slack=slack)
    changes = [explaining.faster(change, experiment) for change in faster]
    changes += [explaining.without(change, experiment) for change in without]
    with watched(progress) as watch:
        return explaining.explain(experiment, changes=changes, jobs=jobs, watch=watch)


def interference(
    what: What,
    workload: Workload | None = None,
    *,
    by: str | None = None,
    jobs: int | None = None,
    progress: bool = False,
    **run_fields: Any,
) -> Interference:
    """Run the jobs of an experiment together and alone, and return who slows whom down.

    `by`: also `"pairs"` of jobs (default of up to six), or all `"without"` one. Other arguments
    are those of `cost`.

    >>> import tailback as tb
    >>> ring = tb.RingAllreduce(size="100 kB")
    >>> jobs = [tb.Job(name=name, share=8, placement="random", workload=ring) for name in "ab"]
    >>> found = tb.interference(tb.Experiment(tb.Machine(topology=tb.Mesh(dims=(4, 4))), jobs=jobs))
    >>> {name: round(slowdown.value, 2) for name, slowdown in found.slowdowns.items()}
    {'a': 1.99, 'b': 1.99}
    """
    from tailback.comparison import of_jobs

    experiment = experiment_of(what, workload, **run_fields)
    with watched(progress) as watch:
        return of_jobs.interference(experiment, by, jobs=jobs, watch=watch)


def saturate(  # noqa: PLR0913  # each a thing that can be asked for
    what: What,
    workload: Workload | None = None,
    *,
    low: float | None = None,
    high: float | None = None,
    tolerance: float = 0.02,
    jobs: int | None = None,
    progress: bool = False,
    **run_fields: Any,
) -> Saturation:
    """Find the load at which the network saturates, in messages per node and ms.

    The compute period of the workload, which must be asynchronous, is changed; its own
    is where the search begins. `low` and `high` bound the loads tried, `tolerance` is how
    far apart the ends of the answer may be, relatively. Up to `jobs` loads are tried at once, in
    threads; default: one per processor. Other arguments are those of `run`. Ctrl-C ends the
    search with what is known so far: `complete == False`.

    >>> import tailback as tb
    >>> uniform = tb.Synthetic(sync="asynchronous", message_size="1 kB", compute_period="300 ns")
    >>> found = tb.saturate(tb.Star(nodes=8), uniform, tolerance=0.1, precision=0.1)
    >>> found.complete, found.low < found.high
    (True, True)
    """
    from tailback import saturation

    experiment = experiment_of(what, workload, **run_fields)
    with watched(progress) as watch:
        return saturation.saturate(
            experiment, low=low, high=high, tolerance=tolerance, jobs=jobs, watch=watch
        )
