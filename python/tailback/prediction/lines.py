"""Exact loads of a mesh with uniform traffic and dimension-order routing.

All lines of a dimension carry the same load. The link between coordinates x and x + 1 of k is
crossed by every message from one of x + 1 nodes to one of k - 1 - x; so a message between
neighbours there stands for that many, and one line of each dimension for all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tailback import engine
from tailback.workloads import Synthetic

from .few_sources import between_nodes
from .wires import ENDS, Loads, ends, even_out, of_some_pairs, rows, spec_of_list

if TYPE_CHECKING:
    from tailback.experiment import Experiment

#: Pairs sampled for latencies.
_DRAWN = 10_000

_Numbers = NDArray[np.int64]


def is_of_lines(experiment: Experiment) -> bool:
    """Return whether packets cross a mesh in dimension order, whatever the traffic."""
    machine = experiment.machine
    topology, routing = machine.topology, machine.chosen_routing
    if topology.kind != "mesh" or topology.facts.failed_links or topology.hosts is not None:
        return False
    if routing is None:
        return False
    return routing.kind == "dimension_order" and routing.parallel_links == "any"


def of_lines(experiment: Experiment, channels: pa.Table) -> Loads:
    """Return the loads of uniform traffic. Latencies are means over some pairs."""
    machine, workload = experiment.machine, experiment.workload
    assert isinstance(workload, Synthetic)
    nodes, sides = machine.nodes, machine.shape
    source, destination, weights = _neighbours(nodes, sides)
    listed = rows(source, destination, workload)
    along = engine.predict(spec_of_list(experiment), len(source), listed, weights)
    some = of_some_pairs(experiment, _DRAWN)
    crossed = float(weights.sum()) / (nodes * (nodes - 1))
    load = _everywhere(channels, along["channel_load"], sides, crossed)
    load *= between_nodes(experiment)
    changed = {
        "channel_load": load,
        "mean_hops": along["mean_hops"] - 1 + crossed,
        **ends(experiment, channels, load),
    }
    return Loads(some | changed, exact=False, max_exact=True)


def _neighbours(
    nodes: int, sides: tuple[int, ...]
) -> tuple[NDArray[np.uint32], _Numbers, NDArray[np.float64]]:
    """Return sources and destinations along one line of each dimension, and their weights."""
    found, stride = [], 1
    for side in sides:
        at = np.arange(side - 1)
        crossing = (at + 1) * (side - 1 - at) * (nodes / side) ** 2
        here, there = at * stride, (at + 1) * stride
        found += [(here, there, crossing), (there, here, crossing)]
        stride *= side
    source, destination, weights = (np.concatenate(part) for part in zip(*found, strict=True))
    return source.astype(np.uint32), destination, weights


def _everywhere(
    channels: pa.Table, load: NDArray[np.float64], sides: tuple[int, ...], crossed: float
) -> NDArray[np.float64]:
    """Return the loads of all channels from those along one line of each dimension.

    `crossed`: mean number of links between switches that a message crosses.
    """
    inside = channels["kind"].to_numpy() == "internal"
    found = np.array(load, np.float64)
    even_out(found, channels)
    start, end = (channels[name].to_numpy()[inside].astype(np.int64) for name in ENDS)
    place, stride = np.zeros(len(start), np.int64), 1
    line = np.zeros(len(start), np.int64)
    for number, side in enumerate(sides):
        x, y = start // stride % side, end // stride % side
        moved = x != y
        # Both directions of a place are as loaded.
        place[moved] = np.minimum(x, y)[moved]
        line[moved] = number
        stride *= side
    _, kind_of = np.unique(line * max(sides) + place, return_inverse=True)
    means = np.bincount(kind_of, load[inside]) / np.bincount(kind_of)
    found[inside] = crossed * means[kind_of]
    return found
