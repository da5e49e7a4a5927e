"""DOT, the language of Graphviz, read by NetworkX with pydot."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any
from warnings import catch_warnings, simplefilter

from ..distribution import installing
from ..errors import UserError
from .assembling import Assembly
from .attributes import add_edges, add_vertices

#: How Graphviz is told to draw: nothing of the network.
_DRAWN = frozenset(("shape", "color", "style", "pos", "fontsize", "penwidth", "fillcolor"))


def read_dot(path: Path, text: str, cycle_ps: int | None) -> Assembly:
    """Return what a file says: of a digraph each edge leads one way. Raises `UserError`."""
    import networkx as nx  # here: it takes a fifth of a second, and few machines need it

    found = Assembly(path)
    try:
        import pydot  # here: an extra
    except ModuleNotFoundError:
        allowed = f"needs pydot: {installing('dot')}; GML and GraphML need nothing"
        raise UserError(str(path), None, allowed) from None
    said = StringIO()
    try:
        # pydot prints what is wrong.
        with catch_warnings(), redirect_stdout(said), redirect_stderr(said):
            simplefilter("ignore")
            graphs = pydot.graph_from_dot_data(text)
            graph = nx.nx_pydot.from_pydot(graphs[0]) if graphs else None
    except Exception as error:  # a damaged file can make it raise anything
        said.write(str(error))
        graph = None
    if graph is None:
        reason = next((line for line in said.getvalue().splitlines() if line.strip()), "no graph")
        raise found.mistake(f"is not DOT that can be read: {reason.strip()}")
    vertices = {_plain(name): _meant(given) for name, given in graph.nodes(data=True)}
    add_vertices(found, vertices)
    edges = ((_plain(a), _plain(b), _meant(given)) for a, b, given in graph.edges(data=True))
    add_edges(found, edges, cycle_ps, directed=graph.is_directed())
    return found


def _plain(text: object) -> str:
    """Return a name without its quotes, and without the port of a node that is drawn."""
    name = str(text)
    if name.startswith('"'):
        return name[1 : name.rfind('"')]
    return name.partition(":")[0]


def _meant(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return attributes, all of which are texts in DOT, with numbers as such."""
    found: dict[str, Any] = {}
    for name, value in given.items():
        if name in _DRAWN:
            continue
        text = _plain(value) if str(value).startswith('"') else str(value)
        try:
            found[name] = float(text)
        except ValueError:
            found[name] = text
    return found
