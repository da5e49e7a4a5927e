"""Programs that are built in: boundary exchange, computing only, bandwidth, ring all-reduce.

Those of a file of their own are named here.
"""

from __future__ import annotations

from typing import Any, Literal

from ..errors import UserError, shown
from ..parts import key
from ..units import Size, Time
from . import steps
from .base import (
    MOST_PROCESSES,
    Network,
    Shape,
    Start,
    Workload,
    iterations_to_fall_out_of_step,
)
from .complete_exchange import CompleteExchange
from .peer_exchange import PeerExchange

__all__ = [
    "Bandwidth",
    "BoundaryExchange",
    "CompleteExchange",
    "ComputeOnly",
    "PeerExchange",
    "RingAllreduce",
]

#: Where the sockets of a boundary exchange lead: (i+1, j), (i, j-1), (i-1, j), (i, j+1).
_NEIGHBOURS = ((1, 0), (0, -1), (-1, 0), (0, 1))


class BoundaryExchange(Workload, init=False):
    """A torus of processes, four to a node, that exchange messages with their neighbours.

    The thesis (Tweedie), section 4.2.1: processes P(i, j) form a torus twice as
    wide and twice as high as the mesh; P(i, j) runs on node (i div 2, j div 2).
    Each repeats: compute; send to (i+1, j), (i, j-1), (i-1, j), (i, j+1);
    receive from the same four in the same order. Process numbers count the four
    processes of node 0 first, i before j.
    """

    kind: Literal["boundary_exchange"] = key(default="boundary_exchange")
    period: Time = key(
        default=Time(3_500_000), description="Time a process computes in one iteration."
    )
    message_size: Size = key(default=Size(32), description="Length of each message.")
    blocking_sends: bool = key(
        default=False,
        description="Whether each send waits for its acknowledgement; if so, all wait for ever.",
    )
    repeat: int | None = key(
        default=None, ge=1, description="Iterations of each process; default: without end."
    )
    start: Start = key(
        default="random", description="Processes begin at random within a period, or together."
    )

    @property
    def finite(self) -> bool:
        """Whether the workload ends by itself."""
        return self.repeat is not None

    def check(self, network: Network) -> None:
        """Raise `UserError` unless the machine has two dimensions."""
        if len(network.shape) != 2:
            allowed = f"needs a machine of two dimensions, not {len(network.shape)}"
            raise self.refused("kind", allowed)

    def spec(self, network: Network) -> dict[str, Any]:
        """Return the workload as the engine describes it."""
        width, height = network.shape
        places = ((i, j) for j in range(2 * height) for i in range(2 * width))
        numbered = sorted((self._number(i, j, width), i, j) for i, j in places)
        processes = [self._process(i, j, width, height) for _, i, j in numbered]
        return {"kind": "program", "processes": processes}

    @staticmethod
    def _number(i: int, j: int, width: int) -> int:
        """Return the number of process P(i, j)."""
        node = i // 2 + width * (j // 2)
        return 4 * node + i % 2 + 2 * (j % 2)

    def _process(self, i: int, j: int, width: int, height: int) -> dict[str, Any]:
        peers = [
            self._number((i + di) % (2 * width), (j + dj) % (2 * height), width)
            for di, dj in _NEIGHBOURS
        ]
        # What leaves on socket k arrives on the opposite socket of the neighbour.
        sends = [
            steps.send(peer, (k + 2) % 4, self.message_size, self.blocking_sends)
            for k, peer in enumerate(peers)
        ]
        receives = [steps.receive(k) for k in range(4)]
        return steps.process(
            i // 2 + width * (j // 2),
            [steps.compute(self.period), *sends, *receives],
            list(peers),
            start_window=self.period if self.start == "random" else Time(0),
            repeat=self.repeat,
        )

    def iteration_ps(self, network: Network) -> int:
        """Return the time four processes compute on one processor, and one round trip."""
        return 4 * self.period.ps + network.round_trip_ps(self.message_size.bytes)

    def settling_ps(self, network: Network) -> int:
        """Return how long the processes of the torus need to fall out of step."""
        iterations = iterations_to_fall_out_of_step(2 * max(network.shape), 1)
        return int(iterations * self.iteration_ps(network))


class ComputeOnly(Workload, init=False):
    """Processes that compute and never communicate (the thesis (Tweedie), section 4.1.3)."""

    kind: Literal["compute_only"] = key(default="compute_only")
    period: Time = key(
        default=Time(1_000_000), description="Mean time a process computes in one iteration."
    )
    processes_per_node: int = key(default=1, ge=1, le=4096, description="Processes per node.")
    distribution: Shape = key(default="constant", description="Distribution of the times.")
    sigma: float = key(
        default=0.1,
        ge=0,
        le=10,
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
            if node >= network.nodes:
                allowed = f"must be at most {network.nodes - 1} (there are {network.nodes} nodes)"
                raise UserError(f"workload.{name}", shown(node), allowed)
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


class RingAllreduce(Workload, init=False):
    """Every node ends with the sum of what all have, by way of a ring [Patarasuk & Yuan 2009].

    There is one process on each of n nodes, which form a ring in the order of their numbers. Each
    has an array of the same size, in n parts. In 2(n - 1) steps each sends a part to the next and
    receives one from the one before; it goes on when that is there. In the first half what comes is
    added (reduce-scatter), in the second it is copied (all-gather); neither takes any time. Every
    part is a message of size / n, rounded up to whole bytes.
    """

    kind: Literal["ring_allreduce"] = key(default="ring_allreduce")
    size: Size = key(default=Size(1_000_000), description="Length of the array of every node.")
    repeat: int = key(default=1, ge=1, description="How often it is done, one behind the other.")

    @property
    def finite(self) -> bool:
        """It ends when every node has the sum."""
        return True

    def check(self, network: Network) -> None:
        """Raise `UserError` if there is nothing to send."""
        if self.size.bytes == 0:
            raise self.refused("size", "must be at least 1 B")

    def _part(self, network: Network) -> Size:
        """Return the length of a message."""
        return Size(-(-self.size.bytes // network.nodes))

    def spec(self, network: Network) -> dict[str, Any]:
        """Return the workload as the engine describes it."""
        count = network.nodes
        processes = [
            steps.process(
                node,
                [
                    steps.send((node + 1) % count, 0, self._part(network), blocking=False),
                    steps.receive(0),
                ],
                [(node - 1) % count],
                repeat=2 * (count - 1) * self.repeat,
            )
            for node in range(count)
        ]
        return {"kind": "program", "processes": processes}

    def iteration_ps(self, network: Network) -> int:
        """Return one round trip of a part."""
        return network.round_trip_ps(self._part(network).bytes)
