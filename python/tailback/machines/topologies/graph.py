"""Networks given link by link: those from files, and the base of those of plugins."""

from __future__ import annotations

import hashlib
import json
import re
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from ...door import Network
from ...entry_points import blamed
from ...errors import CircleError, UserError
from ...graphs import Assembly, Conventions, Format, NetworkGraph, read_graph
from ...graphs.network import OTHER, Link, NodeTimes
from ...parts import MaybeTime, key
from ...units import Time
from .base import MOST_NODES, Topology
from .failed import FilePorts

__all__ = ["Graph"]

#: Switches, channels between them, and routes between nodes in a message of the engine.
_SWITCH = re.compile(r"\bswitch (\d+)")
_NODE = re.compile(r"\bnode (\d+)")
_CHANNEL = re.compile(r"\bchannel (\d+)->(\d+)")
_ROUTES = re.compile(r"\broutes? \d+->\d+(?:, \d+->\d+)*")
_PAIR = re.compile(r"(\d+)->(\d+)")


class Listed(Topology):
    """A topology that names its links one by one."""

    family: ClassVar[str] = "graph"

    @property
    @abstractmethod
    def graph(self) -> NetworkGraph:
        """The network. Raises `UserError` for one that cannot be."""

    @cached_property
    def facts(self) -> Network:
        """What the engine knows of it, for which all links are listed. Raises `UserError`."""
        nodes = len(self.graph.nodes)
        if nodes > MOST_NODES:
            problem = f"has {nodes} nodes; must have at most {MOST_NODES}"
            raise UserError(self.place, None, problem)
        return super().facts

    @property
    def place(self) -> str:
        """Where mistakes of the network are said to be."""
        return self.section

    @property
    def _labels(self) -> Mapping[str, Sequence[str]]:
        """What each `node` and each `switch` is called."""
        return {"node": self.graph.nodes, "switch": self.graph.switches}

    @contextmanager
    def names(self) -> Iterator[None]:
        """Give switches their names in mistakes that the engine finds meanwhile."""
        try:
            yield
        except UserError as error:
            # Once: names may be numbers themselves.
            if not vars(error).get("has_names"):
                error.given = error.given and self._with_names(error.given)
                error.allowed = self._with_names(error.allowed)
                error.args = (error.field, error.given, error.allowed, *error.args[3:])
                if isinstance(error, CircleError):
                    error.circle = tuple(map(self._held, error.circle))
                vars(error)["has_names"] = True
            raise

    def _held(self, channel: Mapping[str, Any]) -> dict[str, Any]:
        """Return a channel of a cycle with the names of the file in its words."""
        switches, nodes = self.labels["switch"], self.labels["node"]
        number = f" (class {channel['class']})" if channel["class"] else ""
        return {
            **channel,
            "channel": f"{switches[channel['from']]} to {switches[channel['to']]}{number}",
            "packet": f"{nodes[channel['source']]} to {nodes[channel['destination']]}",
        }

    def _with_names(self, text: str) -> str:
        """Return a message of the engine with the names of the file for numbers."""
        switches, nodes = self.labels["switch"], self.labels["node"]
        text = _SWITCH.sub(lambda found: f"switch {switches[int(found[1])]}", text)
        text = _NODE.sub(lambda found: f"node {nodes[int(found[1])]}", text)
        text = _CHANNEL.sub(
            lambda found: f"channel {switches[int(found[1])]}->{switches[int(found[2])]}", text
        )
        return _ROUTES.sub(
            lambda found: _PAIR.sub(
                lambda pair: f"{nodes[int(pair[1])]}->{nodes[int(pair[2])]}", found[0]
            ),
            text,
        )

    def default_routing(self) -> str:
        """Return up_down; where links lead one way shortest."""
        return super().default_routing() if self.facts.one_way is None else "shortest"

    def spec(self) -> dict[str, Any]:
        """Return the topology as the engine describes it, with links at the machine's rate."""
        return self.spec_with(lambda link: {})

    def spec_with(self, times: Callable[[Link | NodeTimes], dict[str, Any]]) -> dict[str, Any]:
        """Return the same; ``times(link)``: what is special about the times of a link."""
        graph = self.graph
        classes = graph.link_classes
        number = {name: place for place, name in enumerate(classes)}
        more: dict[str, Any] = {"classes": list(classes)} if classes else {}
        of_nodes = [times(of_node) for of_node in graph.node_times or ()]
        if any(of_nodes):
            more["node_links"] = of_nodes
        return {
            "kind": self.family,
            "switches": len(graph.switches),
            "links": [
                {
                    "from": link.source,
                    "to": link.destination,
                    "width": link.width,
                    **({"class": number[link.link_class or OTHER]} if classes else {}),
                    **times(link),
                }
                for link in graph.links
            ],
            "nodes": list(graph.enters),
            "leaves": [] if graph.enters == graph.leaves else list(graph.leaves),
            **more,
        }

    @property
    def file_ports(self) -> FilePorts:
        """The ports of switches to which the file gives numbers."""
        return {} if self.graph.node_ports is None else self.graph.ports

    @property
    def graph_with_ports(self) -> NetworkGraph | None:
        """The network, if its file gives port numbers of all links."""
        return None if self.graph.node_ports is None or self.hosts is not None else self.graph

    def ports_spec(self) -> dict[str, Any]:
        """Return at which ports links end, as the engine describes it; empty if it is not known."""
        graph = self.graph
        if graph.node_ports is None:
            return {}
        return {"nodes": list(graph.node_ports), "links": [link.at for link in graph.links]}

    def digest(self) -> str:
        """Return a hash of the network, which does not depend on the file format."""

        def written(link: Link | NodeTimes) -> dict[str, Any]:
            return {"delay_ps": link.delay_ps, "rate": link.rate and link.rate.amount}

        described = self.spec_with(written)
        if self.graph.node_ports is not None:
            leaving = [link.port for link in self.graph.links]
            described |= {"ports": self.ports_spec(), "leaving": leaving}
        text = json.dumps(described, sort_keys=True, separators=(",", ":"))
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


