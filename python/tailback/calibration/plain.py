"""A CSV file of half round trips: columns `bytes` and `microseconds`."""

from __future__ import annotations

import re
from pathlib import Path

from ..csv_files import read_csv
from .measured import HALF_ROUND_TRIP, Measured, Reader, amount

_COLUMNS = ("bytes", "microseconds")


def read(path: Path, text: str) -> list[Measured]:
    """Read a file. Raises `UserError` for the first mistake, with its line."""
    del text
    found = Measured(path, HALF_ROUND_TRIP)
    for line, (size, time) in read_csv(path, _COLUMNS).cells(_COLUMNS):
        found.add(line, size, amount(path, line, [time] if time else [], 0, "time in us"))
    return [found]


def _is_like(text: str) -> bool:
    first = next((line for line in text.splitlines() if line.strip()), "")
    return set(_COLUMNS) <= set(re.split(r"\s*,\s*", first.strip()))


READERS = (Reader("csv", _is_like, read),)
