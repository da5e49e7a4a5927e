"""Workloads in which processes exchange messages with partners, round after round."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from functools import lru_cache
from math import isqrt, prod
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field, Strict

from ..errors import UserError, shown
from ..parts import key
from ..since311 import Self
from ..units import Size, Time
from . import steps
from .base import Network, Start, Workload, iterations_to_fall_out_of_step
from .on_nodes import OnNodes

if TYPE_CHECKING:
    from ..programs import Node
    from ..schedules import Schedule

__all__ = [
    "BoundaryExchange",
    "CompleteExchange",
    "MeshExchange",
    "PeerExchange",
    "RingAllreduce",
    "TorusExchange",
]


class Exchange(Workload, init=False):
    """Processes that exchange messages with partners; the base of every such kind.

    They are steps of a program (`InSteps`), or coroutines (with `OnNodes` as a second base).
    """

    message_size: Size
    round_trips: ClassVar[int] = 1
    """Messages that follow each other in a round, there and back."""

    @property
    def finite(self) -> bool:
        """It ends when everybody has done all rounds."""
        return True

    def length(self, network: Network) -> Size:
        """Return the length of each message."""
        return self.message_size

    @property
    def computing_ps(self) -> int:
        """How long the processes of a node compute in a round, in picoseconds."""
        return 0

    def iteration_ps(self, network: Network) -> int:
        """Return the time of computing in a round, and of its round trips."""
        trip = network.round_trip_ps(self.length(network).bytes)
        return self.computing_ps + self.round_trips * trip

    def check_plane(self, network: Network) -> None:
        """Raise `UserError` unless the machine has two dimensions."""
        if len(network.shape) != 2:
            allowed = f"needs a machine of two dimensions, not {len(network.shape)}"
            raise self.refused("kind", allowed)


class InSteps(Exchange, init=False):
    """Exchanges whose processes are written as steps."""

    @abstractmethod
    def written_processes(self, network: Network) -> list[dict[str, Any]]:
        """Return every process with its steps, as the engine describes them."""

    def spec(self, network: Network) -> dict[str, Any]:
        """Return the workload as the engine describes it: a program."""
        return {"kind": "program", "processes": self.written_processes(network)}


#: Where the sockets of a boundary exchange lead: (i+1, j), (i, j-1), (i-1, j), (i, j+1).
_NEIGHBOURS = ((1, 0), (0, -1), (-1, 0), (0, 1))

Order = Literal["bounded", "scott", "naive_ascending", "naive_shifted", "naive_random"]
Peers = Literal["adjacent", "four_neighbours", "diagonal", "transpose"]
_Sides = Annotated[
    tuple[Annotated[int, Field(ge=1, le=2**20)], ...],
    Strict(False),
    Field(min_length=1, max_length=3),
]


#: Keys that say in which order nodes send.
_ORDERING = {"send_order", "group", "node_contention", "link_contention", "file"}


class CompleteExchange(InSteps, init=False):
    """Every node sends a message to every other, step by step [Bokhari & Nicol 1996].

    There is one process on each node. It sends what the steps of a group ask for, one message
    behind the other, receives what comes, and waits at a barrier for all others before the next
    group. With order `bounded` the steps are collapsible: so many steps between barriers let so
    many messages share a node and a link (docs/schedules.md). `scott` has a barrier after every
    step; the naive orders have none. Messages of a node to itself are none.
    """

    also: ClassVar[str] = "all_to_all alltoall total_exchange"
    kind: Literal["complete_exchange"] = key(default="complete_exchange")
    send_order: Order = key(
        default="bounded",
        description="In which order nodes send; without coordinates the default is naive_shifted.",
    )
    group: int | None = key(
        default=None,
        ge=1,
        description="Steps between two barriers; of order bounded and of a file; default: 1.",
    )
    node_contention: int | None = key(
        default=None,
        ge=1,
        description="Instead: messages of a node between two barriers; of order bounded.",
    )
    link_contention: int | None = key(
        default=None,
        ge=1,
        description="Instead: messages on a link between two barriers; of order bounded.",
    )
    file: str | None = key(
        default=None,
        description="CSV or JSON file with a schedule of one's own, instead of an order; relative "
        "to the experiment file.",
    )
    message_size: Size = key(default=Size(1000), description="Length of each message.")
    order_seed: int = key(
        default=1, ge=0, lt=2**63, description="Which orders nodes have with naive_random."
    )

    def on(self, network: Network) -> Self:
        """Return the same with an order that the machine has, unless one was given."""
        if network.shape or self.named().keys() & _ORDERING:
            return self
        return self.with_worked_out(send_order="naive_shifted")

    def check(self, network: Network) -> None:
        """Raise `UserError` if there is no such schedule for the machine."""
        self.schedule(network)

    def steps(self, network: Network) -> int:
        """Return how many messages there are, each of which is sent and received."""
        return 2 * network.nodes * (network.nodes - 1)

    def schedule(self, network: Network) -> Schedule:
        """Return the schedule; raises `UserError` if there is none, or a file's is incomplete."""
        keys = {"group": self.group, "node": self.node_contention, "link": self.link_contention}
        given = {name: value for name, value in keys.items() if value is not None}
        shape = network.shape
        if not shape and self.send_order in ("bounded", "scott") and self.file is None:
            allowed = "needs a machine with coordinates, such as a mesh"
            raise self.refused("send_order", allowed)
        try:
            if self.file is not None:
                return self._from_file(shape or (network.nodes,), given)
            return _made(
                shape or (network.nodes,), self.send_order, tuple(given.items()), self.order_seed
            )
        except UserError as error:
            raise _placed(error) from None

    def _from_file(self, shape: tuple[int, ...], given: dict[str, int]) -> Schedule:
        from .. import schedules

        found = schedules.read(Path(str(self.file)), shape, given.get("group", 1))
        schedules.verify(found, given.get("node"), given.get("link"))
        return found

    def files_read(self) -> list[Path]:
        """Return the file of the schedule: it is read whenever the steps are asked for."""
        return [] if self.file is None else [Path(self.file)]

    def written_processes(self, network: Network) -> list[dict[str, Any]]:
        """Return a program for each node."""
        from .. import schedules

        turns = schedules.turns(self.schedule(network))
        return [self._process(node, turns[node]) for node in range(network.nodes)]

    def _process(self, node: int, turns: list[Any]) -> dict[str, Any]:
        receive, barrier = steps.receive(None), steps.barrier()
        listed: list[dict[str, Any]] = []
        for number, turn in enumerate(turns):
            if number:
                listed.append(barrier)
            listed += [steps.send(to, 0, self.message_size, blocking=False) for to in turn.to]
            listed += [receive] * turn.receives
        return steps.process(node, listed, [None], repeat=1)


