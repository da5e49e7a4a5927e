"""What was asked for, kept in a folder of results: enough to run it again anywhere.

    DIR/asked/<hash>/question.json   command, versions, and each file with its size and hash
    DIR/asked/<hash>/NAME.toml       the experiment, changes of the command line included
    DIR/asked/<hash>/...             the files it needs, by the names it has for them

Folders "in" above NAME.toml stand for those above that of the experiment file, if it names files
there. A file above `MOST_BYTES` is not copied; its size and hash say which it is.
"""

from __future__ import annotations

import hashlib
import json
import platform
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from tailback import files
from tailback.contents import sha256_of
from tailback.door import compiled
from tailback.errors import UserError, read_text
from tailback.experiment import Experiment
from tailback.experiment.tables import FAULTS, JOBS
from tailback.importing.toml import to_toml
from tailback.parts import Part, plain
from tailback.units import Quantity, counted

from .gathering import Gathered, gather

FOLDER = "asked"
QUESTION = "question.json"
MOST_BYTES = 64 << 20
"""Of a file that is copied."""
_FORMAT, _VERSION = "tailback question", 1
_LONGEST_QUESTION = 16 << 20
_SEAL = "versions_sha256"
"""The digest of the versions, which the name of the folder does not depend on. Folders of older
versions have none."""


@dataclass(frozen=True)
class Description:
    """An experiment file as it was asked for."""

    name: str
    """Of the file, without its ending."""
    folder: Path
    tables: Mapping[str, Any]
    """With all changes; names of files can be opened, those of a sweep are relative to the
    folder."""


class MissingError(UserError):
    """A file that was used is not where it is kept: it was too large to be copied, or is lost."""


@dataclass(frozen=True)
class Kept:
    """A question that is kept in a folder of results."""

    words: tuple[str, ...]
    """The command, and its options but for files."""
    file: Path
    versions: Mapping[str, str]
    notes: tuple[str, ...]
    """What is missing to run it again."""

    def check(self) -> None:
        """Raise `UserError` for what cannot be run again from what is kept."""
        for note in self.notes:
            raise UserError(str(self.file), None, f"cannot be run again: {note}")


def keep(
    folder: Path,
    asked: Description,
    words: Sequence[str],
    experiments: Iterable[Experiment],
    *,
    alone: bool = False,
) -> None:
    """Keep in a folder of results what was asked for; the same is kept once.

    ``alone``: it is the only question of the folder. Raises `UserError` if it cannot be written.
    """
    if asked.folder.resolve().is_relative_to((folder / FOLDER).resolve()):
        return  # It comes from there.
    tables = _plain(asked.tables)
    found = gather(tables, asked.folder, experiments)
    text = to_toml(_in_order(tables)).encode()
    entries = [_entry(name, found) for name in sorted(found.sources)]
    at = "in/" * found.layout.above
    question = {
        "format": _FORMAT,
        "version": _VERSION,
        "command": list(words),
        "experiment": f"{at}{asked.name}.toml",
        "files": [{**entry, "name": _joined(at, entry["name"])} for entry in entries],
        "notes": found.notes,
    }
    name = _name_of(question, text)
    place = folder / FOLDER / name
    if not _is_whole(place):
        shutil.rmtree(place, ignore_errors=True)
        question |= {"versions": (by := versions()), _SEAL: _digest(by)}
        _write(place, question, text, found)
    for other in (folder / FOLDER).iterdir() if alone else ():
        if other.name != name:
            shutil.rmtree(other, ignore_errors=True)


def _name_of(question: Mapping[str, Any], text: bytes) -> str:
    """Return the name of its folder: a hash of all but the versions, which may differ."""
    told = {key: value for key, value in question.items() if key not in ("versions", _SEAL)}
    return _digest(told, text)[:16]


def _digest(told: Mapping[str, Any], text: bytes = b"") -> str:
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode() + text).hexdigest()


def _is_whole(place: Path) -> bool:
    """Whether a question is kept in a folder, and is as it was written."""
    try:
        question, entries = _read(place)
        for path, entry in entries.items():
            if entry["copied"]:
                _check_file(path, entry)
        return (place / QUESTION).read_bytes() == _told(question)
    except (OSError, UserError):
        return False


def _told(question: Mapping[str, Any]) -> bytes:
    return (json.dumps(question, indent=1, allow_nan=False) + "\n").encode()


def versions() -> dict[str, str]:
    """Return what results are made by."""
    return {
        "tailback": compiled.VERSION,
        "results": str(compiled.RESULTS_VERSION),
        "python": platform.python_version(),
    }


def _write(place: Path, question: Mapping[str, Any], text: bytes, found: Gathered) -> None:
    def fill(folder: Path) -> None:
        experiment = folder / question["experiment"]
        experiment.parent.mkdir(parents=True, exist_ok=True)
        experiment.write_bytes(text)
        start = "in/" * found.layout.above
        for name, source in found.sources.items():
            target = folder / _joined(start, name)
            if name in found.contents or source.stat().st_size <= MOST_BYTES:
                target.parent.mkdir(parents=True, exist_ok=True)
                if name in found.contents:
                    target.write_bytes(found.contents[name])
                else:
                    shutil.copyfile(source, target)
        (folder / QUESTION).write_bytes(_told(question))

    try:
        place.parent.mkdir(exist_ok=True)
        files.remove_abandoned([place.parent])
        files.write_folder("--out", place, fill)
    except OSError as error:
        problem = f"cannot be written to: {error.strerror}"
        raise UserError("--out", str(place.parent), problem) from None
    except UserError:
        if not place.is_dir():  # else another program was quicker
            raise


