"""Fat trees of pods, and all others.

How their switches, nodes and ports are numbered stands in `docs/topologies.md`.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import Field, Strict

from ...errors import UserError, joined, shown
from ...parts import key
from .base import Topology, Widths

__all__ = ["PodFatTree", "Xgft"]

_Counts = Annotated[
    tuple[Annotated[int, Field(ge=1, le=65_536)], ...], Strict(False), Field(max_length=20)
]


class PodFatTree(Topology):
    """The k-ary fat tree: k pods of two levels, and a core above [Al-Fares et al. 2008].

    With k = `switch_ports`, k^3/4 nodes. As `xgft` with k/2, k/2 and k children and k/2 and k/2
    parents: edge switches first, then aggregation switches, pod by pod, then the core.
    """

    kind: ClassVar[str] = "pod_fat_tree"

    switch_ports: int = key(
        also="k ports radix",
        engine=True,
        default=4,
        between=(2, 256),
        description="Ports of every switch (k), an even number.",
    )


class Xgft(Topology):
    """The extended generalised fat tree: any children and parents per level [Öhring et al. 1995].

    Level 1 is the lowest; its switches have nodes as children. With `m` children and `w` parents
    of the levels, a switch of level l is above M = m1 · ... · ml nodes, and W = w1 · ... · w(l-1)
    switches are above the same. They are numbered level by level, the lowest first; in level l
    switch `subtree · W + place` is above nodes `subtree · M` and on. Node i is on switch `i / m1`.
    Parent t of a switch with that place has place `t · W + place`.

    A leaf-spine network (also called a folded Clos network) has two levels: `children` are the
    nodes of a leaf and the leaves, `parents` the spines.
    """

    kind: ClassVar[str] = "xgft"
    also: ClassVar[str] = "leaf_spine clos folded_clos"

    children: _Counts = key(
        also="m",
        engine=True,
        default=(4, 4, 4),
        description="Children of a switch, by level: of the lowest, its nodes, first.",
    )
    parents: _Counts | None = key(
        also="w",
        engine=True,
        default=None,
        description="Parents of a switch, by level; the highest has none. Default: as many as "
        "children, divided by oversubscription.",
    )
    oversubscription: _Counts | None = key(
        default=None,
        description="Instead of parents: children over parents, by level, as [2, 1]; default: 1.",
    )
    level_widths: Widths | None = key(
        engine="widths",
        default=None,
        description="Parallel links between each level and the next, the lowest first; default: "
        "machine.link.width.",
    )

    def _check(self) -> None:
        if self.parents is not None and self.oversubscription is not None:
            raise self.refused("oversubscription", "must not be given together with parents")
        self._parents  # noqa: B018  # asked for its refusals
        super()._check()

    @property
    def _parents(self) -> tuple[int, ...]:
        """Parents of a switch, by level."""
        if self.parents is not None:
            return self.parents
        below = self.children[:-1]
        shares = self.oversubscription
        if shares is None:
            return below
        if len(shares) != len(below):
            raise self.refused(
                "oversubscription", f"must be one for each level below the highest: {len(below)}"
            )
        for level, (children, share) in enumerate(zip(below, shares, strict=True), 1):
            if children % share:
                where = joined(self.section, f"oversubscription[{level - 1}]")
                left = f"leaves level {level}, of {children} children, without links to the next"
                whole = f"must divide the {children} children of level {level}"
                raise UserError(where, shown(share), left if share > children else whole)
        return tuple(children // share for children, share in zip(below, shares, strict=True))

    def worked_out(self) -> dict[str, Any]:
        """Return the parents of a switch, which follow from their oversubscription."""
        return {"parents": self._parents, "oversubscription": None}
