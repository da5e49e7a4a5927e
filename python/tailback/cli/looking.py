"""The command that draws the tailback: `look`."""

from __future__ import annotations

import shlex
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
        help="Where the page goes; default: beside here, as look-FILE.html.",
    ),
]


KEPT = ("run.blame=true", "run.packet_waits=true", "run.slices=200")
"""What a run keeps for the page."""


@command("tailback look mesh.toml", "tailback look jobs.toml --html jobs.html --seed 2")
def look(asked: Asked, html: Page = None) -> Found:
    """Show on a map where packets wait, since when, and for whom.

    Runs one contention mode (run.mode) and writes a page.
    """
    from tailback.look import check_drawable, write_look
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
    shown = write_look(result, page, _written(asked))
    answer = {**result.to_dict(), "page": str(page)}
    asked.save(answer, partial(stored, {mode: result}))
    asked.tell(answer, partial(look_report, experiment, shown.head, shown.remarks, page))
    return result


def _written(asked: Asked) -> str:
    """Return the command line that makes the same page."""
    changes = [word for change in asked.overrides for word in ("--set", change)]
    return shlex.join(["tailback", "look", str(asked.file), *changes])
