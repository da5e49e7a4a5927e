"""Networks of BookSim2 that are listed in a file (`anynet`), and the routing it gives them."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from pathlib import Path

from ..csv_files import plain_csv
from ..errors import UserError, read_text
from ..graphs import Conventions, NetworkGraph, read_graph
from .settings import Settings

_CYCLE_PS = 1000


@dataclass(frozen=True, slots=True)
class Listed:
    """A network from a file."""

    text: str
    """The file."""
    graph: NetworkGraph

    @property
    def nodes(self) -> tuple[str, ...]:
        """Its nodes."""
        return self.graph.nodes

    def table_csv(self) -> str:
        """Return the next switch of every way, as this program reads it (docs/routing.md)."""
        names = self.graph.switches
        rows = (
            (names[switch], self.graph.nodes[node], names[ahead[place]])
            for switch, ahead in enumerate(self.next_switches())
            for node, place in enumerate(self.graph.leaves)
            if place != switch
        )
        return plain_csv(("switch", "destination", "next_switch"), rows)

    def next_switches(self) -> list[list[int]]:
        """Return for every switch the next one on the way to each: the quickest way.

        Of several the same as in BookSim2: switches are reached in the order of their distances
        and numbers, and a way found later has to be quicker [Dijkstra 1959].
        """
        delays: list[dict[int, int]] = [{} for _ in self.graph.switches]
        for link in self.graph.links:
            delays[link.source][link.destination] = link.delay_ps or _CYCLE_PS
        return [_first_hops(delays, start) for start in range(len(delays))]


def _first_hops(delays: list[dict[int, int]], start: int) -> list[int]:
    """Return by switch the first one on the way there from a start; itself for the start."""
    distance = {start: 0}
    first = [start] * len(delays)
    front = [(0, start)]
    done: set[int] = set()
    while front:
        reached, switch = heapq.heappop(front)
        if switch in done:
            continue
        done.add(switch)
        for other, delay in sorted(delays[switch].items()):
            if reached + delay < distance.get(other, reached + delay + 1):
                distance[other] = reached + delay
                first[other] = other if switch == start else first[switch]
                heapq.heappush(front, (reached + delay, other))
    return first


def read_network(settings: Settings) -> Listed:
    """Read the file of a configuration: beside it, or where the command is run.

    Raises `UserError` for a file that is missing or unreadable, or whose nodes are not numbered.
    """
    name = settings.text("network_file")
    if not name:
        raise settings.refused("network_file", "must be given with topology = anynet")
    beside = settings.path.parent / name
    path = beside if beside.exists() else Path(name)
    text = read_text(path)
    graph = read_graph(path, Conventions("anynet", _CYCLE_PS))
    expected = tuple(f"n{number}" for number in range(len(graph.nodes)))
    if set(graph.nodes) != set(expected):
        raise UserError(str(path), None, "must number its nodes from 0, without gaps")
    return Listed(text, graph)
