"""The same experiment with and without failed links."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from tailback.comparison import slowdown
from tailback.contents import unchanged
from tailback.errors import CircleError, RunFailure, UserError, shown
from tailback.experiment.faults import faults_of
from tailback.experiment.memory import at_once
from tailback.progress import Watch, ignore
from tailback.runner import run_mode
from tailback.threads import Task, in_order

from .cables import Cable, cables_of
from .drawing import sets_of
from .outcomes import WHOLE, Drawn, Outcome, Resilience

if TYPE_CHECKING:
    from tailback.experiment import Experiment
    from tailback.results import Result

DRAWS = 100
FAILURES = range(1, 4)
MOST_DRAWS = 100_000


def resilience(
    experiment: Experiment,
    failures: Iterable[int] = FAILURES,
    draws: int = DRAWS,
    *,
    fault: Mapping[str, str] | None = None,
    jobs: int | None = None,
    watch: Watch = ignore,
) -> Resilience:
    """Run an experiment with links that fail together, drawn at random, and without.

    For each number in `failures` there are up to `draws` different sets of links: all sets if
    there are no more. ``run.seed`` says which. With `fault`, keys of a ``[[fault]]`` such as
    ``{"time": "1 ms", "duration": "2 ms"}``, they fail while it runs, and else from the start. Up
    to `jobs` runs go on at once; None: one per processor. Ctrl-C ends it with what was measured
    so far. Raises `UserError` for a network without links between switches, or a routing that
    knows no way round failed ones.

    >>> import tailback as tb
    >>> machine = tb.Machine(topology=tb.Mesh(dims=(3, 3)), routing=tb.MinimalAdaptive())
    >>> experiment = tb.Experiment(machine, tb.RingAllreduce(size="90 kB"))
    >>> found = resilience(experiment, failures=[1])
    >>> round(found.spread(1).quantile(0.5), 2), found.worst_first()[0].cables[0].name
    (1.01, '(0, 1) to (1, 1)')
    """
    if experiment.faults:
        raise UserError("fault", None, "must be left out: links that fail are drawn")
    cables = cables_of(experiment.machine.topology)
    counts = _checked(failures, draws, len(cables))
    seed = experiment.run.seed
    sets = [one for count in counts for one in sets_of(len(cables), count, draws, seed)]
    drawn: list[Drawn] = []
    with unchanged(experiment.files_read()):
        at_most = at_once(experiment, jobs)
        [whole] = in_order([Task(partial(_run, experiment), "no failures")], 1, watch)
        if not whole.interrupted:
            fail = _failing if fault is None else partial(_failing_meanwhile, fault=fault)
            tasks = [_task(experiment, whole, [cables[link] for link in one], fail) for one in sets]
            drawn = in_order(tasks, at_most, watch)
    found = tuple(drawn)
    planned = len(sets)
    return Resilience(experiment, tuple(cables), counts, draws, whole, found, planned, fault)


def _checked(failures: Iterable[int], draws: int, links: int) -> tuple[int, ...]:
    counts = tuple(sorted(set(failures)))
    wrong = next((count for count in counts if not 1 <= count <= links), None)
    if wrong is not None or not counts:
        given = "none" if wrong is None else shown(wrong)
        raise UserError("failures", given, f"must be from 1 to {links}, the links between switches")
    if not 1 <= draws <= MOST_DRAWS:
        raise UserError("draws", shown(draws), f"must be 1 to {MOST_DRAWS}")
    return counts


def _run(experiment: Experiment, watch: Watch) -> Result:
    return run_mode(experiment, experiment.run.mode, watch=watch)


#: Returns an experiment in which links fail; None if they cut the network.
_Fail = Callable[["Experiment", Sequence[Cable]], "Experiment | None"]


def _task(
    experiment: Experiment, whole: Result, cables: Sequence[Cable], fail: _Fail
) -> Task[Drawn]:
    named = " and ".join(cable.name for cable in cables)
    return Task(partial(_drawn, experiment, whole, tuple(cables), fail), f"without {named}")


def _drawn(
    experiment: Experiment, whole: Result, cables: tuple[Cable, ...], fail: _Fail, watch: Watch
) -> Drawn:
    """Run the experiment without these links."""
    try:
        failed = fail(experiment, cables)
        if failed is None:
            return Drawn(cables, Outcome.CUT, {})
        result = _run(failed, watch)
    except CircleError:
        return Drawn(cables, Outcome.DEADLOCK, {})
    except UserError as refused:
        # Routing that knows no way round a single link is none to ask about.
        if len(cables) == 1 or "no way" not in refused.allowed:
            raise
        return Drawn(cables, Outcome.NO_ROUTE, {})
    except RunFailure as failure:
        if failure.kind != "deadlock":
            raise
        return Drawn(cables, Outcome.DEADLOCK, {})
    if whole.jobs:
        slowdowns = {name: slowdown(result.jobs[name], job) for name, job in whole.jobs.items()}
    else:
        slowdowns = {WHOLE: slowdown(result, whole)}
    saturated = bool(result.ending.saturated)
    return Drawn(cables, Outcome.RAN, slowdowns, saturated, result.complete)


def _failing(experiment: Experiment, cables: Sequence[Cable]) -> Experiment | None:
    """Return the experiment with these links failed; None if they cut the network.

    Times that follow from the machine stay as they are, to be comparable.
    """
    machine = experiment.machine
    topology = machine.topology
    named = (*(topology.failed_links or ()), *(cable.key for cable in cables))
    try:
        left = type(topology)(**topology.named() | {"failed_links": named})
        left.facts  # noqa: B018  # asked for its refusals: not every kind does so when it is made
    except UserError as refused:
        if "cuts the network" not in refused.allowed:
            raise
        return None
    same = experiment.with_run(sample_interval=f"{experiment.sample_interval_ps} ps")
    return replace(same, machine=type(machine)(**machine.named() | {"topology": left}))


def _failing_meanwhile(
    experiment: Experiment, cables: Sequence[Cable], fault: Mapping[str, str]
) -> Experiment:
    """Return the experiment in which these links fail while it runs."""
    same = experiment.with_run(sample_interval=f"{experiment.sample_interval_ps} ps")
    return replace(same, faults=faults_of([{**fault, "link": cable.key} for cable in cables]))
