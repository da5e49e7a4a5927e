"""Symmetries of networks, by which a few nodes and switches stand for all.

An automorphism of a network (a *move*) maps switches to switches and links to links. The traffic
of a node to all others, summed over all nodes it is mapped to, loads equally all channels that are
mapped to each other, if routing has the same symmetry. So the loads of one node of each kind,
averaged over the channels of each kind, are those of all.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tailback.machines import Machine, topologies

__all__ = ["Symmetry", "symmetry"]

#: Vertex-transitive topologies.
_ALIKE = ("torus", "concentrated_torus", "hypercube", "star", "pair", "fully_connected")

_Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Symmetry:
    """The nodes and switches that stand for all of a network."""

    switches: tuple[int, ...] | None
    """One switch of each kind, if kinds are equally frequent; None: all are equivalent."""
    nodes: tuple[int, ...]
    """Nodes each of which stands for as many."""
    leaf_nodes: int
    """Nodes of a switch that has any, numbered one after the other; moves exchange them. 1 where
    that is not known."""
    told_apart: int
    """So many of these, one after the other, the usual routing may send by different ways."""
    place: _Numbers
    """Of each switch what it is like: its level in a tree, its place in a group; 0 elsewhere."""
    group: _Numbers
    """Of each switch the number of its group, and 0 where there are none."""
    sides: tuple[int, ...] = ()
    """Of a HyperX, the switches along each dimension."""
    rings: tuple[int, ...] = ()
    """Of a torus with a node on each switch, those along each dimension: it is its mirror image."""

    def kinds(self, channels: pa.Table) -> _Numbers:
        """Return numbers from 0 on that channels share which are alike.

        Both directions of a dimension are alike: where both ways to a place are as short, as many
        sources take one as the other.
        """
        encoded = channels["kind"].combine_chunks()
        found: _Numbers = encoded.indices.to_numpy().astype(np.int64)
        internal = [kind == "internal" for kind in encoded.dictionary.to_pylist()]
        inside = np.array(internal, np.bool_)[found]
        if "dimension" in channels.column_names:
            found = _joined(found, channels["dimension"].to_numpy())
        if not inside.any():
            return found
        ends = (channels[name].to_numpy()[inside].astype(np.int64) for name in _ENDS)
        moved = np.zeros(len(found), np.int64)
        moved[inside] = 1 + self._of_links(*ends)
        return _joined(found, moved)

    def _of_links(self, start: _Numbers, end: _Numbers) -> _Numbers:
        if self.sides:
            dimension, stride = np.zeros(len(start), np.int64), 1
            for number, side in enumerate(self.sides):
                dimension[start // stride % side != end // stride % side] = number
                stride *= side
            return dimension
        groups = int(self.group.max(initial=0)) + 1
        if groups == 1:
            return _joined(self.place[start], self.place[end])
        ahead = (self.group[end] - self.group[start]) % groups
        found = _joined(_joined(self.place[start], self.place[end]), ahead)
        return _joined(found, _numbered(start * len(self.group) + end))


_ENDS = ("from_node", "to_node")


def symmetry(machine: Machine) -> Symmetry | None:
    """Return the symmetry of a machine's network, as far as it is known; None without any."""
    topology = machine.topology
    if topology.facts.failed_links or machine.hosts is not None:
        return None
    kind = topology.kind
    if isinstance(topology, topologies.RailOptimised):
        return _rails(topology)
    found = _OF_KIND.get(kind)
    return None if found is None else found(topology.spec(), machine.nodes, topology.facts.switches)


def _alike(spec: dict[str, Any], nodes: int, switches: int) -> Symmetry:
    """Return that of a network whose switches are all alike."""
    one = np.zeros(switches, np.int64)
    kind = spec["kind"]
    apart = spec.get("nodes_per_switch", 1) if kind == "fully_connected" else 1
    together = nodes if kind == "star" else apart
    rings = tuple(spec["dims"]) if kind == "torus" else ()
    return Symmetry(None, (0,), together, 1, one, one, rings=rings)


def _hyperx(spec: dict[str, Any], nodes: int, switches: int) -> Symmetry | None:
    del nodes
    one = np.zeros(switches, np.int64)
    if spec.get("by_distance"):
        return None
    return Symmetry((0,), (0,), spec["nodes_per_switch"], 1, one, one, tuple(spec["dims"]))


