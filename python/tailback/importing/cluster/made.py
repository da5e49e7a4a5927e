"""An experiment and the files beside it, of the network in a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import UserError, shown
from ..toml import to_toml
from . import forwarding, host_routes, installed
from .adapters import members
from .description import Cluster
from .experiment import fitting, of_most, tables
from .graph_text import Drawn, drawn, graphml
from .ibnetdiscover import read_names
from .readers import read_cluster


@dataclass(frozen=True)
class Imported:
    """What a file becomes."""

    source: str
    cluster: Cluster
    network: Drawn
    flit: int
    routes: bytes | None
    """The routing table of the experiment; None: it has none."""

    def graph(self) -> bytes:
        """Return the graph file."""
        return graphml(self.network, *of_most(self.network))

    def experiment(self, graph: str, routes: str) -> Mapping[str, Any]:
        """Return the tables of an experiment whose graph and routes are in files."""
        files = (graph, routes if self.routes is not None else None)
        return tables(self.cluster, self.network, self.flit, files)

    def toml(self, graph: str, routes: str) -> str:
        """Return the experiment file."""
        head = [f"The network of {self.source}. The workload is a choice to begin with, and so are"]
        head += ["packets and delays that the file does not say."]
        head += [f"{note[0].upper()}{note[1:]}." for note in self.notes]
        return to_toml(self.experiment(graph, routes), head)

    @property
    def notes(self) -> list[str]:
        """Choices that the file leaves open, and what of it has no effect."""
        return self.cluster.notes

    def counts(self) -> dict[str, int]:
        """Return how many switches, hosts and cables there are in the file."""
        cluster = self.cluster
        return {
            "switches": len(cluster.switches),
            "hosts": len(cluster.hosts),
            "cables": len(cluster.cables),
        }


def import_network(
    path: Path,
    word: str | None = None,
    routes: Path | None = None,
    names: Path | None = None,
    lid_path: int = 0,
) -> Imported:
    """Read the network of a file, its names and its forwarding tables if they are given.

    Raises `UserError` for the first mistake, with its file and line.
    """
    cluster = read_cluster(path, word)
    if names is not None:
        _rename(cluster, names)
    flit, network = fitting(cluster, drawn(cluster))
    if hosts := members(cluster):
        cluster.machine["hosts"] = {"members": hosts, "rule": "own"}
        cluster.notes.append(
            f"by the names of adapters {len(hosts)} hosts have several; links inside are as fast "
            "as adapters, a choice"
        )
    table = None
    if routes is not None:
        found = forwarding.read_tables(routes, cluster)
        table = installed.table_csv(cluster, network, found, lid_path)
    elif network.own:
        if len(network.switches) * len(network.nodes) > host_routes.MOST_ROWS:
            allowed = "has hosts with several cables, and is too large for a table of routes"
            raise UserError(str(path), None, allowed)
        table = host_routes.table_csv(network)
        cluster.notes.append(
            "hosts with several cables, such as GPUs, are switches of their own; packets do not "
            "pass them on their way, and routes are dealt out to spines, a choice"
        )
    return Imported(path.name, cluster, network, flit, table)


def _rename(cluster: Cluster, path: Path) -> None:
    """Give switches and adapters the names of a file. Raises `UserError` for a name of another."""
    if not cluster.guids:
        raise UserError(str(path), None, "has names by GUID, which the network does not have")
    wanted = read_names(path)
    names: dict[str, str] = {}
    for guid, new in wanted.items():
        old = cluster.guids.get(guid)
        if old is None:
            continue
        for name in (*cluster.switches, *cluster.hosts):
            if name == old or name.startswith(f"{old} port "):
                names[name] = new + name[len(old) :]
    kept = {*cluster.switches, *cluster.hosts} - set(names)
    for new in names.values():
        if new in kept:
            raise UserError(str(path), shown(new), "is the name of another switch or host already")
    if not names:
        cluster.notes.append(f"{path.name} names none of the switches and adapters")
    cluster.renamed(names)
