"""Routing algorithms: which way packets go, and how one of several outputs is chosen.

One class per kind; their fields are the keys of ``[machine.routing]``. What an algorithm
needs and does is the engine's to say (`docs/routing.md`).
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Strict

from .. import door
from ..door import RoutingFacts
from ..errors import NoEffectError, listed, shown
from ..parts import Part, key
from .topologies import MOST_NODES, Topology

__all__ = [
    "Chaos",
    "DModK",
    "Dal",
    "Deflection",
    "DestinationTag",
    "DimensionOrder",
    "Ecmp",
    "FirstHop",
    "Hamiltonian",
    "HopClasses",
    "Minimal",
    "MinimalAdaptive",
    "NearestCommonAncestor",
    "NegativeFirst",
    "OddEven",
    "Par",
    "Profitable",
    "SModK",
    "Shortest",
    "SpanningTree",
    "Spray",
    "UgalG",
    "UgalL",
    "UpDown",
    "Valiant",
    "WestFirst",
]

#: Channels a packet may cross at most: the engine counts them in 16 bits.
MOST_HOPS = 65_534

#: Topologies that packets may cross by way of a group.
_GROUPED = ("dragonfly", "dragonfly_plus")

Selection = Literal["first", "random", "fewest_waiting", "most_credit"]
Order = Annotated[tuple[int | str, ...], Strict(False)] | None


class Routing(Part):
    """Which route packets take; the base class of every kind."""

    section: ClassVar[str] = "machine.routing"
    kind: ClassVar[str]
    also: ClassVar[str] = ""
    """Other words for the kind."""
    spreads: ClassVar[bool] = False
    """Whether an output is usually selected at random."""
    ascends: ClassVar[bool] = False
    """Whether packets may choose among ways up that are equally short."""
    leaves_minimal: ClassVar[bool] = False
    """Whether packets leave minimal routes by load; predicted loads are those of minimal ones."""

    selection: Selection | None = key(
        default=None,
        description="Which of several free outputs a packet takes; default: random where there are "
        "several ways up, where switches keep a queue for each output, and with chaos and "
        "deflection; else first.",
    )
    parallel_links: Literal["any", "destination"] = key(
        shown="given",
        default="any",
        description="Which of several parallel links (link.width) between two switches a packet "
        "takes: any that is free, or that of its destination: the sum of the coordinates of the "
        "switch there (its number, where there is no grid) modulo their number.",
    )
    allow_deadlock: bool = key(
        default=False, description="Whether a routing that can deadlock is simulated all the same."
    )
    hop_limit: int = key(
        default=MOST_HOPS,
        between=(1, MOST_HOPS),
        description="Most channels a packet may cross; a run in which one crosses more ends as a "
        "livelock.",
    )

    def facts(self, topology: Topology) -> RoutingFacts:
        """Return what the engine knows of it there. Raises `UserError` where it is not possible."""
        with topology.names():
            return door.routing(topology.spec_left(), self.algorithm_spec(topology))

    def check(self, topology: Topology) -> None:
        """Raise `UserError` if it is not possible on a topology."""
        self.facts(topology)

    def worked_out(self, topology: Topology) -> dict[str, Any]:
        """Return the keys that are left out and follow from the topology, with what they are."""
        return {}

    def algorithm_spec(self, topology: Topology) -> dict[str, Any]:
        """Return the algorithm as the engine describes it."""
        return {"kind": self.kind, **self.engine_keys(self.worked_out(topology))}

    def spec(self, topology: Topology, selection: Selection) -> dict[str, Any]:
        """Return the routing as the engine describes it, with the selection that a machine has."""
        return {
            "algorithm": self.algorithm_spec(topology),
            "selection": selection,
            "hop_limit": self.hop_limit,
            "allow_deadlock": self.allow_deadlock,
            # Left out where it is as before there was this key.
            **({} if self.parallel_links == "any" else {"parallel_links": self.parallel_links}),
        }

    def resolved(self, topology: Topology) -> dict[str, Any]:
        """Return every key as a file has it, with the defaults that depend on others."""
        return {"kind": self.kind, **self.listed(), **self.worked_out(topology)}


def _dimensions(topology: Topology) -> tuple[str, ...]:
    """Return the names of dimensions: classes of links, of which each may have one by distance."""
    return tuple(dict.fromkeys(name.partition("_")[0] for name in topology.link_classes))


class Ordered(Routing):
    """One dimension after the other, in a given order."""

    order: Order = key(
        engine=True,
        default=None,
        description='Order of the dimensions, as ["y", "x"] or [1, 0]; default: x first.',
    )

    def dimensions(self, topology: Topology) -> tuple[int, ...]:
        """Return the numbers of the dimensions in the order they are routed."""
        names = _dimensions(topology) if topology.facts.sides else ()
        if self.order is None:
            return tuple(range(len(names)))
        numbers = {name: number for number, name in enumerate(names)}
        order = tuple(numbers.get(str(entry), entry) for entry in self.order)
        if sorted(order, key=str) != sorted(range(len(names)), key=str):
            needed = f"must name each of {', '.join(names)} once" if names else "must be left out"
            error = self.refused("order", needed)
            raise NoEffectError(error.field, error.given, error.allowed)
        return tuple(int(entry) for entry in order)

    def worked_out(self, topology: Topology) -> dict[str, Any]:
        """Return the order of dimensions by their numbers."""
        return {"order": self.dimensions(topology)}

    def resolved(self, topology: Topology) -> dict[str, Any]:
        """Return every key as a file has it, with the defaults that depend on others."""
        names = _dimensions(topology)
        order = [names[number] for number in self.dimensions(topology)]
        return super().resolved(topology) | {"order": order or None}


#: Topologies whose lines are rings.
_RINGS = ("torus", "concentrated_torus")


class DimensionOrder(Ordered):
    """One dimension after the other, each in the shorter direction.

    On a mesh or hypercube the channels can be numbered so that every packet uses ascending numbers.
    A ring needs two VC classes for this, before and after its dateline [Dally & Seitz 1987].
    """

    kind: ClassVar[str] = "dimension_order"
    also: ClassVar[str] = "dor xy e_cube ecube"

    balanced: bool | None = key(
        default=None,
        description="On a torus: whether packets that cross no dateline are spread over both "
        "classes of virtual channels; default: false.",
    )
    ring_classes: Literal["dateline", "wrapping"] | None = key(
        default=None,
        description="On a torus: what a packet's class of virtual channels in a dimension depends "
        "on: whether it has still to cross the dateline (dateline), or whether it does at all and "
        "in which direction, from first to last (wrapping, as in BookSim2: half a ring away it "
        "goes either way at random); default: dateline.",
    )

    ties: Literal["spread", "up", "down"] | None = key(
        shown="given",
        default=None,
        description="On a torus: half a ring away, whether packets go both ways, by their ends, so "
        "that all links are used alike (spread), or all in one direction; default: spread.",
    )

    def check(self, topology: Topology) -> None:
        """Raise `UserError` if there are no datelines, or for an impossible order."""
        super().check(topology)
        for name in ("balanced", "ring_classes", "ties"):
            given = getattr(self, name)
            if given is not None and topology.kind not in _RINGS:
                needed = 'has no effect here; needs machine.topology.kind = "torus"'
                raise NoEffectError(f"{self.section}.{name}", shown(given), needed)
        if self.balanced and self.ring_classes == "wrapping":
            raise self.refused("balanced", 'must be false with ring_classes = "wrapping"')
        if self._goes_one_way and (self.balanced or self.ring_classes == "wrapping"):
            needed = 'must be spread with balanced = true and ring_classes = "wrapping"'
            raise self.refused("ties", needed)

    @property
    def _goes_one_way(self) -> bool:
        return self.ties in ("up", "down")

    def algorithm_spec(self, topology: Topology) -> dict[str, Any]:
        """Return the algorithm as the engine describes it."""
        found = super().algorithm_spec(topology)
        if self.ring_classes == "wrapping":
            return found | {"kind": "dimension_order_by_wrapping"}
        if self._goes_one_way:
            return found | {"kind": "dimension_order_one_way", "rises": self.ties == "up"}
        return found | ({"balanced": True} if self.balanced else {})

    def resolved(self, topology: Topology) -> dict[str, Any]:
        """Return every key as a file has it, with the defaults that depend on others."""
        found = super().resolved(topology) | {"balanced": None, "ring_classes": None}
        if not self._goes_one_way:
            found.pop("ties", None)
        if topology.kind not in _RINGS:
            return found
        classes = self.ring_classes or "dateline"
        return found | {"balanced": bool(self.balanced), "ring_classes": classes}


class Valiant(Ordered):
    """Through a random node, switch or group: two phases, each by the usual route [Valiant 1982].

    Each phase has VC classes of its own, and no packet returns to the first phase. Where the usual
    routes can close a channel dependency cycle, each hop has a class. With random groups each group
    on the route has its class, and no packet returns to an earlier one.
    """

    kind: ClassVar[str] = "valiant"
    also: ClassVar[str] = "two_phase"

    intermediate: Literal["node", "switch", "group"] = key(
        default="node",
        description="What a packet goes by way of: any node, any switch that has nodes, or, on a "
        "dragonfly or dragonfly+, any group, which takes 3 classes of virtual channels.",
    )

    def check(self, topology: Topology) -> None:
        """Raise `UserError` for groups that are not there, or an order of no dimensions."""
        if self.intermediate == "group" and topology.kind not in _GROUPED:
            needed = f"must be node; group needs machine.topology.kind = {listed(_GROUPED)}"
            raise self.refused("intermediate", needed)
        super().check(topology)

    def algorithm_spec(self, topology: Topology) -> dict[str, Any]:
        """Return the algorithm as the engine describes it."""
        if self.intermediate == "group":
            return {"kind": "valiant_by_groups"}
        found = super().algorithm_spec(topology)
        return found | ({"kind": "valiant_by_switches"} if self.intermediate == "switch" else {})


class _Weighing(Routing):
    """A minimal route compared with one through a random node or group."""

    leaves_minimal: ClassVar[bool] = True

    threshold: int = key(
        engine="weighing.threshold",
        default=0,
        between=(-1_000_000, 1_000_000),
        description="Flits (of machine.link) by which the direct way may be more loaded.",
    )
    rule: Literal["hops", "double"] = key(
        default="hops",
        description="How loads weigh: times the hops of the way, or that of the way round twice "
        "(as BookSim has it on dragonflies, with a threshold of 30).",
    )
    backlog: Literal["switch", "behind"] = key(
        default="switch",
        description="What loads a link: the flits that wait for it in its switch and those behind "
        "it, or only these (as BookSim2 has it); the time they take there if links have different "
        "rates.",
    )

    def algorithm_spec(self, topology: Topology) -> dict[str, Any]:
        """Return the algorithm as the engine describes it."""
        found = super().algorithm_spec(topology)
        rules = {"doubles": self.rule == "double", "only_behind": self.backlog == "behind"}
        return found | {"weighing": found["weighing"] | rules}


class UgalL(_Weighing, Ordered):
    """Minimal or through a random node or group, by the load of the first link [Singh 2005].

    VC classes: one for each group on the route with random groups, one for each phase with random
    nodes; one for each hop where minimal routes have no deadlock-freedom argument of their own.
    """

    kind: ClassVar[str] = "ugal_l"


class UgalG(_Weighing, Ordered):
    """Minimal or through a random node or group, by loads of distant links, too [Kim et al. 2008].

    It compares the loads of the first links between groups or, without groups, of all links of both
    routes. VC classes as `ugal_l`.
    """

    kind: ClassVar[str] = "ugal_g"


class Par(_Weighing):
    """On dragonflies: `ugal_l`, decided anew at each switch of the first group [Jiang et al. 2009].

    VC classes as `ugal_l`, and one more for each hop that a packet may take in its group before it
    turns away.
    """

    kind: ClassVar[str] = "par"


class Dal(_Weighing):
    """On HyperX: in each dimension minimal or with one detour, by the load there [Ahn et al. 2009].

    Each hop uses the VC class of its number: at most two for each dimension, more where failed
    links make routes longer.
    """

    kind: ClassVar[str] = "dal"


class WestFirst(Routing):
    """First descending in all dimensions but the last, then minimal adaptive [Glass & Ni 1992].

    Of the turns that could close a dependency cycle, one is forbidden in each direction of
    rotation.
    """

    kind: ClassVar[str] = "west_first"


class NegativeFirst(Routing):
    """First descending in all dimensions, then minimal adaptive [Glass & Ni 1992].

    As `west_first`.
    """

    kind: ClassVar[str] = "negative_first"


class OddEven(Routing):
    """Turns that depend on whether a column is even or odd; in two dimensions [Chiu 2000].

    As `west_first`.
    """

    kind: ClassVar[str] = "odd_even"


class Hamiltonian(Routing):
    """Along a Hamiltonian path, by labels, ascending or descending [Lin et al. 1994].

    Links to higher labels and links to lower labels are two networks: no packet uses both, and no
    route in either can return to a switch. Routes are shortest in up to two dimensions; in more
    dimensions they may be longer.
    """

    kind: ClassVar[str] = "hamiltonian"


class MinimalAdaptive(Ordered):
    """Any shortest route, with an escape channel where none is free [Duato 1993].

    Every switch has an escape channel to every destination. Escape channels close no dependency
    cycle, not even through adaptive channels in between: they use dimension order on grids and
    HyperX, elsewhere up*/down* on a spanning tree, which a packet does not leave again [Silla &
    Duato 2000]. In clocked switches every packet may use them only with `switch.vc_reuse =
    "after_credits"`.
    """

    kind: ClassVar[str] = "minimal_adaptive"
    also: ClassVar[str] = "adaptive duato"


class _Whole(Routing):
    """Switches that send packets as a whole."""

    spreads: ClassVar[bool] = True


class Chaos(_Whole):
    """Any shortest route; a full switch misroutes packets [Konstantinidou & Snyder 1991].

    A packet enters the network only where a place stays free, and packets exchange places, so no
    order of channels is needed. Livelock is excluded with probability 1 only: see `hop_limit`.
    """

    kind: ClassVar[str] = "chaos"


class Deflection(_Whole):
    """Any output, shortest routes first; packets are hardly ever stored [Germain et al. 1993].

    As `chaos`.
    """

    kind: ClassVar[str] = "deflection"


class _Choosing(Routing):
    """Several routes of equal length."""

    ascends: ClassVar[bool] = True

    adaptive: bool | None = key(
        engine=True,
        default=None,
        description="Whether packets may choose among several ways that are equally short; "
        "default: true, on a tree false.",
    )

    def may_choose(self, topology: Topology) -> bool:
        """`adaptive` or its default."""
        return topology.facts.has_several_ways if self.adaptive is None else self.adaptive

    def worked_out(self, topology: Topology) -> dict[str, Any]:
        """Return whether packets may choose."""
        return {"adaptive": self.may_choose(topology)}


class UpDown(_Choosing):
    """Up a spanning tree, then down, by the shortest such route [Schroeder et al. 1991].

    No packet moves up after it has moved down. Where switches are in layers, all of the highest
    are roots.
    """

    kind: ClassVar[str] = "up_down"
    also: ClassVar[str] = "updown"

    root: int | None = key(
        engine=True,
        default=None,
        ge=0,
        lt=MOST_NODES,
        description="The number of the switch at the top; default: all of the highest layer where "
        "every link joins two layers, as in a fat tree; else the first of those with the most "
        "links.",
    )


class SpanningTree(Routing):
    """Along a spanning tree; all other links are blocked and carry nothing [IEEE 802.1D].

    The channel dependency graph is acyclic. The root is the switch with the lowest number. Every
    other switch uses one link towards the root: of its neighbours one hop nearer to the root, the
    one with the lowest number.
    """

    kind: ClassVar[str] = "spanning_tree"


class Shortest(Routing):
    """Shortest paths, by the lowest port on one.

    In trees, stars and fully connected networks the channel dependency graph is acyclic.
    """

    kind: ClassVar[str] = "shortest"


class Ecmp(Routing):
    """Shortest paths, one for each flow, chosen by a hash at every switch [Hopps 2000].

    On fat trees no packet moves up after it has moved down; elsewhere each hop has a VC class of
    its own.
    """

    kind: ClassVar[str] = "ecmp"

    flow: Literal["pair", "process_pair", "message"] = key(
        engine=True,
        default="pair",
        description="What packets of one way have in common: their nodes, their processes, or "
        "their message.",
    )
    hash_seed: int = key(
        engine="seed",
        default=1,
        between=(0, 2**63 - 1),
        description="Which of all hashes the switches have.",
    )


class Spray(Routing):
    """Shortest paths, drawn for each packet [Dixit et al. 2013].

    VC classes as `ecmp`. Packets of a message may overtake each other; the message has arrived when
    all of them have.
    """

    kind: ClassVar[str] = "spray"

    turns: Literal["random", "round_robin"] = key(
        engine=True,
        default="random",
        description="Whether the way of each packet is drawn, or packets of a process take the "
        "outputs of its switch in turn.",
    )


class NearestCommonAncestor(_Choosing):
    """On fat trees: up by any port to a common ancestor, then down [Petrini & Vanneschi 1997].

    No packet moves up after it has moved down.
    """

    kind: ClassVar[str] = "nearest_common_ancestor"
    also: ClassVar[str] = "nca"

    random: bool = key(
        default=False,
        description="Whether the way up is drawn for every packet, all ways equally likely, "
        "instead of any that is free; default: false.",
    )

    def check(self, topology: Topology) -> None:
        """Raise `UserError` for packets that choose and do not."""
        if self.random and self.adaptive is not None:
            raise self.refused("random", "must be left out together with adaptive")
        super().check(topology)

    def may_choose(self, topology: Topology) -> bool:
        """`adaptive` or its default."""
        return not self.random and super().may_choose(topology)

    def algorithm_spec(self, topology: Topology) -> dict[str, Any]:
        """Return the algorithm as the engine describes it."""
        return {"kind": "random_ancestor"} if self.random else super().algorithm_spec(topology)


class DModK(Routing):
    """On fat trees: up by ports that the destination's number chooses, then down [Zahavi 2012].

    As `nearest_common_ancestor`.
    """

    kind: ClassVar[str] = "d_mod_k"


class SModK(Routing):
    """On fat trees: up by ports that the source's number chooses, then down [Zahavi 2012].

    As `nearest_common_ancestor`.
    """

    kind: ClassVar[str] = "s_mod_k"


class DestinationTag(Routing):
    """On butterflies: the only route [Dally & Towles 2004].

    No packet returns to an earlier stage.
    """

    kind: ClassVar[str] = "destination_tag"


class Minimal(Routing):
    """Directly between groups or islands: to a switch with a link there, over it [Kim et al. 2008].

    A dragonfly needs two VC classes, before and after the link between groups. On a dragonfly+ and
    between islands every hop is of the next kind.
    """

    kind: ClassVar[str] = "minimal"

    group_classes: Literal["parity", "crossing"] | None = key(
        shown="given",
        default=None,
        description="On a dragonfly: what a packet's class of virtual channels depends on: within "
        "a group on whether it has arrived there and between groups on whether its source's number "
        "is odd (parity), or on whether it has set out for another group (crossing, as in "
        "BookSim2); default: parity.",
    )

    def check(self, topology: Topology) -> None:
        """Raise `UserError` if there is no link between groups that parts the classes."""
        if self.group_classes is not None and topology.kind != "dragonfly":
            needed = 'has no effect here; needs machine.topology.kind = "dragonfly"'
            field = f"{self.section}.group_classes"
            raise NoEffectError(field, shown(self.group_classes), needed)
        super().check(topology)

    def algorithm_spec(self, topology: Topology) -> dict[str, Any]:
        """Return the algorithm as the engine describes it."""
        by_crossing = self.group_classes == "crossing"
        return {"kind": "minimal_by_crossing" if by_crossing else self.kind}

    def resolved(self, topology: Topology) -> dict[str, Any]:
        """Return every key as a file has it, with the defaults that depend on others."""
        found = super().resolved(topology)
        if self.group_classes != "crossing":
            found.pop("group_classes", None)
        return found


class HopClasses(Routing):
    """Shortest paths, with one VC class for each hop [Besta & Hoefler 2014].

    A packet that holds a channel of one class waits only for channels of the next.
    """

    kind: ClassVar[str] = "hop_classes"


class Profitable(Routing):
    """Any shortest route, chosen at every step; with integrated nodes only."""

    kind: ClassVar[str] = "profitable"


class FirstHop(Ordered):
    """Any shortest first hop, then dimension order [Buzzard & Mudge 1988].

    With integrated nodes only, whose queues keep a place for packets that took no other step
    (`switch.reserve`).
    """

    kind: ClassVar[str] = "first_hop"
