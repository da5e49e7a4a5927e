"""Figures of one result, or of one comparison, for notebooks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from tailback.tables.bins import BINS

from . import pages
from .description import Panel, View
from .labels import CHANNEL_MEASURES, NODE_MEASURES
from .latency import Bins, distribution
from .maps import Form, channel_form, node_form
from .network import Floats, network_of

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
"""Measure of nodes, for machines with too many channels to draw."""
_HEIGHT_PX = 460


def of_modes(results: Mapping[str, Measured]) -> go.Figure:
    """Return the load of channels in every mode, on one scale, and the lifetimes of all."""
    name, loads = _loads(next(iter(results.values())))
    axis = {**CHANNEL_MEASURES, **NODE_MEASURES}[name]
    values = {mode: _values(result, name) for mode, result in results.items()}
    panels: list[Panel] = []
    for column, mode in enumerate(results):
        [panel] = loads.view(name, axis, values[mode]).panels
        panels.append(replace(panel, title=f"{axis.label}, {mode}", column=column))
    bins = {
        mode: b for mode, result in results.items() if (b := bins_of(result, _VARIABLE)) is not None
    }
    upper, lower = distribution(list(results), bins).panels
    panels.append(replace(upper, title=_VARIABLE, column=len(results)))
    panels.append(replace(lower, column=len(results)))
    most = max(float(np.nanmax(v, initial=0.0)) for v in values.values())
    figure = pages.figure(View(tuple(panels), most=most))
    legend = {"orientation": "h", "x": 1, "xanchor": "right", "y": -0.15, "yanchor": "top"}
    return figure.update_layout(height=_HEIGHT_PX, showlegend=len(results) > 1, legend=legend)


def _loads(result: Measured) -> tuple[str, Form]:
    """Return what is shown of a machine, and how: its channels, or nodes if those are too many."""
    network = network_of(_columns(result.nodes), _columns(result.channels))
    form = channel_form(network)
    return (_INSTEAD, node_form(network)) if form is None else (_MEASURE, form)


def _values(result: Measured, name: str) -> Floats:
    if name == _INSTEAD:
        found: Floats = result.nodes[name].to_numpy()
        return found
    columns = _columns(result.channels)
    return network_of(_columns(result.nodes), columns).measures(columns)[name]


def bins_of(result: Measured, variable: str) -> Bins | None:
    """Return the histogram of a variable, all classes together; None if there is none."""
    rows = result.histograms.filter(pc.field("variable") == variable)
    columns = _columns(rows.select([*BINS]))
    if not rows.num_rows:
        return None
    kinds = rows["class"].to_numpy()
    parts = [Bins(*(column[kinds == kind] for column in columns.values())) for kind in set(kinds)]
    return Bins.together(parts)


def _columns(table: pa.Table) -> dict[str, NDArray[Any]]:
    return {name: table[name].to_numpy() for name in table.column_names}
