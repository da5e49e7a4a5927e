"""Counters of real ports, as a tool printed them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tailback.errors import line_mistake

_NUMBER = re.compile(r"[0-9]{1,20}|0[xX][0-9a-fA-F]{1,16}")


@dataclass
class Block:
    """One port of a file."""

    path: Path
    line: int
    device: str
    port: int
    lid: int | None = None
    guid: int | None = None
    """InfiniBand addresses of the device, as far as the tool prints them."""
    values: dict[str, int] = field(default_factory=dict)
    """In the units of the tool, by its names."""
    bits: dict[str, int] = field(default_factory=dict)
    """How wide the counter is, of those that are not of 64 bits."""

    def add(self, line: int, name: str, text: str, bits: int = 64) -> None:
        """Add a counter. Raises `UserError` for what is no number."""
        if not _NUMBER.fullmatch(text):
            allowed = f"must be the number that {name} has counted"
            raise line_mistake(self.path, line, text, f"{allowed}: is the file cut off?")
        value = int(text, 16) if text[:2].lower() == "0x" else int(text)
        # An extended counter stands for the one of 32 bits, if there are both.
        if name not in self.values or bits == 64:
            self.values[name] = value
            self.bits.pop(name, None)
            if bits < 64:
                self.bits[name] = bits


@dataclass(frozen=True, slots=True)
class Reader:
    """What reads the text of one tool."""

    word: str
    is_like: Callable[[str], bool]
    read: Callable[[Path, str], Iterator[Block]]
    """Yield the ports of a file, given its text. Raises `UserError` for the first mistake."""
    columns: dict[str, tuple[str, int]]
    """By names of the tool: the column of simulated counters, and how many of its units one is."""
