"""Who makes whom wait: a square of colours, a row for each victim, a column for each culprit."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .look import COLOUR_SCALE
from .maps import Form

_HEIGHT_PX = 520
_GAPS_UP_TO = 60


def matrix_form(victims: Sequence[str], culprits: Sequence[str]) -> Form:
    """Return how a value for every victim and culprit is drawn: row by row; NaN is left empty."""
    shape = len(victims), len(culprits)
    gap = 1 if max(shape) <= _GAPS_UP_TO else 0
    trace = {
        "type": "heatmap",
        "coloraxis": "coloraxis",
        "x": list(culprits),
        "y": list(victims),
        "xgap": gap,
        "ygap": gap,
        "hoverongaps": False,
    }
    bar = {"thickness": 14, "outlinewidth": 0, "title": {"text": "", "side": "right"}}
    common = {"type": "category", "automargin": True, "showgrid": False}
    layout = {
        "xaxis": {**common, "title": {"text": "culprit: traffic of", "standoff": 10}},
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
        plot={"data": [trace], "layout": layout},
        table=table,
        at=np.arange(shape[0] * shape[1], dtype=np.int32),
        shape=shape,
        height_px=_HEIGHT_PX,
        told="traffic of %{x}<br>costs %{y}<br>",
    )
