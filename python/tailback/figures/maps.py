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
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tailback.wording import plain

from .description import Axis, Bars, Cells, Ground, HeatMap, Panel, View
from .drawing import Drawing
from .network import Floats, Group, Network, dimension_name

_HALF = 0.2
"""Half the side of a node's square; neighbours are 1 apart."""
_MOST_CELLS = 250_000
_BAR_HEIGHT_PX = 360
_MAP_HEIGHT_PX, _MATRIX_HEIGHT_PX = 460, 520
_LEAST_HEIGHT_PX = 300
"""Least height of a table of colours, so that the title of its scale fits."""
_MOST_NUMBERED = 12
"""Rows and columns of a matrix whose cells have room for their numbers."""


@dataclass(frozen=True, eq=False, slots=True)
class Form:
    """How one value for each node, group of channels or pair of classes is drawn."""

    kind: Literal["plane", "streets", "rows", "bars", "matrix"]
    table: Mapping[str, Sequence[Any]]
    """What the values belong to, as columns."""
    x: Axis
    y: Axis
    at: NDArray[np.int32]
    """The number of the value in each cell, row by row; -1: empty."""
    shape: tuple[int, int]
    ground: Ground = "plane"
    across: Sequence[Any] | None = None
    """Positions of the columns, see `HeatMap`."""
    up: Sequence[Any] | None = None
    texts: Any = None
    """Names of cells or bars in tooltips."""
    tooltip: str = "%{text}: "
    """Text before the value in a tooltip."""
    height_px: int = _MAP_HEIGHT_PX

    def highest(self, values: NDArray[Any]) -> float:
        """Return the highest value on the colour scale."""
        return float(np.nanmax(values, initial=0.0))

    def view(
        self,
        name: str,
        measure: Axis,
        values: NDArray[Any],
        most_anywhere: float | None = None,
        note: tuple[tuple[str, ...], ...] = (),
    ) -> View:
        """Return the view of these values; `name`: their column in the table."""
        kept = rounded(values)
        panel = self._bars(measure, kept) if self.kind == "bars" else self._map(measure, kept)
        most = self.highest(kept)
        table: dict[str, Any] = {**self.table, name: kept}
        return View((panel,), table, note, self.height_px, most=most, most_anywhere=most_anywhere)

    def drawing(self, name: str, measure: Axis, values: Floats) -> Drawing:
        """Return the figure of one measure of one run."""
        return Drawing.of(self.view(name, measure, values))

    def _bars(self, measure: Axis, values: NDArray[Any]) -> Panel:
        bars = Bars("", self.table["node"], values, texts=self.texts)
        return Panel((bars,), self.x, replace(measure, from_zero=True))

    def _map(self, measure: Axis, values: NDArray[Any]) -> Panel:
        cells = Cells(values, self.at, self.shape)
        is_matrix = self.kind == "matrix"
        has_room = is_matrix and max(self.shape) <= _MOST_NUMBERED
        numbers = _numbers(cells.matrix()) if has_room else None
        where = (self.across, self.up, self.texts, numbers)
        heat = HeatMap(cells, measure, self.tooltip, *where, is_root=is_matrix)
        return Panel((heat,), self.x, self.y, self.ground)


def node_form(network: Network) -> Form:
    """Return how nodes are drawn: on a map if each has its own two or three coordinates."""
    shape = network.shape
    table = _node_table(network)
    texts = [network.node(node) for node in range(len(network.places))]
    if network.lies_on_grid and len(shape) in (2, 3) and min(shape) > 1 and max(shape) > 2:
        return _plane_form(network, table, texts)
    none = np.array([], dtype=np.int32)
    x, y, height_px = Axis("node"), Axis(""), _BAR_HEIGHT_PX
    return Form("bars", table, x, y, none, (0, 0), texts=texts, height_px=height_px)


def channel_form(network: Network) -> Form | None:
    """Return how groups of channels are drawn; None if there are too many."""
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


def matrix_form(victims: Sequence[str], culprits: Sequence[str]) -> Form:
    """Return how a value for every victim and culprit is drawn: row by row; NaN is left empty.

    Colours go with the square root of a value: what classes cost themselves is often far more than
    what others cost them. Small matrices have numbers in their cells.
    """
    shape = len(victims), len(culprits)
    at = np.arange(shape[0] * shape[1], dtype=np.int32)
    table = {
        "victim": [victim for victim in victims for _ in culprits],
        "culprit": [culprit for _ in victims for culprit in culprits],
    }
    return Form(
        "matrix",
        table,
        Axis("culprit: traffic of", names=tuple(culprits)),
        Axis("victim", names=tuple(victims), downwards=True),
        at,
        shape,
        ground="table",
        across=culprits,
        up=victims,
        tooltip="traffic of %{x}<br>costs %{y}<br>",
        height_px=_MATRIX_HEIGHT_PX,
    )


def _numbers(values: NDArray[np.float64]) -> list[list[str]]:
    """Return what stands in the cells of a matrix: three digits, nothing where nothing is known."""
    return [["" if np.isnan(v) else plain(v, 3) for v in row] for row in values.tolist()]


def rounded(values: Floats) -> NDArray[np.float32]:
    """Return numbers with 11 binary digits, more than three decimal ones.

    The remaining bits are zero, so that they compress well.
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
    across, up = Axis("x"), Axis("y")
    if deep:
        middles = ((width + 1) * z + (width - 1) / 2 for z in range(planes))
        across = Axis("", ticks=tuple((middle, f"z = {z}") for z, middle in enumerate(middles)))
    return Form(
        "plane",
        table,
        across,
        up,
        at.ravel(),
        at.shape,
        across=list(range(columns)),
        up=list(range(height)),
        texts=_texts_at(at, texts),
    )


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
    across, up = map(_edges, network.shape)
    cells, axes = _texts_at(at, texts), (Axis("x"), Axis("y"))
    return Form("streets", table, *axes, at.ravel(), shape, across=across, up=up, texts=cells)


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
    has_switches = any(group.kind == "internal" for group in network.groups)
    along = "node or switch" if has_switches and not network.lies_on_grid else "node"
    return Form(
        "rows",
        table,
        Axis(along),
        Axis("", names=tuple(rows), downwards=True),
        at.ravel(),
        at.shape,
        ground="table",
        up=rows,
        texts=_texts_at(at, texts),
        height_px=max(_LEAST_HEIGHT_PX, 140 + 34 * len(rows)),
    )


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
