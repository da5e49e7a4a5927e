"""What all topologies have in common: their numbers, which the engine counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import Field, Strict

from ... import door
from ...errors import UserError
from ...parts import Part, key
from ...since311 import Self
from . import failed
from .hosts import Grouped, Hosts

if TYPE_CHECKING:
    from ...graphs import NetworkGraph

#: What is known of a topology and depends on its hosts.
_OF_HOSTS = ("facts", "grouped", "_hosts")

#: Nodes of the largest machine.
MOST_NODES = door.MOST_NODES

#: Numbers of parallel links, by level or dimension.
Widths = Annotated[
    tuple[Annotated[int, Field(ge=1, le=255)], ...], Strict(False), Field(min_length=1)
]


class _Routings:
    """The words that ``routing.kind`` may be with a kind of topology."""

    def __get__(self, made: Topology | None, kind: type[Topology]) -> tuple[str, ...]:
        return tuple(suited.kind for suited in door.routings(kind.family or kind.kind))


class Topology(Part):
    """Who is wired to whom; the base of every kind."""

    helpful: ClassVar[tuple[str, ...]] = ("degree", "node_count", "routings", "switch_count")
    section: ClassVar[str] = "machine.topology"
    kind: ClassVar[str]
    family: ClassVar[str] = ""
    """What the engine calls it, if not as its kind."""
    also: ClassVar[str] = ""
    """Other words for the kind."""
    routings = _Routings()
    """The words that ``routing.kind`` may be; the first is meant if it is left out."""

    failed_links: failed.Links | None = key(
        shown="given",
        default=None,
        description="Links that have failed, in both directions: two switches, as [3, 4] or "
        '"(0, 1) to (1, 1)", for all links between them, or a switch and a port, as "3:1", '
        'or "leaf1@7" where a file gives ports their numbers.',
    )
    failed_share: float | None = key(
        shown="given",
        default=None,
        between=(0, 1),
        description="Share of all links between switches that have failed besides, drawn at "
        "random.",
    )
    failed_seed: int | None = key(
        shown="given",
        default=None,
        between=(0, 2**63 - 1),
        description="Which of all such draws; default: 1.",
    )

    def _check(self) -> None:
        """Refuse what the engine cannot build."""
        self._check_failures()
        self.facts  # noqa: B018  # asked for its refusals

    def _check_failures(self) -> None:
        if self.failed_seed is not None and self.failed_share is None:
            raise self.refused("failed_seed", f"has no effect; needs {self.section}.failed_share")

    def worked_out(self) -> dict[str, Any]:
        """Return the keys that are left out and follow from others, with what they are."""
        return {}

    def spec(self) -> dict[str, Any]:
        """Return the topology as the engine describes it, with all its links."""
        keys = self.engine_keys(self.worked_out())
        # A list that is left out is empty there.
        return {"kind": self.kind} | {
            name: [] if value is None else value for name, value in keys.items()
        }

    def spec_left(
        self,
        spec: dict[str, Any] | None = None,
        inside: Mapping[str, Any] = MappingProxyType({}),
    ) -> dict[str, Any]:
        """Return the same with what has failed, and hosts; ``spec``: of the whole, if another.

        ``inside``: what differs on the links inside hosts.
        """
        whole = self.spec() if spec is None else spec
        if not self.failed_links and not self.failed_share:
            # As before there were these keys.
            return self._on_hosts(whole, inside)
        left = {
            "kind": "failing",
            "of": whole,
            "links": self._named_failures(),
            "share": round((self.failed_share or 0) * 1_000_000),
            "seed": 1 if self.failed_seed is None else self.failed_seed,
        }
        return self._on_hosts(left, inside)

    def _named_failures(self) -> list[dict[str, Any]]:
        if not self.failed_links:
            return []
        whole = door.network(self.spec())
        if not whole.links:
            raise UserError(failed.FIELD, None, "must be empty: no link joins two switches")
        # Coordinates are names in several forms.
        names = () if whole.sides else self._labels.get("switch", ())
        ends = failed.Ends(whole.switches, whole.sides, names, ports=self.file_ports)
        return ends.failed(self.failed_links)

    @contextmanager
    def names(self) -> Iterator[None]:
        """Give switches their names in mistakes that the engine finds meanwhile."""
        yield

    # Hosts. They are a part of their own, which the machine gives to its topology.

    @property
    def hosts(self) -> Hosts | None:
        """The hosts whose interfaces its nodes are, if they are."""
        found: Hosts | None = self.__dict__.get("_hosts")
        return found

    def with_hosts(self, hosts: Hosts | None) -> Self:
        """Return the same whose nodes are interfaces of hosts."""
        made = object.__new__(type(self))
        kept = {name: one for name, one in vars(self).items() if name not in _OF_HOSTS}
        made.__dict__.update(kept, _hosts=hosts)
        return made

    @property
    def network(self) -> Self:
        """The same without hosts: its nodes are the interfaces."""
        return self if self.hosts is None else self.with_hosts(None)

    @cached_property
    def grouped(self) -> Grouped | None:
        """Which interfaces hosts have, and which nodes. Raises `UserError`."""
        if self.hosts is None:
            return None
        network = self.network
        names = self._labels.get("node", ())
        return self.hosts.grouped(network.node_count, names, self.host_nodes)

    def _on_hosts(self, spec: dict[str, Any], inside: Mapping[str, Any]) -> dict[str, Any]:
        """Return a network as the engine describes it, on hosts if there are any."""
        if self.hosts is None or self.grouped is None:
            return spec
        hosts = {
            "interfaces": [list(own) for own in self.grouped.interfaces],
            "own": list(self.grouped.own),
            "rule": self.hosts.rule_spec(self.grouped),
            "inside": dict(inside),
            **self.hosts.engine_keys(),
        }
        return {"kind": "hosts", "of": spec, "hosts": hosts}

    def __eq__(self, other: object) -> bool:
        """Whether the other is of the same class and has the same values, and hosts."""
        if not isinstance(other, Topology):
            return NotImplemented
        return super().__eq__(other) is True and self.hosts == other.hosts

    def __hash__(self) -> int:
        """Return a hash of all values."""
        return hash((self._hash(), self.hosts))

    @cached_property
    def facts(self) -> door.Network:
        """What the engine knows of it. Raises `UserError` for one that cannot be."""
        with self.names():
            return door.network(self.spec_left())

    @property
    def homes(self) -> tuple[int, ...]:
        """The switch of every node."""
        return door.homes(self.spec_left())

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
    def file_ports(self) -> failed.FilePorts:
        """The ports of switches to which a file gives numbers."""
        return {}

    @property
    def numbers_in_file(self) -> dict[tuple[int, int], int]:
        """By switch and the engine's number of a port: the number that a file gives it, if any."""
        return {(at, number): port for (at, port), (number, _) in self.file_ports.items()}

    @property
    def graph_with_ports(self) -> NetworkGraph | None:
        """The network of a file that gives port numbers of links; else None."""
        return None

    @property
    def link_classes(self) -> tuple[str, ...]:
        """Names of the classes that links between switches fall into; empty if in none."""
        return self.facts.link_classes

    @property
    def host_nodes(self) -> int | None:
        """Nodes that are the interfaces of a host, numbered one after the other; None: unknown."""
        return None

    def bisection_wires(self) -> int | None:
        """Return the wires of the bisection where only the kind knows a formula; else None."""
        return None

    @property
    def labels(self) -> Mapping[str, Sequence[str]]:
        """What each `node` and each `switch` is called, by a file, by where it is, or by its host.

        Empty where they have numbers, or coordinates that the table of nodes has.
        """
        own = self._labels
        if self.grouped is None:
            return own
        switches = own.get("switch") or [str(n) for n in range(self.network.switch_count)]
        return {"node": self.grouped.nodes, "switch": (*switches, *self.grouped.with_switches)}

    @property
    def _labels(self) -> Mapping[str, Sequence[str]]:
        """The same of the network without hosts."""
        return {}

    @classmethod
    def labels_by(cls, keys: Mapping[str, Any]) -> Mapping[str, Sequence[str]]:
        """Return the labels as far as they follow from keys, without a look into a file."""
        del keys
        return {}

    def default_routing(self) -> str:
        """Return the kind of routing that is meant if none is named."""
        return self.routings[0]

    def resolved(self) -> dict[str, Any]:
        """Return every key as a file has it, with the defaults that depend on others."""
        keys = self.listed() | self.worked_out()
        if self.failed_share:
            keys["failed_seed"] = 1 if self.failed_seed is None else self.failed_seed
        return {"kind": self.kind, **keys}
