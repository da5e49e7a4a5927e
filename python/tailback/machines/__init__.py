"""Machines in five parts: topology, links, switches, routing, network interfaces.

One class per part and kind; their fields are the keys of the tables below ``[machine]``.
"""

from __future__ import annotations

from .fidelities import Fidelity
from .interface import Interface
from .kinds import ROUTINGS
from .link import Link, LinkClass, NodeLink
from .machine import Machine
from .presets import BASELINES, PRESETS
from .reading import machine_of
from .routing import (
    Chaos,
    Deflection,
    DestinationTag,
    DimensionOrder,
    FirstHop,
    Minimal,
    MinimalAdaptive,
    NearestCommonAncestor,
    NegativeFirst,
    OddEven,
    Profitable,
    Routing,
    Shortest,
    UpDown,
    Valiant,
    WestFirst,
)
from .switch import Switch
from .topologies import (
    DEFAULT_TOPOLOGY,
    MOST_NODES,
    TOPOLOGIES,
    Butterfly,
    Dragonfly,
    FatTree,
    FullyConnected,
    Graph,
    Hypercube,
    Lattice,
    Mesh,
    Pair,
    Star,
    Topology,
    Torus,
    Tree,
)
from .written_routes import SourceRoutes, Table

__all__ = [
    "BASELINES",
    "DEFAULT_TOPOLOGY",
    "MOST_NODES",
    "PRESETS",
    "ROUTINGS",
    "TOPOLOGIES",
    "Butterfly",
    "Chaos",
    "Deflection",
    "DestinationTag",
    "DimensionOrder",
    "Dragonfly",
    "FatTree",
    "Fidelity",
    "FirstHop",
    "FullyConnected",
    "Graph",
    "Hypercube",
    "Interface",
    "Lattice",
    "Link",
    "LinkClass",
    "Machine",
    "Mesh",
    "Minimal",
    "MinimalAdaptive",
    "NearestCommonAncestor",
    "NegativeFirst",
    "NodeLink",
    "OddEven",
    "Pair",
    "Profitable",
    "Routing",
    "Shortest",
    "SourceRoutes",
    "Star",
    "Switch",
    "Table",
    "Topology",
    "Torus",
    "Tree",
    "UpDown",
    "Valiant",
    "WestFirst",
    "machine_of",
]
