"""What is estimated: every metric is a ratio of two sums of counters.

A metric names the counters whose growth is its numerator, and what it is
divided by: other counters (a mean over packets), or simulated time times the
number of nodes or channels (a rate, a utilisation). The estimator in
`statistics` needs no more, and a new metric is one line here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from tailback.lazy import lazy_module
from tailback.statistics import Floats

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = lazy_module("numpy")

Counters = Mapping[str, "NDArray[np.uint64]"]

_PER_MS = 1e9  # picoseconds in a millisecond
_US = 1e-6  # microseconds in a picosecond

TOLERATED_LOSS = 0.01
"""Share of what is offered that may stay behind or be dropped before the network is saturated:
sources with a limit drop a few messages long before that."""


@dataclass(frozen=True, slots=True)
class Metric:
    """scale * sum of `numerator` / sum of `denominator`.

    `denominator` is a tuple of counters, or the name of a population: then the
    sum is simulated time (ps) times its size.
    """

    numerator: tuple[str, ...]
    denominator: tuple[str, ...] | str
    scale: float | str = 1.0
    """A number, or the field of `OpenLoop` that has it."""
    needs_packets: bool = False
    weighted: tuple[str, str] = ("", "")
    """Fields of `OpenLoop` with the weights of counters above and below; empty: each counts 1."""

    @property
    def counters(self) -> tuple[str, ...]:
        """The counters it is made of, beside time."""
        below = self.denominator if isinstance(self.denominator, tuple) else ()
        return (*self.numerator, *below)


Weights = Mapping[str, float]
"""What one of each counter counts."""


@dataclass(frozen=True, slots=True)
class OpenLoop:
    """What an open loop offers, and what the network takes of it, made of counters."""

    offered: Weights
    """Messages that processes try to send."""
    accepted: Weights
    """Messages that arrive."""
    injection_ps: float | None = None
    """Time that a node's injection channel takes for a message; None if it has no such channel."""
    flits: float | None = None
    """Flits of a message times a clock cycle (ps); None without a clock."""


@dataclass(frozen=True, slots=True)
class Populations:
    """How many there are of what a rate or utilisation is divided by."""

    nodes: int
    injection: int
    internal: int
    ejection: int
    #: Channels between switches that do not share a wire, and one of those that do.
    internal_wires: int
    #: None where the network slows the workload down, or the workload ends.
    load: OpenLoop | None = None
    #: Metrics of traffic classes, where there are several; see `of_class`.
    of_classes: Mapping[str, Metric] = field(default_factory=dict)

    def metric(self, name: str) -> Metric:
        """Return a metric by its name."""
        found = self.of_classes.get(name)
        return ALL_METRICS[name] if found is None else found


def _rate(*counters: str, scale: float = _PER_MS) -> Metric:
    return Metric(counters, "nodes", scale)


def _share(counters: tuple[str, ...], population: str) -> Metric:
    return Metric(counters, population)


def _mean_us(sums: tuple[str, ...], counts: tuple[str, ...]) -> Metric:
    return Metric(sums, counts, _US, needs_packets=True)


def _both(stem: str, unit: str = "") -> tuple[str, ...]:
    return (f"{stem}_data{unit}", f"{stem}_ack{unit}")


_DELIVERED = _both("packets_delivered")

