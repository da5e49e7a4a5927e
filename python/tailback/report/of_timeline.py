"""The chart of process activities as a section of a page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tailback.critical_path import ALL_PART_WORDS
from tailback.errors import one_line
from tailback.figures.gantt import MOST_LINES, gantt
from tailback.recording import Recording, Window
from tailback.results import Result
from tailback.wording.phrases import percent
from tailback.wording.scaling import MICROSECONDS, scaled

from .content import Cell, Content, Figure, Page, Section, Table

_CAPTION = (
    "A process has two lanes: above what it does, below what it waits for; what waits are put down "
    "to is said in docs/critical-path.md. Stretches that are closer than a two-thousandth of the "
    "chart are drawn as one."
)
_TOTALS = "Where the time of processes went: sums over the processes of a job, until each was done"
_PARTS = {**ALL_PART_WORDS, "partner": "waiting for a late partner"}
_NO_MESSAGE = 2**64 - 1


#: Charts on pages show as many processes as can be distinguished.
DRAWN = Window(last=MOST_LINES - 1)


def section(recorded: Recording) -> Section:
    """Return the section with the chart of the first processes of a run, and totals by job."""
    slices, tracks = recorded.timeline.slices[0], recorded.timeline.tracks
    names = [track.name for track in tracks if track.is_process]
    caption = _CAPTION if recorded.path is None else f"{_CAPTION} The line is the critical path."
    if len(names) > MOST_LINES:
        caption += f" Drawn are the first {MOST_LINES} of {len(names)} processes."
    told = _told(recorded.result, slices.details["message"])
    drawn = gantt(slices, _with_jobs(names, recorded.result), recorded.path, told)
    figure = Figure("timeline", "What processes did when", drawn, caption)
    return Section("Timeline", (figure, *_totals(recorded.result)))


def page(recorded: Recording, title: str) -> Page:
    """Return a page with the chart only."""
    return Page(title, (), (section(recorded),))


def _job_names(result: Result) -> Sequence[str]:
    return [one_line(job.name) for job in result.experiment.jobs]


def _with_jobs(names: Sequence[str], result: Result) -> list[str]:
    """Return the names of processes, with those of their jobs if there are any."""
    jobs = _job_names(result)
    if not jobs:
        return list(names)
    of = result.processes["job"].to_pylist()
    return [f"{jobs[job]}: {name}" for name, job in zip(names, of, strict=True)]


def _told(result: Result, messages: NDArray[Any]) -> Callable[[int], str]:
    """Return what says of a slice which message it is about, and who was in its way."""
    transfers = result.transfers or {}
    culprits = _culprits(result)
    columns = [transfers[name].tolist() for name in ("message", "source", "destination", "bytes")]
    known = {message: rest for message, *rest in zip(*columns, strict=True)}

    def told(number: int) -> str:
        message = int(messages[number])
        if message == _NO_MESSAGE:
            return ""
        source, destination, size = known.get(message, (None, None, None))
        ends = "" if source is None else f": process {source} to {destination}, {size:,} B"
        lines = [f"message {message}{ends}"]
        if message in culprits:
            lines.append(f"most in its way: {culprits[message]}")
        return "\n".join(lines)

    return told


def _culprits(result: Result) -> Mapping[int, str]:
    """Return who was longest in the way of each message on the critical path."""
    if result.critical_path is None:
        return {}
    pieces = result.critical_path.pieces
    names = ("message", "culprit_process", "culprit_message", "time_ps")
    rows = zip(*(pieces[name].to_pylist() for name in names), strict=True)
    sums: dict[tuple[int, int, int], int] = {}
    for message, process, of, time_ps in rows:
        if message is not None and process is not None and of is not None:
            key = message, process, of
            sums[key] = sums.get(key, 0) + time_ps
    # The longest comes last.
    return {
        message: f"message {of} of process {process}"
        for (message, process, of), _ in sorted(sums.items(), key=lambda one: one[1])
    }


def _totals(result: Result) -> tuple[Table, ...]:
    """Return the table of times by job; of all processes where there are no jobs."""
    if result.critical_path is None:
        return ()
    times = result.critical_path.processes
    known = [part for part in _PARTS if f"{part}_ps" in times.column_names]
    sums = {part: times[f"{part}_ps"].to_numpy().astype(np.int64) for part in known}
    used = [part for part, values in sums.items() if values.any()]
    jobs = _job_names(result)
    job = result.processes["job"].to_numpy() if jobs else np.zeros(times.num_rows, dtype=np.int64)
    rows = []
    for number, name in enumerate(jobs or ["all processes"]):
        own = {part: int(sums[part][job == number].sum()) for part in used}
        whole = sum(own.values())
        cells: list[Content] = [name, _time(whole, 1.0)]
        cells += [_time(own[part], own[part] / whole if whole else 0.0) for part in used]
        rows.append(tuple(cells))
    heads = ("job" if jobs else "", "in all", *(_PARTS[part] for part in used))
    return (Table(heads, tuple(rows), _TOTALS),)


def _time(time_ps: int, share: float) -> Cell:
    hint = "" if share == 1 or not time_ps else percent(share)
    return Cell(scaled(time_ps / 1e6, MICROSECONDS, 4), float(time_ps), hint=hint)
