"""The columns of stored runs: what each is called, holds, and is measured in.

Everything that is said of them elsewhere (the schema of the files, the tables
in `docs/store.md`, what a mistaken name is compared with) is made from here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from tailback.critical_path import PART_WORDS
from tailback.metrics import ALL_METRICS, OF_FINITE, OF_JOBS, OF_LATENESS, THETAS

Type = Literal["text", "float64", "int64", "bool", "list", "integer"]
"""What a value may be; any may be null. `integer` is a whole number of any width, also unsigned."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of stored runs."""

    name: str
    type: Type
    unit: str
    """Empty for what has none: names, text, shares, counts."""
    meaning: str


MERGED = ("", "_low", "_high", "_standard_error", "_weight", "_batches")
"""What is stored of every metric, by what is added to its name; ``""`` is the value."""

RATIO_PARTS = ("", "_low", "_high", "_covariance")
"""What is stored of every theta, likewise."""

PERCENTILE_VARIABLES = (
    "lifetime_us",
    "routed_lifetime_us",
    "message_latency_us",
    "message_begins_us",
    "message_alone_us",
    "message_late_us",
    "message_slowdown",
)
PERCENTILES = {"p50": 50.0, "p90": 90.0, "p95": 95.0, "p99": 99.0, "p99_9": 99.9}
"""Percentiles that are stored, by what is added to the name of a variable."""

NESTED = ("moments", "histograms", "nodes", "channels")
"""Columns that hold a table in every row."""

LIGHT = ("moments",)
"""Those of them that are small, and stay in the index of many points."""

BLAME_TABLES = ("blame_pairs", "blame_channels", "blame_victims", "blame_waits")
"""Columns that hold a table likewise, of points with `run.blame`; all are large."""

BLAME_PAIRS = 4096
"""Most pairs of a table of them, and pairs at a channel, that are told apart."""

IDENTIFYING = (
    Column("identity", "text", "", "Hash of everything that can change a number of the point."),
    Column("mode", "text", "", "Contention mode: full, endpoints, throttled, free or ideal."),
    Column("kernel", "text", "", "Kernel of the engine that simulated it."),
    Column("version", "text", "", "Version of Tailback that simulated it."),
    Column("results_version", "int64", "", "Grows when the same experiment gives other numbers."),
)

ENDING = (
    Column("settled", "bool", "", "Whether it is steady, not saturated and not cut off."),
    Column("steady", "bool", "", "Whether the start-up transient ended and no drift was seen."),
    Column(
        "saturated",
        "bool",
        "",
        "Whether less than 99 % of the offered was accepted; null: no open loop.",
    ),
    Column("converged", "bool", "", "Whether it is as precise as asked; null if nothing was."),
    Column("cut_off", "text", "", "Limit that ended the run before it was complete; null: none."),
    Column(
        "lost",
        "bool",
        "",
        "Whether messages of a workload that ends were lost: it never ends, completion is null.",
    ),
    Column("stop_reason", "text", "", "Why the run ended: precision, finished, duration, ..."),
    Column("simulated_ms", "float64", "ms", "Simulated time of the whole run."),
    Column("warmup_ms", "float64", "ms", "Simulated time cut off as start-up transient."),
    Column("window_ms", "float64", "ms", "Simulated time that was measured."),
    Column("events", "int64", "", "Events of the whole run."),
    Column("packet_hops", "int64", "", "Channel crossings begun in the whole run."),
)

_RATE = "1/ms per node"

