"""Writes the page of one run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tailback import files
from tailback.errors import UserError

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
    content = html(look).encode("utf-8", "backslashreplace")
    try:
        files.write_durably(path, content)
    except OSError as error:
        reason = f"cannot be written: {(error.strerror or str(error)).lower()}"
        raise UserError(str(path), None, reason) from None
    return look
