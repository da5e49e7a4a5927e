"""What a Python program does with Tailback.

`load`, `describe`, `run`, `cost`, `blame`, `explain`, `interference`, `sweep`, `saturate`; of a
folder of results `table`, `plot`, `write_report`. Files and folders are given as text or as
`pathlib.Path`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from tailback import comparison
from tailback.comparison import Cost
from tailback.errors import UserError, shown
from tailback.experiment import Experiment, Run
from tailback.machines import Machine, Topology
from tailback.progress import Ticker, ignore
from tailback.results import Result
from tailback.runner import run_mode
from tailback.workloads import Workload

if TYPE_CHECKING:
    # Imported where they are used: a first `cost` need not wait for what it does not need.
    import pyarrow as pa

    from tailback.blaming import Blaming
    from tailback.execution import Pool
    from tailback.explaining import Explanation
    from tailback.interfering import Interference
    from tailback.plots import Plot
    from tailback.prediction import Prediction
    from tailback.saturation import Saturation
    from tailback.store.points import PointStore
    from tailback.sweeps import Sweep

What = Experiment | Machine | Topology | str | os.PathLike[str]
"""An experiment, the file of one, or a machine (then a workload follows).

A topology stands for the machine that is described by nothing else.
"""


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


def blame(
    what: What,
    workload: Workload | None = None,
    *,
    progress: bool = False,
    **run_fields: Any,
) -> Blaming:
    """Run one contention mode and return who makes whom wait, where and why.

    Arguments are those of `run`.
    """
    from tailback.blaming import Blaming

    given = experiment_of(what, workload, **run_fields, blame=True)
    with Ticker() if progress else nullcontext(ignore) as watch:
        return Blaming(run_mode(given, given.run.mode, watch=watch))


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
    from tailback import interfering

    experiment = experiment_of(what, workload, **run_fields)
    with Ticker() if progress else nullcontext(ignore) as watch:
        return interfering.interference(experiment, by, watch=watch)


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
    """
    from tailback import explaining

    asked = experiment_of(what, workload, **run_fields)
    experiment = explaining.prepared(asked, slack=slack)
    changes = [explaining.faster(change, experiment) for change in faster]
    changes += [explaining.without(change, experiment) for change in without]
    with Ticker() if progress else nullcontext(ignore) as watch:
        return explaining.explain(experiment, changes=changes, watch=watch)


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


Results: TypeAlias = "PointStore | str | os.PathLike[str]"
"""What `sweep` returned, or the folder it was written into."""


def table(
    results: Results,
    fields: Sequence[str] | None = None,
    conditions: Sequence[str] = (),
    over: Sequence[str] = ("run.seed",),
    sort: Sequence[str] = (),
    limit: int | None = None,
) -> pa.Table:
    """Return the runs of a sweep as an Arrow table, those that differ only in `over` merged.

    Without `fields`: what the sweep varied, and the main metrics with their intervals.
    `conditions` must all hold; rows are sorted by `sort` (`"-field"`: from high to low).
    Raises `UserError` for a name or a condition that is not clear.
    """
    from tailback.analysis import tables

    return tables.table(store_of(results), fields, conditions, over, sort, limit)


def plot(  # noqa: PLR0913  # each a thing that can be asked for
    results: Results,
    x: str | None = None,
    y: str | None = None,
    *,
    mode: str | None = None,
    where: Sequence[str] = (),
    title: str | None = None,
    out: str | os.PathLike[str] | None = None,
) -> Plot:
    """Return the picture that suits the results of a sweep, or the one of `y` against `x`.

    `x` is a parameter that was varied, or a metric; `y` a metric, `theta_t` or `theta_r`.
    Runs for which `where` does not hold are left out. `out` is a file to write it into: SVG,
    or PDF and PNG with the extra `plot`. A notebook shows what is returned. Raises
    `UserError` for names that are not known, and where nothing was varied.
    """
    from tailback import plots

    made = plots.plot(store_of(results), x, y, mode=mode, where=where, title=title)
    if out is not None:
        made.save(out)
    return made


def write_report(
    folder: Results, out: str | os.PathLike[str] | None = None, title: str | None = None
) -> Path:
    """Write the HTML page on the results in `folder`; return where it is.

    `out`: by default `report.html` in the folder. `title`: what was simulated unless it, or
    the sweep (`run.title`), says something else. Raises `UserError` if there are no results,
    or the file cannot be written.
    """
    from tailback.report import of_store

    place = store_of(folder).folder
    return of_store.write_report(place, None if out is None else Path(out), title)


def store_of(results: Results) -> PointStore:
    """Return the results of a sweep; raise `UserError` if there are none in a folder."""
    from tailback.store.points import PointStore

    if isinstance(results, PointStore):
        return results
    place = Path(results)
    if place.suffix == ".toml":
        raise UserError(str(place), None, "is an experiment file; a folder of results is needed")
    return PointStore.open(place)


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
    if not run_fields:
        return experiment
    given = experiment.run.model_dump(exclude_unset=True)
    return Experiment(experiment.machine, experiment.workload, Run(**given | run_fields))