#: Unit and meaning of every metric.
_METRICS: dict[str, tuple[str, str]] = {
    "messages_per_node_per_ms": (_RATE, "Messages sent."),
    "delivered_messages_per_node_per_ms": (_RATE, "Messages received completely."),
    "acknowledged_messages_per_node_per_ms": (_RATE, "Messages acknowledged."),
    "failed_messages_per_node_per_ms": (_RATE, "Messages dropped by a throttle."),
    "iterations_per_node_per_ms": (_RATE, "Iterations completed by processes."),
    "packets_per_node_per_ms": (_RATE, "Data packets sent."),
    "payload_mbit_per_s_per_node": ("Mbit/s per node", "Data of received messages."),
    "routed_lifetime_us": ("us", "Mean routed lifetime, data and acknowledgement packets."),
    "routed_lifetime_data_us": ("us", "Mean routed lifetime, data packets."),
    "routed_lifetime_ack_us": ("us", "Mean routed lifetime, acknowledgement packets."),
    "lifetime_us": ("us", "Mean lifetime, data and acknowledgement packets."),
    "lifetime_data_us": ("us", "Mean lifetime, data packets."),
    "network_lifetime_us": ("us", "Mean network lifetime, data and acknowledgement packets."),
    "network_lifetime_data_us": ("us", "Mean network lifetime, data packets."),
    "message_latency_us": ("us", "Mean from the send instruction to complete reception."),
    "hops": ("channels", "Mean channels crossed by a packet, both classes."),
    "throttling_us": ("us", "Mean wait per packet before the first internal channel."),
    "internal_contention_us": ("us", "Mean wait per packet for later channels."),
    "injection_utilisation": ("", "Share of time injection channels transmit."),
    "internal_utilisation": ("", "Share of time internal channels transmit."),
    "internal_held": (
        "",
        "Share of time internal channels transmit or are kept waiting; above 1 where several "
        "that share a wire are.",
    ),
    "ejection_utilisation": ("", "Share of time ejection channels transmit."),
    "cpu_utilisation": ("", "Share of time processors compute."),
    "completion_us": (
        "us",
        "When the last process was done and the last message received. "
        "Of workloads that end by themselves only.",
    ),
    "message_begins_us": (
        "us",
        "Mean from the send instruction until the first data (machine.interface.early) are there. "
        "With integrated nodes only.",
    ),
    "ideal_link_utilisation": (
        "",
        "Link time of all data over the time of all links until the latest send. "
        "With integrated nodes only.",
    ),
    "offered_load": (
        "",
        "Messages processes try to send, in time on the injection channels over all their time. "
        "Open loops only, as all that follow.",
    ),
    "accepted_load": ("", "Messages received, likewise."),
    "offered_flits_per_node_per_cycle": (
        "flits per node and cycle",
        "Messages processes try to send. On machines with a clock.",
    ),
    "accepted_flits_per_node_per_cycle": ("flits per node and cycle", "Messages received."),
    "accepted_share": ("", "Messages received over those processes try to send."),
    "latency_overhead_us": (
        "us",
        "Mean of what message_latency_us spends at both ends: CPUs and waiting for them. "
        "Where messages cost something in software only, as all that follow.",
    ),
    "latency_wire_us": ("us", "Mean of what it spends in the network though nobody is in the way."),
    "latency_throttling_us": ("us", "Mean of what it waits for leave to send, and to set out."),
    "latency_contention_us": ("us", "Mean of what it waits later."),
    "cpu_sending": ("", "Share of time processors prepare messages."),
    "cpu_receiving": ("", "Share of time processors take messages in."),
    "cpu_idle": ("", "Share of time processors do nothing."),
    "lost_packets_per_node_per_ms": (
        _RATE,
        "Packets lost for want of room in switches. Where these forward frames only, as what "
        "follows.",
    ),
    "pauses_per_node_per_ms": (_RATE, "How often a switch tells its neighbours to pause."),
    "message_alone_us": (
        "us",
        "Mean time that messages would take alone. With run.blame or run.keep_messages only, in "
        "modes full, endpoints and free, as the next two.",
    ),
    "message_late_us": (
        "us",
        "Mean of how much longer messages took than alone; those that took less count as less "
        "than 0, in percentiles as 0.",
    ),
    "message_slowdown": ("", "Mean of how many times as long messages took as alone."),
}

_RATIO_MEANING = {
    "routed_lifetime_us": "Mean routed lifetime",
    "messages_per_node_per_ms": "Messages sent per time",
    "completion_us": "Completion time",
}

_NESTED_MEANING = {
    "moments": "Exact sums over packets and messages, by variable and class.",
    "histograms": "Counts of values, by variable and class.",
    "nodes": "Counts of the window for every node.",
    "channels": "Counts of the window for every channel.",
}


