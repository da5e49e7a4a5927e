"""The command that says what jobs cost each other: `interference`."""

from __future__ import annotations

from enum import Enum
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from tailback.files import check_named, write_named

from .answering import (
    exit_by,
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


class By(str, Enum):
    """What is run beside all jobs and each alone."""

    pairs = "pairs"
    without = "without"


Way = Annotated[
    By | None,
    typer.Option(
        "--by", help="Run pairs of jobs, or all jobs without one; default: pairs of up to 6."
    ),
]
Csv = Annotated[
    Path | None, typer.Option("--csv", metavar="FILE", help="Write a row for each pair of jobs.")
]


@app.command(
    epilog=examples(
        "tailback interference jobs.toml", "tailback interference jobs.toml --html jobs.html"
    )
)
def interference(  # noqa: PLR0913, PLR0917  # one argument per option
    file: File,
    set_: Set = None,
    seed: Seed = None,
    allow_deadlock: AllowDeadlock = False,
    by: Way = None,
    json: Json = False,
    out: Out = None,
    html: Html = None,
    csv: Csv = None,
) -> None:
    """Run jobs together and alone, and say who slows whom down."""
    with failures(json, file):
        from tailback.comparison.of_jobs import interference as found_of
        from tailback.terminal.interfering import interference_report

        experiment = loaded(file, overrides(set_, allow_deadlock, seed))
        prepare(out, experiment)
        for option, path in (("--html", html), ("--csv", csv)):
            if path is not None:
                check_named(option, path)
        with prints_aside(json), ticking() as watch:
            found = found_of(experiment, None if by is None else by.value, watch=watch)
        answer = found.to_dict()
        together = found.together
        tables = {} if out is None else stored({together.mode: together}, packets=False)
        save(out, tables, answer)
        if html is not None:
            from tailback.report.of_interference import write_interference

            write_interference(found, html)
        if csv is not None:
            write_named("--csv", csv, found.csv_text().encode())
        tell(answer, None if json else partial(interference_report, found))
    exit_by(found)
