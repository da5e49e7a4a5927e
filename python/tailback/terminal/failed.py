"""Why a run cannot go on, for the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Column, Table
from rich.text import Text

from tailback.errors import RunFailure
from tailback.standstill import circle_headings, circle_rows, waiting_told

from .layout import new_table, words


def failure_report(failure: RunFailure) -> RenderableType:
    """Return who waits for what in a run that cannot go on."""
    parts: list[RenderableType] = []
    if failure.circle:
        parts.append(_circle_table(failure.circle))
    told = waiting_told(failure)
    if told:
        columns = (*words(""), Column(""))
        parts.append(new_table("Who waits for what", *columns, rows=told, has_head=False))
    more = len(failure.waiting) - len(told)
    if more > 0:
        parts.append(Text(f"  and {more} more"))
    return Group(*parts)


def _circle_table(circle: tuple[dict[str, Any], ...]) -> Table:
    """Return the packets that wait for each other, each for something the next one has."""
    heads = circle_headings(circle)
    columns = (Column(head, no_wrap="class" not in heads or head == "packet") for head in heads)
    title = "Packets that wait for each other"
    return new_table(title, *columns, rows=circle_rows(circle, "\n"))


def circle_report(circle: Sequence[dict[str, Any]]) -> RenderableType:
    """Return the channels by which packets could wait for each other, and which do."""
    asked = [*circle[1:], circle[0]]
    return new_table(
        "Channels that wait for each other",
        *map(Column, ("channel", "held by a packet", "that asks for")),
        rows=[
            (channel["channel"], channel["packet"], following["channel"])
            for channel, following in zip(circle, asked, strict=True)
        ],
    )