@lru_cache(maxsize=4)
def _made(
    shape: tuple[int, ...], order: Order, given: tuple[tuple[str, int], ...], seed: int
) -> Schedule:
    """Return the schedule of an order, with the given number of steps between barriers."""
    from .. import schedules

    if prod(shape) < 2:
        raise UserError("kind", '"complete_exchange"', "needs at least two nodes")
    if order != "bounded" and given:
        name, value = given[0]
        allowed = f'must be left out with send_order = "{order}", which has '
        allowed += "a barrier after every step" if order == "scott" else "no barriers"
        raise UserError(name, str(value), allowed)
    made = schedules.in_order(shape, order, seed)
    if order == "bounded":
        return made.in_groups_of(schedules.group_of(shape, **dict(given)))
    return made


_PLACES = {
    "node": "workload.node_contention",
    "link": "workload.link_contention",
    "group": "workload.group",
    "mesh": "machine.topology.dims",
    "kind": "workload.kind",
}


def _placed(error: UserError) -> UserError:
    """Return a mistake with the key that it is about, as it stands in an experiment file."""
    place = _PLACES.get(error.field, error.field)
    return UserError(place, error.given, error.allowed, error.nearest)


class PeerExchange(OnNodes, Exchange, init=False):
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
    peers: Peers = key(default="adjacent", description="Who exchanges with whom.")
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

    round_trips: ClassVar[int] = 2

    @property
    def computing_ps(self) -> int:
        """Mean time of computing in a loop, in picoseconds."""
        return self.compute.ps

    def check(self, network: Network) -> None:
        """Raise `UserError` unless the machine has rows and columns, and such peers."""
        self.check_plane(network)
        columns, rows = network.shape
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


