"""The numbers of a network, whatever its routing."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

from tailback import engine
from tailback.machines import Machine
from tailback.statistics import finite

from .bisection import Bisection, bisection_found
from .symmetry import symmetry

#: Links visited above which only a sample of the switches is searched from: seconds.
MOST_LINKS = 60_000_000
#: The same if all switches are equivalent.
_MOST_ALIKE = 10_000_000


@dataclass(frozen=True, eq=False)
class Survey:
    """Distances, minimal paths, bisection; and the links and nodes themselves.

    Pairs are ordered pairs of different nodes; routing does not matter. If it is not `exact`,
    paths were searched from `sources` of the switches only: means are estimates, diameters and
    `paths_max` lower bounds, `paths_min` an upper bound.
    """

    nodes: int
    switches: int
    links: int
    """Links between switches, each direction counted."""
    failed_links: int
    """Links between switches that have failed, both directions counted once."""
    degree: int
    """Largest number of links from one switch."""
    symmetric: bool
    """Whether all links are bidirectional, and every node enters at the switch where it leaves."""
    switch_diameter: int
    """Largest distance from switch to switch, in links."""
    diameter: int
    """Largest distance from node to node, in channels."""
    mean_hops: float
    """Mean distance from node to node, in channels."""
    paths_mean: float
    """Minimal paths between two nodes, on average over all pairs."""
    paths_min: float
    paths_max: float
    bisection: Bisection | None
    sources: int
    exact: bool
    graph: engine.Columns
    """`link_from`, `link_to`, `link_width`, `link_delay_ps`; `node_enters`, `node_leaves`."""

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers for JSON; None for one beyond the range of floats."""
        names = ("links", "degree", "symmetric", "switch_diameter", "diameter", "mean_hops")
        paths = {
            f"minimal_paths_{name}": finite(value)
            for name, value in (
                ("mean", self.paths_mean),
                ("min", self.paths_min),
                ("max", self.paths_max),
            )
        }
        failed = {"failed_links": self.failed_links} if self.failed_links else {}
        return {
            **failed,
            **{name: getattr(self, name) for name in names},
            **paths,
            "bisection": None if self.bisection is None else self.bisection.to_dict(),
            "sources": self.sources,
            "exact": self.exact,
        }


def survey(machine: Machine) -> Survey:
    """Return the numbers of a machine's network."""
    topology = machine.spec(machine.usual_fidelity)["topology"]
    link = machine.link
    same = symmetry(machine)
    most = MOST_LINKS if same is None else _MOST_ALIKE
    facts = machine.topology.facts
    are_few = facts.switches * (facts.switches + facts.links) <= MOST_LINKS
    searched = None if same is None or are_few else same.switches
    counted = engine.survey(json.dumps(topology), link.width, most, link.delay.ps, searched)
    # A sample of equivalent switches is as good as all.
    alike = same is not None and same.switches is None
    counted["exact"] = counted["exact"] or alike
    graph = {name: counted.pop(name) for name in list(counted) if name.startswith(_OF_GRAPH)}
    formula = counted.pop("bisection_channels")
    if formula is None:
        formula = machine.topology.bisection_wires()
    found = bisection_found(graph, counted["switches"]) if formula is None else None
    bisection = found if formula is None else Bisection(formula, exact=True)
    if bisection is not None and link.sharing == "separate":
        # Virtual channels that share no wire have one each.
        wires = bisection.wires * machine.channels_per_wire
        bisection = replace(bisection, wires=wires)
    failed = len(machine.topology.facts.failed_links)
    return Survey(**counted, failed_links=failed, bisection=bisection, graph=graph)


_OF_GRAPH = ("link_", "node_")
