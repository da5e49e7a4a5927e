"""What files hold, by hash: read piece by piece, and found to be the same before and after a run.

A file that is read while a run goes on must hold the same bytes from when it is hashed, for the
identity of the run, until the run has ended. `unchanged` sees to that.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from .errors import UserError, check_readable

_PIECE = 1 << 20
#: A file that was written so recently may be written again without another time of writing.
_RECENT_NS = 2 * 10**9
_MOST_KNOWN = 100_000

Stamp = tuple[int, int, int, int]
"""Device, number, size and time of writing of a file: what differs once it is written again."""

#: Hashes of files that were read, with their stamps then.
_known: dict[str, tuple[Stamp, str]] = {}


class ChangedError(UserError):
    """A file was written while it was being used."""


def changed(path: Path, allowed: str = "was changed while it was read; run it again") -> UserError:
    """Return the mistake of a file that does not hold what it held."""
    return ChangedError(str(path), None, allowed)


def stamp_of(path: Path) -> Stamp | None:
    """Return what tells that a file was not written since; None if it is not there."""
    try:
        return _stamp(path.stat())
    except (OSError, ValueError):
        return None


def _stamp(status: os.stat_result) -> Stamp:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file as hexadecimal digits, in constant memory.

    A file that was hashed before is read again only if it was written since. Raises `UserError`
    if it cannot be read, or is written meanwhile.
    """
    name = os.path.abspath(path)
    now = stamp_of(path)
    if name in _known and _known[name][0] == now:
        return _known[name][1]
    check_is_file(path)
    try:
        with path.open("rb") as file:
            before = _stamp(os.fstat(file.fileno()))
            digest = sha256_read(file)
            after = _stamp(os.fstat(file.fileno()))
    except OSError as error:
        problem = f"cannot be read: {(error.strerror or str(error)).lower()}"
        raise UserError(str(path), None, problem) from None
    if after != before:
        raise changed(path)
    if time.time_ns() - after[-1] > _RECENT_NS:
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        _known[name] = after, digest
    return digest


def check_is_file(path: Path) -> None:
    """Raise `UserError` for what cannot be read again: a pipe, a device, what is not there."""
    check_readable(path)
    if not path.is_file():
        raise UserError(str(path), None, "must be a file: it is read more than once")


def sha256_read(file: IO[bytes]) -> str:
    """Return the SHA-256 of the rest of a file as hexadecimal digits, in constant memory."""
    found = hashlib.sha256()
    while piece := file.read(_PIECE):
        found.update(piece)
    return found.hexdigest()


def contents_of(paths: Iterable[Path]) -> dict[str, str]:
    """Return the hashes of files by their names."""
    return {str(path): sha256_of(path) for path in paths}


def check_same(contents: Mapping[str, str], now: Mapping[str, str], allowed: str) -> None:
    """Raise `ChangedError` for the first file that holds something else than before."""
    for name in {**contents, **now}:
        if contents.get(name) != now.get(name):
            raise changed(Path(name), allowed)


@contextmanager
def unchanged(paths: Iterable[Path]) -> Iterator[None]:
    """Raise `ChangedError` in the end if one of these files was written meanwhile."""
    before = {path: stamp_of(path) for path in paths}
    try:
        yield
    except Exception:
        # What went wrong may have come of the change.
        _check_stamps(before)
        raise
    _check_stamps(before)


def _check_stamps(before: Mapping[Path, Stamp | None]) -> None:
    for path, stamp in before.items():
        if stamp_of(path) != stamp:
            raise changed(path)
