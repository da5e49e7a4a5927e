"""Positions of a network in tiers that no family places: what is joined lies close together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tailback.survey import Structure

Point = tuple[float, float]
Columns = Mapping[str, NDArray[Any]]
_Floats = NDArray[np.float64]

_FLAT = 0.45
"""Height of the drawing over its width."""
_NODES, _OWN, _JOINS = 0.1, 0.35, -0.3
"""Heights of the nodes, and of the switches, of hosts with several cables, and of switches inside
hosts, where tiers are 1 apart."""


@dataclass(frozen=True)
class Tiers:
    """Points of switches and nodes, and the height of each tier by name."""

    switches: list[Point]
    nodes: list[Point]
    """Empty where the switches of hosts stand for all of them."""
    heights: dict[str, float]


def in_tiers(found: Structure, graph: Columns) -> Tiers:
    """Return switches tier by tier above the hosts, each tier spread over all of the width."""
    homes = graph["node_enters"]
    nodes, count = len(homes), len(found.tier)
    height = max(1.5, _FLAT * nodes / (found.tiers + 1))
    order = _order(found, graph)
    place = np.empty(count, np.int64)
    place[order] = np.arange(count)
    at_own = found.interfaces[homes]
    x_of_node = np.empty(nodes)
    # Nodes lie below their switches; those with several cables by their numbers.
    x_of_node[np.lexsort((np.arange(nodes), np.where(at_own, -1, place[homes])))] = np.arange(nodes)
    x = _spread(found, graph, order, x_of_node)
    y = height * found.tier.astype(np.float64)
    inside = found.tier == 0
    y[inside] = height * np.where(found.interfaces[inside], _OWN, _JOINS)
    if _bare(found, homes).any():
        y[np.unique(homes[at_own])] = height * _JOINS
    points = (
        [] if at_own.all() else list(zip(x_of_node.tolist(), [_OWN * height] * nodes, strict=True))
    )
    points = [
        (x, _NODES * height if own else y)
        for (x, y), own in zip(points, at_own.tolist(), strict=bool(points))
    ]
    heights = {found.name(tier): height * tier for tier in range(1, found.tiers + 1)}
    return Tiers(list(zip(x.tolist(), y.tolist(), strict=True)), points, heights)


def _order(found: Structure, graph: Columns) -> NDArray[np.int64]:
    """Return the switches in an order in which those that lower tiers join follow each other."""
    start, end = graph["link_from"], graph["link_to"]
    keys = [np.arange(len(found.tier))]
    for most in range(2, found.tiers + 1):
        # Of the tiers up to this one: the parts that are joined, by their first switch.
        low = np.maximum(found.tier[start], found.tier[end]) <= most
        low &= np.minimum(found.tier[start], found.tier[end]) > 0
        part = np.arange(len(found.tier))
        while True:
            before = part.copy()
            np.minimum.at(part, end[low], part[start[low]])
            if np.array_equal(before, part):
                break
        keys.append(part)
    return np.lexsort(keys)


def _spread(
    found: Structure, graph: Columns, order: NDArray[np.int64], x_of_node: _Floats
) -> _Floats:
    """Return where each switch is along its tier."""
    homes, nodes = graph["node_enters"], len(x_of_node)
    count = len(found.tier)
    own = np.bincount(homes, minlength=count)
    x = np.bincount(homes, x_of_node, count) / np.maximum(own, 1)
    bare = _bare(found, homes)
    if bare.any():
        middle = _below(x, bare, (found.tier == 0) & (own > 0), graph)
        numbers = np.flatnonzero(bare)
        _even(x, numbers[np.lexsort((numbers, middle[numbers]))], nodes)
    inside = (found.tier == 0) & ~found.interfaces
    x[inside] = _below(x, inside, found.interfaces, graph)[inside]
    lowest = found.tier == 1
    if not own[lowest].all():
        _even(x, order[lowest[order]], nodes)
    for tier in range(2, found.tiers + 1):
        here = found.tier == tier
        middle = _below(x, here, found.tier == tier - 1, graph)
        numbers = np.flatnonzero(here)
        _even(x, numbers[np.lexsort((numbers, np.round(middle[numbers], 6)))], nodes)
    return x


def _bare(found: Structure, homes: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which interfaces of hosts have no node: nodes are on a switch inside their host."""
    own = np.bincount(homes, minlength=len(found.tier))
    return np.asarray((found.tier == 0) & found.interfaces & (own == 0), np.bool_)


def _even(x: _Floats, numbers: NDArray[np.int64], width: int) -> None:
    """Spread switches evenly, in their order."""
    x[numbers] = (np.arange(len(numbers)) + 0.5) * width / max(len(numbers), 1) - 0.5


def _below(
    x: _Floats, here: NDArray[np.bool_], others: NDArray[np.bool_], graph: Columns
) -> _Floats:
    """Return the mean place of the others that each switch here is joined to."""
    start, end = graph["link_from"], graph["link_to"]
    among = here[start] & others[end]
    found = np.bincount(start[among], minlength=len(x))
    sums = np.bincount(start[among], x[end[among]], len(x))
    return np.asarray(sums / np.maximum(found, 1), np.float64)
