"""Systems with known means, each measured as a run is: one number from an empty start.

What is measured, how, and how well, is decided before anything is run, and seeds
are counted from 0. The queues are those that procedures for simulation
output are usually tried on [Law, ch. 9].
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, NamedTuple

import numpy as np

import tailback as tb
from studies.coverage.sources import INTERVAL_PS, Autoregressive, Queue
from tailback import engine
from tailback.metrics import METRICS, Populations, increments
from tailback.runner import plan
from tailback.runner.procedure import Plan, Procedure, Source, Stop
from tailback.statistics import Estimate, Series, covariance, quotient

RATE, WAIT = "messages_per_node_per_ms", "routed_lifetime_us"


class Outcome(NamedTuple):
    """What one run found."""

    estimate: Estimate
    samples: int
    """In the measured window, of both for a quotient."""
    unpaired: float
    """Half-width of a quotient without its covariance; else that of the estimate."""


@dataclass(frozen=True)
class Case:
    """A system whose `truth` is known, and how it is measured with one seed and precision."""

    name: str
    truth: float
    measure: Callable[[int, float], Outcome]


def measured(source: Source, metric: str, precision: float) -> Procedure:
    """Measure a source until a metric is known precisely enough, and return all about it."""
    wanted = Plan(
        mode="full",
        metric=metric,
        watched=(),
        populations=Populations(nodes=1, injection=1, internal=1, ejection=1, internal_wires=1),
        sample_interval_ps=INTERVAL_PS,
        settling_ps=0,
        warmup_ps=None,
        end_ps=10**15,
        end=Stop.MAX_DURATION,
        max_events=2**62,
        precision=precision,
        confidence=0.95,
        finite=False,
    )
    return _run(source, wanted)


def _run(source: Source, wanted: Plan) -> Procedure:
    procedure = Procedure(source, wanted, lambda state: None, lambda: False)
    procedure.run()
    return procedure


def _outcome(procedure: Procedure) -> Outcome:
    estimate = procedure.estimate(procedure.plan.metric)
    columns = procedure.samples.since(procedure.window_ps)
    return Outcome(estimate, len(columns["time_ps"]) - 1, estimate.half_width)


def _series(procedure: Procedure) -> Series:
    columns = procedure.samples.since(procedure.window_ps)
    metric = METRICS[procedure.plan.metric]
    numerator, denominator = increments(metric, columns, procedure.plan.populations)
    estimate = procedure.estimate(procedure.plan.metric)
    return Series(columns["time_ps"], numerator, denominator, estimate)


def queue(
    load: float, service: Literal["constant", "exponential"], seed: int, precision: float
) -> Outcome:
    """Measure the mean waiting time of a queue."""
    source = Queue(load, service, np.random.default_rng(seed))
    return _outcome(measured(source, WAIT, precision))


def autoregression(phi: float, seed: int, precision: float) -> Outcome:
    """Measure the mean of an autoregressive series."""
    source = Autoregressive(phi, np.random.default_rng(seed))
    return _outcome(measured(source, RATE, precision))


def paired(phi: float, share: float, seed: int, precision: float) -> Outcome:
    """Measure the quotient of the means of two series that have part of their noise in common.

    Each has a window of its own.
    """
    runs = []
    for number, mean in enumerate((0.8, 1.0)):
        own, common = np.random.default_rng([seed, number]), np.random.default_rng(seed)
        source = Autoregressive(phi, own, mean=mean, share=share, common=common)
        runs.append(_series(measured(source, RATE, precision)))
    above, below = runs
    estimate = quotient(above.estimate, below.estimate, covariance(above, below))
    unpaired = quotient(above.estimate, below.estimate).half_width
    return Outcome(estimate, len(above.numerator) + len(below.numerator), unpaired)


PACKET_US = 3.34
"""Time of a packet of 32 bytes: 33 tokens of 10 bits and one of 4, at 10 ns a bit."""


def network(load: float, seed: int, precision: float) -> Outcome:
    """Measure the mean wait for the injection channel in the network simulator itself.

    Two nodes send packets of equal length to each other at random instants, without
    acknowledgements. Each injection channel is a queue M/D/1, and packets that left it
    one after the other meet nobody later.
    """
    experiment = tb.Experiment.from_dict(
        {
            "machine": {
                "preset": "t9000_c104",
                "topology": {"dims": [2]},
                "interface": {"acknowledgements": False},
                "switch": {"input_buffer": "1 kB"},
            },
            "workload": {
                "kind": "synthetic",
                "radius": 1,
                "sync": "asynchronous",
                "max_outstanding": 1_000_000,
                "compute_period": f"{round(PACKET_US / load * 1e6)} ps",
                "compute_distribution": "exponential",
                "message_size": "32 B",
            },
            "run": {"fidelity": "packet", "seed": seed},
        }
    )
    sim = engine.Simulation(experiment.spec("full"))
    wanted = replace(plan(experiment, "full", sim), metric="throttling_us", precision=precision)
    return _outcome(_run(sim, wanted))


def _queue_case(name: str, load: float, service: Literal["constant", "exponential"]) -> Case:
    return Case(name, Queue.mean_wait_us(load, service), partial(queue, load, service))


CASES = (
    _queue_case("M/M/1, load 0.5", 0.5, "exponential"),
    _queue_case("M/M/1, load 0.8", 0.8, "exponential"),
    _queue_case("M/D/1, load 0.5", 0.5, "constant"),
    _queue_case("M/D/1, load 0.8", 0.8, "constant"),
    Case(
        "M/D/1, load 0.5, in the network simulator",
        Queue.mean_wait_us(0.5, "constant") * PACKET_US,
        partial(network, 0.5),
    ),
    Case("autoregressive, phi 0.5", Autoregressive.mean_rate(), partial(autoregression, 0.5)),
    Case("autoregressive, phi 0.9", Autoregressive.mean_rate(), partial(autoregression, 0.9)),
    Case("quotient of two with half of their noise in common", 0.8, partial(paired, 0.5, 0.5)),
    Case("quotient of two with nine tenths in common", 0.8, partial(paired, 0.9, 0.9)),
)
