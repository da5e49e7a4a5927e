"""InfraGraph: devices made of components, and edges between these, expanded by its own library.

A device with accelerators or network interfaces is a server, any other one switch with all its
ports. A cable of a server begins at one of its interfaces. Of what is inside a server only the
fastest links of its accelerators are kept, as `machine.hosts`. Where accelerators have the cables
themselves, or there are none, they are joined by these links, one by one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...units import Rate, Time
from .description import Cable, Cluster, Reader
from .infragraph_devices import Devices, Edge, device_of, expanded, note


def read(path: Path) -> Cluster:
    """Read a file of YAML or JSON. Raises `UserError` where it is none, or has no network."""
    found = Cluster(path)
    devices = expanded(found)
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
            if device_of(end) in servers and devices.kinds[end] != "xpu":
                allowed = "has a cable, and so have accelerators: only one of these can be read"
                raise found.mistake(None, end, allowed)
    _join_accelerators(found, devices, servers)
    return found


def _name(component: str) -> str:
    """Return how a component is called: `host.3 nic.0`."""
    device = device_of(component)
    return f"{device} {component[len(device) + 1 :]}"


def _join_interfaces(found: Cluster, devices: Devices, servers: dict[str, list[str]]) -> None:
    """Join servers, by their interfaces, and switches."""
    cables = Counter(end for one in devices.outside() for end in one.ends)
    interfaces: dict[str, list[str]] = {}
    used: Counter[str] = Counter()
    for one in devices.outside():
        names = []
        for end in one.ends:
            device = device_of(end)
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
        note(found, f"{idle} servers have no cable, and are left out")
    counts = {max(1, len(servers[server])) for server in interfaces}
    members = [sorted(names, key=_natural) for names in interfaces.values()]
    if counts == {1} and all(len(names) == 1 for names in members):
        return
    if len(counts) > 1:
        note(found, "servers differ in their accelerators: each interface has one node")
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


def _inside(found: Cluster, devices: Devices, accelerators: Sequence[str]) -> dict[str, Any]:
    """Return the keys of the links inside a server, as fast as an accelerator's together."""
    link, edges = devices.fast(accelerators[:1])
    if not edges:
        return {}
    bits = sum(one.rate.amount for one in edges if one.rate is not None)
    keys: dict[str, Any] = {"inner_rate": str(Rate(bits))} if bits else {}
    if edges[0].delay_ps is not None:
        keys["inner_delay"] = str(Time(edges[0].delay_ps))
    told = f"inside servers accelerators are joined by {link or 'links without a name'}"
    note(found, told if bits else f"{told}, as fast as interfaces, a choice")
    return keys


def _join_accelerators(found: Cluster, devices: Devices, servers: dict[str, list[str]]) -> None:
    """Join accelerators by their fastest links, and by their cables."""
    accelerators = [name for names in servers.values() for name in names]
    if not accelerators:
        raise found.mistake(None, None, "has no cable between devices, and no accelerators inside")
    link, inner = devices.fast(accelerators)
    note(found, f"accelerators are joined by {link or 'links without a name'}, and nothing else")
    edges = [_merged(devices, servers, one) for one in (*inner, *devices.outside())]
    cables = [one for one in edges if len(set(one.ends)) == 2]
    direct = {
        end
        for one in cables
        if all(devices.kinds.get(name) == "xpu" for name in one.ends)
        for end in one.ends
    }
    if direct:
        note(found, "packets pass accelerators that are joined to each other, each a switch")
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


def _merged(devices: Devices, servers: dict[str, list[str]], edge: Edge) -> Edge:
    """Return an edge whose ends in switches are these."""
    ends = [end if device_of(end) in servers else device_of(end) for end in edge.ends]
    return Edge((ends[0], ends[1]), edge.link, edge.rate, edge.delay_ps)


def _joined(found: Cluster, devices: Devices, direct: set[str], end: str) -> str:
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
