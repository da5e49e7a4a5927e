"""Finished points, several in a file.

    DIR/segments/<segment>.<digest>.parquet   all rows and columns of some points
    DIR/members/<segment>.txt                 the identities of these points, one in a line

Most of the file of one point says which columns there are. A segment says so once, for points with
the same columns. Its name is the hash of its list of members: a list that is gone or damaged is
made again from the rows.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Collection, Iterable
from pathlib import Path

import pyarrow as pa

from tailback import files
from tailback.tables import parquet

from . import point_file
from .documents import DamagedError
from .kept import Kept

SIZE = 64
"""Points that are put together: to read one of them takes as long as to read all."""
_FEWEST = 32
_LARGEST = 128 << 10
"""Bytes of a point that is put together with others: the rest of a larger one is small."""

FOLDERS = ("segments", "members")


class Segments:
    """The segments in the folder of a store."""

    def __init__(self, folder: Path) -> None:
        """`folder`: that of the store."""
        rows, self._lists = (folder / name for name in FOLDERS)
        self._rows = Kept(rows, ".parquet", point_file.check_whole, optional=True)
        self._members: dict[str, pa.StringArray] = {}

    def members(self) -> dict[str, pa.StringArray]:
        """Return the points that are in each segment."""
        there = self._members
        self._members = {n: there[n] if n in there else self._read(n) for n in self._rows.names()}
        return self._members

    def forget_members(self) -> None:
        """Forget which points are in segments, which is read again if need be."""
        self._members.clear()

    def places(self) -> dict[str, str]:
        """Return the segment of each point."""
        members = self.members().items()
        return {point: segment for segment, own in members for point in own.to_pylist()}

    def path(self, segment: str) -> Path:
        """Return the file of a segment; raise `UserError` unless it has its digest."""
        return self._rows.path(segment)

    def paths(self) -> dict[str, Path]:
        """Return the files of all segments, whatever is in them."""
        return {segment: self._rows.folder / name for segment, name in self._rows.names().items()}

    def check(self) -> None:
        """Raise `UserError` for a segment that is not a whole file."""
        for path in self.paths().values():
            point_file.check_whole(path)

    def save(self, rows: pa.Table) -> list[str]:
        """Keep points with the same columns, in order of identity; return which. Raises `OSError`.

        None if they are too few.
        """
        members: list[str] = rows["identity"].unique().to_pylist()
        if not are_many(members):
            return []
        self._rows.save(_named(members), parquet(rows, store_schema=False))
        self._list(members)
        return members

    def mend(self) -> list[DamagedError]:
        """Set damaged segments aside, and make lists of members that are not as they were."""
        found = self._rows.mend()
        known = self.members()
        listed = {path.stem: path for path in self._lists.glob("[!.]*")}
        for segment in listed.keys() - known.keys():
            listed[segment].unlink(missing_ok=True)
        for segment in known:
            if segment not in listed or self._listed(segment) is None:
                self._list(known[segment].to_pylist())
        return found

    def _read(self, segment: str) -> pa.StringArray:
        content = self._listed(segment)
        return point_file.identities(self.path(segment)) if content is None else _members(content)

    def _listed(self, segment: str) -> bytes | None:
        """Return the list of a segment; None unless it is as it was written."""
        try:
            content = (self._lists / f"{segment}.txt").read_bytes()
        except OSError:
            return None
        return content if hashlib.sha256(content).hexdigest() == segment else None

    def _list(self, members: list[str]) -> None:
        self._lists.mkdir(exist_ok=True)
        files.write_durably(self._lists / f"{_named(members)}.txt", _listed(members))


def _members(content: bytes) -> pa.StringArray:
    """Return the identities in a list: without texts of Python, which are twice as large."""
    lines = pa.array([0, *itertools.accumulate(map(len, content.split()))], pa.int32())
    data = content.replace(b"\n", b"")
    return pa.StringArray.from_buffers(len(lines) - 1, lines.buffers()[1], pa.py_buffer(data))


def _named(members: Iterable[str]) -> str:
    return hashlib.sha256(_listed(members)).hexdigest()


def is_small(size: int) -> bool:
    """Whether a point with so many bytes in its file is put together with others."""
    return size <= _LARGEST


def are_many(points: Collection[str]) -> bool:
    """Whether it is worth while to put points together."""
    return len(points) >= _FEWEST


def _listed(members: Iterable[str]) -> bytes:
    return "".join(f"{identity}\n" for identity in members).encode()
