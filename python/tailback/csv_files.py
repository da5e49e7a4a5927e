"""CSV files whose first row names the columns: written; read, and where in them a mistake is."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from .errors import UserError, nearest, read_text, shown

#: With which of these a text begins, spreadsheets take it for a formula and may carry it out.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def csv_text(names: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Return rows as CSV with a head; what is None is empty.

    A text that a spreadsheet would take for a formula begins with an apostrophe, which it does not
    show.
    """
    return plain_csv(map(_written, names), (map(_written, row) for row in rows))


def plain_csv(names: Iterable[object], rows: Iterable[Iterable[object]]) -> str:
    """Return rows as CSV with a head, for this program to read again: texts stay as they are."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(rows)
    return text.getvalue()


def _written(value: object) -> object:
    if isinstance(value, bool):
        return str(value).lower()
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


@dataclass(frozen=True, slots=True)
class CsvFile:
    """The names of the columns, and below them rows: line in the file, cells."""

    path: Path
    names: list[str]
    rows: list[tuple[int, list[str]]]

    def cells(self, columns: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
        """Yield of each row its line and the cells of some columns; what is not there is empty."""
        places = [self.names.index(column) for column in columns]
        for line, row in self.rows:
            yield line, [cell(row, place) for place in places]


def read_csv(path: Path, columns: Sequence[str], hint: str = "") -> CsvFile:
    """Read a file that has at least these columns; empty lines are left out.

    Raises `UserError` for a file that is missing or unreadable, and for a missing column: ``hint``
    then follows.
    """
    rows = list(csv_rows(path))
    if not rows:
        raise UserError(str(path), None, "has no rows")
    names = [name.strip() for name in rows[0][1]]
    others = [name for name in names if name not in columns]
    for column in columns:
        if column not in names:
            raise UserError(
                str(path), None, f"has no column {column}{hint}", nearest(column, others)
            )
    return CsvFile(path, names, rows[1:])


def csv_rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a file that are not empty, with their lines.

    Raises `UserError` for a file that is missing or unreadable.
    """
    text = read_text(path)
    lines = csv.reader(text.splitlines(), delimiter=separator(text))
    try:
        for row in lines:
            if row:
                yield lines.line_num, row
    except csv.Error as error:
        raise UserError(str(path), None, f"cannot be read: {error}") from None


def separator(text: str) -> str:
    """Return what stands between columns: a comma, or what spreadsheets write instead of it."""
    head = next(filter(str.strip, io.StringIO(text)), "")
    return next((one for one in (",", ";", "\t") if one in head), ",")


def cell(row: list[str], place: int) -> str:
    """Return what stands in a column of a row; shorter rows are empty there."""
    return row[place].strip() if place < len(row) else ""


def whole_number(text: str, digits: int = 19) -> int | None:
    """Return a number from 0 with so many digits at most; None if it is none."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= digits else None


def cell_mistake(path: Path, line: int, column: str, given: object, allowed: str) -> UserError:
    """Return what is wrong with a cell."""
    return UserError(f"{path}: {column} in line {line}", shown(given), allowed)


def node_number(path: Path, line: int, column: str, text: str) -> int:
    """Return the number of a node in a cell; raises `UserError` if it is none."""
    number = whole_number(text)
    if number is None:
        raise cell_mistake(path, line, column, text, "must be the number of a node")
    return number
