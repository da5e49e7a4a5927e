"""Commands on many experiments: `sweep`, `table`, `report`, `saturate`."""

from __future__ import annotations

import os
import shutil
import sys
from contextlib import AbstractContextManager
from enum import Enum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tailback.errors import RunFailure, UserError, printable
from tailback.files import check_named, check_new_folder, write_folder, write_named

from .answering import CUT_OFF, INTERRUPTED, Asked, Found, command, failures, print_json, say_code
from .options import Folder, Jobs, NoCode, Title, Where, app, examples

if TYPE_CHECKING:
    from pyarrow import Table

    from tailback.execution import Pool
    from tailback.store.points import PointStore
    from tailback.sweeps import Sweep
    from tailback.sweeps.running import SweepRun
    from tailback.sweeps.states import State

MERGED = "run.seed"
"""Runs that differ only in this become one row."""

MANY = 10_000
"""Sweeps of more points need a confirmation."""

Scheduler = Annotated[
    str | None,
    typer.Option("--scheduler", metavar="ADDRESS", help="Run on an existing Dask cluster."),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="SYSTEM",
        help="Run as --jobs jobs of a batch system (slurm, pbs, sge, lsf, ...), "
        "as dask-jobqueue is configured.",
    ),
]


Results = Annotated[
    Path | None,
    typer.Option("--out", metavar="DIR", help="Folder of results, new or from an earlier run."),
]
Picture = Annotated[
    Path | None,
    typer.Option("--plot", metavar="FILE", help="Afterwards draw the results: .svg, .pdf or .png."),
]
Pages = Annotated[
    bool,
    typer.Option("--pages", help="Run points once more for their pages of look; link to these."),
]
Yes = Annotated[bool, typer.Option("--yes", help=f"Do not ask before more than {MANY:,} points.")]


@command(
    "tailback sweep sweep.toml --out results",
    "tailback sweep sweep.toml --out results --jobs 4",
    "tailback sweep sweep.toml --out results --plot curve.svg",
    "tailback sweep results",
    without=("seed", "out"),
)
def sweep(  # noqa: PLR0913  # one argument per option
    asked: Asked,
    *,
    out: Results = None,
    jobs: Jobs = None,
    scheduler: Scheduler = None,
    cluster: Cluster = None,
    plot: Picture = None,
    yes: Yes = False,
) -> None:
    """Run all points of a sweep; finished points are kept.

    A folder of results instead of a file: go on with what is not finished.
    """
    from tailback.sweeps import Sweep

    if plot is not None:
        _check_picture(plot)
    files, folder = _asked_for(asked, out)
    wanted = [Sweep.load(file, asked.overrides, code=not asked.no_code) for file in files]
    for one in wanted:
        _confirm(one.count, yes)
    with _pool(jobs, scheduler, cluster) as pool:
        codes = [_swept(one, folder, pool, plot, json=asked.json) for one in wanted]
    if any(codes):
        raise typer.Exit(min(code for code in codes if code))


def _asked_for(asked: Asked, out: Path | None) -> tuple[list[Path], Path]:
    """Return the files of the sweeps, and the folder of their results."""
    from tailback.sending.asked import kept_in
    from tailback.sending.packs import is_pack, unpack

    given = asked.file
    if is_pack(given):
        if out is None:
            raise UserError("--out", None, "must be given: a pack is not written to")
        check_new_folder("--out", out)
        write_folder("--out", out, partial(unpack, given))
        given, out = out, None
    if not given.is_dir():
        if out is None:
            raise UserError("--out", None, "must be given: the folder of results")
        return [given], out
    if out is not None:
        raise UserError("--out", str(out), f"must be left out: {given} has results already")
    if asked.overrides:
        raise UserError("--set", asked.overrides[0], f"changes what is kept in {given}; use a file")
    sweeps = [kept for kept in kept_in(given) if kept.words[0] == "sweep"]
    if not sweeps:
        raise UserError(str(given), None, "has no sweep; tailback rerun runs it again")
    for kept in sweeps:
        kept.check()
    return [kept.file for kept in sweeps], given