METRICS: dict[str, Metric] = {
    "messages_per_node_per_ms": _rate("messages_sent"),
    "delivered_messages_per_node_per_ms": _rate("messages_delivered"),
    "acknowledged_messages_per_node_per_ms": _rate("messages_acknowledged"),
    "failed_messages_per_node_per_ms": _rate("messages_failed"),
    "iterations_per_node_per_ms": _rate("iterations"),
    "packets_per_node_per_ms": _rate("packets_sent_data"),
    # 1 byte/ps = 8e6 Mbit/s
    "payload_mbit_per_s_per_node": _rate("bytes_delivered", scale=8e6),
    "routed_lifetime_us": _mean_us(_both("routed_lifetime", "_ps"), _both("routed")),
    "routed_lifetime_data_us": _mean_us(("routed_lifetime_data_ps",), ("routed_data",)),
    "routed_lifetime_ack_us": _mean_us(("routed_lifetime_ack_ps",), ("routed_ack",)),
    "lifetime_us": _mean_us(_both("lifetime", "_ps"), _DELIVERED),
    "lifetime_data_us": _mean_us(("lifetime_data_ps",), ("packets_delivered_data",)),
    "network_lifetime_us": _mean_us(_both("network_lifetime", "_ps"), _DELIVERED),
    "network_lifetime_data_us": _mean_us(
        ("network_lifetime_data_ps",), ("packets_delivered_data",)
    ),
    "message_latency_us": Metric(("message_latency_ps",), ("message_latency_count",), _US),
    "hops": Metric(_both("hops"), _DELIVERED, needs_packets=True),
    "throttling_us": _mean_us(_both("wait_throttling", "_ps"), _DELIVERED),
    "internal_contention_us": _mean_us(_both("wait_internal", "_ps"), _DELIVERED),
    "injection_utilisation": _share(("busy_injection_ps",), "injection"),
    "internal_utilisation": _share(("busy_internal_ps",), "internal_wires"),
    # The counter has only the time a granted packet waits for room. Over wires, as what is
    # busy: several channels of a wire may be held at once.
    "internal_held": _share(("busy_internal_ps", "held_internal_ps"), "internal_wires"),
    "ejection_utilisation": _share(("busy_ejection_ps",), "ejection"),
    "cpu_utilisation": _share(("cpu_busy_ps",), "nodes"),
}

OF_INTEGRATED: dict[str, Metric] = {
    "message_begins_us": Metric(("message_begins_ps",), ("message_begins_count",), _US),
    # No sum over samples: up to the latest send, whenever that was; see `runner`.
    "ideal_link_utilisation": Metric(("offered_link_ps",), "internal"),
}
"""Metrics of machines whose nodes are one with their switches; others do not have them."""

_ABOVE_OFFERED, _ABOVE_ACCEPTED = ("offered", ""), ("accepted", "")
_OFFERED, _ACCEPTED = ("iterations", "messages_local"), ("messages_delivered", "messages_local")

OF_OPEN_LOOPS: dict[str, Metric] = {
    "offered_load": Metric(_OFFERED, "injection", "injection_ps", weighted=_ABOVE_OFFERED),
    "accepted_load": Metric(_ACCEPTED, "injection", "injection_ps", weighted=_ABOVE_ACCEPTED),
    "offered_flits_per_node_per_cycle": Metric(_OFFERED, "nodes", "flits", weighted=_ABOVE_OFFERED),
    "accepted_flits_per_node_per_cycle": Metric(
        _ACCEPTED, "nodes", "flits", weighted=_ABOVE_ACCEPTED
    ),
    "accepted_share": Metric(_ACCEPTED, _OFFERED, weighted=("accepted", "offered")),
}
"""Metrics of workloads that go on sending whatever becomes of their messages."""

OF_FINITE: dict[str, Metric] = {
    # No sum over samples: when the last process was done; see `runner`.
    "completion_us": Metric(("completed_ps",), ("runs",), _US),
}
"""Metrics of workloads that end by themselves; others do not have them."""

CLASS_METRICS: dict[str, Metric] = {
    "offered_load": Metric(("messages_offered",), "injection"),
    "accepted_load": Metric(("messages_delivered",), "injection"),
    "accepted_share": Metric(("messages_delivered",), ("messages_offered",)),
    "messages_per_node_per_ms": _rate("messages_delivered"),
    "failed_messages_per_node_per_ms": _rate("messages_failed"),
    "payload_mbit_per_s_per_node": _rate("bytes_delivered", scale=8e6),
    "message_latency_us": Metric(("message_latency_ps",), ("message_latency_count",), _US),
    "round_trip_us": Metric(("round_trip_ps",), ("round_trip_count",), _US),
}
"""Metrics of a traffic class, made of its own counters."""