def _metric_columns() -> Iterator[Column]:
    """Yield the columns of all metrics: value, interval, and what is needed to merge them."""
    for name, metric in ALL_METRICS.items():
        unit, meaning = _METRICS[name]
        divided = "runs" if name in OF_FINITE else "packets or messages"
        if isinstance(metric.denominator, str):
            divided = "ps times " + ("nodes" if metric.denominator == "nodes" else "channels")
        yield Column(name, "float64", unit, meaning)
        yield from _merging(name, unit, divided)


def _merging(name: str, unit: str, divided: str) -> Iterator[Column]:
    """Yield the columns behind that of a metric: all of `MERGED` but the first."""
    yield Column(f"{name}_low", "float64", unit, "Lower end of its confidence interval.")
    yield Column(f"{name}_high", "float64", unit, "Upper end of its confidence interval.")
    yield Column(f"{name}_standard_error", "float64", unit, "Its standard error.")
    yield Column(f"{name}_weight", "float64", divided, "What the sum was divided by.")
    yield Column(f"{name}_batches", "int64", "", "Batches behind the interval; 0: exact.")


def _ratio_columns() -> Iterator[Column]:
    """Yield the columns of the thetas, which are null in modes other than full."""
    for name, theta in THETAS.items():
        meaning = f"{_RATIO_MEANING[theta.metric]}, {' over '.join(theta.modes)}."
        is_rate = theta.metric == "messages_per_node_per_ms"
        squared = "(1/ms per node)^2" if is_rate else "us^2"
        yield Column(name, "float64", "", f"{meaning} In the row of mode full.")
        yield Column(f"{name}_low", "float64", "", "Lower end of its confidence interval.")
        yield Column(f"{name}_high", "float64", "", "Upper end of its confidence interval.")
        covariance = "Covariance of the two values divided."
        yield Column(f"{name}_covariance", "float64", squared, covariance)


def _percentile_columns() -> Iterator[Column]:
    """Yield the columns of percentiles."""
    for variable in PERCENTILE_VARIABLES:
        for suffix, percent in PERCENTILES.items():
            word, unit = variable.removesuffix("_us").replace("_", " "), variable[-3:] == "_us"
            meaning = f"Percentile {percent:g} of the {word}, all classes."
            yield Column(f"{variable}_{suffix}", "float64", "us" if unit else "", meaning)


#: What is stored of every job, under `jobs.NAME.METRIC`: those that it has.
METRICS_OF_JOBS = (
    "completion_us",
    "messages_per_node_per_ms",
    "iterations_per_node_per_ms",
    "message_latency_us",
    "routed_lifetime_us",
    *OF_LATENESS,
)

#: Of what there are percentiles of every job, likewise, with `PERCENTILES` behind the name.
PERCENTILES_OF_JOBS = ("message_latency_us", *OF_LATENESS)


def percentiles_of_job(job: str, variable: str) -> tuple[Column, ...]:
    """Return the columns of percentiles of messages of a job."""
    unit = _METRICS[variable][0]
    return tuple(
        Column(
            f"{OF_JOBS}{job}.{variable}_{suffix}",
            "float64",
            unit,
            f"Percentile {percent:g} of {variable} of job {job}.",
        )
        for suffix, percent in PERCENTILES.items()
    )


def columns_of_job(job: str, name: str, parts: Iterable[str]) -> tuple[Column, ...]:
    """Return the columns of a metric or theta of a job, one for each part."""
    return tuple(
        Column(
            f"{OF_JOBS}{job}.{name}{part}",
            "int64" if part == "_batches" else "float64",
            _METRICS[name][0] if name in _METRICS and part != "_weight" else "",
            f"{name}{part} of job {job}.",
        )
        for part in parts
    )


#: What the names of columns of the critical path begin with.
OF_PATHS = "critical_path."

PATH_METRICS = {f"{OF_PATHS}{part}_us": words for part, words in PART_WORDS.items()}
"""What is stored of a critical path, of points with `run.critical_path`, and what that is."""