def _swept(wanted: Sweep, out: Path, pool: Pool, plot: Path | None, *, json: bool) -> int:
    """Run a sweep, say how it went, and return the exit code."""
    from tailback.execution import PoolLostError
    from tailback.sweeps.running import SweepRun

    run = SweepRun(wanted, out, seen=lambda experiment: say_code(experiment.programs()))
    for problem in run.damaged:
        print(problem, file=sys.stderr)
    try:
        run.run(pool, progress=True)
    except KeyboardInterrupt:
        print(f"interrupted; {_goes_on(run)}", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None
    except PoolLostError as lost:
        print(f"error: {lost}; {_goes_on(run)}", file=sys.stderr)
        raise typer.Exit(RunFailure.exit_code) from None
    states = run.states()
    _say_how_it_went(run, states, out, json)
    if plot is not None:
        _draw(run, plot, json)
    if run.failed_before + run.failed:
        return 3
    return CUT_OFF if any(state.kind in ("cut_off", "lost") for state in states) else 0


def _goes_on(run: SweepRun) -> str:
    kept = f"{run.finished_before + run.done} of {run.count} points are finished"
    return f"{kept}, the same command goes on from there"


def _check_picture(path: Path) -> None:
    """Refuse a wrong name of a picture before anything is run."""
    from tailback import plots

    plots.check_kind("--plot", path)
    check_named("--plot", path)


def _draw(run: SweepRun, path: Path, json: bool) -> None:
    """Draw the finished points of the folder, those of earlier sweeps too."""
    from tailback import plots

    if run.finished_before + run.done:
        plots.plot(run.store).save(path, "--plot")
        if not json:
            print(f"Drawn: {path}")


def _confirm(count: int, yes: bool) -> None:
    """Ask before a very large sweep; refuse it if standard input is no terminal."""
    if yes or count <= MANY:
        return
    if not sys.stdin.isatty():
        raise UserError("sweep", f"{count:,} points", "give --yes to run so many")
    typer.confirm(f"Run {count:,} points?", abort=True, err=True)


def _pool(
    jobs: int | None, scheduler: str | None, cluster: str | None
) -> AbstractContextManager[Any]:
    """Return the workers that the options ask for."""
    from tailback.execution import LocalPool

    if scheduler is not None and cluster is not None:
        raise UserError("--cluster", cluster, "cannot be given together with --scheduler")
    if scheduler is None and cluster is None:
        return LocalPool(jobs)
    from tailback.execution.cluster import DaskPool

    if cluster is not None:
        return DaskPool.on(cluster, jobs or 1)
    if jobs is not None:
        raise UserError("--jobs", str(jobs), "is decided by the cluster with --scheduler")
    assert scheduler is not None
    return DaskPool.at(scheduler)


def _channels(run: SweepRun) -> dict[str, list[int]]:
    """Return the default number of virtual channels of each routing of a sweep."""
    from tailback.analysis.channels import CHANNELS, ROUTING, channels_by_routing

    store, own = run.store, {identity for identity, _ in run.points}
    if not store.has_points:
        return {}
    runs = store.runs(only=(ROUTING, CHANNELS))
    runs = runs.filter([name in own for name in runs["identity"].to_pylist()])
    return channels_by_routing(runs, store.sweeps())


def _say_how_it_went(run: SweepRun, states: list[State], out: Path, json: bool) -> None:
    from tailback.analysis import channels_text

    finished, failed = run.finished_before + run.done, run.failed_before + run.failed
    channels = _channels(run)
    if json:
        print_json(
            {
                "points": run.count,
                "finished": finished,
                "finished_before": run.finished_before,
                "failed": failed,
                **{
                    kind: sum(len(state.where) for state in states if state.kind == kind)
                    for kind in ("cut_off", "lost", "unsettled", "saturated")
                },
                **({"virtual_channels": channels} if channels else {}),
                **({"damaged": run.damaged} if run.damaged else {}),
                "states": [state.to_dict() for state in states],
                "failures": [
                    {"kind": f.kind, "text": f.text, "where": dict(f.varied)}
                    for f in run.store.failures()
                ],
            }
        )
        return
    before = f", {run.finished_before} of them before" if run.finished_before else ""
    lost = f", {failed} failed" if failed else ""
    print(f"{finished} of {run.count} points finished{before}{lost}.")
    for state in states:
        print(f"  {printable(state.line)}")
    if channels:
        print(f"  virtual channels: {printable(channels_text(channels))}")
    print(f"Next: tailback table {out}, tailback plot {out}, tailback report {out}")


class Rows(str, Enum):
    """What a row of a table stands for."""

    runs = "runs"
    flows = "flows"
    messages = "messages"


class Form(str, Enum):
    """Output format of a table."""

    table = "table"
    csv = "csv"
    json = "json"
    parquet = "parquet"


@app.command(
    epilog=examples(
        "tailback table results --fields compute_period,theta_r --sort -theta_r",
        "tailback table results --where \"mode == 'full'\" --format csv --out full.csv",
    )
)
def table(  # noqa: PLR0913, PLR0917  # one argument per option
    folder: Folder,
    fields: Annotated[
        str | None,
        typer.Option("--fields", metavar="A,B,...", help="Parameters and measures to show."),
    ] = None,
    where: Where = None,
    merge: Annotated[
        str,
        typer.Option("--merge", metavar="A,B,...", help="Merge runs that differ only in these."),
    ] = MERGED,
    sort: Annotated[
        str | None,
        typer.Option("--sort", metavar="A,-B,...", help="Sort by these; - for descending."),
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, help="Show at most this many rows.")
    ] = None,
    form: Annotated[Form, typer.Option("--format", help="Output format.")] = Form.table,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write the table to a file.")
    ] = None,
    of: Annotated[
        Rows,
        typer.Option(
            "--rows", help="What a row stands for; flows and messages need run.keep_messages."
        ),
    ] = Rows.runs,
) -> None:
    """Show the runs of a sweep as a table.

    Selected, merged over seeds, sorted.

    With --rows, show the flows or messages of each run instead, not merged; needs
    run.keep_messages = true.
    """
    with failures(json=False):
        from tailback.lean import be_lean, give_back_at_once

        give_back_at_once()
        be_lean()
        from tailback.analysis import flows_of, messages
        from tailback.analysis import table as rows_of
        from tailback.store.points import PointStore

        if out is not None:
            check_named("--out", out)
        store = PointStore.open(folder)
        chosen = None if fields is None else _names(fields)
        asked = (where or (), _names(sort or ""), limit)
        if of is Rows.runs:
            conditions, order, most = asked
            rows = rows_of(store, chosen, conditions, _names(merge), order, most)
        elif merge != MERGED:
            raise UserError("--merge", merge, f"is of runs; {of.value} are those of each run")
        else:
            rows = (flows_of if of is Rows.flows else messages)(store, chosen, *asked)
        _write(rows, form, out, asked=chosen is not None)
        if of is Rows.runs and form is Form.table and out is None:
            _tell_channels(store, rows.column_names)