class Graph(Listed):
    """Any switches and links, from a file."""

    kind: ClassVar[str] = "graph"
    also: ClassVar[str] = "anynet"

    file: str = key(
        description="GraphML (.graphml), GML (.gml), DOT (.dot, .gv; needs pydot), an edge list "
        "(.edgelist, .edges) or BookSim's anynet format (.anynet); relative to the experiment "
        "file.",
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
        between=(1, 65_536),
        description="Nodes on every switch, if the file says nothing of nodes.",
    )
    directed: bool = key(
        default=False, description="Whether an edge of an edge list leads one way only."
    )

    def _check(self) -> None:
        self._check_failures()
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
    def place(self) -> str:
        """The file."""
        return self.file


class GraphTopology(Listed):
    """A topology whose links are computed: the base of kinds of plugins.

    A kind has `edges`, `nodes_on` unless every switch has one node, and `one_way` where an edge
    leads one way only.
    """

    one_way: ClassVar[bool] = False

    def _check(self) -> None:
        self._check_failures()
        self.graph  # noqa: B018  # asked for its refusals

    @abstractmethod
    def edges(self) -> Iterable[tuple[int, int]]:
        """Yield the two switches of every link, numbered from 0; again for parallel wires."""

    def nodes_on(self, switch: int) -> int:
        """Return how many nodes a switch has; nodes are numbered switch by switch."""
        del switch
        return 1

    @cached_property
    def graph(self) -> NetworkGraph:
        """The network. Raises `UserError` for one that cannot be."""
        network = Assembly(Path(self.section))
        with blamed(self.section, self):
            edges = [(int(source), int(destination)) for source, destination in self.edges()]
            count = 1 + max((max(edge) for edge in edges), default=0)
            for switch in range(count):
                network.add_switch(str(switch), self.nodes_on(switch))
        for source, destination in edges:
            network.add_edge(str(source), str(destination))
            if not self.one_way:
                network.add_edge(str(destination), str(source))
        return network.finished(1)
