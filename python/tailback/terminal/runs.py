"""Tables of many runs for the terminal: plain text, fast."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tailback.figures.labels import list_text
from tailback.metrics import OF_CLASSES, OF_JOBS
from tailback.statistics import Estimate
from tailback.tables.frames import floats, is_number, values
from tailback.wording import UNKNOWN, number, plain

if TYPE_CHECKING:
    import pyarrow as pa

_GAP = "  "
_WIDEST_HEAD = 12


@dataclass(frozen=True)
class Shown:
    """A column as it is shown."""

    name: str
    """In the table of runs."""
    label: str
    """Its name, as short as is clear."""
    head: tuple[str, ...]
    """The same on several lines."""
    cells: tuple[str, ...]
    is_number: bool

    @property
    def width(self) -> int:
        """Characters of its widest line."""
        return max(map(len, [*self.head, *self.cells]), default=0)


def columns_of(rows: pa.Table) -> list[Shown]:
    """Return the columns of a table of runs: `6.943 ±0.012` where there is an interval.

    Columns `x_low` and `x_high` beside `x` are its interval. Parameters are called by
    the last part of their names where that is clear.
    """
    names = [name for name in rows.column_names if not _is_end(name, rows.column_names)]
    return [
        Shown(
            name, label, tuple(_head(label)), tuple(_cells(rows, name)), is_number(rows[name].type)
        )
        for name in names
        for label in [_short(name, names)]
    ]


def runs_table(rows: pa.Table) -> str:
    """Return a table of runs, one line each, as wide as it needs to be."""
    return table_text(columns_of(rows))


def table_text(columns: Sequence[Shown]) -> str:
    """Return columns side by side below their heads."""
    lines = max((len(column.head) for column in columns), default=0)
    heads = [("",) * (lines - len(column.head)) + column.head for column in columns]
    numeric = [column.is_number for column in columns]
    widths = [column.width for column in columns]
    table = [_line(head, widths, numeric) for head in zip(*heads, strict=True)]
    table.append("─" * width_of(columns))
    rows = zip(*(column.cells for column in columns), strict=True)
    return "\n".join([*table, *(_line(cells, widths, numeric) for cells in rows)])


def width_of(columns: Sequence[Shown]) -> int:
    """Return the width of columns side by side."""
    return sum(column.width for column in columns) + len(_GAP) * (len(columns) - 1)


def _is_end(name: str, names: Sequence[str]) -> bool:
    """Whether a column is an end of the interval of another."""
    stem = name.removesuffix("_low").removesuffix("_high")
    return stem != name and {stem, f"{stem}_low", f"{stem}_high"} <= set(names)


def _short(name: str, names: Sequence[str]) -> str:
    """Return the last part of a parameter's name, or more if another ends so.

    What is of some kind is always said, and of which job or traffic class.
    """
    parts = name.split(".")
    of_part = parts[-1] == "kind" or name.startswith((OF_CLASSES, OF_JOBS))
    for count in range(2 if of_part else 1, len(parts)):
        last = ".".join(parts[-count:])
        if sum(f".{other}".endswith(f".{last}") for other in names) == 1:
            return last
    return name


def _head(name: str) -> list[str]:
    """Return a name on several lines, broken behind underscores."""
    lines = [""]
    for i, word in enumerate(name.split("_")):
        part = word if i == 0 else f"_{word}"
        if lines[-1] and len(lines[-1]) + len(part) > _WIDEST_HEAD:
            lines.append("")
        lines[-1] += part
    return lines


def _line(cells: Sequence[str], widths: Sequence[int], numeric: Sequence[bool]) -> str:
    parts = (
        cell.rjust(width) if right else cell.ljust(width)
        for cell, width, right in zip(cells, widths, numeric, strict=True)
    )
    return _GAP.join(parts).rstrip()


def _cells(rows: pa.Table, name: str) -> list[str]:
    known = values(rows[name])
    if f"{name}_low" in rows.column_names and f"{name}_high" in rows.column_names:
        ends = (floats(rows[f"{name}_{end}"]).tolist() for end in ("low", "high"))
        return list(_estimates(known, *ends))
    return [_shown(name, value) for value in known]


def _estimates(
    values: Sequence[float | None], lows: Sequence[float], highs: Sequence[float]
) -> Iterator[str]:
    for value, low, high in zip(values, lows, highs, strict=True):
        estimate = Estimate(math.nan if value is None else value, low, high)
        yield number(estimate)


def _shown(column: str, value: object) -> str:
    if value is None:
        return UNKNOWN
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, str):
        return list_text(column, value)
    return f"{value:,}" if isinstance(value, int) else str(value)


def _float(value: float) -> str:
    if value.is_integer() and abs(value) < 1e15:
        return f"{value:,.0f}"
    return f"{value:.6g}" if 1e-4 <= abs(value) < 1e6 else plain(value)
