"""Fat trees, butterflies, trees, fully connected switches, dragonflies.

How their switches, nodes and ports are numbered stands in `docs/topologies.md`.
"""

from __future__ import annotations

from itertools import pairwise
from math import prod
from typing import Annotated, Any, ClassVar

from pydantic import Field, Strict

from ...errors import UserError, joined, shown
from ...parts import key
from .base import MOST_NODES, Topology, Widths

__all__ = ["Butterfly", "Dragonfly", "FatTree", "FullyConnected", "SlimFly", "Tree"]


class FatTree(Topology):
    """The k-ary n-tree: arity^levels nodes below equal switches [Petrini & Vanneschi 1997].

    Level 0 is the highest. Switch `level · k^(n-1) + word`, where a word has n-1 digits to the base
    k = `arity`, the first of which weighs most. Level l is joined to level l+1 where the words
    differ in no digit but digit l. Node p is on the lowest level, on the switch whose word is p
    without its last digit.
    """

    kind: ClassVar[str] = "fat_tree"
    also: ClassVar[str] = "k_ary_n_tree fattree"

    arity: int = key(
        also="k",
        engine=True,
        default=4,
        between=(2, 65_536),
        description="Links up, and down, of a switch.",
    )
    levels: int = key(
        also="n", engine=True, default=3, between=(1, 20), description="Levels of switches."
    )


class Butterfly(Topology):
    """The k-ary n-fly: arity^stages nodes, stages of switches, one way [Dally & Towles 2004].

    Switch `stage · k^(n-1) + word`, words as in a fat tree. A link from stage i to stage i+1 sets
    digit i. Node p sends to the first stage and receives from the last, each time at the switch
    whose word is p without its last digit. Links lead one way: flow-control tokens, which need a
    way back, are refused.
    """

    kind: ClassVar[str] = "butterfly"
    also: ClassVar[str] = "k_ary_n_fly"

    arity: int = key(
        also="k",
        engine=True,
        default=4,
        between=(2, 65_536),
        description="Inputs, and outputs, of a switch.",
    )
    stages: int = key(
        also="n", engine=True, default=3, between=(1, 20), description="Stages of switches."
    )


_Levels = Annotated[
    tuple[Annotated[int, Field(ge=1, le=MOST_NODES)], ...],
    Strict(False),
    Field(min_length=1, max_length=20),
]