def _path_columns() -> Iterator[Column]:
    """Yield the columns of critical paths; they are merged as metrics are."""
    for name, words in PATH_METRICS.items():
        yield Column(name, "float64", "us", f"Time on the critical path: {words}.")
        yield from _merging(name, "us", "runs")


METRIC_COLUMNS = tuple(_metric_columns())
PATH_TABLES = ("critical_path_waits", "critical_path_calls")
"""Columns that hold a table, of points with `run.critical_path`."""

PATH_ROWS = 256
"""Rows of each of them that are told apart, the longest."""

_PATH_MEANING = {
    "critical_path_waits": "What messages on the critical path waited for, the longest first.",
    "critical_path_calls": "Time on the critical path by place in the program, likewise.",
}
PATH_COLUMNS = (
    *_path_columns(),
    *(Column(name, "list", "", text) for name, text in _PATH_MEANING.items()),
)
"""The columns that points with `run.critical_path` have and others have not."""

RATIO_COLUMNS = tuple(_ratio_columns())
PERCENTILE_COLUMNS = tuple(_percentile_columns())
NESTED_COLUMNS = tuple(Column(name, "list", "", text) for name, text in _NESTED_MEANING.items())
"""Columns that hold a table in every row; `INNER` has the columns of these tables."""

BLAMING = (
    Column("run.blame", "bool", "", "Whether lateness is charged to the traffic that caused it."),
    Column("run.blame_share", "float64", "", "Share of all messages whose lateness is charged."),
    Column("run.blame_memory_bytes", "int64", "B", "Bytes that could be taken for that."),
    Column("run.packet_waits", "bool", "", "Whether it was asked for what packets waited for."),
    Column("workload.classes", "text", "", "Traffic classes that lateness is charged to."),
    Column("blame_classes", "text", "", "What their numbers are of: node, process or class."),
    Column("blame_begin_ps", "int64", "ps", "When the first batch of blame began."),
    Column("blame_batch_ps", "int64", "ps", "How long a batch of blame is."),
    Column("blame_exact", "bool", "", "Whether all there was is charged: no intervals."),
    Column("blame_alone_ps", "int64", "ps", "How long all messages would have taken alone."),
    Column("blame_early_messages", "int64", "", "Messages that were quicker than alone."),
    Column("blame_early_ps", "int64", "ps", "How much quicker they were, added up."),
    Column("blame_unattributed_ps", "int64", "ps", "Lateness for which nobody is charged."),
    Column("blame_waited_ps", "int64", "ps", "Waits on the chains of messages, added up."),
)
"""What points with `run.blame` say of it, besides `BLAME_TABLES`."""

_BLAME_MEANING = {
    "blame_pairs": "Lateness by whose messages were late, who is charged, and where that was; "
    "null, as the next two, in modes in which messages are not compared with alone.",
    "blame_channels": "The same by root channel.",
    "blame_victims": "Messages that were delivered, by traffic class.",
    "blame_waits": "Waits of packets by channel waited for, and why: not what they cost; null "
    "unless run.packet_waits asks for it, or the mode is throttled or ideal.",
}
BLAME_COLUMNS = (
    *BLAMING,
    *(Column(name, "list", "", text) for name, text in _BLAME_MEANING.items()),
)
"""The columns that points with `run.blame` have and others have not."""


TRAFFIC_TABLE = "traffic_classes"
"""A column that holds a table likewise, of points with traffic of several classes."""

TRAFFIC_COLUMNS = (
    Column(TRAFFIC_TABLE, "list", "", "What was measured of every traffic class by itself."),
)
"""The columns that points with `workload.kind = "traffic"` have and others have not."""


MESSAGE_TABLE = "messages"
"""A column that holds a table likewise, of points with `run.keep_messages`; it is large."""

MESSAGE_COLUMNS = (
    Column(MESSAGE_TABLE, "list", "", "Messages received, in that order: those that have a row."),
)
"""The columns that points with `run.keep_messages` have and others have not."""


def _counted(unit: str, **meanings: str) -> tuple[Column, ...]:
    return tuple(Column(name, "integer", unit, meaning) for name, meaning in meanings.items())


