"""Networks of the Myrinet simulator [Chen & Wyckoff] as experiments, and back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from ..errors import UserError, shown
from .myrinet_files import (
    MOST_PORTS,
    PARAMETERS,
    Cable,
    Crossbars,
    Host,
    Port,
    Routes,
    read_parameters,
    read_routes,
    read_topology,
    switches_of,
)
from .toml import to_toml

if TYPE_CHECKING:
    from ..graphs import NetworkGraph
    from ..machines import Machine

#: Time of a flit, a byte at 1.28 Gbit/s.
_FLIT_PS = 6250


@dataclass(frozen=True, slots=True)
class Myrinet:
    """What files become."""

    crossbars: Crossbars
    parameters: Mapping[str, int]
    routes: Routes | None
    """None: up*/down*."""
    notes: list[str] = field(default_factory=list)
    """What is not as in the files."""

    @property
    def has_ports(self) -> bool:
        """Whether the graph says at which ports cables are.

        Without routes it does not where there are several cables between two switches: packets take
        any of these that is free.
        """
        return self.routes is not None or self._is_simple

    @property
    def _is_simple(self) -> bool:
        return all(width == 1 for width in self.cables().values())

    def graph(self) -> bytes:
        """Return the graph as GraphML: switches S0, S1, ..., nodes P0, P1, ..., and ports."""
        root = ElementTree.Element("graphml", xmlns="http://graphml.graphdrawing.org/xmlns")
        ports = (("edge", "source_port"), ("edge", "target_port"))
        keys = (("node", "kind"), *(ports if self.has_ports else (("edge", "width"),)))
        for number, (of, name) in enumerate(keys):
            kind = "string" if of == "node" else "int"
            place = {"id": f"d{number}", "for": of, "attr.name": name, "attr.type": kind}
            ElementTree.SubElement(root, "key", place)
        graph = ElementTree.SubElement(root, "graph", edgedefault="undirected")
        hosts = self.crossbars.hosts
        vertices = [(f"S{n}", "switch") for n in range(len(self.crossbars.switches))]
        vertices += [(f"P{n}", "node") for n in sorted(hosts)]
        for name, vertex in vertices:
            made = ElementTree.SubElement(graph, "node", id=name)
            ElementTree.SubElement(made, "data", key="d0").text = vertex
        for source, target, said in self._edges():
            edge = ElementTree.SubElement(graph, "edge", source=source, target=target)
            for key, number in said.items():
                ElementTree.SubElement(edge, "data", key=key).text = str(number)
        ElementTree.indent(root)
        text: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
        return text + b"\n"

    def _edges(self) -> Iterator[tuple[str, str, dict[str, int]]]:
        """Yield the ends of every edge, and what is said of it."""
        hosts = sorted(self.crossbars.hosts.items())
        if not self.has_ports:
            for (low, high), width in sorted(self.cables().items()):
                yield f"S{low}", f"S{high}", {"d1": width}
            yield from ((f"P{host}", f"S{switch}", {}) for host, (switch, _) in hosts)
            return
        for switch, ports in enumerate(self.crossbars.switches):
            for port, end in enumerate(ports):
                if isinstance(end, Cable) and end.switch > switch:
                    yield f"S{switch}", f"S{end.switch}", {"d1": port, "d2": end.port}
        yield from ((f"P{host}", f"S{switch}", {"d2": port}) for host, (switch, port) in hosts)

    def cables(self) -> dict[tuple[int, int], int]:
        """Return how many cables lie between two switches, the lower number first."""
        found: dict[tuple[int, int], int] = {}
        for switch, ports in enumerate(self.crossbars.switches):
            for end in ports:
                if isinstance(end, Cable) and end.switch > switch:
                    found[switch, end.switch] = found.get((switch, end.switch), 0) + 1
        return found

    def routes_csv(self) -> str:
        """Return the routes as this program reads them (docs/routing.md).

        They name ports where there are several cables between two switches.
        """
        lines = ["source,destination,hops"]
        cables, hosts = self.cables(), self.crossbars.hosts
        for (source, to), ports in sorted((self.routes or {}).items()):
            if source != to:
                before, hops = hosts[source][0], []
                for switch, port in zip(
                    switches_of(self.crossbars, source, ports), ports, strict=False
                ):
                    several = cables[min(before, switch), max(before, switch)] > 1
                    hops.append(f"S{switch}@{port}" if several else f"S{switch}")
                    before = switch
                lines.append(",".join([f"P{source}", f"P{to}", *hops]))
        return "\n".join(lines) + "\n"

    def experiment(self, graph: str, routes: str) -> dict[str, Any]:
        """Return the tables of an experiment whose graph and routes are in files."""
        given = self.parameters
        stop = given["buffer_kg"] + given["buffer_h"]
        fall_through = f"{given['fallThruDelay16'] * _FLIT_PS} ps"
        routing: dict[str, Any] = {"kind": "up_down"}
        if self.routes is not None:
            routing = {"kind": "source_routes", "file": routes}
        return {
            "machine": {
                "topology": {"kind": "graph", "file": graph},
                "link": {
                    "rate": "1280 Mbit/s",
                    "delay": f"{given['propDelay'] * _FLIT_PS} ps",
                    "flow_control": "stop_go",
                    "stop_mark": f"{stop} B",
                    "go_mark": f"{given['buffer_kg']} B",
                },
                "switch": {
                    "switching": "wormhole",
                    "fall_through": fall_through,
                    "regrant_delay": fall_through,
                    "input_buffer": f"{stop + given['buffer_ks']} B",
                    "virtual_channels": 1,
                    "arbiter": "round_robin",
                    "input_order": "port",
                },
                "routing": routing,
                "interface": {"unit": "message", "header": "1 B"},
            },
            "workload": {"kind": "fan_in", "message_size": "1024 B"},
        }

    def toml(self, graph: str, routes: str) -> str:
        """Return the experiment file."""
        head = [
            "A network of Myrinet: a flit is a byte and takes 6.25 ns; the workload is a choice."
        ]
        head += [f"Not as in the files: {note}." for note in self.notes]
        return to_toml(self.experiment(graph, routes), head)


def read_myrinet(
    topology: Path, routes: Path | None = None, parameters: Path | None = None
) -> Myrinet:
    """Read files of the Myrinet simulator; raises `UserError` for the first mistake."""
    crossbars = read_topology(topology)
    ports = max(map(len, crossbars.switches))
    counted = {
        "numOfProcessor": len(crossbars.hosts),
        "numOfSwitch": len(crossbars.switches),
        "maxNumOfPorts": ports,
    }
    found = PARAMETERS | counted
    if parameters is not None:
        found = read_parameters(parameters, counted)
        _check_counts(parameters, topology, found, counted)
    ways = None if routes is None else read_routes(routes, crossbars)
    made = Myrinet(crossbars, found, ways)
    if made.has_ports:
        return made
    note = "of several cables between two switches any is taken that is free"
    return Myrinet(crossbars, found, ways, [note])


def _check_counts(
    path: Path, topology: Path, found: Mapping[str, int], counted: Mapping[str, int]
) -> None:
    """Refuse parameters that do not agree with the topology."""
    for name, count in counted.items():
        fits = found[name] >= count if name == "maxNumOfPorts" else found[name] == count
        if not fits:
            raise UserError(
                f"{path}: {name}", shown(found[name]), f"must be {count}, as in {topology}"
            )


def crossbars_of(
    homes: Sequence[int], switches: int, links: Iterable[tuple[int, int, int]]
) -> Crossbars:
    """Return switches with their processors first, then cables to other switches.

    ``homes``: the switch of every node; ``links``: from, to, wires, in both directions, of each
    switch in the order of its ports. Raises `UserError` if that takes more ports than a digit can
    name, or links lead one way only.
    """
    links = list(links)
    _check_both_ways(links)
    ports: list[list[Port]] = [[] for _ in range(switches)]
    for node, switch in enumerate(homes):
        ports[switch].append(Host(node))
    at: dict[tuple[int, int], list[int]] = {}
    count = [len(here) for here in ports]
    for source, to, width in links:
        at.setdefault((source, to), []).extend(range(count[source], count[source] + width))
        count[source] += width
    used = dict.fromkeys(at, 0)
    for source, to, width in links:
        first = used[source, to]
        used[source, to] = first + width
        ports[source] += [Cable(to, port) for port in at[to, source][first : first + width]]
    for switch, here in enumerate(ports):
        if len(here) > MOST_PORTS:
            problem = f"switch {switch} has {len(here)} ports; must have at most {MOST_PORTS}"
            raise UserError("machine.topology", None, problem)
    return Crossbars(tuple(map(tuple, ports)))


def crossbars_of_ports(graph: NetworkGraph) -> Crossbars:
    """Return the switches of a graph whose ports are known. Raises `UserError` as above."""
    _check_both_ways((link.source, link.destination, link.width) for link in graph.links)
    ends: list[dict[int, Port]] = [{} for _ in graph.switches]
    for node, (switch, port) in enumerate(zip(graph.enters, graph.node_ports or (), strict=True)):
        ends[switch][port] = Host(node)
    for link in graph.links:
        if link.port is not None and link.at is not None:
            ends[link.source][link.port] = Cable(link.destination, link.at)
    for switch, here in enumerate(ends):
        if max(here) >= MOST_PORTS:
            problem = f"switch {switch} has port {max(here)}; must be 0 to {MOST_PORTS - 1}"
            raise UserError("machine.topology", None, problem)
    return Crossbars(tuple(tuple(map(here.get, range(max(here) + 1))) for here in ends))


def routes_of_ports(graph: NetworkGraph, written: Mapping[str, Any]) -> Routes:
    """Return ways in a graph whose ports are known, as the engine has them, as ports."""
    by_link: dict[tuple[int, int], int] = {}
    to_switch: dict[tuple[int, int], int] = {}
    for (switch, port), (link, leads) in reversed([*graph.ports.items()]):
        by_link[switch, link] = to_switch[switch, leads] = port
    named = by_link if written["hops"] == "ports" else to_switch
    found: dict[tuple[int, int], tuple[int, ...]] = {}
    for way in written["routes"]:
        source, to = int(way["source"]), int(way["destination"])
        switch, ports = graph.enters[source], []
        for hop in way["hops"]:
            ports.append(named[switch, hop])
            switch = graph.ports[switch, ports[-1]][1]
        found[source, to] = (*ports, (graph.node_ports or ())[to])
    return found


def _check_both_ways(links: Iterable[tuple[int, int, int]]) -> None:
    """Refuse links that have not as many wires back."""
    sides: tuple[dict[tuple[int, int], int], ...] = ({}, {})
    for source, to, width in links:
        pair = (min(source, to), max(source, to))
        side = sides[source > to]
        side[pair] = side.get(pair, 0) + width
    if sides[0] != sides[1]:
        raise UserError("machine.topology", None, "has links that lead one way only")


def routes_of(crossbars: Crossbars, ways: Iterable[Mapping[str, Any]]) -> Routes:
    """Return ways over switches, as the engine has them, as the ports by which these are left.

    Of several cables to the next switch the one is taken whose place is the number of the
    destination's switch, modulo how many there are.
    """
    hosts = crossbars.hosts
    found: dict[tuple[int, int], tuple[int, ...]] = {}
    for way in ways:
        source, to = int(way["source"]), int(way["destination"])
        switch, last = hosts[source][0], hosts[to]
        ports = []
        for following in way["hops"]:
            here = enumerate(crossbars.switches[switch])
            cables = [p for p, end in here if isinstance(end, Cable) and end.switch == following]
            if not cables:
                problem = f"goes from switch {switch} to {following}, between which is no cable"
                raise UserError("machine.routing.file", f"{source} to {to}", problem)
            ports.append(cables[last[0] % len(cables)])
            switch = following
        found[source, to] = (*ports, last[1])
    return found


def parameters_of(crossbars: Crossbars, machine: Machine) -> dict[str, int]:
    """Return the parameters of a machine; what it does not say is as printed."""
    counts = {
        "numOfProcessor": len(crossbars.hosts),
        "numOfSwitch": len(crossbars.switches),
        "maxNumOfPorts": max(map(len, crossbars.switches)),
    }
    spec = machine.spec("flit")
    flit, marks = spec["link"]["flit_ps"], spec["link"].get("stop_go")
    times = {
        "propDelay": spec["link"]["delay_ps"],
        "fallThruDelay16": spec["switch"].get("fall_through_ps"),
    }
    flits = {name: time // flit for name, time in times.items() if time is not None}
    if marks is not None:
        stop, go = marks["stop_flits"], marks["go_flits"]
        slack = (spec["switch"]["input_buffer_flits"] or 0) - stop
        flits |= {"buffer_kg": go, "buffer_ks": max(0, slack), "buffer_h": stop - go}
    return PARAMETERS | counts | flits
