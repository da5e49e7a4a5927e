"""The events of an archive, as one file of SimGrid's actions for each rank."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

from tailback.errors import UserError

from .communicators import Communicators
from .rank import Rank

#: Events of MPI that `Rank` knows.
_KNOWN = {
    "MpiSend",
    "MpiIsend",
    "MpiIsendComplete",
    "MpiIrecvRequest",
    "MpiRecv",
    "MpiIrecv",
    "MpiRequestTest",
    "MpiRequestCancelled",
    "MpiCollectiveBegin",
    "MpiCollectiveEnd",
}
#: Beginnings of the names of events that mean communication, or calls.
_MEANT = ("Mpi", "Rma", "NonBlocking", "CallingContextEnter", "CallingContextLeave")
#: Lines are written once there are so many.
_LINES = 4096


def write_actions(library: Any, source: Path, folder: Path) -> list[str]:
    """Write ``files.txt`` and the files it lists into a folder; return what has no effect.

    Raises `UserError` for what has no counterpart.
    """
    place = str(source)
    with closing(library.reader.Reader(place)) as archive:
        known = Communicators(library, archive.definitions, place)
        resolution = archive.timer_resolution
        ranks = [Rank(me, known, resolution, place) for me in range(len(known.world))]
        files = [folder / f"{me}.ti" for me in range(len(ranks))]
        notes: Counter[str] = Counter()
        counted: Counter[int] = Counter()
        for location, event in archive.events:
            counted[location._ref] += 1
            me = known.rank_of.get(location._ref)
            if me is None:
                _of_a_thread(event, place, notes)
            else:
                _take(library, ranks[me], event, notes, place)
                if counted[location._ref] % _LINES == 0:
                    _append(files[me], ranks[me])
        for location in archive.definitions.locations:
            missing = location.number_of_events - counted[location._ref]
            if missing > 0:
                what = f"is cut off: {missing} events of {location.group.name} are missing"
                raise UserError(place, None, what)
    for rank, file in zip(ranks, files, strict=True):
        rank.end()
        _append(file, rank)
        notes += rank.notes
    (folder / "files.txt").write_text("".join(f"{file.name}\n" for file in files))
    return [f"{what} ({times})" for what, times in sorted(notes.items())]


def _append(file: Path, rank: Rank) -> None:
    with file.open("a") as opened:
        opened.writelines(f"{line}\n" for line in rank.lines())


def _take(library: Any, rank: Rank, event: Any, notes: Counter[str], place: str) -> None:
    kind = type(event).__name__
    if kind in {"Enter", "Leave"}:
        is_call = event.region.paradigm == library.Paradigm.MPI
        name = event.region.name if is_call else None
        (rank.enter if kind == "Enter" else rank.leave)(event.time, name)
    elif kind in _KNOWN:
        rank.event(kind, event)
    elif kind.startswith(_MEANT):
        raise UserError(place, None, f"has events {kind}, which have no counterpart")
    else:
        notes[f"{kind} has no effect"] += 1


def _of_a_thread(event: Any, place: str, notes: Counter[str]) -> None:
    """Take the event of what is no MPI process."""
    kind = type(event).__name__
    if kind.startswith(_MEANT[:3]):
        raise UserError(place, None, f"has events {kind} of threads, which have no counterpart")
    notes["events of what is no MPI process have no effect"] += 1
