"""Maps of the mesh: what each node sent, and what its switch passed on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from studies.claims import Statement
from studies.curve import Floats
from studies.loads import Axis, Loads
from studies.runs import Runs
from studies.tweedie.chapters.figure import Plot
from studies.tweedie.experiment import DIAMETER

if TYPE_CHECKING:
    from tailback.figures.drawing import Drawing

EDGES = (0, DIAMETER - 1)

EVEN = 0.1
"""Of the mean: lines of nodes that differ by less look the same."""
ASYMMETRY = 3.0
"""Columns that differ so many times as much as rows look different."""
BAND = 0.1
"""Of the mean: where a column of nodes sends less, a band is seen to be starved."""


@dataclass(frozen=True, slots=True)
class Map:
    """A point whose nodes are shown."""

    name: str
    title: str
    sweep: str
    conditions: tuple[str, ...]

    def loads(self, runs: Runs) -> Loads:
        """Return what its nodes did."""
        return runs.sweep(self.sweep).loads(*self.conditions)


def throttled_by_queue(
    period_us: int, *, y_first: bool = False, priority: bool = True, warmup_ms: int = 2
) -> Map:
    """Return a point whose messages fail while 16 data packets wait in their node."""
    order = '["y", "x"]' if y_first else '["x", "y"]'
    return Map(
        f"{period_us}_us",
        f"c = {period_us} µs",
        "load_maps",
        (
            f"compute_period == {period_us} us",
            f"routing.order == '{order}'",
            f"interface.ack_priority == {str(priority).lower()}",
            f"warmup == {warmup_ms} ms",
        ),
    )


def limited(limit: int, *, priority: bool, warmup_ms: int = 2) -> Map:
    """Return a point (c = 1 us) whose messages fail while `limit` are unacknowledged."""
    return Map(
        f"limit_{limit}",
        f"at most {limit} unacknowledged",
        "acknowledgements",
        (
            f"max_outstanding == {limit}",
            f"interface.ack_priority == {str(priority).lower()}",
            f"warmup == {warmup_ms} ms",
        ),
    )


def _sent(runs: Runs, shown: Map) -> Plot:
    surface = shown.loads(runs).surface("rates")
    drawing = _surface(surface, "messages sent", "per ms")
    return Plot(f"{shown.name}_sent", f"{shown.title}: messages sent", drawing)


def _routed(runs: Runs, shown: Map) -> Plot:
    surface = shown.loads(runs).surface("routed")
    drawing = _surface(surface, "packets routed", "per ms")
    return Plot(f"{shown.name}_routed", f"{shown.title}: packets routed by each switch", drawing)


def _surface(values: Floats, label: str, unit: str) -> Drawing:
    """Return a map of the mesh; `values` by y and x."""
    from tailback.figures.drawing import Axis as Measure
    from tailback.figures.maps import node_form
    from tailback.figures.network import Network

    height, width = values.shape
    places = tuple((x, y) for y in range(height) for x in range(width))
    network = Network(places, ("x", "y"), (), np.zeros(0, dtype=np.int64))
    measure = Measure(label, unit)
    return node_form(network).drawing(measure.name, measure, values.ravel())


def side_by_side(*maps: Map) -> Callable[[Runs], tuple[Plot, ...]]:
    """Return what draws messages sent and packets routed of some points."""
    return lambda runs: tuple(draw(runs, shown) for shown in maps for draw in (_sent, _routed))


def sent_only(*maps: Map) -> Callable[[Runs], tuple[Plot, ...]]:
    """Return what draws messages sent of some points."""
    return lambda runs: tuple(_sent(runs, shown) for shown in maps)


def columns_over_rows(loads: Loads) -> float:
    """Return how many times as much columns differ as rows."""
    return float(loads.by("x").std() / loads.by("y").std())


def largest(loads: Loads, axis: Axis, lines: Sequence[int]) -> float:
    """Return the largest rate of some columns or rows over the mean of all."""
    return float(loads.by(axis)[list(lines)].max()) / loads.mean


def evenness(loads: Loads, axis: Axis) -> Statement:
    """Return whether columns or rows look the same."""
    furthest = float(np.abs(loads.by(axis) / loads.mean - 1).max())
    named = "rows" if axis == "y" else "columns"
    return Statement(f"{named} within {100 * furthest:.1f} % of the mean", furthest < EVEN)
