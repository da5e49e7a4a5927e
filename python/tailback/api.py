"""What a Python program does with Tailback.

`load`, `describe`, `run`, `cost`, `sweep`, `saturate`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tailback import comparison
from tailback.comparison import Cost
from tailback.errors import UserError
from tailback.experiment import Experiment, Run
from tailback.machines import Machine
from tailback.progress import Ticker, ignore
from tailback.results import Result
from tailback.runner import run_mode
from tailback.workloads import Workload

if TYPE_CHECKING:
    # Imported where they are used: a first `cost` need not wait for what it does not need.
    from tailback.execution import Pool
    from tailback.prediction import Prediction
    from tailback.saturation import Saturation
    from tailback.store.points import PointStore
    from tailback.sweeps import Sweep

What = Experiment | Machine | str | os.PathLike[str]
"""An experiment, the file of one, or a machine (then a workload follows)."""


def load(path: str | os.PathLike[str], overrides: Iterable[str] = ()) -> Experiment:
    """Read an experiment file; `overrides` are such as `"run.seed=2"`."""
    return Experiment.load(Path(path), overrides)


def describe(what: What, workload: Workload | None = None, **run_fields: Any) -> Prediction:
    """Return what would be simulated, without simulating."""
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
    """
    experiment = experiment_of(what, workload, **run_fields)
    with Ticker() if progress else nullcontext(ignore) as watch:
        return comparison.cost(experiment, modes, packets=packets, watch=watch)


def sweep(
    what: Sweep | str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    pool: Pool | None = None,
    progress: bool = False,
) -> PointStore:
    """Run all points of a sweep, or of the file of one, and return the folder of results.

    What `out` holds already is kept. `pool` does the work: by default
    a `LocalPool` of one process per processor (a program that calls this needs
    `if __name__ == "__main__":` around it, as with any new processes). Points
    that fail are in `failures()` of the store. Raises `UserError` for mistakes in the file, and
    `KeyboardInterrupt` on Ctrl-C: the same call then goes on from there.
    """
    from tailback.execution import LocalPool
    from tailback.sweeps import Sweep
    from tailback.sweeps.running import SweepRun

    asked = what if isinstance(what, Sweep) else Sweep.load(Path(what))
    run = SweepRun(asked, Path(out), "out")
    with LocalPool() if pool is None else nullcontext(pool) as workers:
        run.run(workers, progress=progress)
    return run.store


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
    """
    from tailback import saturation

    experiment = experiment_of(what, workload, **run_fields)
    with Ticker() if progress else nullcontext(ignore) as watch:
        return saturation.saturate(experiment, low=low, high=high, tolerance=tolerance, watch=watch)


def write_report(folder: str | os.PathLike[str], out: str | os.PathLike[str] | None = None) -> Path:
    """Write the HTML page on the results in `folder`; return where it is.

    `out`: by default `report.html` in the folder. Raises `UserError` if there are no
    results, or the file cannot be written.
    """
    from tailback.report import of_store

    return of_store.write_report(Path(folder), None if out is None else Path(out))


def experiment_of(what: What, workload: Workload | None = None, **run_fields: Any) -> Experiment:
    """Return the experiment meant by the arguments of `run`, `cost` and `describe`."""
    if isinstance(what, Machine):
        if workload is None:
            raise UserError("workload", None, "must be given with a machine")
        return Experiment(what, workload, Run(**run_fields))
    if workload is not None:
        raise UserError("workload", None, "is part of the experiment already")
    experiment = what if isinstance(what, Experiment) else load(what)
    if not run_fields:
        return experiment
    given = experiment.run.model_dump(exclude_unset=True)
    return Experiment(experiment.machine, experiment.workload, Run(**given | run_fields))
