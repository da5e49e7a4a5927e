"""The files of a trace: of its ranks, which its name or its content tell of.

The readers of traces (`crates/traces`) find them by the same rules: for Chakra in
`chakra/files.rs`, for DUMPI and liballprof in `mpi/files.rs`, for lists of SimGrid in
`ti/files.rs`.
"""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Iterator
from pathlib import Path

from ..contents import check_is_file
from ..door import trace_format
from ..errors import UserError, read_bytes

#: So much of a file is looked at to find out whether it is a list.
_START = 1 << 16
#: A list names at most so many ranks, of so many bytes each.
_LONGEST_LIST = 1 << 28

_CHAKRA = re.compile(r"(.*\.)(0|[1-9]\d*)(\.et.*)", re.DOTALL)
_NUMBERED = re.compile(r"(.*?)(\d+)(\D*)", re.DOTALL)
_ACTION = re.compile(rb"\d+\s+\S")


def files_of_trace(path: Path, form: str | None) -> list[Path]:
    """Return the files that hold what ranks do, the given one first unless it only lists them.

    ``form``: the format, if it is known. Raises `UserError` if the file cannot be read, or has no
    format that is known.
    """
    check_is_file(path)
    form = form or trace_format(path)
    if form == "chakra":
        return _siblings(path, _CHAKRA)
    if form in ("dumpi", "liballprof"):
        return _siblings(path, _NUMBERED)
    return _listed(path) if form == "simgrid_ti" and _is_list(path) else [path]


def _siblings(path: Path, numbered: re.Pattern[str]) -> list[Path]:
    """Return a file and those whose names differ from its own in a number alone."""
    own = numbered.fullmatch(path.name)
    if own is None:
        return [path]
    found = []
    for name in os.listdir(path.parent):
        other = numbered.fullmatch(name)
        if other is not None and (other[1], other[3]) == (own[1], own[3]) and name != path.name:
            found.append(path.parent / name)
    return [path, *sorted(found)]


def _is_list(path: Path) -> bool:
    """Whether the first line that says something names a file that is there."""
    with path.open("rb") as file:
        line = next(_lines(file.read(_START)), b"")
    return not _ACTION.match(line) and _place(path, line) is not None


def _listed(path: Path) -> list[Path]:
    """Return the files that a list of SimGrid names, in its order."""
    if path.stat().st_size > _LONGEST_LIST:
        raise UserError(str(path), None, "is too long for a list of files")
    places = (_place(path, line) for line in _lines(read_bytes(path)))
    return [place for place in places if place is not None]


def relative_list(path: Path, names: list[str]) -> bytes | None:
    """Return a list that has these names instead of its own; None if they are the same."""
    lines = list(_lines(read_bytes(path)))
    given = [os.fsdecode(line) for line in lines]
    if [os.path.normpath(name) for name in given] == [os.path.normpath(name) for name in names]:
        return None
    return "".join(f"{name}\n" for name in names).encode()


def _lines(content: bytes) -> Iterator[bytes]:
    """Yield the lines that are more than a comment."""
    for line in content.removeprefix(codecs.BOM_UTF8).split(b"\n"):
        if line.partition(b"#")[0].strip():
            yield line.strip()


def _place(path: Path, line: bytes) -> Path | None:
    """Return the file that a line of a list names: seen from it, from one folder above, or here."""
    name = os.fsdecode(line)
    above = path.parent.parent if path.parent != Path() else Path("..")
    try:
        seen = (path.parent / name, above / name, Path(name))
        return next((place for place in seen if place.is_file()), None)
    except (OSError, ValueError):
        return None
