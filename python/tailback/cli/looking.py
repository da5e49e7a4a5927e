"""The command that draws the tailback: `look`."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from .answering import Asked, Found, check_files, command, stored

Page = Annotated[
    Path | None,
    typer.Option(
        "--html",
        metavar="PAGE",
        help="Where the page goes; default: look-FILE.html in this folder, or look.html in --out.",
    ),
]


@command("tailback look mesh.toml", "tailback look jobs.toml --html jobs.html --seed 2")
def look(asked: Asked, html: Page = None) -> Found:
    """Show on a map where packets wait, since when, and for whom.

    Runs one contention mode (run.mode) and writes a page.
    """
    from tailback.look import KEPT, check_drawable, write_look
    from tailback.runner import run_mode
    from tailback.store.run_folder import PAGE
    from tailback.terminal.looked import look_report

    experiment = asked.experiment(*KEPT)
    mode = experiment.run.mode
    check_drawable(experiment)
    page = html or (asked.out / PAGE if asked.out else Path(f"look-{asked.file.stem}.html"))
    asked.prepare(experiment)
    check_files(html=page)
    with asked.running() as watch:
        result = run_mode(experiment, mode, watch=watch, until_deadlock=True)
    shown = write_look(result, page, asked.again("look"))
    if result.failure is not None:
        print(f"page: {page}", file=sys.stderr)
        raise result.failure
    asked.save(result.to_dict(), partial(stored, {mode: result}))
    answer = {**result.to_dict(), "page": str(page)}
    asked.tell(answer, partial(look_report, experiment, shown.head, shown.remarks, page))
    return result
