"""From the vertices and edges of a file to switches, nodes and links."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import UserError, nearest
from ..units import Rate
from .network import Link, NetworkGraph, NodeTimes

_WIDEST = 255
_MOST_ON_A_SWITCH = 65_536
_LONGEST_PS = 10**12


@dataclass(frozen=True, slots=True)
class Wires:
    """What a file says of an edge; None: as on the machine's links."""

    width: int = 1
    delay_ps: int | None = None
    rate: Rate | None = None
    ports: tuple[int | None, int | None] = (None, None)
    """At which ports of its two switches it is; of the link of a node the node's is None."""
    link_class: str | None = None
    """None: the file does not say. Of no meaning for the link of a node."""


_Ports = tuple[int | None, int | None]
_Like = tuple[str, str, int | None, Rate | None, str | None, _Ports]
"""What is the same of the wires of one link."""


@dataclass
class Assembly:
    """What has been read of a file so far; vertices have the file's names for them."""

    path: Path
    switches: dict[str, int | None] = field(default_factory=dict)
    """Nodes on each switch, beside those with names; None where the file does not say."""
    nodes: dict[str, None] = field(default_factory=dict)
    positions: dict[str, tuple[float, float]] = field(default_factory=dict)
    ignored: dict[str, None] = field(default_factory=dict)
    """Names of attributes that have no effect."""
    _widths: dict[_Like, int] = field(default_factory=dict)
    _enters: dict[str, str] = field(default_factory=dict)
    _leaves: dict[str, str] = field(default_factory=dict)
    _node_ports: dict[str, int | None] = field(default_factory=dict)
    _node_times: dict[str, NodeTimes] = field(default_factory=dict)

    def mistake(self, problem: str, meant: str | None = None) -> UserError:
        """Return a mistake in the file."""
        return UserError(str(self.path), None, problem, meant)

    def add_switch(self, name: str, nodes: int | None = None) -> None:
        """Add a switch; `nodes`: how many are on it, if the file says."""
        self._check_new(name)
        if nodes is not None and not 0 <= nodes <= _MOST_ON_A_SWITCH:
            raise self.mistake(f"switch {name} has {nodes} nodes; must be 0 to {_MOST_ON_A_SWITCH}")
        self.switches[name] = nodes

    def add_node(self, name: str) -> None:
        """Add a node that has a name; edges say where it is."""
        self._check_new(name)
        self.nodes[name] = None

    def _check_new(self, name: str) -> None:
        if name in self.switches or name in self.nodes:
            raise self.mistake(f"{name} is there twice; names must differ")

    def add_edge(self, source: str, destination: str, wires: Wires = Wires()) -> None:
        """Add an edge of one direction; equal ones become one link of all their wires."""
        for name in (source, destination):
            if name not in self.switches and name not in self.nodes:
                known = [*self.switches, *self.nodes]
                problem = f"link from {source} to {destination}: there is no {name}"
                raise self.mistake(problem, nearest(name, known))
        what = f"link from {source} to {destination}"
        if source == destination:
            raise self.mistake(f"{what}: must not lead back to where it comes from")
        width, delay_ps = wires.width, wires.delay_ps
        if delay_ps is not None and delay_ps > _LONGEST_PS:
            raise self.mistake(f"{what}: must take at most 1 s")
        if source in self.nodes or destination in self.nodes:
            self._attach(source, destination, wires)
            return
        if wires.ports != (None, None):
            if None in wires.ports:
                raise self.mistake(f"{what}: must have a port at both switches, or at none")
            if width != 1:
                raise self.mistake(f"{what}: has {width} wires at one port; must be 1")
        key = (source, destination, delay_ps, wires.rate, wires.link_class, wires.ports)
        self._widths[key] = total = self._widths.get(key, 0) + width
        if width < 1 or total > _WIDEST:
            given = width if width < 1 else total
            raise self.mistake(f"{what}: has {given} wires; must be 1 to {_WIDEST}")

    def _attach(self, source: str, destination: str, wires: Wires) -> None:
        """Note where a node is, and what differs on its links."""
        if source in self.nodes and destination in self.nodes:
            problem = f"nodes {source} and {destination} are joined without a switch between them"
            raise self.mistake(problem)
        node, switch = (source, destination) if source in self.nodes else (destination, source)
        if wires.width != 1:
            raise self.mistake(
                f"the link of node {node} has a width; those of nodes all have the same: "
                "machine.node_link.width"
            )
        times = NodeTimes(wires.delay_ps, wires.rate)
        if self._node_times.setdefault(node, times) != times:
            raise self.mistake(f"the two links of node {node} differ in rate or delay")
        port = wires.ports[source == node]
        if wires.ports[source != node] is not None:
            raise self.mistake(f"the link of node {node} has a port at the node; must have none")
        if self._node_ports.setdefault(node, port) != port:
            raise self.mistake(f"node {node} is at two ports of switch {switch}")
        ends = self._enters if node == source else self._leaves
        if ends.setdefault(node, switch) != switch:
            problem = f"node {node} is on two switches, {ends[node]} and {switch}"
            raise self.mistake(f"{problem}; must be on one")

    def finished(self, usual_nodes: int) -> NetworkGraph:
        """Return the network; switches of which the file says nothing have `usual_nodes`.

        Unless it names nodes, or says for any switch how many it has: then the others have
        none.
        """
        if not self.switches:
            raise self.mistake("has no switch")
        if self.nodes or any(nodes is not None for nodes in self.switches.values()):
            usual_nodes = 0
        number = {name: i for i, name in enumerate(self.switches)}
        names, enters, leaves = [], [], []
        for name in self.nodes:
            if name not in self._enters or name not in self._leaves:
                raise self.mistake(self._homeless(name))
            names.append(name)
            enters.append(number[self._enters[name]])
            leaves.append(number[self._leaves[name]])
        for switch, nodes in self.switches.items():
            count = usual_nodes if nodes is None else nodes
            names += [f"{switch}.{i}" if count > 1 else switch for i in range(count)]
            enters += [number[switch]] * count
            leaves += [number[switch]] * count
        if len(names) < 2:
            raise self.mistake(f"has {len(names)} nodes; must have at least 2")
        graph = NetworkGraph(
            tuple(self.switches),
            tuple(names),
            self._links(number),
            tuple(enters),
            tuple(leaves),
            self._places(),
            self._ports_of_nodes(),
            tuple(self.ignored),
            self._times_of_nodes(names),
        )
        if graph.node_ports is not None:
            self._check_ports(graph, graph.node_ports)
        apart = graph.first_unreachable()
        if apart is not None:
            raise self.mistake(
                f"is not connected: there is no way from node {apart[0]} to node {apart[1]}"
            )
        return graph

    def _homeless(self, name: str) -> str:
        if name in self._enters:
            return f"node {name} sends to switch {self._enters[name]} but receives from none"
        if name in self._leaves:
            return f"node {name} receives from switch {self._leaves[name]} but sends to none"
        return f"node {name} is on no switch"

    def _links(self, number: dict[str, int]) -> tuple[Link, ...]:
        links = [
            Link(number[source], number[destination], width, delay_ps, rate, *ports, in_class)
            for (source, destination, delay_ps, rate, in_class, ports), width in (
                self._widths.items()
            )
        ]
        return tuple(sorted(links, key=lambda link: (link.source, link.port or 0)))

    def _times_of_nodes(self, names: Sequence[str]) -> tuple[NodeTimes, ...] | None:
        usual = NodeTimes()
        times = tuple(self._node_times.get(name, usual) for name in names)
        return None if set(times) == {usual} else times

    def _ports_of_nodes(self) -> tuple[int, ...] | None:
        """Return the port of every node; raises `UserError` unless all links have some, or none."""
        of_nodes = [port for port in self._node_ports.values() if port is not None]
        with_ports = [like for like in self._widths if like[-1] != (None, None)]
        if not of_nodes and not with_ports:
            return None
        if not self.nodes or any(self.switches.values()):
            raise self.mistake("has ports, so its nodes must be vertices with links of their own")
        for name in self.nodes:
            if self._node_ports.get(name) is None:
                raise self.mistake(f"has ports, but none of the link of node {name}")
        for source, destination, *_, ports in self._widths:
            if ports == (None, None):
                what = f"the link from {source} to {destination}"
                raise self.mistake(f"has ports, but none of {what}")
        return tuple(of_nodes)

    def _check_ports(self, graph: NetworkGraph, of_nodes: Sequence[int]) -> None:
        """Refuse ports of a switch at which several links begin, or end."""
        links = graph.links
        begin = [(link.source, link.port) for link in links]
        end = [(link.destination, link.at) for link in links]
        for ports in (
            [*zip(graph.leaves, of_nodes, strict=True), *begin],
            [*zip(graph.enters, of_nodes, strict=True), *end],
        ):
            for (switch, port), count in Counter(ports).items():
                if count > 1:
                    name = graph.switches[switch]
                    raise self.mistake(f"port {port} of switch {name} has {count} links")

    def _places(self) -> tuple[tuple[float, float], ...] | None:
        if any(name not in self.positions for name in self.switches):
            return None
        return tuple(self.positions[name] for name in self.switches)


def in_order(names: Sequence[str]) -> list[str]:
    """Return names in numerical order if all are numbers, else as they are."""
    if all(name.isascii() and name.isdigit() for name in names):
        return sorted(names, key=_numerical)
    return list(names)


def _numerical(name: str) -> tuple[int, str]:
    """Return what orders numbers of any length, of which Python converts no very long ones."""
    digits = name.lstrip("0")
    return len(digits), digits
