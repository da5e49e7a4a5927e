"""Runs the points of a sweep and stores their results.

Points that are finished already are skipped. A point is reported finished when its file is on the
disk.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tailback import engine
from tailback.comparison import compare
from tailback.contents import ChangedError
from tailback.errors import RunFailure, UserError, shown
from tailback.execution import Display, LocalPool
from tailback.experiment.content import Content
from tailback.experiment.identity import Texts
from tailback.memory import ShortMemoryError
from tailback.sending.asked import keep
from tailback.standstill import Standstill
from tailback.store.parameters import labels
from tailback.store.point_file import light_columns
from tailback.store.points import PointStore
from tailback.store.records import Failure
from tailback.store.rows import table_of, to_bytes
from tailback.store.segments import is_small
from tailback.store.wire import to_stream

from .putting_together import PuttingTogether
from .states import SEED, Place, State, states, written

if TYPE_CHECKING:
    from collections.abc import Callable

    from tailback.execution import Outcome, Pool
    from tailback.experiment import Experiment

    from .description import Point, Sweep


_CHANGED = "was changed while the sweep ran"
_SAMPLES = 140
"""Samples in the shortest run that finds its own warm-up and precision."""


@dataclass(frozen=True)
class Finding:
    """What a worker sends back for one point: a file, or why there is none."""

    content: bytes | None
    events: int = 0
    kind: str = ""
    text: str = ""
    standstill: Standstill | None = None
    rows: bytes | None = None
    """What is in the file, to be read at once: without large columns if they are very large."""
    changed: ChangedError | None = None
    """What the point reads that is not what it was when the sweep began."""


@dataclass(frozen=True)
class Task:
    """A point that is to be run."""

    identity: str
    point: Point
    effort: float
    content: Content
    """What it reads as it runs, when its identity was found."""


class SweepRun:
    """A sweep on its way to being finished in a store."""

    def __init__(
        self,
        sweep: Sweep,
        out: Path,
        option: str = "--out",
        seen: Callable[[Experiment], object] = id,
    ) -> None:
        """Compare the points with the store in folder `out`; raises `UserError`.

        `option` is the name of the folder in messages; `seen` is told of every experiment before
        its programs are executed. Nothing is written if a point is invalid. Damaged files are set
        aside, and what is wrong with each is in `damaged`.
        """
        self.sweep = sweep
        contents: dict[int, Content] = {}
        self.points = []
        texts = Texts()
        for point in sweep.points():
            # Before the identity: what is written in between is noticed when the point runs.
            seen(point.experiment)
            workload = point.experiment.workload
            contents[id(workload)] = contents.get(id(workload)) or Content.of(workload)
            self.points.append((identity_of(point, texts), point))
        self.store = store = PointStore.create(out, option)
        self.damaged = [str(error) for error in store.mend()]
        different = dict(self.points)
        finished = store.finished() & different.keys()
        failed = {f.identity for f in store.failures() if f.final} & different.keys() - finished
        self.count = len(different)
        self.finished_before, self.failed_before = len(finished), len(failed)
        self.done = self.failed = 0
        to_do = different.keys() - finished - failed
        tasks = [
            Task(i, point, effort(point), contents[id(point.experiment.workload)])
            for i, point in different.items()
        ]
        tasks.sort(key=lambda task: task.effort, reverse=True)
        self.to_do = [task for task in tasks if task.identity in to_do]
        kinds = ((_kind(task.point), task.identity) for task in tasks)
        self._together = PuttingTogether(store, kinds, to_do)

    def run(self, pool: Pool, *, progress: bool = False) -> None:
        """Run the unfinished points, the longest first, and store each as soon as it is done.

        `done` and `failed` count meanwhile. Raises `UserError` if the store cannot be written.
        """
        self.store.save_sweep(self._asked())
        experiments = (point.experiment for _, point in self.points)
        keep(self.store.folder, self.sweep.asked(), ["sweep"], experiments)
        efforts = sum(task.effort for task in self.to_do)
        display = Display("points", len(self.to_do), pool.capacity, efforts)
        self._together.begin()
        with display if progress else nullcontext() as shown:
            for outcome in pool.run(partial(simulate, jobs=self._jobs(pool)), self.to_do):
                problem = self._keep(outcome)
                self.done += problem is None
                self.failed += problem is not None
                if shown is not None:
                    events = outcome.answer.events if outcome.answer else 0
                    shown.finished(self.to_do[outcome.index].effort, events, problem)
        self._write_index()

    def states(self) -> list[State]:
        """Return the points that did not settle, saturated, were cut off or failed, and why."""
        return states(self.store, {identity: place(point) for identity, point in self.points})

    def _jobs(self, pool: Pool) -> int:
        """Return how many modes of a point run at once: several if there are fewer points."""
        is_here = isinstance(pool, LocalPool)
        return max(1, pool.capacity // len(self.to_do)) if is_here and self.to_do else 1

    def _keep(self, outcome: Outcome[Finding]) -> str | None:
        """Store the outcome of a point; return its place and the reason if it has no result."""
        task = self.to_do[outcome.index]
        identity, point = task.identity, task.point
        finding = outcome.answer or Finding(
            None, kind="lost" if outcome.lost else "error", text=outcome.problem or ""
        )
        if finding.changed is not None:
            self._write_index()
            kept = f"{self.finished_before + self.done} of {self.count} points are finished"
            goes_on = "the same command runs those of what is there then"
            told = f"{finding.changed.allowed}; {kept} and valid, {goes_on}"
            raise ChangedError(finding.changed.field, None, told)
        if finding.content is not None:
            self.store.save_point(identity, finding.content)
            self._together.finished(identity, finding.rows)
            return None
        place = labels(point.experiment, point.varied)
        failure = Failure(identity, finding.kind, finding.text, place, finding.standstill)
        self.store.save_failure(failure)
        if failure.final:
            self._together.finished(identity, None)
        return f"{where(point)}: {finding.text}"

    def _write_index(self) -> None:
        self._together.end()
        self.store.write_index()

    def _asked(self) -> dict[str, Any]:
        """Return the sweep as the store keeps it: its description, and the place of each point."""
        rows = [
            (identity, labels(point.experiment, point.varied)) for identity, point in self.points
        ]
        return {
            "asked": self.sweep.description(),
            "modes": list(self.sweep.modes),
            "columns": list(rows[0][1]),
            "points": [[name, *place.values()] for name, place in rows],
        }


def effort(point: Point) -> float:
    """Return about how many packets cross channels in a point, in all its modes.

    It decides which points run first and what time is said to be left, no result.
    """
    experiment = point.experiment
    machine, run = experiment.machine, experiment.run
    iteration_ps = max(experiment.workload.iteration_ps(machine), machine.packet_ps(1))
    longest = run.limit_ps
    if experiment.finite:
        simulated_ps = iteration_ps
    elif run.duration is not None and run.precision is None:
        simulated_ps = longest
    else:
        simulated_ps = min(_SAMPLES * experiment.sample_interval_ps, longest)
    internal = sum(machine.shape) / 3 if machine.shape else machine.topology.facts.typical_hops
    channels_crossed = 2 + internal
    return machine.nodes * channels_crossed * simulated_ps / iteration_ps * len(point.modes)


def simulate(task: Task, jobs: int = 1) -> Finding:
    """Run a point in all its modes, ``jobs`` at once; the worker's part, which writes nothing."""
    point = task.point
    workload = point.experiment.workload
    try:
        task.content.check(workload, _CHANGED)
        cost = compare(point.experiment, point.modes, jobs=jobs)
        task.content.check(workload, _CHANGED)
    except ChangedError as error:
        return Finding(None, changed=error)
    except RunFailure as failure:
        return _failed(point, failure)
    except ShortMemoryError as error:
        # It may well succeed another time.
        return Finding(None, kind="error", text=str(error))
    except UserError as error:
        return Finding(None, kind="refused", text=str(error))
    events = sum(result.ending.events for result in cost.modes.values())
    table = table_of(cost, task.identity)
    content = to_bytes(table)
    return Finding(
        content, events, rows=to_stream(table if is_small(len(content)) else light_columns(table))
    )


