"""Loops in which nodes compute and exchange messages with their peers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import TYPE_CHECKING, Any, Literal

from ..parts import key
from ..units import Size, Time
from .base import Network
from .on_nodes import OnNodes

if TYPE_CHECKING:
    from ..programs import Node

Pattern = Literal["adjacent", "four_neighbours", "diagonal", "transpose"]


class PeerExchange(OnNodes, init=False):
    """Nodes of a mesh that compute and exchange messages with peers [Chittor & Enbody 1990].

    A loop: compute for a time that all peers draw alike; then nodes of class A send a message to
    each of their peers and receive one from each, and nodes of class B receive first and send then
    (AB), or all send first (AA). Sends do not block. Row i and column j of a node are its last and
    its first coordinate. Peers are: `adjacent` (i, j xor 1), of class A if j is even;
    `four_neighbours` all nodes one link away, A if i + j is even; `diagonal` (i, i) and
    (n - 1 - i, n - 1 - i), A in the upper left half; `transpose` (i, j) and (j, i), A if i > j.
    Nodes without peers do nothing.
    """

    kind: Literal["peer_exchange"] = key(default="peer_exchange")
    peers: Pattern = key(default="adjacent", description="Who exchanges with whom.")
    sends_first: Literal["A", "all"] = key(
        default="A", description="Who sends before it receives: class A (AB), or all nodes (AA)."
    )
    message_size: Size = key(default=Size(1000), description="Length of each message.")
    compute: Time = key(default=Time(0), description="Mean time of computing in a loop.")
    distribution: Literal["constant", "uniform"] = key(
        default="uniform",
        description="Of the times of computing: uniform from 0 to twice the mean.",
    )
    repeat: int = key(default=100, ge=1, description="Loops of each node.")

    def check(self, network: Network) -> None:
        """Raise `UserError` unless the machine has rows and columns, and such peers."""
        shape = network.shape
        if len(shape) != 2:
            allowed = f"needs a machine of two dimensions, not {len(shape)}"
            raise self.refused("kind", allowed)
        columns, rows = shape
        if self.peers in ("diagonal", "transpose") and columns != rows:
            allowed = f"needs as many rows as columns, not {columns} x {rows}"
            raise self.refused("peers", allowed)
        if self.peers == "adjacent" and columns < 2:
            allowed = f"needs at least two columns, not {columns}"
            raise self.refused("peers", allowed)

    def peers_of(self, network: Network, node: int) -> list[int]:
        """Return the nodes that a node exchanges messages with, in the order in which it does."""
        columns, rows = network.shape
        i, j = divmod(node, columns)
        if self.peers == "adjacent":
            places = [(i, j ^ 1)]
        elif self.peers == "four_neighbours":
            places = [(i - 1, j), (i, j - 1), (i, j + 1), (i + 1, j)]
        elif self.peers == "diagonal":
            places = [(columns - 1 - i, columns - 1 - i)] if i == j else []
        else:
            places = [(j, i)]
        there = [(a, b) for a, b in places if 0 <= a < rows and 0 <= b < columns]
        return [b + columns * a for a, b in there if (a, b) != (i, j)]

    def is_of_class_a(self, network: Network, node: int) -> bool:
        """Return whether a node sends first where only those of class A do."""
        columns, _ = network.shape
        i, j = divmod(node, columns)
        if self.peers == "adjacent":
            return j % 2 == 0
        if self.peers == "four_neighbours":
            return (i + j) % 2 == 0
        return i < columns / 2 if self.peers == "diagonal" else i > j

    def times(self, network: Network, node: int, seed: int) -> Iterator[Time]:
        """Yield how long a node computes in each loop of a run: as long as its peers do."""
        peers = self.peers_of(network, node)
        # With four neighbours everybody is a peer of a peer.
        stream = 0 if self.peers == "four_neighbours" else min(node, *peers)
        drawn = Random(f"{seed}/{stream}")
        mean = self.compute.ps
        for _ in range(self.repeat):
            yield Time(drawn.randint(0, 2 * mean)) if self.distribution == "uniform" else Time(mean)

    def places(self, network: Network) -> list[int]:
        """Return the nodes that have peers."""
        return [n for n in range(network.nodes) if self.peers_of(network, n)]

    def program(self, network: Network, seed: int) -> Callable[[Node], Any]:
        """Return what every node does."""

        async def program(node: Node) -> None:
            peers = self.peers_of(network, node.number)
            sends_first = self.sends_first == "all" or self.is_of_class_a(network, node.number)
            for time in self.times(network, node.number, seed):
                await node.compute(time)
                if sends_first:
                    self._send(node, peers)
                for peer in peers:
                    await node.receive(peer, buffer=self.message_size)
                if not sends_first:
                    self._send(node, peers)

        return program

    def _send(self, node: Node, peers: list[int]) -> None:
        for peer in peers:
            node.send(peer, self.message_size)

    def iteration_ps(self, network: Network) -> int:
        """Return the time of computing and of a message there and one back."""
        return self.compute.ps + 2 * network.round_trip_ps(self.message_size.bytes)