class Tree(Topology):
    """A tree of switches with the nodes on its leaves.

    Switches by level from the root, which is 0, and from left to right.
    """

    kind: ClassVar[str] = "tree"

    fan_out: int | None = key(
        default=None, between=(1, 65_536), description="Switches below each switch; default: 4."
    )
    depth: int | None = key(
        default=None,
        between=(1, 20),
        description="Levels of switches, the root included; default: 3.",
    )
    switches_per_level: _Levels | None = key(
        default=None,
        description="Instead of fan_out and depth: switches of each level, 1 for the root first.",
    )
    nodes_per_switch: int = key(
        engine=True, default=4, between=(1, 65_536), description="Nodes on every leaf."
    )
    level_widths: Widths | None = key(
        engine="widths",
        default=None,
        description="Parallel links between each level and the next, those of the root first; "
        "default: machine.link.width.",
    )

    def _check(self) -> None:
        levels = self.switches_per_level
        if levels is not None:
            for other in ("fan_out", "depth"):
                if getattr(self, other) is not None:
                    raise self.refused(other, "must not be given together with switches_per_level")
            for level, (above, below) in enumerate(pairwise(levels), 1):
                if below % above:
                    allowed = f"must be a multiple of the level above, {above}"
                    raise UserError(
                        joined(self.section, f"switches_per_level[{level}]"), shown(below), allowed
                    )
            if levels[0] != 1:
                path = joined(self.section, "switches_per_level[0]")
                raise UserError(path, shown(levels[0]), "must be 1, the root")
        super()._check()

    @property
    def _children(self) -> tuple[int, ...]:
        """Switches below each switch, by level from the root."""
        levels = self.switches_per_level
        if levels is None:
            return (4 if self.fan_out is None else self.fan_out,) * ((self.depth or 3) - 1)
        return tuple(below // above for above, below in pairwise(levels))

    def worked_out(self) -> dict[str, Any]:
        """Return the switches of each level, which follow from fan-out and depth."""
        children = self._children
        levels = [prod(children[:level]) for level in range(len(children) + 1)]
        return {"fan_out": None, "depth": None, "switches_per_level": levels}

    def spec(self) -> dict[str, Any]:
        """Return the topology as the engine describes it."""
        return super().spec() | {"children": list(self._children)}


class FullyConnected(Topology):
    """Switches each of which is joined to every other.

    Node i is on switch `i / nodes_per_switch`.
    """

    kind: ClassVar[str] = "fully_connected"
    also: ClassVar[str] = "all_to_all"

    switches: int = key(
        engine=True, default=8, between=(1, 8192), description="Number of switches."
    )
    nodes_per_switch: int = key(
        engine=True, default=4, between=(1, 65_536), description="Nodes on every switch."
    )


class Dragonfly(Topology):
    """Groups of fully connected switches, and links between every two groups [Kim et al. 2008].

    With a = `switches_per_group`, h = `global_links`, p = `nodes_per_switch` and g groups: switch
    `group · a + place`; node i is on switch `i / p`. The links of a group to others are numbered
    `place · h + q`. Link j of group i leads to group `i - 1 - j mod (g - 1)`, modulo g: with all
    `a · h + 1` groups the palm tree arrangement [Camarero et al. 2014]. With fewer groups there are
    `a · h / (g - 1)`, rounded down, links between every two; the rest leads nowhere.
    """

    kind: ClassVar[str] = "dragonfly"

    nodes_per_switch: int = key(
        also="p concentration",
        engine=True,
        default=2,
        between=(1, 65_536),
        description="Nodes on a switch (p).",
    )
    switches_per_group: int = key(
        also="a", engine=True, default=4, between=(1, 4096), description="Switches of a group (a)."
    )
    global_links: int = key(
        also="h",
        engine=True,
        default=2,
        between=(1, 4096),
        description="Links from every switch to other groups (h).",
    )
    groups: int | None = key(
        also="g groups",
        engine=True,
        default=None,
        between=(2, 1_048_576),
        description="Groups (g), at most switches_per_group · global_links + 1, which is the "
        "default.",
    )

    @property
    def group_count(self) -> int:
        """`groups`, or as many as can be."""
        most = self.switches_per_group * self.global_links + 1
        return most if self.groups is None else self.groups

    def worked_out(self) -> dict[str, Any]:
        """Return the number of groups."""
        return {"groups": self.group_count}


class SlimFly(Topology):
    """2q² switches, any two at most two links apart, for a prime power q [Besta & Hoefler 2014].

    The graphs of McKay, Miller and Širáň for a prime power q = 4w + δ, where δ is -1, 0 or 1.
    Switch `(s · q + x) · q + y`, where s is 0 or 1, and x and y are elements of GF(q); node i is on
    switch `i / p`, p being `nodes_per_switch`.
    (0, x, y) is joined to (0, x, y') if y - y' is in X, (1, m, c) to (1, m, c') if c - c' is in
    ξX, and (0, x, y) to (1, m, c) if y = m · x + c: (3q - δ) / 2 links each. With a primitive
    element ξ, X has its even powers if δ is 0 or 1, and ±ξ^0, ±ξ^2, ..., ±ξ^(2w-2) if δ is -1.
    For a prime q the elements are the residues modulo q; for q = p^k an element is a number of k
    digits to the base p, the coefficients of a polynomial (ξ = p is x).
    """

    kind: ClassVar[str] = "slim_fly"

    q: int = key(
        engine=True,
        default=5,
        between=(3, 1024),
        description="A power of a prime, such as 4, 5, 7, 8, 9 or 19; there are 2q² switches.",
    )
    nodes_per_switch: int = key(
        also="p concentration",
        engine=True,
        default=4,
        between=(1, 65_536),
        description="Nodes on every switch; half of its links to others, rounded up, is balanced.",
    )
