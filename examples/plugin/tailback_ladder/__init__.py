"""A topology and two workloads that Tailback finds by their entry points in pyproject.toml."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Literal

from tailback.plugins import (
    Compute,
    FunctionWorkload,
    GraphTopology,
    Network,
    Node,
    Process,
    ProgramWorkload,
    Receive,
    Send,
    Size,
    Time,
    key,
)


class Ladder(GraphTopology):
    """Two rows of switches, each joined to its neighbours and to the one opposite.

    Switches 0 to n - 1 are one row, n to 2n - 1 the other.
    """

    kind: ClassVar[str] = "ladder"

    rungs: int = key(default=8, between=(2, 10_000), description="Switches of a row.")

    def edges(self) -> Iterator[tuple[int, int]]:
        """Yield the two switches of every link."""
        for rung in range(self.rungs):
            yield rung, self.rungs + rung
            if rung + 1 < self.rungs:
                yield rung, rung + 1
                yield self.rungs + rung, self.rungs + rung + 1


class Shift(ProgramWorkload, init=False):
    """Every node computes, sends a message to the node so many places on, and receives one."""

    kind: Literal["shift"] = key(default="shift")
    distance: int = key(default=1, ge=1, description="Places between sender and receiver.")
    message_size: Size = key(default=Size(1024), description="Length of each message.")
    period: Time = key(default=Time(1_000_000), description="Time computed before each message.")
    repeat: int = key(default=10, ge=1, description="Messages of each node.")

    def program(self, network: Network) -> Iterator[Process]:
        """Yield the process of every node."""
        for node in range(network.nodes):
            to = (node + self.distance) % network.nodes
            yield Process(
                node=node,
                repeat=self.repeat,
                steps=(
                    Compute(compute=self.period),
                    Send(send=to, bytes=self.message_size, blocking=False),
                    Receive(receive=0),
                ),
            )


class Token(FunctionWorkload, init=False):
    """A token goes round all nodes, in the order of their numbers."""

    kind: Literal["token"] = key(default="token")
    rounds: int = key(default=1, ge=1, description="How often it comes round.")
    message_size: Size = key(default=Size(64), description="Length of the token.")

    async def process(self, node: Node) -> None:
        """Pass the token on as often as it comes; node 0 has it first."""
        following = (node.number + 1) % node.nodes
        for _ in range(self.rounds):
            if node.number > 0:
                (await node.receive()).release()
            await node.send(following, self.message_size)
            if node.number == 0:
                (await node.receive()).release()
