"""The critical path of one run, and where the time of its processes went: tables and sums.

What the names mean is in docs/critical-path.md. Times are whole picoseconds; the pieces of a path
add up to the makespan, and so does every row of `processes`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tailback.errors import UserError

Columns = Mapping[str, NDArray[Any]]

#: Stands for none among numbers of channels, processes and classes.
NONE = 2**32 - 1
_NO_MESSAGE = 2**64 - 1

CONTENTION = ("source", "destination", "network", "spread")
"""What other messages cost, of all that time is put down to."""

ELSEWHERE = tuple(part for part in CONTENTION if part != "source")
"""The same but for the link of the sender's own node, which messages of that node share."""

PART_WORDS = {
    "before": "waiting to begin",
    "computing": "computing",
    "processor": "waiting for a CPU or network interface that works for others",
    "sending": "software that sends",
    "receiving": "software that receives",
    "own": "messages on their way, as long as each takes alone",
    "source": "waiting for other messages of the sender's own node",
    "destination": "contention at the link of the destination",
    "network": "contention in the network",
    "spread": "contention that spread from the link of another node",
    "meeting": "collectives at a price",
    "other": "waiting for a packet to leave",
}
"""All that time of a path is put down to, in words, where there are no faults."""

FAULT = "fault"
"""What time of a path is put down to where links were down, or slower, for a time."""

ALL_PART_WORDS = {**PART_WORDS, FAULT: "waiting for links that were down, or slower, for a time"}
"""All that time of a path is put down to, in words."""


class Words(NamedTuple):
    """What the engine's numbers stand for."""

    parts: Sequence[str]
    segments: Sequence[str]


class Share(NamedTuple):
    """Time of the path that has something in common."""

    key: tuple[Any, ...]
    """What: one value for each column that was asked for."""
    time_ps: int


