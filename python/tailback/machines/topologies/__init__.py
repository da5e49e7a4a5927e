"""Topologies: who is wired to whom.

One class per kind; their fields are the keys of ``[machine.topology]``.
"""

from __future__ import annotations

from .base import MOST_NODES, Topology
from .families import Butterfly, Dragonfly, FatTree, FullyConnected, Tree
from .graph import Graph
from .grids import Hypercube, Lattice, Mesh, Torus
from .star import Pair, Star

__all__ = [
    "DEFAULT_TOPOLOGY",
    "MOST_NODES",
    "TOPOLOGIES",
    "Butterfly",
    "Dragonfly",
    "FatTree",
    "FullyConnected",
    "Graph",
    "Hypercube",
    "Lattice",
    "Mesh",
    "Pair",
    "Star",
    "Topology",
    "Torus",
    "Tree",
]

#: Every kind of topology by its word in ``machine.topology.kind``.
TOPOLOGIES: dict[str, type[Topology]] = {
    kind.kind: kind
    for kind in (
        Mesh,
        Torus,
        Hypercube,
        Pair,
        Star,
        FatTree,
        Butterfly,
        Tree,
        FullyConnected,
        Dragonfly,
        Graph,
    )
}

#: The kind of a machine that names none.
DEFAULT_TOPOLOGY = Mesh.kind
