"""Writes the page of one run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tailback.report.page import write_html

from .against import Against
from .model import Look, look_of
from .rendering import html

if TYPE_CHECKING:
    from tailback.results import Result


def write_look(
    result: Result, path: Path, command: str = "", against: Against | None = None
) -> Look:
    """Write the page of a run with `run.blame`; `command`: what made it, shown on the page.

    Returns what it shows. Raises `UserError` if it cannot be written, the run has no blame, or that
    which it is compared with has another network.
    """
    look = look_of(result, command, against)
    write_html(html(look), path)
    return look
