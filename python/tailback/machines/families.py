"""Fat trees, butterflies, trees, fully connected switches, dragonflies.

How their switches, nodes and ports are numbered stands in `docs/topologies.md`.
"""

from __future__ import annotations

from itertools import pairwise
from math import prod
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, Strict, model_validator

from ..errors import UserError, shown
from .base import MOST_NODES, Fidelity
from .joined import JoinedSwitches
from .routing import ANYWHERE


class Family(JoinedSwitches, init=False):
    """A machine without coordinates; a node has one link to its switch unless told otherwise."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The nodes have no coordinates."""
        return ()

    @property
    def node_links(self) -> int:
        """Parallel links between a node and its switch: `link_width`, or one."""
        return 1 if self.link_width is None else self.link_width

    def _check_nodes(self, key: str, *, most: int = MOST_NODES) -> None:
        """Refuse too many or too few nodes, which `key` is to blame for."""
        given = shown(self.model_dump(mode="json")[key])
        if self.nodes > most:
            raise UserError(key, given, f"is {self.nodes} nodes; must be at most {most}")
        if self.nodes < 2:
            raise UserError(key, given, "is one node; must be at least 2")


class FatTree(Family, init=False):
    """The k-ary n-tree: arity^levels nodes below levels of equal switches."""

    topology: Literal["fat_tree"] = "fat_tree"
    routings: ClassVar[tuple[str, ...]] = ("nearest_common_ancestor", *ANYWHERE)

    arity: int = Field(default=4, ge=2, le=65_536, description="Links up, and down, of a switch.")
    levels: int = Field(default=3, ge=1, le=20, description="Levels of switches.")

    @model_validator(mode="after")
    def _size_possible(self) -> FatTree:
        self._check_nodes("levels")
        return self

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return int(self.arity**self.levels)

    @property
    def switches_in_all(self) -> int:
        """Number of switches."""
        return int(self.levels * self.arity ** (self.levels - 1))

    @property
    def degree(self) -> int:
        """Links up, and down, where there are levels above and below."""
        return min(self.levels - 1, 2) * self.arity

    @property
    def has_internal_channels(self) -> bool:
        """Whether any channel joins two switches: if there is more than one level."""
        return self.levels > 1

    @property
    def mean_internal_hops(self) -> int:
        """Half of the way up to the highest level and down again."""
        return self.levels - 1

    def _topology_spec(self) -> dict[str, Any]:
        return {"kind": self.topology, "arity": self.arity, "levels": self.levels}


class Butterfly(Family, init=False):
    """The k-ary n-fly: arity^stages nodes, stages of switches crossed in one direction."""

    topology: Literal["butterfly"] = "butterfly"
    routings: ClassVar[tuple[str, ...]] = ("destination_tag", "shortest", "table", "source_routes")

    arity: int = Field(default=4, ge=2, le=65_536, description="Inputs, and outputs, of a switch.")
    stages: int = Field(default=3, ge=1, le=20, description="Stages of switches.")

    @model_validator(mode="after")
    def _size_possible(self) -> Butterfly:
        self._check_nodes("stages")
        return self

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return int(self.arity**self.stages)

    @property
    def switches_in_all(self) -> int:
        """Number of switches."""
        return int(self.stages * self.arity ** (self.stages - 1))

    @property
    def degree(self) -> int:
        """Outputs of a switch that lead to others."""
        return self.arity if self.stages > 1 else 0

    @property
    def has_internal_channels(self) -> bool:
        """Whether any channel joins two switches: if there is more than one stage."""
        return self.stages > 1

    @property
    def mean_internal_hops(self) -> int:
        """Every packet crosses all stages."""
        return self.stages - 1

    def check(self, fidelity: Fidelity) -> None:
        """Raise `UserError` if the machine cannot be simulated with this fidelity."""
        super().check(fidelity)
        check_both_ways(fidelity, f'of topology = "{self.topology}" lead one way only')

    def _topology_spec(self) -> dict[str, Any]:
        return {"kind": self.topology, "arity": self.arity, "stages": self.stages}


