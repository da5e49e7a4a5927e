"""Runs experiments on all processors and keeps what the comparisons need."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow.compute as pc

import tailback as tb
from studies.runs import answers
from studies.tweedie.experiment import Point
from tailback.statistics import student_t
from tailback.workloads import Bandwidth


@dataclass(frozen=True, slots=True)
class Measured:
    """What one run measured."""

    estimates: Mapping[str, tb.Estimate]
    """By the names of `tailback`'s metrics."""
    node_rates: tuple[float, ...]
    """Messages sent per ms by each node (x runs fastest)."""
    process_rates: tuple[float, ...]
    """Iterations per ms of each process."""
    message_periods_ns: tuple[float, ...]
    """From one message of each sending node to its next; of the bandwidth workload only."""
    stop_reason: str
    simulated_ms: float
    events: int


Measurements = Mapping[tb.Experiment, Measured]

RATE = "messages_per_node_per_ms"
ITERATIONS = "iterations_per_node_per_ms"
ROUTED_LIFETIME = "routed_lifetime_us"


def measure(experiment: tb.Experiment) -> Measured:
    """Run one experiment to its end."""
    bandwidth = isinstance(experiment.workload, Bandwidth)
    result = tb.run(experiment, packets=bandwidth)
    iterations = result.processes["iterations"].to_numpy() / result.ending.window_ms
    return Measured(
        estimates=dict(result.estimates),
        node_rates=tuple(result.nodes["messages_per_ms"].to_pylist()),
        process_rates=tuple(iterations.tolist()),
        message_periods_ns=_message_periods_ns(result) if bandwidth else (),
        stop_reason=result.ending.stop_reason,
        simulated_ms=result.ending.simulated_ms,
        events=result.ending.events,
    )


def _message_periods_ns(result: tb.Result) -> tuple[float, ...]:
    """Return the mean time between the deliveries of messages of each sending node.

    Over the second half of the run, so that the start does not count, and over
    a multiple of eight messages: eight bring a whole number of flow-control
    tokens, whatever their length.
    """
    data = result.packets.filter(pc.field("class") == "data")
    periods = []
    for source in (0, 1):
        of_node = data.filter(pc.field("source") == source)
        message, at_ns = (of_node[name].to_numpy() for name in ("message", "delivered_ns"))
        ends_ns = at_ns[np.flatnonzero(np.diff(message))]
        count = len(ends_ns) // 2 // 8 * 8
        if count:
            periods.append(float(ends_ns[-1] - ends_ns[-1 - count]) / count)
    return tuple(periods)


def measure_all(points: Iterable[Point]) -> dict[tb.Experiment, Measured]:
    """Run all experiments, each once, in one process per processor; progress on standard error.

    The result does not depend on the number of processors. Ctrl-C ends all
    processes at once and raises `KeyboardInterrupt`.
    """
    experiments = list(dict.fromkeys(e for point in points for e in point))
    measured = answers(measure, experiments, "runs", lambda run: run.events)
    return dict(zip(experiments, measured, strict=True))


def over_seeds(measurements: Measurements, point: Point, metric: str) -> tb.Estimate:
    """Return the mean of a metric over the seeds of a point.

    `low` and `high` are its interval at 95 % confidence: the wider one of
    Student's t over the seeds and of what the runs' own intervals say (seeds
    may agree too well, because all runs end at the same place of a period). Of
    runs of fixed length, which drift together, they are the lowest and the
    highest seed, and `batches` is their number.
    """
    estimates = [measurements[experiment].estimates[metric] for experiment in point]
    values = [estimate.value for estimate in estimates]
    mean, count = statistics.fmean(values), len(values)
    if point[0].run.duration is not None:
        return tb.Estimate(mean, min(values), max(values), count)
    if count == 1:
        return estimates[0]
    between = student_t(0.95, count - 1) * statistics.stdev(values) / math.sqrt(count)
    within = math.hypot(*(estimate.half_width for estimate in estimates)) / count
    half = max(between, within)
    return tb.Estimate(mean, mean - half, mean + half, sum(e.batches for e in estimates))
