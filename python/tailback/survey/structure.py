"""What a network is like: tiers of a fat tree, or groups of a dragonfly, known by their cables.

A switch is in tier 1 if it has hosts, and otherwise one tier above the lowest switch beside it. The
network has *tiers* if nearly all cables lead from one tier to another. It has *groups* if it can be
parted into equal sets of switches, each at most two cables wide and each joined to every other;
sets to try are communities [Blondel et al. 2008].
Classes of cables in a file, such as `hosts`, `nvlink` and `global`, say more than cables alone:
which switches are hosts with several cables, and where groups end.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tailback.graphs import distances
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
    pairs = _pairs(graph)
    classes = _classes(topology)
    interfaces = _interfaces(topology, graph, pairs, classes, switches)
    inside = interfaces | _inside(pairs, classes, switches)
    tier = _tiers(graph, pairs, interfaces, inside)
    between = {ends: width for ends, width in pairs.items() if not inside[list(ends)].any()}
    within = sum(width for (a, b), width in between.items() if tier[a] == tier[b])
    tiers = int(tier.max(initial=0))
    has_tiers = (
        _one_place(graph)
        and not topology.facts.sides
        and (tiers > 1 or bool(inside.any()))
        and within <= _MOST_WITHIN * sum(between.values())
    )
    is_flat = has_tiers or topology.hosts is not None
    group = None if is_flat else _groups(topology, between, classes, switches)
    return Structure(tier, interfaces, group, has_tiers)


def _pairs(graph: Columns) -> dict[tuple[int, int], int]:
    """Return the cables between each two switches that have any, lower number first."""
    low, high, width = summed(graph["link_from"], graph["link_to"], graph["link_width"])
    return dict(zip(zip(low.tolist(), high.tolist(), strict=True), width.tolist(), strict=True))


def _classes(topology: Topology) -> dict[tuple[int, int], str | None]:
    """Return the class of the cables between two switches, where a file has classes."""
    if not isinstance(topology, topologies.Listed):
        return {}
    return {
        (min(ends), max(ends)): link.link_class
        for link in topology.graph.links
        if link.link_class and (ends := (link.source, link.destination))
    }


def _interfaces(
    topology: Topology,
    graph: Columns,
    pairs: Iterable[tuple[int, int]],
    classes: Mapping[tuple[int, int], str | None],
    switches: int,
) -> NDArray[np.bool_]:
    """Return which switches are hosts: they have one node, and only cables of hosts."""
    if isinstance(topology, topologies.Islands) and topology.hosts is None:
        return np.arange(switches) < topology.node_count
    # Hosts are the last switches. Their interfaces are on the others, as nodes are without hosts.
    hosts = np.arange(switches) >= topology.network.switch_count
    enters = graph["node_enters"] if topology.hosts is None else topology.network.homes
    nodes = np.bincount(enters, minlength=switches)
    found = nodes == 1 if switches else np.zeros(0, np.bool_)
    joined = np.zeros(len(found), np.bool_)
    for ends in pairs:
        if hosts[ends[1]]:
            continue
        joined[list(ends)] = True
        if classes.get(ends) not in _OF_HOSTS:
            found[list(ends)] = False
    return (found & joined) | hosts


def _inside(
    pairs: Iterable[tuple[int, int]], classes: Mapping[tuple[int, int], str | None], switches: int
) -> NDArray[np.bool_]:
    """Return which switches have no cables but those inside hosts."""
    found, other = np.zeros(switches, np.bool_), np.zeros(switches, np.bool_)
    for ends in pairs:
        (found if classes.get(ends) == _INSIDE else other)[list(ends)] = True
    return found & ~other


def _tiers(
    graph: Columns,
    pairs: Iterable[tuple[int, int]],
    interfaces: NDArray[np.bool_],
    inside: NDArray[np.bool_],
) -> Numbers:
    """Return the tier of each switch: how far it is from hosts."""
    tier = np.zeros(len(inside), np.int64)
    around: dict[int, list[int]] = {}
    front = set(graph["node_enters"].tolist()) if len(inside) else set()
    for a, b in pairs:
        for one, other in ((a, b), (b, a)):
            around.setdefault(one, []).append(other)
            if interfaces[one]:
                front.add(other)
    lowest = [switch for switch in front if not inside[switch]]
    above = distances(lowest, lambda at: [one for one in around.get(at, ()) if not inside[one]])
    tier[list(above)] = 1 + np.fromiter(above.values(), np.int64)
    return tier


def _groups(
    topology: Topology,
    between: Mapping[tuple[int, int], int],
    classes: Mapping[tuple[int, int], str | None],
    switches: int,
) -> Numbers | None:
    """Return the group of each switch, numbered by their first switches; None without groups."""
    if isinstance(topology, topologies.Dragonfly):
        return np.arange(switches) // topology.switches_per_group
    if isinstance(topology, topologies.DragonflyPlus):
        return np.arange(switches) // (topology.leaves + topology.spines)
    if not isinstance(topology, topologies.Listed) or not between:
        return None
    import networkx as nx

    network = nx.Graph()
    network.add_nodes_from(range(switches))
    network.add_weighted_edges_from((a, b, width) for (a, b), width in between.items())
    if _GLOBAL in classes.values():
        local = network.copy()
        local.remove_edges_from([ends for ends in between if classes.get(ends) == _GLOBAL])
        parts = [set(part) for part in nx.connected_components(local)]
    elif len(between) <= _MOST_SEARCHED:
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
