"""Why a run cannot go on, for the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from tailback.errors import RunFailure

from .layout import new_table

_SHOWN = 40
_BESIDE = 8
"""Who waits is shown so often beside a circle, which is the reason."""


def failure_report(failure: RunFailure) -> RenderableType:
    """Return who waits for what in a run that cannot go on."""
    parts: list[RenderableType] = []
    if failure.circle:
        parts.append(_circle_table(failure.circle))
    shown = _BESIDE if failure.circle else _SHOWN
    if failure.waiting:
        parts.append(_waiting_table(failure.waiting[:shown]))
    more = len(failure.waiting) - shown
    if more > 0:
        parts.append(Text(f"  and {more} more"))
    return Group(*parts)


def _circle_table(circle: tuple[dict[str, Any], ...]) -> Table:
    """Return the packets that wait for each other, each for something the next one has."""
    table = new_table("Packets that wait for each other")
    has_classes = any(blocked["class"] is not None for blocked in circle)
    names = ("class",) if has_classes else ()
    for heading in ("packet", *names, "from", "to", "holds", "waits for", "held by"):
        table.add_column(heading, no_wrap=not has_classes or heading == "packet")
    for blocked in circle[:_SHOWN]:
        table.add_row(
            *(str(blocked[key]) for key in ("packet", *names, "from", "to")),
            "\n".join(place["name"] for place in blocked["holds"]) or _stands(blocked),
            _wanted(blocked),
            _holder(blocked),
        )
    return table


def _stands(blocked: dict[str, Any]) -> str:
    """Return where a packet is that holds no channel."""
    is_queued = blocked["lack"] in {"first_in_queue", "reply_leaves", "rest_is_queued"}
    return f"the queue of node {blocked['from']}" if is_queued else ""


def _wanted(blocked: dict[str, Any]) -> str:
    if blocked["lack"] == "reply_place":
        return f"a place for its reply at node {blocked['to']}"
    if blocked["lack"] in {"reply_leaves", "rest_is_queued"}:
        return "those before it"
    return str(blocked["waits_for"]["name"])


#: What is said of a packet that lacks something no packet holds.
_LACKS = {
    "pause": "(paused)",
    "reply_place": "(no place)",
    "rest_comes": "(behind others)",
    "rest_leaves": "(behind others)",
    "rest_is_queued": "(behind others)",
    "reply_leaves": "(behind others)",
}


def _holder(blocked: dict[str, Any]) -> str:
    if blocked["lack"] in _LACKS:
        return _LACKS[blocked["lack"]]
    return "(no room)" if blocked["held_by"] is None else f"packet {blocked['held_by']}"


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