class BoundaryExchange(InSteps, init=False):
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

    @property
    def computing_ps(self) -> int:
        """How long four processes compute on one processor, in picoseconds."""
        return 4 * self.period.ps

    def check(self, network: Network) -> None:
        """Raise `UserError` unless the machine has two dimensions."""
        self.check_plane(network)

    def written_processes(self, network: Network) -> list[dict[str, Any]]:
        """Return the processes in order of their numbers."""
        width, height = network.shape
        places = ((i, j) for j in range(2 * height) for i in range(2 * width))
        numbered = sorted((self._number(i, j, width), i, j) for i, j in places)
        return [self._process(i, j, width, height) for _, i, j in numbered]

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

    def settling_ps(self, network: Network) -> int:
        """Return how long the processes of the torus need to fall out of step."""
        iterations = iterations_to_fall_out_of_step(2 * max(network.shape), 1)
        return int(iterations * self.iteration_ps(network))


class RingAllreduce(InSteps, init=False):
    """Every node ends with the sum of what all have, by way of a ring [Patarasuk & Yuan 2009].

    There is one process on each of n nodes, which form a ring in the order of their numbers. Each
    has an array of the same size, in n parts. In 2(n - 1) steps each sends a part to the next and
    receives one from the one before; it goes on when that is there. In the first half what comes is
    added (reduce-scatter), in the second it is copied (all-gather); neither takes any time. Every
    part is a message of size / n, rounded up to whole bytes.
    """

    also: ClassVar[str] = "all_reduce allreduce"
    kind: Literal["ring_allreduce"] = key(default="ring_allreduce")
    size: Size = key(
        default=Size(1_000_000),
        description="Length of the array of every node.",
        also="message_size bytes length",
    )
    repeat: int = key(default=1, ge=1, description="How often it is done, one behind the other.")

    def check(self, network: Network) -> None:
        """Raise `UserError` if there is nothing to send."""
        if self.size.bytes == 0:
            raise self.refused("size", "must be at least 1 B")

    def length(self, network: Network) -> Size:
        """Return the length of a part."""
        return Size(-(-self.size.bytes // network.nodes))

    def written_processes(self, network: Network) -> list[dict[str, Any]]:
        """Return the process of every node."""
        count, part = network.nodes, self.length(network)
        return [
            steps.process(
                node,
                [steps.send((node + 1) % count, 0, part, blocking=False), steps.receive(0)],
                [(node - 1) % count],
                repeat=2 * (count - 1) * self.repeat,
            )
            for node in range(count)
        ]


class _GridExchange(OnNodes, Exchange, init=False):
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
    exchanges: int = key(default=9, between=(1, 10**6), description="Exchanges of each process.")

    @property
    def computing_ps(self) -> int:
        """How long a process computes before an exchange, in picoseconds."""
        return self.compute.ps

    def shape(self, network: Network) -> tuple[int, ...]:
        """Return the processes along each dimension."""
        if self.sides is not None:
            return self.sides
        count = network.nodes
        rows = next(rows for rows in range(isqrt(count), 0, -1) if count % rows == 0)
        return count // rows, rows

    def check(self, network: Network) -> None:
        """Raise `UserError` unless every node has one process and there are at least two."""
        sides = self.shape(network)
        if prod(sides) != network.nodes:
            allowed = f"must be {network.nodes} processes together, one for every node"
            raise UserError("workload.sides", shown(list(sides)), allowed)
        self.check_two_nodes(network)

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


class MeshExchange(_GridExchange, init=False):
    """Processes of a mesh that compute and exchange messages with neighbours [Chen & Wyckoff].

    There is one on every node; process x + X (y + Y z) is on the node of that number, whatever the
    network. In each exchange it computes, sends a message to each neighbour at one instant: down x,
    up x, down y, up y (and down z, up z), and waits for this exchange's message of each. One of
    the next exchange that is early is kept.
    """

    also: ClassVar[str] = "stencil halo halo_exchange"
    kind: Literal["mesh"] = key(default="mesh")


class TorusExchange(_GridExchange, init=False):
    """The same as `mesh` on a torus: the first and the last of a dimension are neighbours, too."""

    kind: Literal["torus"] = key(default="torus")
