"""Results as three hashes: of packets, of tables, of JSON.

What a number is does not depend on the platform: whole numbers are hashed as they are, others
with nine significant digits. What says which version it was, or how fast, is left out.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pyarrow as pa

from tailback.errors import CircleError, RunFailure, UserError
from tailback.results import Result

#: Keys and columns that are no result.
LEFT_OUT = {"kernel", "version", "results_version", "identity", "wall_seconds"}

_TABLES = ("nodes", "channels", "processes", "samples", "histograms", "moments", "messages")
_COLUMNS = ("activities", "transfers", "turns", "waits")
_DIGITS = 16
NOTHING = "-"
"""In place of a hash: there is nothing of that sort."""


class Hashes(NamedTuple):
    """What came of a case, in as few words as possible."""

    packets: str
    tables: str
    json: str


class Hasher:
    """Takes what runs have measured, one after the other."""

    def __init__(self) -> None:
        self._parts = {name: hashlib.sha256() for name in Hashes._fields}
        self._given: set[str] = set()

    def result(self, result: Result) -> None:
        """Take packets and tables of one run."""
        self.table("packets", "packets", result.packets)
        for name, table in _tables(result):
            self.table("tables", name, table)

    def answer(self, answer: Mapping[str, Any]) -> None:
        """Take what is printed as JSON."""
        self._take("json", json.dumps(_plain(answer)).encode())

    def mistake(self, error: UserError | RunFailure) -> None:
        """Take why something was refused, or could not go on."""
        told: dict[str, Any] = {"error": type(error).__name__, "text": str(error)}
        if isinstance(error, RunFailure):
            told |= {"kind": error.kind, "at_ps": error.at_ps, "waiting": list(error.waiting)}
        if isinstance(error, RunFailure | CircleError):
            told["circle"] = list(error.circle)
        self.answer(told)

    def hashes(self) -> Hashes:
        """Return the hashes of all that was taken."""
        return Hashes(*(self._digest(name) for name in Hashes._fields))

    def _digest(self, part: str) -> str:
        return self._parts[part].hexdigest()[:_DIGITS] if part in self._given else NOTHING

    def table(self, part: str, name: str, table: pa.Table) -> None:
        """Take a table, but for columns that are no result."""
        self._take(part, f"{name} {table.num_rows}\n".encode())
        for column in table.column_names:
            if column not in LEFT_OUT:
                self._take(part, f"{column}\n".encode())
                self._take(part, _bytes(table[column]))

    def _take(self, part: str, data: bytes) -> None:
        self._given.add(part)
        self._parts[part].update(data)


def _tables(result: Result) -> Iterator[tuple[str, pa.Table]]:
    """Yield all tables but that of packets, always in the same order."""
    named: dict[str, pa.Table | None] = {name: getattr(result, name) for name in _TABLES}
    if result.blame is not None:
        named |= result.blame.tables()
    if result.critical_path is not None:
        path = result.critical_path
        named |= {"critical_path": path.pieces, "process_times": path.processes}
    for name in _COLUMNS:
        columns = getattr(result, name)
        named[name] = None if columns is None else pa.table(dict(columns))
    for job, of_job in result.jobs.items():
        named[f"histogram of {job}"] = of_job.histogram
    for name, table in named.items():
        if table is not None:
            yield name, table


def _bytes(column: pa.ChunkedArray) -> bytes:
    """Return the values of a column, in order: those that are whole numbers as such."""
    kind = f"{column.type}\n".encode()
    if pa.types.is_integer(column.type) and column.null_count == 0:
        return kind + column.to_numpy().astype("<i8").tobytes()
    if pa.types.is_fixed_size_list(column.type) and column.null_count == 0:
        flat = column.combine_chunks()
        flat = pa.chunked_array(flat.chunks if isinstance(flat, pa.ChunkedArray) else [flat])
        values = [chunk.flatten() for chunk in flat.chunks]
        return kind + _bytes(pa.chunked_array(values, column.type.value_type))
    return kind + json.dumps(_plain(column.to_pylist())).encode()


def _plain(value: Any) -> Any:
    """Return a value for JSON without what is no result, and numbers with nine digits."""
    if isinstance(value, float):
        return f"{value + 0.0:.9g}"  # no zero is below zero
    if isinstance(value, Mapping):
        return {str(k): _plain(inner) for k, inner in value.items() if k not in LEFT_OUT}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if value is None or isinstance(value, bool | int | str):
        return value
    return str(value)
