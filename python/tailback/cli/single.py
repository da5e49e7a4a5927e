"""Commands on one experiment: `cost`, `run`, `describe`, `schema`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tailback.errors import RunFailure, UserError

from . import looks
from .answering import Asked, Found, check_files, command, print_json, stored
from .options import Full, Jobs, Modes, Packets, Plot, Standstill, app, examples

if TYPE_CHECKING:
    from rich.console import RenderableType

    from tailback.experiment import Experiment
    from tailback.results import Result


@command(
    "tailback cost mesh.toml",
    'tailback cost mesh.toml --set workload.compute_period="20 us" --out results',
)
def cost(
    asked: Asked,
    *,
    packets: Packets = False,
    modes: Modes = "",
    jobs: Jobs = None,
    full: Full = False,
    look: looks.Look = None,
) -> Found:
    """Say what contention costs: run with and without it."""
    from tailback import comparison
    from tailback.terminal.measured import cost_report

    experiment = asked.experiment(*looks.kept(asked, look))
    more = (mode.strip() for mode in modes.split(",") if mode.strip())
    wanted = comparison.chosen_modes(more, experiment)
    asked.prepare(experiment, wanted, packets=packets)
    check_files(look=look)
    looks.check(look, experiment)
    with looks.of_failures(asked, look, experiment, "full"), asked.running() as watch:
        result = comparison.cost(experiment, wanted, packets=packets, jobs=jobs, watch=watch)
    asked.save(answer := result.to_dict(), partial(stored, result.modes, packets))
    baseline = experiment.run.baseline
    if "full" in result.modes:
        other = result.modes.get(baseline)
        looks.write(asked, look, result.modes["full"], f"mode {baseline}", other)
    asked.tell(answer, partial(cost_report, result, full=full))
    return result


@command(
    "tailback run mesh.toml --seed 2", "tailback run mesh.toml --set run.mode=throttled --json"
)
def run(
    asked: Asked, packets: Packets = False, plot: Standstill = None, look: looks.Look = None
) -> Found:
    """Run one contention mode and print what was measured.

    The mode is run.mode.
    """
    from tailback.runner import run_mode

    experiment = asked.experiment(*looks.kept(asked, look))
    mode = experiment.run.mode
    asked.prepare(experiment, packets=packets)
    check_files(look=look)
    looks.check(look, experiment)
    if plot is not None:
        _check_picture(plot)
    with _draws(plot, experiment), asked.running() as watch:
        until = look is not None
        result = run_mode(experiment, mode, packets=packets, watch=watch, until_failure=until)
        looks.write(asked, look, result)
    asked.save(answer := result.to_dict(), partial(stored, {mode: result}, packets))
    asked.tell(answer, partial(_run_report, result))
    return result


@command("tailback describe mesh.toml", "tailback describe mesh.toml --plot network.html")
def describe(asked: Asked, plot: Plot = None, full: Full = False) -> None:
    """Predict latency, load and saturation without simulating."""
    from tailback.prediction import STEPS
    from tailback.prediction import describe as predict
    from tailback.progress import Steps
    from tailback.terminal.predicted import prediction_report

    with asked.running("reading the experiment") as watch:
        steps = Steps(1 + STEPS, watch.step)
        steps.begin("reading the experiment")
        experiment = asked.experiment()
        asked.prepare(experiment)
        if plot is not None:
            _check_picture(plot)
        prediction = predict(experiment, steps)
        answer = prediction.to_dict()
    if plot is not None:
        prediction.write_plot(plot)
    tables = {"prediction": {"channels": prediction.channels}}
    asked.save(answer, lambda: tables)
    asked.tell(answer, partial(prediction_report, prediction, full=full))


@app.command(epilog=examples("tailback schema > tailback.schema.json"))
def schema() -> None:
    """Print the JSON Schema of experiment files."""
    from tailback.experiment import json_schema

    print_json(json_schema())


def _run_report(result: Result) -> RenderableType:
    # Rich is not needed before the run.
    from tailback.terminal.measured import run_report

    return run_report(result)


@contextmanager
def _draws(plot: Path | None, experiment: Experiment) -> Iterator[None]:
    """Draw the blocked packets if the run deadlocks."""
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
    """Draw the blocked packets; return why they cannot be drawn, or nothing."""
    from tailback.figures.blocked import write_standstill

    try:
        write_standstill(experiment.machine, failure, plot)
    except UserError as error:
        return str(error)
    return ""
