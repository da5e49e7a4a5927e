"""The synthetic workload: compute, send to random processes, perhaps wait."""

from __future__ import annotations

from math import prod
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from ..errors import UserError, shown
from ..units import Size, Time
from .base import (
    MOST_PROCESSES,
    Network,
    Shape,
    Start,
    Workload,
    distribution,
    iterations_to_fall_out_of_step,
)


def _number_or_all(radius: object) -> object:
    """Refuse what is neither in one line; pydantic would complain of both alternatives."""
    if isinstance(radius, int) and not isinstance(radius, bool):
        if radius < 0:
            raise UserError("", shown(radius), 'must be at least 0, or "all"')
    elif radius not in (None, "all"):
        raise UserError("", shown(radius), 'must be a whole number, or "all"')
    return radius


_Radius = Annotated[
    Annotated[int, Field(ge=0)] | Literal["all"] | None, BeforeValidator(_number_or_all)
]


class Synthetic(Workload, init=False):
    """Processes that compute, send messages to random processes near them, and perhaps wait.

    The thesis (Tweedie), definition 5.1, calls it (D, r, n, c, m, M). What it
    does exactly is in ``docs/model.md``.
    """

    kind: Literal["synthetic"] = "synthetic"
    processes_per_node: int = Field(default=1, ge=1, le=4096, description="Processes per node.")
    radius: _Radius = Field(
        default=None,
        description="Largest difference to a destination in every coordinate, or all for "
        "destinations anywhere; default: half the largest dimension.",
    )
    compute_period: Time = Field(
        default=Time(100_000_000), description="Mean time a process computes in one iteration."
    )
    compute_distribution: Shape = Field(
        default="constant", description="Distribution of the times computed."
    )
    compute_sigma: float = Field(
        default=0.1,
        ge=0,
        le=10,
        allow_inf_nan=False,
        description="Standard deviation over mean of the times; for the normal distribution only.",
    )
    messages: int = Field(default=1, ge=1, le=4096, description="Messages of one iteration.")
    message_size: Size = Field(default=Size(32), description="Mean length of a message.")
    message_distribution: Shape = Field(
        default="constant", description="Distribution of the lengths of messages."
    )
    message_sigma: float = Field(
        default=0.1,
        ge=0,
        le=10,
        allow_inf_nan=False,
        description="Standard deviation over mean of the lengths; for the normal distribution.",
    )
    sync: Literal["loosely_synchronous", "asynchronous_blocking", "asynchronous"] = Field(
        default="loosely_synchronous",
        description="What a process waits for: its acknowledgements and the messages of its "
        "iteration, its acknowledgements, or nothing.",
    )
    throttle: Literal["outstanding", "queue_length"] = Field(
        default="outstanding",
        description="What makes an asynchronous process drop a message: its unacknowledged "
        "messages, or the data packets that wait in its node.",
    )
    max_outstanding: int = Field(
        default=16,
        ge=1,
        le=1_000_000,
        description='Most unacknowledged messages of a process; for throttle = "outstanding".',
    )
    max_queue: int = Field(
        default=16,
        ge=1,
        le=1_000_000,
        description='Most data packets that wait in a node; for throttle = "queue_length".',
    )
    start: Start = Field(
        default="random",
        description="Processes begin at random within one compute period, or all at time 0.",
    )

    def reach(self, network: Network) -> int:
        """Return the radius as a number on this machine."""
        if self.radius is None:
            return max(network.shape) // 2
        return max(network.shape) - 1 if self.radius == "all" else self.radius

    def check(self, network: Network) -> None:
        """Raise `UserError` if the workload does not fit on the machine."""
        if not network.shape:
            allowed = "needs a machine with coordinates: a mesh or a hypercube"
            raise UserError("workload.kind", shown(self.kind), allowed)
        most = max(network.shape) - 1
        if self.reach(network) > most:
            allowed = f"must be at most {most} (the largest dimension less one)"
            raise UserError("workload.radius", shown(self.radius), allowed)
        processes = network.nodes * self.processes_per_node
        if processes > MOST_PROCESSES:
            allowed = f"is {processes} processes in all; must be at most {MOST_PROCESSES}"
            raise UserError("workload.processes_per_node", shown(self.processes_per_node), allowed)
        reached = prod(min(extent, self.reach(network) + 1) for extent in network.shape)
        if reached * self.processes_per_node < 2:
            allowed = f"leaves a process nobody to send to (radius {self.reach(network)})"
            raise UserError("workload.processes_per_node", shown(self.processes_per_node), allowed)
        if self.sync == "asynchronous" and self.compute_period.ps == 0:
            allowed = 'must be above zero with sync = "asynchronous": nothing else takes time'
            raise UserError("workload.compute_period", shown(str(self.compute_period)), allowed)

    def spec(self, network: Network) -> dict[str, Any]:
        """Return the workload as the engine describes it."""
        limit = self.max_outstanding if self.throttle == "outstanding" else self.max_queue
        compute = distribution(self.compute_distribution, self.compute_period, self.compute_sigma)
        length = distribution(self.message_distribution, self.message_size, self.message_sigma)
        return {
            "kind": self.kind,
            "processes_per_node": self.processes_per_node,
            "radius": self.reach(network),
            "compute": compute,
            "messages": self.messages,
            "bytes": length,
            "sync": self.sync,
            "throttle": {"kind": self.throttle, "limit": limit},
            "start": self.start,
        }

    def iteration_ps(self, network: Network) -> int:
        """Return the time all processes of a node compute, and one round trip unless async."""
        computing = self.compute_period.ps * self.processes_per_node
        if self.sync == "asynchronous":
            return computing
        return computing + network.round_trip_ps(self.message_size.bytes)

    def settling_ps(self, network: Network) -> int:
        """Return how long processes that wait for each other need to fall out of step."""
        if self.sync != "loosely_synchronous":
            return 0
        iterations = iterations_to_fall_out_of_step(max(network.shape), self.reach(network))
        return int(iterations * self.iteration_ps(network))

    def resolved(self, network: Network) -> dict[str, Any]:
        """Return every parameter, with units and with the radius used."""
        return super().resolved(network) | {"radius": self.reach(network)}
