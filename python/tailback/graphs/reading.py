"""Files of networks, whatever their format."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from ..errors import UserError, listed, read_bytes, read_text
from ..lazy import lazy_module
from .network import NetworkGraph

if TYPE_CHECKING:
    from . import anynet, dot, edge_list, gml, graphml
else:
    anynet = lazy_module("tailback.graphs.anynet")
    dot = lazy_module("tailback.graphs.dot")
    edge_list = lazy_module("tailback.graphs.edge_list")
    gml = lazy_module("tailback.graphs.gml")
    graphml = lazy_module("tailback.graphs.graphml")

Format = Literal["graphml", "edge_list", "anynet", "gml", "dot"]
FORMATS: tuple[Format, ...] = get_args(Format)

_ENDINGS: dict[str, Format] = {
    ".graphml": "graphml",
    ".edgelist": "edge_list",
    ".edges": "edge_list",
    ".anynet": "anynet",
    ".gml": "gml",
    ".dot": "dot",
    ".gv": "dot",
}


@dataclass(frozen=True, slots=True)
class Conventions:
    """What a file leaves open."""

    format: Format | None = None
    """None: by the ending of its name."""
    cycle_ps: int | None = None
    """How long a cycle is, in which latencies are counted."""
    nodes_per_switch: int = 1
    """Nodes on every switch, if the file says nothing of nodes."""
    directed: bool = False
    """Whether an edge of an edge list is one link, or two."""


def read_graph(path: Path, conventions: Conventions) -> NetworkGraph:
    """Read a network from a file.

    Raises `UserError` for a file that is missing or unreadable, or a network that no
    machine can have: not connected, with links to nowhere, with nodes on no switch.
    """
    chosen = conventions.format or _ENDINGS.get(path.suffix.lower())
    cycle_ps = conventions.cycle_ps
    if chosen is None:
        needed = f"must end in {listed(_ENDINGS)}, or machine.topology.format must say what it is"
        raise UserError(str(path), None, needed)
    if chosen == "graphml":
        found = graphml.read_graphml(path, read_bytes(path), cycle_ps)
    elif chosen == "edge_list":
        directed = conventions.directed
        found = edge_list.read_edge_list(path, read_text(path), cycle_ps, directed=directed)
    elif chosen == "gml":
        found = gml.read_gml(path, read_text(path), cycle_ps)
    elif chosen == "dot":
        found = dot.read_dot(path, read_text(path), cycle_ps)
    else:
        found = anynet.read_anynet(path, read_text(path), cycle_ps)
    return found.finished(conventions.nodes_per_switch)
