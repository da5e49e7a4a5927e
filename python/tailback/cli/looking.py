"""The command that draws the tailback: `look`."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tailback.errors import UserError, shown

from . import looks
from .answering import Asked, Found, check_files, command, loaded, say_code, stored
from .options import Jobs

if TYPE_CHECKING:
    from tailback.experiment import Experiment
    from tailback.progress import Watch
    from tailback.results import Result

Page = Annotated[
    Path | None,
    typer.Option(
        "--html",
        metavar="PAGE",
        help="Where the page goes; default: look-FILE.html in this folder, or look.html in --out.",
    ),
]
Other = Annotated[
    str | None,
    typer.Option(
        "--against",
        metavar="FILE|MODE",
        help="Also show where more or fewer packets wait than in this experiment, or this mode.",
    ),
]
Flows = Annotated[
    bool,
    typer.Option(
        "--flows",
        help="Keep flows also where a workload that ends is on more than 256 nodes (more time and "
        "memory).",
    ),
]


@command(
    "tailback look mesh.toml",
    "tailback look jobs.toml --html jobs.html --seed 2",
    "tailback look new.toml --against old.toml",
    "tailback look mesh.toml --against endpoints",
)
def look(
    asked: Asked,
    html: Page = None,
    against: Other = None,
    flows: Flows = False,
    jobs: Jobs = None,
) -> Found:
    """Show on a map where packets wait, since when, and for whom.

    Runs one contention mode (run.mode) and writes a page.
    """
    from tailback.experiment.memory import at_once
    from tailback.look import check_drawable
    from tailback.store.run_folder import PAGE
    from tailback.terminal.looked import look_report
    from tailback.threads import Task, in_order

    experiment = asked.experiment(*looks.changes(asked))
    mode = experiment.run.mode
    check_drawable(experiment)
    other = None if against is None else _other(asked, experiment, against)
    if flows and asked.out is not None:
        raise UserError("--flows", None, "must be left out with --out, which keeps exact tables")
    page = html or (asked.out / PAGE if asked.out else Path(f"look-{asked.file.stem}.html"))
    asked.prepare(experiment)
    check_files(html=page)
    name, tasks = "", [Task(_first(experiment, mode, flows=flows, kept=asked.out is not None))]
    if other is not None:
        name, of, in_mode = other
        tasks.append(Task(partial(_run, of, in_mode), name))
    with asked.running() as watch:
        result, *others = in_order(tasks, at_once(experiment, jobs), watch)
    compared = others[0] if others and result.failure is None else None
    again = asked.again("look")
    if against is not None:
        again += f" --against {shlex.quote(against)}"
    if flows:
        again += " --flows"
    drawn = looks.write(asked, page, result, name, compared, again)
    assert drawn is not None
    asked.save(result.to_dict(), partial(stored, {mode: result}))
    answer = {**result.to_dict(), "page": str(page)}
    asked.tell(answer, partial(look_report, experiment, drawn.head, drawn.remarks, page))
    return result


def _first(
    experiment: Experiment, mode: str, *, flows: bool, kept: bool
) -> Callable[[Watch], Result]:
    """Return what runs the mode that is shown; results that are kept are those without flows."""
    from tailback.look import run_with_flows

    if kept:
        return partial(_run, experiment, mode, until_failure=True)
    return partial(run_with_flows, experiment, mode, asked=flows)


def _run(experiment: Experiment, mode: str, watch: Watch, *, until_failure: bool = False) -> Result:
    from tailback.runner import run_mode

    return run_mode(experiment, mode, watch=watch, until_failure=until_failure)


def _other(asked: Asked, experiment: Experiment, against: str) -> tuple[str, Experiment, str]:
    """Return what a run is compared with: its name, an experiment and a mode."""
    from tailback.comparison import MODES
    from tailback.look import check_same

    if against in MODES:
        if against == experiment.run.mode:
            raise UserError("--against", shown(against), "is the mode that is shown (run.mode)")
        return f"mode {against}", asked.experiment("run.blame=true"), against
    if asked.out is not None:
        allowed = f"must be a mode with --out, which keeps one experiment: {', '.join(MODES)}"
        raise UserError("--against", shown(against), allowed)
    file = Path(against)
    try:
        other = loaded(file, (*asked.overrides, "run.blame=true"), code=not asked.no_code)
    except UserError as error:
        if error.field == against:
            raise
        field = f"{against}: {error.field}"
        raise UserError(field, error.given, error.allowed, error.nearest) from None
    say_code(other.programs())
    check_same(experiment, other, file.name)
    return file.name, other, other.run.mode
