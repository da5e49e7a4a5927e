"""The index of a store: the rows of all points without the large columns, in few files.

    DIR/runs/<digest>.parquet   rows of 4,096 points each
    DIR/runs.parquet            those of all others
    DIR/runs.parquet.sha256     its digest, as `sha256sum` writes it

It is made from the points and says nothing that they do not: a file that is not the one that its
digest is of, or has none, is no index.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tailback import files
from tailback.errors import UserError
from tailback.metrics import OF_CLASSES, OF_JOBS
from tailback.tables import parquet
from tailback.tables.frames import below

from . import point_file
from .classes import are_left_out
from .columns import BLAME_COLUMNS, PATH_COLUMNS
from .digests import Verified, digest_of
from .kept import Kept
from .wire import by_identity

FULL = 4096
"""Points in a file that is not written again."""
NAME = "runs.parquet"
FOLDER = "runs"
NAMES = (NAME, f"{NAME}.sha256")

_KIND = "workload.kind"
_NONE = pa.nulls(0, pa.string())

Light = Callable[[Sequence[str]], list[pa.Table]]
"""Returns the rows of points without the large columns."""


class Index:
    """The index in the folder of a store."""

    def __init__(self, folder: Path) -> None:
        """`folder`: that of the store."""
        self._path, self._digest = (folder / name for name in NAMES)
        self._verified = Verified()
        self._parts = Kept(
            folder / FOLDER, ".parquet", point_file.check_whole, by_digest=True, optional=True
        )
        self._members: dict[tuple[Path, int], pa.StringArray] = {}
        self._new: list[pa.Table] = []
        self._count = 0

    def files(self) -> dict[Path, pa.StringArray]:
        """Return the files of the index, and which points they have rows of."""
        found = {path: self._identities(path) for path in self._whole_parts()}
        if self._path.exists() and self._is_as_written():
            found[self._path] = self._identities(self._path)
        return {path: members for path, members in found.items() if len(members)}

    def forget_members(self) -> None:
        """Forget which points files have rows of, which is read again if need be.

        Of 100,000 points it takes as much memory as four columns.
        """
        self._members.clear()

    def _whole_parts(self) -> list[Path]:
        found = []
        for name in self._parts.names():
            try:
                found.append(self._parts.path(name))
            except UserError:
                continue
        return found

    def _identities(self, path: Path) -> pa.StringArray:
        """Return the points that a file has rows of; none if it has to be made again."""
        try:
            state = (path, path.stat().st_mtime_ns)
            if state not in self._members:
                point_file.check_whole(path)
                self._members[state] = _identities(path)
            return self._members[state]
        except (UserError, pa.ArrowException, OSError, KeyError):
            return _NONE

    def _is_as_written(self) -> bool:
        try:
            told = self._digest.read_text(encoding="ascii", errors="replace")
            digest = told[: hashlib.sha256().digest_size * 2]
            return told == _told(digest) and self._verified.has(self._path, digest)
        except OSError:
            return False

    def is_of(self, identities: pa.StringArray) -> bool:
        """Whether it has the rows of these points once, no others, and its digest."""
        members = pa.concat_arrays([_NONE, *self.files().values()])
        has_digest = self._digest.exists() == self._path.exists()
        return has_digest and not self._new and members.sort().equals(identities.sort())

    def add(self, rows: pa.Table) -> None:
        """Take rows of points that are finished; raise `OSError` if they cannot be written.

        They are written when they are many, or by `write`.
        """
        self._new.append(rows)
        self._count += pc.count_distinct(rows["identity"]).as_py()
        if self._count >= FULL:
            self._write_part(in_order(self._new))
            self._new, self._count = [], 0

    def write(self, there: pa.StringArray, light: Light) -> None:
        """Write the rows of the points that are `there`; files that are full stay as they are.

        `light` returns rows of points that it has none of. Raises `OSError`.
        """
        left, old, tables = there, [*self._parts.names()], []
        for path, members in self.files().items():
            wanted, left = split(left, members)
            if len(wanted) == len(members) >= FULL:
                self._keep_full(path, old)
            elif len(wanted):
                tables.append(_of(pq.read_table(path, use_threads=False), wanted))
        for rows in self._new:
            wanted, left = split(left, rows["identity"].unique())
            tables.append(_of(rows, wanted))
        tables += light(left.to_pylist()) if len(left) else []
        self._new, self._count = [], 0
        self._write_rest(in_order(tables) if tables else None)
        for name in old:
            self._parts.forget(name)

    def _keep_full(self, path: Path, old: list[str]) -> None:
        """Leave a file as it is, as one of many: that of an older version may have any length."""
        if path != self._path:
            old.remove(path.stem)
            return
        (self._parts.folder).mkdir(exist_ok=True)
        path.replace(self._parts.folder / f"{digest_of(path)}.parquet")

    def _write_rest(self, rows: pa.Table | None) -> None:
        while rows is not None:
            points = rows["identity"].unique()
            if len(points) < FULL:
                break
            later = pc.index(rows["identity"], points[FULL]).as_py() if len(points) > FULL else None
            self._write_part(rows.slice(0, later))
            rows = None if later is None else rows.slice(later)
        if rows is None:
            self._path.unlink(missing_ok=True)
            self._digest.unlink(missing_ok=True)
            return
        content = parquet(rows.combine_chunks())
        # If only the first is written before the machine stops, the index is made again.
        files.write_durably(self._path, content)
        files.write_durably(self._digest, _told(hashlib.sha256(content).hexdigest()).encode())

    def _write_part(self, rows: pa.Table) -> None:
        content = parquet(rows)
        self._parts.save(hashlib.sha256(content).hexdigest(), content)


def split(points: pa.StringArray, members: pa.StringArray) -> tuple[pa.Array, pa.Array]:
    """Return those of some points that a file has, and the others."""
    there = pc.is_in(points, members)
    return points.filter(there), points.filter(pc.invert(there))


def in_order(tables: Sequence[pa.Table]) -> pa.Table:
    """Return runs by identity, with all columns in the documented order."""
    together = below(tables)
    return by_identity(together.select(documented(together.column_names)))


def documented(names: Collection[str]) -> list[str]:
    """Return columns in the documented order; those of jobs and traffic classes come last."""
    from .schema import columns

    there = set(names)
    known = (*columns(), *PATH_COLUMNS, *BLAME_COLUMNS)
    ordered = [column.name for column in known if column.name in there]
    for start in (OF_JOBS, OF_CLASSES):
        ordered += [name for name in names if name.startswith(start)]
    return ordered


def _of(rows: pa.Table, identities: pa.StringArray) -> pa.Table:
    return rows.filter(pc.is_in(rows["identity"], identities))


def _identities(path: Path) -> pa.StringArray:
    """Return the points that a file has rows of; none if it lacks columns."""
    with pq.ParquetFile(path) as file:
        names = file.schema_arrow.names
        found = file.read([n for n in ("identity", _KIND) if n in names], use_threads=False)
    kinds = found[_KIND].unique().to_pylist() if _KIND in names else []
    return _NONE if are_left_out(names, {*kinds}) else found["identity"].unique()


def _told(digest: str) -> str:
    return f"{digest}  {NAME}\n"
