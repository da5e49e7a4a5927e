"""Two folders of results, compared byte by byte; points by what is in their rows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from tailback.contents import sha256_of

from .finished import Finished
from .point_file import Place, whole

#: What a sweep has besides finished points.
_OF_SWEEPS = ("failures", "sweeps")
#: By which file a folder of one run is known, and one of sweeps.
_MANIFEST, _MARKER = "manifest.json", "store.json"


@dataclass(frozen=True)
class Compared:
    """What differs between results and the same made again."""

    count: int
    """Files of the first."""
    lines: tuple[str, ...]
    """A line for each file that differs."""
    unfinished: int
    """Files of points that the first does not have, as it was not finished."""


def is_results(folder: Path) -> bool:
    """Whether a folder holds results: of one run, or of sweeps."""
    return (folder / _MANIFEST).is_file() or (folder / _MARKER).is_file()


def compared(old: Path, new: Path) -> Compared:
    """Return which results differ; pages, pictures and the index are not compared."""
    before, after = dict(_files(old)), dict(_files(new))
    both = sorted(before.keys() & after.keys())
    lines = [_difference(name, before[name], after[name]) for name in both]
    found = [line for line in lines if line]
    found += [f"{name}: is not made again" for name in sorted(before.keys() - after.keys())]
    more = sorted(after.keys() - before.keys())
    points = [name for name in more if name.startswith(("points/", "failures/"))]
    found += [f"{name}: was not there" for name in more if name not in points]
    return Compared(len(before), tuple(found), len(points))


def _files(folder: Path) -> Iterator[tuple[str, Place | Path]]:
    """Yield all files of results by name: those of points by their identities."""
    if (folder / _MARKER).is_file():
        for identity, place in Finished(folder).places().items():
            yield f"points/{identity}.parquet", place
        for name in _OF_SWEEPS:
            for path in (folder / name).glob("[!.]*"):
                # What follows the identity may be a digest of the content.
                yield f"{name}/{path.name.partition('.')[0]}{path.suffix}", path
        return
    for path in folder.rglob("*.parquet"):
        yield path.relative_to(folder).as_posix(), path
    if (folder / _MANIFEST).is_file():
        yield _MANIFEST, folder / _MANIFEST


def _difference(name: str, first: Place | Path, second: Place | Path) -> str:
    """Return what differs in a file, or nothing."""
    files = [one.path if isinstance(one, Place) else one for one in (first, second)]
    if sha256_of(files[0]) == sha256_of(files[1]):
        return ""
    try:
        if isinstance(first, Place) and isinstance(second, Place):
            parts = _columns(whole(first), whole(second))
            if not parts:
                return ""
        elif name.endswith(".json"):
            parts = _keys(*files)
        else:
            parts = _columns(*map(pq.read_table, files))
    except (ValueError, OSError, pa.ArrowException, AttributeError):
        parts = []
    return f"{name}: differs in {', '.join(parts)}" if parts else f"{name}: differs"


def _keys(first: Path, second: Path) -> list[str]:
    one, other = (json.loads(path.read_bytes()) for path in (first, second))
    return [key for key in {**one, **other} if one.get(key) != other.get(key)]


def _columns(one: pa.Table, other: pa.Table) -> list[str]:
    names = dict.fromkeys([*one.column_names, *other.column_names])
    both = {*one.column_names} & {*other.column_names}
    return [name for name in names if name not in both or not one[name].equals(other[name])]
