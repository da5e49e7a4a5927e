"""Commands about one experiment: `cost`, `run`, `describe`, `schema`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tailback.errors import RunFailure, UserError

from .answering import (
    exit_by,
    failures,
    loaded,
    prepare,
    print_json,
    prints_aside,
    save,
    stored,
    tell,
    ticking,
)
from .options import (
    AllowDeadlock,
    File,
    Json,
    Modes,
    Out,
    Packets,
    Plot,
    Seed,
    Set,
    Standstill,
    app,
    examples,
    overrides,
)

if TYPE_CHECKING:
    from rich.console import RenderableType

    from tailback.comparison import Cost
    from tailback.experiment import Experiment
    from tailback.results import Result


@app.command(
    epilog=examples(
        "tailback cost mesh.toml",
        'tailback cost mesh.toml --set workload.compute_period="20 us" --out results',
    )
)
def cost(  # noqa: PLR0913, PLR0917  # one argument per option
    file: File,
    set_: Set = None,
    seed: Seed = None,
    allow_deadlock: AllowDeadlock = False,
    json: Json = False,
    out: Out = None,
    packets: Packets = False,
    modes: Modes = "",
) -> None:
    """Run with and without contention, and compare."""
    with failures(json, file):
        from tailback import comparison

        experiment = loaded(file, overrides(set_, allow_deadlock, seed))
        more = (mode.strip() for mode in modes.split(",") if mode.strip())
        wanted = comparison.chosen_modes(more, experiment)
        prepare(out, experiment, wanted, packets)
        with prints_aside(json), ticking() as watch:
            result = comparison.cost(experiment, wanted, packets=packets, watch=watch)
        tables = {} if out is None else stored(result.modes, packets)
        save(out, tables, answer := result.to_dict())
        tell(answer, None if json else partial(_cost_report, result))
    exit_by(result)


@app.command(
    epilog=examples(
        "tailback run mesh.toml --seed 2", "tailback run mesh.toml --set run.mode=throttled --json"
    )
)
def run(  # noqa: PLR0913, PLR0917  # one argument per option
    file: File,
    set_: Set = None,
    seed: Seed = None,
    allow_deadlock: AllowDeadlock = False,
    json: Json = False,
    out: Out = None,
    packets: Packets = False,
    plot: Standstill = None,
) -> None:
    """Run one contention mode (run.mode)."""
    with failures(json, file):
        from tailback.runner import run_mode

        experiment = loaded(file, overrides(set_, allow_deadlock, seed))
        mode = experiment.run.mode
        prepare(out, experiment, packets=packets)
        if plot is not None:
            _check_picture(plot)
        with _draws(plot, experiment), prints_aside(json), ticking() as watch:
            result = run_mode(experiment, mode, packets=packets, watch=watch)
        tables = {} if out is None else stored({mode: result}, packets)
        save(out, tables, answer := result.to_dict())
        tell(answer, None if json else partial(_run_report, result))
    exit_by(result)


@app.command(
    epilog=examples(
        "tailback describe mesh.toml", "tailback describe mesh.toml --plot network.html"
    )
)
def describe(  # noqa: PLR0913, PLR0917  # one argument per option
    file: File,
    set_: Set = None,
    seed: Seed = None,
    allow_deadlock: AllowDeadlock = False,
    json: Json = False,
    out: Out = None,
    plot: Plot = None,
) -> None:
    """Say what would be simulated, without simulating."""
    with failures(json, file):
        from tailback.prediction import describe as predict
        from tailback.terminal.predicted import prediction_report

        experiment = loaded(file, overrides(set_, allow_deadlock, seed))
        prepare(out, experiment)
        if plot is not None:
            _check_picture(plot)
        prediction = predict(experiment)
        if plot is not None:
            prediction.write_plot(plot)
        tables = {"prediction": {"channels": prediction.channels}}
        save(out, tables, answer := prediction.to_dict())
        tell(answer, None if json else partial(prediction_report, prediction))


@app.command(epilog=examples("tailback schema > tailback.schema.json"))
def schema() -> None:
    """Print the JSON Schema of experiment files."""
    from tailback.experiment import json_schema

    print_json(json_schema())


def _cost_report(result: Cost) -> RenderableType:
    from tailback.terminal.measured import cost_report

    return cost_report(result)


def _run_report(result: Result) -> RenderableType:
    from tailback.terminal.measured import run_report

    return run_report(result)


@contextmanager
def _draws(plot: Path | None, experiment: Experiment) -> Iterator[None]:
    """Draw packets that turn out to wait for each other."""
    why = "no packets wait for each other"
    try:
        yield
    except RunFailure as failure:
        if plot is not None and failure.circle:
            why = _why_not_drawn(experiment, failure, plot)
        raise
    finally:
        if plot is not None and why:
            print(f"note: {plot} is not written: {why}", file=sys.stderr)


def _check_picture(plot: Path) -> None:
    from tailback.figures.written import check_picture

    check_picture(plot)


def _why_not_drawn(experiment: Experiment, failure: RunFailure, plot: Path) -> str:
    """Draw them; return why they cannot be drawn, or nothing."""
    from tailback.figures.blocked import write_standstill

    try:
        write_standstill(experiment.machine, failure, plot)
    except UserError as error:
        return str(error)
    return ""
