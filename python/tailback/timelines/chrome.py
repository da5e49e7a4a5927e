"""Timelines as Chrome trace events in JSON, for small timelines.

"Trace Event Format" (Google, 2016): times in microseconds with decimals, a thread for each track.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from .model import Timeline

#: Viewers need several times the size of the file in memory.
MOST_EVENTS = 1_000_000


def lines(timeline: Timeline) -> Iterator[bytes]:
    """Yield the lines of a file."""
    yield b'{"displayTimeUnit": "ns", "traceEvents": [\n'
    separator = b""
    for event in _events(timeline):
        yield separator + json.dumps(event).encode()
        separator = b",\n"
    yield b"\n]}\n"


def _events(timeline: Timeline) -> Iterator[dict[str, Any]]:
    tracks = timeline.tracks
    places = [_place(timeline, number) for number in range(len(tracks))]
    for place, track in zip(places, tracks, strict=True):
        if track.unit is None:
            kind = "thread_name" if track.parent is not None else "process_name"
            yield {"name": kind, "ph": "M", **place, "args": {"name": track.name}}
    for row in timeline.rows_of_slices():
        span = {"ts": row.begin_ps / 1e6, "dur": (row.end_ps - row.begin_ps) / 1e6}
        yield {"name": row.name, "ph": "X", **places[row.track], **span, "args": row.details}
    for end in timeline.rows_of_messages():
        # Flows are bound to slices that last no time.
        at = {**places[end.track], "ts": end.time_ps / 1e6}
        yield {"name": end.name, "ph": "X", "dur": 0, **at}
        flow = {"name": "message", "cat": "message", "id": end.message, **at}
        yield flow | ({"ph": "f", "bp": "e"} if end.is_end else {"ph": "s"})
    for number, time, value in timeline.rows_of_counters():
        counted = {str(tracks[number].unit): value}
        name = tracks[number].name
        yield {"name": name, "ph": "C", "pid": 0, "ts": time / 1e6, "args": counted}


def _place(timeline: Timeline, number: int) -> dict[str, int]:
    """Return the process and the thread that a track is: those below another share its process."""
    top = number
    while (parent := timeline.tracks[top].parent) is not None:
        top = parent
    return {"pid": top + 1, "tid": 0 if top == number else number + 1}
