"""Clusters of servers with several network interfaces, each on the leaf switches of its rail.

How their switches, nodes and ports are numbered stands in `docs/topologies.md`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

from ...graphs import NetworkGraph
from ...graphs.network import Link
from ...parts import key
from .base import Topology
from .graph import Listed

__all__ = ["RailOptimised"]

#: What engine and files of networks allow.
_MOST_NODES = 1 << 20


class RailOptimised(Listed):
    """Servers whose GPUs are on rails of leaf switches, below spines [NVIDIA SuperPOD 2023].

    A node is the network interface of a GPU: GPU t of server s is node `s · gpus + t`, on rail t
    modulo `rails`. Servers are dealt out to segments of `servers_per_segment`, one after the other;
    the last has what is left. Each segment has `leaves_per_rail` leaves for each rail. Leaf j of
    rail r of segment i is switch `(i · rails + r) · leaves_per_rail + j`, and spine k of plane p
    comes behind all leaves, as number `p · spines + k`. Leaf j is joined to the spines of plane j
    modulo `planes`. With one leaf per rail, nodes are on leaves. With two, an interface has a port
    on each: it is a switch of its own, behind all spines, and its cables are of class `hosts`.
    Cables of leaves to spines are of class `uplinks`. There are no links inside a server unless
    `machine.hosts` has them: its GPUs reach each other over leaves and spines.
    """

    kind: ClassVar[str] = "rail_optimised"

    servers: int = key(default=8, between=(1, 65_536), description="Number of servers.")
    gpus: int = key(
        default=8,
        between=(1, 64),
        description="GPUs of a server, each with a network interface.",
    )
    rails: int | None = key(
        default=None,
        between=(1, 64),
        description="Rails, a divisor of gpus; default: one each.",
    )
    servers_per_segment: int | None = key(
        default=None,
        between=(1, 65_536),
        description="Servers whose interfaces share leaves: a scalable unit. The last segment has "
        "what is left. Default: all servers.",
    )
    leaves_per_rail: int = key(
        default=1,
        between=(1, 2),
        description="Leaf switches that every interface is joined to: 2 is dual ToR.",
    )
    planes: int = key(
        default=1,
        between=(1, 2),
        description="Networks that only interfaces join, at most leaves_per_rail.",
    )
    spines: int = key(default=8, between=(1, 4096), description="Spine switches of every plane.")
    spine_links: int = key(
        default=1,
        between=(1, 255),
        description="Parallel cables from a leaf to each spine.",
    )

    def _check(self) -> None:
        self._check_failures()
        if self.servers * self.gpus < 2:
            raise self.refused("servers", "must have at least two GPUs together")
        if self.servers * self.gpus > _MOST_NODES:
            allowed = f"must be at most {_MOST_NODES // self.gpus}, of {self.gpus} GPUs each"
            raise self.refused("servers", f"{allowed}: a network has at most {_MOST_NODES} nodes")
        if self.gpus % self.rail_count:
            raise self.refused("rails", f"must divide the GPUs of a server, {self.gpus}")
        if self.planes > self.leaves_per_rail:
            raise self.refused("planes", "must be 1: needs two leaves_per_rail")
        self.facts  # noqa: B018  # asked for its refusals

    @property
    def rail_count(self) -> int:
        """`rails`, or one for each GPU of a server."""
        return self.gpus if self.rails is None else self.rails

    @property
    def segment_servers(self) -> int:
        """Servers of a full segment: all, if there are fewer than `servers_per_segment`."""
        return min(self.servers, self.servers_per_segment or self.servers)

    @property
    def host_nodes(self) -> int:
        """The GPUs of a server."""
        return self.gpus

    def worked_out(self) -> dict[str, Any]:
        """Return the number of rails, and the servers of a segment."""
        return {"rails": self.rail_count, "servers_per_segment": self.segment_servers}

    def default_routing(self) -> str:
        """Return shortest paths by flow, as Ethernet switches and bonded ports choose."""
        return "ecmp"

    def bisection_wires(self) -> int | None:
        """Return the wires of the bisection: half of the leaves reach each spine from either side.

        Each spine has as many cables to either half of the leaves, wherever it is put. None with
        two leaves per rail, whose interfaces can be cut off, with an odd number of leaves, and with
        a segment that is not full.
        """
        leaves = self._leaves
        if self.servers % self.segment_servers:
            return None
        if self.leaves_per_rail > 1 or leaves % 2 or self.failed_links or self.failed_share:
            return None
        if self.hosts is not None:
            return None
        return leaves * self.spines * self.spine_links

    @property
    def _leaves(self) -> int:
        segments = -(-self.servers // self.segment_servers)
        return segments * self.rail_count * self.leaves_per_rail

    def tiers(self) -> tuple[int, ...]:
        """Return how many leaves and spines there are, and interfaces that are switches."""
        own = self.servers * self.gpus if self.leaves_per_rail > 1 else 0
        return (self._leaves, self.planes * self.spines, *([own] if own else []))

    @cached_property
    def graph(self) -> NetworkGraph:
        """The network."""
        nodes, dual = self.servers * self.gpus, self.leaves_per_rail > 1
        first = self._leaves + self.planes * self.spines
        homes = tuple(first + node if dual else self._above(node)[0] for node in range(nodes))
        names = self.labels_by(self.resolved_keys())
        cables = sorted(cable for ends in self._cables(first) for cable in (ends, _turned(ends)))
        return NetworkGraph(
            switches=tuple(names["switch"]),
            nodes=tuple(names["node"]),
            links=tuple(Link(start, end, width, link_class=of) for start, end, width, of in cables),
            enters=homes,
            leaves=homes,
        )

    def _above(self, node: int) -> range:
        """Return the leaves that an interface is joined to."""
        server, gpu = divmod(node, self.gpus)
        rail = server // self.segment_servers * self.rail_count + gpu % self.rail_count
        return range(rail * self.leaves_per_rail, (rail + 1) * self.leaves_per_rail)

    def _cables(self, first: int) -> Iterator[tuple[int, int, int, str]]:
        """Yield ends, wires and class of all cables; ``first``: the first switch of interfaces."""
        for leaf in range(self._leaves):
            plane = leaf % self.leaves_per_rail % self.planes
            for spine in range(self.spines):
                end = self._leaves + plane * self.spines + spine
                yield leaf, end, self.spine_links, "uplinks"
        if self.leaves_per_rail > 1:
            for node in range(self.servers * self.gpus):
                for leaf in self._above(node):
                    yield first + node, leaf, 1, "hosts"

    def resolved(self) -> dict[str, Any]:
        """Return the keys, from which all of the network follows."""
        return Topology.resolved(self)

    def resolved_keys(self) -> dict[str, Any]:
        """Return the keys that say what the network is, with their defaults."""
        return {name: getattr(self, name) for name in _NAMED} | self.worked_out()

    @classmethod
    def labels_by(cls, keys: Mapping[str, Any]) -> Mapping[str, Sequence[str]]:
        """Return what nodes and switches are called: `server0.gpu3`, `leaf1.3`, `spine5`."""
        servers, gpus, each = (int(keys[name]) for name in ("servers", "gpus", "leaves_per_rail"))
        segments = -(-servers // int(keys["servers_per_segment"]))
        nodes = [f"server{server}.gpu{gpu}" for server in range(servers) for gpu in range(gpus)]
        rails = [f"leaf{at}.{rail}" for at in range(segments) for rail in range(int(keys["rails"]))]
        leaves = [f"{name}.{j}" for name in rails for j in range(each)] if each > 1 else rails
        planes, spines = int(keys["planes"]), range(int(keys["spines"]))
        above = [f"spine{f'{p}.' if planes > 1 else ''}{k}" for p in range(planes) for k in spines]
        own = [f"{name} interface" for name in nodes] if each > 1 else []
        return {"node": nodes, "switch": [*leaves, *above, *own]}


_NAMED = ("servers", "gpus", "leaves_per_rail", "planes", "spines")


def _turned(cable: tuple[int, int, int, str]) -> tuple[int, int, int, str]:
    start, end, width, of = cable
    return end, start, width, of
