"""Programs that are built in: computing only, one busy link, tokens, fan-in and fan-out.

Those in which processes exchange messages are in `exchanges`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from ..parts import key
from ..units import Size, Time
from . import steps
from .base import MOST_PROCESSES, Network, Shape, Workload, check_node
from .on_nodes import OnNodes

if TYPE_CHECKING:
    from ..programs import Node

__all__ = ["Bandwidth", "ComputeOnly", "FanIn", "FanOut", "TokenPass"]


class ComputeOnly(Workload, init=False):
    """Processes that compute and never communicate (the thesis (Tweedie), section 4.1.3)."""

    kind: Literal["compute_only"] = key(default="compute_only")
    period: Time = key(
        default=Time(1_000_000), description="Mean time a process computes in one iteration."
    )
    processes_per_node: int = key(default=1, between=(1, 4096), description="Processes per node.")
    distribution: Shape = key(default="constant", description="Distribution of the times.")
    sigma: float = key(
        default=0.1,
        between=(0, 10),
        allow_inf_nan=False,
        description="Standard deviation over mean of the times; for the normal distribution only.",
    )

    @property
    def sends_messages(self) -> bool:
        """There are none."""
        return False

    def check(self, network: Network) -> None:
        """Raise `UserError` if there are too many processes, or nothing takes time."""
        if network.nodes * self.processes_per_node > MOST_PROCESSES:
            allowed = f"must be at most {MOST_PROCESSES} processes in all"
            raise self.refused("processes_per_node", allowed)
        if self.period.ps == 0:
            allowed = "must be above zero: nothing else takes time"
            raise self.refused("period", allowed)

    def spec(self, network: Network) -> dict[str, Any]:
        """Return the workload as the engine describes it."""
        step = steps.compute(self.period, self.distribution, self.sigma)
        numbers = range(network.nodes * self.processes_per_node)
        nodes = (number // self.processes_per_node for number in numbers)
        return {
            "kind": "program",
            "processes": [steps.process(node, [step], []) for node in nodes],
        }

    def iteration_ps(self, network: Network) -> int:
        """Return the time all processes of a node compute once."""
        return self.period.ps * self.processes_per_node


class Bandwidth(Workload, init=False):
    """One virtual link between two nodes, or one each way, as busy as it can be.

    A process sends messages one after the other, each when the previous one has
    been acknowledged; another receives them (the thesis (Tweedie), section
    4.1.4). Both ways, every node has a sender and a receiver.
    """

    kind: Literal["bandwidth"] = key(default="bandwidth")
    message_size: Size = key(default=Size(32), description="Length of each message.")
    direction: Literal["one_way", "both_ways"] = key(
        default="one_way", description="Whether the destination sends as well."
    )
    offset: Time = key(
        default=Time(0), description="How much later the destination begins to send."
    )
    source: int = key(default=0, ge=0, description="Number of the sending node.")
    destination: int = key(default=1, ge=0, description="Number of the receiving node.")

    def check(self, network: Network) -> None:
        """Raise `UserError` unless source and destination are two nodes of the machine."""
        for name, node in (("source", self.source), ("destination", self.destination)):
            check_node(network, f"workload.{name}", node)
        if self.source == self.destination:
            allowed = "must not be the source: a message within a node takes no time"
            raise self.refused("destination", allowed)
        if self.offset.ps and self.direction == "one_way":
            allowed = 'must be 0 unless direction = "both_ways"'
            raise self.refused("offset", allowed)

    def spec(self, network: Network) -> dict[str, Any]:
        """Return the workload as the engine describes it."""
        processes = self._link(self.source, self.destination, 0, Time(0))
        if self.direction == "both_ways":
            processes += self._link(self.destination, self.source, 2, self.offset)
        return {"kind": "program", "processes": processes}

    def _link(self, source: int, destination: int, first: int, start: Time) -> list[dict[str, Any]]:
        """Return sender number ``first`` and the receiver, its successor."""
        send = steps.send(first + 1, 0, self.message_size, blocking=True)
        return [
            steps.process(source, [send], [], start=start),
            steps.process(destination, [steps.receive(0)], [first]),
        ]

    def iteration_ps(self, network: Network) -> int:
        """Return one round trip."""
        return network.round_trip_ps(self.message_size.bytes)


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
    laps: int = key(default=3, between=(1, 10**6), description="How often it goes round.")

    def check(self, network: Network) -> None:
        """Raise `UserError` for a machine of a single node."""
        self.check_two_nodes(network)

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

    also: ClassVar[str] = "incast gather reduce many_to_one"
    kind: Literal["fan_in"] = key(default="fan_in")
    message_size: Size = key(default=Size(1024), description="Length of each message.")
    destination: int = key(
        default=0, between=(0, 2**24), description="Number of the node they go to."
    )
    stagger: Time = key(
        default=Time(0), description="How much later each sends than the one before it."
    )

    def check(self, network: Network) -> None:
        """Raise `UserError` unless the node is there, and another."""
        self.check_two_nodes(network)
        check_node(network, "workload.destination", self.destination)

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

    also: ClassVar[str] = "broadcast multicast scatter one_to_all"
    kind: Literal["fan_out"] = key(default="fan_out")
    message_size: Size = key(default=Size(1024), description="Length of each message.")
    source: int = key(default=0, between=(0, 2**24), description="Number of the node that sends.")
    multicast: bool = key(default=False, description="Whether it is one message to all of them.")

    def check(self, network: Network) -> None:
        """Raise `UserError` unless the node is there, and another."""
        self.check_two_nodes(network)
        check_node(network, "workload.source", self.source)

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