_VARIABLE = (
    Column("variable", "text", "", "lifetime, routed_lifetime, message_latency, hops, ..."),
    Column("class", "text", "", "data or ack (acknowledgement)."),
)

_VICTIM = Column("victim", "integer", "", "Traffic class of those that were late.")
_CULPRIT = Column(
    "culprit",
    "integer",
    "",
    f"Class that is charged; null: all that are not among the {BLAME_PAIRS:,} largest, or, with "
    "kind detour or fault, nobody.",
)
_KIND = Column("kind", "text", "", "Where: source, destination, network, spread, detour or fault.")
_CHARGES = Column("count", "integer", "", "How many charges.")
_LATE = Column("batches", "list", "ps", "How much later messages were, in each batch of time.")

#: Further columns of `nodes` where messages cost something in software, behind the counts.
NODES_OF_COSTS = _counted(
    "ps",
    cpu_sending_ps="Time its processor prepared messages; where that or receiving costs something.",
    cpu_receiving_ps="Time its processor took messages in; likewise.",
)

#: Further columns of `nodes` where nodes and switches are one, behind the counts.
NODES_OF_INTEGRATED = _counted(
    "B",
    transit_bytes_max="Most that was stored in it of packets of others, headers included; "
    "with integrated nodes only, in mode full of those that store packets, else 0.",
    own_bytes_max="The same of its own packets that had not set out.",
)

