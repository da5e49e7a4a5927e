"""The points of sweeps, in a folder.

    DIR/store.json                    what this folder is
    DIR/sweeps/<hash>.json            what a sweep asked for, and the identities of its points
    DIR/points/<identity>.parquet     one point: one row per mode, all columns (docs/store.md)
    DIR/failures/<identity>.json      a point that could not be simulated, and why
    DIR/runs.parquet                  all rows without the large columns, to be read at once

The files of points are the truth, `runs.parquet` is made from them. Every file
is written whole or not at all, under a name that follows from its content, so
that several sweeps may write to one folder and a sweep that was killed goes on
where it was. No file says when, where or how fast it was made.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tailback import files
from tailback.errors import UserError
from tailback.helping import Helped
from tailback.metrics import OF_CLASSES, OF_JOBS
from tailback.since311 import Self
from tailback.standstill import Standstill
from tailback.tables import parquet
from tailback.tables.frames import below, column_of
from tailback.units import counted

from . import point_file
from .classes import are_left_out
from .columns import BLAME_COLUMNS, PATH_COLUMNS
from .documents import damaged, json_bytes, read_json

if TYPE_CHECKING:
    from tailback.charging import Blame

FORMAT = "tailback store"
VERSION = 1

_FOLDERS = ("sweeps", "points", "failures")
#: What lies in a store, also while another sweep makes it.
_OWN = re.compile(rf"{'|'.join(_FOLDERS)}|\.?store\.json(\.\d+\.part)?")
_KIND = "workload.kind"
_IDENTITY = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Failure:
    """A point that could not be simulated."""

    identity: str
    kind: str
    """`deadlock`, `refused`, `error`, or `lost` when its workers died."""
    text: str
    """One line."""
    varied: Mapping[str, Any]
    """Where the point lies in its sweep, with its seed."""
    standstill: Standstill | None = None
    """Who waits for whom in a deadlock."""

    @property
    def final(self) -> bool:
        """Whether it would fail again: then it is not tried again."""
        return self.kind in ("deadlock", "livelock", "refused")


class PointStore(metaclass=Helped):
    """A folder of points; see the head of this module."""

    helpful = ("blame", "failures", "finished", "messages", "open", "runs", "sweeps", "tables")

    def __init__(self, folder: Path) -> None:
        """`folder`: as it is; `open` and `create` look at it first."""
        self.folder = folder

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Return the store in `folder`, to be read; raise `UserError` if there is none."""
        store = cls(folder)
        try:
            is_folder, is_marked = folder.is_dir(), store._marker.exists()
        except OSError as error:
            raise UserError(str(folder), None, f"cannot be read: {error.strerror}") from None
        if not is_folder:
            raise UserError(str(folder), None, "no such folder")
        if not is_marked:
            problem = "holds no results of a sweep; make some with tailback sweep FILE --out DIR"
            raise UserError(str(folder), None, problem)
        store._check_marker()
        return store

    @classmethod
    def create(cls, folder: Path, option: str = "--out") -> Self:
        """Return the store in `folder`, to be written to; made if `folder` is new or empty.

        Raises `UserError` if it cannot be written to or holds anything else.
        """
        files.ready(option, folder)
        store = cls(folder)
        if store._marker.exists():
            store._check_marker()
        elif any(not _OWN.fullmatch(path.name) for path in folder.iterdir()):
            raise UserError(option, str(folder), "holds other files; nothing is overwritten")
        try:
            for name in _FOLDERS:
                (folder / name).mkdir(exist_ok=True)
            files.remove_abandoned([folder, *(folder / name for name in _FOLDERS)])
            if not store._marker.exists():
                files.write_durably(
                    store._marker, json_bytes({"format": FORMAT, "version": VERSION})
                )
        except OSError as error:
            raise store._unwritable(error) from None
        return store

    @property
    def _marker(self) -> Path:
        return self.folder / "store.json"

    @property
    def _index(self) -> Path:
        return self.folder / "runs.parquet"

    def _check_marker(self) -> None:
        marker = read_json(self._marker)
        if marker.get("format") != FORMAT:
            raise UserError(str(self._marker), None, "is not the mark of a folder of results")
        if marker.get("version") != VERSION:
            found = f"is of version {marker.get('version')}; this program reads {VERSION}"
            raise UserError(str(self._marker), None, found)

    def finished(self) -> set[str]:
        """Return the identities of the finished points; raise `UserError` for a damaged file."""
        found = set()
        for path in self._named("points", ".parquet"):
            point_file.check_whole(path)
            found.add(path.stem)
        return found

    def _named(self, name: str, suffix: str) -> list[Path]:
        """Return the files of a sub-folder, sorted; raise `UserError` for one not ours."""
        return [self.folder / name / (stem + suffix) for stem in self._stems(name, suffix)]

    def _stems(self, name: str, suffix: str) -> list[str]:
        """Return the names of the files of a sub-folder likewise, without their suffix."""
        # Names, not paths: of ten thousand paths these take a fifth of a second.
        try:
            names = sorted(n for n in os.listdir(self.folder / name) if not n.startswith("."))
        except OSError as error:
            problem = f"cannot be read ({error.strerror}); tailback sweep makes it anew"
            raise UserError(str(self.folder / name), None, problem) from None
        stems = [n.removesuffix(suffix) for n in names]
        for n, stem in zip(names, stems, strict=True):
            if n == stem or not _IDENTITY.fullmatch(stem):
                path = self.folder / name / n
                raise UserError(str(path), None, "does not belong here; move it elsewhere")
        return stems

    def save_point(self, identity: str, content: bytes) -> None:
        """Keep a point; on the disk when this returns. Raises `UserError` if that fails."""
        self._save(Path("points", f"{identity}.parquet"), content)
        (self.folder / "failures" / f"{identity}.json").unlink(missing_ok=True)

    def save_failure(self, failure: Failure) -> None:
        """Keep the reason why there is no result of a point."""
        told = {name: value for name, value in asdict(failure).items() if value is not None}
        self._save(Path("failures", f"{failure.identity}.json"), json_bytes(told))

    def save_sweep(self, description: Mapping[str, Any]) -> None:
        """Keep what a sweep asked for; the same question is kept once."""
        content = json_bytes(description)
        name = Path("sweeps", f"{hashlib.sha256(content).hexdigest()}.json")
        if not (self.folder / name).exists():
            self._save(name, content)

    def _save(self, name: Path, content: bytes) -> None:
        try:
            files.write_durably(self.folder / name, content)
        except OSError as error:
            raise self._unwritable(error) from None

    def _unwritable(self, error: OSError) -> UserError:
        reason = f"cannot be written to: {error.strerror or error}; what is finished is kept"
        return UserError(str(self.folder), None, reason)

    def failures(self) -> list[Failure]:
        """Return the points that could not be simulated, by identity."""
        return [_failure(path) for path in self._named("failures", ".json")]

    def sweeps(self) -> list[dict[str, Any]]:
        """Return what the sweeps asked for, in an order that does not change."""
        return [_question(path) for path in self._named("sweeps", ".json")]

    def runs(self, without: Iterable[str] = ()) -> pa.Table:
        """Return one row per run of every finished point, without the large columns.

        In order of identity, then mode. What only a sweep knows (names of its `let`,
        presets it varied) are columns behind the others; where a parameter that it varied is null
        as the default, it is what the sweep says. Columns `without` are not read.
        """
        runs = self._runs(without)
        for name, by_identity in self._labels(runs).items():
            labels = [by_identity.get(identity) for identity in runs["identity"].to_pylist()]
            if name not in runs.column_names:
                runs = runs.append_column(name, column_of(labels))
                continue
            kept = runs[name]
            said = pa.array(labels, kept.type)
            place = runs.column_names.index(name)
            runs = runs.set_column(place, name, pc.coalesce(kept, said))
        return runs

    def _runs(self, without: Iterable[str] = ()) -> pa.Table:
        indexed, there = self._indexed(), self._identities()
        missing, gone = sorted(there - indexed), indexed - there
        tables = []
        if indexed & there:
            names = [n for n in pq.read_schema(self._index).names if n not in {*without}]
            tables = [pq.read_table(self._index, columns=names)]
        if gone and tables:
            others = pc.is_in(tables[0]["identity"], pa.array(sorted(gone)))
            tables[0] = tables[0].filter(pc.invert(others))
        if missing:
            tables += point_file.light([*map(self._point, missing)], without)
        if not tables:
            raise UserError(str(self.folder), None, self._why_empty())
        return _in_order(tables) if missing else tables[0]

    def _why_empty(self) -> str:
        failed = len(self._stems("failures", ".json"))
        why = f"; {counted(failed, 'point')} failed: tailback report says why" if failed else ""
        return f"holds no finished point{why}"

    def _labels(self, runs: pa.Table) -> dict[str, dict[str, Any]]:
        """Return what only sweeps know of points: by column, then by identity.

        That is what `runs` have no column of, or some of them no value. Of several sweeps that
        have a point, one counts.
        """
        known = {name for name in runs.column_names if not runs[name].null_count}
        found: dict[str, dict[str, Any]] = {}
        told: set[str] = set()
        for sweep in self.sweeps():
            names = ["identity", *sweep["columns"]]
            wanted = [(i, name) for i, name in enumerate(names) if i and name not in known]
            if not wanted:
                continue
            for i, name in wanted:
                of_sweep = {row[0]: row[i] for row in sweep["points"] if row[0] not in told}
                found.setdefault(name, {}).update(of_sweep)
            told |= {row[0] for row in sweep["points"]}
        return found

    def _point(self, identity: str) -> Path:
        return self.folder / "points" / f"{identity}.parquet"

    @property
    def has_points(self) -> bool:
        """Whether a point is finished."""
        return bool(self._identities())

    def _identities(self) -> set[str]:
        return set(self._stems("points", ".parquet"))

    def _indexed(self) -> set[str]:
        if not self._index.exists():
            return set()
        try:
            point_file.check_whole(self._index)
            names = pq.read_schema(self._index).names
            wanted = ["identity", *(name for name in names if name == _KIND)]
            found = pq.read_table(self._index, columns=wanted)
            kinds = found[_KIND].unique().to_pylist() if _KIND in names else []
        except (UserError, pa.ArrowException, OSError, KeyError):
            # It is made from the points and says nothing that they do not: made again.
            return set()
        return set() if are_left_out(names, {*kinds}) else set(found["identity"].to_pylist())

    def nested(self, name: str, identities: Iterable[str] | None = None) -> pa.Table:
        """Return the rows of a large column, such as `nodes`, `channels` or `blame_pairs`.

        One row per node, channel or pair, with `identity` and `mode` in front, of
        the given points or of all that have it.
        """
        chosen = sorted(self._identities()) if identities is None else list(identities)
        tables = [point_file.nested(self._point(identity), name) for identity in chosen]
        return below(tables) if tables else pa.table({})

    def tables(
        self, identity: str, wanted: Mapping[str, Iterable[str]]
    ) -> dict[str, dict[str, pa.Table]]:
        """Return large columns of one point as tables, by mode and name.

        `wanted` says which columns of them; what a machine does not have (`z`) is
        left out. It takes a fifth of the time of `nested`, which brings everything.
        """
        return point_file.tables(self._point(identity), wanted)

    def blame(self, identity: str) -> dict[str, Blame]:
        """Return who made whom late at a point, by mode.

        The largest pairs are told apart, see `Blame.shortened`. Raises `UserError` where that
        was not asked for.
        """
        return point_file.blame(self._point(identity))

    def messages(self, identity: str) -> dict[str, pa.Table]:
        """Return the messages of a point that have a row, by mode.

        None without `run.keep_messages`.
        """
        return point_file.messages(self._point(identity))

    def write_index(self) -> None:
        """Make `runs.parquet` anew from the files of all points."""
        if self._identities() == self._indexed():
            return
        self._save(Path(self._index.name), parquet(self._runs().combine_chunks()))


