"""Lists of flows as other simulators have them: htsim's `.cm`, and the flow files of HPCC.

Each flow is one message. Formats: `Source->destination` lines of the Ultra Ethernet simulator
(htsim), with `start` in picoseconds; and lines `source destination priority port bytes start`
below a count, with `start` in seconds [Li et al. 2019, HPCC]. A priority is a traffic class of
`run.blame`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, NamedTuple

from ..csv_files import whole_number
from ..errors import UserError, line_mistake, nearest, read_text
from ..units import Size, Time

_MOST_NODES = 2**32 - 1
_MOST_CLASSES = 2**32 - 2
_PS_PER_SECOND = 10**12


class Flow(NamedTuple):
    """A message: times in picoseconds, a length in bytes."""

    time_ps: int
    source: int
    destination: int
    bytes: int
    traffic_class: int


class _Lines:
    """Lines of a file that say something, and where a mistake is."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.number = 0

    def __iter__(self) -> Iterator[list[str]]:
        for number, line in enumerate(read_text(self.path).splitlines(), start=1):
            self.number = number
            words = line.split("#", 1)[0].split()
            if words:
                yield words

    def mistake(self, given: object, allowed: str, meant: str | None = None) -> UserError:
        return line_mistake(self.path, self.number, given, allowed, meant)

    def whole(self, what: str, text: str, most: int) -> int:
        """Return a number from 0 to ``most``."""
        number = whole_number(text)
        if number is None or number > most:
            raise self.mistake(text, f"{what} must be a whole number, 0 to {most}")
        return number


def is_hpcc(path: Path) -> bool:
    """Tell whether a file begins with a count and, if that is above 0, a flow of six numbers."""
    lines = iter(_Lines(path))
    first, second = next(lines, []), next(lines, None)
    return len(first) == 1 and first[0].isdigit() and (second is None or len(second) == 6)


def read_hpcc(path: Path) -> list[Flow]:
    """Read a flow file of HPCC. Raises `UserError` with the line of a mistake."""
    lines, flows, count = _Lines(path), [], -1
    for words in lines:
        if count < 0:
            if len(words) != 1:
                raise lines.mistake(" ".join(words), "must be the number of flows")
            count = lines.whole("the number of flows", words[0], 2**40)
            continue
        if len(words) != 6:
            allowed = "must be source, destination, priority, port, bytes and start"
            raise lines.mistake(" ".join(words), allowed)
        source, destination, priority, port, length, start = words
        lines.whole("port", port, 2**32)
        flows.append(
            Flow(
                _seconds(lines, start),
                lines.whole("source", source, _MOST_NODES),
                lines.whole("destination", destination, _MOST_NODES),
                lines.whole("bytes", length, Size.largest),
                lines.whole("priority", priority, _MOST_CLASSES),
            )
        )
    return _counted(lines, flows, max(count, 0), "flows")


def _seconds(lines: _Lines, text: str) -> int:
    """Return a time in picoseconds, rounded to the nearest."""
    try:
        seconds = Decimal(text)
        is_time = seconds.is_finite() and 0 <= seconds * _PS_PER_SECOND <= Time.largest
    except InvalidOperation:
        is_time = False
    if not is_time:
        raise lines.mistake(
            text, f"start must be a number of seconds, at most {Time(Time.largest)}"
        )
    return round(seconds * _PS_PER_SECOND)


_ENDS = re.compile(r"(\d+)->(\d+)")
#: What may be said of a connection, and whether it has an effect.
_OF_CONNECTION = (
    "id",
    "start",
    "size",
    "prio",
    "trigger",
    "send_done_trigger",
    "recv_done_trigger",
)
_HEADS = ("Nodes", "Connections", "Triggers", "Failures")


def read_cm(path: Path) -> list[Flow]:
    """Read a connection matrix of htsim. Raises `UserError` with the line of a mistake.

    Connections that a trigger starts, and failures, are refused.
    """
    lines, flows = _Lines(path), []
    heads: dict[str, int] = {}
    for words in lines:
        head = words[0].capitalize()
        if head in _HEADS and len(words) == 2:
            heads[head] = lines.whole(head, words[1], 2**40)
            if head in ("Triggers", "Failures") and heads[head]:
                raise _unread(lines, head.lower())
            continue
        ends = _ENDS.fullmatch(words[0])
        if words[0] in ("trigger", "failure"):
            raise _unread(lines, f"{words[0]}s")
        if ends is None:
            allowed = "must be source->destination, or one of Nodes, Connections with a number"
            raise lines.mistake(words[0], allowed, nearest(head, _HEADS))
        flows.append(_connection(lines, ends, words[1:], heads.get("Nodes")))
    return _counted(lines, flows, heads.get("Connections", len(flows)), "connections")


def _unread(lines: _Lines, what: str) -> UserError:
    allowed = f"{what} are not read: what waits for other messages can be written as GOAL"
    return lines.mistake(None, allowed)


def _connection(lines: _Lines, ends: re.Match[str], words: list[str], nodes: int | None) -> Flow:
    given: dict[str, str] = {}
    for name, value in zip(words[::2], [*words[1::2], ""], strict=False):
        if name not in _OF_CONNECTION:
            allowed = f"must be one of {', '.join(_OF_CONNECTION)}"
            raise lines.mistake(name, allowed, nearest(name, _OF_CONNECTION))
        if not value:
            raise lines.mistake(name, "must be followed by a number")
        given[name] = value
    if any("trigger" in name for name in given):
        raise _unread(lines, "triggers")
    for name in ("start", "size"):
        if name not in given:
            raise lines.mistake(None, f"has no {name}")
    most = _MOST_NODES if nodes is None else nodes - 1
    return Flow(
        lines.whole("start", given["start"], Time.largest),
        lines.whole("source", ends[1], most),
        lines.whole("destination", ends[2], most),
        lines.whole("size", given["size"], Size.largest),
        lines.whole("prio", given.get("prio", "0"), _MOST_CLASSES),
    )


def _counted(lines: _Lines, flows: list[Flow], count: int, what: str) -> list[Flow]:
    """Refuse a file that has more or fewer flows than it says: it may be cut off."""
    if len(flows) != count:
        problem = f"says that it has {count} {what}, and has {len(flows)}"
        raise UserError(str(lines.path), None, problem)
    if not flows:
        raise UserError(str(lines.path), None, f"has no {what}")
    return flows


#: Readers by format.
READERS: dict[str, Callable[[Path], list[Flow]]] = {"htsim": read_cm, "hpcc": read_hpcc}


def columns(flows: list[Flow]) -> tuple[list[Any], ...]:
    """Return times, sources, destinations, lengths and classes."""
    return tuple(map(list, zip(*flows, strict=True)))
