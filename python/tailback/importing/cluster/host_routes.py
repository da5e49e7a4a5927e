"""Shortest routes where hosts have several cables: no packet passes a host on its way."""

from __future__ import annotations

from collections.abc import Iterator

from ...graphs import distances
from .graph_text import Drawn

#: Rows of a table, at most.
MOST_ROWS = 4_000_000


def table_csv(found: Drawn) -> bytes:
    """Return the routing table of an experiment: of several shortest routes each node has one.

    Among the switches that lead nearer to node n, of the node's own switch too, the one is taken
    whose place among them is n modulo how many there are.
    """
    around: dict[str, list[str]] = {name: [] for name in found.switches}
    for cable in found.between:
        for one, other in (cable.ends, cable.ends[::-1]):
            if other not in around[one]:
                around[one].append(other)
    lines = ["switch,destination,next_switch"]
    for number, cable in enumerate(found.of_nodes):
        node, home = cable.ends
        lines += (
            ",".join(map(_cell, (at, node, onward)))
            for at, onward in _onward(around, found.own, home, number)
        )
    return ("\n".join(lines) + "\n").encode()


def _onward(
    around: dict[str, list[str]], own: frozenset[str], home: str, number: int
) -> Iterator[tuple[str, str]]:
    """Yield every switch with the next on the way to a home, over switches that are no hosts."""
    distance = distances([home], lambda at: () if at in own and at != home else around[at])
    for at, hops in distance.items():
        nearer = [
            other
            for other in around[at]
            if distance.get(other) == hops - 1 and (other == home or other not in own)
        ]
        if nearer:
            yield at, nearer[number % len(nearer)]


def _cell(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if any(c in text for c in ',"\n') else text
