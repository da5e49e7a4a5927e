"""Timelines as JSON of Chrome's trace events, for small ones.

"Trace Event Format" (Google, 2016): times in microseconds with decimals, a thread for each track.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from .model import Slices, Timeline, told

#: Viewers need several times the size of a file.
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
    places = [_place(timeline, number) for number in range(len(timeline.tracks))]
    for (process, thread), track in zip(places, timeline.tracks, strict=True):
        if track.unit is not None:
            continue
        named = {"name": "thread_name" if track.parent is not None else "process_name"}
        yield named | {"ph": "M", "pid": process, "tid": thread, "args": {"name": track.name}}
    for slices in (*timeline.slices, *timeline.channels):
        yield from _slices(slices, places)
    yield from _messages(timeline, places)
    for counter in timeline.counters:
        name = timeline.tracks[counter.track].name
        unit = str(timeline.tracks[counter.track].unit)
        for time, value in zip(counter.time_ps.tolist(), counter.value.tolist(), strict=True):
            yield {"name": name, "ph": "C", "pid": 0, "ts": time / 1e6, "args": {unit: value}}


def _place(timeline: Timeline, number: int) -> tuple[int, int]:
    """Return the process and the thread that a track is: those below another share its process."""
    top = number
    while (parent := timeline.tracks[top].parent) is not None:
        top = parent
    return (top + 1, 0 if top == number else number + 1)


def _slices(slices: Slices, places: list[tuple[int, int]]) -> Iterator[dict[str, Any]]:
    begins, ends = slices.begin_ps.tolist(), slices.end_ps.tolist()
    details = {name: column.tolist() for name, column in slices.details.items()}
    for row, (track, name) in enumerate(
        zip(slices.track.tolist(), slices.name.tolist(), strict=True)
    ):
        process, thread = places[track]
        numbers = {key: values[row] for key, values in details.items() if told(key, values[row])}
        words = {key: known[values[row]] for key, (values, known) in slices.words.items()}
        yield {
            "name": slices.names[name],
            "ph": "X",
            "pid": process,
            "tid": thread,
            "ts": begins[row] / 1e6,
            "dur": (ends[row] - begins[row]) / 1e6,
            "args": {**numbers, **words},
        }


def _messages(timeline: Timeline, places: list[tuple[int, int]]) -> Iterator[dict[str, Any]]:
    """Yield the ends of messages: flows, bound to slices that last no time."""
    instants = timeline.instants
    rows = zip(
        instants.track.tolist(),
        instants.time_ps.tolist(),
        instants.message.tolist(),
        instants.is_end.tolist(),
        strict=True,
    )
    for track, time, message, is_end in rows:
        process, thread = places[track]
        at = {"pid": process, "tid": thread, "ts": time / 1e6}
        yield {"name": "receives" if is_end else "sends", "ph": "X", "dur": 0, **at}
        flow = {"name": "message", "cat": "message", "id": message, **at}
        yield flow | ({"ph": "f", "bp": "e"} if is_end else {"ph": "s"})
