"""Timelines as OTF2 archives, for Vampir and other viewers.

A process is a location with its activities as regions; concurrent activities have locations below
it. Received messages are MPI events. Counters and channels are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

from tailback.archives import otf2
from tailback.files import write_folder

from .model import Slices, Timeline

#: Ticks per second: times are picoseconds.
_RESOLUTION = 10**12
#: The region of computation.
_COMPUTING = "computes"
#: Order of events at one time.
_RECEIVE, _LEAVE, _ENTER, _SEND = range(4)

Event = tuple[int, int, int, tuple[int, ...]]
"""Track, time, kind, and its arguments: a region, or partner, tag and bytes."""


def write_archive(timeline: Timeline, out: Path) -> int:
    """Write an archive folder atomically; return the number of events.

    Raises `UserError` without the library, and if the folder exists or cannot be written.
    """
    library = otf2("--out", str(out))
    regions = _regions(timeline)
    events = sorted([*_of_slices(timeline, regions), *_of_messages(timeline)])
    write_folder("--out", out, partial(_write, library, timeline, regions, events))
    return len(events)


def _done_by_processes(timeline: Timeline) -> list[Slices]:
    return [slices for slices in timeline.slices if "bytes" not in slices.details]


def _regions(timeline: Timeline) -> dict[str, int]:
    """Return a number for each activity of processes."""
    names = [name for slices in _done_by_processes(timeline) for name in slices.names]
    return {name: number for number, name in enumerate(dict.fromkeys(names))}


def _of_slices(timeline: Timeline, regions: dict[str, int]) -> Iterator[Event]:
    for slices in _done_by_processes(timeline):
        numbers = [regions[name] for name in slices.names]
        columns = (slices.track, slices.begin_ps, slices.end_ps, slices.name)
        for track, begin, end, name in zip(*(each.tolist() for each in columns), strict=True):
            if begin < end:
                yield track, begin, _ENTER, (numbers[name],)
                yield track, end, _LEAVE, (numbers[name],)


def _of_messages(timeline: Timeline) -> Iterator[Event]:
    """Yield both ends of each received message."""
    begun: dict[int, tuple[int, int]] = {}
    ended: dict[int, tuple[int, int]] = {}
    for row in timeline.rows_of_messages():
        (ended if row.is_end else begun)[row.message] = (row.track, row.time_ps)
    for slices in timeline.slices:
        if "bytes" not in slices.details:
            continue
        details = [slices.details[name].tolist() for name in ("message", "tag", "bytes")]
        for message, tag, length in zip(*details, strict=True):
            (source, sent), (destination, received) = begun[message], ended[message]
            yield source, sent, _SEND, (destination, tag, length)
            yield destination, received, _RECEIVE, (source, tag, length)


def _write(
    library: Any, timeline: Timeline, regions: dict[str, int], events: list[Event], folder: Path
) -> None:
    """Write the files of an archive into an existing folder."""
    kinds, mpi = library.GroupType, library.Paradigm.MPI
    with closing(library.writer.Writer(str(folder), timer_resolution=_RESOLUTION)) as archive:
        archive.creator = "Tailback"
        definitions = archive.definitions
        locations = _locations(library, definitions, timeline, {event[0] for event in events})
        tracks = enumerate(timeline.tracks)
        ranks = [locations[place] for place, track in tracks if track.is_process]
        definitions.group("", group_type=kinds.COMM_LOCATIONS, paradigm=mpi, members=ranks)
        everybody = definitions.group(
            "processes", group_type=kinds.COMM_GROUP, paradigm=mpi, members=ranks
        )
        world = definitions.comm("MPI_COMM_WORLD", group=everybody)
        named = [
            definitions.region(name, paradigm=library.Paradigm.USER if name == _COMPUTING else mpi)
            for name in regions
        ]
        writers = {
            place: archive.event_writer_from_location(location)
            for place, location in locations.items()
        }
        for track, time, kind, about in events:
            writer = writers[track]
            if kind in {_ENTER, _LEAVE}:
                (writer.enter if kind == _ENTER else writer.leave)(time, named[about[0]])
            else:
                partner, tag, length = about
                say = writer.mpi_send if kind == _SEND else writer.mpi_recv
                say(time, partner, world, tag, length)


def _locations(
    library: Any, definitions: Any, timeline: Timeline, used: set[int]
) -> dict[int, Any]:
    """Return the location of each process, and of each track below one that has events."""
    machine = definitions.system_tree_node("machine")
    groups: dict[int, Any] = {}
    found: dict[int, Any] = {}
    for place, track in enumerate(timeline.tracks):
        if track.is_process:
            groups[place] = definitions.location_group(
                track.name,
                location_group_type=library.LocationGroupType.PROCESS,
                system_tree_parent=machine,
            )
        elif place not in used:
            continue
        found[place] = definitions.location(
            track.name,
            type=library.LocationType.CPU_THREAD,
            group=groups[place if track.parent is None else track.parent],
        )
    return found
