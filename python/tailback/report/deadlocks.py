"""The section of a report on points that ended in a deadlock: the cycle of waiting packets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tailback.errors import UserError
from tailback.figures import blocked
from tailback.figures.description import view_of
from tailback.figures.drawing import Choice, Drawing, one_of
from tailback.figures.drawing import Key as Chosen
from tailback.figures.labels import description_text
from tailback.figures.network_map import NetworkMap
from tailback.standstill import Standstill, circle_headings, circle_rows
from tailback.store.records import Failure
from tailback.units import counted

from .content import Figure, Section, Table

_MOST = 8
"""Number of points shown; the page gives the total."""
_HEIGHT_PX = 560


def section(failures: Sequence[Failure]) -> Section | None:
    """Return the section with the first points; None if no point has a stored deadlock."""
    stands = [(failure, failure.standstill) for failure in failures if failure.standstill]
    if not stands:
        return None
    members: dict[Chosen, Drawing] = {}
    places: list[str] = []
    tables: list[Table] = []
    for failure, standstill in stands[:_MOST]:
        place = description_text(failure.varied)
        seen, why_not = _picture(failure, standstill)
        if seen is None:
            tables.append(_table(place + why_not, standstill))
        else:
            members[len(places),] = _drawing(seen, standstill)
            places.append(place)
    figures = []
    if members:
        drawn = one_of((Choice("point", "point", tuple(places)),), members)
        figures.append(Figure("deadlock", "Packets that wait for each other", drawn, _CAPTION))
    return Section("Deadlocks", (_text([failure for failure, _ in stands]), *figures, *tables))


def _picture(failure: Failure, standstill: Standstill) -> tuple[NetworkMap | None, str]:
    """Return the map of a point, or the reason why there is none."""
    try:
        seen = blocked.picture_of(standstill, failure.text)
    except UserError as error:
        return None, f"; not drawn: {error.allowed}"
    if seen is None and standstill.circle:
        return None, "; drawn by `tailback run` with `--plot`, since its network is in a file"
    return seen, ""


def _drawing(seen: NetworkMap, standstill: Standstill) -> Drawing:
    """Return the map of a point with the same information as a table below."""
    headings = ("number", *circle_headings(standstill.circle))
    told = enumerate(circle_rows(standstill.circle, ", "), 1)
    rows = [(str(number), *row) for number, row in told]
    columns = zip(headings, zip(*rows, strict=True), strict=True)
    table = {heading.replace(" ", "_"): column for heading, column in columns}
    view = replace(view_of(seen), table=table, note=(headings, *rows), height_px=_HEIGHT_PX)
    return Drawing.of(view)


def _table(caption: str, standstill: Standstill) -> Table:
    """Return a table of who waits for what: packets, or processes and messages."""
    if standstill.circle:
        rows = tuple(circle_rows(standstill.circle, ", "))
        return Table(circle_headings(standstill.circle), rows, caption)
    more = [(f"and {standstill.more} more", "")] if standstill.more else []
    waiting = [(who, what) for who, what in standstill.waiting]
    return Table(("who", "waits for"), (*waiting, *more), caption)


def _text(failures: Sequence[Failure]) -> str:
    count = len(failures)
    where = f" ({description_text(failures[0].varied)})" if count == 1 else ""
    shown = f" The first {_MOST} are shown." if count > _MOST else ""
    return (
        f"{counted(count, 'point')}{where} ended in a deadlock: packets or processes that wait for "
        f"each other for ever. Nothing of such a run is measured.{shown}"
    )


_CAPTION = (
    "Every number is a packet that waits for the next, the last one for 1; dotted lines lead from "
    "each to whom it waits for. Channels that packets hold stand out. A packet stands at the end "
    "of the last channel it has come to, or at its node if it has not left that."
)
