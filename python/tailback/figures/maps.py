"""Load surfaces: one value for every node, channel or pair of traffic classes.

How a machine is drawn is its *form*, worked out once; what a run measured is
filled in. Machines with two coordinates and a node at each are drawn as they lie: nodes as
squares, and between them each channel on the right-hand side of its way, as
cars drive. The halves of a node's square are its channels from and to the
switch. Other machines have a bar for every node, and for their channels a table
of colours: a column for every node, a row for every direction.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .curves import shown_text
from .drawing import Axis, Cells, Drawing, Layer, Path, Settings
from .look import COLOUR_SCALE, colour
from .network import Floats, Group, Network, dimension_name

_HALF = 0.2
"""Half the side of a node's square; neighbours are 1 apart."""
Scale = Literal["from_zero", "own", "common"]
"""From 0 to the highest value of a map; from its lowest to its highest; from 0 to a common one."""

_MOST_CELLS = 250_000
_GAPS_UP_TO = 100
"""Most cells along an axis with gaps between them."""
_BAR_HEIGHT_PX = 360
_MAP_HEIGHT_PX = 460
_LEAST_HEIGHT_PX = 300
"""Of a table of colours: room for the title of its scale."""


@dataclass(frozen=True, eq=False, slots=True)
class Form:
    """How one value for each node, group of channels or pair of classes is drawn."""

    kind: Literal["plane", "streets", "rows", "bars", "matrix"]
    plot: Mapping[str, Any]
    """Without values."""
    table: Mapping[str, Sequence[Any]]
    """Who the values belong to."""
    at: NDArray[np.int32]
    shape: tuple[int, int]
    height_px: int | None = None
    told: str = ""
    """What plotly shows of a cell before its value; its text unless given."""
    apart: NDArray[np.int32] | None = None
    """Of each row, the value that is drawn beside the cells with a scale of its own; or -1."""

    def highest(self, values: NDArray[Any]) -> float:
        """Return the highest value that the scale of the cells must hold."""
        if self.apart is not None:
            values = np.delete(values, self.apart[self.apart >= 0])
        return float(np.nanmax(values, initial=0.0))

    def values(self, values: Floats) -> Settings:
        """Return what shows these values."""
        kept = rounded(values)
        column = ("table", len(self.table), "values")
        if self.kind == "bars":
            return {("data", 0, "y"): kept, column: kept}
        most = self.highest(kept)
        settings: dict[Path, Any] = {
            ("data", 0, "z"): Cells(kept, self.at, self.shape),
            column: kept,
            ("layout", "coloraxis", "cmax"): most or 1.0,
        }
        if self.apart is not None:
            # Beside an empty column: Plotly does not know how wide a single one is.
            beside = np.stack([np.full_like(self.apart, -1), self.apart], axis=1).ravel()
            settings["data", 1, "z"] = Cells(kept, beside, (self.shape[0], 2))
        return settings

    def scale(self, name: str, measure: Axis, scale: Scale, most: float = 0.0) -> Settings:
        """Return what names a measure and sets its scale; `most` is its highest value anywhere.

        To be set after `values`.
        """
        style = ".1%" if measure.percent else ".3~g"
        title = shown_text(measure.label if measure.percent else measure.title)
        settings: dict[Path, Any] = {("table", len(self.table), "name"): name}
        letter, text = ("y", "hovertext") if self.kind == "bars" else ("z", "text")
        who = self.told or f"%{{{text}}}: "
        told = f"{who}%{{{letter}:{style}}} {measure.unit}".rstrip()
        settings[("data", 0, "hovertemplate")] = f"{told}<extra></extra>"
        if self.apart is not None:
            itself = f"traffic of %{{y}}<br>costs itself<br>%{{z:{style}}} {measure.unit}".rstrip()
            settings[("data", 1, "hovertemplate")] = f"{itself}<extra></extra>"
        if self.kind == "bars":
            axis: Path = ("layout", "yaxis")
            ends = [0, most * 1.05 or 1] if scale == "common" else None
            settings[(*axis, "range")] = ends
            settings[(*axis, "rangemode")] = "normal" if scale == "own" else "tozero"
        else:
            axis = ("layout", "coloraxis", "colorbar")
            settings[("layout", "coloraxis", "cauto")] = scale == "own"
            settings[("layout", "coloraxis", "cmin")] = 0
            if scale == "common":
                settings[("layout", "coloraxis", "cmax")] = most or 1
        settings[(*axis, "title", "text")] = title
        settings[(*axis, "tickformat")] = "~%" if measure.percent else "~g"
        return settings

    def drawing(self, name: str, measure: Axis, values: Floats) -> Drawing:
        """Return the drawing of one measure of one run."""
        both = {**self.values(values), **self.scale(name, measure, "from_zero")}
        layers = (Layer((), {(): both}),)
        return Drawing(self.plot, {**self.table, name: []}, layers=layers, height_px=self.height_px)


