"""Graph files: those that experiments name, and SST's anytopo, which is GraphML."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

from ...errors import UserError, read_bytes
from ...graphs import Conventions, Format, NetworkGraph, read_graph
from ...graphs.network import NodeTimes
from ...units import Rate
from .description import Cable, Cluster, Reader
from .lines import decimal, delay_ps, rate

_CYCLE_PS = 1000


def read_anytopo(path: Path) -> Cluster:
    """Read SST's GraphML, vertices of `type` router or endpoint. Raises `UserError`."""
    found = Cluster(path)
    try:
        root = ElementTree.fromstring(read_bytes(path))
    except (ElementTree.ParseError, LookupError, ValueError, RecursionError) as error:
        raise found.mistake(None, None, f"is not XML: {error}") from None
    keys = {key.get("id", ""): key.get("attr.name", "") for key in _all(root, "key")}
    for vertex in _all(root, "node"):
        name, said = vertex.get("id", ""), _said(vertex, keys)
        kind = said.get("type")
        if kind not in ("router", "endpoint") or not name:
            problem = f'vertex {name or "without id"}: type must be "router" or "endpoint"'
            raise found.mistake(None, kind, problem)
        if name in found.switches or name in found.hosts:
            raise found.mistake(None, name, "is there twice; names must differ")
        (found.add_switch if kind == "router" else found.add_host)(name, 1)
    for edge in _all(root, "edge"):
        ends, said = (edge.get("source", ""), edge.get("target", "")), _said(edge, keys)
        speed, time = said.get("bandwidth"), said.get("latency")
        try:
            cable = Cable(
                ends,
                rate=None if speed is None else _sst_rate(found, speed),
                delay_ps=None if time is None else _sst_time(found, time),
            )
            found.join(1, cable)
        except UserError as error:
            place = f"{path}: edge {' to '.join(ends)}"
            raise UserError(place, error.given, error.allowed, error.nearest) from None
    return found


def _all(root: ElementTree.Element, kind: str) -> list[ElementTree.Element]:
    return [one for one in root.iter() if one.tag.rpartition("}")[2] == kind]


def _said(element: ElementTree.Element, keys: dict[str, str]) -> dict[str, str]:
    """Return what is said of a vertex or an edge: as attributes, or as data with keys."""
    said = dict(element.attrib)
    for data in _all(element, "data"):
        said[keys.get(data.get("key", ""), data.get("key", ""))] = (data.text or "").strip()
    return said


_SST_RATE = re.compile(r"([0-9.]{1,12})\s*([KMGT]?)(i?)(b|B)/s")
_SST_TIME = re.compile(r"([0-9.]{1,12})\s*(ps|ns|us|ms)")
_PREFIX = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4}
_NS = {"ps": -3, "ns": 0, "us": 3, "ms": 6}


def _sst_rate(found: Cluster, text: str) -> Rate:
    parts = _SST_RATE.fullmatch(text)
    if parts is None:
        raise found.mistake(1, text, "is no rate; must be like 100Gb/s")
    factor = (1024 if parts[3] else 1000) ** _PREFIX[parts[2]] * (8 if parts[4] == "B" else 1)
    return rate(found, 1, decimal(found, 1, parts[1], "a rate") * factor, text)


def _sst_time(found: Cluster, text: str) -> int:
    parts = _SST_TIME.fullmatch(text)
    if parts is None:
        raise found.mistake(1, text, "is no delay; must be like 20ns")
    number = decimal(found, 1, parts[1], "a delay")
    exponent = _NS[parts[2]]
    return delay_ps(found, 1, number * 10**exponent if exponent >= 0 else number / 1000, text)


def _read(word: Format) -> Callable[[Path], Cluster]:
    def read(path: Path) -> Cluster:
        graph = read_graph(path, Conventions(word, _CYCLE_PS))
        return _of_graph(path, graph)

    return read


def _of_graph(path: Path, graph: NetworkGraph) -> Cluster:
    """Return a graph as a cluster; of two directed links between switches the first counts."""
    found = Cluster(path)
    for name in graph.switches:
        found.add_switch(name, 1)
    if graph.enters != graph.leaves:
        raise found.mistake(
            None, None, "has nodes that send to one switch and receive from another"
        )
    ports, times = graph.node_ports, graph.node_times
    for node, switch in enumerate(graph.enters):
        name = graph.nodes[node]
        host = f"{name} node" if name in found.switches else name
        found.add_host(host, 1)
        own = NodeTimes() if times is None else times[node]
        cable = Cable(
            (host, graph.switches[switch]),
            (None, None if ports is None else ports[node]),
            own.rate,
            own.delay_ps,
        )
        found.join(1, cable)
    back: dict[tuple[object, ...], int] = {}
    for link in graph.links:
        key = (link.destination, link.source, link.rate, link.width, link.at, link.port)
        if back.get(key):
            back[key] -= 1
            continue
        mine = (link.source, link.destination, link.rate, link.width, link.port, link.at)
        back[mine] = back.get(mine, 0) + 1
        ends = (graph.switches[link.source], graph.switches[link.destination])
        for _ in range(link.width):
            found.join(
                1, Cable(ends, (link.port, link.at), link.rate, link.delay_ps, link.link_class)
            )
    if sum(back.values()):
        one = next(key for key, count in back.items() if count)
        names = " to ".join(graph.switches[int(str(end))] for end in one[:2])
        raise found.mistake(None, f"link from {names}", "leads one way only; import needs both")
    return found


def _is_anytopo(head: bytes) -> bool:
    return b"<graphml" in head and bool(re.search(rb"endpoint", head))


READERS = (
    Reader("anytopo", "SST: GraphML of merlin's anytopo", _is_anytopo, read_anytopo),
    Reader("graphml", "GraphML", lambda head: b"<graphml" in head, _read("graphml")),
    Reader(
        "gml",
        "GML",
        lambda head: bool(re.search(rb"^\s*graph\s*\[", head, re.MULTILINE)),
        _read("gml"),
    ),
    Reader(
        "dot",
        "DOT, the language of Graphviz",
        lambda head: bool(re.search(rb"^\s*(strict\s+)?(di)?graph\b[^\[]*\{", head, re.MULTILINE)),
        _read("dot"),
    ),
    Reader(
        "anynet",
        "BookSim2: anynet",
        lambda head: bool(re.match(rb"\s*(router|node)\s+\d", head)),
        _read("anynet"),
    ),
    Reader("edge_list", "Edge list", lambda head: False, _read("edge_list")),
)
