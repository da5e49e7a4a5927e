"""The command line: `tailback cost | run | describe | schema`.

Standard output carries the answer, as a table or one JSON object; everything
else goes to standard error. Exit codes: 0, 2 for a mistake of the user, 3 for
a run that cannot go on, 130 after Ctrl-C.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

# Everything else is imported where it is needed: `--help` must not wait for it.
if TYPE_CHECKING:
    from rich.console import RenderableType

    from tailback.errors import RunFailure
    from tailback.experiment import Experiment

INTERRUPTED = 130

app = typer.Typer(
    name="tailback",
    help="Simulate an interconnection network and learn what contention costs.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

File = Annotated[Path, typer.Argument(metavar="FILE", help="Experiment file (TOML).")]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="a.b=VALUE", help="Change one parameter; repeatable."),
]
Seed = Annotated[int | None, typer.Option("--seed", help="Seed of every random stream.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of a table.")]
Out = Annotated[
    Path | None,
    typer.Option("--out", metavar="DIR", help="Folder for Parquet tables and a manifest."),
]
Packets = Annotated[bool, typer.Option("--packets", help="Keep one row per packet, for --out.")]
Modes = Annotated[
    str,
    typer.Option("--modes", help="Contention modes; full and throttled are always run."),
]


@app.command()
def cost(  # noqa: PLR0913, PLR0917  # one argument per option
    file: File,
    set_: Set = None,
    seed: Seed = None,
    json: Json = False,
    out: Out = None,
    packets: Packets = False,
    modes: Modes = "full,throttled",
) -> None:
    """Run with and without contention, and compare."""
    with _failures(json):
        from tailback import comparison
        from tailback.progress import Ticker
        from tailback.terminal import cost_report

        experiment = _experiment(file, set_, seed)
        wanted = comparison.chosen_modes(m.strip() for m in modes.split(",") if m.strip())
        _prepare(out, experiment, "full", packets)
        with Ticker() as watch:
            result = comparison.cost(experiment, wanted, packets=packets, watch=watch)
        tables = {} if out is None else _stored(result.modes, packets)
        _deliver(result.to_dict(), tables, out, None if json else partial(cost_report, result))
    _exit(result.complete)


@app.command()
def run(
    file: File,
    set_: Set = None,
    seed: Seed = None,
    json: Json = False,
    out: Out = None,
    packets: Packets = False,
) -> None:
    """Run one contention mode (run.mode)."""
    with _failures(json):
        from tailback.progress import Ticker
        from tailback.terminal import run_report
        from tailback.runner import run_mode

        experiment = _experiment(file, set_, seed)
        mode = experiment.run.mode
        _prepare(out, experiment, mode, packets)
        with Ticker() as watch:
            result = run_mode(experiment, mode, packets=packets, watch=watch)
        tables = {} if out is None else _stored({mode: result}, packets)
        _deliver(result.to_dict(), tables, out, None if json else partial(run_report, result))
    _exit(result.complete)


@app.command()
def describe(
    file: File, set_: Set = None, seed: Seed = None, json: Json = False, out: Out = None
) -> None:
    """Say what would be simulated, without simulating."""
    with _failures(json):
        from tailback.prediction import describe as predict
        from tailback.terminal import prediction_report

        experiment = _experiment(file, set_, seed)
        _prepare(out, experiment, experiment.run.mode)
        prediction = predict(experiment)
        tables = {"prediction": {"channels": prediction.channels}}
        report = None if json else partial(prediction_report, prediction)
        _deliver(prediction.to_dict(), tables, out, report)


@app.command()
def schema() -> None:
    """Print the JSON Schema of experiment files."""
    from tailback.experiment import json_schema

    _print_json(json_schema())


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"tailback {version('tailback')}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line."""
    try:
        app()
    except BrokenPipeError:
        # Whoever read our output has seen enough; do not complain when flushing the rest.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


def _experiment(file: Path, overrides: list[str] | None, seed: int | None) -> Experiment:
    from tailback.experiment import Experiment

    seeds = [] if seed is None else [f"run.seed={seed}"]
    return Experiment.load(file, [*(overrides or []), *seeds])


def _prepare(out: Path | None, experiment: Experiment, mode: str, packets: bool = False) -> None:
    """Look at the output folder before the run, so that no run is in vain."""
    if out is None and packets:
        from tailback.errors import UserError

        raise UserError("--packets", None, "needs --out DIR, where the packets are written")
    if out is not None:
        from tailback import engine
        from tailback.store import run_folder

        identity = experiment.identity(engine.RESULTS_VERSION, engine.VERSION, mode)
        run_folder.prepare(out, identity)


def _stored(results: Mapping[str, Any], packets: bool) -> dict[str, Any]:
    from tailback.store.run_folder import tables_of

    return {mode: tables_of(result, packets=packets) for mode, result in results.items()}


def _deliver(
    answer: Mapping[str, Any],
    tables: Mapping[str, Any],
    out: Path | None,
    report: Callable[[], RenderableType] | None,
) -> None:
    """Save an answer and its tables if there is a folder; print the report, or else JSON."""
    if out is not None:
        from tailback.store import run_folder

        run_folder.save(out, tables, answer)
    if report is None:
        _print_json(answer)
    else:
        from tailback.terminal import show

        show(report())


def _print_json(value: object) -> None:
    from json import dumps

    print(dumps(value, indent=2, allow_nan=False))


def _exit(complete: bool) -> None:
    if not complete:
        raise typer.Exit(INTERRUPTED)


@contextmanager
def _failures(json: bool) -> Iterator[None]:
    """Turn what can go wrong into one line on standard error and an exit code."""
    from tailback.errors import RunFailure, UserError

    try:
        yield
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        raise typer.Exit(error.exit_code) from None
    except RunFailure as failure:
        _tell(failure, json)
        raise typer.Exit(failure.exit_code) from None
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None


def _tell(failure: RunFailure, json: bool) -> None:
    """Say why a run cannot go on: one line, and who waits for what."""
    print(f"error: {failure}", file=sys.stderr)
    if json:
        waiting = [{"who": who, "what": what} for who, what in failure.waiting]
        at_ns = None if failure.at_ps is None else failure.at_ps / 1e3
        kind = "deadlock" if failure.waiting else "clock stands still"
        _print_json({"error": kind, "at_ns": at_ns, "waiting": waiting})
    elif failure.waiting:
        from tailback.terminal import failure_report, show

        show(failure_report(failure), stderr=True)
