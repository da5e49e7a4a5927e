"""Lines and host lists of Slurm's files: `key=value` words, `node[000-017,020]`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product

from ...errors import listed
from .description import Cluster

_RANGE = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")
_MOST_NAMES = 1 << 20


def statements(text: str) -> list[tuple[int, str]]:
    """Return lines that say something, those that end in a backslash with the next."""
    found: list[tuple[int, str]] = []
    goes_on = False
    for number, line in enumerate(text.splitlines(), 1):
        said = line.partition("#")[0].strip()
        more = said.endswith("\\")
        said = said.removesuffix("\\").strip()
        if goes_on:
            found[-1] = (found[-1][0], f"{found[-1][1]} {said}")
        elif said:
            found.append((number, said))
        goes_on = more and bool(found)
    return found


def words_of(found: Cluster, line: int, said: str, known: Sequence[str]) -> dict[str, str]:
    """Return the value of each key of a line, by its name in lower case."""
    words: dict[str, str] = {}
    for word in said.split():
        key, equals, value = word.partition("=")
        if not equals or key.lower() not in [name.lower() for name in known]:
            allowed = f"must be {listed(f'{name}=' for name in known)}"
            raise found.mistake(line, word, allowed)
        if key.lower() in words:
            raise found.mistake(line, key, "is there twice in this line")
        words[key.lower()] = value
    return words


def names_of(found: Cluster, line: int, text: str) -> list[str]:
    """Return the names of a host list: `a[00-02,7],b` is a00, a01, a02, a7, b."""
    names: list[str] = []
    for part in re.split(r",(?![^\[]*\])", text):
        pieces = re.split(r"(\[[^\[\]]*\])", part)
        if not part or any(mark in "".join(pieces[::2]) for mark in "[]"):
            raise found.mistake(line, text, "is no list of names, such as node[000-017,020]")
        choices = [
            _numbers(found, line, piece[1:-1]) if place % 2 else [piece]
            for place, piece in enumerate(pieces)
        ]
        count = 1
        for choice in choices:
            count *= len(choice)
        if count + len(names) > _MOST_NAMES:
            raise found.mistake(line, text, f"must be at most {_MOST_NAMES} names")
        names += map("".join, product(*choices))
    return names


def _numbers(found: Cluster, line: int, text: str) -> list[str]:
    numbers: list[str] = []
    for part in text.split(","):
        ends = _RANGE.fullmatch(part)
        if ends is None:
            raise found.mistake(line, f"[{text}]", "must be numbers and ranges, such as [000-017]")
        first, last = ends[1], ends[2] or ends[1]
        if int(last) < int(first) or int(last) - int(first) >= _MOST_NAMES:
            raise found.mistake(line, part, f"must be at most {_MOST_NAMES} ascending numbers")
        numbers += [str(at).zfill(len(first)) for at in range(int(first), int(last) + 1)]
    return numbers
