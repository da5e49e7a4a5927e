"""The timeline model that all file formats are written from: tracks and rows on them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple

from numpy.typing import NDArray

Numbers = NDArray[Any]
Columns = Mapping[str, Numbers]


class Subject(Enum):
    """What a track shows."""

    PROCESS = "process"
    CHANNEL = "channel"


@dataclass(frozen=True, slots=True)
class Track:
    """A row of a timeline, perhaps below another one."""

    name: str
    parent: int | None = None
    """The number of the track that it is below."""
    unit: str | None = None
    """Unit of a counter; None: a track of slices."""
    subject: Subject = Subject.PROCESS

    @property
    def is_process(self) -> bool:
        """Whether it is the main track of a process."""
        return self.parent is None and self.unit is None and self.subject is Subject.PROCESS


@dataclass(frozen=True, slots=True)
class Slices:
    """Activities with a duration. Arrays of one length; slices of one track do not overlap."""

    track: Numbers
    begin_ps: Numbers
    end_ps: Numbers
    name: Numbers
    """Places in ``names``."""
    names: tuple[str, ...]
    details: Mapping[str, Numbers] = field(default_factory=dict)
    """Additional values of each slice, by name. Times (`_ps`) of 0 are not shown."""

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.track)


@dataclass(frozen=True, slots=True)
class Instants:
    """Events without a duration: the two ends of messages. Arrays of one length."""

    track: Numbers
    time_ps: Numbers
    message: Numbers
    is_end: Numbers
    """Whether the message ends there."""


@dataclass(frozen=True, slots=True)
class Counter:
    """The value of a counter from each time on."""

    track: int
    time_ps: Numbers
    value: Numbers


@dataclass(frozen=True, slots=True)
class Timeline:
    """Tracks and their contents."""

    tracks: tuple[Track, ...]
    slices: tuple[Slices, ...]
    """Of processes, and of messages."""
    instants: Instants
    counters: tuple[Counter, ...] = ()
    channels: tuple[Slices, ...] = ()
    """Slices of channels: occupancy, and packets waiting for them."""

    @property
    def events(self) -> int:
        """The number of slices, message ends and counter values."""
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
    """One slice, with the details that are shown."""

    track: int
    begin_ps: int
    end_ps: int
    name: str
    details: Mapping[str, int]


class MessageRow(NamedTuple):
    """One end of a message."""

    track: int
    time_ps: int
    message: int
    is_end: bool

    @property
    def name(self) -> str:
        """What the process does."""
        return "receives" if self.is_end else "sends"


def _is_told(name: str, value: int) -> bool:
    """Whether a detail is shown: it has a value, and is not 0 ps."""
    return value not in _NONE and (value != 0 or not name.endswith("_ps"))


#: Values that mean "none".
_NONE = (2**64 - 1, 2**32 - 1)
