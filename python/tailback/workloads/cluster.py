"""Five programs by which networks of clusters are compared [Chen & Wyckoff]."""

from __future__ import annotations

from collections.abc import Callable
from math import isqrt, prod
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, Strict

from ..errors import UserError, shown
from ..parts import key
from ..units import Size, Time
from .base import Network
from .on_nodes import OnNodes

if TYPE_CHECKING:
    from ..programs import Node

__all__ = ["FanIn", "FanOut", "MeshExchange", "TokenPass", "TorusExchange"]

_Sides = Annotated[
    tuple[Annotated[int, Field(ge=1, le=2**20)], ...],
    Strict(False),
    Field(min_length=1, max_length=3),
]


def _needs_two(network: Network, kind: str) -> None:
    if network.nodes < 2:
        raise UserError("workload.kind", shown(kind), "needs at least two nodes")


def _checked_node(network: Network, name: str, node: int) -> None:
    if node >= network.nodes:
        allowed = f"must be at most {network.nodes - 1} (there are {network.nodes} nodes)"
        raise UserError(f"workload.{name}", shown(node), allowed)


class TokenPass(OnNodes, init=False):
    """A message that goes round all nodes [Chen & Wyckoff].

    Node 0 sends it to node 1 at the beginning; who has it holds it for a time and sends it to the
    next node. Nothing else is under way: every message takes what it takes alone.
    """

    kind: Literal["token_pass"] = key(default="token_pass")
    message_size: Size = key(default=Size(1), description="Length of the message.")
    hold: Time = key(
        default=Time(30_000_000), description="How long a node has it before it sends it on."
    )
    laps: int = key(default=3, ge=1, le=10**6, description="How often it goes round.")

    def check(self, network: Network) -> None:
        """Raise `UserError` unless there is somebody to send to."""
        _needs_two(network, self.kind)

    def program(self, network: Network, seed: int) -> Callable[[Node], Any]:
        """Return what every node does."""

        async def program(node: Node) -> None:
            before, behind = ((node.number + step) % node.nodes for step in (-1, 1))
            is_first = node.number == 0
            if is_first:
                node.send(behind, self.message_size)
            for lap in range(self.laps):
                await node.receive(before, buffer=self.message_size)
                if is_first and lap == self.laps - 1:
                    return
                await node.compute(self.hold)
                node.send(behind, self.message_size)

        return program

    def iteration_ps(self, network: Network) -> int:
        """Return how long one node has the message, and half of a round trip."""
        return self.hold.ps + network.round_trip_ps(self.message_size.bytes) // 2


class FanIn(OnNodes, init=False):
    """All nodes send a message to one of them at once [Chen & Wyckoff]."""

    kind: Literal["fan_in"] = key(default="fan_in")
    message_size: Size = key(default=Size(1024), description="Length of each message.")
    destination: int = key(default=0, ge=0, le=2**24, description="Number of the node they go to.")
    stagger: Time = key(
        default=Time(0), description="How much later each sends than the one before it."
    )

    def check(self, network: Network) -> None:
        """Raise `UserError` unless the node is there, and another."""
        _needs_two(network, self.kind)
        _checked_node(network, "destination", self.destination)

    def program(self, network: Network, seed: int) -> Callable[[Node], Any]:
        """Return what every node does."""

        async def program(node: Node) -> None:
            if node.number == self.destination:
                for _ in range(node.nodes - 1):
                    await node.receive(buffer=self.message_size)
                return
            place = node.number - (node.number > self.destination)
            if place and self.stagger.ps:
                await node.compute(Time(place * self.stagger.ps))
            node.send(self.destination, self.message_size)

        return program

    def iteration_ps(self, network: Network) -> int:
        """Return what all messages together take at most, roughly."""
        return network.nodes * network.round_trip_ps(self.message_size.bytes)