def of_class(
    name: str,
    *,
    injection_ps: float | None,
    is_source: bool,
    is_answered: bool,
    sending_share: float = 1.0,
) -> dict[str, Metric]:
    """Return the metrics of a traffic class by their names, such as `classes.read.round_trip_us`.

    Loads are time on injection channels, of which a message takes ``injection_ps`` on average
    (none: there are no such channels); what is offered is known of sources that do not wait.
    ``sending_share``: of all messages whose time comes, those of nodes that send any.
    """
    left_out = set()
    if injection_ps is None:
        left_out |= {"offered_load", "accepted_load"}
    if not is_source or is_answered:
        left_out |= {"offered_load", "accepted_share", "failed_messages_per_node_per_ms"}
    if not is_answered:
        left_out.add("round_trip_us")
    if not sending_share:
        left_out |= {"offered_load", "accepted_share"}
    found = {}
    for stem, metric in CLASS_METRICS.items():
        if stem in left_out:
            continue
        scale = injection_ps if stem.endswith("_load") else metric.scale
        if stem == "offered_load" and injection_ps is not None:
            scale = injection_ps * sending_share
        elif stem == "accepted_share":
            scale = 1 / sending_share
        below = metric.denominator
        found[class_name(stem, name)] = Metric(
            _of(metric.numerator, name),
            below if isinstance(below, str) else _of(below, name),
            metric.scale if scale is None else scale,
        )
    return found


OF_CLASSES = "classes."
"""What the names of metrics of traffic classes begin with."""


def class_name(stem: str, name: str) -> str:
    """Return what a metric of a traffic class is called, such as `classes.read.round_trip_us`."""
    return f"{OF_CLASSES}{name}.{stem}"


OF_JOBS = "jobs."
"""What the names of metrics of single jobs begin with."""


def class_of(metric: str) -> tuple[str, str]:
    """Return the traffic class a metric is of, empty for one of the whole run, and its stem."""
    if not metric.startswith(OF_CLASSES):
        return "", metric
    name, _, stem = metric.removeprefix(OF_CLASSES).rpartition(".")
    return name, stem


def stem_of(metric: str) -> str:
    """Return what a metric of a traffic class or a job is called without these."""
    return metric.rpartition(".")[2] if metric.startswith((OF_CLASSES, OF_JOBS)) else metric


def owner_of(metric: str) -> str | None:
    """Return the traffic class or job a metric is of; None for one of the whole run."""
    if not metric.startswith((OF_CLASSES, OF_JOBS)):
        return None
    return metric.partition(".")[2].rpartition(".")[0]


def _of(counters: tuple[str, ...], name: str) -> tuple[str, ...]:
    """Return what counters of a traffic class are called."""
    return tuple(f"{counter}[{name}]" for counter in counters)


_LATENCIES = ("message_latency_count",)

OF_COSTS: dict[str, Metric] = {
    "latency_overhead_us": Metric(("latency_overhead_ps",), _LATENCIES, _US),
    "latency_wire_us": Metric(("latency_wire_ps",), _LATENCIES, _US),
    "latency_throttling_us": Metric(("latency_throttling_ps",), _LATENCIES, _US),
    "latency_contention_us": Metric(("latency_contention_ps",), _LATENCIES, _US),
    "cpu_sending": _share(("cpu_sending_ps",), "nodes"),
    "cpu_receiving": _share(("cpu_receiving_ps",), "nodes"),
    "cpu_idle": _share(("cpu_idle_ps",), "nodes"),
}
"""Metrics of machines on which messages cost something in software; others do not have them."""

OF_FRAMES: dict[str, Metric] = {
    "lost_packets_per_node_per_ms": _rate("packets_lost"),
    "pauses_per_node_per_ms": _rate("pauses"),
}
"""Metrics of machines whose switches forward frames; others do not have them."""

OF_LATENESS: dict[str, Metric] = {
    # No sums over samples: of messages whose time alone is known; see `runner.lateness`.
    "message_alone_us": Metric(("message_alone_ps",), ("message_alone_count",), _US),
    "message_late_us": Metric(("message_late_ps",), ("message_late_count",), _US),
    "message_slowdown": Metric(("message_slowdown",), ("message_slowdown_count",)),
}
"""Metrics of runs that compare messages with themselves alone: `run.blame`, `run.keep_messages`."""

ALL_METRICS = (
    METRICS | OF_INTEGRATED | OF_OPEN_LOOPS | OF_FINITE | OF_COSTS | OF_FRAMES | OF_LATENESS
)


WAITS = (
    "throttling_us",
    "internal_contention_us",
    "failed_messages_per_node_per_ms",
    "lost_packets_per_node_per_ms",
    "pauses_per_node_per_ms",
)
"""Metrics that may be 0 for ever in modes with less contention."""

