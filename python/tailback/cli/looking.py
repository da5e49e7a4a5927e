"""The command that draws the tailback: `look`."""

from __future__ import annotations

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
        help="Where the page goes; default: look-FILE.html, in this folder.",
    ),
]


@command("tailback look mesh.toml", "tailback look jobs.toml --html jobs.html --seed 2")
def look(asked: Asked, html: Page = None) -> Found:
    """Show on a map where packets wait, since when, and for whom.

    Runs one contention mode (run.mode) and writes a page.
    """
    from tailback.look import KEPT, check_drawable, write_look
    from tailback.runner import run_mode
    from tailback.terminal.looked import look_report

    experiment = asked.experiment(*KEPT)
    mode = experiment.run.mode
    check_drawable(experiment)
    page = html or Path(f"look-{asked.file.stem}.html")
    asked.prepare(experiment)
    check_files(html=page)
    with asked.running() as watch:
        result = run_mode(experiment, mode, watch=watch)
    shown = write_look(result, page, asked.again("look"))
    answer = {**result.to_dict(), "page": str(page)}
    asked.save(answer, partial(stored, {mode: result}))
    asked.tell(answer, partial(look_report, experiment, shown.head, shown.remarks, page))
    return result