_Levels = Annotated[
    tuple[Annotated[int, Field(ge=1, le=MOST_NODES)], ...],
    Strict(False),
    Field(min_length=1, max_length=20),
]
_Widths = Annotated[tuple[Annotated[int, Field(ge=1, le=255)], ...], Strict(False)]


class Tree(Family, init=False):
    """A tree of switches with the nodes on its leaves."""

    topology: Literal["tree"] = "tree"
    routings: ClassVar[tuple[str, ...]] = ANYWHERE

    fan_out: int | None = Field(
        default=None, ge=1, le=65_536, description="Switches below each switch; default: 4."
    )
    depth: int | None = Field(
        default=None, ge=1, le=20, description="Levels of switches, the root included; default: 3."
    )
    switches_per_level: _Levels | None = Field(
        default=None,
        description="Instead of fan_out and depth: switches of each level, 1 for the root first.",
    )
    nodes_per_switch: int = Field(default=4, ge=1, le=65_536, description="Nodes on every leaf.")
    level_widths: _Widths | None = Field(
        default=None,
        description="Parallel links between each level and the next, those of the root first; "
        "default: internal_link_width.",
    )

    @model_validator(mode="after")
    def _size_possible(self) -> Tree:
        levels = self.switches_per_level
        if levels is not None:
            for key in ("fan_out", "depth"):
                if getattr(self, key) is not None:
                    allowed = "must not be given together with switches_per_level"
                    raise UserError(key, shown(getattr(self, key)), allowed)
            for level, (above, below) in enumerate(pairwise(levels), 1):
                if below % above:
                    allowed = f"must be a multiple of the level above, {above}"
                    raise UserError(f"switches_per_level[{level}]", shown(below), allowed)
            if levels[0] != 1:
                raise UserError("switches_per_level[0]", shown(levels[0]), "must be 1, the root")
        joined = len(self._children)
        if self.level_widths is not None and len(self.level_widths) != joined:
            allowed = f"must be {joined} widths, one for the links below each level but the last"
            raise UserError("level_widths", shown(list(self.level_widths)), allowed)
        self._check_nodes("nodes_per_switch" if levels is None else "switches_per_level")
        return self

    @property
    def _children(self) -> tuple[int, ...]:
        """Switches below each switch, by level from the root."""
        levels = self.switches_per_level
        if levels is None:
            return (4 if self.fan_out is None else self.fan_out,) * ((self.depth or 3) - 1)
        return tuple(below // above for above, below in pairwise(levels))

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return prod(self._children) * self.nodes_per_switch

    @property
    def switches_in_all(self) -> int:
        """Number of switches."""
        return sum(prod(self._children[:level]) for level in range(len(self._children) + 1))

    @property
    def degree(self) -> int:
        """Links of the switch with most of them."""
        children = self._children
        return max((count + (level > 0) for level, count in enumerate(children)), default=0)

    @property
    def has_internal_channels(self) -> bool:
        """Whether any channel joins two switches."""
        return bool(self._children)

    @property
    def mean_internal_hops(self) -> int:
        """Half of the way up to the root and down again."""
        return len(self._children)

    def resolved(self, fidelity: Fidelity) -> dict[str, Any]:
        """Return every parameter, with units and with the defaults that depend on others."""
        levels = [prod(self._children[:level]) for level in range(len(self._children) + 1)]
        return super().resolved(fidelity) | {
            "fan_out": None,
            "depth": None,
            "switches_per_level": levels,
            "level_widths": list(self._widths),
        }

    @property
    def _has_ways(self) -> bool:
        """Never: there is one way up and one down."""
        return False

    @property
    def _widths(self) -> tuple[int, ...]:
        return self.level_widths or (self.internal_link_width,) * len(self._children)

    def _topology_spec(self) -> dict[str, Any]:
        usual = {self.internal_link_width}
        return {
            "kind": self.topology,
            "children": list(self._children),
            "nodes_per_switch": self.nodes_per_switch,
            "widths": list(self._widths) if set(self._widths) != usual else [],
        }


class FullyConnected(Family, init=False):
    """Switches each of which is joined to every other."""

    topology: Literal["fully_connected"] = "fully_connected"
    routings: ClassVar[tuple[str, ...]] = (
        "shortest",
        *(word for word in ANYWHERE if word != "shortest"),
    )

    switches: int = Field(default=8, ge=1, le=8192, description="Number of switches.")
    nodes_per_switch: int = Field(default=4, ge=1, le=65_536, description="Nodes on every switch.")

    @model_validator(mode="after")
    def _size_possible(self) -> FullyConnected:
        self._check_nodes("switches")
        return self

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return self.switches * self.nodes_per_switch

    @property
    def switches_in_all(self) -> int:
        """`switches`."""
        return self.switches

    @property
    def degree(self) -> int:
        """Links to all other switches."""
        return self.switches - 1

    @property
    def has_internal_channels(self) -> bool:
        """Whether any channel joins two switches."""
        return self.switches > 1

    @property
    def mean_internal_hops(self) -> int:
        """One, or none where there is one switch."""
        return int(self.switches > 1)

    def _topology_spec(self) -> dict[str, Any]:
        return {
            "kind": self.topology,
            "switches": self.switches,
            "nodes_per_switch": self.nodes_per_switch,
        }


class Dragonfly(Family, init=False):
    """Groups of fully connected switches, and links between every two groups."""

    topology: Literal["dragonfly"] = "dragonfly"
    routings: ClassVar[tuple[str, ...]] = ("minimal", *ANYWHERE)

    nodes_per_switch: int = Field(default=2, ge=1, le=65_536, description="Nodes on a switch (p).")
    switches_per_group: int = Field(
        default=4, ge=1, le=4096, description="Switches of a group (a)."
    )
    global_links: int = Field(
        default=2, ge=1, le=4096, description="Links from every switch to other groups (h)."
    )
    groups: int | None = Field(
        default=None,
        ge=2,
        description="Groups (g), at most switches_per_group · global_links + 1, which is the "
        "default.",
    )

    @model_validator(mode="after")
    def _size_possible(self) -> Dragonfly:
        if self.group_count > self._most_groups:
            allowed = f"must be at most switches_per_group · global_links + 1, {self._most_groups}"
            raise UserError("groups", shown(self.groups), allowed)
        self._check_nodes("groups" if self.groups is not None else "nodes_per_switch")
        return self

    @property
    def _most_groups(self) -> int:
        return self.switches_per_group * self.global_links + 1

    @property
    def group_count(self) -> int:
        """`groups`, or as many as can be."""
        return self._most_groups if self.groups is None else self.groups

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return self.group_count * self.switches_per_group * self.nodes_per_switch

    @property
    def switches_in_all(self) -> int:
        """Number of switches."""
        return self.group_count * self.switches_per_group

    @property
    def _way_classes(self) -> int:
        """Two: where a packet has still to leave its group, and where it has arrived."""
        return 2

    @property
    def degree(self) -> int:
        """Links inside the group and to others."""
        return self.switches_per_group - 1 + self.global_links

    @property
    def mean_internal_hops(self) -> int:
        """Two: the longest of the shortest ways has three."""
        return 2

    def resolved(self, fidelity: Fidelity) -> dict[str, Any]:
        """Return every parameter, with units and with the defaults that depend on others."""
        return super().resolved(fidelity) | {"groups": self.group_count}

    def _topology_spec(self) -> dict[str, Any]:
        return {
            "kind": self.topology,
            "nodes_per_switch": self.nodes_per_switch,
            "switches_per_group": self.switches_per_group,
            "global_links": self.global_links,
            "groups": self.group_count,
        }


def check_both_ways(fidelity: Fidelity, which: str) -> None:
    """Refuse a fidelity that needs a way back along every link; `which`: links that have none."""
    if fidelity == "token":
        problem = f"sends flow-control tokens back along every link; those {which}"
        instead = 'use machine.flow_control = "out_of_band", or run.fidelity = "packet"'
        raise UserError("run.fidelity", shown(fidelity), f"{problem}; {instead}")
