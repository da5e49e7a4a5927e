"""The ports of switches and nodes: names, numbers, and the wires that leave and enter there."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tailback import engine
from tailback.charging import Ints
from tailback.errors import UserError, one_line
from tailback.machines import Machine
from tailback.places import Ends, shown
from tailback.prediction.wires import wires_of
from tailback.survey.cabling import rates_of_links

if TYPE_CHECKING:
    import pyarrow as pa

    from tailback.experiment import Experiment

Device = tuple[str, int]
"""`node` or `switch`, and its number."""

_ENDS = {
    "injection": ("node", "switch"),
    "internal": ("switch", "switch"),
    "ejection": ("switch", "node"),
    "direct": ("node", "node"),
}
"""What channels of each kind lead from and to."""


@dataclass(frozen=True)
class Port:
    """A port: one cable's end."""

    device: Device
    number: int
    peer: Device
    out: int | None
    """The wire by which it sends; None: it only receives."""
    in_: int | None
    """The wire by which it receives."""


@dataclass(frozen=True, eq=False)
class Ports:
    """All ports of a machine: those of switches, then those of nodes."""

    all: tuple[Port, ...]
    names: Mapping[Device, str]
    wire_of: Ints
    """By channel: the wire that it sends over."""
    flit_ps: Ints
    """By wire: the time of a flit."""
    channels_of: Ints
    """By wire: how many (virtual) channels it has."""

    @classmethod
    def of(cls, experiment: Experiment, nodes: pa.Table, channels: pa.Table) -> Ports:
        """Return the ports of a machine with these tables."""
        wires = wires_of(experiment, channels)
        rows = zip(
            *(channels[name].to_pylist() for name in ("kind", "from_node", "to_node")), strict=True
        )
        ends = [((_ENDS[kind][0], start), (_ENDS[kind][1], end)) for kind, start, end in rows]
        of_wire = [ends[first] for first in wires.first.tolist()]
        machine = experiment.machine
        found = _numbered(_with_ports(machine, of_wire))
        known = Ends.of(nodes, machine.topology.labels)
        names = {one.device: _name(known, one.device) for one in found}
        names |= {one.peer: _name(known, one.peer) for one in found}
        flits = _flit_times(machine, channels)
        return cls(
            found, names, wires.of, flits[wires.first], np.bincount(wires.of).astype(np.int64)
        )

    def by_wire(self, values: Ints) -> Ints:
        """Add up values of channels by wire, exactly."""
        sums = np.zeros(len(self.flit_ps), np.int64)
        np.add.at(sums, self.wire_of, np.asarray(values, np.int64))
        return sums

    def place(self, name: str, number: int) -> int | None:
        """Return which of all ports has this device and number; None: none."""
        return self._places.get((name, number))

    @property
    def _places(self) -> dict[tuple[str, int], int]:
        return {(self.names[one.device], one.number): at for at, one in enumerate(self.all)}


def _name(known: Ends, device: Device) -> str:
    """Return what a device is called: as a file has it, else `switch 3` or `node (0, 1)`."""
    what, number = device
    if what in known.places:
        return f"{what} {shown(known.places[what][number])}"
    if what in known.names:
        return one_line(known.names[what][number])
    return f"{what} {number}"


@dataclass(frozen=True, slots=True)
class _Wire:
    """A wire, and the ports at which it leaves and enters, as far as a file gives them."""

    start: Device
    end: Device
    leaves: int | None = None
    enters: int | None = None


def _with_ports(machine: Machine, wires: Sequence[tuple[Device, Device]]) -> list[_Wire]:
    """Return the wires with the ports of switches that a file gives."""
    graph = machine.topology.graph_with_ports
    if graph is None or graph.node_ports is None:
        return [_Wire(*ends) for ends in wires]
    if machine.topology.facts.failed_links:
        allowed = "must have none: which port a remaining cable has is not known"
        raise UserError("machine.topology.failed_links", None, allowed)
    links = iter([link for link in graph.links for _ in range(link.width)])
    found = []
    for start, end in wires:
        if start[0] == end[0]:
            link = next(links)
            found.append(_Wire(start, end, link.port, link.at))
        elif end[0] == "node":
            found.append(_Wire(start, end, graph.node_ports[end[1]]))
        else:
            found.append(_Wire(start, end, None, graph.node_ports[start[1]]))
    return found


def _numbered(wires: Sequence[_Wire]) -> tuple[Port, ...]:
    """Return the ports: each has a wire that leaves and the one that comes back.

    Of parallel wires the k-th of both directions belong together, those of the same ports if
    these are known.
    """
    seen: Counter[_Wire] = Counter()
    pairs: dict[tuple[_Wire, int], list[int | None]] = {}
    for number, wire in enumerate(wires):
        back = _Wire(wire.end, wire.start, wire.enters, wire.leaves)
        pairs.setdefault((wire, seen[wire]), [None, None])[0] = number
        pairs.setdefault((back, seen[wire]), [None, None])[1] = number
        seen[wire] += 1
    last: Counter[Device] = Counter()
    ports = []
    for (wire, _), (out, in_) in pairs.items():
        last[wire.start] += 1
        number = last[wire.start] if wire.leaves is None else wire.leaves
        ports.append(Port(wire.start, number, wire.end, out, in_))
    order = {"switch": 0, "node": 1}
    ports.sort(key=lambda one: (order[one.device[0]], one.device[1], one.number))
    return tuple(ports)


def _flit_times(machine: Machine, channels: pa.Table) -> Ints:
    """Return by channel the time of a flit, in ps."""
    link = machine.link
    kinds = np.array(channels["kind"].to_pylist())
    found = np.full(len(kinds), link.flit_ps(machine.node_rate), np.int64)
    is_internal = np.isin(kinds, ("internal", "direct"))
    found[is_internal] = link.flit_ps(machine.internal_rates[0])
    if len(set(machine.internal_rates)) > 1:
        found[is_internal] = _of_links(machine, channels, is_internal)
    if len(set(machine.node_rates)) > 1:
        own = np.array([link.flit_ps(rate) for rate in machine.node_rates], np.int64)
        for kind, end in (("injection", "from_node"), ("ejection", "to_node")):
            rows = kinds == kind
            found[rows] = own[channels[end].to_numpy()[rows]]
    return found


def _of_links(machine: Machine, channels: pa.Table, is_internal: Any) -> Ints:
    """Return the time of a flit by channel between switches, whose links have several rates."""
    topology = machine.spec(machine.usual_fidelity)["topology"]
    link = machine.link
    graph = engine.survey(json.dumps(topology), link.width, 1, link.delay.ps, [0])
    rates = rates_of_links(machine, machine.topology.link_classes, graph)
    flits = np.array([link.flit_ps(rate) for rate in rates], np.int64)
    place = channels["place"].to_numpy()[is_internal]
    number = np.cumsum(place == 0) - 1
    starts = channels["from_node"].to_numpy()[is_internal]
    assert np.array_equal(graph["link_from"][number], starts), "links are in the same order"
    found: Ints = flits[number]
    return found
