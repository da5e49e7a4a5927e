"""Forwarding tables on the network they are for: checked, and as the routing table of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...csv_files import plain_csv
from ...errors import UserError
from .description import Cluster
from .forwarding import NONE, Tables
from .graph_text import Drawn

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

#: What stands for "to no switch": no line, or a port of no cable.
_NOWHERE = -1


def table_csv(cluster: Cluster, found: Drawn, tables: Tables, path: int = 0) -> bytes:
    """Return tables as the routing table of an experiment: ports by switch and node.

    ``path``: which of several addresses of an adapter senders use. Raises `UserError` unless every
    host reaches every other over cables that are there, and without a circle.
    """
    import numpy as np

    lids = _lids(cluster, found, tables, path)
    ports = np.full((len(found.switches), len(found.nodes)), NONE, dtype=np.uint16)
    for number, name in enumerate(found.switches):
        if name in tables.ports:
            ports[number] = np.frombuffer(tables.ports[name], dtype=np.uint16)[lids]
    _check(cluster, found, tables, (ports, lids))
    cells = {port: str(port) for port in np.unique(ports).tolist()} | {NONE: ""}
    rows = (
        (name, *map(cells.__getitem__, row.tolist()))
        for name, row in zip(found.switches, ports, strict=True)
    )
    return plain_csv(("ports", *found.nodes), rows).encode()


def _lids(cluster: Cluster, found: Drawn, tables: Tables, path: int) -> list[int]:
    """Return the address of every node to which it is sent."""
    of_nodes: dict[str, list[int]] = {name: [] for name in found.nodes}
    for lid, name in sorted(cluster.lids.items()):
        if name in of_nodes:
            of_nodes[name].append(lid)
    lids = []
    for name, all_lids in of_nodes.items():
        if not all_lids:
            raise cluster.mistake(cluster.hosts.get(name), name, "has no address (lid)")
        if path >= len(all_lids):
            allowed = f"must be below {len(all_lids)}, as many addresses as {name} has"
            raise UserError("--path", str(path), allowed)
        if all_lids[path] >= max(map(len, tables.ports.values())):
            raise tables.mistake(None, f"lid {all_lids[path]}", f"of {name} is in no table")
        lids.append(all_lids[path])
    return lids


def _check(cluster: Cluster, found: Drawn, tables: Tables, of: tuple[Any, list[int]]) -> None:
    """Follow the tables from every switch with hosts to every host."""
    import numpy as np

    ports, lids = of
    number = {name: place for place, name in enumerate(found.switches)}
    leads = np.full((len(found.switches), 1 + _most_ports(found)), _NOWHERE, dtype=np.int64)
    for cable in found.between:
        for (one, port), other in zip(
            zip(cable.ends, cable.ports, strict=True), cable.ends[::-1], strict=True
        ):
            leads[number[one], port] = number[other]
    homes = np.array([number[cable.ends[1]] for cable in found.of_nodes])
    home_ports = np.array([cable.ports[1] for cable in found.of_nodes])
    nodes = np.arange(len(homes))
    wrong = np.flatnonzero((ports[homes, nodes] != home_ports) & (ports[homes, nodes] != NONE))
    if len(wrong):
        node = int(wrong[0])
        allowed = (
            f"switch {found.switches[homes[node]]} sends it to port "
            f"{ports[homes[node], node]}, but {found.nodes[node]} is at port {home_ports[node]}"
        )
        raise _mistake(tables, found, int(homes[node]), lids[node], allowed)
    starts = np.unique(homes)
    at, to = (grid.ravel() for grid in np.meshgrid(starts, nodes, indexing="ij"))
    first = at.copy()
    for _ in range(len(found.switches) + 1):
        on = at != homes[to]
        at, to, first = at[on], to[on], first[on]
        if not len(at):
            return
        port = ports[at, to].astype(np.int64)
        known = port < leads.shape[1]
        following = np.where(known, leads[at, np.where(known, port, 0)], _NOWHERE)
        lost = np.flatnonzero(following == _NOWHERE)
        if len(lost):
            place = int(lost[0])
            problem = "has no line for it" if port[place] == NONE else _wrong(port[place])
            raise _unreached(
                tables,
                found,
                (int(first[place]), int(to[place])),
                homes,
                (int(at[place]), lids[int(to[place])], problem),
            )
        at = following
    problem = "is on a circle that the tables send it around"
    end = (int(at[0]), lids[int(to[0])], problem)
    raise _unreached(tables, found, (int(first[0]), int(to[0])), homes, end)


def _wrong(port: int) -> str:
    return f"sends it to port {port}, which leads to another host or to the switch itself"


def _most_ports(found: Drawn) -> int:
    return max((port or 0 for cable in found.links for port in cable.ports), default=0)


def _unreached(
    tables: Tables,
    found: Drawn,
    pair: tuple[int, int],
    homes: Any,
    end: tuple[int, int, str],
) -> UserError:
    """Return the mistake of a pair without a route: at which switch it ends, and why."""
    switch, lid, problem = end
    source = found.nodes[int((homes == pair[0]).argmax())]
    what = f"{source} does not reach {found.nodes[pair[1]]}: switch {found.switches[switch]}"
    return _mistake(tables, found, switch, lid, f"{what} {problem}")


def _mistake(tables: Tables, found: Drawn, switch: int, lid: int, allowed: str) -> UserError:
    """Return a mistake in the table of a switch, or about one that has none."""
    line = tables.lines.get(found.switches[switch])
    return tables.mistake(line, f"lid {lid}", allowed)
