"""Why a run cannot go on, for the terminal."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from tailback.errors import RunFailure

from .layout import new_table


def failure_report(failure: RunFailure) -> RenderableType:
    """Return who waits for what in a run that cannot go on."""
    table = new_table("Who waits for what")
    table.show_header = False
    table.add_column("", no_wrap=True)
    table.add_column("")
    for who, what in failure.waiting[:40]:
        table.add_row(who, what)
    more = len(failure.waiting) - 40
    return Group(table, Text(f"  and {more} more")) if more > 0 else table
