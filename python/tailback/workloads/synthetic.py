"""The synthetic workload: compute, send by a pattern, perhaps wait."""

from __future__ import annotations

from functools import cached_property
from math import prod
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, Strict

from ..errors import UserError, shown
from ..parts import key
from ..since311 import Self
from ..units import Size, Time
from .base import (
    MOST_PROCESSES,
    Gaps,
    Network,
    Shape,
    Start,
    Workload,
    check_node,
    distribution,
    gaps,
    iterations_to_fall_out_of_step,
)
from .lengths import lengths, mixed
from .pattern_files import (
    Matrix,
    Row,
    check_matrix,
    periods_of,
    permutation_of,
    read_matrix,
    read_rows,
)
from .patterns import (
    DRAWN,
    OF_DIGITS,
    OF_DIMENSIONS,
    OF_TWO,
    Pattern,
    destinations,
    digit_permutation,
    longest_cycle,
    moved_along,
    random_permutation,
    refuse_identity,
    weighted_rows,
)

#: Far above what any network carries.
_MOST_LOAD = 1000


def _number_or_all(radius: object) -> object:
    """Refuse what is neither in one line; pydantic would complain of both alternatives."""
    if isinstance(radius, int) and not isinstance(radius, bool):
        if radius < 0:
            raise UserError("", shown(radius), 'must be at least 0, or "all"')
    elif radius not in (None, "all"):
        raise UserError("", shown(radius), 'must be a whole number, or "all"')
    return radius


def _load(load: object) -> object:
    """Refuse what is no number in one line; 1000 is far above what any network carries."""
    if load is None or (
        isinstance(load, int | float) and not isinstance(load, bool) and 0 < load <= _MOST_LOAD
    ):
        return load
    raise UserError("", shown(load), "must be a number above 0, such as 0.3")


#: Largest difference to a destination in every coordinate.
Radius = Annotated[
    Annotated[int, Field(ge=0)] | Literal["all"] | None, BeforeValidator(_number_or_all)
]


#: Share of what a node's link can carry.
Load = Annotated[float | None, BeforeValidator(_load)]

#: Distributions of the lengths of messages.
Lengths = Shape | Literal["mixed"]


