"""The mark of a folder of results, `DIR/store.json`: that it is one, and of which version."""

from __future__ import annotations

from pathlib import Path

from tailback import files
from tailback.errors import UserError

from .documents import DamagedError, json_bytes, read_json

NAME = "store.json"
FORMAT = "tailback store"
VERSION = 4
"""2: digests are kept; 4: there are segments. Folders of older versions are read, and become ones
of this version with the next sweep. No version is another one with one bit flipped."""
_VERSIONS = (1, 2, 4)
_WITHOUT_DIGESTS = 1

_CONTENT = json_bytes({"format": FORMAT, "version": VERSION})


def check(folder: Path) -> None:
    """Raise `UserError` unless this is a folder of results that can be read."""
    path = folder / NAME
    mark = read_json(path)
    if mark.get("format") != FORMAT:
        raise UserError(str(path), None, "is not the mark of a folder of results")
    version = mark.get("version")
    if version not in _VERSIONS:
        found = f"is of version {version}; this program reads 1 to {VERSION}"
        raise UserError(str(path), None, found)
    if version == VERSION and path.read_bytes() != _CONTENT:
        raise DamagedError(path, "its content has changed since it was written")


def is_of_later_version(folder: Path) -> bool:
    """Whether a later version of this program has made the folder."""
    version = _version(folder)
    return version is not None and version > VERSION


def may_lack_digests(folder: Path) -> bool:
    """Whether files of the folder may be from before there were digests."""
    return _version(folder) == _WITHOUT_DIGESTS


def write(folder: Path) -> None:
    """Mark a folder as one of this version; raise `OSError`."""
    path = folder / NAME
    if not (path.exists() and path.read_bytes() == _CONTENT):
        files.write_durably(path, _CONTENT)


def _version(folder: Path) -> int | None:
    try:
        mark = read_json(folder / NAME)
    except UserError:
        return None
    version = mark.get("version")
    return version if mark.get("format") == FORMAT and isinstance(version, int) else None
