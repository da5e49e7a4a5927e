"""Bars: stacked parts of times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .description import Axis, Bars, Panel, View
from .drawing import Drawing


def stacked(places: Sequence[str], parts: Mapping[str, Bars], x: Axis, height: Axis) -> Drawing:
    """Return stacked bars at each position; `parts`: by column in the table."""
    table = {x.label.replace(" ", "_"): places, **{name: p.lengths for name, p in parts.items()}}
    named = Axis(x.label, names=tuple(dict.fromkeys(places)))
    return Drawing.of(View((Panel([*parts.values()], named, height),), table))