def _failed(point: Point, failure: RunFailure) -> Finding:
    """Return why a point has no result, with the blocked packets of a deadlock."""
    if failure.kind != "deadlock":
        kind = "livelock" if failure.kind == "livelock" else "refused"
        return Finding(None, kind=kind, text=str(failure))
    stands = Standstill.of(point.experiment.machine, failure)
    return Finding(None, kind="deadlock", text=str(failure), standstill=stands)


def _kind(point: Point) -> tuple[str, str]:
    """Return what mostly decides which columns the rows of a point have."""
    experiment = point.experiment
    return type(experiment.machine.topology).__name__, type(experiment.workload).__name__


def identity_of(point: Point, texts: Texts | None = None) -> str:
    """Return the identity of a point: a hash of everything that can change its result."""
    version, modes = engine.RESULTS_VERSION, point.modes
    return point.experiment.identity_with(texts or Texts(), version, modes)


def place(point: Point) -> Place:
    """Return where a point lies in its sweep: what is varied with its values, and the seed."""
    given = {**point.varied, SEED: point.experiment.run.seed}
    # Lists are in brackets, as a file has them.
    return {name: shown(v) if isinstance(v, list | tuple) else str(v) for name, v in given.items()}


def where(point: Point) -> str:
    """Return where a point lies in its sweep in words."""
    return written(place(point))
