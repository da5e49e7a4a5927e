"""The timeline of one run of an experiment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tailback import engine
from tailback.errors import UserError, nearest, shown
from tailback.experiment import Experiment
from tailback.explaining import channels_of
from tailback.progress import Watch, ignore
from tailback.results import Result
from tailback.results.names import Names
from tailback.runner import run_mode
from tailback.timelines import (
    Occupied,
    Timeline,
    busiest,
    loads_of,
    packets_of,
    timeline,
)
from tailback.timelines.model import Columns, Numbers
from tailback.units import Time
from tailback.wording import warnings

#: As many turns on channels are kept, and as many waits for them.
MOST_TURNS = 1_000_000


@dataclass(frozen=True, slots=True)
class Channels:
    """Which channels are shown: those of some names, or the busiest."""

    most: int | None = 64
    """None: all that packets used."""
    names: tuple[str, ...] = ()
    """As `tailback blame` has them; none: the busiest."""
    option: str = "--channels"
    """What asks for them on the command line."""

    @classmethod
    def parse(cls, options: Sequence[str], option: str = "--channels") -> Channels | None:
        """Return what `option` asks for: a number, `all`, `none`, or names."""
        if list(options) in (["none"], ["0"]):
            return None
        if list(options) == ["all"]:
            return cls(None, option=option)
        if len(options) == 1 and options[0].isascii() and options[0].isdigit():
            return cls(int(options[0][:9]), option=option)
        return cls(None, tuple(options), option)

    def check(self, experiment: Experiment, mode: str) -> None:
        """Raise `UserError` where it is not known who holds channels, and for names of none."""
        given = shown(", ".join(self.names) or ("all" if self.most is None else str(self.most)))
        if not has_turns(experiment, mode):
            allowed = (
                "must be none: whose turn it is on channels is known in mode full, and not in "
                "fidelity fluid, without a network or where links have a [[fault]]"
            )
            raise UserError(self.option, given, allowed)
        known = [channel[0] for channel in channels_of(experiment)] if self.names else []
        for name in self.names:
            if name not in known:
                found = nearest(name, known)
                allowed = "must be a number, all, none or a channel, as `tailback blame` names them"
                raise UserError(self.option, shown(name), allowed, found and shown(found))


def has_turns(experiment: Experiment, mode: str) -> bool:
    """Whether it is known in a mode whose turn it is on channels."""
    has_network = experiment.machine.loggops is None
    has_faults = any(fault.is_of_links for fault in experiment.faults)
    return mode == "full" and experiment.fidelity != "fluid" and has_network and not has_faults


@dataclass(frozen=True, slots=True)
class Window:
    """What of a run is shown."""

    begin: Time | None = None
    end: Time | None = None
    """None: from the beginning, to the end of the run."""
    first: int = 0
    last: int | None = None
    """Numbers of processes; None: the last there is."""
    channels: Channels | None = None
    """Which channels are shown, with what messages from or to these processes do there."""
    queues: Channels | None = None
    """Of which channels the queue length is shown, likewise."""

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
        turns = MOST_TURNS if self.channels or self.queues else None
        return {"window_ps": [begin, end], "processes": [self.first, last + 1], "turns": turns}


@dataclass(frozen=True, slots=True)
class Recording:
    """A run, its timeline, and where its critical path was when."""

    result: Result
    timeline: Timeline
    path: tuple[Numbers, Numbers] | None
    """Times in ps, processes."""
    hints: tuple[str, ...] = ()
    """What is not shown."""


def record(
    experiment: Experiment,
    window: Window | None = None,
    *,
    mode: str = "full",
    watch: Watch = ignore,
) -> Recording:
    """Run an experiment that ends in a mode, and keep what its processes did when.

    What of messages on the critical path was in their way is known without `run.blame`.

    Raises `UserError` for a workload that goes on for ever without `run.duration`, for processes
    and channels that are not there, and for channels where nobody knows whose turn it is on them.
    """
    shown_window = window or Window()
    if not experiment.finite and experiment.run.duration is None:
        allowed = "the workload goes on for ever: its timeline needs an end, run.duration"
        raise UserError("workload.kind", shown(experiment.workload.kind), allowed)
    for channels in (shown_window.channels, shown_window.queues):
        if channels is not None:
            channels.check(experiment, mode)
    known = experiment
    if experiment.finite:
        known = experiment.with_run(critical_path=True, slack=False)
    change = keeping(shown_window)
    return recorded(run_mode(known, mode, watch=watch, change=change), shown_window)


def keeping(window: Window) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Return what makes of the engine's description one that keeps what a window shows."""

    def with_timeline(spec: dict[str, Any]) -> dict[str, Any]:
        causes = spec.get("causes", {"slack": False})
        return spec | {"causes": {**causes, "timeline": window.spec()}}

    return with_timeline


