"""How to get the page of `tailback look` for a point of a report: the command that makes it."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tailback.sending.asked import FOLDER
from tailback.store.parameters import change_to

from .variation import SEED


def options(columns: Iterable[str], row: Mapping[str, Any]) -> str | None:
    """Return the options that make the experiment of a sweep that of a point.

    `columns`: those that the sweep varies. None if there are none, or one is nothing that can be
    set, such as a number that only the sweep knows.
    """
    words = []
    for column in columns:
        if column == SEED or row.get(column) is None:
            continue
        change = change_to(column, row[column])
        if change is None:
            return None
        words += ["--set", change]
    if row.get(SEED) is not None:
        words += ["--seed", str(int(row[SEED]))]
    return shlex.join(words) if words else None


def command(folder: Path) -> str:
    """Return the command of which a point adds the options; `folder`: that of the results."""
    files = sorted(folder.glob(f"{FOLDER}/*/**/*.toml"))
    file = shlex.quote(files[0].relative_to(folder).as_posix()) if len(files) == 1 else "FILE"
    return f"tailback look {file}"


def text(folder: Path) -> str:
    """Return in a sentence how the options of a point are used; `folder`: that of the results."""
    told = command(folder)
    where = (
        "with the file of its sweep" if told.endswith("FILE") else "in the folder of these results"
    )
    return (
        f"`{told}` with the options of a point, {where}, shows "
        "where packets wait there, since when, and because of whom. "
        "`tailback report --pages` makes these pages, and links to them."
    )
