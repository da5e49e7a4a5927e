"""Machines in five parts: topology, links, switches, routing, network interfaces.

One class per part and kind; their fields are the keys of the tables below ``[machine]``. Kinds of
topology and routing are those that the modules of these have in their ``__all__``.
"""

from __future__ import annotations

from . import routing, topologies, written_routes
from .fidelities import Fidelity
from .interface import Interface
from .kinds import ROUTINGS
from .link import Link, LinkClass, NodeLink
from .loggops import LogGops
from .machine import Machine
from .presets import BASELINES, PRESETS
from .reading import machine_of
from .routing import *  # noqa: F403
from .routing import Routing
from .switch import Switch
from .topologies import *  # noqa: F403
from .topologies import (
    DEFAULT_TOPOLOGY,
    MOST_NODES,
    TOPOLOGIES,
    GraphTopology,
    Hosts,
    Lattice,
    Listed,
    Topology,
)
from .written_routes import *  # noqa: F403

__all__ = [
    "BASELINES",
    "DEFAULT_TOPOLOGY",
    "MOST_NODES",
    "PRESETS",
    "ROUTINGS",
    "TOPOLOGIES",
    "Fidelity",
    "GraphTopology",
    "Hosts",
    "Interface",
    "Lattice",
    "Link",
    "LinkClass",
    "Listed",
    "LogGops",
    "Machine",
    "NodeLink",
    "Routing",
    "Switch",
    "Topology",
    "machine_of",
]
__all__ += topologies.__all__
__all__ += routing.__all__
__all__ += written_routes.__all__
