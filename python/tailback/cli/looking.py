"""The command that draws the tailback: `look`."""

from __future__ import annotations

import shlex
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .answering import Asked, Found, check_files, command, stored

if TYPE_CHECKING:
    from rich.console import RenderableType

    from tailback.look import Look
    from tailback.results import Result

Page = Annotated[
    Path | None,
    typer.Option(
        "--html", metavar="PAGE", help="Where the page goes; default: beside here, as look-FILE.html."
    ),
]


@command("tailback look mesh.toml", "tailback look jobs.toml --html jobs.html --seed 2")
def look(asked: Asked, html: Page = None) -> Found:
    """Run one contention mode and write a page: where packets wait, since when, and for whom."""
    from tailback.look import check_drawable, write_look
    from tailback.runner import run_mode

    experiment = asked.experiment("run.blame=true", "run.packet_waits=true")
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
    asked.tell(answer, partial(_report, result, shown, page))
    return result


def _written(asked: Asked) -> str:
    """Return the command line that makes the same page."""
    changes = [word for change in asked.overrides for word in ("--set", change)]
    return shlex.join(["tailback", "look", str(asked.file), *changes])


def _report(result: Result, shown: Look, page: Path) -> RenderableType:
    from rich.console import Group
    from rich.text import Text

    from tailback.terminal.layout import cautions, heading

    lead = Text(" ".join(shown.lead).replace("`", ""))
    told = [heading(result.experiment), lead, *cautions(shown.status)]
    return Group(*told, Text(f"page: {page}"))
