"""A complete exchange: every node sends to every other, in an order and between barriers."""

from __future__ import annotations

from functools import lru_cache
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ..errors import UserError
from ..parts import key
from ..units import Size
from . import steps
from .base import Network, Workload

if TYPE_CHECKING:
    from ..schedules import Schedule

Order = Literal["bounded", "scott", "naive_ascending", "naive_shifted", "naive_random"]


class CompleteExchange(Workload, init=False):
    """Every node sends a message to every other, step by step [Bokhari & Nicol 1996].

    There is one process on each node. It sends what the steps of a group ask for, one message
    behind the other, receives what comes, and waits at a barrier for all others before the next
    group. With order `bounded` the steps are collapsible: so many steps between barriers let so
    many messages share a node and a link (docs/schedules.md). `scott` has a barrier after every
    step; the naive orders have none. Messages of a node to itself are none.
    """

    kind: Literal["complete_exchange"] = key(default="complete_exchange")
    send_order: Order = key(default="bounded", description="In which order nodes send.")
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

    @property
    def finite(self) -> bool:
        """It ends when everybody has everything."""
        return True

    def check(self, network: Network) -> None:
        """Raise `UserError` if there is no such schedule for the machine."""
        self.schedule(network)

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

    def spec(self, network: Network) -> dict[str, Any]:
        """Return the workload as the engine describes it: a program for each node."""
        from .. import schedules

        turns = schedules.turns(self.schedule(network))
        return {
            "kind": "program",
            "processes": [self._process(node, turns[node]) for node in range(network.nodes)],
        }

    def _process(self, node: int, turns: list[Any]) -> dict[str, Any]:
        receive, barrier = steps.receive(None), steps.barrier()
        listed: list[dict[str, Any]] = []
        for number, turn in enumerate(turns):
            if number:
                listed.append(barrier)
            listed += [steps.send(to, 0, self.message_size, blocking=False) for to in turn.to]
            listed += [receive] * turn.receives
        return steps.process(node, listed, [None], repeat=1)

    def iteration_ps(self, network: Network) -> int:
        """Return one round trip."""
        return network.round_trip_ps(self.message_size.bytes)


@lru_cache(maxsize=4)
def _made(
    shape: tuple[int, ...], order: Order, given: tuple[tuple[str, int], ...], seed: int
) -> Schedule:
    """Return a schedule of an order, with as many steps between barriers as is asked for."""
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
