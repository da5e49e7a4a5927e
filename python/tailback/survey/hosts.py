"""Rails and planes: which switches the interfaces of a host are on."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tailback.machines import Machine

from .structure import Columns, Structure


def planes(graph: Columns, found: Structure) -> int:
    """Return the parts that switches fall into without hosts."""
    ends = zip(graph["link_from"].tolist(), graph["link_to"].tolist(), strict=True)
    outside = found.tier > 0
    part = _parts(len(found.tier), ((a, b) for a, b in ends if outside[a] and outside[b]))
    return len({part[switch] for switch in np.flatnonzero(outside).tolist()})


def hosts_and_rails(machine: Machine, graph: Columns, found: Structure) -> tuple[int, int | None]:
    """Return how many hosts there are, and on how many sets of switches their interfaces are.

    The second is None if no host is known to have several interfaces.
    """
    links = list(zip(graph["link_from"].tolist(), graph["link_to"].tolist(), strict=True))
    tier, homes = found.tier, graph["node_enters"].tolist()
    inner = _parts(len(tier), ((a, b) for a, b in links if not tier[a] and not tier[b]))
    above: dict[int, set[int]] = {}
    for a, b in links:
        if found.interfaces[a] and tier[b]:
            above.setdefault(a, set()).add(b)
    each, grouped = machine.topology.host_nodes, machine.topology.grouped
    if grouped is not None:
        homes, each = list(machine.topology.network.homes), None
    hosts: dict[int, list[frozenset[int]]] = {}
    for node, home in enumerate(homes):
        own = found.interfaces[home]
        host = node // each if each else inner[home] if own else len(tier) + node
        if grouped is not None:
            host = grouped.of_interfaces[node]
        hosts.setdefault(host, []).append(frozenset(above.get(home, ()) if own else {home}))
    if all(len(interfaces) == 1 for interfaces in hosts.values()):
        return len(hosts), None
    return len(hosts), max(len(set(interfaces)) for interfaces in hosts.values())


def _parts(count: int, links: Iterable[tuple[int, int]]) -> list[int]:
    """Return for each of so many switches the lowest that it is joined with."""
    lowest = list(range(count))

    def first(switch: int) -> int:
        while lowest[switch] != switch:
            lowest[switch] = lowest[lowest[switch]]
            switch = lowest[switch]
        return switch

    for one, other in links:
        low, high = sorted((first(one), first(other)))
        lowest[high] = low
    return [first(switch) for switch in range(count)]
