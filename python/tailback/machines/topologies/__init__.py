"""Topologies: who is wired to whom.

One class per kind; their fields are the keys of ``[machine.topology]``. A class that a module
has in its ``__all__`` is a kind, and is known everywhere.
"""

from __future__ import annotations

from ...entry_points import Kinds
from ...parts import kinds
from . import families, fat_trees, graph, grids, low_diameter, rails, star
from .base import MOST_NODES, Topology
from .families import *  # noqa: F403
from .fat_trees import *  # noqa: F403
from .graph import Graph, GraphTopology, Listed
from .grids import *  # noqa: F403
from .grids import Lattice
from .hosts import Hosts
from .low_diameter import *  # noqa: F403
from .rails import *  # noqa: F403
from .star import *  # noqa: F403

__all__ = [
    "DEFAULT_TOPOLOGY",
    "MOST_NODES",
    "TOPOLOGIES",
    "Graph",
    "GraphTopology",
    "Hosts",
    "Lattice",
    "Listed",
    "Topology",
]
__all__ += families.__all__
__all__ += fat_trees.__all__
__all__ += grids.__all__
__all__ += low_diameter.__all__
__all__ += rails.__all__
__all__ += star.__all__

#: Every kind of topology by its word in ``machine.topology.kind``, those of plugins included.
TOPOLOGIES: Kinds[Topology] = Kinds(
    kinds(Topology, grids, star, families, fat_trees, low_diameter, rails, graph),
    "tailback.topologies",
    Topology,
)

#: The kind of a machine that names none.
DEFAULT_TOPOLOGY = grids.Mesh.kind