def _failure(path: Path) -> Failure:
    """Return what a file says of a point that failed."""
    given = read_json(path)
    try:
        failure = Failure(**given | _standstill(given))
    except (TypeError, ValueError):
        raise damaged(path, "not of a failure") from None
    texts = (failure.identity, failure.kind, failure.text)
    if not (all(isinstance(text, str) for text in texts) and isinstance(failure.varied, dict)):
        raise damaged(path, "not of a failure")
    return failure


def _standstill(given: Mapping[str, Any]) -> dict[str, Standstill]:
    """Return what a failure says of who waits; raise `ValueError` if it cannot be read."""
    if "standstill" not in given:
        return {}
    return {"standstill": Standstill.read(given["standstill"])}


def _question(path: Path) -> dict[str, Any]:
    """Return what a file says that a sweep asked for."""
    given = read_json(path)
    columns, points = given.get("columns"), given.get("points")
    is_whole = (
        isinstance(given.get("asked"), dict)
        and isinstance(given.get("modes", []), list)
        and isinstance(columns, list)
        and all(isinstance(name, str) for name in columns)
        and len(set(columns)) == len(columns)
        and isinstance(points, list)
        and all(isinstance(row, list) and len(row) == 1 + len(columns) for row in points)
        and all(isinstance(row[0], str) for row in points)
    )
    if not is_whole:
        raise damaged(path, "not of a sweep")
    return given


def _in_order(tables: Sequence[pa.Table]) -> pa.Table:
    """Return runs by identity, with all columns in the documented order."""
    from .schema import columns

    together = below(tables)
    there = set(together.column_names)
    known = (*columns(), *PATH_COLUMNS, *BLAME_COLUMNS)
    ordered = [column.name for column in known if column.name in there]
    # Those of jobs and traffic classes are called after these.
    for start in (OF_JOBS, OF_CLASSES):
        ordered += [name for name in together.column_names if name.startswith(start)]
    # Rows of one point stay in the order of their modes: the sort is stable.
    order = pc.sort_indices(together, sort_keys=[("identity", "ascending")])
    return together.select(ordered).take(order)
