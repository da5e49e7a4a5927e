"""What the engine knows of a description, without simulating it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from tailback import _engine as compiled

from .mistakes import user_error

#: Nodes of the largest machine.
MOST_NODES: int = compiled.MOST_NODES
#: Collectives, and how they are made of messages, in the engine's order.
OPERATIONS: tuple[str, ...] = tuple(compiled.OPERATIONS)
ALGORITHMS: tuple[str, ...] = tuple(compiled.ALGORITHMS)


@dataclass(frozen=True, slots=True)
class Network:
    """The numbers of a network."""

    nodes: int
    switches: int
    degree: int
    """Links of the switch with most links to others (of a node where there is no switch)."""
    links: int
    """Links between switches, each direction counted."""
    shape: tuple[int, ...]
    """Nodes along each dimension, x first; empty where they have no coordinates."""
    sides: tuple[int, ...]
    """Switches along each dimension; empty where there is none."""
    group_nodes: int | None
    """Nodes of a group of a dragonfly, an island, or a largest subtree of a fat tree."""
    link_classes: tuple[str, ...]
    """Names of the classes that links between switches fall into."""
    is_direct: bool
    """Whether nodes can be their own switches."""
    typical_hops: int
    """Links between switches on a typical way: half of the longest, roughly."""
    has_several_ways: bool
    """Whether there may be several ways that are equally short."""
    one_way: tuple[int, int] | None
    """The first link that none leads back along: the switches at its ends."""
    failed_links: tuple[tuple[int, int], ...]
    """The links that have failed: the switches at their ends."""


@dataclass(frozen=True, slots=True)
class RoutingFacts:
    """What a routing algorithm is like on a network."""

    classes: int
    """Classes of virtual channels it tells apart: it needs as many."""
    escapes: int
    """How many of them, the first, are the way out of all others."""
    chooses: bool
    """Whether packets may have a choice of several outputs."""
    remembers: bool
    """Whether a packet's route changes on its way."""
    draws: bool
    """Whether it draws random numbers for every packet."""
    is_known_free: bool
    """Whether it is free of deadlock by its own argument."""


@dataclass(frozen=True, slots=True)
class Suited:
    """A routing algorithm that suits a kind of topology."""

    kind: str
    switched: bool
    """Whether it suits switches that nodes are attached to."""
    integrated: tuple[tuple[str, str], ...]
    """Switchings and units with which it suits integrated nodes."""


@dataclass(frozen=True, slots=True)
class Exact:
    """The cheapest fidelity that leaves nothing of a machine out."""

    fidelity: str
    why: str
    """Why a cheaper one would not do."""


@dataclass(frozen=True, slots=True)
class Outage:
    """A fault, from its beginning until its repair."""

    fault: int
    """Which of the faults that were described it is one of."""
    what: str
    """What it concerns: `link`, `switch` or `node`."""
    at: int
    """The node or switch, or the switch at one end."""
    port: int | None
    """The port of a link that is named by its port."""
    to: int | None
    """The switch at the other end of a link."""
    from_ps: int
    until_ps: int


@dataclass(frozen=True, slots=True)
class Outages:
    """How many faults begin, and those that begin first."""

    count: int
    first: tuple[Outage, ...]


def network(topology: Mapping[str, Any]) -> Network:
    """Return the numbers of a network. Raises `UserError` for one that cannot be."""
    return Network(**_tuples(_facts(about="topology", topology=topology)))


def homes(topology: Mapping[str, Any]) -> tuple[int, ...]:
    """Return the switch of every node of a network; of nodes without one their numbers."""
    return tuple(_facts(about="homes", topology=topology))


def cables(topology: Mapping[str, Any]) -> tuple[tuple[int, int, int], ...]:
    """Return the links between switches that have not failed, each with both its directions once.

    Switch and port of one end, switch of the other.
    """
    return tuple(tuple(one) for one in _facts(about="cables", topology=topology))


def outages(
    topology: Mapping[str, Any], faults: Sequence[Mapping[str, Any]], first: int
) -> Outages:
    """Return how many faults begin, and those that begin first, so many of them."""
    told = _facts(about="outages", topology=topology, faults=faults, first=first)
    return Outages(told["count"], tuple(Outage(**one) for one in told["first"]))


@cache
def routings(kind: str) -> tuple[Suited, ...]:
    """Return the algorithms that suit a kind of topology, the usual one first."""
    return tuple(Suited(**_tuples(one)) for one in _facts(about="routings", kind=kind))


def arbiters() -> tuple[str, ...]:
    """Return the words that there are for arbiters."""
    return tuple(_facts(about="arbiters"))


def routing(topology: Mapping[str, Any], algorithm: Mapping[str, Any]) -> RoutingFacts:
    """Return what an algorithm is like. Raises `UserError` where it cannot be."""
    return RoutingFacts(**_facts(about="routing", topology=topology, algorithm=algorithm))


def exact(machine: Mapping[str, Any]) -> Exact:
    """Return the cheapest fidelity that leaves nothing of a machine out."""
    return Exact(**_facts(about="exact", machine=machine))


def check(machine: Mapping[str, Any], fidelity: str) -> None:
    """Raise `UserError` if a machine cannot be simulated at a fidelity.

    Whether its packets could wait for each other in a cycle is found out when it is built.
    """
    _facts(about="fidelity", machine=machine, fidelity=fidelity)


def _facts(**question: Any) -> Any:
    """Return the engine's answer."""
    text = json.dumps(question, sort_keys=True, separators=(",", ":"))
    try:
        return _answer(text)
    except compiled.SpecError as error:
        raise user_error(error, text) from None


@lru_cache(maxsize=64)
def _answer(question: str) -> Any:
    """Return an answer that is asked for once; not to be changed."""
    return json.loads(compiled.facts(question))


def _tuples(answer: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _frozen(value) for name, value in answer.items()}


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
