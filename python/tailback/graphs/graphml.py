"""GraphML, read by NetworkX; what NetworkX would take without a word is looked at before."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

from ..errors import nearest
from .assembling import Assembly
from .attributes import OF_EDGES, OF_VERTICES, Attributes, add_edges, add_vertices

#: What readers of XML raise for encodings, numbers and depths that they do not know.
_UNREADABLE = (
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)


def read_graphml(path: Path, content: bytes, cycle_ps: int | None) -> Assembly:
    """Return what a file says. Raises `UserError`."""
    import networkx as nx  # here: it takes a fifth of a second, and few machines need it

    found = Assembly(path)
    root = _checked(found, content)
    numbered = b"_port" in content
    if numbered:
        # NetworkX forgets from which end an undirected edge was written down.
        ends = _number(root)
        content = ElementTree.tostring(root)
    try:
        with warnings.catch_warnings():
            # Of keys without a type and of ports inside vertices, which say nothing here.
            warnings.simplefilter("ignore")
            graph = nx.read_graphml(BytesIO(content), node_type=str, force_multigraph=True)
    except (nx.NetworkXException, *_UNREADABLE) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise found.mistake(f"is not GraphML that can be read: {reason}") from None
    # NetworkX keeps default values apart.
    usual = _known(graph.graph.get("node_default", {}), OF_VERTICES)
    vertices = {name: {**usual, **given} for name, given in graph.nodes(data=True)}
    add_vertices(found, vertices)
    edges = graph.edges(data=True)
    if numbered:
        named = graph.edges(keys=True, data=True)
        edges = [(*ends[int(name)], given) for _, _, name, given in named]
    usual = _known(graph.graph.get("edge_default", {}), OF_EDGES)
    completed = (
        (source, target, _completed(given, usual, (vertices[source], vertices[target])))
        for source, target, given in edges
    )
    add_edges(found, completed, cycle_ps, directed=graph.is_directed())
    return found


def _known(defaults: Attributes, names: tuple[str, ...]) -> Attributes:
    return {name: value for name, value in defaults.items() if name in names}


def _completed(given: Attributes, usual: Attributes, ends: Iterable[Attributes]) -> Attributes:
    """Return what is said of an edge with the defaults of the file.

    These are for links between switches: nodes have links of their own (machine.node_link).
    """
    if any(end.get("kind") == "node" for end in ends):
        return given
    if "delay" in given or "latency" in given:
        # One takes the place of the other.
        usual = {name: usual[name] for name in usual if name not in ("delay", "latency")}
    return {**usual, **given}


def _number(root: ElementTree.Element) -> list[tuple[str, str]]:
    """Give every edge its number as its name; return from where to where they are written down."""
    ends = []
    for number, edge in enumerate(_elements(root, "edge")):
        edge.set("id", str(number))
        ends.append((edge.get("source", ""), edge.get("target", "")))
    return ends


def _checked(found: Assembly, content: bytes) -> ElementTree.Element:
    """Return a file as XML.

    Refuse what is not XML, names that are there twice, and links to what is not there.
    """
    try:
        root = ElementTree.fromstring(content)
    except (ElementTree.ParseError, *_UNREADABLE) as error:
        raise found.mistake(f"is not XML: {error}") from None
    if _plain(root.tag) != "graphml":
        raise found.mistake(f"is not GraphML: begins with <{_plain(root.tag)}>")
    names = Counter(vertex.get("id", "") for vertex in _elements(root, "node"))
    for name, count in names.items():
        if count > 1:
            raise found.mistake(f"{name} is there twice; names must differ")
    for edge in _elements(root, "edge"):
        source, destination = edge.get("source", ""), edge.get("target", "")
        for name in (source, destination):
            if name not in names:
                problem = f"link from {source} to {destination}: there is no {name or 'end'}"
                raise found.mistake(problem, nearest(name, names))
    return root


def _elements(root: ElementTree.Element, kind: str) -> Iterator[ElementTree.Element]:
    return (element for element in root.iter() if _plain(element.tag) == kind)


def _plain(tag: str) -> str:
    """Return the name of an element without its namespace."""
    return tag.rpartition("}")[2]
