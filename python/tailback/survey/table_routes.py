"""A routing table beside shortest paths: how much longer its routes are, and how uneven."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tailback.engine import Columns
from tailback.machines import Machine
from tailback.machines.routes_file import NO_HOP, numbers
from tailback.machines.written_routes import Table

Numbers = NDArray[np.int64]

#: Steps of packets that are followed at most for all shifts: above that shifts are a sample.
_MOST_STEPS = 600_000_000


@dataclass(frozen=True, slots=True)
class TableRoutes:
    """Routes of a table between all pairs of nodes on different switches that have one.

    A *shift* by k sends from every node n to node n + k, modulo their number. Routes on a cable are
    counted for each of its wires.
    """

    pairs: int
    missing: int
    """Pairs without a route."""
    mean_links: float
    shortest_mean_links: float
    longer: int
    """Pairs whose route is longer than a shortest path."""
    most_extra_links: int
    uniform_most: float
    """Routes on the most loaded cable if every node sends to every other."""
    uniform_mean: float
    """The same on average over cables that any route uses."""
    shift_most: float
    """Routes on the most loaded cable in the worst of all shifts."""
    shift_mean: float
    """The same on average over shifts."""
    shifts: int
    """Shifts that were followed: all, or a sample in large networks."""
    nodes: int

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers for JSON."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True)
class _Follower:
    """What is needed to follow packets.

    Two numbers behind those of links stand for "has arrived" and for "has no route". They lead to
    two places behind the switches, where all packets take them again.
    """

    ahead: Numbers
    """By switch and node, one row after the other: the link to take."""
    first: Numbers
    """By link: where in `ahead` the row of the switch begins that it leads to."""
    enters: Numbers
    homes: Numbers
    width: Numbers

    def follow(self, sources: Numbers, to: Numbers, weights: Numbers | None = None) -> Any:
        """Return for packets from switches: hops (-1: no route), and routes on each link."""
        links = len(self.width)
        counts = np.zeros(links, np.int64)
        hops = np.zeros(len(to), np.int64)
        taken = self.ahead.take(sources * len(self.homes) + to)
        while (is_on := taken < links).any():
            counts += np.bincount(taken, weights, links + 2)[:links].astype(np.int64)
            hops += is_on
            taken = self.ahead.take(self.first.take(taken) + to)
        hops[taken > links] = -1
        return hops, counts


def table_routes(
    machine: Machine, graph: Columns, tell: Callable[[float], None] = lambda share: None
) -> TableRoutes | None:
    """Return how the routes of a machine's table are.

    None with other routing, failed links, or hosts, which choose among routes. ``tell`` is told
    which share of the shifts has been followed, from 0 to 1.
    """
    routing, topology = machine.chosen_routing, machine.topology
    if not isinstance(routing, Table) or topology.facts.failed_links or machine.hosts is not None:
        return None
    found = _follower(routing.routes(topology), graph)
    nodes, weights = len(found.homes), np.bincount(found.enters)
    starts = np.flatnonzero(weights)
    at, to = (grid.ravel() for grid in np.meshgrid(starts, np.arange(nodes), indexing="ij"))
    hops, counts = found.follow(at, to, weights[at])
    homes, home = np.unique(found.homes, return_inverse=True)
    shortest = _shortest(graph, len(found.ahead) // nodes - 2, homes)[at, home[to]]
    # A node does not send to itself: its own switch is left out.
    pairs, apart = weights[at], at != found.homes[to]
    has_route = apart & (hops >= 0)
    extra = np.where(has_route, hops - shortest, 0)
    total = int(pairs[has_route].sum())
    used = counts[counts > 0] / found.width[counts > 0]
    most, mean, shifts = _shifts(found, tell)
    return TableRoutes(
        pairs=total,
        missing=int(pairs[apart].sum()) - total,
        mean_links=float((pairs * hops)[has_route].sum() / max(1, total)),
        shortest_mean_links=float((pairs * shortest)[has_route].sum() / max(1, total)),
        longer=int(pairs[extra > 0].sum()),
        most_extra_links=int(extra.max(initial=0)),
        uniform_most=float(used.max(initial=0)),
        uniform_mean=float(used.mean()) if len(used) else 0.0,
        shift_most=most,
        shift_mean=mean,
        shifts=shifts,
        nodes=nodes,
    )


def _follower(table: dict[str, Any], graph: Columns) -> _Follower:
    link_from, link_to = (np.asarray(graph[name], np.int64) for name in ("link_from", "link_to"))
    onward = numbers(table["next"])
    links, known = len(link_from), onward != NO_HOP
    enters, homes = (np.asarray(graph[name], np.int64) for name in ("node_enters", "node_leaves"))
    ahead = np.empty((len(onward) + 2, len(homes)), np.int64)
    ahead[:-2] = links + 1
    if table["hops"] == "ports":
        first = np.searchsorted(link_from, np.arange(len(onward)))[:, None]
        np.copyto(ahead[:-2], onward + first, where=known)
    else:
        between = np.full((len(onward), len(onward)), links + 1, dtype=np.int64)
        between[link_from[::-1], link_to[::-1]] = np.arange(links)[::-1]
        switches = np.broadcast_to(np.arange(len(onward))[:, None], onward.shape)
        ahead[:-2][known] = between[switches[known], onward[known]]
    ahead[homes, np.arange(len(homes))] = links
    ahead[-2:] = [[links], [links + 1]]
    leads = np.append(link_to, [len(onward), len(onward) + 1])
    width = np.asarray(graph["link_width"], np.int64)
    return _Follower(ahead.ravel(), leads * len(homes), enters, homes, width)


def _shortest(graph: Columns, switches: int, homes: Numbers) -> Numbers:
    """Return links from every switch to every home, by breadth-first search from all homes."""
    link_from, link_to = graph["link_from"], graph["link_to"]
    order = np.argsort(link_from, kind="stable")
    leaving, begins = np.unique(link_from[order], return_index=True)
    ahead = link_to[order]
    distance = np.zeros((switches, len(homes)), np.int64)
    at_home = np.zeros((switches, len(homes)), bool)
    at_home[homes, np.arange(len(homes))] = True
    # A bit for each home that a switch is known to reach, and for those of the step before.
    seen = front = np.packbits(at_home, axis=1)
    hops = 0
    while front.any():
        hops += 1
        reached = np.zeros_like(seen)
        reached[leaving] = np.bitwise_or.reduceat(front[ahead], begins, axis=0)
        front = reached & ~seen
        seen = seen | front
        distance[np.unpackbits(front, axis=1, count=len(homes)).view(bool)] = hops
    return distance


def _shifts(found: _Follower, tell: Callable[[float], None]) -> tuple[float, float, int]:
    """Return the routes on the most loaded cable, of the worst shift and on average; shifts."""
    nodes = len(found.homes)
    step = max(1, nodes * nodes * 4 // _MOST_STEPS)
    nodes_in_order = np.arange(nodes)
    worst: list[float] = []
    followed = range(1, nodes, step)
    for shift in followed:
        _, counts = found.follow(found.enters, (nodes_in_order + shift) % nodes)
        worst.append(float((counts / found.width).max(initial=0)))
        tell(len(worst) / len(followed))
    return max(worst), float(np.mean(worst)), len(worst)
