"""A routing table beside shortest paths: how much longer its routes are, and how uneven."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tailback.engine import Columns
from tailback.machines import Machine
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
    """What is needed to follow packets: links by switch and node."""

    link: Numbers
    """By switch and node: the link to take; -1 without a row."""
    leads: Numbers
    """By link: the switch that it leads to; one more at the end, for -1."""
    enters: Numbers
    homes: Numbers
    width: Numbers

    def follow(self, sources: Numbers, to: Numbers, weights: Numbers | None = None) -> Any:
        """Return for packets from switches: hops (-1: no route), and routes on each link."""
        counts = np.zeros(len(self.width), dtype=np.int64)
        hops = np.zeros(len(to), dtype=np.int64)
        at, active = sources.copy(), np.arange(len(to))
        while True:
            active = active[at[active] != self.homes[to[active]]]
            if not len(active):
                return hops, counts
            links = self.link[at[active], to[active]]
            lost = links < 0
            if lost.any():
                hops[active[lost]] = -1
                active, links = active[~lost], links[~lost]
            weight = None if weights is None else weights[active]
            counts += np.bincount(links, weight, len(counts)).astype(np.int64)
            at[active] = self.leads[links]
            hops[active] += 1


def table_routes(machine: Machine, graph: Columns) -> TableRoutes | None:
    """Return how the routes of a machine's table are.

    None with other routing, failed links, or hosts, which choose among routes.
    """
    routing, topology = machine.chosen_routing, machine.topology
    if not isinstance(routing, Table) or topology.facts.failed_links or machine.hosts is not None:
        return None
    found = _follower(routing.routes(topology), graph)
    nodes, weights = len(found.homes), np.bincount(found.enters)
    starts = np.flatnonzero(weights)
    at, to = (grid.ravel() for grid in np.meshgrid(starts, np.arange(nodes), indexing="ij"))
    hops, counts = found.follow(at, to, weights[at])
    shortest = _shortest(graph, weights.size, found)[at, found.homes[to]]
    # A node does not send to itself: its own switch is left out.
    pairs, apart = weights[at], at != found.homes[to]
    has_route = apart & (hops >= 0)
    extra = np.where(has_route, hops - shortest, 0)
    total = int(pairs[has_route].sum())
    used = counts[counts > 0] / found.width[counts > 0]
    most, mean, shifts = _shifts(found)
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
    onward = np.asarray(table["next"], dtype=np.int64)
    switches = np.arange(len(onward))[:, None]
    if table["hops"] == "ports":
        first = np.searchsorted(link_from, np.arange(len(onward)))[:, None]
        link = np.where(onward < len(link_from), onward + first, -1)
    else:
        numbers = np.full((len(onward), len(onward)), -1, dtype=np.int64)
        numbers[link_from[::-1], link_to[::-1]] = np.arange(len(link_from))[::-1]
        known = onward < len(onward)
        link = np.where(known, numbers[switches, np.where(known, onward, 0)], -1)
    width = np.asarray(graph["link_width"], np.int64)
    enters, homes = (np.asarray(graph[name], np.int64) for name in ("node_enters", "node_leaves"))
    return _Follower(link, link_to, enters, homes, width)


def _shortest(graph: Columns, rows: int, found: _Follower) -> Numbers:
    """Return links from every switch to every home of a node, by breadth-first search."""
    count = max(rows, len(found.link))
    ahead: list[list[int]] = [[] for _ in range(count)]
    for one, other in zip(graph["link_from"].tolist(), graph["link_to"].tolist(), strict=True):
        ahead[other].append(one)
    distance = np.zeros((count, count), dtype=np.int64)
    for home in set(found.homes.tolist()):
        seen, front, hops = {home}, [home], 0
        while front:
            distance[front, home] = hops
            hops += 1
            front = list({other for at in front for other in ahead[at]} - seen)
            seen.update(front)
    return distance


def _shifts(found: _Follower) -> tuple[float, float, int]:
    """Return the routes on the most loaded cable, of the worst shift and on average; shifts."""
    nodes = len(found.homes)
    step = max(1, nodes * nodes * 4 // _MOST_STEPS)
    numbers = np.arange(nodes)
    worst = []
    for shift in range(1, nodes, step):
        _, counts = found.follow(found.enters, (numbers + shift) % nodes)
        worst.append(float((counts / found.width).max(initial=0)))
    return max(worst), float(np.mean(worst)), len(worst)
