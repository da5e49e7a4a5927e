"""Networks of few hops: HyperX, dragonfly+, Jellyfish, Kautz graphs, islands of accelerators.

How their switches, nodes and ports are numbered stands in `docs/topologies.md`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar

from pydantic import Field, Strict

from ...parts import key
from ...places import grid_places, shown
from .base import Topology, Widths

__all__ = ["DragonflyPlus", "HyperX", "Islands", "Jellyfish", "Kautz"]

_Sides = Annotated[
    tuple[Annotated[int, Field(ge=2, le=65_536)], ...],
    Strict(False),
    Field(min_length=1, max_length=8),
]


class HyperX(Topology):
    """A grid of fully connected lines, such as a flattened butterfly [Ahn et al. 2009].

    Switches as in a mesh, x fastest; node i is on switch `i / nodes_per_switch`. The k-ary n-flat
    of [Kim et al. 2007] has n - 1 dimensions of k switches and k nodes on each.
    """

    kind: ClassVar[str] = "hyperx"
    also: ClassVar[str] = "flattened_butterfly"

    dims: _Sides = key(
        engine=True, default=(4, 4), description="Switches along each dimension, x first."
    )
    nodes_per_switch: int = key(
        also="p k concentration",
        engine=True,
        default=4,
        between=(1, 65_536),
        description="Nodes on every switch.",
    )
    dimension_widths: Widths | None = key(
        engine="widths",
        default=None,
        description="Parallel links between two switches, by dimension; default: "
        "machine.link.width.",
    )
    classes_by_distance: bool = key(
        engine="by_distance",
        added=True,
        default=False,
        description="Whether classes of links are by distance, too: x_1 between neighbours, x_2 "
        "between switches two apart, and so on, instead of x.",
    )

    @property
    def _labels(self) -> Mapping[str, Sequence[str]]:
        """The coordinates of each `switch`, if it has several; nodes have numbers."""
        return self.labels_by({"dims": self.dims})

    @classmethod
    def labels_by(cls, keys: Mapping[str, Any]) -> Mapping[str, Sequence[str]]:
        """Return the same of keys."""
        places = grid_places(keys["dims"]) if len(keys["dims"]) > 1 else []
        return {"switch": [shown(place) for place in places]} if places else {}


class DragonflyPlus(Topology):
    """Groups of leaves and spines, and links between spines of groups [Shpiner et al. 2017].

    Also called Megafly. With l = `leaves`, s = `spines`, h = `global_links`, p = `nodes_per_leaf`:
    switch `group · (l + s) + place`, leaves first; node i is on leaf `i / p`, counted over all
    groups. Each leaf is joined to each spine of its group. Links `t · h` to `t · h + h - 1` of a
    group are those of spine t, and arranged as in a dragonfly.
    """

    kind: ClassVar[str] = "dragonfly_plus"
    also: ClassVar[str] = "megafly"

    nodes_per_leaf: int = key(
        also="p", engine=True, default=2, between=(1, 65_536), description="Nodes on a leaf (p)."
    )
    leaves: int = key(
        also="l", engine=True, default=2, between=(1, 4096), description="Leaves of a group (l)."
    )
    spines: int = key(
        also="s", engine=True, default=2, between=(1, 4096), description="Spines of a group (s)."
    )
    global_links: int = key(
        also="h",
        engine=True,
        default=2,
        between=(1, 4096),
        description="Links from every spine to other groups (h).",
    )
    groups: int | None = key(
        also="g",
        engine=True,
        default=None,
        between=(2, 1_048_576),
        description="Groups (g), at most spines · global_links + 1, which is the default.",
    )

    @property
    def group_count(self) -> int:
        """`groups`, or as many as can be."""
        return self.spines * self.global_links + 1 if self.groups is None else self.groups

    def worked_out(self) -> dict[str, Any]:
        """Return the number of groups."""
        return {"groups": self.group_count}


class Jellyfish(Topology):
    """A random graph in which every switch has as many links [Singla et al. 2012].

    Node i is on switch `i / nodes_per_switch`; the graph is a function of the keys here alone.
    """

    kind: ClassVar[str] = "jellyfish"

    switches: int = key(
        engine=True, default=20, between=(2, 1_048_576), description="Number of switches."
    )
    links_per_switch: int = key(
        also="r degree",
        engine=True,
        default=4,
        between=(1, 4096),
        description="Links from every switch to others.",
    )
    nodes_per_switch: int = key(
        also="p concentration",
        engine=True,
        default=2,
        between=(1, 65_536),
        description="Nodes on every switch.",
    )
    wiring_seed: int = key(
        engine="seed",
        default=1,
        between=(0, 2**63 - 1),
        description="Which of all such graphs it is.",
    )

    def default_routing(self) -> str:
        """Return shortest paths drawn for each packet.

        A table with one shortest path for each pair would load some links several times as much as
        others.
        """
        return "spray"


class Islands(Topology):
    """Islands of fully connected accelerators, and rails between them [Wang et al. 2024].

    Accelerator t of island i is node and switch `i · accelerators + t`: it forwards what is not
    for it. Rail k is switch `islands · accelerators + k`, and joins the accelerators of all islands
    whose t is k modulo `rails`. Links within an island are of class `scale_up`, those to rails of
    class `scale_out`.
    """

    kind: ClassVar[str] = "islands"

    islands: int = key(
        engine=True, default=4, between=(2, 65_536), description="Number of islands."
    )
    accelerators: int = key(
        engine=True, default=8, between=(1, 4096), description="Accelerators of an island."
    )
    rails: int | None = key(
        engine=True,
        default=None,
        between=(1, 4096),
        description="Rails, a divisor of accelerators; default: one for each.",
    )

    @property
    def host_nodes(self) -> int:
        """The accelerators of an island."""
        return self.accelerators

    @property
    def rail_count(self) -> int:
        """`rails`, or one for each accelerator of an island."""
        return self.accelerators if self.rails is None else self.rails

    def worked_out(self) -> dict[str, Any]:
        """Return the number of rails."""
        return {"rails": self.rail_count}


class Kautz(Topology):
    """The Kautz graph K(d, k): directed, with a diameter of k links [Kautz 1968].

    Links lead one way. Switches are words of k letters out of d + 1, no two neighbours equal, in
    alphabetical order; links lead to the words without the first letter and with one more. The
    shortest route spells the destination out behind the longest end of a word that it begins with.
    Node i is on switch `i / nodes_per_switch`.
    """

    kind: ClassVar[str] = "kautz"

    links_per_switch: int = key(
        also="d",
        engine=True,
        default=2,
        between=(2, 1024),
        description="Links from every switch, and to it: d.",
    )
    diameter: int = key(
        also="k",
        engine=True,
        default=3,
        between=(1, 19),
        description="Links of the longest way: k; there are (d + 1) · d^(k-1) switches.",
    )
    nodes_per_switch: int = key(
        engine=True, default=1, between=(1, 65_536), description="Nodes on every switch."
    )
