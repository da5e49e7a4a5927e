"""Processes whose instructions the user writes down."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, Strict

from ..errors import UserError, choice, shown
from ..parts import Part, key
from ..units import Size, Time
from . import steps
from .base import Network, Shape, Workload, check_node
from .collectives import (
    COLLECTIVES,
    AllGather,
    AllReduce,
    AllToAll,
    Barrier,
    Broadcast,
    Collective,
    Gather,
    Reduce,
    ReduceScatter,
    Scatter,
)


class Compute(Part, init=False):
    """Use the processor."""

    compute: Time = key(description="Mean time.")
    distribution: Shape = key(default="constant", description="Distribution of the times.")
    sigma: float = key(
        default=0.1,
        between=(0, 10),
        allow_inf_nan=False,
        description="Standard deviation over mean; for the normal distribution only.",
    )

    def spec(self, process: int) -> dict[str, Any]:
        """Return the step of a process as the engine describes it."""
        return steps.compute(self.compute, self.distribution, self.sigma)


class Send(Part, init=False):
    """Send a message to a socket of a process."""

    send: int = key(ge=0, description="Number of the receiving process.")
    socket: int = key(default=0, ge=0, description="Number of its socket.")
    bytes: Size = key(default=Size(32), description="Length of the message.")
    blocking: bool = key(default=True, description="Whether to wait for the acknowledgement.")

    def spec(self, process: int) -> dict[str, Any]:
        """Return the step of a process as the engine describes it."""
        return steps.send(self.send, self.socket, self.bytes, self.blocking)


class Multicast(Part, init=False):
    """Send a message to the same socket of several processes, and go on at once."""

    multicast: Annotated[
        tuple[Annotated[int, Field(ge=0)], ...], Strict(False), Field(min_length=1)
    ] = key(description="Numbers of the receiving processes, in order; each once.")
    socket: int = key(default=0, ge=0, description="Number of their socket.")
    bytes: Size = key(default=Size(32), description="Length of the message.")

    def _check(self) -> None:
        for place, process in enumerate(self.multicast):
            if process in self.multicast[:place]:
                raise self.refused("multicast", "must be there once", process)

    def spec(self, process: int) -> dict[str, Any]:
        """Return the step of a process as the engine describes it."""
        return steps.multicast(list(self.multicast), self.socket, self.bytes)


class Receive(Part, init=False):
    """Wait for a message and receive it."""

    receive: Annotated[int, Field(ge=0)] | Literal["any"] = key(
        description='Number of the socket, or "any".'
    )

    def spec(self, process: int) -> dict[str, Any]:
        """Return the step of a process as the engine describes it."""
        return steps.receive(None if self.receive == "any" else self.receive)


_STEPS: dict[str, type[Compute | Send | Multicast | Receive | Collective]] = {
    "compute": Compute,
    "send": Send,
    "multicast": Multicast,
    "receive": Receive,
    **COLLECTIVES,
}


def _step(value: object) -> object:
    """Choose the class of a step by the key that names it."""
    if not isinstance(value, dict):
        return value
    named = [key for key in _STEPS if key in value]
    if len(named) == 1:
        return _STEPS[named[0]](**value)
    if not named and value:
        raise choice("", next(iter(value)), _STEPS)
    raise UserError("", shown(value), 'must be one step, such as {compute = "10 us"}')


Step = Annotated[
    Compute
    | Send
    | Multicast
    | Receive
    | Barrier
    | Broadcast
    | Reduce
    | AllReduce
    | Gather
    | Scatter
    | AllGather
    | ReduceScatter
    | AllToAll,
    BeforeValidator(_step),
]


class Process(Part, init=False):
    """A process: where it runs and what it does, again and again."""

    node: int = key(ge=0, description="Number of the node it runs on.")
    start: Time = key(default=Time(0), description="When it begins.")
    start_window: Time = key(
        default=Time(0), description="It begins later by a random time within this window."
    )
    repeat: int | None = key(
        default=None, ge=1, description="How often the steps are executed; default: without end."
    )
    sockets: Annotated[tuple[int | Literal["any"], ...], Strict(False)] | None = key(
        default=None,
        description='Who may send to each socket: a process number or "any"; '
        "default: as many sockets as are used, open to any.",
    )
    steps: Annotated[tuple[Step, ...], Strict(False), Field(min_length=1)] = key(
        description='Such as {compute = "10 us"}, {send = 1, socket = 0, bytes = "32 B"}, '
        '{multicast = [1, 2], bytes = "32 B"}, '
        '{receive = 0}, {receive = "any"}, {barrier = "all"} or {all_reduce = "1 MB"}.'
    )


class Program(Workload, init=False):
    """Processes that execute written steps."""

    kind: Literal["program"] = key(default="program")
    process: Annotated[tuple[Process, ...], Strict(False), Field(min_length=1)] = key(
        description="The processes; their numbers count from 0."
    )

    def _check(self) -> None:
        for place, number, step in self._all_steps():
            for name, to in _receivers(step):
                if to >= len(self.process):
                    allowed = f"must be at most {len(self.process) - 1}, the last process"
                    raise UserError(f"{place}.{name}", shown(to), allowed)
            if isinstance(step, Collective):
                step.check(place, number, len(self.process))
        sockets = self._sockets()
        self._check_senders(sockets)
        for place, number, step in self._all_steps():
            if isinstance(step, Send | Multicast):
                for _, to in _receivers(step):
                    _check_send(place, number, (to, step.socket), sockets[to])
            if isinstance(step, Receive) and step.receive != "any":
                _check_socket(f"{place}.receive", step.receive, sockets[number])

    def _all_steps(
        self,
    ) -> Iterator[tuple[str, int, Compute | Send | Multicast | Receive | Collective]]:
        """Yield every step with its place in the file and the number of its process."""
        for number, process in enumerate(self.process):
            for index, step in enumerate(process.steps):
                yield f"workload.process[{number}].steps[{index}]", number, step

    def _sockets(self) -> list[list[int | None]]:
        """Return the permitted sender of each socket of each process; None permits all."""
        used = [0] * len(self.process)
        for _, number, step in self._all_steps():
            if isinstance(step, Send | Multicast):
                for _, to in _receivers(step):
                    used[to] = max(used[to], step.socket + 1)
            if isinstance(step, Receive) and step.receive != "any":
                used[number] = max(used[number], step.receive + 1)
        return [
            [None] * count
            if process.sockets is None
            else [None if sender == "any" else sender for sender in process.sockets]
            for process, count in zip(self.process, used, strict=True)
        ]

    def _check_senders(self, sockets: list[list[int | None]]) -> None:
        for number, senders in enumerate(sockets):
            for index, sender in enumerate(senders):
                if sender is not None and not 0 <= sender < len(self.process):
                    allowed = f'must be "any" or a process, 0 to {len(self.process) - 1}'
                    raise self.refused(f"process[{number}].sockets[{index}]", allowed, sender)

    @property
    def finite(self) -> bool:
        """Whether the workload ends by itself."""
        return all(process.repeat is not None for process in self.process)

    @property
    def sends_messages(self) -> bool:
        """Whether any step sends."""
        return any(
            isinstance(step, Send | Multicast | Collective) for _, _, step in self._all_steps()
        )

    def check(self, network: Network) -> None:
        """Raise `UserError` if a process is not on a node of the machine."""
        for number, process in enumerate(self.process):
            check_node(network, f"workload.process[{number}].node", process.node)

    def spec(self, network: Network) -> dict[str, Any]:
        """Return the workload as the engine describes it."""
        processes = [
            steps.process(
                process.node,
                [step.spec(number) for step in process.steps],
                sockets,
                start=process.start,
                start_window=process.start_window,
                repeat=process.repeat,
            )
            for number, (process, sockets) in enumerate(
                zip(self.process, self._sockets(), strict=True)
            )
        ]
        return {"kind": self.kind, "processes": processes}

    def iteration_ps(self, network: Network) -> int:
        """Return the mean over processes of computing and round trips in one iteration."""
        total = 0
        for _, _, step in self._all_steps():
            if isinstance(step, Compute):
                total += step.compute.ps
            if isinstance(step, Send | Multicast):
                total += network.round_trip_ps(step.bytes.bytes)
            if isinstance(step, Collective):
                rounds = len(step.members or self.process).bit_length()
                total += rounds * network.round_trip_ps(step.bytes)
        return total // len(self.process)


def _receivers(step: object) -> list[tuple[str, int]]:
    """Return the processes that a step sends to, by the key that names them."""
    if isinstance(step, Send):
        return [("send", step.send)]
    if isinstance(step, Multicast):
        return [("multicast", to) for to in step.multicast]
    return []


def _check_send(place: str, sender: int, to: tuple[int, int], sockets: list[int | None]) -> None:
    receiver, socket = to
    _check_socket(f"{place}.socket", socket, sockets)
    permitted = sockets[socket]
    if permitted not in (None, sender):
        allowed = f"socket {socket} of process {receiver} is for process {permitted} only"
        raise UserError(f"{place}.socket", shown(socket), allowed)


def _check_socket(place: str, socket: int, sockets: list[int | None]) -> None:
    if socket >= len(sockets):
        raise UserError(place, shown(socket), f"no such socket; there are {len(sockets)}")
