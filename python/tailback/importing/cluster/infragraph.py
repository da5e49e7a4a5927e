"""InfraGraph: devices made of components, and edges between these, expanded by its own library.

A device with accelerators or network interfaces is a server, any other one switch with all its
ports. A cable of a server begins at one of its interfaces. Of what is inside a server only the
fastest links of its accelerators are kept, as `machine.hosts`. Where accelerators have the cables
themselves, or there are none, they are joined by these links, one by one.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any
from warnings import catch_warnings, simplefilter

from ...distribution import installing
from ...errors import read_text
from ...units import Rate, Time
from .description import MOST, Cable, Cluster, Reader
from .lines import decimal, delay_ps, rate

_QUANTITY = re.compile(r"\s*([0-9.eE+-]{1,20})\s*(\S{1,40})\s*")
_BITS = {"Gbps": 10**9, "GBps": 8 * 10**9}
_NANOSECONDS = {"ms": 10**6, "us": 1000, "ns": 1}


@dataclass(frozen=True)
class _Edge:
    """What joins two components."""

    ends: tuple[str, str]
    link: str
    rate: Rate | None
    delay_ps: int | None

    def cable(self, names: tuple[str, str]) -> Cable:
        """Return it as a cable between what has these names."""
        return Cable(names, rate=self.rate, delay_ps=self.delay_ps)


@dataclass(frozen=True)
class _Devices:
    """The components of a network, of which kind each is, and what joins them."""

    kinds: dict[str, str]
    edges: list[_Edge]

    def outside(self) -> list[_Edge]:
        """Return the edges between devices."""
        return [one for one in self.edges if len({_device(end) for end in one.ends}) > 1]

    def servers(self) -> dict[str, list[str]]:
        """Return the accelerators of each server, which may have none."""
        found: dict[str, list[str]] = {}
        for name, kind in self.kinds.items():
            if kind in ("xpu", "nic"):
                found.setdefault(_device(name), []).extend([name] if kind == "xpu" else [])
        return found

    def fast(self, accelerators: Sequence[str]) -> tuple[str, list[_Edge]]:
        """Return the links that carry most of all at some accelerators, and their name.

        Where rates are not said, PCIe is taken for slower, and then that of which there are fewer.
        """
        mine = frozenset(accelerators)
        inner = [
            one
            for one in self.edges
            if len({_device(end) for end in one.ends}) == 1 and not mine.isdisjoint(one.ends)
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


def read(path: Path) -> Cluster:
    """Read a file of YAML or JSON. Raises `UserError` where it is none, or has no network."""
    found = Cluster(path)
    devices = _expanded(found)
    servers = devices.servers()
    if not servers:
        raise found.mistake(None, None, "has no component of type xpu or nic: nobody would send")
    of_accelerators = [
        one for one in devices.outside() if any(devices.kinds[end] == "xpu" for end in one.ends)
    ]
    if not of_accelerators and devices.outside():
        _join_interfaces(found, devices, servers)
        return found
    for one in devices.outside():
        for end in one.ends:
            if _device(end) in servers and devices.kinds[end] != "xpu":
                allowed = "has a cable, and so have accelerators: only one of these can be read"
                raise found.mistake(None, end, allowed)
    _join_accelerators(found, devices, servers)
    return found


def _expanded(found: Cluster) -> _Devices:
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
        _Edge(
            (one, other),
            str(given.get("link", "")),
            _rate(found, given.get("bandwidth")),
            _delay_ps(found, given.get("latency")),
        )
        for one, other, given in graph.edges(data=True)
    ]
    return _Devices(kinds, edges)


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
            _note(found, f"bandwidths such as {given} are no bits per second, and left out")
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


def _note(found: Cluster, note: str) -> None:
    if note not in found.notes:
        found.notes.append(note)


def _device(component: str) -> str:
    """Return the device of a component: `host.3` of `host.3.nic.0`."""
    return ".".join(component.split(".", 2)[:2])


def _name(component: str) -> str:
    """Return how a component is called: `host.3 nic.0`."""
    device = _device(component)
    return f"{device} {component[len(device) + 1 :]}"


def _join_interfaces(found: Cluster, devices: _Devices, servers: dict[str, list[str]]) -> None:
    """Join servers, by their interfaces, and switches."""
    cables = Counter(end for one in devices.outside() for end in one.ends)
    interfaces: dict[str, list[str]] = {}
    used: Counter[str] = Counter()
    for one in devices.outside():
        names = []
        for end in one.ends:
            device = _device(end)
            if device not in servers:
                if device not in found.switches:
                    found.add_switch(device, 1)
                names.append(device)
                continue
            name = _name(end) if cables[end] == 1 else f"{_name(end)} port {used[end]}"
            used[end] += 1
            found.add_host(name, 1)
            interfaces.setdefault(device, []).append(name)
            names.append(name)
        found.join(1, one.cable((names[0], names[1])))
    if idle := len(servers) - len(interfaces):
        _note(found, f"{idle} servers have no cable, and are left out")
    counts = {max(1, len(servers[server])) for server in interfaces}
    members = [sorted(names, key=_natural) for names in interfaces.values()]
    if counts == {1} and all(len(names) == 1 for names in members):
        return
    if len(counts) > 1:
        _note(found, "servers differ in their accelerators: each interface has one node")
        counts = {len(members[0])}
    each = counts.pop()
    is_alike = all(len(names) == each for names in members)
    hosts: dict[str, Any] = {"members": members}
    if not is_alike:
        hosts["nodes_per_host"] = each
    hosts["rule"] = "rail" if is_alike else "flow_hash"
    hosts |= _inside(found, devices, next(servers[server] for server in interfaces))
    found.machine["hosts"] = hosts


def _natural(name: str) -> list[Any]:
    """Return what sorts `nic.10` behind `nic.9`."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]


