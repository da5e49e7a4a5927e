"""The parts of machines, and their kinds by word."""

from __future__ import annotations

from collections.abc import Mapping

from ..parts import Part, kinds
from . import routing, written_routes
from .interface import Interface
from .link import Link, NodeLink
from .loggops import LogGops
from .routing import Routing
from .switch import Switch
from .topologies import TOPOLOGIES, Hosts

#: Every routing algorithm by its word in ``machine.routing.kind``.
ROUTINGS: dict[str, type[Routing]] = kinds(Routing, routing, written_routes)

#: Parts that are of one class, and that class.
PLAIN: dict[str, type[Part]] = {
    "link": Link,
    "node_link": NodeLink,
    "hosts": Hosts,
    "switch": Switch,
    "interface": Interface,
    "loggops": LogGops,
}
#: Parts whose `kind` names their class.
KINDED: dict[str, Mapping[str, type[Part]]] = {"topology": TOPOLOGIES, "routing": ROUTINGS}