def node_form(network: Network) -> Form:
    """Return how nodes are drawn: on a map where each has two or three coordinates of its own."""
    shape = network.shape
    table = _node_table(network)
    texts = [network.node(node) for node in range(len(network.places))]
    if network.lies_on_grid and len(shape) in (2, 3) and min(shape) > 1 and max(shape) > 2:
        return _plane_form(network, table, texts)
    bars = {
        "type": "bar",
        "x": list(range(len(texts))),
        "hovertext": texts,
        "marker": {"color": colour(0), "line": {"width": 0}},
    }
    layout = {
        "xaxis": {"title": {"text": "node"}, "automargin": True},
        "yaxis": {"title": {"text": "", "standoff": 10}, "automargin": True, "rangemode": "tozero"},
        "bargap": 0.15,
        "margin": {"t": 16, "r": 16, "l": 64, "b": 48},
    }
    none = np.array([], dtype=np.int32)
    return Form("bars", {"data": [bars], "layout": layout}, table, none, (0, 0), _BAR_HEIGHT_PX)


def channel_form(network: Network) -> Form | None:
    """Return how groups of channels are drawn; None where there are too many to be seen."""
    shape = network.shape
    table = _group_table(network)
    texts = [_group_text(network, group) for group in network.groups]
    if network.lies_on_grid and len(shape) == 2 and min(shape) > 1 and max(shape) > 2:
        columns, rows = (3 * extent - 1 for extent in shape)
        if columns * rows > _MOST_CELLS:
            return None
        return _street_form(network, table, texts, (rows, columns))
    if len(network.groups) > _MOST_CELLS:
        return None
    return _direction_form(network, table, texts)


def rounded(values: Floats) -> NDArray[np.float32]:
    """Return numbers with 11 binary digits, more than three decimal ones.

    What is not shown is zero, so that it takes no room when it is compressed.
    """
    kept = values.astype(np.float32)
    bits = kept.view(np.uint32)
    # Round to nearest; a carry into the exponent is right. NaN keeps its highest bit.
    known = np.isfinite(kept)
    up = np.where(known, bits + np.uint32(1 << 12), bits)
    result: NDArray[np.float32] = (up & np.uint32(0xFFFFE000)).view(np.float32)
    return result


def _plane_form(network: Network, table: dict[str, list[Any]], texts: list[str]) -> Form:
    """Return nodes on a plane, or on planes side by side along the third coordinate."""
    width, height, *deep = network.shape
    planes = deep[0] if deep else 1
    columns = planes * (width + 1) - 1
    at = np.full((height, columns), -1, dtype=np.int32)
    for node, (x, y, *z) in enumerate(network.places):
        at[y, x + (width + 1) * (z[0] if z else 0)] = node
    trace = {
        **_heatmap(columns, height),
        "x": list(range(columns)),
        "y": list(range(height)),
        "text": _texts_at(at, texts),
    }
    layout = _map_layout("x", "y", columns, height)
    if deep:
        layout["xaxis"] |= {"showticklabels": False, "title": {"text": ""}, "ticks": ""}
        layout["yaxis"] |= {"range": [-0.5, height - 0.5]}
        layout["annotations"] = [
            {
                "x": (width + 1) * z + (width - 1) / 2,
                "y": -0.5,
                "yanchor": "top",
                "text": f"z = {z}",
                "showarrow": False,
            }
            for z in range(planes)
        ]
    plot = {"data": [trace], "layout": layout}
    return Form("plane", plot, table, at.ravel(), at.shape, _MAP_HEIGHT_PX)


def _street_form(
    network: Network, table: dict[str, list[Any]], texts: list[str], shape: tuple[int, int]
) -> Form:
    """Return channels between nodes on a plane: three columns and rows of cells for each node."""
    at = np.full(shape, -1, dtype=np.int32)
    for number, group in enumerate(network.groups):
        x, y = network.places[group.source]
        if group.kind in ("injection", "ejection"):
            at[3 * y : 3 * y + 2, 3 * x + (group.kind == "ejection")] = number
        elif group.dimension == 0:
            left = min(x, network.places[group.destination][0])
            at[3 * y + (group.direction < 0), 3 * left + 2] = number
        else:
            below = min(y, network.places[group.destination][1])
            at[3 * below + 2, 3 * x + (group.direction > 0)] = number
    height, width = network.shape[1], network.shape[0]
    trace = {
        **_heatmap(shape[1], shape[0]),
        "x": _edges(width),
        "y": _edges(height),
        "text": _texts_at(at, texts),
    }
    layout = _map_layout("x", "y", width, height)
    plot = {"data": [trace], "layout": layout}
    return Form("streets", plot, table, at.ravel(), shape, _MAP_HEIGHT_PX)


