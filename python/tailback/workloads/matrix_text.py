"""Traffic matrices as other tools write them: a square of numbers, or a table of noxim."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite
from pathlib import Path

from ..errors import UserError, read_text, shown

#: The line of an entry, and its source, destination and weight.
Entry = tuple[int, list[str]]

_LONGEST_ROW = 7
"""Of a table of noxim: source, destination, two rates and three times."""


def plain_entries(path: Path) -> list[Entry]:
    """Read a square of as many rows as columns, or rows of ``source destination [rate …]``.

    Nothing is returned for a file that begins with something else than numbers. A table of noxim is
    known by its comments with ``%`` or by not being square. Raises `UserError` for what is neither,
    and for flows that are not always there.
    """
    text = read_text(path)
    rows = list(_rows(text))
    if not rows or any(_number(word) is None for word in rows[0][1]):
        return []
    if {len(row) for _, row in rows} != {len(rows)} or "%" in text:
        return [_flow(path, line, row) for line, row in rows]
    if 1 < len(rows) <= _LONGEST_ROW and _could_be_flows(rows):
        allowed = "may be a matrix or a table of noxim: begin a table with a comment, % flows"
        raise UserError(str(path), None, allowed)
    return [
        (line, [str(source), str(destination), word])
        for source, (line, row) in enumerate(rows)
        for destination, word in enumerate(row)
        if source != destination or _number(word) != 0
    ]


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield lines with their numbers, as words without comments."""
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.split("%", 1)[0].split()
        if words:
            yield number, words


def _could_be_flows(rows: list[tuple[int, list[str]]]) -> bool:
    """Tell whether every row begins with the numbers of two nodes that differ."""
    return all(row[0].isdigit() and row[1].isdigit() and row[0] != row[1] for _, row in rows)


def _flow(path: Path, line: int, row: list[str]) -> Entry:
    if not 2 <= len(row) <= _LONGEST_ROW:
        allowed = f"must be a square of numbers, or have 2 to {_LONGEST_ROW} numbers in every line"
        raise UserError(f"{path}: line {line}", f"{len(row)} numbers", allowed)
    source, destination, rate, *rest = [*row, "1"][: max(3, len(row))]
    times = [_number(word) for word in rest[1:]]
    if len(times) > 1 and (times[0] or 0.0) >= 0 and not _is_always(times):
        allowed = "times of activity are not simulated: a flow must be there all the time"
        raise UserError(f"{path}: line {line}", shown(" ".join(rest[1:])), allowed)
    return line, [source, destination, rate]


def _is_always(times: list[float | None]) -> bool:
    """Tell whether a flow that begins, ends and repeats so is never off."""
    begin, end, *period = times
    return begin == 0 and end is not None and bool(period) and end >= (period[0] or 0.0)


def _number(word: str) -> float | None:
    try:
        number = float(word)
    except ValueError:
        return None
    return number if isfinite(number) else None
