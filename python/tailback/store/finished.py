"""The rows of finished points, wherever they are: each in a file of its own, or several in one.

A point is saved in a file of its own, and put together with others later (`segments`). Its own
file is removed when the segment is on the disk, so that it is in both at worst.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from tailback.errors import UserError

from . import point_file
from .documents import DamagedError
from .kept import Kept
from .point_file import Place
from .segments import Segments, are_many, is_small
from .wire import put_together


class Finished:
    """The finished points in the folder of a store."""

    def __init__(self, folder: Path) -> None:
        """`folder`: that of the store."""
        self._alone = Kept(folder / "points", ".parquet", point_file.check_whole)
        self._segments = Segments(folder)
        self._places: dict[str, str] | None = None

    def identities(self) -> pa.StringArray:
        """Return the identities of all points."""
        # In this order: a point is in a segment before its own file is removed.
        alone = pa.array([*self._alone.names()], pa.string())
        self._places = None
        return pc.unique(pa.concat_arrays([alone, *self._segments.members().values()]))

    def forget_members(self) -> None:
        """Forget which points segments have, which is read again if need be."""
        self._segments.forget_members()

    @property
    def _shared(self) -> dict[str, str]:
        """The segment of each point that is in one, when this was last asked for."""
        if self._places is None:
            self._places = self._segments.places()
        return self._places

    def check(self) -> None:
        """Raise `UserError` for a damaged file."""
        for path in self._alone.paths():
            point_file.check_whole(path)
        self._segments.check()

    def place(self, identity: str) -> Place:
        """Return where a point is; raise `UserError` unless the file is as it was written."""
        segment = self._shared.get(identity)
        if segment is None:
            try:
                return Place(self._alone.path(identity), identity, shared=False)
            except UserError:
                self._places = None
                segment = self._shared.get(identity)
                if segment is None:
                    raise
        return Place(self._segments.path(segment), identity, shared=True)

    def near(self, identities: Sequence[str]) -> list[str]:
        """Return points so that those of one file come after each other."""
        together: dict[str, list[str]] = {}
        for identity in identities:
            together.setdefault(self._shared.get(identity, identity), []).append(identity)
        return [identity for own in together.values() for identity in own]

    def places(self) -> dict[str, Place]:
        """Return where all points are, whatever is in the files."""
        alone = self._alone.names()
        paths = self._segments.paths()
        shared = {i: Place(paths[s], i, shared=True) for i, s in self._segments.places().items()}
        return shared | {
            i: Place(self._alone.folder / n, i, shared=False) for i, n in alone.items()
        }

    def light(self, identities: Iterable[str], without: Iterable[str] = ()) -> list[pa.Table]:
        """Return the rows of points without the large columns and some others."""
        wanted = sorted(identities)
        alone = [identity for identity in wanted if identity not in self._shared]
        segments: dict[str, list[str]] = {}
        for identity in wanted:
            if identity in self._shared:
                segments.setdefault(self._shared[identity], []).append(identity)
        try:
            paths = [self._alone.path(identity) for identity in alone]
            shared = {self._segments.path(name): own for name, own in segments.items()}
            return point_file.light(paths, shared, without)
        except UserError:
            # A sweep may have put points together meanwhile.
            self._places = None
            if self._shared.keys().isdisjoint(alone):
                raise
            return self.light(wanted, without)

    def save(self, identity: str, content: bytes) -> None:
        """Keep the file of a point; raise `OSError`."""
        self._alone.save(identity, content)

    def apart(self, points: Iterable[str]) -> list[str]:
        """Return those of some points that can be put together; none if they are few."""
        there = self._alone.known()
        found = [i for i in points if i in there and self._is_small(there[i])]
        return found if are_many(found) else []

    def put_together(self, points: Sequence[str], known: Mapping[str, pa.Table]) -> list[pa.Table]:
        """Put points that are `apart` in segments.

        Returns rows of these and of all `known` points, which are not read again: all columns or
        some. Raises `OSError`.
        """
        self._forget_moved(points)
        chosen = {i: known[i] if i in known else self._whole(i) for i in self.apart(points)}
        rows = put_together(table for table in chosen.values() if table is not None)
        for table in rows:
            for identity in self._segments.save(table):
                self._alone.forget(identity)
        return rows + put_together(known[i] for i in sorted(known.keys() - chosen.keys()))

    def _forget_moved(self, points: Iterable[str]) -> None:
        """Remove files of points that another sweep has put together, and this one saved again."""
        there = self._alone.known()
        if all((self._alone.folder / there[i]).exists() for i in points if i in there):
            return
        for identity in self._segments.places().keys() & {*points}:
            self._alone.forget(identity)

    def _is_small(self, name: str) -> bool:
        try:
            return is_small((self._alone.folder / name).stat().st_size)
        except FileNotFoundError:  # another sweep has put it together with others
            return False

    def _whole(self, identity: str) -> pa.Table | None:
        """Return all of the file of a point; None if it is gone or damaged."""
        try:
            return point_file.whole(Place(self._alone.path(identity), identity, shared=False))
        except UserError:
            return None

    def mend(self) -> list[DamagedError]:
        """Set damaged files aside, and remove files of points that are in segments, too."""
        found = self._alone.mend() + self._segments.mend()
        for identity in self._alone.names().keys() & self._segments.places().keys():
            self._alone.forget(identity)
        return found
