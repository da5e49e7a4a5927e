"""Hosts with several interfaces: which nodes of a network are of one host, and their names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Strict

from ...errors import UserError, nearest
from ...parts import MaybeRate, MaybeTime, Part, TimeKey, key
from ...units import Time

#: What may stand between the name of a host and that of one of its interfaces, the surest first.
_SEPARATORS = (" ", "/", ":", ".", "_", "-")

Rule = Literal["own", "rail", "flow_hash", "round_robin", "least_queued"]
Member = Annotated[tuple[str, ...], Strict(False)]
Members = Annotated[tuple[Member, ...], Strict(False)]


@dataclass(frozen=True)
class Grouped:
    """The hosts of a network, by number, and their nodes."""

    names: tuple[str, ...]
    """Of each host."""
    interfaces: tuple[tuple[int, ...], ...]
    """Of each host its interfaces, by place."""
    own: tuple[int, ...]
    """Of each node the interface that is its own."""
    nodes: tuple[str, ...]
    """Names of the nodes."""

    @cached_property
    def of_interfaces(self) -> tuple[int, ...]:
        """The host of each interface."""
        pairs = ((one, host) for host, own in enumerate(self.interfaces) for one in own)
        return tuple(host for _, host in sorted(pairs))

    @property
    def is_alone(self) -> tuple[bool, ...]:
        """Of each host whether it is a node with its interface, and no switch."""
        nodes = Counter(self.of_interfaces[own] for own in self.own)
        return tuple(len(own) == nodes[host] == 1 for host, own in enumerate(self.interfaces))

    @property
    def with_switches(self) -> tuple[str, ...]:
        """The names of hosts that have a switch, in its order."""
        hosts = zip(self.names, self.is_alone, strict=True)
        return tuple(name for name, is_alone in hosts if not is_alone)


class Hosts(Part):
    """Hosts whose nodes (GPUs, for example) reach the network through several interfaces.

    The nodes of the topology are then interfaces. Those of one host, and its nodes, are joined by
    a switch inside the host, and messages between nodes of a host stay there. No packet passes a
    host on its way. A host with one interface and one node has nothing inside: its node is the
    interface. Interfaces have the rate and delay of `machine.node_link`. An interface's *place* is
    its number among those of its host, which is its rail.
    """

    section: ClassVar[str] = "machine.hosts"

    interfaces: int | None = key(
        default=None,
        between=(1, 64),
        description="Interfaces of every host: so many nodes of the topology, one after the other. "
        "Default: the GPUs of a server, with topologies that have servers.",
    )
    separator: str | None = key(
        default=None,
        min_length=1,
        max_length=20,
        description='Instead: what separates the name of a host from that of an interface, as " " '
        'in "node3 HCA-1". What is before the last one names the host.',
    )
    members: Members | None = key(
        default=None,
        min_length=1,
        description="Instead: for each host that has several the names of its interfaces, in the "
        "order of their places. Nodes that are not named are hosts of their own.",
    )
    nodes_per_host: int | None = key(
        default=None,
        between=(1, 1024),
        also="gpus_per_host",
        description="Nodes of every host; node k of n has as its own the interface at place "
        "k · interfaces / n, rounded down. Default: one for each interface.",
    )
    rule: Rule | None = key(
        default=None,
        also="interface_rule",
        description="By which interface a message leaves its host: that of its node, to that of "
        "the receiving node (own); the one on the rail of the receiving node's own (rail); one for "
        "each flow, by a hash; all in turn, by process; or, packet by packet, the one with the "
        "least before it. It arrives at the interface of the same place, but with own and "
        "rail at the receiving node's own. Default: rail if hosts have a node for each interface, "
        "else flow_hash.",
    )
    rule_flow: Literal["pair", "process_pair", "message"] | None = key(
        default=None,
        description="With flow_hash, what is a flow: all between two nodes, or two processes, or a "
        "message. Default: pair.",
    )
    rule_seed: int | None = key(
        default=None, between=(0, 2**63 - 1), description="With flow_hash: which hash; default: 0."
    )
    rule_turn: Literal["message", "packet"] | None = key(
        default=None, description="With round_robin: what takes turns. Default: message."
    )
    inner_rate: MaybeRate = key(
        default=None,
        description="Bits per second of a link between a node and the switch inside its host; "
        "default: node_link.rate.",
    )
    inner_delay: MaybeTime = key(
        default=None, description="Time a flit is on such a link; default: 0 s."
    )
    inner_switch_delay: TimeKey = key(
        engine="delay_ps",
        default=Time(0),
        description="Time from a header's arrival at the switch inside a host until it asks for an "
        "output.",
    )

    def _check(self) -> None:
        given = [name for name in ("interfaces", "separator", "members") if self._has(name)]
        if len(given) > 1:
            raise self.refused(given[1], f"must be left out beside {given[0]}")
        for name, rule in (
            ("rule_flow", "flow_hash"),
            ("rule_seed", "flow_hash"),
            ("rule_turn", "round_robin"),
        ):
            if self._has(name) and self.rule != rule:
                raise self.refused(name, f'has no effect; needs {self.section}.rule = "{rule}"')

    def _has(self, name: str) -> bool:
        return getattr(self, name) is not None

    def grouped(self, count: int, names: Sequence[str], usual: int | None) -> Grouped:
        """Return the hosts of a network with so many nodes, which have these names or none.

        ``usual``: how many of them are a host, as the topology says. Raises `UserError`.
        """
        groups = self._groups(count, names, usual)
        parts = [[names[number] for number in part] for part in groups] if names else groups
        hosts = _named(parts)
        if self.nodes_per_host is None:
            own = list(range(count))
            nodes = list(names)
            if not names:
                placed = (
                    (number, f"{host}.{place}")
                    for host, part in zip(hosts, groups, strict=True)
                    for place, number in enumerate(part)
                )
                nodes = [name for _, name in sorted(placed)]
        else:
            each = self.nodes_per_host
            own = [part[number * len(part) // each] for part in groups for number in range(each)]
            nodes = [f"{host}.{number}" for host in hosts for number in range(each)]
        if len(own) < 2:
            raise self.refused(
                "nodes_per_host", "must be at least 2 for one host", self.nodes_per_host
            )
        return Grouped(hosts, tuple(map(tuple, groups)), tuple(own), tuple(nodes))

    def _groups(self, count: int, names: Sequence[str], usual: int | None) -> list[list[int]]:
        """Return the interfaces of each host, by place."""
        if self.members is not None:
            return self._listed(count, names, self.members)
        if self.separator is not None:
            found: dict[str, list[int]] = {}
            for number, name in enumerate(names):
                found.setdefault(name.rpartition(self.separator)[0] or name, []).append(number)
            if len(found) == len(names):
                raise self.refused("separator", "must be in names of nodes that begin alike")
            return list(found.values())
        each = usual if self.interfaces is None else self.interfaces
        if each is None:
            allowed = "must be given, or separator or members: the topology has no servers"
            raise self.refused("interfaces", allowed)
        if count % each:
            raise self.refused("interfaces", f"must divide the nodes of the topology, {count}")
        numbers = list(range(count))
        return [numbers[first : first + each] for first in numbers[::each]]

    def _listed(self, count: int, names: Sequence[str], members: Members) -> list[list[int]]:
        number_of = {name: number for number, name in enumerate(names)}
        host_of: dict[int, int] = {}
        groups: list[list[int]] = []
        for host, member in enumerate(members):
            place = f"members[{host}]"
            if not member:
                raise self.refused(place, "must name an interface")
            groups.append([])
            for name in member:
                number = number_of.get(name)
                if number is None:
                    error = self.refused(place, "is no node of the topology", name)
                    raise UserError(error.field, error.given, error.allowed, nearest(name, names))
                if number in host_of:
                    allowed = f"is an interface of members[{host_of[number]}] already"
                    raise self.refused(place, allowed, name)
                host_of[number] = host
                groups[-1].append(number)
        groups += [[number] for number in range(count) if number not in host_of]
        return sorted(groups, key=min)

    def chosen_rule(self, grouped: Grouped) -> str:
        """Return `rule` or its default."""
        if self.rule is not None:
            return self.rule
        return "rail" if len(set(grouped.own)) == len(grouped.of_interfaces) else "flow_hash"

    def rule_spec(self, grouped: Grouped) -> dict[str, Any]:
        """Return the rule as the engine describes it."""
        rule = self.chosen_rule(grouped)
        more: dict[str, Any] = {}
        if rule == "flow_hash":
            more = {"flow": self.rule_flow or "pair", "seed": self.rule_seed or 0}
        if rule == "round_robin":
            more = {"turn": self.rule_turn or "message"}
        return {"kind": rule, **more}


def _named(groups: Sequence[Sequence[object]]) -> tuple[str, ...]:
    """Return names of hosts: what those of their interfaces begin with, or by the first.

    By number, where interfaces are numbers.
    """
    if not all(isinstance(name, str) for part in groups for name in part):
        return tuple(f"host{number}" for number in range(len(groups)))
    parts = [list(map(str, part)) for part in groups]
    begins = [part[0] if len(part) == 1 else _common(part) for part in parts]
    often = Counter(begins)
    return tuple(
        name if name and often[name] == 1 else f"host of {part[0]}"
        for name, part in zip(begins, parts, strict=True)
    )


def _common(names: Sequence[str]) -> str:
    """Return what names begin with, up to a separator; empty if that is nothing."""
    first, last = min(names), max(names)
    alike = (one == other for one, other in zip(first, last, strict=False))
    prefix = "".join(one for one, _ in zip(first, takewhile(bool, alike), strict=False))
    found = (prefix.rpartition(separator)[0] for separator in _SEPARATORS)
    return next((name for name in found if name), "")