def recorded(result: Result, window: Window) -> Recording:
    """Return the recording of a run that has kept what a window shows."""
    occupied = _occupied(result, window) if window.channels or window.queues else None
    made = _timeline(result, window, occupied)
    hints = [] if occupied is None else _hints(result, occupied, window)
    hints += [*_of_messages(result, made), *warnings(result.ending)]
    return Recording(result, made, _path(result), tuple(hints))


def _occupied(result: Result, window: Window) -> Occupied:
    """Return what is shown of channels; those of one name are numbered."""
    turns, waits = result.turns, result.waits
    assert turns is not None
    assert waits is not None
    words = Names.of(result)
    names = [words.channel(number) for number in range(len(words.channels))]
    often, seen = Counter(names), Counter[str]()
    numbered = []
    for name in names:
        seen[name] += 1
        numbered.append(f"{name}, {seen[name]}" if often[name] > 1 else name)

    def chosen(channels: Channels | None) -> list[int]:
        if channels is None:
            return []
        if channels.names:
            return [n for n, name in enumerate(names) if name in channels.names]
        return busiest(turns, channels.most)

    shown_channels, counted = chosen(window.channels), chosen(window.queues)
    return Occupied(turns, waits, shown_channels, numbered, engine.CAUSES, counted)


def _hints(result: Result, occupied: Occupied, window: Window) -> list[str]:
    """Return what of channels is not shown, in words."""
    used = len(np.unique(occupied.turns["channel"]))
    hints = []
    for channels, what in (
        (window.queues, "the queues of the busiest {} are shown"),
        (window.channels, "the busiest {} are shown"),
    ):
        if channels is not None and channels.most is not None and channels.most < used:
            told = what.format(channels.most)
            hints.append(f"of {used} channels in use, {told}: {channels.option}")
    if result.turns_missing_ps is not None:
        hints.append(
            f"from {Time(result.turns_missing_ps)} on packets on channels are left out, after "
            f"{MOST_TURNS}: choose a part with --from, --to or --processes"
        )
    return hints


def _of_messages(result: Result, shown_ones: Timeline) -> list[str]:
    """Return that messages are not shown one by one, if so."""
    assert result.transfers is not None
    count = len(result.transfers["message"])
    if not count or len(shown_ones.instants.time_ps):
        return []
    return [
        f"{count:,} messages are counted, not shown one by one: "
        "choose a part with --from, --to or --processes"
    ]


def _timeline(result: Result, window: Window, occupied: Occupied | None = None) -> Timeline:
    activities, transfers = result.activities, result.transfers
    assert activities is not None
    assert transfers is not None
    if not result.experiment.finite:
        activities = _until(activities, round(1e9 * result.ending.simulated_ms))
    nodes = result.processes["node"].to_pylist()
    if window.first >= len(nodes):
        allowed = f"must be processes, 0 to {len(nodes) - 1}"
        raise UserError("--processes", str(window.first), allowed)
    names = [f"process {process} on node {node}" for process, node in enumerate(nodes)]
    samples = {name: result.samples[name].to_numpy() for name in result.samples.column_names}
    populations = result.populations
    busy = {"load of channels": "busy_internal_ps", "load of injection": "busy_injection_ps"}
    counted = {"load of channels": populations.internal, "load of injection": populations.injection}
    counters = [*loads_of(samples, busy, counted), *packets_of(samples)]
    return timeline(activities, transfers, engine.ACTIVITIES, names, occupied, counters)


def _until(activities: Columns, end_ps: int) -> Columns:
    """Return what processes did before the run ended; what they were at then ends there."""
    begun = activities["begin_ps"] < end_ps
    found = {name: column[begun] for name, column in activities.items()}
    return found | {"end_ps": np.minimum(found["end_ps"], end_ps)}


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
