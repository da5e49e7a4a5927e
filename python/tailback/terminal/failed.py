"""Why a run cannot go on, for the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from tailback.errors import RunFailure
from tailback.standstill import circle_headings, circle_rows, waiting_told

from .layout import new_table


def failure_report(failure: RunFailure) -> RenderableType:
    """Return who waits for what in a run that cannot go on."""
    parts: list[RenderableType] = []
    if failure.circle:
        parts.append(_circle_table(failure.circle))
    told = waiting_told(failure)
    if told:
        parts.append(_waiting_table(told))
    more = len(failure.waiting) - len(told)
    if more > 0:
        parts.append(Text(f"  and {more} more"))
    return Group(*parts)


def _circle_table(circle: tuple[dict[str, Any], ...]) -> Table:
    """Return the packets that wait for each other, each for something the next one has."""
    table = new_table("Packets that wait for each other")
    headings = circle_headings(circle)
    for heading in headings:
        table.add_column(heading, no_wrap="class" not in headings or heading == "packet")
    for row in circle_rows(circle, "\n"):
        table.add_row(*row)
    return table


def _waiting_table(waiting: tuple[tuple[str, str], ...]) -> Table:
    table = new_table("Who waits for what")
    table.show_header = False
    table.add_column("", no_wrap=True)
    table.add_column("")
    for who, what in waiting:
        table.add_row(who, what)
    return table


def circle_report(circle: Sequence[dict[str, Any]]) -> RenderableType:
    """Return the channels by which packets could wait for each other, and which do."""
    table = new_table("Channels that wait for each other")
    for heading in ("channel", "held by a packet", "that asks for"):
        table.add_column(heading)
    asked = [*circle[1:], circle[0]]
    for channel, following in zip(circle, asked, strict=True):
        table.add_row(channel["channel"], channel["packet"], following["channel"])
    return table