@dataclass(frozen=True, eq=False, repr=False)
class CriticalPath:
    """What the end of a program waited for."""

    pieces: pa.Table
    """The path, piece by piece in order of time."""
    processes: pa.Table
    """Where the time of each process went, and its slack if that was kept."""
    places: tuple[tuple[int, Sequence[str]], ...] = ()
    """Of every trace: its first process, and names of places in the program by their number."""

    @classmethod
    def of(
        cls,
        path: Columns,
        times: Columns,
        words: Words,
        places: Sequence[tuple[int, Sequence[str]]] = (),
    ) -> CriticalPath:
        """Return what the engine has kept, with names for numbers."""
        has_faults = FAULT in words.parts and (path["part"] == words.parts.index(FAULT)).any()
        parts = [part for part in words.parts if has_faults or part != FAULT]
        named = {"kind": words.segments, "part": parts}
        whose = [f"culprit{part}" for part in ("", "_process", "_message", "_call")]
        none = {"message": _NO_MESSAGE} | dict.fromkeys(("peer", "call", "channel", *whose), NONE)
        columns: dict[str, pa.Array] = {}
        for name, numbers in path.items():
            mask = numbers == none[name] if name in none else None
            if name in named:
                known = numbers.astype(np.int32)
                indices = pa.array(known, mask=mask)
                columns[name] = pa.DictionaryArray.from_arrays(indices, list(named[name]))
            else:
                columns[name] = pa.array(numbers, mask=mask)
        tables = pa.table({name: pa.array(numbers) for name, numbers in times.items()})
        return cls(pa.table(columns), tables, tuple(places))

    @classmethod
    def unknown(cls) -> CriticalPath:
        """Return that of a program that has not ended: it has no pieces."""
        numbers = ("process", "call", "channel", "culprit_process")
        columns = {name: pa.array([], pa.uint32()) for name in numbers}
        part, time_ps = pa.array([], pa.string()), pa.array([], pa.uint64())
        return cls(pa.table({"part": part, **columns, "time_ps": time_ps}), pa.table({}))

    @property
    def makespan_ps(self) -> int:
        """How long the program took: all pieces together."""
        return int(self._times.sum())

    @property
    def segments(self) -> int:
        """Of how many segments the path consists."""
        numbers = self.pieces["segment"].to_numpy()
        return 0 if len(numbers) == 0 else int(numbers[-1]) + 1

    def by(self, *columns: str, parts: Sequence[str] | None = None) -> list[Share]:
        """Return the time by the values of some columns, the longest first.

        `parts`: only of what is put down to these.
        """
        sums: dict[tuple[Any, ...], int] = {}
        values = [self.pieces[name].to_pylist() for name in ("part", *columns)]
        for (part, *key), time in zip(zip(*values, strict=True), self._times, strict=True):
            if parts is None or part in parts:
                sums[tuple(key)] = sums.get(tuple(key), 0) + int(time)
        order: Callable[[tuple[tuple[Any, ...], int]], tuple[int, str]]
        order = lambda item: (-item[1], repr(item[0]))  # noqa: E731  # the type is above
        return [Share(key, time) for key, time in sorted(sums.items(), key=order)]

    def waits(self, most: int) -> pa.Table:
        """Return how long messages on the path waited for others, the longest first.

        By root channel, and by whose messages were there. What is not among the `most` longest is
        summed up: of its row, only the part is known.
        """
        import pyarrow.compute as pc  # here: it takes a tenth of a second, and few need it

        contention = self.pieces.filter(pc.field("part").isin(CONTENTION))
        return _longest(contention, ("channel", "culprit_process"), most)

    def calls(self, most: int) -> pa.Table:
        """Return the time on the path by process and place in its program likewise."""
        found = _longest(self.pieces, ("process", "call"), most)
        keys = zip(found["process"].to_pylist(), found["call"].to_pylist(), strict=True)
        places = pa.array([self.place(*key) for key in keys], pa.string())
        return found.append_column("place", places)

    @property
    def contention_ps(self) -> int:
        """How long messages on the path waited for others."""
        return self._summed_ps(CONTENTION)

    @property
    def elsewhere_ps(self) -> int:
        """The same but for waits at the links of their own nodes."""
        return self._summed_ps(ELSEWHERE)

    def _summed_ps(self, parts: Sequence[str]) -> int:
        return sum(share.time_ps for share in self.by(parts=parts))

    def place(self, process: int | None, call: int | None) -> str | None:
        """Return where in the program of a process a call is; None where that is not known.

        That is the name its trace has for the place, or a number.
        """
        if process is None or call is None:
            return None
        traces = [names for first, names in self.places if first <= process]
        names = traces[-1] if traces else ()
        return names[call] if call < len(names) else str(call)

    def slack(self) -> list[tuple[int, int]] | None:
        """Return slack (ps) and process, the least first; None if it was not kept."""
        if "slack_ps" not in self.processes.column_names:
            return None
        slack = self.processes["slack_ps"].to_pylist()
        return sorted(zip(slack, range(len(slack)), strict=True))

    @property
    def _times(self) -> NDArray[np.uint64]:
        times: NDArray[np.uint64] = self.pieces["time_ps"].to_numpy()
        return times


def _longest(pieces: pa.Table, keys: Sequence[str], most: int) -> pa.Table:
    """Return time by part and keys, the longest first; of all but `most`, by part."""
    by = ["part", *keys]
    plain = pieces.set_column(
        pieces.column_names.index("part"), "part", pieces["part"].cast(pa.string())
    )
    sums = plain.group_by(by, use_threads=False).aggregate([("time_ps", "sum")])
    order = [("time_ps_sum", "descending"), *((key, "ascending") for key in by)]
    sums = sums.sort_by(order).select([*by, "time_ps_sum"])
    sums = sums.rename_columns([*by, "time_ps"])
    rest = sums.slice(most).group_by("part", use_threads=False).aggregate([("time_ps", "sum")])
    rest = rest.sort_by("part").rename_columns(["part", "time_ps"])
    none = {key: pa.nulls(rest.num_rows, sums.schema.field(key).type) for key in keys}
    summed_up = pa.table({"part": rest["part"], **none, "time_ps": rest["time_ps"]})
    return pa.concat_tables([sums.slice(0, most), summed_up])


def unknown_path() -> UserError:
    """Return what is wrong where no path was kept."""
    return UserError("run.critical_path", "false", "must be true: the path is found while it runs")
