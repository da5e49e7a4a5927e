"""What JSON files of a store say: points that failed, and what sweeps asked for."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from tailback.standstill import Standstill
from tailback.tables.frames import below, column_of

from .documents import DamagedError, read_json

_POINTS = '\n "points": [\n  '
"""Where the points of a sweep begin, as `json_bytes` writes it."""
_GAP = re.compile(r"\s*([,\]])\s*")
"""What is behind a point."""
_TOGETHER = 4096
"""Points that are lists at a time."""


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
    given = read_json(path, _question)
    columns, points = given.get("columns"), given.get("points")
    is_whole = (
        isinstance(given.get("asked"), dict)
        and isinstance(given.get("modes", []), list)
        and isinstance(columns, list)
        and all(isinstance(name, str) for name in columns)
        and len(set(columns)) == len(columns)
    )
    if is_whole and isinstance(points, list):
        points = _table_of(("identity", *given["columns"]), points)
    if not (is_whole and isinstance(points, pa.Table)):
        raise DamagedError(path, "not of a sweep")
    return given | {"points": points}


def _question(text: str) -> Any:
    """Return what JSON says, its points as a table if they are the last and written as usual.

    They are read some at a time: of 100,000 points, lists would take five times the memory.
    """
    start = text.find(_POINTS) + len(_POINTS)
    if start < len(_POINTS):
        return json.loads(text)
    try:
        given = json.loads(f"{text[:start]}]}}")
        names = ("identity", *given["columns"])
        return given | {"points": below([*_tables(names, text, start)]).combine_chunks()}
    except (ValueError, TypeError, KeyError, pa.ArrowException):
        return json.loads(text)


def _tables(names: Sequence[str], text: str, start: int) -> Iterator[pa.Table]:
    """Yield the points in a text, some at a time; raise `ValueError` if it does not end there."""
    row_at = json.JSONDecoder().raw_decode
    rows: list[list[Any]] = []
    mark = ","
    while mark == ",":
        row, end = row_at(text, start)
        rows.append(row)
        if (gap := _GAP.match(text, end)) is None:
            raise ValueError
        mark, start = gap[1], gap.end()
        if len(rows) == _TOGETHER or mark == "]":
            table = _table_of(names, rows)
            if table is None:
                raise ValueError
            yield table
            rows = []
    if text[start:].strip() != "}":
        raise ValueError


def _table_of(names: Sequence[str], rows: Sequence[Any]) -> pa.Table | None:
    """Return points as a table, None if they are not points."""
    if not rows:
        return pa.table({name: pa.nulls(0, pa.string()) for name in names})
    for row in rows:
        if not isinstance(row, list) or len(row) != len(names) or not isinstance(row[0], str):
            return None
    columns = zip(names, zip(*rows, strict=True), strict=True)
    return pa.table({name: column_of(values) for name, values in columns})
