"""The links of a network with their wires and rates, those of hosts too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailback.machines import Listed, Machine
from tailback.units import Rate

from .structure import Columns, Numbers, Structure


@dataclass(frozen=True, eq=False)
class Cabling:
    """Links between switches, each direction, and those of hosts: ends, wires, rates."""

    start: Numbers
    end: Numbers
    width: Numbers
    rate: NDArray[np.float64]
    """Bits per second of a wire."""
    home: Numbers
    """The switch of each node."""
    host_width: int
    host_rate: NDArray[np.float64]
    """Of all wires of a node; of a host with several cables of these."""
    rates: dict[float, Rate]
    names: tuple[str, ...]
    """Of each link the name of its class, as the family has it; empty: none."""

    @classmethod
    def of(cls, machine: Machine, graph: Columns, found: Structure) -> Cabling:
        """Return those of a machine; ``graph``: the columns of its survey."""
        topology = machine.topology
        start, end, width, home, number = (np.asarray(graph[name], np.int64) for name in _COLUMNS)
        classes = topology.link_classes
        rate = np.array(
            [float(one.amount) for one in rates_of_links(machine, classes, graph)], np.float64
        )
        times = topology.graph.node_times if isinstance(topology, Listed) else None
        of_hosts = [one.rate or machine.node_rate for one in times or ()]
        of_hosts = of_hosts or [machine.node_rate] * len(home)
        host_rate = np.array([float(one.amount) for one in of_hosts]) * machine.node_links
        outwards = found.interfaces[start] & (found.tier[end] > 0)
        several = np.bincount(start[outwards], (rate * width)[outwards], len(found.tier))
        is_own = found.interfaces[home]
        host_rate[is_own] = several[home[is_own]]
        return cls(
            start=start,
            end=end,
            width=width,
            rate=rate,
            home=home,
            host_width=machine.node_links,
            host_rate=host_rate,
            rates={float(one.amount): one for one in machine.rates},
            names=tuple(classes[one] for one in number) if classes else (),
        )


_COLUMNS = ("link_from", "link_to", "link_width", "node_enters", "link_class")


def rates_of_links(machine: Machine, classes: Sequence[str], graph: Columns) -> list[Rate]:
    """Return the rate of each link: its own, else that of its class, else the machine's."""
    link = machine.link
    by_class = {name: one.rate or link.rate for name, one in machine.link_classes.items()}
    usual = [by_class.get(name, link.rate) for name in classes or ("",)]
    own = {link.flit_ps(rate): rate for rate in machine.internal_rates}
    return [
        own[ps] if ps else usual[number if classes else 0]
        for ps, number in zip(
            graph["link_flit_ps"].tolist(), graph["link_class"].tolist(), strict=True
        )
    ]