def _inside(found: Cluster, devices: _Devices, accelerators: Sequence[str]) -> dict[str, Any]:
    """Return the keys of the links inside a server, as fast as an accelerator's together."""
    link, edges = devices.fast(accelerators[:1])
    if not edges:
        return {}
    bits = sum(one.rate.amount for one in edges if one.rate is not None)
    keys: dict[str, Any] = {"inner_rate": str(Rate(bits))} if bits else {}
    if edges[0].delay_ps is not None:
        keys["inner_delay"] = str(Time(edges[0].delay_ps))
    note = f"inside servers accelerators are joined by {link or 'links without a name'}"
    _note(found, note if bits else f"{note}, as fast as interfaces, a choice")
    return keys


def _join_accelerators(found: Cluster, devices: _Devices, servers: dict[str, list[str]]) -> None:
    """Join accelerators by their fastest links, and by their cables."""
    accelerators = [name for names in servers.values() for name in names]
    if not accelerators:
        raise found.mistake(None, None, "has no cable between devices, and no accelerators inside")
    link, inner = devices.fast(accelerators)
    _note(found, f"accelerators are joined by {link or 'links without a name'}, and nothing else")
    edges = [_merged(devices, servers, one) for one in (*inner, *devices.outside())]
    cables = [one for one in edges if len(set(one.ends)) == 2]
    direct = {
        end
        for one in cables
        if all(devices.kinds.get(name) == "xpu" for name in one.ends)
        for end in one.ends
    }
    if direct:
        _note(found, "packets pass accelerators that are joined to each other, each a switch")
    for name in accelerators:
        found.add_host(_name(name), 1)
        if name in direct:
            found.add_switch(f"{_name(name)} links", 1)
            own = [one for one in cables if name in one.ends]
            rates = [one.rate.amount for one in own if one.rate is not None]
            fastest = Rate(sum(rates)) if rates else None
            found.join(1, Cable((_name(name), f"{_name(name)} links"), rate=fastest, delay_ps=0))
    for one in cables:
        names = [_joined(found, devices, direct, end) for end in one.ends]
        found.join(1, one.cable((names[0], names[1])))


def _merged(devices: _Devices, servers: dict[str, list[str]], edge: _Edge) -> _Edge:
    """Return an edge whose ends in switches are these."""
    ends = [end if _device(end) in servers else _device(end) for end in edge.ends]
    return _Edge((ends[0], ends[1]), edge.link, edge.rate, edge.delay_ps)


def _joined(found: Cluster, devices: _Devices, direct: set[str], end: str) -> str:
    """Return the name of the host or switch at the end of a cable."""
    if devices.kinds.get(end) == "xpu":
        return f"{_name(end)} links" if end in direct else _name(end)
    name = _name(end) if end in devices.kinds else end
    if name not in found.switches:
        found.add_switch(name, 1)
    return name


def _is_like(head: bytes) -> bool:
    return all(
        re.search(rb'(?m)(^|[{,])\s*(- )?"?%s"?\s*:' % key, head)
        for key in (b"devices", b"components")
    )


READERS = (Reader("infragraph", "InfraGraph: infrastructure of YAML or JSON", _is_like, read),)
