"""A timeline, whatever file it is written into: tracks, and what is on them, row by row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple

from numpy.typing import NDArray

Numbers = NDArray[Any]
Columns = Mapping[str, Numbers]


class Subject(Enum):
    """What a track is about."""

    PROCESS = "process"
    CHANNEL = "channel"


@dataclass(frozen=True, slots=True)
class Track:
    """A line of a timeline, perhaps below another one."""

    name: str
    parent: int | None = None
    """The number of the track that it is below."""
    unit: str | None = None
    """What a counter counts; None: it has slices."""
    subject: Subject = Subject.PROCESS

    @property
    def is_process(self) -> bool:
        """Whether it is a process, and not below one."""
        return self.parent is None and self.unit is None and self.subject is Subject.PROCESS


@dataclass(frozen=True, slots=True)
class Slices:
    """What lasts for a time. Arrays of one length; slices of one track do not overlap."""

    track: Numbers
    begin_ps: Numbers
    end_ps: Numbers
    name: Numbers
    """Places in ``names``."""
    names: tuple[str, ...]
    details: Mapping[str, Numbers] = field(default_factory=dict)
    """What else is told of each, by its name. Of times (`_ps`), none is told if it is 0."""

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.track)


@dataclass(frozen=True, slots=True)
class Instants:
    """What happens at once: the two ends of messages. Arrays of one length."""

    track: Numbers
    time_ps: Numbers
    message: Numbers
    is_end: Numbers
    """Whether the message ends there."""


@dataclass(frozen=True, slots=True)
class Counter:
    """What a counter has counted from each time on."""

    track: int
    time_ps: Numbers
    value: Numbers


@dataclass(frozen=True, slots=True)
class Timeline:
    """Tracks, and what is on them."""

    tracks: tuple[Track, ...]
    slices: tuple[Slices, ...]
    """Of processes, and of messages."""
    instants: Instants
    counters: tuple[Counter, ...] = ()
    channels: tuple[Slices, ...] = ()
    """Of channels: turns on them, and waits for them."""

    @property
    def events(self) -> int:
        """How many things there are to be drawn."""
        counted = sum(len(counter.time_ps) for counter in self.counters)
        slices = (*self.slices, *self.channels)
        return sum(map(len, slices)) + len(self.instants.time_ps) + counted

    def rows_of_slices(self) -> Iterator[SliceRow]:
        """Yield all slices one by one: those of processes, of messages, then of channels."""
        for slices in (*self.slices, *self.channels):
            columns = (slices.track, slices.begin_ps, slices.end_ps, slices.name)
            details = [(name, column.tolist()) for name, column in slices.details.items()]
            rows = zip(*(column.tolist() for column in columns), strict=True)
            for number, (track, begin, end, name) in enumerate(rows):
                told = {key: of[number] for key, of in details if _is_told(key, of[number])}
                yield SliceRow(track, begin, end, slices.names[name], told)

    def rows_of_messages(self) -> Iterator[MessageRow]:
        """Yield the two ends of messages one by one."""
        ends = self.instants
        columns = (ends.track, ends.time_ps, ends.message, ends.is_end)
        rows = zip(*(column.tolist() for column in columns), strict=True)
        return (MessageRow(*row) for row in rows)

    def rows_of_counters(self) -> Iterator[tuple[int, int, float]]:
        """Yield track, time in picoseconds and value whenever a counter changes."""
        for counter in self.counters:
            values = zip(counter.time_ps.tolist(), counter.value.tolist(), strict=True)
            yield from ((counter.track, *row) for row in values)


class SliceRow(NamedTuple):
    """A slice on its own, with those of its details that are worth telling."""

    track: int
    begin_ps: int
    end_ps: int
    name: str
    details: Mapping[str, int]


class MessageRow(NamedTuple):
    """An end of a message on its own."""

    track: int
    time_ps: int
    message: int
    is_end: bool

    @property
    def name(self) -> str:
        """What the process does then."""
        return "receives" if self.is_end else "sends"


def _is_told(name: str, value: int) -> bool:
    """Whether a detail is worth telling: there is a value, and it is not 0 ps."""
    return value not in _NONE and (value != 0 or not name.endswith("_ps"))


#: Of all values that stand for none.
_NONE = (2**64 - 1, 2**32 - 1)
