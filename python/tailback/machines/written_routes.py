"""Routing by routes that are written down in a file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from ..door import RoutingFacts
from ..parts import key
from .routes_file import Places, numbers, read_source_routes, read_table
from .routing import Routing
from .topologies import Listed, Topology

__all__ = ["SourceRoutes", "Table"]


class _Written(Routing):
    """Routes from a file, which is read once for each topology."""

    file: str = key(
        description="A CSV file of routes (docs/routing.md), relative to the experiment file.",
    )

    reader: ClassVar[Callable[[Path, Places], dict[str, Any]]]

    @cached_property
    def _read(self) -> dict[Topology, dict[str, Any]]:
        return {}

    def routes(self, topology: Topology) -> dict[str, Any]:
        """Return the content of the file, as the engine has it. Raises `UserError`."""
        if topology not in self._read:
            self._read[topology] = type(self).reader(Path(self.file), places_of(topology))
        return self._read[topology]

    @cached_property
    def _known(self) -> dict[Topology, RoutingFacts]:
        return {}

    def facts(self, topology: Topology) -> RoutingFacts:
        """Return what the engine knows of it there, which takes long for large tables: once."""
        if topology not in self._known:
            self._known[topology] = super().facts(topology)
        return self._known[topology]

    def algorithm_spec(self, topology: Topology) -> dict[str, Any]:
        """Return the algorithm as the engine describes it."""
        return {"kind": self.kind, **self.routes(topology)}

    @cached_property
    def _digests(self) -> dict[Topology, str]:
        return {}

    def resolved(self, topology: Topology) -> dict[str, Any]:
        """Return every key as a file has it; of the routes their hash."""
        if topology not in self._digests:
            routes = self.in_numbers(topology)
            text = json.dumps(routes, sort_keys=True, separators=(",", ":"))
            self._digests[topology] = hashlib.sha256(text.encode()).hexdigest()
        return super().resolved(topology) | {"routes_sha256": self._digests[topology]}

    def in_numbers(self, topology: Topology) -> dict[str, Any]:
        """Return the content of the file as lists of numbers."""
        return self.routes(topology)


class Table(_Written):
    """The next hop for every switch and destination."""

    kind: ClassVar[str] = "table"
    reader: ClassVar[Callable[[Path, Places], dict[str, Any]]] = staticmethod(read_table)

    def in_numbers(self, topology: Topology) -> dict[str, Any]:
        """Return the content of the file as lists of numbers."""
        routes = self.routes(topology)
        return routes | {"next": numbers(routes["next"]).tolist()}


class SourceRoutes(_Written):
    """The whole way of every pair of nodes."""

    kind: ClassVar[str] = "source_routes"
    reader: ClassVar[Callable[[Path, Places], dict[str, Any]]] = staticmethod(read_source_routes)


def places_of(topology: Topology) -> Places:
    """Return the switches and nodes (interfaces of hosts) that a file of routes may name."""
    topology = topology.network
    switches: dict[str, int] = {}
    nodes: dict[str, int] = {}
    if isinstance(topology, Listed):
        graph = topology.graph
        switches = {name: number for number, name in enumerate(graph.switches)}
        nodes = {name: number for number, name in enumerate(graph.nodes)}
        if graph.node_ports is not None:
            at = tuple(zip(graph.enters, graph.node_ports, strict=True))
            return Places(len(switches), len(nodes), switches, nodes, graph.enters, graph.ports, at)
    return Places(topology.switch_count, topology.node_count, switches, nodes)