GROWING = ("message_latency_us", "lifetime_us", "lifetime_data_us")
"""Times that begin when messages are made, and so have no mean in a saturated network."""

_NO_SAMPLES = ("ideal_link_utilisation", "completion_us", *OF_LATENESS)
STEERING = tuple(name for name in ALL_METRICS if name not in _NO_SAMPLES)
"""Metrics that can be asked to be precise (`run.metric`): those with samples."""


def speed_metric(*, ends: bool, offers: bool, sends: bool) -> str:
    """Return the metric that says best how fast a workload is.

    When all was done if it ends, how long messages take if it sends whatever becomes of them, else
    how many it sends, or iterations if it sends none.
    """
    if ends:
        return "completion_us"
    if offers:
        return "message_latency_us"
    return "messages_per_node_per_ms" if sends else "iterations_per_node_per_ms"


def measured(counters: Iterable[str], load: OpenLoop | None = None) -> list[str]:
    """Return the names of the metrics that can be estimated from these counters."""
    there = set(counters)
    return [
        name
        for name, metric in ALL_METRICS.items()
        if there.issuperset(metric.counters) and _has_load(name, metric, load)
    ]


def _has_load(name: str, metric: Metric, load: OpenLoop | None) -> bool:
    """Whether a metric needs no open loop, or there is one that knows the size of a message."""
    if name not in OF_OPEN_LOOPS:
        return True
    sized = isinstance(metric.scale, str)
    return load is not None and not (sized and getattr(load, str(metric.scale)) is None)


BASELINE = "baseline"
"""Stands for the mode that ``run.baseline`` names."""

STEPS = {
    "": (BASELINE, "full"),
    "_network": ("endpoints", "full"),
    "_endpoints": ("free", "endpoints"),
}
"""What is compared, by what is added to the names of thetas: less contention, then more."""

_THETA_METRICS = {
    "theta_t": "routed_lifetime_us",
    "theta_r": "messages_per_node_per_ms",
    "theta_c": "completion_us",
}


@dataclass(frozen=True, slots=True)
class Theta:
    """A quotient of one metric in two modes, 1 where the second costs nothing."""

    metric: str
    less: str
    """The mode with less contention, or `BASELINE`."""
    more: str

    @property
    def modes(self) -> tuple[str, str]:
        """The mode above and the mode below: more messages are better, and less time."""
        is_rate = self.metric == "messages_per_node_per_ms"
        return (self.more, self.less) if is_rate else (self.less, self.more)

    def against(self, baseline: str) -> Theta:
        """Return the quotient where the baseline is this mode."""
        return replace(self, less=baseline) if self.less == BASELINE else self


THETAS = {
    name + step: Theta(metric, *modes)
    for step, modes in STEPS.items()
    for name, metric in _THETA_METRICS.items()
}
"""What contention costs, in quotients; those of `OF_FINITE` are known of finite workloads only."""

MAIN_THETAS = tuple(_THETA_METRICS)
"""Those against the baseline."""


def increments(
    metric: Metric, counters: Counters, populations: Populations
) -> tuple[Floats, Floats]:
    """Numerator (scaled) and denominator of `metric` between successive rows.

    `counters` holds cumulative columns and `time_ps`; n rows give n - 1
    increments. Differences are taken in whole numbers, then rounded once.
    """
    load = populations.load
    above, below = (_weights(side, load) for side in metric.weighted)
    scale = metric.scale if isinstance(metric.scale, float) else getattr(load, metric.scale)
    numerator = _growth(counters, metric.numerator, above) * scale
    if isinstance(metric.denominator, tuple):
        return numerator, _growth(counters, metric.denominator, below)
    size = getattr(populations, metric.denominator)
    return numerator, _growth(counters, ("time_ps",), {}) * size


def _weights(side: str, load: OpenLoop | None) -> Weights:
    return getattr(load, side) if side and load is not None else {}


def _growth(counters: Counters, names: tuple[str, ...], weights: Weights) -> Floats:
    total = sum(
        np.diff(counters[name]).astype(np.float64) * weights.get(name, 1.0) for name in names
    )
    return np.asarray(total, dtype=np.float64)