def _direction_form(network: Network, table: dict[str, list[Any]], texts: list[str]) -> Form:
    """Return a table of colours: a column for every node, a row for every direction.

    Where nodes have no coordinates of their own, the columns of channels between switches are
    switches.
    """
    names = _row_names(network)
    rows = list(dict.fromkeys(names))
    columns = max(len(network.places), *(group.source + 1 for group in network.groups))
    at = np.full((len(rows), columns), -1, dtype=np.int32)
    for number, (group, name) in enumerate(zip(network.groups, names, strict=True)):
        node = group.destination if group.kind == "ejection" else group.source
        at[rows.index(name), node] = number
    trace = {**_heatmap(columns, len(rows)), "y": rows, "text": _texts_at(at, texts)}
    has_switches = any(group.kind == "internal" for group in network.groups)
    along = "node or switch" if has_switches and not network.lies_on_grid else "node"
    layout = {
        "xaxis": {"title": {"text": along}, "showgrid": False, "zeroline": False},
        "yaxis": {
            "type": "category",
            "automargin": True,
            "showgrid": False,
            "autorange": "reversed",
        },
        "coloraxis": _colour_axis(),
        "margin": {"t": 16, "r": 16, "l": 72, "b": 48},
    }
    height_px = max(_LEAST_HEIGHT_PX, 140 + 34 * len(rows))
    plot = {"data": [trace], "layout": layout}
    return Form("rows", plot, table, at.ravel(), at.shape, height_px)


def _row_names(network: Network) -> list[str]:
    """Return the row of every group: its kind, or its dimension and, if it has two, direction.

    Of channels between switches that lie along no dimension, which of its switch it is.
    """
    sources = [(group.source, group.dimension) for group in network.groups if group.dimension >= 0]
    both_ways = len(set(sources)) < len(sources)

    if _is_without_grid(network):
        counted: Counter[int] = Counter()
        names = []
        for group in network.groups:
            internal = group.kind == "internal"
            counted[group.source] += internal
            names.append(f"link {counted[group.source]}" if internal else group.kind)
        return names

    def name(group: Group) -> str:
        if group.dimension < 0:
            return group.kind
        sign = ("-" if group.direction < 0 else "+") if both_ways else ""
        return f"{sign}{dimension_name(group.dimension)}"

    return [name(group) for group in network.groups]


def _is_without_grid(network: Network) -> bool:
    """Whether there are channels between switches that lie along no dimension."""
    return any(group.kind == "internal" and group.dimension < 0 for group in network.groups)


def _group_text(network: Network, group: Group) -> str:
    count = "" if group.width == 1 else f", {group.width} channels"
    if group.kind == "injection":
        return f"{network.node(group.source)} to its switch{count}"
    if group.kind == "ejection":
        return f"switch to {network.node(group.destination)}{count}"
    return f"{' to '.join(network.ends(group))}{count}"


def _node_table(network: Network) -> dict[str, list[Any]]:
    numbers: dict[str, list[Any]] = {"node": list(range(len(network.places)))}
    if not network.coordinates:
        return numbers
    along = zip(*network.places, strict=True)
    return numbers | {name: list(v) for name, v in zip(network.coordinates, along, strict=True)}


def _group_table(network: Network) -> dict[str, list[Any]]:
    return {
        "kind": [group.kind for group in network.groups],
        "from": [network.ends(group)[0] for group in network.groups],
        "to": [network.ends(group)[1] for group in network.groups],
        "channels": [group.width for group in network.groups],
    }


def _edges(extent: int) -> list[float]:
    """Return the borders of two halves of a node and the way to the next, along one axis."""
    return [round(i + offset, 1) for i in range(extent) for offset in (-_HALF, 0, _HALF)]


def _texts_at(at: NDArray[np.int32], texts: Sequence[str]) -> list[list[str]]:
    return [["" if i < 0 else texts[i] for i in row] for row in at.tolist()]


def _heatmap(columns: int, rows: int) -> dict[str, Any]:
    gap = 1 if max(columns, rows) <= _GAPS_UP_TO else 0
    return {
        "type": "heatmap",
        "coloraxis": "coloraxis",
        "xgap": gap,
        "ygap": gap,
        "hoverongaps": False,
    }


def _map_layout(x: str, y: str, columns: int, rows: int) -> dict[str, Any]:
    common = {"showgrid": False, "zeroline": False, "constrain": "domain"}
    ticks_x = {"dtick": 1} if columns <= 16 else {}
    ticks_y = {"dtick": 1} if rows <= 16 else {}
    return {
        "xaxis": {**common, **ticks_x, "title": {"text": x}},
        "yaxis": {**common, **ticks_y, "title": {"text": y}, "scaleanchor": "x"},
        "coloraxis": _colour_axis(),
        "margin": {"t": 16, "r": 16, "l": 48, "b": 48},
    }


def _colour_axis() -> dict[str, Any]:
    bar = {"thickness": 14, "outlinewidth": 0, "title": {"text": "", "side": "right"}}
    return {"colorscale": COLOUR_SCALE, "colorbar": bar}
