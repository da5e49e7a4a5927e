"""Timelines for Perfetto (https://ui.perfetto.dev), in its binary form.

Fields are those of perfetto/trace/trace_packet.proto, track_event/*.proto. Times are whole
nanoseconds, rounded down; slices shorter than one are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial

from .model import Timeline, Track
from .protobuf import fixed, message, number, real, text

# TrackEvent.Type.
_BEGIN, _END, _INSTANT, _COUNTER = 1, 2, 3, 4
#: Children of a track are drawn in the order of their ranks.
_EXPLICIT = 3
#: One writer: any positive number.
_SEQUENCE = number(10, 1)

Event = tuple[int, int, bytes]
"""Time in nanoseconds, rank among those of one time, packet."""


def packets(timeline: Timeline) -> Iterator[bytes]:
    """Yield the bytes of a file piece by piece: tracks, then events in order of time."""
    for place, track in enumerate(timeline.tracks):
        yield _packet(message(60, _track(place, track)))
    events = [*_slices(timeline), *_messages(timeline), *_counters(timeline)]
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


@cache
def _on(track: int, kind: int) -> bytes:
    """Return what all events of a kind on a track begin with."""
    return number(9, kind) + number(11, track + 1)


def _event(time_ns: int, kind: int, track: int, rest: bytes = b"") -> bytes:
    return _packet(number(8, time_ns) + message(11, _on(track, kind) + rest))


_name = cache(partial(text, 23))
_detail = cache(partial(text, 10))


def _slices(timeline: Timeline) -> Iterator[Event]:
    """Yield two events for each slice; at equal times ends come before begins."""
    for track, begin_ps, end_ps, name, details in timeline.rows_of_slices():
        begin, end = begin_ps // 1000, end_ps // 1000
        if begin == end:
            continue
        annotations = (message(4, _detail(key) + number(3, of)) for key, of in details.items())
        yield begin, 1, _event(begin, _BEGIN, track, _name(name) + b"".join(annotations))
        yield end, 0, _event(end, _END, track)


def _messages(timeline: Timeline) -> Iterator[Event]:
    """Yield the ends of messages: flows from the first to the second."""
    for row in timeline.rows_of_messages():
        time, flow = row.time_ps // 1000, fixed(48 if row.is_end else 47, row.message + 1)
        yield time, 2, _event(time, _INSTANT, row.track, _name(row.name) + flow)


def _counters(timeline: Timeline) -> Iterator[Event]:
    for track, time_ps, value in timeline.rows_of_counters():
        time = time_ps // 1000
        rest = number(30, value) if isinstance(value, int) else real(44, value)
        yield time, 3, _event(time, _COUNTER, track, rest)
