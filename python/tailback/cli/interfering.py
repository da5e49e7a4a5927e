"""The command on jobs that slow each other down: `interference`."""

from __future__ import annotations

from enum import Enum
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from tailback.files import write_named

from . import looks
from .answering import Asked, Found, check_files, command, stored
from .options import Full, Html, Jobs


class By(str, Enum):
    """What is run besides all jobs together and each alone."""

    pairs = "pairs"
    without = "without"


Way = Annotated[
    By | None,
    typer.Option(
        "--by", help="Also run pairs of jobs, or all jobs but one; default: pairs, of up to 6 jobs."
    ),
]
Csv = Annotated[
    Path | None, typer.Option("--csv", metavar="FILE", help="Write a row for each pair of jobs.")
]


@command("tailback interference jobs.toml", "tailback interference jobs.toml --html jobs.html")
def interference(  # noqa: PLR0913  # one argument per option
    asked: Asked,
    *,
    by: Way = None,
    jobs: Jobs = None,
    html: Html = None,
    csv: Csv = None,
    full: Full = False,
    look: looks.Look = None,
) -> Found:
    """Run jobs together and alone, and say who slows whom down."""
    from tailback.comparison.of_jobs import interference as found_of
    from tailback.terminal.interfering import interference_report

    experiment = asked.experiment(*looks.kept(asked, look))
    asked.prepare(experiment)
    check_files(html=html, csv=csv, look=look)
    looks.check(look, experiment)
    with looks.of_failures(asked, look, experiment, "full"), asked.running() as watch:
        found = found_of(experiment, None if by is None else by.value, jobs=jobs, watch=watch)
    together = found.together
    asked.save(answer := found.to_dict(), partial(stored, {together.mode: together}))
    if html is not None:
        from tailback.report.of_interference import write_interference

        write_interference(found, html)
    if csv is not None:
        write_named("--csv", csv, found.csv_text().encode())
    looks.write(asked, look, together)
    asked.tell(answer, partial(interference_report, found, full=full))
    return found
