"""The links of a network with their wires and rates, those of hosts too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tailback.machines import Machine
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
        host_rate = np.array([float(one.amount) for one in machine.node_rates])
        host_rate *= machine.node_links
        outwards = found.interfaces[start] & (found.tier[end] > 0)
        several = np.bincount(start[outwards], (rate * width)[outwards], len(found.tier))
        is_own = found.interfaces[home]
        host_rate[is_own] = several[home[is_own]]
        if topology.hosts is not None:
            host_rate = _of_hosts(machine, several)
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


def _of_hosts(machine: Machine, several: NDArray[Any]) -> NDArray[np.float64]:
    """Return by node its share of the rate of all cables of its host; ``several``: by switch."""
    network, grouped = machine.topology.network, machine.topology.grouped
    assert grouped is not None
    home = np.asarray(network.homes)
    own = np.array([float(one.amount) for one in machine.interface_rates])
    rate = np.where(several[home] > 0, several[home], own)
    of_host = np.bincount(grouped.of_interfaces, rate)
    hosts = np.asarray(grouped.of_interfaces)[list(grouped.own)]
    found: NDArray[np.float64] = of_host[hosts] / np.bincount(hosts)[hosts]
    return found


_COLUMNS = ("link_from", "link_to", "link_width", "node_enters", "link_class")


def rates_of_links(machine: Machine, classes: Sequence[str], graph: Columns) -> list[Rate]:
    """Return the rate of each link: its own, else that of its class, else the machine's."""
    link = machine.link
    usual = machine.class_rates or (link.rate,)
    own = {link.flit_ps(rate): rate for rate in machine.internal_rates}
    return [
        own[ps] if ps else usual[number if classes else 0]
        for ps, number in zip(
            graph["link_flit_ps"].tolist(), graph["link_class"].tolist(), strict=True
        )
    ]
