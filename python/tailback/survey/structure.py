"""What a network is like: tiers of a fat tree, or groups of a dragonfly, known by their cables.

A switch is in tier 1 if it has hosts, and otherwise one tier above the lowest switch beside it. The
network has *tiers* if nearly all cables lead from one tier to another. It has *groups* if it can be
parted into equal sets of switches, each at most two cables wide and each joined to every other;
sets to try are communities [Blondel et al. 2008].
Classes of cables in a file, such as `hosts`, `nvlink` and `global`, say more than cables alone:
which switches are hosts with several cables, and where groups end.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tailback.machines import topologies
from tailback.machines.topologies import Topology

from .pairs import summed

if TYPE_CHECKING:
    import networkx as nx

Numbers = NDArray[np.int64]
Columns = Mapping[str, NDArray[Any]]

#: Classes of cables that end at hosts, and those of them that stay inside one.
_OF_HOSTS = ("hosts", "nvlink")
_INSIDE = "nvlink"
_GLOBAL = "global"
#: Share of cables between switches of one tier above which a network has no tiers.
_MOST_WITHIN = 0.1
#: Pairs of switches with cables above which groups are not searched for: seconds.
_MOST_SEARCHED = 20_000


@dataclass(frozen=True, eq=False)
class Structure:
    """Tiers and groups of the switches of a network."""

    tier: Numbers
    """Of each switch, 1 the lowest; 0 for switches inside hosts."""
    interfaces: NDArray[np.bool_]
    """Switches that are hosts with several cables; the others in tier 0 join hosts' own parts."""
    group: Numbers | None
    """The group of each switch; None where there are none."""
    has_tiers: bool

    @cached_property
    def tiers(self) -> int:
        """How many tiers there are above hosts."""
        return int(self.tier.max(initial=0))

    @property
    def groups(self) -> int:
        """How many groups there are."""
        return 0 if self.group is None else int(self.group.max(initial=-1)) + 1

    def name(self, tier: int) -> str:
        """Return what switches of a tier are called: leaf, spine and core of up to three."""
        if self.tiers == 1 and not self.has_tiers:
            return "switch"
        names = ("leaf", "spine", "core")
        return names[tier - 1] if self.tiers <= len(names) else f"tier {tier}"

    @property
    def is_known(self) -> bool:
        """Whether it is one of tiers or groups."""
        return self.has_tiers or self.group is not None


def may_be_known(topology: Topology, graph: Columns, switches: int) -> bool:
    """Return whether a network may have tiers or groups, or comes from a file: at a glance."""
    if isinstance(topology, (topologies.Listed, topologies.Dragonfly, topologies.DragonflyPlus)):
        return True
    # Where every switch has nodes there is one tier.
    is_flat = topology.hosts is None and len(np.unique(graph["node_enters"])) == switches
    return _one_place(graph) and not topology.facts.sides and not is_flat


def _one_place(graph: Columns) -> bool:
    """Return whether every node enters the network where it leaves it."""
    return np.array_equal(graph["node_enters"], graph["node_leaves"])


def structure(topology: Topology, graph: Columns, switches: int) -> Structure:
    """Return tiers and groups; ``graph``: `link_from`, `link_to`, `link_width`, `node_enters`..."""
    if not switches:
        none = np.zeros(0, np.int64)
        return Structure(none, none > 0, None, has_tiers=False)
    cables = _Cables.of(topology, graph)
    interfaces = _interfaces(topology, graph, cables, switches)
    inside = interfaces | _inside(cables, switches)
    tier = _tiers(graph, cables, interfaces, inside)
    between = cables.only(~inside[cables.low] & ~inside[cables.high])
    within = between.width[tier[between.low] == tier[between.high]].sum()
    tiers = int(tier.max(initial=0))
    has_tiers = (
        _one_place(graph)
        and not topology.facts.sides
        and (tiers > 1 or bool(inside.any()))
        and bool(within <= _MOST_WITHIN * between.width.sum())
    )
    is_flat = has_tiers or topology.hosts is not None
    group = None if is_flat else _groups(topology, between, switches)
    return Structure(tier, interfaces, group, has_tiers)


