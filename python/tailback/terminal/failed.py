"""Why a run cannot go on: deadlocks and cyclic channel dependencies."""

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
    """Return the table of blocked packets and of what each waits for."""
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
    """Return the cycle of packets, each waiting for something that the next one holds."""
    heads = circle_headings(circle)
    columns = (Column(head, no_wrap="class" not in heads or head == "packet") for head in heads)
    title = "Packets that wait for each other"
    return new_table(title, *columns, rows=circle_rows(circle, "\n"))


def circle_report(circle: Sequence[dict[str, Any]]) -> RenderableType:
    """Return the cycle of channels, and the packets that hold and request them."""
    asked = [*circle[1:], circle[0]]
    return new_table(
        "Channels that wait for each other",
        *map(Column, ("channel", "held by a packet", "that requests")),
        rows=[
            (channel["channel"], channel["packet"], following["channel"])
            for channel, following in zip(circle, asked, strict=True)
        ],
    )
