"""What JSON files of a store say: points that failed, and what sweeps asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from tailback.standstill import Standstill
from tailback.tables.frames import column_of

from .documents import DamagedError, read_json


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


def read_failure(path: Path) -> Failure:
    """Return what a file says of a point that failed."""
    given = read_json(path)
    try:
        failure = Failure(**given | _standstill(given))
    except (TypeError, ValueError):
        raise DamagedError(path, "not of a failure") from None
    texts = (failure.identity, failure.kind, failure.text)
    if not (all(isinstance(text, str) for text in texts) and isinstance(failure.varied, dict)):
        raise DamagedError(path, "not of a failure")
    return failure


def _standstill(given: Mapping[str, Any]) -> dict[str, Standstill]:
    """Return what a failure says of who waits; raise `ValueError` if it cannot be read."""
    if "standstill" not in given:
        return {}
    return {"standstill": Standstill.read(given["standstill"])}


def read_question(path: Path) -> dict[str, Any]:
    """Return what a file says that a sweep asked for, its points as a table."""
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
        raise DamagedError(path, "not of a sweep")
    return given | {"points": _table_of(("identity", *given["columns"]), given["points"])}


def _table_of(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> pa.Table:
    if not rows:
        return pa.table({name: pa.nulls(0, pa.string()) for name in names})
    columns = zip(names, zip(*rows, strict=True), strict=True)
    return pa.table({name: column_of(values) for name, values in columns})
