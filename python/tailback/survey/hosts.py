"""Rails and planes: which switches the interfaces of a host are on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tailback.machines import Machine

from .structure import Columns, Structure


def planes(graph: Columns, found: Structure) -> int:
    """Return the parts that switches fall into without hosts."""
    outside = found.tier > 0
    part = _parts(graph, outside)
    return len(np.unique(part[outside]))


def hosts_and_rails(machine: Machine, graph: Columns, found: Structure) -> tuple[int, int | None]:
    """Return how many hosts there are, and on how many sets of switches their interfaces are.

    The second is None if no host is known to have several interfaces.
    """
    tier, homes = found.tier, np.asarray(graph["node_enters"], np.int64)
    each, grouped = machine.topology.host_nodes, machine.topology.grouped
    if grouped is not None:
        homes = np.asarray(machine.topology.network.homes)
        host = np.asarray(grouped.of_interfaces)
    elif each:
        host = np.arange(len(homes)) // each
    else:
        inner = _parts(graph, tier == 0)
        host = np.where(found.interfaces[homes], inner[homes], len(tier) + np.arange(len(homes)))
    count = len(np.unique(host))
    if count == len(host):
        return count, None
    above = _above(graph, found)
    hosts: dict[int, set[frozenset[int]]] = {}
    for one, home in zip(host.tolist(), homes.tolist(), strict=True):
        switches = above.get(home, ()) if found.interfaces[home] else (home,)
        hosts.setdefault(one, set()).add(frozenset(switches))
    return count, max(len(sets) for sets in hosts.values())


def _above(graph: Columns, found: Structure) -> dict[int, set[int]]:
    """Return the switches outside hosts that switches of hosts have cables to."""
    leads = found.interfaces[graph["link_from"]] & (found.tier[graph["link_to"]] > 0)
    above: dict[int, set[int]] = {}
    for low, high in zip(
        graph["link_from"][leads].tolist(), graph["link_to"][leads].tolist(), strict=True
    ):
        above.setdefault(low, set()).add(high)
    return above


def _parts(graph: Columns, those: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return for each switch the lowest that it is joined with by links between some switches."""
    between = those[graph["link_from"]] & those[graph["link_to"]]
    one, other = graph["link_from"][between], graph["link_to"][between]
    lowest = np.arange(len(those))
    while (lowest[one] != lowest[other]).any():
        low = np.minimum(lowest[one], lowest[other])
        for end in one, other:
            np.minimum.at(lowest, lowest[end], low)
        while (lowest[lowest] != lowest).any():
            lowest = lowest[lowest]
    return lowest
