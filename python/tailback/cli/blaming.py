"""The command that says who makes whom late: `blame`."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from tailback.files import check_named

from .answering import (
    exit_unless,
    failures,
    loaded,
    prepare,
    prints_aside,
    save,
    stored,
    tell,
    ticking,
)
from .options import AllowDeadlock, File, Html, Json, Out, Seed, Set, app, examples, overrides

Top = Annotated[int, typer.Option("--top", metavar="N", min=1, help="Rows of each table.")]


@app.command(
    epilog=examples(
        "tailback blame mesh.toml --top 20", "tailback blame mesh.toml --html late.html"
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
    """Run one contention mode and say how late messages are, because of whom, and where."""
    with failures(json):
        from tailback.runner import run_mode
        from tailback.terminal.blamed import blame_report, facts

        changes = [*overrides(set_, allow_deadlock, seed), "run.blame=true"]
        experiment = loaded(file, changes)
        mode = experiment.run.mode
        prepare(out, experiment)
        if html is not None:
            check_named("--html", html)
        with prints_aside(json), ticking() as watch:
            result = run_mode(experiment, mode, watch=watch)
        answer = {**result.to_dict(), "blame": facts(result, top)}
        tables = {} if out is None else stored({mode: result}, packets=False)
        save(out, tables, answer)
        if html is not None:
            from tailback.report.of_blame import write_blame

            write_blame(result, html)
        tell(answer, None if json else partial(blame_report, result, top))
    exit_unless(result.complete)
