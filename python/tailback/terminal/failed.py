"""Why a run cannot go on, for the terminal."""

from __future__ import annotations

from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from tailback.errors import RunFailure

from .layout import new_table

_SHOWN = 40


def failure_report(failure: RunFailure) -> RenderableType:
    """Return who waits for what in a run that cannot go on."""
    parts: list[RenderableType] = []
    if failure.circle:
        parts.append(_circle_table(failure.circle))
    if failure.waiting:
        parts.append(_waiting_table(failure.waiting))
    more = len(failure.waiting) - _SHOWN
    if more > 0:
        parts.append(Text(f"  and {more} more"))
    return Group(*parts)


def _circle_table(circle: tuple[dict[str, Any], ...]) -> Table:
    """Return the packets that wait for each other, each for something the next one has."""
    table = new_table("Packets that wait for each other")
    for heading in ("packet", "from node", "to node", "holds", "waits for", "held by"):
        table.add_column(heading)
    for blocked in circle[:_SHOWN]:
        holder = blocked["held_by"]
        table.add_row(
            *(str(blocked[key]) for key in ("packet", "source", "destination")),
            "\n".join(map(_place, blocked["holds"])),
            _place(blocked["waits_for"]),
            "no room in its buffer" if holder is None else f"packet {holder}",
        )
    return table


def _waiting_table(waiting: tuple[tuple[str, str], ...]) -> Table:
    table = new_table("Who waits for what")
    table.show_header = False
    table.add_column("", no_wrap=True)
    table.add_column("")
    for who, what in waiting[:_SHOWN]:
        table.add_row(who, what)
    return table


def _place(place: dict[str, Any]) -> str:
    ends = (" ".join(map(str, place[end])) for end in ("from", "to"))
    lane = f" (channel {place['lane']})" if place["lane"] else ""
    return f"{' to '.join(ends)}{lane}"
