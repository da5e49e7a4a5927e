"""Parts of a time, one above the other: where packets wait, and others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .curves import named, shown_text
from .drawing import Axis, Drawing
from .labels import METRICS
from .look import colour

PARTS = ("throttling_us", "internal_contention_us")


@dataclass(frozen=True, slots=True)
class Waits:
    """Mean waits of a packet at several places of a sweep."""

    x: Sequence[str]
    throttling_us: Sequence[float | None]
    internal_contention_us: Sequence[float | None]


def waiting(waits: Waits, x: Axis) -> Drawing:
    """Return stacked bars, one for each place; their height is the mean wait of a packet."""
    parts = [
        Part(part, METRICS[part].label, getattr(waits, part), 4 + number)
        for number, part in enumerate(PARTS)
    ]
    return stacked(waits.x, parts, x, "mean wait (µs per packet)")


@dataclass(frozen=True, slots=True)
class Part:
    """What is drawn in one colour."""

    name: str
    """Of its column."""
    label: str
    us: Sequence[float | None]
    """By bar."""
    colour: int


def stacked(places: Sequence[str], parts: Sequence[Part], x: Axis, height: str) -> Drawing:
    """Return stacked bars, one for each place, in microseconds."""
    data: list[dict[str, Any]] = [
        {
            "type": "bar",
            **named(part.label),
            "legendgroup": part.name,
            "x": list(places),
            "y": list(part.us),
            "marker": {"color": colour(part.colour), "line": {"width": 0}},
            "hovertemplate": f"%{{x}}<br>{part.label}: %{{y:.3~g}} µs<extra></extra>",
        }
        for part in parts
    ]
    layout = {
        "barmode": "stack",
        "bargap": 0.25,
        "xaxis": {
            "type": "category",
            "title": {"text": shown_text(x.label), "standoff": 10},
            "automargin": True,
        },
        "yaxis": {
            "title": {"text": height, "standoff": 10},
            "automargin": True,
            "rangemode": "tozero",
        },
        "margin": {"t": 16, "r": 16, "l": 64, "b": 56},
    }
    table = {x.label.replace(" ", "_"): places, **{part.name: part.us for part in parts}}
    return Drawing({"data": data, "layout": layout}, table)
