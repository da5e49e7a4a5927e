"""The index of a store: the rows of all points without the large columns, in one file.

    DIR/runs.parquet
    DIR/runs.parquet.sha256     its digest, as `sha256sum` writes it

It is made from the points and says nothing that they do not: one that is damaged, or not the one
that its digest is of, is no index. One without a digest is from before there were digests.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from tailback import files
from tailback.errors import UserError
from tailback.tables import parquet

from . import point_file
from .classes import are_left_out
from .digests import Verified

NAME = "runs.parquet"
NAMES = (NAME, f"{NAME}.sha256")

_KIND = "workload.kind"


class Index:
    """The index in the folder of a store."""

    def __init__(self, folder: Path) -> None:
        """`folder`: that of the store."""
        self._path, self._digest = (folder / name for name in NAMES)
        self._verified = Verified()

    def identities(self) -> set[str]:
        """Return the points that it has rows of; none if it has to be made again."""
        if not self._path.exists():
            return set()
        try:
            point_file.check_whole(self._path)
            if not self._is_as_written():
                return set()
            names = pq.read_schema(self._path).names
            wanted = ["identity", *(name for name in names if name == _KIND)]
            found = pq.read_table(self._path, columns=wanted)
            kinds = found[_KIND].unique().to_pylist() if _KIND in names else []
        except (UserError, pa.ArrowException, OSError, KeyError):
            return set()
        return set() if are_left_out(names, {*kinds}) else set(found["identity"].to_pylist())

    def _is_as_written(self) -> bool:
        if not self._digest.exists():
            return True
        told = self._digest.read_text(encoding="ascii", errors="replace")
        digest = told[: hashlib.sha256().digest_size * 2]
        return told == _told(digest) and self._verified.has(self._path, digest)

    def is_of(self, identities: set[str]) -> bool:
        """Whether it has the rows of these points and no others, and its digest."""
        return self._digest.exists() and self.identities() == identities

    def rows(self, without: Iterable[str] = ()) -> pa.Table:
        """Return the rows of an index that has some, without some columns."""
        names = [name for name in pq.read_schema(self._path).names if name not in {*without}]
        return pq.read_table(self._path, columns=names)

    def write(self, runs: pa.Table) -> None:
        """Make it anew; raise `OSError`."""
        content = parquet(runs)
        # If only the first is written before the machine stops, the index is made again.
        files.write_durably(self._path, content)
        files.write_durably(self._digest, _told(hashlib.sha256(content).hexdigest()).encode())


def _told(digest: str) -> str:
    return f"{digest}  {NAME}\n"
