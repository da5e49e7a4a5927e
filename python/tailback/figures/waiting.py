"""Where packets wait: throttling and internal contention, one above the other."""

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
    data: list[dict[str, Any]] = []
    for number, part in enumerate(PARTS):
        label = METRICS[part].label
        data.append(
            {
                "type": "bar",
                **named(label),
                "legendgroup": part,
                "x": list(waits.x),
                "y": list(getattr(waits, part)),
                "marker": {"color": colour(4 + number), "line": {"width": 0}},
                "hovertemplate": f"%{{x}}<br>{label}: %{{y:.3~g}} µs<extra></extra>",
            }
        )
    layout = {
        "barmode": "stack",
        "bargap": 0.25,
        "xaxis": {
            "type": "category",
            "title": {"text": shown_text(x.label), "standoff": 10},
            "automargin": True,
        },
        "yaxis": {
            "title": {"text": "mean wait (µs per packet)", "standoff": 10},
            "automargin": True,
            "rangemode": "tozero",
        },
        "margin": {"t": 16, "r": 16, "l": 64, "b": 56},
    }
    table = {x.label.replace(" ", "_"): waits.x, **{part: getattr(waits, part) for part in PARTS}}
    return Drawing({"data": data, "layout": layout}, table)