def _entry(name: str, found: Gathered) -> dict[str, Any]:
    """Return what is said of a file: where it is, its size and hash, whether it is copied."""
    source, content = found.sources[name], found.contents.get(name)
    if content is not None:
        digest, size = hashlib.sha256(content).hexdigest(), len(content)
    else:
        digest, size = sha256_of(source), source.stat().st_size
    return {"name": name, "bytes": size, "sha256": digest, "copied": size <= MOST_BYTES}


def _joined(start: str, name: str) -> str:
    """Return a place relative to the folder of the question: `in/../data` is `data`."""
    parts: list[str] = []
    for part in PurePosixPath(start, name).parts:
        if part == "..":
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)


def _plain(tables: Mapping[str, Any]) -> dict[str, Any]:
    """Return tables as a file has them."""

    def written(value: Any) -> Any:
        if isinstance(value, Quantity | Part):
            return written(plain(value))
        if isinstance(value, Mapping):
            return {str(k): written(one) for k, one in value.items() if one is not None}
        if isinstance(value, list | tuple | range):
            return [written(one) for one in value]
        return value if isinstance(value, bool | int | float | str) else str(value)

    found: dict[str, Any] = written(deepcopy(dict(tables)))
    for key in (JOBS, FAULTS):
        if isinstance(found.get(key), dict):
            found[key] = list(found[key].values())
    return found


def _in_order(tables: Mapping[str, Any]) -> dict[str, Any]:
    """Return lists first: in a file of TOML they would belong to the table before them."""
    filled = {name: table for name, table in tables.items() if table}
    lists = {name: table for name, table in filled.items() if isinstance(table, list)}
    return lists | filled


def kept_in(folder: Path) -> list[Kept]:
    """Return the questions that are kept in a folder of results.

    Raises `UserError` if there is none, if one is not as it was written, or if a file is missing
    or another one.
    """
    places = sorted((folder / FOLDER).iterdir()) if (folder / FOLDER).is_dir() else []
    found = [_kept(place) for place in places if not place.name.startswith(".")]
    if not found:
        problem = f"keeps no experiment (no folder {FOLDER}): an older version made it"
        raise UserError(str(folder), None, problem)
    return found


@contextmanager
def told_of(given: Path, folder: Path) -> Iterator[None]:
    """Say what is wrong in the folder of a pack as it is in the pack: the folder goes away."""
    try:
        yield
    except UserError as error:
        place = Path(error.field)
        if given == folder or not place.is_relative_to(folder):
            raise
        inside = place.relative_to(folder).as_posix()
        field = str(given) if inside == "." else f"{given}: {inside}"
        allowed = error.allowed
        if isinstance(error, MissingError):
            allowed += f" after `python -m zipfile -e {given} DIR`, and give DIR"
        raise UserError(field, error.given, allowed, error.nearest) from None


def _kept(place: Path) -> Kept:
    question, entries = _read(place)
    for path, entry in entries.items():
        _check_file(path, entry)
    words, notes = tuple(question["command"]), tuple(question["notes"])
    return Kept(words, _inside(place, question["experiment"]), question["versions"], notes)


def _read(place: Path) -> tuple[dict[str, Any], dict[Path, Mapping[str, Any]]]:
    """Return a question that is as it was written, and what it says of each file it needs."""
    path = place / QUESTION
    try:
        if path.is_file() and path.stat().st_size > _LONGEST_QUESTION:
            raise ValueError
        given: dict[str, Any] = json.loads(read_text(path))
        if (given["format"], given["version"]) != (_FORMAT, _VERSION):
            raise ValueError
        words, name, entries = given["command"], given["experiment"], given["files"]
        told = [*words, name, *given["notes"], *(entry["name"] for entry in entries)]
        if not words or not all(isinstance(one, str) for one in told):
            raise ValueError
        found: dict[Path, Mapping[str, Any]] = {
            _inside(place, entry["name"]): {
                "bytes": int(entry["bytes"]),
                "sha256": str(entry["sha256"]),
                "copied": bool(entry["copied"]),
            }
            for entry in entries
        }
        given["versions"] = {str(key): str(value) for key, value in given["versions"].items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        if isinstance(error, UserError):
            raise
        raise UserError(str(path), None, "is not the question of a folder of results") from None
    experiment = _inside(place, name)
    is_sealed = given.get(_SEAL, sealed := _digest(given["versions"])) == sealed
    is_named = experiment.is_file() and _name_of(given, experiment.read_bytes()) == place.name
    if not (is_sealed and is_named):
        raise UserError(str(place), None, "is not as it was written")
    return given, found


def _inside(place: Path, name: str) -> Path:
    """Return the path of a kept file; raise `UserError` if it leads out of the folder."""
    path = place / name
    if not path.resolve().is_relative_to(place.resolve()):
        raise UserError(str(place / QUESTION), name, "leads out of the folder")
    return path


def _check_file(path: Path, entry: Mapping[str, Any]) -> None:
    size, digest = entry["bytes"], entry["sha256"]
    if not path.is_file():
        told = f"is missing: put the file of {counted(size, 'byte')} with SHA-256 {digest} there"
        raise MissingError(str(path), None, told)
    if path.stat().st_size != size or sha256_of(path) != digest:
        raise UserError(str(path), None, f"is not the file that was used (SHA-256 {digest})")
