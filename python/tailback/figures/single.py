"""Figures of one result, or of one comparison, for notebooks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from .drawing import Drawing, Layer
from .labels import CHANNEL_MEASURES, NODE_MEASURES
from .latency import Bins, distribution, shown
from .maps import Form, channel_form, node_form
from .network import Floats, network_of
from .panels import beside

if TYPE_CHECKING:
    import plotly.graph_objects as go
    import pyarrow as pa


class Measured(Protocol):
    """The tables of one run."""

    @property
    def nodes(self) -> pa.Table:
        """One row per node."""

    @property
    def channels(self) -> pa.Table:
        """One row per channel."""

    @property
    def histograms(self) -> pa.Table:
        """One row per bin."""


_VARIABLE = "lifetime"
_MEASURE = "utilisation"
_INSTEAD = "messages_per_ms"
"""Of nodes, where a machine has too many channels to be drawn."""
_HEIGHT_PX = 460


def of_modes(results: Mapping[str, Measured]) -> go.Figure:
    """Return the load of channels in every mode, on one scale, and the lifetimes of all."""
    name, loads = _loads(next(iter(results.values())))
    axis = {**CHANNEL_MEASURES, **NODE_MEASURES}[name]
    values = {mode: _values(result, name) for mode, result in results.items()}
    most = max(float(np.nanmax(v, initial=0.0)) for v in values.values())
    titles, plots = [], []
    for mode in results:
        settings = {**loads.values(values[mode]), **loads.scale(name, axis, "common", most)}
        drawing = Drawing(
            loads.plot, {**loads.table, name: []}, layers=(Layer((), {(): settings}),)
        )
        titles.append(f"{axis.label}, {mode}")
        plots.append(_plot(drawing))
    titles.append(_VARIABLE)
    plots.append(_plot(_latency(results)))
    figure = Drawing(beside(titles, plots), {}).figure()
    legend = {"orientation": "h", "x": 1, "xanchor": "right", "y": -0.15, "yanchor": "top"}
    return figure.update_layout(height=_HEIGHT_PX, showlegend=len(results) > 1, legend=legend)


def _loads(result: Measured) -> tuple[str, Form]:
    """Return what is shown of a machine, and how: its channels if they can be drawn."""
    network = network_of(_columns(result.nodes), _columns(result.channels))
    form = channel_form(network)
    return (_INSTEAD, node_form(network)) if form is None else (_MEASURE, form)


def _values(result: Measured, name: str) -> Floats:
    if name == _INSTEAD:
        found: Floats = result.nodes[name].to_numpy()
        return found
    columns = _columns(result.channels)
    return network_of(_columns(result.nodes), columns).measures(columns)[name]


def _latency(results: Mapping[str, Measured]) -> Drawing:
    modes = list(results)
    bins = {mode: b for mode, result in results.items() if (b := _bins(result)) is not None}
    empty = distribution(modes)
    return Drawing(empty.plot, empty.table, layers=(Layer((), {(): shown(modes, bins)}),))


def _bins(result: Measured) -> Bins | None:
    rows = result.histograms.filter(pc.field("variable") == _VARIABLE)
    columns = _columns(rows.select(["low", "high", "count"]))
    if not rows.num_rows:
        return None
    kinds = rows["class"].to_numpy()
    parts = [Bins(*(column[kinds == kind] for column in columns.values())) for kind in set(kinds)]
    return Bins.together(parts)


def _plot(drawing: Drawing) -> dict[str, Any]:
    parts = drawing.chosen()
    return {"data": parts["data"], "layout": parts["layout"]}


def _columns(table: pa.Table) -> dict[str, NDArray[Any]]:
    return {name: table[name].to_numpy() for name in table.column_names}
