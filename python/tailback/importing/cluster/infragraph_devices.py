"""The devices of an InfraGraph, expanded into their components by its own library."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any
from warnings import catch_warnings, simplefilter

from ...distribution import installing
from ...errors import read_text
from ...units import Rate
from .description import MOST, Cable, Cluster
from .lines import decimal, delay_ps, rate

_QUANTITY = re.compile(r"\s*([0-9.eE+-]{1,20})\s*(\S{1,40})\s*")
_BITS = {"Gbps": 10**9, "GBps": 8 * 10**9}
_NANOSECONDS = {"ms": 10**6, "us": 1000, "ns": 1}


@dataclass(frozen=True)
class Edge:
    """What joins two components."""

    ends: tuple[str, str]
    link: str
    rate: Rate | None
    delay_ps: int | None

    def cable(self, names: tuple[str, str]) -> Cable:
        """Return it as a cable between what has these names."""
        return Cable(names, rate=self.rate, delay_ps=self.delay_ps)


@dataclass(frozen=True)
class Devices:
    """The components of a network, of which kind each is, and what joins them."""

    kinds: dict[str, str]
    edges: list[Edge]

    def outside(self) -> list[Edge]:
        """Return the edges between devices."""
        return [one for one in self.edges if len({device_of(end) for end in one.ends}) > 1]

    def servers(self) -> dict[str, list[str]]:
        """Return the accelerators of each server, which may have none."""
        found: dict[str, list[str]] = {}
        for name, kind in self.kinds.items():
            if kind in ("xpu", "nic"):
                found.setdefault(device_of(name), []).extend([name] if kind == "xpu" else [])
        return found

    def fast(self, accelerators: Sequence[str]) -> tuple[str, list[Edge]]:
        """Return the links that carry most of all at some accelerators, and their name.

        Where rates are not said, PCIe is taken for slower, and then that of which there are fewer.
        """
        mine = frozenset(accelerators)
        inner = [
            one
            for one in self.edges
            if len({device_of(end) for end in one.ends}) == 1 and not mine.isdisjoint(one.ends)
        ]
        bits: Counter[str] = Counter()
        for one in inner:
            bits[one.link] += 0 if one.rate is None else int(one.rate.amount)
        counts = Counter(one.link for one in inner)
        name = max(
            counts,
            key=lambda link: (bits[link], "pci" not in link.lower(), counts[link], link),
            default="",
        )
        return name, [one for one in inner if one.link == name]


def expanded(found: Cluster) -> Devices:
    """Return the components of a file, expanded by InfraGraph itself. Raises `UserError`."""
    text = read_text(found.path)
    try:
        from infragraph.infragraph_service import (  # here: an extra
            InfraGraphService,
            Infrastructure,
        )
    except ModuleNotFoundError:
        raise found.mistake(None, None, f"needs infragraph: {installing('infragraph')}") from None
    try:
        with catch_warnings():
            simplefilter("ignore")
            network, notes = _parts(text)
            infrastructure = Infrastructure().deserialize(network)
            if _size(infrastructure) > MOST:
                raise ValueError(f"has more than {MOST} components")
            service = InfraGraphService()
            service.set_graph(infrastructure)
            if notes:
                service.annotate_graph(notes)
            graph = service.get_networkx_graph()
    except Exception as error:  # a damaged file can make it raise anything
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        reason = lines[0] if lines else type(error).__name__
        raise found.mistake(None, None, f"is no InfraGraph that can be read: {reason}") from None
    kinds: dict[str, str] = {}
    for name, given in graph.nodes(data=True):
        if "type" not in given:
            raise found.mistake(None, name, "is joined by an edge, and no component of a device")
        kinds[name] = given["type"]
    edges = [
        Edge(
            (one, other),
            str(given.get("link", "")),
            _rate(found, given.get("bandwidth")),
            _delay_ps(found, given.get("latency")),
        )
        for one, other, given in graph.edges(data=True)
    ]
    return Devices(kinds, edges)


def _parts(text: str) -> tuple[str, str | None]:
    """Return an infrastructure, and its annotations if they are in the same file."""
    if not text.lstrip().startswith("{"):
        return text, None
    found = json.loads(text)
    if "infrastructure" not in found:
        return text, None
    notes = found.get("annotations")
    return json.dumps(found["infrastructure"]), json.dumps(notes) if notes else None


def _size(infrastructure: Any) -> int:
    """Return how many components there are in all, those in devices of devices too."""
    devices = {device.name: device for device in infrastructure.devices}

    def components(name: str, above: frozenset[str] = frozenset()) -> int:
        if name in above:
            raise ValueError(f"device {name} is part of itself")
        return sum(
            one.count * (components(one.name, above | {name}) if one.choice == "device" else 1)
            for one in devices[name].components
        )

    return sum(one.count * components(one.device) for one in infrastructure.instances)


def _rate(found: Cluster, given: Any) -> Rate | None:
    number, unit = _quantity(given)
    if unit not in _BITS:
        if given is not None:
            note(found, f"bandwidths such as {given} are no bits per second, and left out")
        return None
    return rate(found, None, decimal(found, None, number, "a bandwidth") * _BITS[unit], str(given))


def _delay_ps(found: Cluster, given: Any) -> int | None:
    number, unit = _quantity(given)
    if unit not in _NANOSECONDS:
        return None
    nanoseconds = decimal(found, None, number, "a latency") * Fraction(_NANOSECONDS[unit])
    return delay_ps(found, None, nanoseconds, str(given))


def _quantity(given: Any) -> tuple[str, str]:
    parts = _QUANTITY.fullmatch(str(given))
    return (parts[1], parts[2]) if parts else ("", "")


def note(found: Cluster, told: str) -> None:
    """Add a note, once."""
    if told not in found.notes:
        found.notes.append(told)


def device_of(component: str) -> str:
    """Return the device of a component: `host.3` of `host.3.nic.0`."""
    return ".".join(component.split(".", 2)[:2])
