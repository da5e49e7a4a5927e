"""Timelines for Perfetto (https://ui.perfetto.dev), in its binary form.

Fields are those of perfetto/trace/trace_packet.proto, track_event/*.proto. Times are whole
nanoseconds there, rounded down; what lasts less than one is left out.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .model import Counter, Instants, Numbers, Slices, Timeline, Track, told
from .protobuf import fixed, message, number, real, text

# TrackEvent.Type.
_BEGIN, _END, _INSTANT, _COUNTER = 1, 2, 3, 4
#: Children of a track are drawn in the order of their ranks.
_EXPLICIT = 3
#: One writer: any number above 0.
_SEQUENCE = number(10, 1)

Event = tuple[int, int, bytes]
"""Time in nanoseconds, rank among those of one time, packet."""


def packets(timeline: Timeline) -> Iterator[bytes]:
    """Yield the bytes of a file piece by piece: tracks, then events in order of time."""
    for place, track in enumerate(timeline.tracks):
        yield _packet(message(60, _track(place, track)))
    events: list[Event] = []
    for slices in (*timeline.slices, *timeline.channels):
        events += _slices(slices)
    events += _instants(timeline.instants)
    for counter in timeline.counters:
        events += _counter(counter)
    events.sort(key=lambda event: event[:2])
    for _, _, packet in events:
        yield packet


def _packet(content: bytes) -> bytes:
    """Return one element of the file, `Trace.packet`."""
    return message(1, content + _SEQUENCE)


def _track(place: int, track: Track) -> bytes:
    """Return a `TrackDescriptor`."""
    found = number(1, place + 1) + text(2, track.name) + number(11, _EXPLICIT) + number(12, place)
    if track.parent is not None:
        found += number(5, track.parent + 1)
    if track.unit is not None:
        found += message(8, text(6, track.unit))
    return found


def _event(time_ns: int, kind: int, track: int, rest: bytes = b"") -> bytes:
    event = number(9, kind) + number(11, track + 1) + rest
    return _packet(number(8, time_ns) + message(11, event))


def _slices(slices: Slices) -> Iterator[Event]:
    """Yield two events for each slice. Those that end come first at any time."""
    names = [text(23, name) for name in slices.names]
    begins = (slices.begin_ps // 1000).tolist()
    ends = (slices.end_ps // 1000).tolist()
    details = [(name, text(10, name), column.tolist()) for name, column in slices.details.items()]
    words = [_annotations(name, *known) for name, known in slices.words.items()]
    tracks, named = slices.track.tolist(), slices.name.tolist()
    for place, (begin, end) in enumerate(zip(begins, ends, strict=True)):
        if begin == end:
            continue
        rest = names[named[place]]
        for name, field, values in details:
            if told(name, values[place]):
                rest += message(4, field + number(3, values[place]))
        for annotation, values in words:
            rest += annotation[values[place]]
        yield begin, 1, _event(begin, _BEGIN, tracks[place], rest)
        yield end, 0, _event(end, _END, tracks[place])


def _annotations(
    name: str, values: Numbers, words: tuple[str, ...]
) -> tuple[list[bytes], list[int]]:
    """Return a `DebugAnnotation` for each word, and the places of those that slices have."""
    return [message(4, text(10, name) + text(6, word)) for word in words], values.tolist()


def _instants(instants: Instants) -> Iterator[Event]:
    """Yield the ends of messages: flows from the first to the second."""
    rows = zip(
        instants.track.tolist(),
        (instants.time_ps // 1000).tolist(),
        instants.message.tolist(),
        instants.is_end.tolist(),
        strict=True,
    )
    for track, time, of, is_end in rows:
        rest = text(23, "receives" if is_end else "sends") + fixed(48 if is_end else 47, of + 1)
        yield time, 2, _event(time, _INSTANT, track, rest)


def _counter(counter: Counter) -> Iterator[Event]:
    is_whole = np.issubdtype(counter.value.dtype, np.integer)
    times = (counter.time_ps // 1000).tolist()
    for time, value in zip(times, counter.value.tolist(), strict=True):
        rest = number(30, value) if is_whole else real(44, value)
        yield time, 3, _event(time, _COUNTER, counter.track, rest)
