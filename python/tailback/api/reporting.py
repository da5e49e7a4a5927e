"""The results of a sweep as a page: `write_report`."""

from __future__ import annotations

import os
from pathlib import Path

from tailback.report import of_store

from .stores import Results, store_of


def write_report(
    folder: Results, out: str | os.PathLike[str] | None = None, title: str | None = None
) -> Path:
    """Write the HTML page on the results in `folder`; return where it is.

    `out`: by default `report.html` in the folder. `title`: what was simulated unless it, or
    the sweep (`run.title`), says something else. Raises `UserError` if there are no results,
    or the file cannot be written.
    """
    place = store_of(folder).folder
    return of_store.write_report(place, None if out is None else Path(out), title)
