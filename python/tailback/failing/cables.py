"""The links between switches that can fail, and what they are called."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from tailback import door
from tailback.errors import UserError
from tailback.machines import Topology
from tailback.places import Ends, grid_places, shown


@dataclass(frozen=True, slots=True)
class Cable:
    """A link between two switches, both directions."""

    name: str
    """For users: `leaf1 to spine2`, with its port where parallel links have the same ends."""
    key: str
    """As ``machine.topology.failed_links`` names it."""


def cables_of(topology: Topology) -> list[Cable]:
    """Return the links between switches that have not failed. Raises `UserError` without any."""
    topology = topology.network
    if topology.failed_share:
        allowed = "must be left out: these links are drawn, and so are those that fail besides"
        raise topology.refused("failed_share", allowed, topology.failed_share)
    found = door.cables(topology.spec_left())
    if not found:
        raise UserError("machine.topology", topology.kind, "has no link between two switches")
    sides, names = topology.facts.sides, topology.labels.get("switch", ())
    ends = Ends({"switch": grid_places(sides)} if sides else {}, topology.labels)
    of_file = topology.numbers_in_file
    parallel = Counter(frozenset((start, end)) for start, _, end in found)
    cables = []
    for start, port, end in found:
        name = " to ".join(shown(ends.of_end("switch", switch)) for switch in (start, end))
        if parallel[frozenset((start, end))] > 1:
            name += f", port {of_file.get((start, port), port)}"
        # On a grid switches go by number, whatever else they are called.
        key = names[start] if names and not sides else str(start)
        at = f"@{of_file[start, port]}" if of_file else f":{port}"
        cables.append(Cable(name, f"{key}{at}"))
    return cables
