"""What was measured: times by message size, and what processes did meanwhile."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import line_mistake

#: Messages that `osu_bw` has in flight before it waits for a reply.
OSU_WINDOW = 64
#: The same of tools of perftest, unless their output says another.
TX_DEPTH = 128

_NUMBER = re.compile(r"[0-9]{1,15}(\.[0-9]{0,12})?([eE][+-]?[0-9]{1,2})?")
_LARGEST = 10**9
#: Rows of one table, at most: each is simulated.
_MOST = 1000


@dataclass(frozen=True, slots=True)
class Exchange:
    """What processes do again and again."""

    words: str
    """What the time of a row is that of."""
    operation: str
    """`ping_pong`, `one_way`, `both_ways`, or the step of a program that is a collective."""
    window: int = 1
    """Messages that are sent before the sender waits."""
    ends_with_reply: bool = False
    """Whether a reply ends each window; else messages follow each other without end."""
    is_of_all: bool = False
    """Whether the size is that of the blocks of all processes together."""

    @property
    def is_collective(self) -> bool:
        """Whether all processes take part."""
        return self.operation not in ("ping_pong", "one_way", "both_ways")


HALF_ROUND_TRIP = Exchange("half a round trip", "ping_pong")

#: The collectives that can be measured, by the step of a program.
COLLECTIVES = {
    step: Exchange(step, step, is_of_all=step == "reduce_scatter")
    for step in ("all_reduce", "all_gather", "all_to_all", "broadcast", "reduce", "reduce_scatter")
}


def messages_in_flight(window: int, *, both_ways: bool, ends_with_reply: bool) -> Exchange:
    """Return what bandwidth is measured by: so many messages in flight."""
    words = f"a message, {window} in flight{', both ways' if both_ways else ''}"
    return Exchange(words, "both_ways" if both_ways else "one_way", window, ends_with_reply)


@dataclass
class Measured:
    """One table of a file."""

    path: Path
    exchange: Exchange
    processes: int | None = None
    """None: the file does not say."""
    rows: list[tuple[int, float]] = field(default_factory=list)
    """Bytes and microseconds."""

    def add(self, line: int, size: str, microseconds: float) -> None:
        """Add a row. Raises `UserError` for a size that is none."""
        if not re.fullmatch(r"[0-9]{1,15}", size):
            raise line_mistake(self.path, line, size, "must be a number of bytes")
        if len(self.rows) >= _MOST:
            raise line_mistake(self.path, line, None, f"must have at most {_MOST} rows")
        # Where nothing is sent, there is nothing to be fitted but a ping-pong.
        if int(size) or not (self.exchange.is_collective or self.exchange.window > 1):
            self.rows.append((int(size), microseconds))


@dataclass(frozen=True, slots=True)
class Reader:
    """What reads the output of one tool."""

    word: str
    """What `--format` calls it."""
    is_like: Callable[[str], bool]
    """Whether a text is output of the tool."""
    read: Callable[[Path, str], list[Measured]]
    """Return the tables of a file, given its text. Raises `UserError` for the first mistake."""


def amount(path: Path, line: int, cells: list[str], place: int, what: str) -> float:
    """Return a number above zero in a row. Raises `UserError`."""
    if place >= len(cells):
        raise line_mistake(path, line, None, f"has no {what}: is the file cut off?")
    text = cells[place]
    if not _NUMBER.fullmatch(text) or not 0 < float(text) < _LARGEST:
        raise line_mistake(path, line, text, f"must be a {what}: a number above zero")
    return float(text)


def numbered_rows(text: str) -> list[tuple[int, str, list[str]]]:
    """Return number, text and words of every line; rows of tables begin with a digit."""
    return [(number, line, line.split()) for number, line in enumerate(text.splitlines(), 1)]
