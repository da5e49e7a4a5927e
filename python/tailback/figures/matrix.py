"""Who makes whom wait: a square of colours, a row for each victim, a column for each culprit."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .drawing import Axis, Drawing
from .look import COLOUR_SCALE
from .network import Floats

_HEIGHT_PX = 520
_GAPS_UP_TO = 60


def matrix(victims: Sequence[str], culprits: Sequence[str], values: Floats, axis: Axis) -> Drawing:
    """Return one value for every victim (row) and culprit (column); NaN is left empty."""
    gap = 1 if max(values.shape, default=0) <= _GAPS_UP_TO else 0
    trace = {
        "type": "heatmap",
        "coloraxis": "coloraxis",
        "x": list(culprits),
        "y": list(victims),
        "z": [[None if np.isnan(value) else value for value in row] for row in values.tolist()],
        "xgap": gap,
        "ygap": gap,
        "hoverongaps": False,
        "hovertemplate": f"traffic of %{{x}}<br>costs %{{y}}<br>%{{z:.3~g}} {axis.unit}"
        "<extra></extra>",
    }
    bar = {"thickness": 14, "outlinewidth": 0, "title": {"text": axis.title, "side": "right"}}
    common = {"type": "category", "automargin": True, "showgrid": False}
    layout = {
        "xaxis": {**common, "title": {"text": "culprit: traffic of", "standoff": 10}},
        "yaxis": {**common, "title": {"text": "victim"}, "autorange": "reversed"},
        "coloraxis": {"colorscale": COLOUR_SCALE, "colorbar": bar, "cmin": 0},
        "margin": {"t": 16, "r": 16, "l": 72, "b": 64},
    }
    rows, columns = np.nonzero(~np.isnan(values))
    table = {
        "victim": [victims[row] for row in rows.tolist()],
        "culprit": [culprits[column] for column in columns.tolist()],
        axis.name: values[rows, columns].tolist(),
    }
    return Drawing({"data": [trace], "layout": layout}, table, height_px=_HEIGHT_PX)