class Synthetic(Workload, init=False):
    """Processes that compute, send messages to random or given processes, and perhaps wait.

    The thesis (Tweedie), definition 5.1, calls it (D, r, n, c, m, M). What it
    does exactly, and what the patterns are, is in ``docs/model.md``.
    """

    also: ClassVar[str] = "uniform open_loop injection"
    kind: Literal["synthetic"] = key(default="synthetic")
    processes_per_node: int = key(
        engine=True, default=1, between=(1, 4096), description="Processes per node."
    )
    pattern: Pattern = key(
        default="uniform",
        description="Which nodes send to which: any others within the radius, at random; one "
        "given by a formula, by chance or a file; or some more often than others, as those of the "
        "next group, or as a file says.",
    )
    includes_self: bool = key(
        engine=True,
        added=True,
        shown="given",
        default=False,
        description="Whether nodes send to themselves, too: with uniform as to any other, with a "
        "pattern of one destination where that is the node itself.",
    )
    radius: Radius = key(
        default=None,
        description="Largest difference to a destination in every coordinate; default: all, "
        "destinations anywhere. "
        'For pattern = "uniform" on machines with coordinates.',
    )
    hot_spots: Annotated[tuple[Annotated[int, Field(ge=0)], ...], Strict(False)] = key(
        engine="/workload.pattern.nodes",
        default=(),
        description="Numbers of the nodes that get more messages than others; "
        'for pattern = "hot_spot".',
    )
    hot_spot_share: float = key(
        engine="/workload.pattern.share",
        default=0.1,
        between=(0, 1),
        allow_inf_nan=False,
        description="Share of all messages that goes to hot spots; the rest goes to any other "
        'process. For pattern = "hot_spot".',
    )
    file: str | None = key(
        engine="/workload.pattern.to",
        default=None,
        description="CSV file with the columns source and destination and a row for every "
        'node, relative to the experiment file; for pattern = "permutation". With a column weight '
        'and any rows, for pattern = "traffic_matrix"; a source without weight is silent.',
    )
    rates: Literal["equal", "by_source"] = key(
        shown="given",
        default="equal",
        description="How often the sources of a file send: all as often (equal), or each in "
        "proportion to the sum of its weights, all nodes as often as said on average (by_source). "
        'For pattern = "traffic_matrix".',
    )
    pattern_seed: int = key(
        default=1,
        between=(0, 2**63 - 1),
        description='Which of all permutations; for pattern = "random_permutation".',
    )
    pattern_base: int | None = key(
        shown="given",
        default=None,
        between=(2, 2**20),
        description="Base of the digits of node numbers, of which the number of nodes is a power; "
        'for pattern = "digit_reverse" or "digit_shuffle".',
    )
    pattern_dimension: str | None = key(
        shown="given",
        default=None,
        description='The dimension in which destinations are further, as "x"; default: all. For '
        'pattern = "tornado" or "neighbour".',
    )
    compute_period: Time = key(
        engine="/workload.compute.mean",
        default=Time(100_000_000),
        description="Mean time a process computes in one iteration.",
    )
    compute_distribution: Gaps = key(
        default="constant",
        description="Distribution of the times computed. Asynchronous processes then send "
        "periodically (constant), in a Poisson process (exponential), in a Bernoulli process "
        "(geometric) or in bursts (on_off), or are on or off slot by slot, and send by chance when "
        "they are on (modulated).",
    )
    compute_sigma: float = key(
        default=0.1,
        between=(0, 10),
        allow_inf_nan=False,
        description="Standard deviation over mean of the times; for the normal distribution only.",
    )
    compute_slot: Time = key(
        engine="/workload.compute.shape.slot",
        default=Time(1000),
        description="Length of a slot; times are whole slots, a geometric number of them or as "
        'sources are on. For compute_distribution = "geometric" or "modulated".',
    )
    compute_burst: float = key(
        engine="/workload.compute.shape.burst",
        default=8.0,
        between=(1, 1_000_000),
        allow_inf_nan=False,
        description='Mean number of iterations in a burst; for compute_distribution = "on_off".',
    )
    compute_peak: float = key(
        engine="/workload.compute.shape.peak",
        default=4.0,
        between=(1, 1_000_000),
        allow_inf_nan=False,
        description="How much faster iterations follow each other in a burst than on average; "
        'for compute_distribution = "on_off".',
    )
    compute_turn_on: float = key(
        engine="/workload.compute.shape.turn_on",
        shown="given",
        default=0.5,
        gt=0,
        le=1,
        allow_inf_nan=False,
        description="Probability that a source that is off is on in the next slot; for "
        'compute_distribution = "modulated". A source that is on sends in a slot with the '
        "probability that makes the mean compute_period.",
    )
    compute_turn_off: float = key(
        engine="/workload.compute.shape.turn_off",
        shown="given",
        default=0.5,
        gt=0,
        le=1,
        allow_inf_nan=False,
        description="Probability that a source that is on is off in the next slot; for "
        'compute_distribution = "modulated".',
    )
    load: Load = key(
        also="injection_rate utilisation utilization",
        shown="given",
        default=None,
        description="Load that every node offers, as a share of what its link into the network can "
        "carry; compute_period follows from it, from the messages and from their packets with "
        'header and gap. sync is "asynchronous" then.',
    )
    messages: int = key(
        engine=True, default=1, between=(1, 4096), description="Messages of one iteration."
    )
    message_size: Size = key(
        default=Size(32),
        description="Mean length of a message.",
        also="message_bytes message_length size bytes length",
    )
    message_distribution: Lengths = key(
        default="constant",
        description="Distribution of the lengths of messages; mixed: one of message_sizes.",
    )
    message_sizes: Annotated[tuple[Size, ...], Strict(False)] = key(
        shown="given",
        default=(),
        description="Lengths, of which every message has one; "
        'for message_distribution = "mixed". Their mean takes the place of message_size.',
    )
    message_weights: Annotated[
        tuple[Annotated[int, Field(ge=0, le=10_000)], ...], Strict(False)
    ] = key(
        default=(),
        description="How many messages have each of message_sizes, in proportion to the others; "
        "default: as many of each.",
    )
    message_sigma: float = key(
        default=0.1,
        between=(0, 10),
        allow_inf_nan=False,
        description="Standard deviation over mean of the lengths; for the normal distribution.",
    )
    sync: Literal["loosely_synchronous", "asynchronous_blocking", "asynchronous"] = key(
        engine=True,
        default="loosely_synchronous",
        description="What a process waits for: its acknowledgements and the messages of its "
        "iteration, its acknowledgements, or nothing. Where load is given: nothing.",
    )
    throttle: Literal["outstanding", "queue_length"] = key(
        default="outstanding",
        description="What makes an asynchronous process drop a message: its unacknowledged "
        "messages, or the data packets that wait in its node.",
    )
    max_outstanding: int = key(
        default=16,
        between=(1, 1_000_000),
        description='Most unacknowledged messages of a process; for throttle = "outstanding".',
    )
    max_queue: int = key(
        default=16,
        between=(1, 1_000_000),
        description='Most data packets that wait in a node; for throttle = "queue_length".',
    )
    start: Start = key(
        engine=True,
        default="random",
        description="Processes begin at random within one compute period, or all at time 0.",
    )
    repeat: int | None = key(
        engine=True,
        added=True,
        shown="given",
        default=None,
        between=(1, 2**20),
        description="Iterations of each process; the run ends when everything they sent is "
        "there. Default: without end.",
    )

    def __init__(self, **values: Any) -> None:
        """See the class; a load is offered by processes that wait for nothing."""
        if values.get("load") is not None:
            values.setdefault("sync", "asynchronous")
        super().__init__(**values)

    def _check(self) -> None:
        self._check_sizes()
        if self.load is not None and self.sync != "asynchronous":
            raise self.refused("load", 'has no effect here; needs sync = "asynchronous"')
        if self.includes_self and self.pattern in ("hot_spot", "next_group"):
            allowed = "must be false with this pattern"
            raise self.refused("includes_self", allowed)
        if self.pattern == "hot_spot" and not self.hot_spots:
            raise self.refused("hot_spots", 'must be given with pattern = "hot_spot"')
        self._check_variants()
        if self.rates != "equal" and self.pattern != "traffic_matrix":
            raise self.refused("rates", 'has no effect here; needs pattern = "traffic_matrix"')
        if self.pattern in ("permutation", "traffic_matrix") and self.file is None:
            raise self.refused("file", f"must be given with pattern = {shown(self.pattern)}")
        for place, node in enumerate(self.hot_spots):
            if node in self.hot_spots[:place]:
                raise self.refused(f"hot_spots[{place}]", "is there twice", node)
        if self.compute_distribution in ("geometric", "modulated"):
            if self.compute_slot == Time(0):
                raise self.refused("compute_slot", "must be above zero")
            times = (self.compute_slot, self.compute_period)
            # Times in cycles are compared when they are times.
            is_known = all(time.cycles is None for time in times)
            if is_known and self.compute_slot > self.compute_period:
                allowed = f"must be at most the compute_period, {self.compute_period}"
                raise self.refused("compute_slot", allowed)

    def _check_variants(self) -> None:
        """Refuse a base or a dimension that is missing, or has no effect."""
        if self.pattern in OF_DIGITS and self.pattern_base is None:
            raise self.refused("pattern_base", f"must be given with {shown(self.pattern)}")
        for name, kinds in (
            ("pattern_base", OF_DIGITS),
            ("pattern_dimension", OF_DIMENSIONS),
        ):
            given = getattr(self, name)
            if given is not None and self.pattern not in kinds:
                words = " or ".join(map(shown, kinds))
                raise self.refused(name, f"has no effect here; needs pattern = {words}")

    def _check_sizes(self) -> None:
        """Refuse lengths that are missing, have no effect, or have other weights than one each."""
        sizes, weights = self.message_sizes, self.message_weights
        is_mixed = self.message_distribution == "mixed"
        for name, given in (("message_sizes", sizes), ("message_weights", weights)):
            if given and not is_mixed:
                needed = 'has no effect here; needs message_distribution = "mixed"'
                raise self.refused(name, needed)
        if not is_mixed:
            return
        if not sizes:
            raise self.refused("message_sizes", 'must be given with "mixed"')
        if weights and (len(weights) != len(sizes) or not any(weights)):
            allowed = f"must be one, not all 0, for each of message_sizes: {len(sizes)}"
            raise self.refused("message_weights", allowed)

    @property
    def portions(self) -> tuple[tuple[int, int], ...]:
        """The lengths of mixed messages, in bytes, and their weights; else none."""
        weights = self.message_weights or (1,) * len(self.message_sizes)
        sizes = (size.bytes for size in self.message_sizes)
        return tuple(zip(sizes, weights, strict=True))

    @property
    def mean_bytes(self) -> int:
        """Mean length of a message, rounded."""
        if not self.message_sizes:
            return self.message_size.bytes
        mixed = self.portions
        return round(sum(n * weight for n, weight in mixed) / sum(weight for _, weight in mixed))

    @property
    def lengths(self) -> list[int]:
        """Lengths in bytes that stand for those of its messages, each as often as another."""
        if self.message_distribution == "mixed":
            return mixed(self.portions)
        return lengths(self.message_distribution, self.mean_bytes, self.message_sigma)

    @property
    def finite(self) -> bool:
        """Whether the workload ends by itself."""
        return self.repeat is not None

    @property
    def is_open_loop(self) -> bool:
        """Whether an offered load is sent without end."""
        return self.sync == "asynchronous" and not self.finite

    @cached_property
    def _rows(self) -> tuple[Row, ...]:
        """The rows of the file, which is read once."""
        return read_rows(Path(self.file or ""))

    @cached_property
    def _matrix(self) -> Matrix:
        """The matrix of the file, which is read once."""
        return read_matrix(Path(self.file or ""), includes_self=self.includes_self)

    def longest_bytes(self) -> int:
        """Return the mean length of its messages, or the longest of several lengths."""
        return max((size.bytes for size in self.message_sizes), default=self.message_size.bytes)

    def on(self, network: Network) -> Self:
        """Return the same with the period that gives its load on this machine."""
        if self.load is None:
            return self
        if not network.has_injection_channels:
            allowed = "needs nodes with links of their own; give the period instead"
            raise self.refused("load", allowed)
        busy_ps = fmean(map(network.message_injection_ps, self.lengths))
        of_node = self.messages * self.processes_per_node
        period = Time(max(1, round(busy_ps * of_node / self.load)))
        if "compute_period" in self.named() and period != self.compute_period:
            raise self.refused("compute_period", f"must not be given beside load: that is {period}")
        return self.with_worked_out(compute_period=period)

    def reach(self, network: Network) -> int | None:
        """Return the radius as a number on this machine; None if there is no limit to it."""
        if self.pattern != "uniform" or not _grid(network):
            return None
        if self.radius is None or self.radius == "all":
            return max(network.shape) - 1
        return self.radius

    def permutation(self, network: Network) -> tuple[int, ...] | None:
        """Return for every node the node it sends to; None if destinations are drawn.

        Raises `UserError` if the pattern is not possible on this machine.
        """
        if self.pattern in DRAWN:
            return None
        found = self._permutation(network)
        if not self.includes_self:
            refuse_identity(self.pattern, found)
        return found

    def _permutation(self, network: Network) -> tuple[int, ...]:
        if self.pattern == "random_permutation":
            return random_permutation(network.nodes, self.pattern_seed)
        if self.pattern_base is not None:
            return digit_permutation(self.pattern, network.nodes, self.pattern_base)
        if self.pattern_dimension is not None:
            along = (network.sides, self.pattern_dimension)
            return moved_along(self.pattern, network.nodes, *along)
        if self.pattern != "permutation":
            return destinations(self.pattern, network.nodes, network.sides)
        return permutation_of(Path(self.file or ""), self._rows, network.nodes)

    def silent_nodes(self, network: Network) -> set[int]:
        """Return the nodes that send nothing: they have no destination, or only themselves."""
        if self.pattern == "traffic_matrix":
            return {node for node in range(network.nodes) if not self._matrix.get(node)}
        to = self.permutation(network)
        if to is None or self.includes_self:
            return set()
        return {node for node, other in enumerate(to) if node == other}

    def sending_share(self, network: Network) -> float:
        """Return the share of iterations in which something is sent: not those of silent nodes."""
        silent, nodes = len(self.silent_nodes(network)), network.nodes
        # Those that send iterate as often as all nodes would, and silent nodes go on besides.
        return nodes / (nodes + silent) if self.rates == "by_source" else (nodes - silent) / nodes

    def mean_rate(self, network: Network) -> float:
        """Return how often nodes send on average, as a share of how often one is asked to."""
        return 1.0 if self.rates == "by_source" else self.sending_share(network)

    def check(self, network: Network) -> None:
        """Raise `UserError` if the workload does not fit on the machine, or no time passes."""
        self.check_fit(network)
        if self.compute_period.ps == 0:
            self._check_that_time_passes(network)

    def check_fit(self, network: Network) -> None:
        """Raise `UserError` if the workload does not fit on the machine."""
        self._check_destinations(network)
        processes = network.nodes * self.processes_per_node
        if processes > MOST_PROCESSES:
            allowed = f"is {processes} processes in all; must be at most {MOST_PROCESSES}"
            raise self.refused("processes_per_node", allowed)
        reach = self.reach(network)
        if reach is not None:
            reached = prod(min(extent, reach + 1) for extent in network.shape)
            if reached * self.processes_per_node < (1 if self.includes_self else 2):
                allowed = f"leaves a process nobody to send to (radius {reach})"
                given = shown(self.processes_per_node)
                raise UserError("workload.processes_per_node", given, allowed)

    def _check_destinations(self, network: Network) -> None:
        """Raise `UserError` for a radius, hot spots or a pattern that the machine cannot have."""
        reach = self.reach(network)
        if reach is None and isinstance(self.radius, int):
            reason = "the machine has no coordinates"
            if self.pattern != "uniform":
                reason = 'it limits pattern = "uniform" only'
            raise self.refused("radius", f"must be left out: {reason}")
        if reach is not None and reach > (most := max(network.shape) - 1):
            allowed = f"must be at most {most} (the largest dimension less one)"
            raise self.refused("radius", allowed)
        if self.pattern == "hot_spot":
            for place, node in enumerate(self.hot_spots):
                check_node(network, f"workload.hot_spots[{place}]", node)
        if self.pattern == "next_group" and network.group_nodes is None:
            allowed = "needs a machine with groups, such as a dragonfly"
            raise self.refused("pattern", allowed)
        if self.pattern in OF_TWO:
            weighted_rows(self.pattern, network.nodes, includes_self=self.includes_self)
        if self.pattern == "traffic_matrix":
            check_matrix(Path(self.file or ""), self._matrix, network.nodes)
        self.permutation(network)

    def _check_that_time_passes(self, network: Network) -> None:
        """Raise `UserError` if processes that compute for no time wait for nothing either."""
        period = shown(str(self.compute_period))
        if self.sync == "asynchronous":
            allowed = 'must be above zero with sync = "asynchronous": nothing else takes time'
            raise UserError("workload.compute_period", period, allowed)
        if self.sending_share(network) < 1:
            allowed = (
                f"must be above zero with pattern = {shown(self.pattern)}: "
                "nothing else takes time where a node is its own destination"
            )
            raise UserError("workload.compute_period", period, allowed)

    def spec(self, network: Network) -> dict[str, Any]:
        """Return the workload as the engine describes it."""
        limit = self.max_outstanding if self.throttle == "outstanding" else self.max_queue
        compute = gaps(
            self.compute_distribution,
            self.compute_period,
            sigma=self.compute_sigma,
            slot=self.compute_slot,
            bursts=(self.compute_burst, self.compute_peak),
            turns=(self.compute_turn_on, self.compute_turn_off),
        )
        mix = [{"bytes": size, "weight": weight} for size, weight in self.portions]
        shape = "constant" if self.message_distribution == "mixed" else self.message_distribution
        length = distribution(shape, Size(self.mean_bytes), self.message_sigma)
        return {
            "kind": self.kind,
            **self.engine_keys(),
            **self._destinations_spec(network),
            "compute": compute,
            "bytes": length,
            "throttle": {"kind": self.throttle, "limit": limit},
            # Left out as before there was this key.
            **({"mix": mix} if mix else {}),
        }

    def _destinations_spec(self, network: Network) -> dict[str, Any]:
        """Return pattern and radius; the engine's defaults are left out."""
        if self.pattern == "uniform":
            reach = self.reach(network)
            return {} if reach is None else {"radius": reach}
        described: dict[str, Any] = {"kind": self.pattern}
        if self.pattern == "hot_spot":
            described |= {"nodes": list(self.hot_spots), "share": self.hot_spot_share}
        is_variant = (self.pattern_base, self.pattern_dimension) != (None, None)
        # The engine has no formula of a butterfly.
        if self.pattern in ("permutation", "random_permutation", "butterfly") or is_variant:
            described = {"kind": "permutation", "to": list(self.permutation(network) or ())}
        if self.pattern == "traffic_matrix":
            rows = [
                [{"to": to, "weight": weight} for to, weight in self._matrix.get(node, {}).items()]
                for node in range(network.nodes)
            ]
            described = {"kind": "matrix", "rows": rows}
            if self.rates == "by_source":
                described["periods"] = periods_of(self._matrix, network.nodes)
        if self.pattern in OF_TWO:
            own = self.includes_self
            found = weighted_rows(self.pattern, network.nodes, includes_self=own)
            rows = [[{"to": to, "weight": weight} for to, weight in row] for row in found]
            described = {"kind": "matrix", "rows": rows}
        return {"pattern": described}

    def iteration_ps(self, network: Network) -> int:
        """Return the time all processes of a node compute, and one round trip unless async."""
        computing = self.compute_period.ps * self.processes_per_node
        if self.sync == "asynchronous":
            return computing
        return computing + network.round_trip_ps(self.mean_bytes)

    def settling_ps(self, network: Network) -> int:
        """Return how long processes that wait for each other need to fall out of step."""
        if self.sync != "loosely_synchronous":
            return 0
        iterations = iterations_to_fall_out_of_step(*self._surface(network))
        return int(iterations * self.iteration_ps(network))

    def _surface(self, network: Network) -> tuple[int, int]:
        """Return extent and reach of processes that wait for each other.

        Where each has one destination they wait around cycles, each for the one before
        and for an acknowledgement of the one after it. Otherwise anybody may wait for
        anybody, unless there is a radius.
        """
        to = self.permutation(network)
        if to is not None:
            return longest_cycle(to), 1
        reach = self.reach(network)
        return (1, 1) if reach is None else (max(network.shape), reach)

    def resolved(self, network: Network) -> dict[str, Any]:
        """Return every parameter, with units and with the radius used."""
        found = super().resolved(network) | {"radius": self.reach(network)}
        if self.pattern != "random_permutation":
            del found["pattern_seed"]
        if not self.message_sizes:
            del found["message_weights"]
            return found
        weights = [weight for _, weight in self.portions]
        return found | {"message_size": str(Size(self.mean_bytes)), "message_weights": weights}


def _grid(network: Network) -> tuple[int, ...]:
    """Return the sides of the grid whose places are the nodes; empty if there is none."""
    return network.shape if prod(network.shape) == network.nodes else ()
