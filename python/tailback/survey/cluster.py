"""A network as its operators count it: hosts, tiers, cables by what they join, and their rates."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tailback.machines import Listed, Machine
from tailback.units import Rate

from .bisection import Bisection
from .cabling import Cabling
from .counting import Survey
from .hosts import hosts_and_rails, planes
from .pairs import alike
from .structure import Structure, may_be_known, structure

Numbers = NDArray[np.int64]

_HOSTS, _IN_HOSTS = "hosts", "inside hosts"
_GBIT = 1e9


@dataclass(frozen=True, slots=True)
class Tier:
    """Switches as far from hosts as each other."""

    name: str
    switches: int
    oversubscription: float | None
    """Rate of cables downwards over that upwards, of all switches that have these; None: none."""
    oversubscription_max: float | None
    """That of the switch with most."""


@dataclass(frozen=True, slots=True)
class Groups:
    """Groups of a dragonfly."""

    groups: int
    switches: int
    """Of a group."""
    oversubscription: float | None
    """Rate of all hosts over that of cables between groups."""


@dataclass(frozen=True, slots=True)
class Cables:
    """Cables that join the same and have the same rate."""

    joins: str
    cables: int
    """Both directions of one counted once."""
    rate: Rate

    def to_dict(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        return {
            "joins": self.joins,
            "cables": self.cables,
            "rate_gbit_per_s": self.gbit_per_s,
        }

    @property
    def gbit_per_s(self) -> float:
        """The rate in Gbit/s."""
        return _gbit(self.rate)


def _gbit(rate: Rate) -> float:
    return float(rate.amount) / _GBIT


@dataclass(frozen=True, slots=True)
class ClusterSurvey:
    """What a network is made of."""

    hosts: int
    """As many as interfaces where it is not known which interfaces one host has."""
    interfaces: int
    """Nodes, unless hosts have nodes behind their interfaces."""
    nodes: int | None
    """Nodes behind the interfaces of hosts; None: nodes are interfaces."""
    rails: int | None
    """Sets of lowest switches that the interfaces of one host are on; None: hosts have one."""
    planes: int
    """Parts that the switches fall into without hosts."""
    groups: Groups | None
    tiers: tuple[Tier, ...]
    """The lowest first; one of all switches where there are no tiers."""
    switches_in_hosts: int
    """Switches that join the parts of one host, such as its accelerators."""
    rate_in_hosts: Rate | None
    """Rate of the links between the nodes of a host and its switch; None: there are none."""
    cables: tuple[Cables, ...]
    bisection: Bisection | None
    bisection_share: float | None
    """Rate of the bisection, one direction, over that of half of the hosts; None if unknown."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        found = {name: getattr(self, name) for name in self.__slots__}
        nodes, rate, bisection = found.pop("nodes"), found.pop("rate_in_hosts"), self.bisection
        inside = {} if rate is None else {"nodes": nodes, "rate_in_hosts_gbit_per_s": _gbit(rate)}
        return (
            found
            | inside
            | {
                "groups": self.groups and asdict(self.groups),
                "tiers": [asdict(tier) for tier in self.tiers],
                "cables": [cables.to_dict() for cables in self.cables],
                "bisection": None
                if bisection is None
                else bisection.to_dict() | {"method": bisection.method},
            }
        )


def cluster_survey(machine: Machine, counted: Survey) -> ClusterSurvey | None:
    """Return what a network is made of; None if it has neither tiers nor groups nor a file."""
    graph, topology = counted.graph, machine.topology
    if not counted.switches or not may_be_known(topology, graph, counted.switches):
        return None
    found = structure(topology, graph, counted.switches)
    if not found.is_known and not isinstance(topology, Listed):
        return None
    cabling = Cabling.of(machine, graph, found)
    hosts, rails = hosts_and_rails(machine, graph, found)
    grouped = topology.grouped
    share = None
    if counted.bisection is not None and len(set(cabling.rate.tolist())) == 1:
        # Wires of both directions, against half of what hosts send.
        share = float(counted.bisection.wires * cabling.rate[0] / cabling.host_rate.sum())
    return ClusterSurvey(
        hosts=hosts,
        interfaces=counted.nodes if grouped is None else len(grouped.of_interfaces),
        nodes=None if grouped is None else counted.nodes,
        rails=rails,
        planes=planes(graph, found),
        groups=_groups(cabling, found),
        tiers=_tiers(cabling, found),
        switches_in_hosts=int(((found.tier == 0) & ~found.interfaces).sum())
        if grouped is None
        else len(grouped.with_switches),
        rate_in_hosts=None if grouped is None else machine.node_rate,
        cables=_cables(cabling, found),
        bisection=counted.bisection,
        bisection_share=share,
    )


