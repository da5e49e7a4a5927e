"""Sums over a critical path, with the names of channels, classes and processes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tailback.critical_path import CONTENTION, CriticalPath
from tailback.results import Result
from tailback.results.names import Names

from .runs import Runs

#: Columns that say whose messages were at the root: class and process.
_WHO = ("culprit", "culprit_process")


def facts(runs: Runs, top: int) -> dict[str, Any]:
    """Return all sums, with at most `top` rows of each table; times in microseconds."""
    path, names = runs.path, Names.of(runs.result)
    makespan = path.makespan_ps
    baseline = completion_ps(runs.baseline)

    def row(time_ps: int, **key: Any) -> dict[str, Any]:
        return {**key, "us": time_ps / 1e6, "share": time_ps / makespan if makespan else None}

    slack = path.slack()
    return {
        "makespan_us": makespan / 1e6,
        "baseline": runs.result.experiment.run.baseline,
        "baseline_us": None if baseline is None else baseline / 1e6,
        "contention_us": path.contention_ps / 1e6,
        "elsewhere_us": path.elsewhere_ps / 1e6,
        "segments": path.segments,
        "parts": [row(time, part=part) for (part,), time in path.by("part")],
        "processes": [row(time, process=process) for (process,), time in path.by("process")[:top]],
        "calls": [
            row(time, process=process, call=call, place=path.place(process, call), part=part)
            for (process, call, part), time in _calls(path)[:top]
        ],
        "channels": [
            row(
                time,
                channel=_channel(names, channel),
                between_switches=channel is not None and names.channels[channel][0] == "internal",
            )
            for channel, time in waits_by_link(path, names, CONTENTION)[:top]
        ],
        "culprits": [
            row(time, culprit=_culprit(runs.result, names, *who))
            for who, time in _culprits(path, *_WHO)[:top]
        ],
        "culprit_calls": [
            row(
                time,
                culprit=_culprit(runs.result, names, *who),
                call=call,
                place=path.place(who[1], call),
            )
            for (*who, call), time in _culprits(path, *_WHO, "culprit_call")[:top]
        ],
        "slack": None
        if not slack
        else [{"process": process, "us": time / 1e6} for time, process in slack],
        "bounds_us": [bound / 1e6 for bound in bounds(path)],
        "what_if": {
            name: None if (time := completion_ps(result)) is None else time / 1e6
            for name, result in runs.what_if.items()
        },
    }


def waits_by_link(
    path: CriticalPath, names: Names, parts: Sequence[str]
) -> list[tuple[int | None, int]]:
    """Return time of the path (ps) by link, the most first: the number of its first channel.

    None where the channel is not known.
    """
    sums: dict[int | None, int] = {}
    for (channel,), time in path.by("channel", parts=parts):
        link = None if channel is None else int(names.links[channel])
        sums[link] = sums.get(link, 0) + time
    return sorted(sums.items(), key=lambda item: -item[1])


def bounds(path: CriticalPath) -> tuple[int, int]:
    """Return bounds of the makespan (ps) without contention on this path.

    At least the rest of the path, to which waits for messages of the sender's own node belong: its
    link can carry no more. At most the makespan, if another path takes as long. The bounds hold
    for the order of messages that was measured: without contention it may be another.
    """
    return path.makespan_ps - path.elsewhere_ps, path.makespan_ps


def completion_ps(result: Result | None) -> int | None:
    """Return the makespan (ps); None if the program has not ended, or was not run."""
    if result is None or result.ending.stop_reason != "finished" or result.ending.lost:
        return None
    done = result.processes["completed_ps"].to_pylist()
    return max(done, default=0)


def _calls(path: CriticalPath) -> list[Any]:
    return [share for share in path.by("process", "call", "part") if share.key[1] is not None]


def _culprits(path: CriticalPath, *columns: str) -> list[Any]:
    """Return the waits of messages on the path by known culprits."""
    return [share for share in path.by(*columns, parts=CONTENTION) if share.key[1] is not None]


def _channel(names: Names, channel: int | None) -> str | None:
    return None if channel is None else names.channel(channel)


def _culprit(result: Result, names: Names, klass: int | None, process: int) -> str:
    """Return the culprit: the process, and its class if it is known."""
    if klass is None or result.blame is None:
        return f"process {process}"
    if names.classes == "node":
        return f"process {process} on node {names.traffic(klass)}"
    traffic = names.traffic(klass)
    return traffic if names.classes == "process" else f"process {process} ({traffic})"
