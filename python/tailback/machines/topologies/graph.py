"""A network from a file."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from ...errors import UserError
from ...graphs import Conventions, Format, NetworkGraph, read_graph
from ...graphs.network import Link
from ...parts import MaybeTime, key
from ...units import Time
from .base import ANYWHERE, MOST_NODES, Topology


class Graph(Topology):
    """Any switches and links, from a file."""

    kind: ClassVar[str] = "graph"
    routings: ClassVar[tuple[str, ...]] = ANYWHERE

    file: str = key(
        description="GraphML (.graphml), an edge list (.edgelist, .edges) or BookSim's anynet "
        "format (.anynet); relative to the experiment file.",
    )
    format: Format | None = key(
        default=None, description="What the file is; default: what the end of its name says."
    )
    cycle: MaybeTime = key(
        default=None,
        description="How long a cycle is, for latencies that the file gives in cycles; default: "
        "that of machine.clock.",
    )
    nodes_per_switch: int = key(
        default=1,
        ge=1,
        le=65_536,
        description="Nodes on every switch, if the file says nothing of nodes.",
    )
    directed: bool = key(
        default=False, description="Whether an edge of an edge list leads one way only."
    )

    def _check(self) -> None:
        if self.cycle == Time(0):
            raise self.refused("cycle", "must be above zero")
        if self.cycle is not None and self.cycle.cycles is not None:
            raise self.refused("cycle", 'must be a time, such as "1 ns"')

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
    def node_count(self) -> int:
        """Number of nodes; raises `UserError` if there are too many."""
        nodes = len(self.graph.nodes)
        if nodes > MOST_NODES:
            problem = f"has {nodes} nodes; must have at most {MOST_NODES}"
            raise UserError(self.file, None, problem)
        return nodes

    @property
    def switch_count(self) -> int:
        """Number of switches."""
        return len(self.graph.switches)

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
    def typical_hops(self) -> int:
        """Half of the longest of the shortest ways from the first node."""
        return -(-self.graph.eccentricity() // 2)

    @property
    def links_one_way(self) -> str | None:
        """Which links have no link as wide back, or which nodes send and receive elsewhere."""
        unpaired = self.graph.first_unpaired()
        if unpaired is not None:
            first = f"first: {unpaired[0]} to {unpaired[1]}"
            return f"of {self.file} do not all have one of as many wires ({first})"
        if not self.graph.is_symmetric:
            return f"between nodes and switches of {self.file} lead one way"
        return None

    def default_routing(self) -> str:
        """Return up_down; where links lead one way shortest."""
        return "up_down" if self.graph.first_one_way() is None else "shortest"

    def spec(self) -> dict[str, Any]:
        """Return the topology as the engine describes it, with links at the machine's rate."""
        return self.spec_with(lambda link: {})

    def spec_with(self, times: Any) -> dict[str, Any]:
        """Return the same; ``times(link)``: what is special about the times of a link."""
        graph = self.graph
        return {
            "kind": self.kind,
            "switches": len(graph.switches),
            "links": [
                {
                    "from": link.source,
                    "to": link.destination,
                    "width": link.width,
                    **times(link),
                }
                for link in graph.links
            ],
            "nodes": list(graph.enters),
            "leaves": [] if graph.enters == graph.leaves else list(graph.leaves),
        }

    def digest(self) -> str:
        """Return a hash of the network, whatever file it comes from."""

        def written(link: Link) -> dict[str, Any]:
            return {"delay_ps": link.delay_ps, "rate": link.rate and link.rate.amount}

        text = json.dumps(self.spec_with(written), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def resolved(self) -> dict[str, Any]:
        """Return the keys; of the network only how large it is and its hash."""
        graph = self.graph
        return super().resolved() | {
            "switches": len(graph.switches),
            "nodes": len(graph.nodes),
            "links": len(graph.links),
            "network_sha256": self.digest(),
        }
