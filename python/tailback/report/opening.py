"""The first section of a report: default pictures of the sweep."""

from __future__ import annotations

from tailback.figures.curves import curves

from .content import Figure, Section
from .series import Series
from .usual import Picture, usual

_MOST = 2


def sections(series: Series) -> list[Section]:
    """Return the section with at most two default pictures; none if there are none."""
    figures = tuple(_figure(seen) for seen in usual(series)[:_MOST])
    return [Section("At a glance", figures)] if figures else []


def _figure(seen: Picture) -> Figure:
    words = [seen.caption] if seen.caption else []
    if seen.has_saturated:
        words.append("Crosses: saturated; less is accepted than is offered.")
    title = seen.title[0].upper() + seen.title[1:]
    title = title if not seen.title.startswith("theta") else seen.title
    return Figure(f"glance_{seen.name}", title, curves(seen.lines, seen.x, seen.y), " ".join(words))
