"""Edge lists as NetworkX writes them: a line `a b` or `a b {'width': 2}` for every edge."""

from __future__ import annotations

from pathlib import Path
from warnings import catch_warnings, simplefilter

from .assembling import Assembly
from .attributes import add_edges, add_vertices


def read_edge_list(path: Path, text: str, cycle_ps: int | None, *, directed: bool) -> Assembly:
    """Return what a file says; every name is a switch. Raises `UserError`."""
    import networkx as nx  # here: it takes a fifth of a second, and few machines need it

    found = Assembly(path)
    kind = nx.MultiDiGraph if directed else nx.MultiGraph
    graph = kind()
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].split()
        if len(words) == 1:
            raise found.mistake(f"line {number}: must name two switches")
        try:
            with catch_warnings():
                # Python's parser warns of odd texts.
                simplefilter("ignore")
                edge = nx.parse_edgelist([line], create_using=kind)
        except (TypeError, ValueError, SyntaxError, MemoryError, RecursionError):
            problem = f"line {number}: what follows the two names must be like {{'width': 2}}"
            raise found.mistake(problem) from None
        graph.add_edges_from(edge.edges(data=True))
    add_vertices(found, {name: {} for name in graph.nodes})
    add_edges(found, graph.edges(data=True), cycle_ps, directed=directed)
    return found
