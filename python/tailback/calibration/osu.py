"""OSU micro-benchmarks: `osu_latency`, `osu_bw`, `osu_bibw` and those of collectives.

A title, a line that names the columns, then size and value. MB are 10^6 bytes. Collectives
have the mean over processes in their first column; how many processes took part is not said.
"""

from __future__ import annotations

import re
from pathlib import Path

from ..errors import line_mistake, listed, nearest
from .measured import (
    COLLECTIVES,
    HALF_ROUND_TRIP,
    OSU_WINDOW,
    Exchange,
    Measured,
    Reader,
    amount,
    messages_in_flight,
    numbered_rows,
)

_TITLE = re.compile(r"#\s*OSU \S+ (.+?) Test\b", re.IGNORECASE)


def _window(*, both_ways: bool) -> Exchange:
    # The two ends of osu_bibw wait for each other's messages: there is no reply besides.
    return messages_in_flight(OSU_WINDOW, both_ways=both_ways, ends_with_reply=True)


#: By the titles of tests.
_TESTS = {
    "latency": HALF_ROUND_TRIP,
    "bandwidth": _window(both_ways=False),
    "bi-directional bandwidth": _window(both_ways=True),
    "allreduce latency": COLLECTIVES["all_reduce"],
    "allgather latency": COLLECTIVES["all_gather"],
    "all-to-all personalized exchange latency": COLLECTIVES["all_to_all"],
    "broadcast latency": COLLECTIVES["broadcast"],
    "reduce latency": COLLECTIVES["reduce"],
    "reduce_scatter latency": COLLECTIVES["reduce_scatter"],
}


def read(path: Path, text: str) -> list[Measured]:
    """Read a file. Raises `UserError` for the first mistake, with its line."""
    found: list[Measured] = []
    for number, line, cells in numbered_rows(text):
        title = _TITLE.search(line)
        if title is not None:
            found.append(Measured(path, _test(path, number, title[1])))
        elif cells and cells[0][0].isdigit():
            if not found:
                raise line_mistake(path, number, None, "has a row before the title of a test")
            found[-1].add(number, cells[0], _microseconds(found[-1], number, cells))
    return found


def _test(path: Path, line: int, title: str) -> Exchange:
    test = _TESTS.get(title.lower())
    if test is None:
        allowed = f"is a test that is not read: {listed(_TESTS)} are"
        raise line_mistake(path, line, title, allowed, nearest(title.lower(), _TESTS))
    return test


def _microseconds(measured: Measured, line: int, cells: list[str]) -> float:
    exchange = measured.exchange
    if exchange.window == 1:
        return amount(measured.path, line, cells, 1, "time in us")
    per_us = amount(measured.path, line, cells, 1, "bandwidth in MB/s")
    size = float(cells[0]) if cells[0].isdigit() else 0.0
    # Bytes of both directions are added up.
    return size * (2 if exchange.operation == "both_ways" else 1) / per_us


READERS = (Reader("osu", lambda text: _TITLE.search(text) is not None, read),)
