"""GML, read by NetworkX: files of the Topology Zoo and others."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from warnings import catch_warnings, simplefilter

from .assembling import Assembly
from .attributes import add_edges, add_vertices

_GRAPH = re.compile(r"^(\s*graph\s*\[)", re.MULTILINE)


def read_gml(path: Path, text: str, cycle_ps: int | None) -> Assembly:
    """Return what a file says.

    Vertices have their labels for names if these differ, else their numbers; edges may be there
    several times. Raises `UserError`.
    """
    import networkx as nx  # here: it takes a fifth of a second, and few machines need it

    found = Assembly(path)
    if "multigraph" not in text:
        # Else NetworkX refuses parallel edges, which files have without a word.
        text = _GRAPH.sub(r"\1 multigraph 1", text, count=1)
    try:
        with catch_warnings():
            simplefilter("ignore")
            graph = nx.parse_gml(text.splitlines(), label="id")
    except Exception as error:  # a damaged file can make it raise anything
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise found.mistake(f"is not GML that can be read: {reason}") from None
    names = {number: _label(number, given) for number, given in graph.nodes(data=True)}
    if len(set(names.values())) < len(names):
        names = {number: str(number) for number in names}
    add_vertices(found, {names[number]: given for number, given in graph.nodes(data=True)})
    edges = ((names[a], names[b], given) for a, b, given in graph.edges(data=True))
    add_edges(found, edges, cycle_ps, directed=graph.is_directed())
    return found


def _label(number: object, given: Mapping[str, Any]) -> str:
    return str(given.get("label", number))
