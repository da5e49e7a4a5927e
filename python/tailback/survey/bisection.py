"""The bisection of a network without a formula for it: the smallest cut of several tries.

Finding the smallest cut is hard; any cut is an upper bound. Several starts are improved by the
heuristic of [Kernighan & Lin 1970] in NetworkX, and the smallest cut is taken. Nodes stay with
their switches; switches without nodes go to the side that cuts least, which is found exactly.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .pairs import summed

if TYPE_CHECKING:
    import networkx as nx

#: Switches of the largest network for which a cut is searched.
MOST_SWITCHES = 5_000
_STARTS = 8
#: Linked pairs of switches in all random starts together: seconds.
_MANY_JOINED = 20_000
_MOST_EXCHANGED = 300

Columns = Mapping[str, NDArray[Any]]


@dataclass(frozen=True, slots=True)
class Bisection:
    """Wires, both directions together, between two halves of the nodes."""

    wires: int
    exact: bool
    """Whether it follows from a formula; else it is an upper bound."""
    halves: tuple[int, int] | None = None
    """Nodes of the halves, if they were searched for."""

    @property
    def method(self) -> str:
        """Where the number comes from."""
        return "formula" if self.exact else "Kernighan & Lin 1970"

    def to_dict(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        halves = None if self.halves is None else list(self.halves)
        return {"wires": self.wires, "exact": self.exact, "halves": halves}


def bisection_found(graph: Columns, switches: int) -> Bisection | None:
    """Return the smallest cut found, between halves as equal as whole switches allow.

    None for a network without links, or with too many switches. Deterministic.
    """
    if not graph["link_from"].size or switches > MOST_SWITCHES:
        return None
    network, nodes = _contracted(graph, switches)
    cuts = [_cut(network, nodes, side) for side in _starts(network, nodes)]
    total = sum(nodes.values())
    best = min(cuts, key=lambda cut: (abs(2 * cut[1] - total), cut[0]))
    halves = (min(best[1], total - best[1]), max(best[1], total - best[1]))
    return Bisection(best[0], exact=False, halves=halves)


def _contracted(graph: Columns, switches: int) -> tuple[nx.Graph, dict[int, int]]:
    """Return switches joined by the wires of both directions, and their numbers of nodes.

    The two switches of a node that enters and leaves at different ones are merged.
    """
    import networkx as nx

    same = nx.Graph()
    same.add_nodes_from(range(switches))
    same.add_edges_from(zip(*_lists(graph, "node_enters", "node_leaves"), strict=True))
    whole = {s: min(part) for part in nx.connected_components(same) for s in part}
    network = nx.Graph()
    network.add_nodes_from(sorted(set(whole.values())))
    merged = np.array([whole[switch] for switch in range(switches)])
    one, other = merged[graph["link_from"]], merged[graph["link_to"]]
    apart = one != other
    low, high, width = summed(one[apart], other[apart], graph["link_width"][apart])
    joined = zip(low.tolist(), high.tolist(), width.tolist(), strict=True)
    network.add_weighted_edges_from(joined)
    nodes = dict.fromkeys(network, 0)
    for switch in graph["node_enters"].tolist():
        nodes[whole[switch]] += 1
    return network, nodes


def _lists(graph: Columns, *names: str) -> Iterable[list[int]]:
    return [graph[name].tolist() for name in names]


def _starts(network: nx.Graph, nodes: Mapping[int, int]) -> Iterable[set[int]]:
    """Yield one side of each cut to start from: the first half of the nodes, then improved ones."""
    import networkx as nx

    ordered = list(network)
    before = np.cumsum([nodes[vertex] for vertex in ordered])
    first = {v for v, count in zip(ordered, before, strict=True) if 2 * count <= before[-1]}
    yield first
    improve = nx.community.kernighan_lin_bisection
    if 0 < len(first) < len(ordered):
        yield set(improve(network, (first, set(ordered) - first), weight="weight", seed=0)[0])
    if len(ordered) > 1:
        for seed in range(min(_STARTS, _MANY_JOINED // max(1, network.number_of_edges()))):
            yield set(improve(network, weight="weight", seed=seed)[0])


def _cut(network: nx.Graph, nodes: Mapping[int, int], side: set[int]) -> tuple[int, int]:
    """Return the wires cut and the nodes on one side, after that has half of the nodes."""
    side = {vertex for vertex in side if nodes[vertex]}
    total = sum(nodes.values())
    count = sum(nodes[vertex] for vertex in side)
    while True:
        # Of the moves that make the halves more equal, the one that adds least to the cut.
        small = 2 * count < total
        movable = [v for v in network if nodes[v] and (v in side) != small]
        better = [v for v in movable if nodes[v] < abs(total - 2 * count)]
        if not better:
            break
        moved = min(better, key=lambda v: (_added(network, nodes, side, v), v))
        side ^= {moved}
        count += nodes[moved] if small else -nodes[moved]
    _exchange(network, nodes, side)
    return _wires(network, nodes, side), count


def _exchange(network: nx.Graph, nodes: Mapping[int, int], side: set[int]) -> None:
    """Exchange switches with equal numbers of nodes as long as that makes the cut smaller.

    If all have equal numbers, the heuristic has done so already.
    """
    bearing = [v for v in network if nodes[v]]
    if len({nodes[v] for v in bearing}) == 1 or len(bearing) > _MOST_EXCHANGED:
        return
    while True:
        added = {v: _added(network, nodes, side, v) for v in bearing}
        pairs = (
            (added[v] + added[w] + 2 * network.get_edge_data(v, w, {"weight": 0})["weight"], v, w)
            for v in bearing
            for w in bearing
            if v in side and w not in side and nodes[v] == nodes[w]
        )
        change, v, w = min(pairs, default=(0, 0, 0))
        if change >= 0:
            return
        side ^= {v, w}


def _added(network: nx.Graph, nodes: Mapping[int, int], side: set[int], vertex: int) -> int:
    """Return by how much the cut grows if a switch changes sides."""
    inside = vertex in side
    weights = ((edge["weight"], v) for v, edge in network[vertex].items() if nodes[v])
    return sum(weight if (v in side) == inside else -weight for weight, v in weights)


def _wires(network: nx.Graph, nodes: Mapping[int, int], side: set[int]) -> int:
    """Return the wires between the sides, with switches without nodes placed best."""
    import networkx as nx

    if all(nodes.values()):
        return int(nx.cut_size(network, side, weight="weight"))
    # Each side becomes one vertex; the minimum cut between the two is the best placement.
    ends = {v: ("one" if v in side else "other") if nodes[v] else v for v in network}
    joined = nx.Graph()
    joined.add_nodes_from(["one", "other"])
    for a, b, weight in network.edges(data="weight"):
        one, other = ends[a], ends[b]
        if one != other:
            before = joined.get_edge_data(one, other, {"weight": 0})["weight"]
            joined.add_edge(one, other, weight=before + weight)
    return int(nx.minimum_cut_value(joined, "one", "other", capacity="weight"))
