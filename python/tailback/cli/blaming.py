"""The command that says who makes whom wait: `blame`."""

from __future__ import annotations

from typing import Annotated

import typer

from tailback.files import check_named

from .answering import exit_unless, failures, prepare, print_json, prints_aside, stored
from .options import AllowDeadlock, File, Html, Json, Out, Seed, Set, app, examples, overrides

Top = Annotated[int, typer.Option("--top", metavar="N", min=1, help="Rows of each table.")]


@app.command(
    epilog=examples(
        "tailback blame mesh.toml --top 20", "tailback blame mesh.toml --html waits.html"
    )
)
def blame(  # noqa: PLR0913, PLR0917  # one argument per option
    file: File,
    set_: Set = None,
    seed: Seed = None,
    allow_deadlock: AllowDeadlock = False,
    json: Json = False,
    out: Out = None,
    top: Top = 10,
    html: Html = None,
) -> None:
    """Run one contention mode and say who makes whom wait, where and how."""
    with failures(json):
        from tailback.experiment import Experiment
        from tailback.progress import Ticker
        from tailback.runner import run_mode
        from tailback.terminal.blamed import blame_report, facts

        changes = [*overrides(set_, allow_deadlock, seed), "run.blame=true"]
        experiment = Experiment.load(file, changes)
        mode = experiment.run.mode
        prepare(out, experiment)
        if html is not None:
            check_named("--html", html)
        with prints_aside(json), Ticker() as watch:
            result = run_mode(experiment, mode, watch=watch)
        answer = {**result.to_dict(), "blame": facts(result, top)}
        if out is not None:
            from tailback.store import run_folder

            run_folder.save(out, stored({mode: result}, packets=False), answer)
        if html is not None:
            from tailback.report.of_blame import write_blame

            write_blame(result, html)
        if json:
            print_json(answer)
        else:
            from tailback.terminal.layout import show

            show(blame_report(result, top))
    exit_unless(result.complete)
