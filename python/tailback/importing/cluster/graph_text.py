"""A cluster as the graph file that an experiment names: GraphML with names, ports, rates, classes.

A host with one cable is a node. A host with several is a switch of its own, `NAME interfaces`, with
one node, whose link is as fast as the fastest of its cables, or as several that are equally fast.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from xml.sax.saxutils import escape, quoteattr

from ...graphs import distances
from ...units import Rate, Time
from .description import Cable, Cluster

#: Keys of edges, in the order of their numbers behind that of vertices.
_KEYS = ("source_port", "target_port", "width", "rate", "delay", "class")
_NUMBERS = {name: f"d{number}" for number, name in enumerate(_KEYS, 1)}


@dataclass(frozen=True)
class Drawn:
    """A cluster as switches, nodes and edges."""

    switches: tuple[str, ...]
    nodes: tuple[str, ...]
    links: tuple[Cable, ...]
    """Between switches, and then one of every node, in the order of nodes: node, switch."""
    own: frozenset[str]
    """Switches that are hosts."""
    has_ports: bool

    @property
    def of_nodes(self) -> tuple[Cable, ...]:
        """The links of nodes, in their order."""
        return self.links[len(self.links) - len(self.nodes) :]

    @property
    def between(self) -> tuple[Cable, ...]:
        """The links between switches."""
        return self.links[: len(self.links) - len(self.nodes)]


def drawn(cluster: Cluster) -> Drawn:
    """Return switches, nodes and edges. Raises `UserError` for hosts without cables."""
    of_hosts = cluster.of_hosts()
    several = {name for name, cables in of_hosts.items() if len(cables) > 1}
    own = {name: f"{name} interfaces" for name in several}
    has_ports = all(
        port is not None
        for cable in cluster.cables
        for name, port in zip(cable.ends, cable.ports, strict=True)
        if name not in cluster.hosts
    )
    used: Counter[str] = Counter()
    between = []
    for cable in cluster.cables:
        if not any(name in cluster.hosts and name not in several for name in cable.ends):
            ends = (own.get(cable.ends[0], cable.ends[0]), own.get(cable.ends[1], cable.ends[1]))
            ports = []
            for name, port in zip(cable.ends, cable.ports, strict=True):
                used[name] += name in several
                ports.append(used[name] if name in several else port)
            link_class = cable.link_class
            between.append(
                Cable(ends, (ports[0], ports[1]), cable.rate, cable.delay_ps, link_class)
            )
    return Drawn(
        (*cluster.switches, *(own[name] for name in cluster.hosts if name in several)),
        tuple(cluster.hosts),
        (
            *_classed(cluster, between, own),
            *(_of_node(name, cables, own.get(name)) for name, cables in of_hosts.items()),
        ),
        frozenset(own.values()),
        has_ports,
    )


def _of_node(name: str, cables: list[Cable], own: str | None) -> Cable:
    """Return the link of a node, which comes first among its ends."""
    cable = cables[0]
    if own is not None:
        rates = [one.rate.amount for one in cables if one.rate is not None]
        fastest = max(rates, default=0)
        rate = Rate(fastest * rates.count(fastest)) if fastest else None
        return Cable((name, own), (None, 0), rate, 0)
    if cable.ends[0] == name:
        return Cable(cable.ends, (None, cable.ports[1]), cable.rate, cable.delay_ps)
    return Cable(cable.ends[::-1], (None, cable.ports[0]), cable.rate, cable.delay_ps)


def _classed(cluster: Cluster, between: list[Cable], own: dict[str, str]) -> list[Cable]:
    """Return links with their classes: `tier_1` joins switches with hosts to the next."""
    near = {
        name for cable in cluster.cables if cable.ends[0] in cluster.hosts for name in cable.ends
    }
    near |= {
        name for cable in cluster.cables if cable.ends[1] in cluster.hosts for name in cable.ends
    }
    inside = set(own.values())
    around: dict[str, list[str]] = {}
    for cable in between:
        for one, other in (cable.ends, cable.ends[::-1]):
            if other not in inside:
                around.setdefault(one, []).append(other)
    lowest = [name for name in near if name in cluster.switches]
    above = distances(lowest, lambda name: around.get(name, ()))
    tier = {name: 1 + steps for name, steps in above.items()}

    def name_of(cable: Cable) -> str:
        low, high = sorted(tier.get(name, 0) for name in cable.ends)
        if low == 0:
            return "hosts"
        return f"tier_{low}" if low != high else f"within_{low}"

    return [
        Cable(
            cable.ends, cable.ports, cable.rate, cable.delay_ps, cable.link_class or name_of(cable)
        )
        for cable in between
    ]


def graphml(found: Drawn, of_links: tuple[Rate, int], of_nodes: tuple[Rate, int]) -> bytes:
    """Return the GraphML.

    A rate or delay (ps) of most links is left to the experiment, whose keys then change it.
    """
    lines = [
        "<?xml version='1.0' encoding='utf-8'?>",
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
        '  <key id="d0" for="node" attr.name="kind" attr.type="string" />',
    ]
    for name, number in _NUMBERS.items():
        kind = "int" if name in ("source_port", "target_port", "width") else "string"
        lines.append(f'  <key id="{number}" for="edge" attr.name="{name}" attr.type="{kind}" />')
    lines.append('  <graph edgedefault="undirected">')
    for kind, names in (("switch", found.switches), ("node", found.nodes)):
        data = f'<data key="d0">{kind}</data></node>'
        lines += [f"    <node id={quoteattr(name)}>{data}" for name in names]
    links = [_beside(cable, of_links) for cable in found.between]
    links += [_beside(cable, of_nodes) for cable in found.of_nodes]
    widths = Counter(links) if not found.has_ports else dict.fromkeys(links, 1)
    lines += [_edge(cable, width, found.has_ports) for cable, width in widths.items()]
    return "\n".join([*lines, "  </graph>", "</graphml>", ""]).encode()


def _beside(cable: Cable, of_most: tuple[Rate, int]) -> Cable:
    """Return a cable without what is as of most."""
    rate, delay_ps = of_most
    return replace(
        cable,
        rate=None if cable.rate == rate else cable.rate,
        delay_ps=None if cable.delay_ps == delay_ps else cable.delay_ps,
    )


def _edge(cable: Cable, width: int, has_ports: bool) -> str:
    said: dict[str, object] = {}
    if has_ports:
        said = dict(zip(("source_port", "target_port"), cable.ports, strict=True))
    said["width"] = width if width > 1 else None
    said["rate"] = cable.rate
    said["delay"] = None if cable.delay_ps is None else Time(cable.delay_ps)
    said["class"] = cable.link_class
    data = "".join(
        f'<data key="{_NUMBERS[name]}">{escape(str(value))}</data>'
        for name, value in said.items()
        if value is not None
    )
    source, target = map(quoteattr, cable.ends)
    return f"    <edge source={source} target={target}>{data}</edge>"