def _slim_fly(spec: dict[str, Any], nodes: int, switches: int) -> Symmetry:
    """Return that of a Slim Fly: all switches (s, x, y) with the same s are alike.

    Adding elements of the field to x, m, y and c moves any of them to any other.
    """
    half, each = switches // 2, nodes // switches
    side = np.arange(switches) // half
    return Symmetry((0, half), (0, half * each), each, 1, side, np.zeros_like(side))


def _rails(topology: topologies.RailOptimised) -> Symmetry:
    """Return that of rails: all interfaces, all leaves and all spines are alike."""
    ends = topology.tiers()
    tier = np.repeat(np.arange(len(ends)), ends)
    firsts = np.cumsum([0, *ends[:-1]])
    return Symmetry(tuple(firsts.tolist()), (0,), 1, 1, tier, np.zeros_like(tier))


def _tree(spec: dict[str, Any], nodes: int, switches: int) -> Symmetry:
    """Return that of a fat tree: all nodes are alike, and all switches of a level."""
    del switches
    sizes = _level_sizes(spec, nodes)
    level = np.repeat(np.arange(len(sizes)), sizes)
    order = np.cumsum([0, *sizes[:-1]])
    below = spec.get("arity") or spec.get("switch_ports", 0) // 2 or spec["children"][0]
    return Symmetry(tuple(order.tolist()), (0,), below, 1, level, np.zeros_like(level))


def _level_sizes(spec: dict[str, Any], nodes: int) -> list[int]:
    """Return how many switches the levels have, in the order of their numbers."""
    if spec["kind"] == "fat_tree":
        return [nodes // int(spec["arity"])] * int(spec["levels"])
    half = spec.get("switch_ports", 0) // 2
    children = spec.get("children") or [half, half, 2 * half]
    parents = spec.get("parents") if half == 0 else [half, half]
    sizes, below, places = [], 1, 1
    for number, count in enumerate(children):
        below *= count
        sizes.append(nodes // below * places)
        places *= parents[number] if parents and number < len(parents) else 1
    return sizes


def _grouped(spec: dict[str, Any], nodes: int, switches: int) -> Symmetry | None:
    """Return that of groups in a ring: the first is as good as any other.

    Of several links between two groups, and of spines, routing picks one by the numbers of nodes.
    Only if those of a switch pick all alike do groups not differ in it.
    """
    del nodes, switches
    leaves = spec.get("leaves") or spec["switches_per_group"]
    spines, groups = spec.get("spines", 0), spec["groups"]
    each = spec.get("nodes_per_leaf") or spec["nodes_per_switch"]
    rounds = (spines or leaves) * spec["global_links"] // (groups - 1)
    told_apart = math.lcm(rounds, spines or 1)
    if each % told_apart:
        return None
    size = leaves + spines
    number = np.arange(size * groups)
    firsts = tuple(range(0, leaves * each, each))
    place, group = number % size, number // size
    return Symmetry(tuple(range(size)), firsts, each, told_apart, place, group)


#: By kind of topology: its symmetry, from what the engine is told and its nodes and switches.
_OF_KIND: dict[str, Callable[[dict[str, Any], int, int], Symmetry | None]] = {
    **dict.fromkeys(_ALIKE, _alike),
    **dict.fromkeys(("fat_tree", "pod_fat_tree", "xgft"), _tree),
    **dict.fromkeys(("dragonfly", "dragonfly_plus"), _grouped),
    "hyperx": _hyperx,
    "slim_fly": _slim_fly,
}


def _joined(one: NDArray[Any], other: NDArray[Any]) -> _Numbers:
    """Return numbers from 0 on, the same for pairs of the same numbers."""
    other = np.asarray(other, np.int64) - int(np.min(other, initial=0))
    codes = np.asarray(one, np.int64) * (int(other.max(initial=0)) + 1) + other
    _, found = np.unique(codes, return_inverse=True)
    return np.asarray(found, np.int64)


def _numbered(same: _Numbers) -> _Numbers:
    """Return the position of each among those that share its number."""
    order = np.argsort(same, kind="stable")
    ordered = same[order]
    first = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    lengths = np.diff(np.concatenate([first, [len(same)]]))
    found = np.empty(len(same), np.int64)
    found[order] = np.arange(len(same)) - np.repeat(first, lengths)
    return found
