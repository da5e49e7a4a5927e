"""Exact loads of a random graph with uniform traffic and `spray`.

At every switch packets are spread evenly over the outputs that are on shortest paths. So the
traffic to one switch is followed from the farthest switches inwards: what arrives at a switch, and
what its own nodes send, is divided by the number of these outputs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from .few_sources import between_nodes
from .wires import ENDS, Loads, ends, even_out, of_some_pairs, wires_of

if TYPE_CHECKING:
    from tailback.experiment import Experiment

#: Pairs of a switch and a link: seconds.
_MOST = 300_000_000
#: Destinations at a time, so that their state stays in the cache.
_BLOCK = 128
#: Pairs sampled for latencies.
_DRAWN = 50_000
_UNREACHED = 127

_Numbers = NDArray[np.int64]


def is_spread(experiment: Experiment) -> bool:
    """Return whether packets of a random graph take all shortest paths equally."""
    machine = experiment.machine
    topology, routing = machine.topology, machine.chosen_routing
    if topology.kind != "jellyfish" or topology.hosts is not None or routing is None:
        return False
    facts = topology.facts
    alike = not machine.link_classes and machine.link.sharing != "separate"
    plain = routing.kind == "spray" and routing.parallel_links == "any"
    return alike and plain and facts.switches * facts.links <= _MOST


def of_spread(experiment: Experiment, channels: pa.Table) -> Loads:
    """Return the loads of uniform traffic. Latencies are means over some pairs."""
    nodes = experiment.machine.nodes
    some = of_some_pairs(experiment, _DRAWN)
    load = np.array(some["channel_load"])
    even_out(load, channels)
    wires = wires_of(experiment, channels)
    kinds = channels["kind"].to_numpy()
    inside = kinds[wires.first] == "internal"
    start, end = (channels[name].to_numpy()[wires.first[inside]] for name in ENDS)
    homes = channels["to_node"].to_numpy()[kinds == "injection"]
    switches = experiment.machine.topology.facts.switches
    crossing = _crossing(start, end, np.bincount(homes, minlength=switches))
    crossing /= nodes * (nodes - 1)
    hops = float(crossing.sum())
    # All links take as long: so much for each that a message crosses.
    summed = wires.sums(load)
    summed[inside] = crossing * summed[inside].sum() / (some["mean_hops"] - 2)
    load = (summed / np.bincount(wires.of))[wires.of] * between_nodes(experiment)
    changed = {
        "channel_load": load,
        "mean_hops": 2 + hops,
        "pairs": nodes * (nodes - 1),
        **ends(experiment, channels, load),
    }
    return Loads(some | changed, exact=True, max_exact=True)


@dataclass(frozen=True, eq=False)
class _Ports:
    """The links of each switch, each numbered among those of its switch."""

    number: _Numbers
    """By link, its place among those of its switch."""
    other: _Numbers
    """By place and switch, the other end; where there is none, a switch behind all others."""

    @classmethod
    def of(cls, one: _Numbers, other: _Numbers, switches: int) -> _Ports:
        order = np.argsort(one, kind="stable")
        first = np.searchsorted(one[order], np.arange(switches))
        number = np.empty(len(one), np.int64)
        number[order] = np.arange(len(one)) - first[one[order]]
        table = np.full((int(number.max(initial=-1)) + 1, switches), switches)
        table[number, one] = other
        return cls(number, table)


def _crossing(start: _Numbers, end: _Numbers, nodes: _Numbers) -> NDArray[np.float64]:
    """Return by link how many of all ordered pairs of nodes send over it, or what share of them."""
    switches = len(nodes)
    leaving = _Ports.of(start, end, switches)
    arriving = _Ports.of(end, start, switches)
    found = np.zeros(leaving.other.shape)
    for first in range(0, switches, _BLOCK):
        block = np.arange(first, min(first + _BLOCK, switches))
        found += _towards(leaving.other, arriving.other, nodes, block)
    return found[leaving.number, start]


def _towards(
    outputs: _Numbers, inputs: _Numbers, nodes: _Numbers, block: _Numbers
) -> NDArray[np.float64]:
    """Return by output and switch what goes to the nodes of some switches."""
    switches = len(nodes)
    far = _distances(outputs, switches, block)
    here, nearer = far[:-1], far[:-1] - np.int8(1)
    ways = np.zeros(here.shape, np.int16)
    for output in outputs:
        ways += far[output] == nearer
    flow = nodes[:, None].astype(np.float32) * nodes[block].astype(np.float32)
    flow[block, np.arange(len(block))] = 0
    share = np.zeros((switches + 1, len(block)), np.float32)
    shares = np.zeros(here.shape, np.float32)
    for level in range(int(here.max()), 0, -1):
        share[:-1] = np.where(here == level, flow / np.maximum(ways, 1), 0)
        shares += share[:-1]
        if level > 1:
            arrived = sum(share[source] for source in inputs)
            flow += np.where(here == level - 1, arrived, 0)
    return np.array(
        [np.where(far[output] == nearer, shares, 0).sum(axis=1, dtype=float) for output in outputs]
    )


def _distances(outputs: _Numbers, switches: int, block: _Numbers) -> NDArray[np.int8]:
    """Return the links from every switch, and from none, to some switches."""
    far = np.full((switches + 1, len(block)), _UNREACHED, np.int8)
    far[block, np.arange(len(block))] = 0
    level = 0
    while True:
        level += 1
        reached = far == level - 1
        new = np.zeros((switches, len(block)), np.bool_)
        for output in outputs:
            new |= reached[output]
        new &= far[:-1] == _UNREACHED
        if not new.any():
            return far
        far[:-1][new] = level