#: Columns of the tables in `NESTED` and the other columns that hold one. Coordinates of nodes are
#: x, y, z, x3, ... as the machine has.
INNER: dict[str, tuple[Column, ...]] = {
    "moments": (
        *_VARIABLE,
        Column("count", "integer", "", "How many values."),
        Column("sum", "text", "ps", "Their sum, exact, in decimal digits (hops: channels)."),
        Column("sum2", "text", "ps^2", "Sum of their squares, likewise."),
        Column("sum3", "text", "ps^3", "Sum of their cubes, likewise."),
        Column("min", "integer", "ps", "The least (hops: channels)."),
        Column("max", "integer", "ps", "The greatest, likewise."),
    ),
    "histograms": (
        *_VARIABLE,
        Column(
            "low",
            "integer",
            "ps",
            "Least value of the bin, of the first one the least of all values (hops: channels).",
        ),
        Column(
            "high",
            "integer",
            "ps",
            "Greatest value of the bin, of the last one the greatest of all values, likewise.",
        ),
        Column("count", "integer", "", "Values in the bin; empty bins are left out."),
    ),
    "nodes": (
        *_counted(
            "",
            node="Number of the node.",
            messages_sent="Messages sent.",
            messages_delivered="Messages received completely.",
            messages_acknowledged="Messages acknowledged.",
            messages_failed="Messages dropped by a throttle.",
            iterations="Iterations completed by its processes.",
        ),
        *_counted("ps", cpu_busy_ps="Time its processor computed."),
        *_counted(
            "",
            packets_sent_data="Data packets sent.",
            packets_delivered_data="Data packets that arrived.",
        ),
        *_counted("ps", data_queue_area_ps="Time summed over the data packets that waited in it."),
        *_counted(
            "",
            data_queue_max="Most data packets that waited at once.",
            packets_sent_ack="Acknowledgements sent.",
            packets_delivered_ack="Acknowledgements that arrived.",
        ),
        *_counted("ps", ack_queue_area_ps="Time summed over acknowledgements that waited in it."),
        *_counted("", ack_queue_max="Most acknowledgements that waited at once."),
        Column("messages_per_ms", "float64", "1/ms", "Messages sent per time."),
        Column("cpu_utilisation", "float64", "", "Share of time its processor computed."),
        Column("data_queue_mean", "float64", "", "Data packets waiting, averaged over time."),
        Column("ack_queue_mean", "float64", "", "Acknowledgements waiting, likewise."),
    ),
    "channels": (
        Column("channel", "integer", "", "Number of the channel."),
        Column("kind", "text", "", "injection, internal, ejection or direct."),
        *_counted(
            "",
            from_node="Node or switch it comes from.",
            to_node="Node or switch it leads to.",
            dimension="Dimension it lies along, x is 0; -1: none.",
            direction="1 up, -1 down its dimension; 0: none.",
            place="Which of several parallel channels.",
            packets="Packets that started on it.",
        ),
        *_counted(
            "ps",
            busy_ps="Time it transmitted.",
            held_ps="Time it transmitted or was kept by a packet that waited for room.",
            wait_throttling_ps="Waits for it before a first internal channel.",
            wait_internal_ps="Later waits for it.",
        ),
        *_counted("", waits="Packets that waited for it."),
        Column("utilisation", "float64", "", "Share of time it transmitted."),
        Column("held", "float64", "", "Share of time it transmitted or was kept."),
        Column("throttling_us", "float64", "us", "Mean wait before a first internal channel."),
        Column("internal_contention_us", "float64", "us", "Mean of later waits."),
    ),
    TRAFFIC_TABLE: (
        Column("class", "text", "", "Name of the traffic class."),
        Column(
            "metric",
            "text",
            "",
            "offered_load, message_latency_us, round_trip_us, message_latency_us_p99, ...",
        ),
        Column("value", "float64", "", "As the column of this name, of this class alone."),
        Column("low", "float64", "", "Lower end of its confidence interval; null: none."),
        Column("high", "float64", "", "Upper end of its confidence interval, likewise."),
        Column("standard_error", "float64", "", "Its standard error, likewise."),
        Column("weight", "float64", "", "What the sum was divided by."),
        Column("batches", "integer", "", "Batches behind the interval; 0: exact."),
    ),
    MESSAGE_TABLE: (
        *_counted(
            "",
            message="How many were sent before it.",
            source_process="The process that sent it.",
            source="Its node.",
            destination_process="The process that received it.",
            destination="Its node.",
        ),
        *_counted("B", bytes="Its length."),
        *_counted("", tag="What the receiver knows it by."),
        *_counted(
            "ps",
            sent_ps="When its send was called.",
            arrived_ps="When its last byte was there.",
            received_ps="When its process had accepted it, too.",
            latency_ps="From its send until its last byte was there.",
            alone_ps="How long that takes alone; null where it is not known, as the next two.",
            late_ps="How much longer it took, waits for its turn and software not counted; less "
            "than 0 if it was quicker.",
        ),
        Column("slowdown", "float64", "", "How many times as long as alone."),
        Column("class", "text", "", "Its traffic class or job, where there are several."),
    ),
    "critical_path_waits": (
        Column("part", "text", "", "source, destination, network or spread."),
        Column("channel", "integer", "", "Number of the root channel; null: of all other rows."),
        Column("culprit_process", "integer", "", "Who sent the message that was there."),
        Column("time_ps", "integer", "ps", "How long."),
    ),
    "critical_path_calls": (
        Column("part", "text", "", "What the time is put down to."),
        Column("process", "integer", "", "Whose; null: of all other rows."),
        Column("call", "integer", "", "Number of the place in its program; null: none."),
        Column("time_ps", "integer", "ps", "How long."),
        Column("place", "text", "", "What a trace calls the place, or its number."),
    ),
    "blame_pairs": (_VICTIM, _CULPRIT, _KIND, _CHARGES, _LATE),
    "blame_channels": (
        Column("channel", "integer", "", "Number of the root channel; null with kind detour."),
        Column("victim", "integer", "", "As in blame_pairs; null where it is not told apart."),
        *(_CULPRIT, _KIND, _CHARGES, _LATE),
    ),
    "blame_victims": (
        Column("victim", "integer", "", "Traffic class."),
        Column("count", "integer", "", "Messages delivered."),
        Column("batches", "list", "", "The same, in each batch of time."),
    ),
    "blame_waits": (
        Column("channel", "integer", "", "Number of the channel waited for."),
        Column("cause", "text", "", "Why: output_busy, buffer_full, head_of_line, ..."),
        Column("count", "integer", "", "How many waits, or pieces of waits."),
        Column("batches", "list", "ps", "How long packets waited, in each batch of time."),
    ),
}
