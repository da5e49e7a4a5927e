"""The timeline of one run of an experiment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tailback import engine
from tailback.errors import UserError, shown
from tailback.experiment import Experiment
from tailback.explaining import prepared
from tailback.progress import Watch, ignore
from tailback.results import Result
from tailback.runner import run_mode
from tailback.timelines import Timeline, loads_of, timeline
from tailback.timelines.model import Numbers
from tailback.units import Time


@dataclass(frozen=True, slots=True)
class Window:
    """What of a run is shown."""

    begin: Time | None = None
    end: Time | None = None
    """None: from the beginning, to the end of the run."""
    first: int = 0
    last: int | None = None
    """Numbers of processes; None: the last there is."""

    def __post_init__(self) -> None:
        """Raise `UserError` for a window in which nothing can be."""
        begin = self.begin or Time(0)
        if self.end is not None and self.end.ps <= begin.ps:
            raise UserError("--to", shown(str(self.end)), f"must be after --from, {begin}")
        if self.last is not None and self.last < self.first:
            raise UserError(
                "--processes", shown(f"{self.first}-{self.last}"), "must be from the lower up"
            )

    def spec(self) -> dict[str, Any]:
        """Return the window as the engine describes it."""
        end = 2**63 if self.end is None else self.end.ps
        last = 2**32 - 2 if self.last is None else self.last
        begin = 0 if self.begin is None else self.begin.ps
        return {"window_ps": [begin, end], "processes": [self.first, last + 1]}


@dataclass(frozen=True, slots=True)
class Recording:
    """A run, its timeline, and where its critical path was when."""

    result: Result
    timeline: Timeline
    path: tuple[Numbers, Numbers] | None
    """Times in ps, processes."""


def record(
    experiment: Experiment,
    window: Window | None = None,
    *,
    mode: str = "full",
    watch: Watch = ignore,
) -> Recording:
    """Run an experiment that ends in a mode, and keep what its processes did when.

    Raises `UserError` for a workload that goes on for ever, and for processes that are not there.
    """
    shown_window = window or Window()
    if not experiment.finite:
        allowed = "the workload goes on for ever: only one that ends has a timeline"
        raise UserError("workload.kind", shown(experiment.workload.kind), allowed)
    known = prepared(experiment, slack=False)

    def with_timeline(spec: dict[str, Any]) -> dict[str, Any]:
        return spec | {"causes": {**spec["causes"], "timeline": shown_window.spec()}}

    return recorded(run_mode(known, mode, watch=watch, change=with_timeline), shown_window)


def recorded(result: Result, window: Window) -> Recording:
    """Return the recording of a run that has kept what a window shows."""
    return Recording(result, _timeline(result, window), _path(result))


def _timeline(result: Result, window: Window) -> Timeline:
    activities, transfers = result.activities, result.transfers
    assert activities is not None
    assert transfers is not None
    nodes = result.processes["node"].to_pylist()
    if window.first >= len(nodes):
        allowed = f"must be processes, 0 to {len(nodes) - 1}"
        raise UserError("--processes", str(window.first), allowed)
    names = [f"process {process} on node {node}" for process, node in enumerate(nodes)]
    samples = {name: result.samples[name].to_numpy() for name in result.samples.column_names}
    populations = result.populations
    busy = {"load of channels": "busy_internal_ps", "load of injection": "busy_injection_ps"}
    counted = {"load of channels": populations.internal, "load of injection": populations.injection}
    loads = loads_of(samples, busy, counted)
    return timeline(activities, transfers, engine.ACTIVITIES, names, loads=loads)


def _path(result: Result) -> tuple[Numbers, Numbers] | None:
    """Return where the critical path was: at the end of each segment, and before a message."""
    if result.critical_path is None:
        return None
    pieces = result.critical_path.pieces
    segment = pieces["segment"].to_numpy().astype(np.int64)
    first = np.flatnonzero(np.diff(segment, prepend=-1))
    begin = pieces["segment_begin_ps"].to_numpy()[first]
    process = pieces["process"].to_numpy()[first].astype(np.int64)
    peer = pieces["peer"].combine_chunks().fill_null(2**32 - 1).to_numpy()[first].astype(np.int64)
    came = np.where(peer < 2**32 - 1, peer, process)
    total = np.add.reduceat(pieces["time_ps"].to_numpy(), first)
    times = np.stack([begin, begin + total], axis=1).ravel()
    return times, np.stack([came, process], axis=1).ravel()