def _tell_channels(store: PointStore, columns: list[str]) -> None:
    """Print below a table of several routings how many virtual channels each has."""
    from tailback.analysis.channels import CHANNELS, ROUTING, channels_by_routing, channels_text

    if ROUTING in columns and CHANNELS not in columns:
        found = channels_by_routing(store.runs(only=(ROUTING, CHANNELS)), store.sweeps())
        if found:
            print(f"virtual channels: {printable(channels_text(found))}")


def _names(text: str) -> list[str]:
    """Return the names of a list with commas."""
    return [name.strip() for name in text.split(",") if name.strip()]


def _write(rows: Table, form: Form, out: Path | None, *, asked: bool) -> None:
    """Write a table to a file, or else to standard output; `asked`: with columns asked for."""
    if out is not None:
        write_named("--out", out, _content(rows, form))
        return
    if form is Form.table:
        from tailback.terminal.fitting import fitted_table

        print(printable(fitted_table(rows, _width(), asked=asked)))
        return
    if form is Form.parquet and sys.stdout.isatty():
        raise UserError("--format", "parquet", "is not for a terminal; give --out FILE")
    sys.stdout.flush()
    sys.stdout.buffer.write(_content(rows, form))


def _width() -> int | None:
    """Return the width of the terminal; None where the table goes elsewhere, whole."""
    is_told = sys.stdout.isatty() or "COLUMNS" in os.environ
    return shutil.get_terminal_size().columns if is_told else None


def _content(rows: Table, form: Form) -> bytes:
    if form is Form.table:
        from tailback.terminal.runs import runs_table

        return f"{printable(runs_table(rows))}\n".encode()
    from tailback.analysis.tables import csv_text, json_text
    from tailback.tables import parquet

    if form is Form.parquet:
        return parquet(rows)
    return (csv_text(rows) if form is Form.csv else json_text(rows)).encode()


@app.command(
    epilog=examples(
        "tailback report results",
        'tailback report results --title "My network" --out page.html',
        "tailback report results --pages",
    )
)
def report(  # one argument per option
    folder: Folder,
    *,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="The page; default: report.html in DIR."),
    ] = None,
    title: Title = None,
    pages: Pages = False,
    jobs: Jobs = None,
    no_code: NoCode = False,
) -> None:
    """Write one HTML page with plots, maps and tables of a sweep."""
    with failures(json=False):
        from tailback.lean import be_lean

        if not pages:  # for these, points are run again
            be_lean()
        from tailback.report.of_store import write_report

        if out is not None:
            check_named("--out", out)
        made = _pages(folder, out, jobs, code=not no_code) if pages else None
        print(write_report(folder, out, title, made))


def _pages(folder: Path, out: Path | None, jobs: int | None, *, code: bool) -> dict[str, Path]:
    from tailback.look import write_pages
    from tailback.progress import Ticker

    with Ticker() as watch:
        return write_pages(
            *(folder, out),
            jobs=jobs,
            watch=watch,
            code=code,
            seen=lambda experiment: say_code(experiment.programs()),
        )


Low = Annotated[
    float | None,
    typer.Option("--low", metavar="LOAD", help="Lowest load to try, in messages per node and ms."),
]
High = Annotated[
    float | None,
    typer.Option(
        "--high", metavar="LOAD", help="Highest load to try, in messages per node and ms."
    ),
]
Tolerance = Annotated[
    float, typer.Option("--tolerance", metavar="SHARE", help="Relative width of the answer.")
]


@command(
    "tailback saturate open_loop.toml",
    "tailback saturate open_loop.toml --tolerance 0.05 --json",
    without=("out",),
)
def saturate(
    asked: Asked,
    *,
    low: Low = None,
    high: High = None,
    tolerance: Tolerance = 0.02,
    jobs: Jobs = None,
) -> Found:
    """Find the load at which the network saturates."""
    from tailback import saturation
    from tailback.terminal.saturation import saturation_report

    experiment = asked.experiment()
    with asked.running() as watch:
        found = saturation.saturate(
            experiment, low=low, high=high, tolerance=tolerance, jobs=jobs, watch=watch
        )
    asked.tell(found.to_dict(), partial(saturation_report, found))
    return found
