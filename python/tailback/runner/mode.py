"""One mode of an experiment, run to its stop rule."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tailback import engine, interrupts
from tailback.contents import unchanged
from tailback.errors import RunFailure, UserError, shown
from tailback.experiment.memory import check_memory
from tailback.metrics import ALL_METRICS, WAITS, Populations, measured
from tailback.progress import Watch, ignore
from tailback.units import Time

from .open_loop import class_metrics, open_loop
from .procedure import Plan, Procedure, Stop

if TYPE_CHECKING:
    from tailback.experiment import Experiment
    from tailback.programs import Running
    from tailback.results import Result

#: The engine's counters have 64 bits, and what is under way at the end is counted first.
_LARGEST_SUM_PS = 2**63


def run_mode(
    experiment: Experiment,
    mode: str,
    *,
    packets: bool = False,
    watch: Watch = ignore,
    change: Callable[[dict[str, Any]], dict[str, Any]] | None = None,
    until_failure: bool = False,
) -> Result:
    """Run one contention mode of `experiment` and return what was measured.

    `packets` keeps one row per delivered packet. `change` makes another of the engine's
    description; the result is that of the experiment all the same. Ctrl-C ends the run early;
    the result then says so (`complete` is False). Raises `UserError` for what
    cannot be simulated, and where memory is short; `RunFailure` for a run that cannot go on, such
    as a deadlock, unless `until_failure` asks for what was measured before it (`Result.failure`).
    """
    started = time.perf_counter()
    with unchanged(experiment.files_read()), interrupts.deferred() as interrupted:
        spec = experiment.spec(mode, record_packets=packets)
        if change is not None:
            spec = json.dumps(change(json.loads(spec)))
        classes = experiment.message_classes() if experiment.run.blame else None
        check_memory(experiment)
        with processes_of(experiment) as processes:
            topology = experiment.machine.topology
            with topology.names():
                sim = engine.Simulation(
                    spec,
                    experiment.messages_arrays(),
                    classes,
                    processes,
                    experiment.traces(),
                    topology.labels,
                )
            if experiment.run.keep_messages:
                sim.keep_messages()
            planned = plan(experiment, mode, sim)
            _check_metric(planned.metric, measured(sim.counters(), planned.populations.load))
            procedure = Procedure(sim, planned, watch, interrupted)
            failure = None
            try:
                with experiment.machine.topology.names():
                    stop = procedure.run()
            except RunFailure as failed:
                if not until_failure:
                    raise
                is_deadlock = failed.kind == "deadlock"
                stop, failure = Stop.DEADLOCK if is_deadlock else Stop.FAILED, failed
            wall_seconds = time.perf_counter() - started
            from .collecting import result_of

            found = result_of(experiment, sim, procedure, stop, wall_seconds)
            return found if failure is None else replace(found, failure=failure)


def _check_metric(metric: str, known: Sequence[str]) -> None:
    """Refuse to steer a run by what the machine does not measure."""
    if metric not in known:
        raise UserError("run.metric", shown(metric), "is not measured on this machine")


@contextmanager
def processes_of(experiment: Experiment) -> Iterator[Running | None]:
    """Give the processes that are written in Python, and end them in the end."""
    processes = experiment.processes()
    if processes is not None:
        processes.most_rounds = max(processes.most_rounds, experiment.run.max_events)
    try:
        yield processes
    finally:
        if processes is not None:
            processes.close()


def plan(experiment: Experiment, mode: str, sim: engine.Simulation) -> Plan:
    """Return what is to be known from a run in `mode`, and what ends it.

    Raises `UserError` for a run so long that sums of times would not fit into the engine's
    counters.
    """
    run, populations = experiment.run, _populations(experiment, sim)
    channels = experiment.machine.node_channels_per_wire * populations.injection
    most = max(populations.nodes, channels, populations.internal)
    if run.limit_ps > _LARGEST_SUM_PS // most:
        key = "max_duration" if run.duration is None else "duration"
        allowed = f"must be at most {Time(_LARGEST_SUM_PS // most)} on a machine of {most} channels"
        raise UserError(f"run.{key}", shown(str(Time(run.limit_ps))), allowed)
    return Plan(
        mode=mode,
        metric=primary_metric(experiment.metric, mode),
        watched=(primary_metric("routed_lifetime_us", mode),),
        populations=populations,
        sample_interval_ps=experiment.sample_interval_ps,
        settling_ps=experiment.workload.settling_ps(experiment.machine),
        warmup_ps=experiment.warmup_ps,
        end_ps=run.limit_ps,
        end=Stop.MAX_DURATION if run.duration is None else Stop.DURATION,
        max_events=run.max_events,
        precision=experiment.precision,
        confidence=run.confidence,
        finite=experiment.finite,
    )


def primary_metric(name: str, mode: str) -> str:
    """Return the metric a run is steered by: `name`, or the message rate if that says nothing.

    In the mode `ideal` there are no packets, and in others than `full` packets wait less
    or not at all: their waits could be counted for ever.
    """
    no_packets = mode == "ideal" and ALL_METRICS[name].needs_packets
    no_waits = mode != "full" and name in WAITS
    return "messages_per_node_per_ms" if no_packets or no_waits else name


def _populations(experiment: Experiment, sim: engine.Simulation) -> Populations:
    # Asked as numbers, not as arrays: NumPy is not needed before the run.
    injection, internal, ejection, direct = sim.channel_counts
    # Of virtual channels of a node's link the link counts: it is busy when one of them sends.
    per_link = experiment.machine.node_channels_per_wire
    # A direct channel both injects and ejects; the engine counts it as injection.
    wires = internal - sim.sharing_channels
    load = open_loop(experiment)
    own = class_metrics(experiment)
    links = injection // per_link + direct, ejection // per_link
    return Populations(sim.node_count, links[0], internal, links[1], wires, load, own)
