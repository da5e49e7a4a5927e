"""What is told of a critical path: sums, in words of the machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tailback.critical_path import CONTENTION, CriticalPath
from tailback.results import Result
from tailback.results.names import Names

from .runs import Runs

#: Ends of the names of columns that say whose messages were in the way: class and process.
_WHO = ("", "_process")


def facts(runs: Runs, top: int) -> dict[str, Any]:
    """Return all that is told, with at most `top` rows of each table; times in microseconds."""
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
            for (channel,), time in path.by("channel", parts=CONTENTION)[:top]
        ],
        "roots": [
            row(time, channel=_channel(names, root))
            for (root,), time in path.by("root", parts=CONTENTION)[:top]
        ],
        "culprits": _culprits(
            path, _WHO, row, lambda key: {"culprit": _culprit(runs.result, names, *key)}
        )[:top],
        "culprit_calls": _culprits(
            path,
            (*_WHO, "_call"),
            row,
            lambda key: {
                "culprit": _culprit(runs.result, names, *key[:2]),
                "call": key[2],
                "place": path.place(*key[1:]),
            },
        )[:top],
        "slack": None
        if not slack
        else [{"process": process, "us": time / 1e6} for time, process in slack],
        "bounds_us": [bound / 1e6 for bound in bounds(path)],
        "what_if": {
            name: None if (time := completion_ps(result)) is None else time / 1e6
            for name, result in runs.what_if.items()
        },
    }


def bounds(path: CriticalPath) -> tuple[int, int]:
    """Return between what the makespan (ps) lies if nobody waited on this path.

    At least what is left of the path, if everything else on it takes as long; at most what it is,
    if another path takes as long. It is what was measured that is bounded: messages that are
    not in each other's way may come in another order.
    """
    return path.makespan_ps - path.contention_ps, path.makespan_ps


def completion_ps(result: Result | None) -> int | None:
    """Return how long a program took; None if it has not ended, or was not run."""
    if result is None or result.ending.stop_reason != "finished":
        return None
    done = result.processes["completed_ps"].to_pylist()
    return max(done, default=0)


def _calls(path: CriticalPath) -> list[Any]:
    return [share for share in path.by("process", "call", "part") if share.key[1] is not None]


def _culprits(
    path: CriticalPath,
    parts: tuple[str, ...],
    row: Callable[..., dict[str, Any]],
    named: Callable[[Any], dict[str, Any]],
) -> list[dict[str, Any]]:
    """Return for everybody how long messages on the path waited because of him.

    Side by side: what he was charged who was in the way (`us`), and what he was who was at the root
    (`root_us`). The largest of either comes first.
    """
    direct, root = (
        {
            share.key: share.time_ps
            for share in path.by(*(begin + part for part in parts), parts=CONTENTION)
            if share.key[1] is not None
        }
        for begin in ("culprit", "root_culprit")
    )
    most = {key: max(direct.get(key, 0), root.get(key, 0)) for key in {**direct, **root}}
    found = []
    for key in sorted(most, key=lambda key: (-most[key], repr(key))):
        at_root = row(root.get(key, 0))
        rooted = {"root_us": at_root["us"], "root_share": at_root["share"]}
        found.append({**row(direct.get(key, 0), **named(key)), **rooted})
    return found


def _channel(names: Names, channel: int | None) -> str | None:
    return None if channel is None else names.channel(channel)


def _culprit(result: Result, names: Names, klass: int | None, process: int) -> str:
    """Return who was in the way: the process, and its class if that is told."""
    if klass is None or result.blame is None:
        return f"process {process}"
    if names.classes == "node":
        return f"process {process} on node {names.traffic(klass)}"
    traffic = names.traffic(klass)
    return traffic if names.classes == "process" else f"process {process} ({traffic})"
