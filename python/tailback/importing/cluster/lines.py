"""Lines of files, and numbers in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from ...errors import UserError
from ...units import Rate, Time
from .description import Cluster

_NUMBER = re.compile(r"[0-9]{1,9}")
_DECIMAL = re.compile(r"[0-9]{1,12}(\.[0-9]{1,12})?([eE]-?[0-9]{1,2})?")
_LONGEST_PS = 10**12


def words(text: str, comment: str = "#") -> Iterator[tuple[int, list[str]]]:
    """Yield the lines that say something: number and words."""
    for number, line in enumerate(text.splitlines(), 1):
        found = line.partition(comment)[0].split()
        if found:
            yield number, found


def whole(found: Cluster, line: int | None, text: str, what: str, least: int = 0) -> int:
    """Return a whole number from ``least``. Raises `UserError`."""
    if not _NUMBER.fullmatch(text) or int(text) < least:
        raise found.mistake(line, text, f"must be {what}, a whole number from {least}")
    return int(text)


def decimal(found: Cluster, line: int | None, text: str, what: str) -> Fraction:
    """Return a number that is not negative. Raises `UserError`."""
    if not _DECIMAL.fullmatch(text):
        raise found.mistake(line, text, f"must be {what}, a number that is not negative")
    return Fraction(text)


def rate(found: Cluster, line: int | None, bits: Fraction, given: str) -> Rate:
    """Return a number of bits per second as a rate. Raises `UserError`."""
    try:
        return Rate.parse(f"{round(bits)} bit/s")
    except UserError as error:
        raise found.mistake(line, given, f"is no rate: {error.allowed}") from None


def delay_ps(found: Cluster, line: int | None, nanoseconds: Fraction, given: str) -> int:
    """Return a time of at most a second in picoseconds. Raises `UserError`."""
    time = Time(round(nanoseconds * 1000))
    if time.amount > _LONGEST_PS:
        raise found.mistake(line, given, "must be at most 1 s")
    return time.amount
