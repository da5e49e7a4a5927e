"""CODES: what a `.conf` says, keys and values in sections, and its files of connections."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from ...errors import UserError, read_bytes, read_text
from ...units import Rate
from .description import MOST, Cluster
from .lines import decimal, rate, whole

_TOKEN = re.compile(
    r'[{}]|(?P<key>[A-Za-z_][\w-]*)\s*=\s*(?:"(?P<value>[^"]*)"|(?P<list>\([^)]*\)))\s*;?'
    r"|[A-Za-z_]\w*(?=\s*(?:\{|$))"
)
_GIB = Fraction(8 * 2**30)
_RECORDS = 1 << 24


@dataclass(frozen=True)
class Conf:
    """Values by key, with their lines; keys of all sections are different."""

    found: Cluster
    said: dict[str, tuple[int, str]]

    def number(self, key: str, least: int = 1, usual: int | None = None) -> int:
        """Return a whole number. Raises `UserError`."""
        if key not in self.said:
            if usual is None:
                raise self.found.mistake(None, None, f"has no {key}")
            return usual
        line, text = self.said[key]
        return whole(self.found, line, text.strip(), key, least)

    def numbers(self, key: str) -> list[int]:
        """Return whole numbers with commas between them, in brackets and quotes or not."""
        if key not in self.said:
            raise self.found.mistake(None, None, f"has no {key}")
        line, text = self.said[key]
        parts = text.strip("()").replace('"', "").split(",")
        return [whole(self.found, line, part.strip(), key, 1) for part in parts]

    def rate(self, key: str) -> Rate:
        """Return a bandwidth, which is in GiB/s. Raises `UserError`."""
        if key not in self.said:
            raise self.found.mistake(None, None, f"has no {key}")
        line, text = self.said[key]
        given = decimal(self.found, line, text.strip(), f"{key} in GiB/s")
        return rate(self.found, line, given * _GIB, text)

    def pairs(self, key: str, size: int, nodes: int) -> Counter[tuple[int, int]]:
        """Return how often each pair is in a file of connections, records of ``size`` numbers.

        Raises `UserError` for a file that is missing or cut, and for a pair that is not there as
        often the other way.
        """
        path = self.file(key)
        content = read_bytes(path)
        record = 4 * size
        if len(content) % record or not content:
            allowed = f"must be whole records of {record} bytes; is the file cut?"
            raise UserError(str(path), f"{len(content)} bytes", allowed)
        if len(content) // record > min(_RECORDS, 4 * MOST):
            raise UserError(str(path), f"{len(content)} bytes", "is too large")
        pairs: Counter[tuple[int, int]] = Counter()
        for at in range(0, len(content), record):
            ends = [
                int.from_bytes(content[at + 4 * n : at + 4 * n + 4], "little", signed=True)
                for n in (0, 1)
            ]
            for end in ends:
                if not 0 <= end < nodes:
                    place = f"{path}: record {at // record + 1}"
                    allowed = f"must be a router, 0 to {nodes - 1}, as {self.found.path} says"
                    raise UserError(place, str(end), allowed)
            pairs[ends[0], ends[1]] += 1
        for (one, other), count in pairs.items():
            if pairs[other, one] != count:
                allowed = f"is there {count} times, but {pairs[other, one]} times the other way"
                raise UserError(str(path), f"connection {one} to {other}", allowed)
        return pairs

    def file(self, key: str) -> Path:
        """Return where a file is that the configuration names: there, or beside it."""
        if key not in self.said:
            raise self.found.mistake(None, None, f"has no {key}")
        line, text = self.said[key]
        there = self.found.path.parent / text
        beside = self.found.path.parent / Path(text).name
        for path in (there, beside):
            if path.is_file():
                return path
        raise self.found.mistake(line, text, f"is no file, nor is {beside}")


def read_conf(path: Path) -> Conf:
    """Read a `.conf`. Raises `UserError` for the first mistake, with its line."""
    found = Cluster(path)
    said: dict[str, tuple[int, str]] = {}
    depth = 0
    for line, raw in enumerate(read_text(path).splitlines(), 1):
        text = raw.partition("#")[0].strip()
        while text:
            token = _TOKEN.match(text)
            if token is None:
                raise found.mistake(line, text, 'must be a section or key="value";')
            depth += (token[0] == "{") - (token[0] == "}")
            if depth < 0:
                raise found.mistake(line, "}", "closes nothing")
            name = token["key"]
            if name is not None and name in said:
                raise found.mistake(line, name, f"is there already, in line {said[name][0]}")
            if name is not None:
                said[name] = line, token["value"] if token["list"] is None else token["list"]
            text = text[token.end() :].strip()
    if depth:
        raise found.mistake(None, None, "ends inside a section; is the file cut?")
    return Conf(found, said)
