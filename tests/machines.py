"""Machines of tests: the T9000 and C104 on any topology."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tailback.machines import Machine, machine_of

#: Keys of links.
OUT_OF_BAND: dict[str, Any] = {"flow_control": "out_of_band"}
SEPARATE: dict[str, Any] = {"sharing": "separate"}

#: Topologies whose nodes have as many links to their switch as the preset gives; others have one.
_MANY_LINKS = ("mesh", "torus", "hypercube", "pair", "star")


def t9000_tables(kind: str = "mesh", **keys: Any) -> dict[str, Any]:
    """Return the tables of the T9000 and C104 on a topology.

    `keys` are parts (`switch={"input_buffer": "200 B"}`) or keys of the topology.
    """
    parts = ("link", "node_link", "link_classes", "switch", "routing", "interface")
    tables = {name: keys.pop(name) for name in parts if name in keys}
    if kind not in _MANY_LINKS:
        tables["node_link"] = {"width": 1, **tables.get("node_link", {})}
    clock = {"clock": keys.pop("clock")} if "clock" in keys else {}
    return {"preset": "t9000_c104", **clock, "topology": {"kind": kind, **keys}, **tables}


def t9000(kind: str = "mesh", **keys: Any) -> Machine:
    """Return the T9000 and C104 on a topology; `keys` as for `t9000_tables`."""
    return machine_of(t9000_tables(kind, **keys))


def routed(topology: str, routing: str, link: dict[str, Any] | None = None, **keys: Any) -> Machine:
    """Return a T9000 machine with a kind of routing and more of its keys."""
    more = {"link": link} if link else {}
    return t9000(topology, routing={"kind": routing, **keys}, **more)


def refined(tables: Mapping[str, Any], **parts: Mapping[str, Any]) -> dict[str, Any]:
    """Return tables of a machine with keys of parts changed."""
    return {**tables, **{name: {**tables.get(name, {}), **keys} for name, keys in parts.items()}}
