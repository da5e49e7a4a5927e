"""Which nodes of a machine the jobs on it have.

What is drawn depends on the seed and the name of the job alone: things are put in the order of
hashes of themselves, so that it is the same with every version of every library.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from ..errors import UserError, shown
from .base import Network

Choice = Literal["contiguous", "random", "random_switches", "random_groups"]
Order = Literal["linear", "random"]
Thing = TypeVar("Thing")


@dataclass(frozen=True)
class Wanted:
    """The nodes that one job is to have."""

    name: str
    nodes: tuple[int, ...] | None
    share: int | float | None
    placement: Choice
    order: Order
    seed: int

    def refused(self, key: str, given: object, allowed: str) -> UserError:
        """Return the mistake of wanting what cannot be had."""
        return UserError(f"job.{self.name}.{key}", None if given is None else shown(given), allowed)


def placed(wanted: Sequence[Wanted], network: Network) -> dict[str, tuple[int, ...]]:
    """Return the nodes of every job: first those that are named, then shares in order.

    Raises `UserError` for nodes that are not there or not free.
    """
    owner: dict[int, str] = {}
    found: dict[str, tuple[int, ...]] = {}
    for job in sorted(wanted, key=_turn):
        if job.nodes is not None and job.share is not None:
            raise job.refused("share", job.share, "must not be given together with nodes")
        nodes = (
            _named(job, owner, network) if job.nodes is not None else _drawn(job, owner, network)
        )
        found[job.name] = tuple(nodes if job.order == "linear" else _shuffled(nodes, job, "order"))
        owner.update(dict.fromkeys(nodes, job.name))
    return {job.name: found[job.name] for job in wanted}


def _turn(job: Wanted) -> int:
    """Return when a job chooses: who names nodes first, who takes what is left last."""
    if job.nodes is not None:
        return 0
    return 1 if job.share is not None else 2


def _named(job: Wanted, owner: dict[int, str], network: Network) -> Sequence[int]:
    nodes = job.nodes or ()
    for node in nodes:
        if node >= network.nodes:
            allowed = f"must be at most {network.nodes - 1} (there are {network.nodes} nodes)"
            raise job.refused("nodes", node, allowed)
        if node in owner:
            allowed = f"must not be a node of job {owner[node]}, too: a node is in one job"
            raise job.refused("nodes", node, allowed)
    return nodes


def _drawn(job: Wanted, owner: dict[int, str], network: Network) -> Sequence[int]:
    free = [node for node in range(network.nodes) if node not in owner]
    if job.share is None:
        if not free:
            raise job.refused("nodes", None, "must be given: other jobs have all nodes")
        return free
    count = job.share if isinstance(job.share, int) else max(1, round(job.share * network.nodes))
    if count > len(free):
        allowed = f"is {count} nodes; only {len(free)} of {network.nodes} are free"
        raise job.refused("share", job.share, allowed)
    if job.placement == "contiguous":
        return _row(job, free, count)
    if job.placement == "random":
        return sorted(_shuffled(free, job, "nodes")[:count])
    return _of_places(job, free, count, network)


def _row(job: Wanted, free: Sequence[int], count: int) -> Sequence[int]:
    """Return the first nodes in a row."""
    for first in range(len(free) - count + 1):
        if free[first + count - 1] - free[first] == count - 1:
            return free[first : first + count]
    allowed = f"finds no {count} free nodes in a row; choose another placement"
    raise job.refused("share", job.share, allowed)


def _of_places(job: Wanted, free: Sequence[int], count: int, network: Network) -> Sequence[int]:
    """Return free nodes of switches, or groups, drawn one after the other: as many as needed."""
    if job.placement == "random_switches":
        home = network.homes()
    else:
        if network.group_nodes is None:
            allowed = "needs a machine with groups, such as a dragonfly"
            raise job.refused("placement", job.placement, allowed)
        size = network.group_nodes
        home = tuple(node // size for node in range(network.nodes))
    at: dict[int, list[int]] = {}
    for node in free:
        at.setdefault(home[node], []).append(node)
    found: list[int] = []
    for place in _shuffled(at, job, "places"):
        found += at[place]
    return sorted(found[:count])


def _shuffled(things: Iterable[Thing], job: Wanted, purpose: str) -> list[Thing]:
    """Return things in an order drawn for a job."""

    def drawn(thing: Thing) -> bytes:
        return hashlib.sha256(f"{job.seed}/{job.name}/{purpose}/{thing}".encode()).digest()

    return sorted(things, key=drawn)
