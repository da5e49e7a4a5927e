"""A network from a file."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field, model_validator

from ..errors import UserError, shown
from ..graphs import Conventions, Format, NetworkGraph, read_graph
from ..units import Time
from .base import MOST_NODES, Fidelity
from .families import Family, check_both_ways
from .routes_file import Places
from .routing import ANYWHERE

#: Routing that goes back along links.
_BOTH_WAYS = ("up_down", "chaos", "deflection")


class Graph(Family, init=False):
    """Any switches and links, from a file."""

    topology: Literal["graph"] = "graph"
    routings: ClassVar[tuple[str, ...]] = ANYWHERE

    file: str = Field(
        description="GraphML (.graphml), an edge list (.edgelist, .edges) or BookSim's anynet "
        "format (.anynet); relative to the experiment file.",
    )
    format: Format | None = Field(
        default=None, description="What the file is; default: what the end of its name says."
    )
    cycle: Time | None = Field(
        default=None, description="How long a cycle is, for latencies that are given in cycles."
    )
    nodes_per_switch: int = Field(
        default=1,
        ge=1,
        le=65_536,
        description="Nodes on every switch, if the file says nothing of nodes.",
    )
    directed: bool = Field(
        default=False, description="Whether an edge of an edge list leads one way only."
    )
    internal_link_width: int = Field(
        default=1, ge=1, le=1, description="1: the file says how many parallel links there are."
    )

    @model_validator(mode="after")
    def _cycle_possible(self) -> Graph:
        if self.cycle == Time(0):
            raise UserError("cycle", shown("0 s"), "must be above zero")
        return self

    @cached_property
    def graph(self) -> NetworkGraph:
        """The network; the file is read once. Raises `UserError`."""
        conventions = Conventions(
            self.format,
            None if self.cycle is None else self.cycle.ps,
            self.nodes_per_switch,
            self.directed,
        )
        return read_graph(Path(self.file), conventions)

    @property
    def is_symmetric(self) -> bool:
        """Whether every link has one that leads back, and every node enters where it leaves."""
        return self.graph.is_symmetric

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return len(self.graph.nodes)

    @property
    def chosen_routing(self) -> str:
        """`routing`; by default up_down, where links lead one way shortest."""
        if self.routing is not None:
            return self.routing
        return "up_down" if self.graph.first_one_way() is None else "shortest"

    @property
    def switches_in_all(self) -> int:
        """Number of switches."""
        return len(self.graph.switches)

    @property
    def _places(self) -> Places:
        graph = self.graph
        switches = {name: number for number, name in enumerate(graph.switches)}
        nodes = {name: number for number, name in enumerate(graph.nodes)}
        return Places(self.switches_in_all, self.nodes, switches, nodes)

    @property
    def degree(self) -> int:
        """Links of the switch with most of them."""
        counted = Counter(link.source for link in self.graph.links)
        return max(counted.values(), default=0)

    @property
    def has_internal_channels(self) -> bool:
        """Whether any channel joins two switches."""
        return bool(self.graph.links)

    @cached_property
    def _longest(self) -> int:
        return self.graph.eccentricity()

    @property
    def mean_internal_hops(self) -> int:
        """Half of the longest of the shortest ways from the first node."""
        return -(-self._longest // 2)

    def check(self, fidelity: Fidelity) -> None:
        """Raise `UserError` if the file cannot be used, or not with this fidelity."""
        if self.nodes > MOST_NODES:
            problem = f"has {self.nodes} nodes; must have at most {MOST_NODES}"
            raise UserError(self.file, None, problem)
        super().check(fidelity)
        one_way = self.graph.first_one_way()
        if one_way is not None and self.chosen_routing in _BOTH_WAYS:
            ends = f"first: {one_way[0]} to {one_way[1]}"
            problem = f"needs links in both directions; {self.file} has others ({ends})"
            raise UserError(
                "machine.routing", shown(self.chosen_routing), f'{problem}; use "shortest"'
            )
        unpaired = self.graph.first_unpaired()
        if unpaired is not None:
            first = f"first: {unpaired[0]} to {unpaired[1]}"
            which = f"of {self.file} do not all have one of as many wires ({first})"
            check_both_ways(fidelity, which)
        elif not self.is_symmetric:
            check_both_ways(fidelity, f"between nodes and switches of {self.file} lead one way")

    def _topology_spec(self) -> dict[str, Any]:
        graph = self.graph
        return {
            "kind": self.topology,
            "switches": len(graph.switches),
            "links": [
                {
                    "from": link.source,
                    "to": link.destination,
                    "width": link.width,
                    "delay_ps": link.delay_ps,
                }
                for link in graph.links
            ],
            "nodes": list(graph.enters),
            "leaves": [] if graph.enters == graph.leaves else list(graph.leaves),
        }

    def digest(self) -> str:
        """Return a hash of the network, whatever file it comes from."""
        text = json.dumps(self._topology_spec(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def resolved(self, fidelity: Fidelity) -> dict[str, Any]:
        """Return the parameters; of the network only how large it is and its hash."""
        graph = self.graph
        counted = {
            "switches": len(graph.switches),
            "nodes": len(graph.nodes),
            "links": len(graph.links),
            "network_sha256": self.digest(),
        }
        return super().resolved(fidelity) | counted
