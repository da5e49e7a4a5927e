"""What a run that has ended measured, as a `Result`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from tailback import engine, tables
from tailback.critical_path import CriticalPath, Words
from tailback.metrics import TOLERATED_LOSS, Populations, class_of, measured
from tailback.results import Ending, Result
from tailback.results.of_jobs import job_results
from tailback.results.of_messages import fared
from tailback.statistics import Estimate
from tailback.units import Time

from .lateness import asked_for, blame_of, early_ps, has_all, lateness, messages_of, of_classes
from .procedure import Procedure, Stop

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from tailback.experiment import Experiment


def result_of(
    experiment: Experiment,
    sim: engine.Simulation,
    procedure: Procedure,
    stop: Stop,
    wall_seconds: float,
) -> Result:
    """Return everything that was measured."""
    counters = sim.counters()
    procedure.samples.mark(sim.now_ps, counters)
    exact = stop is Stop.FINISHED and procedure.window_ps == 0
    procedure.latest = procedure.estimate(procedure.metric, exact=exact)
    populations = procedure.plan.populations
    names = [*measured(counters, populations.load), *populations.of_classes]
    known = {name: procedure.estimate(name, exact=exact) for name in names}
    lost = experiment.finite and sim.messages_lost > 0
    ending = Ending(
        simulated_ms=sim.now_ps / 1e9,
        warmup_ms=procedure.window_ps / 1e9,
        events=sim.events,
        packet_hops=counters["packet_hops"],
        stop_reason=str(stop),
        steady=procedure.settled and not (experiment.finite and procedure.cut_off(stop)),
        saturated=_saturated(known),
        converged=None if experiment.precision is None else _converged(procedure, stop),
        cut_off=_limit(experiment, stop) if procedure.cut_off(stop) else "",
        lost=lost,
    )
    blame = blame_of(experiment, sim, exact=exact)
    late = sim.take_late() if experiment.run.keep_messages else None
    early = early_ps(late, procedure.window_ps)
    messages = messages_of(experiment, sim, late)
    by_class = fared(messages, exact=exact and has_all(messages, counters))
    traffic = {} if experiment.jobs else by_class
    return Result(
        experiment=experiment,
        mode=procedure.plan.mode,
        kernel=sim.kernel,
        version=engine.VERSION,
        results_version=engine.RESULTS_VERSION,
        estimates={
            **known,
            **_offered(experiment, sim, populations),
            **_completion(experiment, sim, stop, lost=lost),
            **lateness(experiment, sim, blame, early, exact=exact),
            **of_classes(traffic),
        },
        populations=populations,
        ending=ending,
        wall_seconds=wall_seconds,
        messages=messages,
        messages_lost=sim.messages_lost,
        blame=blame,
        critical_path=None if lost else _critical_path(sim, stop),
        activities=sim.activities(),
        transfers=sim.transfers(),
        turns=sim.turns(),
        waits=sim.waits(),
        turns_missing_ps=sim.turns_missing_ps,
        fared=traffic,
        jobs=job_results(
            experiment,
            sim,
            procedure.samples.since(procedure.window_ps),
            populations,
            by_class if experiment.jobs else {},
            exact=exact,
        ),
        **arrow_tables(experiment, sim, procedure, stop),
    )


def _critical_path(sim: engine.Simulation, stop: Stop) -> CriticalPath | None:
    """Return what the end waited for, of a program that has ended."""
    path, times = sim.critical_path(), sim.times()
    if path is None or times is None or stop is not Stop.FINISHED:
        return None
    words = Words(engine.PARTS, engine.SEGMENTS)
    return CriticalPath.of(path, times, words, sim.places())


def _limit(experiment: Experiment, stop: Stop) -> str:
    """Return the key of the limit that ended a run, and how large it is."""
    if stop is Stop.MAX_EVENTS:
        return f"run.max_events = {experiment.run.max_events:,}"
    return f"run.max_duration = {Time(experiment.run.limit_ps)}"


def _converged(procedure: Procedure, stop: Stop) -> bool:
    """Whether the primary metric is as precise as asked; it has no mean if the run saturated."""
    return stop is not Stop.SATURATED and procedure.is_precise()


def _saturated(known: Mapping[str, Estimate]) -> bool | None:
    """Whether less than 99 % of the offered was accepted, beyond the interval; None if none was.

    Of several traffic classes: of any. What is not known well enough to have an interval is not
    called so.
    """
    shares = [e for name, e in known.items() if class_of(name)[1] == "accepted_share"]
    found = [share.high < 1 - TOLERATED_LOSS for share in shares if not math.isnan(share.value)]
    return any(found) if found else None


def _offered(
    experiment: Experiment, sim: engine.Simulation, populations: Populations
) -> dict[str, Estimate]:
    """Return the load in link time, up to the latest send, with integrated nodes only.

    The load axis of [Buzzard & Mudge 1988, section 6]: link time that the data of all
    messages take, headers left out, over the time of all links until the latest message is
    sent. It is the same for all switching of the same messages, if all are delivered.
    """
    if sim.offered is None:
        return {}
    byte_hops, last_sent_ps = sim.offered
    link = experiment.machine.link
    link_ps = float(byte_hops * link.data_token_bits * link.rate.bit_ps)
    time_ps = last_sent_ps * populations.internal
    known = byte_hops > 0 and time_ps > 0
    value = Estimate.exact(link_ps / time_ps, time_ps) if known else Estimate.unknown()
    return {"ideal_link_utilisation": value}


def _completion(
    experiment: Experiment, sim: engine.Simulation, stop: Stop, *, lost: bool
) -> dict[str, Estimate]:
    """Return when the last process of a workload that ends was done, from time 0 on.

    If it did not end it takes longer than what was simulated; if messages are lost it never ends.
    """
    if not experiment.finite:
        return {}
    if lost:
        return {"completion_us": Estimate.unknown()}
    if stop is not Stop.FINISHED:
        return {"completion_us": Estimate.more_than(sim.now_ps / 1e6)}
    completed = sim.processes()["completed_ps"][_waited_for(experiment, sim)]
    return {"completion_us": Estimate.exact(int(completed.max(initial=0)) / 1e6, 1.0)}


def _waited_for(experiment: Experiment, sim: engine.Simulation) -> NDArray[np.bool_]:
    """Return of every process whether its job is not in the background."""
    processes = sim.processes()
    behind = [number for number, job in enumerate(experiment.jobs) if job.background]
    jobs = processes.get("job", np.zeros_like(processes["process"]))
    return ~np.isin(jobs, behind)


def arrow_tables(
    experiment: Experiment, sim: engine.Simulation, procedure: Procedure, stop: Stop
) -> dict[str, pa.Table]:
    """Return the tables of a `Result` by name."""
    samples, window_ps = procedure.samples, sim.now_ps - procedure.window_ps
    moments = asked_for(experiment, sim.moments())
    return {
        "nodes": tables.nodes(sim.nodes(), window_ps),
        "channels": tables.channels(sim.channels(), window_ps),
        "processes": tables.processes(sim.processes(), _ended(experiment, sim, stop)),
        "packets": tables.packets(sim.take_packets()),
        "samples": tables.table(samples.since(0)),
        "histograms": tables.histograms(asked_for(experiment, sim.histograms()), moments),
        "moments": tables.moments(moments),
        **_slices(sim),
        **_frames(sim),
    }


def _ended(experiment: Experiment, sim: engine.Simulation, stop: Stop) -> NDArray[np.bool_]:
    """Return of every process whether it has certainly ended."""
    waited_for = _waited_for(experiment, sim)
    return waited_for if stop is Stop.FINISHED else np.zeros_like(waited_for)


def _slices(sim: engine.Simulation) -> dict[str, pa.Table]:
    """Return what happened by slice of time; nothing unless that is kept."""
    kept = sim.slices()
    if kept is None:
        return {}
    return {
        "slices": tables.slices(kept),
        "slice_channels": tables.slice_channels(kept),
        "class_channels": tables.class_channels(kept),
    }


def _frames(sim: engine.Simulation) -> dict[str, pa.Table]:
    """Return what happened to frames at the ends of channels; nothing where there are none."""
    kept = sim.frames()
    return {} if kept is None else {"frames": tables.table(kept)}
