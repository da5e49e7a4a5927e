"""Maps of two axes: a value for each pair of what was varied, with its number in the cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .description import Axis, Cells, HeatMap, Panel, View, spreads

SATURATED = "\N{MULTIPLICATION SIGN}"
"""Beside the number of a cell whose run is saturated."""
_ROW_PX, _MARGINS_PX = 34, 130


def grid_view(
    x: Axis,
    y: Axis,
    measure: Axis,
    values: NDArray[np.float64],
    marks: Sequence[Sequence[str]],
    targets: Sequence[Sequence[str]] | None = None,
) -> View:
    """Return the map of `values`, by the names of `y` upwards and of `x` across; NaN is unknown.

    `marks`: what stands behind the number of each cell; `targets`: what a click on it opens.
    """
    table: dict[str, list[Any]] = {
        x.name: [name for _ in y.names for name in x.names],
        y.name: [name for name in y.names for _ in x.names],
        measure.name: [None if np.isnan(value) else float(value) for value in values.ravel()],
    }
    measure, size = measure.in_unit_of(values.ravel())
    shown = values / size
    texts = [
        [_text(value, mark, percent=measure.percent) for value, mark in zip(*row, strict=True)]
        for row in zip(shown.tolist(), marks, strict=True)
    ]
    at = np.arange(values.size, dtype=np.int32)
    heat = HeatMap(
        Cells(shown.ravel(), at, values.shape),
        replace(measure, log=False, from_zero=True),
        f"{x.label} %{{x}}<br>{y.label} %{{y}}<br>",
        x.names,
        y.names,
        numbers=texts,
        targets=targets,
        is_root=spreads([value for value in shown.ravel().tolist() if not np.isnan(value)]),
    )
    panel = Panel((heat,), x, y, "table")
    most = float(np.nanmax(shown, initial=0.0))
    return View((panel,), table, height_px=_MARGINS_PX + _ROW_PX * max(6, len(y.names)), most=most)


def _text(value: float, mark: str, *, percent: bool) -> str:
    if np.isnan(value):
        return ""
    number = f"{100 * value:.3g}" if percent else f"{value:.3g}"
    if "e" in number:
        number = f"{float(number):,.0f}"
    return f"{number} {mark}".rstrip()
