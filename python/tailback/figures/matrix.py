"""Who makes whom wait: a square of colours, a row for each victim, a column for each culprit."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .look import COLOUR_SCALE
from .maps import Form

_HEIGHT_PX = 520
_GAPS_UP_TO = 60
_NOTHING, _ITSELF = " ", "itself"


def matrix_form(victims: Sequence[str], culprits: Sequence[str]) -> Form:
    """Return how a value for every victim and culprit is drawn: row by row; NaN is left empty.

    What a class costs itself is usually far more than what others cost it: it stands in a
    column of its own, with a scale of its own, and its place in the square is empty.
    """
    shape = len(victims), len(culprits)
    gap = 1 if max(shape) <= _GAPS_UP_TO else 0
    itself = _itself(victims, culprits)
    at = np.arange(shape[0] * shape[1], dtype=np.int32)
    at[itself[itself >= 0]] = -1
    trace = {
        "type": "heatmap",
        "coloraxis": "coloraxis",
        "x": list(culprits),
        "y": list(victims),
        "xgap": gap,
        "ygap": gap,
        "hoverongaps": False,
    }
    strip = {
        "type": "heatmap",
        "colorscale": COLOUR_SCALE,
        "showscale": False,
        "zmin": 0,
        "x": [_NOTHING, _ITSELF],
        "y": list(victims),
        "xgap": gap,
        "ygap": gap,
        "hoverongaps": False,
    }
    bar = {"thickness": 14, "outlinewidth": 0, "title": {"text": "", "side": "right"}}
    common = {"type": "category", "automargin": True, "showgrid": False}
    layout = {
        "xaxis": {
            **common,
            "title": {"text": "culprit: traffic of", "standoff": 10},
            # An empty place lies between the square and what classes cost themselves.
            "categoryorder": "array",
            "categoryarray": [*culprits, _NOTHING, _ITSELF],
            "range": [-0.5, len(culprits) + 1.5],
        },
        "yaxis": {**common, "title": {"text": "victim"}, "autorange": "reversed"},
        "coloraxis": {"colorscale": COLOUR_SCALE, "colorbar": bar},
        "margin": {"t": 16, "r": 16, "l": 72, "b": 64},
    }
    table = {
        "victim": [victim for victim in victims for _ in culprits],
        "culprit": [culprit for _ in victims for culprit in culprits],
    }
    return Form(
        kind="matrix",
        plot={"data": [trace, strip], "layout": layout},
        table=table,
        at=at,
        apart=itself,
        shape=shape,
        height_px=_HEIGHT_PX,
        told="traffic of %{x}<br>costs %{y}<br>",
    )


def _itself(victims: Sequence[str], culprits: Sequence[str]) -> NDArray[np.int32]:
    """Return for each victim the number of the value that is its own, -1 where there is none."""
    column = {culprit: number for number, culprit in enumerate(culprits)}
    width = len(culprits)
    own = [row * width + column[name] if name in column else -1 for row, name in enumerate(victims)]
    return np.array(own, dtype=np.int32)
