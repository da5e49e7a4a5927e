"""Shortest routes where hosts have several cables: no packet passes a host on its way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ...graphs import distances
from .graph_text import Drawn

#: Rows of a table, at most.
MOST_ROWS = 4_000_000


def table_csv(found: Drawn) -> bytes:
    """Return the routing table of an experiment: of several shortest routes each node has one.

    Where several switches lead nearer, nodes are dealt out to them in turn: at every switch those
    for which the choice is the same, in the order of their numbers. By number alone the nodes
    of a rail, which are a multiple of the rails apart, would all go by one.
    """
    around: dict[str, list[str]] = {name: [] for name in found.switches}
    for cable in found.between:
        for one, other in (cable.ends, cable.ends[::-1]):
            if other not in around[one]:
                around[one].append(other)
    lines = ["switch,destination,next_switch"]
    before: Counter[tuple[str, ...]] = Counter()
    for cable in found.of_nodes:
        node, home = cable.ends
        for at, nearer in _nearer(around, found.own, home):
            choice = (at, *nearer)
            onward = nearer[before[choice] % len(nearer)]
            before[choice] += 1
            lines.append(",".join(map(_cell, (at, node, onward))))
    return ("\n".join(lines) + "\n").encode()


def _nearer(
    around: dict[str, list[str]], own: frozenset[str], home: str
) -> Iterator[tuple[str, list[str]]]:
    """Yield every switch with those that lead nearer to a home, over switches that are no hosts."""
    distance = distances([home], lambda at: () if at in own and at != home else around[at])
    for at, hops in distance.items():
        nearer = [
            other
            for other in around[at]
            if distance.get(other) == hops - 1 and (other == home or other not in own)
        ]
        if nearer:
            yield at, nearer


def _cell(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if any(c in text for c in ',"\n') else text