def _tiers(cabling: Cabling, found: Structure) -> tuple[Tier, ...]:
    """Return the switches by tier, and how much more leads down from them than up."""
    count, total = len(found.tier), cabling.rate * cabling.width
    start, end = found.tier[cabling.start], found.tier[cabling.end]
    at_switch = ~found.interfaces[cabling.home]
    upward = start < end

    def added(at: Numbers, rates: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.bincount(at, rates, count).astype(np.float64)

    down = added(cabling.home[at_switch], cabling.host_rate[at_switch])
    down += added(cabling.end[upward], total[upward])
    up = added(cabling.start[upward], total[upward])
    if not found.is_known:
        return (Tier("switch", len(found.tier), None, None),)
    numbers = range(1, found.tiers + 1)
    return tuple(_tier(found.name(number), found.tier == number, down, up) for number in numbers)


def _tier(name: str, mine: NDArray[np.bool_], down: Any, up: Any) -> Tier:
    leads_up = mine & (up > 0)
    if not leads_up.any():
        return Tier(name, int(mine.sum()), None, None)
    below, above = down[leads_up], up[leads_up]
    most = float((below / above).max())
    return Tier(name, int(mine.sum()), float(below.sum() / above.sum()), most)


def _groups(cabling: Cabling, found: Structure) -> Groups | None:
    """Return the groups, and how much more their hosts send than cables between groups carry."""
    if found.group is None:
        return None
    parts = found.group[cabling.start] != found.group[cabling.end]
    between = float((cabling.rate * cabling.width)[parts].sum())
    over = float(cabling.host_rate.sum()) / between if between else None
    return Groups(found.groups, len(found.group) // found.groups, over)


def _cables(cabling: Cabling, found: Structure) -> tuple[Cables, ...]:
    """Return the cables by what they join and their rate, those of hosts first."""
    counts: Counter[tuple[str, float]] = Counter()
    own = cabling.host_rate[~found.interfaces[cabling.home]] / cabling.host_width
    for rate, hosts in zip(*np.unique(own, return_counts=True), strict=True):
        counts[_HOSTS, float(rate)] += int(hosts) * cabling.host_width
    kinds, kind_of = _kinds(cabling, found)
    ends, of = alike(
        kind_of, np.minimum(cabling.start, cabling.end), np.maximum(cabling.start, cabling.end)
    )
    # A cable is as many wires as lead one way or the other.
    there, back = (
        np.bincount(of, np.where(way, cabling.width, 0), len(ends))
        for way in (cabling.start < cabling.end, cabling.start > cabling.end)
    )
    for kind, cables in zip(kind_of[ends], np.maximum(there, back), strict=True):
        counts[kinds[kind]] += int(cables)
    order = sorted(counts, key=lambda key: (_place(key[0], found), key[0], -key[1]))
    return tuple(Cables(key[0], counts[key], cabling.rates[key[1]]) for key in order)


def _kinds(cabling: Cabling, found: Structure) -> tuple[list[tuple[str, float]], Numbers]:
    """Return what cables join with their rates, and of each link which of these it is."""
    tiers = found.tier[cabling.start], found.tier[cabling.end]
    lower, upper = np.minimum(*tiers), np.maximum(*tiers)
    same = np.zeros(len(cabling.start), np.int64)
    if found.group is not None:
        same += found.group[cabling.start] == found.group[cabling.end]
    rates, rate_of = np.unique(cabling.rate, return_inverse=True)
    names, name_of = (
        np.unique(cabling.names, return_inverse=True) if cabling.names else ([""], same * 0)
    )
    first, of = alike(lower, upper, same, name_of, rate_of)
    joins = [
        (_joins(found, (int(low), int(high)), bool(one), str(names[name])), float(rates[rate]))
        for low, high, one, name, rate in zip(
            lower[first],
            upper[first],
            same[first],
            name_of[first],
            rate_of[first],
            strict=True,
        )
    ]
    kinds = list(dict.fromkeys(joins))
    return kinds, np.array([kinds.index(one) for one in joins], np.int64)[of]


def _joins(found: Structure, tiers: tuple[int, int], in_group: bool, own: str) -> str:
    """Return what cables join: switches of two tiers, the lower first.

    `in_group`: whether both are in one group; `own`: the class that a family has them in.
    """
    low, high = tiers
    if high == 0:
        return _IN_HOSTS
    if low == 0:
        return _HOSTS
    if found.group is not None:
        return "within groups" if in_group else "between groups"
    if not found.has_tiers:
        return own or "between switches"
    if low == high:
        return f"within {found.name(low)}"
    return f"{found.name(low)} to {found.name(high)}"


def _place(joins: str, found: Structure) -> int:
    """Return where cables come in a list: inside hosts, of hosts, then from below."""
    names = [found.name(number) for number in range(1, found.tiers + 1)]
    firsts = [_IN_HOSTS, _HOSTS, "within groups", "between groups"]
    firsts += [f"{one} to {other}" for one in names for other in names]
    return firsts.index(joins) if joins in firsts else len(firsts)
