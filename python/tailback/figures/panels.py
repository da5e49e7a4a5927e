"""Several plots in one figure, side by side."""

from __future__ import annotations

import copy
import re
from collections.abc import Sequence
from typing import Any

from .curves import shown_text

PANEL_PX, GAP_PX = 370, 150
_AXIS = re.compile(r"([xy])axis(\d*)")
_REFERENCES = ("anchor", "matches", "scaleanchor", "overlaying")


def beside(titles: Sequence[str], plots: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return one plot with `plots` from left to right, each below its title.

    Axes and scales of colours are numbered anew. What belongs to the whole of a
    figure (margins, hovering) is that of the first.
    """
    whole = len(plots) * PANEL_PX + (len(plots) - 1) * GAP_PX
    width, gap = PANEL_PX / whole, GAP_PX / whole
    data: list[dict[str, Any]] = []
    layout: dict[str, Any] = {"annotations": []}
    used = 0
    for number, (title, plot) in enumerate(zip(titles, plots, strict=True)):
        left = number * (width + gap)
        panel = copy.deepcopy(plot)
        data += [_renumbered(trace, used, number) for trace in panel["data"]]
        for name, value in panel["layout"].items():
            axis = _AXIS.fullmatch(name)
            if axis is not None:
                layout[_axis(axis, used)] = _placed(value, axis[1], used, left, width)
            elif name == "coloraxis":
                bar = {**value["colorbar"], "x": left + width, "xanchor": "left", "title": {}}
                layout[_coloraxis(number)] = {**value, "colorbar": bar}
            elif name != "annotations":
                layout.setdefault(name, value)
        heading = {"text": f"<b>{shown_text(title)}</b>", "showarrow": False}
        place = {"x": left, "y": 1.0, "xanchor": "left", "yanchor": "bottom", "yshift": 6}
        layout["annotations"].append({**heading, **place, "xref": "paper", "yref": "paper"})
        used += len([name for name in panel["layout"] if re.fullmatch(r"xaxis\d*", name)])
    layout["margin"] = {"t": 48, "r": 24, "l": 64, "b": 56}
    layout["width"] = whole + 24 + 64
    return {"data": data, "layout": layout}


def _renumbered(trace: dict[str, Any], used: int, panel: int) -> dict[str, Any]:
    trace["xaxis"] = _reference(trace.get("xaxis", "x"), used)
    trace["yaxis"] = _reference(trace.get("yaxis", "y"), used)
    if "coloraxis" in trace:
        trace["coloraxis"] = _coloraxis(panel)
    return trace


def _placed(
    axis: dict[str, Any], letter: str, used: int, left: float, width: float
) -> dict[str, Any]:
    """Return an axis in its panel, with the names of the axes it speaks of."""
    for name in _REFERENCES:
        if name in axis:
            axis[name] = _reference(axis[name], used)
    if letter == "x":
        low, high = axis.get("domain", (0, 1))
        axis["domain"] = [left + low * width, left + high * width]
    axis.setdefault("anchor", _reference("y" if letter == "x" else "x", used))
    return axis


def _axis(name: re.Match[str], used: int) -> str:
    number = int(name[2] or 1) + used
    return f"{name[1]}axis{number if number > 1 else ''}"


def _reference(name: str, used: int) -> str:
    number = int(name[1:] or 1) + used
    return f"{name[0]}{number if number > 1 else ''}"


def _coloraxis(panel: int) -> str:
    return f"coloraxis{panel + 1 if panel else ''}"
