"""What a timeline consists of, whatever file it is written to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

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
    words: Mapping[str, tuple[Numbers, tuple[str, ...]]] = field(default_factory=dict)
    """The same in words: by name, places in a list of them."""

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


def told(name: str, value: int) -> bool:
    """Whether a detail of a slice has a value that is worth telling: it is there, or not 0 ps."""
    return value not in _NONE and (value != 0 or not name.endswith("_ps"))


#: Of all values that stand for none.
_NONE = (2**64 - 1, 2**32 - 1)
