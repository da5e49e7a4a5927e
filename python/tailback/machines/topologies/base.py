"""What all topologies have in common: their numbers, which the engine counts."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any, ClassVar

from ... import door
from ...parts import Part

#: Nodes of the largest machine.
MOST_NODES = door.MOST_NODES


class _Routings:
    """The words that ``routing.kind`` may be with a kind of topology."""

    def __get__(self, made: Topology | None, kind: type[Topology]) -> tuple[str, ...]:
        return tuple(suited.kind for suited in door.routings(kind.kind))


class Topology(Part):
    """Who is wired to whom; the base of every kind."""

    section: ClassVar[str] = "machine.topology"
    kind: ClassVar[str]
    routings = _Routings()
    """The words that ``routing.kind`` may be; the first is meant if it is left out."""

    def _check(self) -> None:
        """Refuse what the engine cannot build."""
        self.facts  # noqa: B018  # asked for its refusals

    @abstractmethod
    def spec(self) -> dict[str, Any]:
        """Return the topology as the engine describes it."""

    @contextmanager
    def names(self) -> Iterator[None]:
        """Give switches their names in mistakes that the engine finds meanwhile."""
        yield

    @cached_property
    def facts(self) -> door.Network:
        """What the engine knows of it. Raises `UserError` for one that cannot be."""
        return door.network(self.spec())

    @property
    def shape(self) -> tuple[int, ...]:
        """Nodes along each dimension, x first; empty for nodes without coordinates."""
        return self.facts.shape

    @property
    def degree(self) -> int:
        """Links of the switch with most links to others (of a node where there is no switch)."""
        return self.facts.degree

    @property
    def node_count(self) -> int:
        """Number of nodes."""
        return self.facts.nodes

    @property
    def switch_count(self) -> int:
        """Number of switches."""
        return self.facts.switches

    @property
    def link_classes(self) -> tuple[str, ...]:
        """Names of the classes that links between switches fall into; empty if in none."""
        return self.facts.link_classes

    @property
    def labels(self) -> Mapping[str, Sequence[str]]:
        """What a file calls each `node` and each `switch`; empty where they have numbers."""
        return {}

    def default_routing(self) -> str:
        """Return the kind of routing that is meant if none is named."""
        return self.routings[0]

    def resolved(self) -> dict[str, Any]:
        """Return every key as a file has it, with the defaults that depend on others."""
        return {"kind": self.kind, **self.written()}
