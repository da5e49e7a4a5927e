"""When the faults of an experiment begin and end: all of them are known before it runs."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

from .. import door
from ..machines import Topology
from ..places import Ends, grid_places, shown
from .faults import Fault, specs

#: Faults that are told one by one.
_FIRST = 5


@dataclass(frozen=True, slots=True)
class Begun:
    """A fault, from its beginning until its repair."""

    where: str
    time_us: float
    duration_us: float
    """Infinite if it is never repaired."""
    fault: int
    """Which of the faults that are described it is one of."""
    reroute_us: float | None = None
    """Time from then until routes avoid it; None if they do not before the repair."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        never = self.duration_us == math.inf
        rerouted = {} if self.reroute_us is None else {"reroute_us": self.reroute_us}
        return {
            "where": self.where,
            "time_us": self.time_us,
            "duration_us": None if never else self.duration_us,
            **rerouted,
        }


@dataclass(frozen=True, slots=True)
class Faults:
    """All faults of an experiment, those that come again and those that are drawn."""

    count: int
    first: tuple[Begun, ...]
    """Those that begin first."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        return {"count": self.count, "first": [begun.to_dict() for begun in self.first]}


def check(faults: tuple[Fault, ...], topology: Topology) -> None:
    """Raise `UserError` for a place that is not there, and for too many faults."""
    _outages(faults, topology, 0)


def begun(faults: tuple[Fault, ...], topology: Topology, most: int = _FIRST) -> Faults | None:
    """Return all faults and when those that come first begin and end; None without any."""
    if not faults:
        return None
    found, ends = _outages(faults, topology, most), _ends(topology)
    has_ports = any(one.port is not None for one in found.first)
    parallel = _parallel(topology) if has_ports else set()
    of_file = topology.network.numbers_in_file
    grouped = topology.grouped
    of_hosts = 0 if grouped is None else len(grouped.with_switches)
    first_host = topology.facts.switches - of_hosts

    def told(one: door.Outage) -> Begun:
        is_repaired = faults[one.fault].is_repaired
        lasts_us = (one.until_ps - one.from_ps) / 1e6 if is_repaired else math.inf
        after = faults[one.fault].reroute_after
        to_host = one.what == "link" and max(one.at, one.to or 0) >= first_host
        is_rerouted = after is not None and after.ps < one.until_ps - one.from_ps and not to_host
        port = None if one.port is None else of_file.get((one.at, one.port), one.port)
        reroute_us = after.ps / 1e6 if after is not None and is_rerouted else None
        return Begun(
            _where(replace(one, port=port), ends, parallel),
            one.from_ps / 1e6,
            lasts_us,
            one.fault,
            reroute_us,
        )

    return Faults(found.count, tuple(map(told, found.first)))


def _parallel(topology: Topology) -> set[frozenset[int]]:
    """Return the pairs of switches that several links join."""
    joined = Counter(frozenset((one, other)) for one, _, other in door.cables(topology.spec_left()))
    return {ends for ends, count in joined.items() if count > 1}


def _outages(faults: tuple[Fault, ...], topology: Topology, first: int) -> door.Outages:
    told = specs(faults, topology)
    with topology.names():
        return door.outages(topology.spec_left(), told, first)


def _ends(topology: Topology) -> Ends:
    sides, shape = topology.facts.sides, topology.facts.shape
    places = {"switch": grid_places(sides)} if sides else {}
    if shape:
        places["node"] = grid_places(shape)
    return Ends(places, topology.labels)


def _where(outage: door.Outage, ends: Ends, parallel: set[frozenset[int]]) -> str:
    if outage.what != "link":
        name = shown(ends.of_end(outage.what, outage.at))
        return name if name.startswith(outage.what) else f"{outage.what} {name}"
    name = shown(ends.of_end("switch", outage.at))
    if outage.to is None:
        return f"{name}, port {outage.port}"
    name += f" to {shown(ends.of_end('switch', outage.to))}"
    is_one_of_several = frozenset((outage.at, outage.to)) in parallel
    return f"{name}, port {outage.port}" if is_one_of_several and outage.port is not None else name