class FanOut(OnNodes, init=False):
    """One node sends a message to all others, in the order of their numbers [Chen & Wyckoff].

    Either a message to each, or one to all, which gets there as `machine.interface.multicast` says.
    """

    kind: Literal["fan_out"] = key(default="fan_out")
    message_size: Size = key(default=Size(1024), description="Length of each message.")
    source: int = key(default=0, ge=0, le=2**24, description="Number of the node that sends.")
    multicast: bool = key(default=False, description="Whether it is one message to all of them.")

    def check(self, network: Network) -> None:
        """Raise `UserError` unless the node is there, and another."""
        _needs_two(network, self.kind)
        _checked_node(network, "source", self.source)

    def program(self, network: Network, seed: int) -> Callable[[Node], Any]:
        """Return what every node does."""

        async def program(node: Node) -> None:
            if node.number != self.source:
                await node.receive(self.source, buffer=self.message_size)
                return
            others = [other for other in range(node.nodes) if other != self.source]
            if self.multicast:
                node.send(others, self.message_size)
                return
            for other in others:
                node.send(other, self.message_size)

        return program

    def iteration_ps(self, network: Network) -> int:
        """Return what all messages together take at most, roughly."""
        return network.nodes * network.round_trip_ps(self.message_size.bytes)


class _GridExchange(OnNodes, init=False):
    """Processes of a grid that compute and exchange messages with their neighbours."""

    message_size: Size = key(default=Size(32), description="Length of each message.")
    sides: _Sides | None = key(
        default=None,
        description="Processes along each dimension, x first: one, two or three; default: two, as "
        "equal as there are nodes.",
    )
    compute: Time = key(
        default=Time(10_000_000), description="Time a process computes before every exchange."
    )
    exchanges: int = key(default=9, ge=1, le=10**6, description="Exchanges of each process.")

    def shape(self, network: Network) -> tuple[int, ...]:
        """Return the processes along each dimension."""
        if self.sides is not None:
            return self.sides
        count = network.nodes
        rows = next(rows for rows in range(isqrt(count), 0, -1) if count % rows == 0)
        return count // rows, rows

    def check(self, network: Network) -> None:
        """Raise `UserError` unless every node has a process, and one somebody to send to."""
        sides = self.shape(network)
        if prod(sides) != network.nodes:
            allowed = f"must be {network.nodes} processes together, one for every node"
            raise UserError("workload.sides", shown(list(sides)), allowed)
        _needs_two(network, self.kind)

    def neighbours(self, network: Network, node: int) -> list[int]:
        """Return to whom a process sends, in order: down x, up x, down y, up y, down z, up z."""
        found, stride = [], 1
        for side in self.shape(network):
            place = node // stride % side
            for step in (-1, 1):
                there = (place + step) % side if self._is_round else place + step
                if 0 <= there < side and there != place:
                    found.append(node + (there - place) * stride)
            stride *= side
        return found

    @property
    def _is_round(self) -> bool:
        return self.kind == "torus"

    def program(self, network: Network, seed: int) -> Callable[[Node], Any]:
        """Return what every node does."""

        async def program(node: Node) -> None:
            neighbours = self.neighbours(network, node.number)
            for exchange in range(self.exchanges):
                await node.compute(self.compute)
                for neighbour in neighbours:
                    node.send(neighbour, self.message_size, type=exchange)
                coming = [
                    node.receive(neighbour, exchange, buffer=self.message_size)
                    for neighbour in neighbours
                ]
                for message in coming:
                    await message

        return program

    def iteration_ps(self, network: Network) -> int:
        """Return the time of computing and of a message there and one back."""
        return self.compute.ps + network.round_trip_ps(self.message_size.bytes)


class MeshExchange(_GridExchange, init=False):
    """Processes of a mesh that compute and exchange messages with neighbours [Chen & Wyckoff].

    There is one on every node; process x + X (y + Y z) is on the node of that number, whatever the
    network. In each exchange it computes, sends a message to each neighbour at one instant: down x,
    up x, down y, up y (and down z, up z), and waits for this exchange's message of each. One of
    the next exchange that is early is kept.
    """

    kind: Literal["mesh"] = key(default="mesh")


class TorusExchange(_GridExchange, init=False):
    """The same as `mesh` on a torus: the first and the last of a dimension are neighbours, too."""

    kind: Literal["torus"] = key(default="torus")
