"""Traffic of several classes: sources on every node, replies to requests."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, Strict

from ..errors import UserError, choice, shown
from ..parts import Part, key
from ..since311 import Self
from ..units import Size, Time
from .base import Gaps, Network, Start, Workload
from .patterns import Pattern
from .synthetic import Lengths, Load, Radius, Synthetic


def _first_and_last(given: object) -> object:
    """Refuse what cannot be the first and the last of virtual channels."""
    if given is None or (isinstance(given, list | tuple) and len(given) == 2):
        first, last = given or (0, 0)
        if not (isinstance(first, int) and isinstance(last, int) and first > last):
            return given
    raise UserError("", shown(given), "must be the first and the last one, such as [0, 1]")


#: A virtual channel; a link has 255 at most.
_Channel = Annotated[int, Field(ge=0, le=254)]
#: The first and the last virtual channel that packets may use, None: they may use all; and how
#: urgent they are.
VirtualChannels = Annotated[
    Annotated[tuple[_Channel, _Channel], Strict(False)] | None, BeforeValidator(_first_and_last)
]
Priority = Annotated[int, Field(ge=0, le=65_535)]

#: Keys of a class that are those of the synthetic workload, by what they are called there.
_PERIODS = {
    "compute_period": "period",
    "compute_distribution": "period_distribution",
    "compute_sigma": "period_sigma",
    "compute_slot": "period_slot",
    "compute_burst": "period_burst",
    "compute_peak": "period_peak",
    "compute_turn_on": "period_turn_on",
    "compute_turn_off": "period_turn_off",
}
_SHARED = (
    "pattern",
    "includes_self",
    "radius",
    "hot_spots",
    "hot_spot_share",
    "file",
    "rates",
    "pattern_seed",
    "message_size",
    "message_distribution",
    "message_sizes",
    "message_weights",
    "message_sigma",
    "throttle",
    "max_outstanding",
    "load",
    "max_queue",
    "start",
    "repeat",
)


def _as_synthetic(name: str) -> Any:
    """Return a key of the synthetic workload, in the words of a class."""
    of_synthetic = Synthetic.keys[name]
    told = of_synthetic.description.replace(' sync is "asynchronous" then.', "")
    for old, new in _PERIODS.items():
        told = told.replace(old, new)
    return replace(of_synthetic, description=told)


class TrafficClass(Part, init=False):
    """A class of messages: what every node sends of it, or that it answers another class."""

    name: str = key(min_length=1, max_length=40, description="What it is called.")
    virtual_channels: VirtualChannels = key(
        default=None,
        description="The first and the last virtual channel, of every link, that its packets may "
        "use; default: all. Of two classes they are the same, or have none in common.",
    )
    priority: Priority = key(
        default=0,
        description='How urgent its packets are where switch.arbiter is "priority"; higher is '
        "more urgent.",
    )
    pattern: Pattern = _as_synthetic("pattern")
    includes_self: bool = _as_synthetic("includes_self")
    radius: Radius = _as_synthetic("radius")
    hot_spots: Annotated[tuple[Annotated[int, Field(ge=0)], ...], Strict(False)] = _as_synthetic(
        "hot_spots"
    )
    hot_spot_share: float = _as_synthetic("hot_spot_share")
    file: str | None = _as_synthetic("file")
    rates: Literal["equal", "by_source"] = _as_synthetic("rates")
    pattern_seed: int = _as_synthetic("pattern_seed")
    period: Time = key(
        default=Time(100_000_000),
        description="Mean time between two messages of a node; of requests at the limit, from one "
        "that is sent to the next. Sources do not need the processor.",
    )
    load: Load = _as_synthetic("load")
    period_distribution: Gaps = key(
        default="constant",
        description="Distribution of these times: as compute_distribution of the synthetic "
        "workload.",
    )
    period_sigma: float = _as_synthetic("compute_sigma")
    period_slot: Time = key(
        default=Time(1000), description='Length of a slot; for period_distribution = "geometric".'
    )
    period_burst: float = key(
        default=8.0,
        between=(1, 1_000_000),
        allow_inf_nan=False,
        description='Mean number of messages in a burst; for period_distribution = "on_off".',
    )
    period_peak: float = key(
        default=4.0,
        between=(1, 1_000_000),
        allow_inf_nan=False,
        description="How much faster messages follow each other in a burst than on average; for "
        'period_distribution = "on_off".',
    )
    period_turn_on: float = _as_synthetic("compute_turn_on")
    period_turn_off: float = _as_synthetic("compute_turn_off")
    message_size: Size = _as_synthetic("message_size")
    message_distribution: Lengths = _as_synthetic("message_distribution")
    message_sizes: Annotated[tuple[Size, ...], Strict(False)] = _as_synthetic("message_sizes")
    message_weights: Annotated[
        tuple[Annotated[int, Field(ge=0, le=10_000)], ...], Strict(False)
    ] = _as_synthetic("message_weights")
    message_sigma: float = _as_synthetic("message_sigma")
    throttle: Literal["outstanding", "queue_length"] = key(
        default="outstanding",
        description="What makes a node drop a message, or wait with a request: its messages that "
        "are not acknowledged, or requests not answered; or the data packets that wait in it.",
    )
    max_outstanding: int = key(
        default=16,
        between=(1, 1_000_000),
        description="Most unacknowledged messages of a node, or requests that have not been "
        'answered; for throttle = "outstanding".',
    )
    max_queue: int = _as_synthetic("max_queue")
    start: Start = key(
        default="random", description="Sources begin at random within one period, or all at time 0."
    )
    repeat: int | None = key(
        default=None, between=(1, 2**20), description="Messages of a node; default: without end."
    )
    reply: str | None = key(
        default=None,
        description="The class that answers: every node that gets one of these messages sends one "
        "of that class back. Then max_outstanding is how many of a node are not answered; the "
        "next one waits.",
    )
    reply_sizes: Annotated[tuple[Size, ...], Strict(False)] = key(
        default=(),
        description="Length of the reply to each of message_sizes; default: as the class that "
        "answers says.",
    )

    def _check(self) -> None:
        _ = self.as_synthetic
        if self.reply is None and self.reply_sizes:
            raise self.refused("reply_sizes", "has no effect here; needs reply")
        if self.reply_sizes and len(self.reply_sizes) != len(self.message_sizes):
            allowed = f"must be one for each of message_sizes: {len(self.message_sizes)}"
            raise self.refused("reply_sizes", allowed)
        if self.reply is not None and self.throttle != "outstanding":
            raise self.refused("throttle", 'must be "outstanding" with reply')

    @cached_property
    def as_synthetic(self) -> Synthetic:
        """The synthetic workload whose processes send as its sources do."""
        given = {name: getattr(self, name) for name in _SHARED}
        given |= {there: getattr(self, here) for there, here in _PERIODS.items()}
        try:
            return Synthetic(sync="asynchronous", **given)
        except UserError as error:
            raise _own(error) from None

    def on(self, network: Network) -> Self:
        """Return the same with the period that gives its load on a machine."""
        if self.load is None:
            return self
        named = self.named()
        alone = Synthetic(
            sync="asynchronous", **{key: named[key] for key in _SHARED if key in named}
        )
        period = alone.on(network).compute_period
        if "period" in named and period != self.period:
            raise self.refused("period", f"must not be given beside load: that is {period}")
        return self.with_worked_out(period=period)

    @property
    def longest(self) -> Size | None:
        """The longest message; None: lengths are drawn and have no bound."""
        if self.message_sizes:
            weights = self.message_weights or (1,) * len(self.message_sizes)
            sizes = zip(self.message_sizes, weights, strict=True)
            return max((size for size, weight in sizes if weight), key=lambda size: size.bytes)
        return self.message_size if self.message_distribution == "constant" else None

    @property
    def share(self) -> list[int] | None:
        """The first and the last of its virtual channels; None: it may use all."""
        return None if self.virtual_channels is None else list(self.virtual_channels)


def _own(error: UserError) -> UserError:
    """Return a mistake in the synthetic workload as one of a class."""
    key = error.field.removeprefix("workload.").removeprefix("[workload].")
    allowed = error.allowed
    for there, here in _PERIODS.items():
        key, allowed = (text.replace(there, here) for text in (key, allowed))
    return UserError(key, error.given, allowed, error.nearest)


class Traffic(Workload, init=False):
    """Traffic of several classes: every node sends messages of each, or replies to them.

    A class has its pattern, its lengths and its load; virtual channels and a priority of its own
    if it is given some. Every message of a class with ``reply`` is answered by the node that gets
    it with one of the class named, and the time from one to the other is measured. Every class is
    measured by itself.
    """

    kind: Literal["traffic"] = key(default="traffic")
    traffic_class: Annotated[
        tuple[TrafficClass, ...], Strict(False), Field(min_length=1, max_length=128)
    ] = key(description="The classes.", also="class traffic")
    rate_factor: float = key(
        default=1.0,
        gt=0,
        le=1_000_000,
        allow_inf_nan=False,
        description="How many times as often all sources send as their classes say: for sweeps.",
    )

    def _check(self) -> None:
        names = [one.name for one in self.traffic_class]
        for number, one in enumerate(self.traffic_class):
            place = f"traffic_class[{number}]"
            if one.name in names[:number]:
                raise self.refused(f"{place}.name", "is there twice", one.name)
            if "[" in one.name or "]" in one.name:
                raise self.refused(f"{place}.name", "must have no brackets", one.name)
            if one.reply is None:
                continue
            if one.reply not in names:
                raise choice(
                    f"workload.{place}.reply", one.reply, [n for n in names if n != one.name]
                )
            if one.reply == one.name or self._called(one.reply).reply is not None:
                allowed = "must be another class, which asks for no reply"
                raise self.refused(f"{place}.reply", allowed, one.reply)

    def on(self, network: Network) -> Self:
        """Return the same with the periods that give the loads of its classes."""
        made = []
        for number, one in enumerate(self.traffic_class):
            if one.load is not None and self.answers(one.name):
                place = f"traffic_class[{number}].load"
                raise self.refused(place, "has no effect here: the class answers", one.load)
            try:
                made.append(one.on(network))
            except UserError as error:
                raise _own(error).inside(f"workload.traffic_class[{number}]") from None
        if all(new is old for new, old in zip(made, self.traffic_class, strict=True)):
            return self
        return type(self)(**self.named() | {"traffic_class": tuple(made)})

    def longest_bytes(self) -> int:
        """Return the longest of its classes' messages."""
        return max(one.as_synthetic.longest_bytes() for one in self.traffic_class)

    def _called(self, name: str) -> TrafficClass:
        return next(one for one in self.traffic_class if one.name == name)

    def answers(self, name: str) -> bool:
        """Whether the messages of a class are replies, and its own load has no effect."""
        return any(one.reply == name for one in self.traffic_class)

    def queued_together(self, network: Network) -> list[str]:
        """Return classes that share nodes and virtual channels with another; any node may reply."""
        all_nodes = set(range(network.nodes))
        senders = {
            one.name: all_nodes
            if self.answers(one.name)
            else all_nodes - one.as_synthetic.silent_nodes(network)
            for one in self.traffic_class
        }
        lanes = {one.name: one.virtual_channels for one in self.traffic_class}
        sent = Counter((node, lanes[name]) for name, nodes in senders.items() for node in nodes)
        return [
            name
            for name, nodes in senders.items()
            if any(sent[node, lanes[name]] > 1 for node in nodes)
        ]

    def mixed_with_replies(self, *, apart: bool) -> list[tuple[str, str]]:
        """Return the classes whose messages share virtual channels with their replies.

        Each with the class that answers; ``apart`` says whether classes with virtual channels of
        their own have these on the links of nodes, too.
        """
        asking = [one for one in self.traffic_class if one.reply is not None]
        pairs = [(one, self._called(one.reply)) for one in asking if one.reply is not None]
        mixed = [(a, b) for a, b in pairs if not apart or a.share is None or a.share == b.share]
        return [(a.name, b.name) for a, b in mixed]

    def requests_in_pieces(self, packet: Size) -> list[str]:
        """Return the classes of requests that may be longer than a packet has room for."""
        lengths = ((one.name, one.longest) for one in self.traffic_class if one.reply is not None)
        return [name for name, size in lengths if size is None or size.bytes > packet.bytes]

    def open_requests(self, nodes: int) -> int:
        """Return how many requests can be unanswered at once, all nodes together."""
        asking = (one for one in self.traffic_class if one.reply is not None)
        most = ((one.max_outstanding, one.repeat or one.max_outstanding) for one in asking)
        return nodes * sum(map(min, most))

    @property
    def sources(self) -> tuple[TrafficClass, ...]:
        """The classes that are sent without being asked for."""
        return tuple(one for one in self.traffic_class if not self.answers(one.name))

    @property
    def finite(self) -> bool:
        """Whether the workload ends by itself."""
        return all(one.repeat is not None for one in self.sources)

    @property
    def is_open_loop(self) -> bool:
        """Whether an offered load is sent without end."""
        return not self.finite

    def check(self, network: Network) -> None:
        """Raise `UserError` if the workload does not fit on the machine."""
        for number, one in enumerate(self.traffic_class):
            if self.answers(one.name):
                continue
            place = f"workload.traffic_class[{number}]"
            waits = one.reply is not None and not one.includes_self
            if one.period.ps == 0 and not waits:
                allowed = "must be above zero: nothing else takes time"
                raise UserError(f"{place}.period", shown(str(one.period)), allowed)
            try:
                # A request at the limit waits, so time passes.
                one.as_synthetic.check_fit(network)
            except UserError as error:
                raise _own(error).inside(place) from None

    def network_classes(self) -> list[dict[str, Any]]:
        """Return what the network knows of the classes, as the engine describes it."""
        return [
            {"name": one.name, "virtual_channels": one.share, "priority": one.priority}
            for one in self.traffic_class
        ]

    def spec(self, network: Network) -> dict[str, Any]:
        """Return the workload as the engine describes it."""
        return {
            "kind": self.kind,
            "classes": [self._source(one, network) for one in self.traffic_class],
        }

    def _source(self, one: TrafficClass, network: Network) -> dict[str, Any]:
        """Return the messages of a class as the engine describes them."""
        messages = one.as_synthetic.spec(network)
        del messages["kind"]
        if self.rate_factor != 1.0:
            mean = messages["compute"]["mean"]
            messages["compute"]["mean"] = round(mean / self.rate_factor) if mean else 0
        source: dict[str, Any] = {"messages": messages}
        if one.reply is not None:
            names = [other.name for other in self.traffic_class]
            source["reply"] = names.index(one.reply)
        if one.reply_sizes:
            source["reply_bytes"] = [size.bytes for size in one.reply_sizes]
        return source

    def iteration_ps(self, network: Network) -> int:
        """Return the mean time between two messages of a node, of all classes."""
        rates = []
        for one in self.sources:
            period = one.period.ps / self.rate_factor
            if one.reply is not None:
                trip = network.round_trip_ps(one.as_synthetic.mean_bytes)
                period = max(period, trip / one.max_outstanding)
            rates.append(1 / max(period, 1.0))
        return round(1 / sum(rates))

    def resolved(self, network: Network) -> dict[str, Any]:
        """Return every parameter, with units and with the defaults that depend on the machine."""
        found = super().resolved(network)
        for one, said in zip(self.traffic_class, found["traffic_class"], strict=True):
            for name in ("reply", "virtual_channels", "repeat", "file"):
                if said[name] is None:
                    del said[name]
            used = one.as_synthetic.resolved(network)
            for name in ("message_sizes", "message_weights", "pattern_seed", "includes_self"):
                if name not in used:
                    del said[name]
            if not one.reply_sizes:
                del said["reply_sizes"]
            if self.answers(one.name):
                for name in set(said) - _OF_REPLIES:
                    del said[name]
            else:
                said["radius"] = used["radius"]
        return found


#: Keys that have an effect on a class of replies.
_OF_REPLIES = {
    "name",
    "virtual_channels",
    "priority",
    "message_size",
    "message_distribution",
    "message_sizes",
    "message_weights",
    "message_sigma",
}