@dataclass(frozen=True, eq=False)
class _Cables:
    """The cables between each two switches that have any."""

    low: Numbers
    high: Numbers
    width: Numbers
    name: NDArray[np.str_]
    """Of their class, where a file has classes; else empty."""

    @classmethod
    def of(cls, topology: Topology, graph: Columns) -> _Cables:
        low, high, width = summed(graph["link_from"], graph["link_to"], graph["link_width"])
        if not isinstance(topology, topologies.Listed):
            return cls(low, high, width, np.full(len(low), ""))
        names = {
            (min(ends), max(ends)): link.link_class
            for link in topology.graph.links
            if link.link_class and (ends := (link.source, link.destination))
        }
        pairs = zip(low.tolist(), high.tolist(), strict=True)
        return cls(low, high, width, np.array([names.get(ends, "") for ends in pairs], np.str_))

    def only(self, those: NDArray[np.bool_]) -> _Cables:
        """Return some of them."""
        return _Cables(self.low[those], self.high[those], self.width[those], self.name[those])

    def ends(self, those: NDArray[np.bool_], switches: int) -> NDArray[np.bool_]:
        """Return which of so many switches some of them end at."""
        found = np.zeros(switches, np.bool_)
        found[self.low[those]] = found[self.high[those]] = True
        return found


def _interfaces(
    topology: Topology, graph: Columns, cables: _Cables, switches: int
) -> NDArray[np.bool_]:
    """Return which switches are hosts: they have one node, and only cables of hosts."""
    if isinstance(topology, topologies.Islands) and topology.hosts is None:
        return np.arange(switches) < topology.node_count
    # Hosts are the last switches. Their interfaces are on the others, as nodes are without hosts.
    hosts = np.arange(switches) >= topology.network.switch_count
    enters = graph["node_enters"] if topology.hosts is None else topology.network.homes
    has_one: NDArray[np.bool_] = np.bincount(enters, minlength=switches) == 1
    outside = ~hosts[cables.high]
    others = cables.ends(outside & ~np.isin(cables.name, _OF_HOSTS), switches)
    return (has_one & cables.ends(outside, switches) & ~others) | hosts


def _inside(cables: _Cables, switches: int) -> NDArray[np.bool_]:
    """Return which switches have no cables but those inside hosts."""
    inner = cables.name == _INSIDE
    return cables.ends(inner, switches) & ~cables.ends(~inner, switches)


def _tiers(
    graph: Columns, cables: _Cables, interfaces: NDArray[np.bool_], inside: NDArray[np.bool_]
) -> Numbers:
    """Return the tier of each switch: how far it is from hosts."""
    tier = np.zeros(len(inside), np.int64)
    start, end = np.append(cables.low, cables.high), np.append(cables.high, cables.low)
    front = np.zeros(len(inside), np.bool_)
    front[graph["node_enters"]] = front[end[interfaces[start]]] = True
    front &= ~inside
    while front.any():
        tier[front] = tier.max() + 1
        left = ~inside[end] & (tier[end] == 0)
        start, end = start[left], end[left]
        front = np.zeros(len(inside), np.bool_)
        front[end[tier[start] > 0]] = True
    return tier


def _groups(topology: Topology, between: _Cables, switches: int) -> Numbers | None:
    """Return the group of each switch, numbered by their first switches; None without groups.

    `between`: the cables between switches.
    """
    if isinstance(topology, topologies.Dragonfly):
        return np.arange(switches) // topology.switches_per_group
    if isinstance(topology, topologies.DragonflyPlus):
        return np.arange(switches) // (topology.leaves + topology.spines)
    if not isinstance(topology, topologies.Listed) or not len(between.low):
        return None
    import networkx as nx

    network = nx.Graph()
    network.add_nodes_from(range(switches))
    ends = list(zip(between.low.tolist(), between.high.tolist(), strict=True))
    network.add_weighted_edges_from(
        (*pair, width) for pair, width in zip(ends, between.width.tolist(), strict=True)
    )
    is_global = between.name == _GLOBAL
    if is_global.any():
        local = network.copy()
        local.remove_edges_from([ends[number] for number in np.flatnonzero(is_global)])
        parts = [set(part) for part in nx.connected_components(local)]
    elif len(ends) <= _MOST_SEARCHED:
        parts = nx.community.louvain_communities(network, seed=0)
    else:
        return None
    parts.sort(key=min)
    if not _are_groups(network, parts):
        return None
    found = np.zeros(switches, np.int64)
    for number, part in enumerate(parts):
        found[list(part)] = number
    return found


def _are_groups(network: nx.Graph, parts: list[set[int]]) -> bool:
    """Whether sets of switches are equal, two cables wide, and each joined to every other."""
    size = len(parts[0])
    if len(parts) < 3 or size < 2 or any(len(part) != size for part in parts):
        return False
    part_of = {switch: number for number, part in enumerate(parts) for switch in part}
    for part in parts:
        for switch in part:
            beside = {other for other in network[switch] if other in part}
            reached = beside | {far for other in beside for far in network[other]}
            if not part <= reached | {switch}:
                return False
    joined = {(part_of[a], part_of[b]) for a, b in network.edges}
    return all(
        (one, other) in joined or (other, one) in joined
        for one, other in combinations(range(len(parts)), 2)
    )
