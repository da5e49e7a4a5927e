"""The points of sweeps, in a folder.

    DIR/store.json                    what this folder is
    DIR/sweeps/<hash>.json            what a sweep asked for, and the identities of its points
    DIR/asked/<hash>/                 the same with all files it needs (`sending/asked.py`)
    DIR/points/<identity>.<digest>.parquet
                                      one point: one row per mode, all columns (docs/store.md)
    DIR/segments/, DIR/members/       the same of 64 points in a file (`segments`)
    DIR/failures/<identity>.<digest>.json
                                      a point that could not be simulated, and why
    DIR/runs.parquet, DIR/runs/       all rows without the large columns, in few files (`index`)
    DIR/runs.parquet.sha256           a digest

The files of points are the truth, the index is made from them. Every file
is written whole or not at all, under a name that follows from its content, so
that several sweeps may write to one folder and a sweep that was killed goes on
where it was. No file says when, where or how fast it was made. The digest of
every file is kept outside it, and compared when the file is read (`kept.py`).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from tailback import files
from tailback.errors import UserError
from tailback.helping import Helped
from tailback.sending.packs import unpacked
from tailback.since311 import Self
from tailback.tables.frames import below
from tailback.units import counted
from tailback.wording import notebook

from . import index, mark, point_file, segments
from .documents import DamagedError, json_bytes
from .finished import Finished
from .kept import Kept
from .records import Failure, read_failure, read_question
from .runs import Runs
from .wire import by_identity, of_stream

if TYPE_CHECKING:
    from tailback.charging import Blame

_FOLDERS = ("sweeps", "points", "failures")
_MORE_FOLDERS = (*segments.FOLDERS, index.FOLDER)
"""Those that there are only if something is in them."""
#: What lies in a store, also while another sweep makes it.
_OWN = re.compile(rf"{'|'.join((*_FOLDERS, *_MORE_FOLDERS))}|\.?store\.json(\.\d+\.part)?")


_MOST_SHOWN = 8
"""Values of a parameter that a notebook shows."""


class PointStore(metaclass=Helped):
    """A folder of points; see the head of this module."""

    helpful = ("blame", "failures", "finished", "messages", "open", "runs", "sweeps", "tables")

    def __init__(self, folder: Path) -> None:
        """`folder`: as it is; `open` and `create` look at it first."""
        self.folder = folder
        self._points = Finished(folder)
        self._failures = Kept(folder / "failures", ".json", read_failure)
        self._sweeps = Kept(folder / "sweeps", ".json", read_question, by_digest=True)
        self._index = index.Index(folder)
        self._asked: dict[Path, dict[str, Any]] = {}

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Return the store in `folder`, or in a pack, to be read.

        Raises `UserError` if there is none.
        """
        store = cls(unpacked(folder))
        folder = store.folder
        try:
            is_there, is_folder = folder.exists(), folder.is_dir()
            is_marked = is_folder and (folder / mark.NAME).exists()
        except OSError as error:
            raise UserError(str(folder), None, f"cannot be read: {error.strerror}") from None
        if not is_folder:
            problem = "is neither a folder of results nor a pack" if is_there else "no such folder"
            raise UserError(str(folder), None, problem)
        if not is_marked:
            problem = "holds no results of a sweep; make some with tailback sweep FILE --out DIR"
            raise UserError(str(folder), None, problem)
        mark.check(folder)
        return store

    @classmethod
    def create(cls, folder: Path, option: str = "--out") -> Self:
        """Return the store in `folder`, to be written to; made if `folder` is new or empty.

        Raises `UserError` if it cannot be written to or holds anything else.
        """
        files.ready(option, folder)
        store = cls(folder)
        # A folder that has all of ours is ours: its mark may be damaged or gone.
        is_ours = all((folder / name).is_dir() for name in _FOLDERS)
        if not is_ours or mark.is_of_later_version(folder):
            if (folder / mark.NAME).exists():
                mark.check(folder)
            elif any(not _OWN.fullmatch(path.name) for path in folder.iterdir()):
                raise UserError(option, str(folder), "holds other files; nothing is overwritten")
        try:
            for name in _FOLDERS:
                (folder / name).mkdir(exist_ok=True)
            all_names = (*_FOLDERS, *_MORE_FOLDERS)
            files.remove_abandoned([folder, *(folder / name for name in all_names)])
            if not mark.may_lack_digests(folder):  # `mend` gives it some first
                mark.write(folder)
        except OSError as error:
            raise store._unwritable(error) from None
        return store

    def mend(self) -> list[DamagedError]:
        """Set damaged files aside; return what is wrong with them.

        Their points are not finished then. Files from before there were digests get some.
        """
        kinds = (self._points, self._failures, self._sweeps)
        found = [error for kept in kinds for error in kept.mend()]
        try:
            mark.write(self.folder)
        except OSError as error:
            raise self._unwritable(error) from None
        return found

    def finished(self) -> set[str]:
        """Return the identities of the finished points; raise `UserError` for a damaged file."""
        self._points.check()
        return {*self._points.identities().to_pylist()}

    def save_point(self, identity: str, content: bytes) -> None:
        """Keep a point; on the disk when this returns. Raises `UserError` if that fails."""
        self._save(self._points, identity, content)
        self._failures.forget(identity)

    def are_apart(self, points: Iterable[str]) -> bool:
        """Whether many of these points are in files of their own and can be put together."""
        return bool(self._points.apart(points))

    def put_together(self, points: Sequence[str], rows: Mapping[str, bytes]) -> None:
        """Put finished points in one file, and rows of points into the index.

        `rows`: those of points that were just saved, as workers send them (`wire`).
        """
        known = {identity: of_stream(content) for identity, content in rows.items()}
        try:
            for table in self._points.put_together(points, known):
                self._index.add(point_file.light_columns(table))
        except OSError as error:
            raise self._unwritable(error) from None

    def save_failure(self, failure: Failure) -> None:
        """Keep the reason why there is no result of a point."""
        told = {name: value for name, value in asdict(failure).items() if value is not None}
        self._save(self._failures, failure.identity, json_bytes(told))

    def save_sweep(self, description: Mapping[str, Any]) -> None:
        """Keep what a sweep asked for; the same question is kept once."""
        content = json_bytes(description)
        name = hashlib.sha256(content).hexdigest()
        if name not in self._sweeps.names():
            self._save(self._sweeps, name, content)

    def _save(self, kept: Kept | Finished, identity: str, content: bytes) -> None:
        try:
            kept.save(identity, content)
        except OSError as error:
            raise self._unwritable(error) from None

    def _unwritable(self, error: OSError) -> UserError:
        reason = f"cannot be written to: {error.strerror or error}; what is finished is kept"
        return UserError(str(self.folder), None, reason)

    def failures(self) -> list[Failure]:
        """Return the points that could not be simulated, by identity."""
        return [read_failure(path) for path in self._failures.paths()]

    def sweeps(self) -> list[dict[str, Any]]:
        """Return what the sweeps asked for, in an order that does not change."""
        paths = self._sweeps.paths()
        self._asked = {p: self._asked.get(p) or read_question(p) for p in paths}
        return [*self._asked.values()]

    def runs(self, without: Iterable[str] = (), only: Sequence[str] | None = None) -> pa.Table:
        """Return one row per run of every finished point, without the large columns.

        In order of identity, then mode. What only a sweep knows (names of its `let`,
        presets it varied) are columns behind the others; where a parameter that it varied is null
        as the default, it is what the sweep says. Columns `without` are not read, or any but
        `only` and the identity.
        """
        unread = self.unread_runs(without)
        runs = unread.read(only)
        return runs if unread.are_ordered else by_identity(runs)

    def unread_runs(self, without: Iterable[str] = ()) -> Runs:
        """Return the same before it is read, to be asked which columns there are.

        Raises `UserError` if there is no finished point.
        """
        runs = Runs(self._index, self._points, self.sweeps(), without)
        self._index.forget_members()
        self._points.forget_members()
        if not runs:
            raise UserError(str(self.folder), None, self._why_empty())
        return runs

    def _why_empty(self) -> str:
        failed = len(self._failures.names())
        why = f"; {counted(failed, 'point')} failed: tailback report says why" if failed else ""
        return f"holds no finished point{why}"

    @property
    def has_points(self) -> bool:
        """Whether a point is finished."""
        return len(self._points.identities()) > 0

    def _repr_html_(self) -> str:
        from tailback.figures.labels import parameter_label, value_text

        rows = [
            ("points", f"{len(self._points.identities()):,}"),
            ("failed", f"{len(self.failures()):,}"),
        ]
        runs = self._full_runs()
        for column in self._varied():
            values = list(dict.fromkeys(row[column] for row in runs if row.get(column) is not None))
            if all(isinstance(value, int | float) for value in values):
                values.sort()
            told = [value_text(column, value) for value in values]
            shown = told if len(told) <= _MOST_SHOWN else [*told[:4], "…", told[-1]]
            rows.append((parameter_label(column), ", ".join(shown)))
        return notebook.shown(("results", str(self.folder)), rows, picture=self._repr_svg_())

    def _repr_svg_(self) -> str | None:
        from tailback.figures import notebooks

        return notebooks.points(self._full_runs(), self._varied())

    def _varied(self) -> list[str]:
        """Return the parameters that sweeps varied, in their order."""
        named = dict.fromkeys(str(c) for sweep in self.sweeps() for c in sweep["columns"])
        return [column for column in named if column != "run.seed"]

    def _full_runs(self) -> list[dict[str, Any]]:
        """Return the runs with contention, a row each; none before a point is finished."""
        if not self.has_points:
            return []
        return [row for row in self.runs().to_pylist() if row["mode"] == "full"]

    def nested(self, name: str, identities: Iterable[str] | None = None) -> pa.Table:
        """Return the rows of a large column, such as `nodes`, `channels` or `blame_pairs`.

        One row per node, channel or pair, with `identity` and `mode` in front, of
        the given points or of all that have it.
        """
        if identities is None:
            identities = sorted(self._points.identities().to_pylist())
        chosen = [*identities]
        places = sorted(map(self._points.place, chosen))  # those of one file after each other
        found = {place.identity: point_file.nested(place, name) for place in places}
        return below([found[identity] for identity in chosen]) if chosen else pa.table({})

    def tables(
        self, identity: str, wanted: Mapping[str, Iterable[str]]
    ) -> dict[str, dict[str, pa.Table]]:
        """Return large columns of one point as tables, by mode and name.

        `wanted` says which columns of them; what a machine does not have (`z`) is
        left out. It takes a fifth of the time of `nested`, which brings everything.
        """
        return point_file.tables(self._points.place(identity), wanted)

    def blame(self, identity: str) -> dict[str, Blame]:
        """Return who made whom late at a point, by mode.

        The largest pairs are told apart, see `Blame.shortened`. Raises `UserError` where that
        was not asked for.
        """
        return point_file.blame(self._points.place(identity))

    def messages(self, identity: str) -> dict[str, pa.Table]:
        """Return the messages of a point that have a row, by mode.

        None without `run.keep_messages`.
        """
        return point_file.messages(self._points.place(identity))

    def near(self, identities: Sequence[str]) -> list[str]:
        """Return points in an order in which they are read faster: those of one file together."""
        return self._points.near(identities)

    def write_index(self) -> None:
        """Make the index complete: it is made from the files of points that it has no rows of."""
        identities = self._points.identities()
        if not len(identities) or self._index.is_of(identities):
            return
        try:
            self._index.write(identities, self._points.light)
        except OSError as error:
            raise self._unwritable(error) from None
