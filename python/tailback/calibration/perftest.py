"""Tools of perftest: `ib_write_bw`, `ib_send_bw`, `ib_write_lat`, `ib_send_lat`.

A title, a line that names the columns, then a row for each size. Latency is half a round trip;
the median is read, or where there is none the mean. Bandwidth is MB/sec of 2^20 bytes, or Gb/sec
of 10^9 bits. Messages follow each other without end, TX depth of them in flight.
"""

from __future__ import annotations

import re
from pathlib import Path

from ..errors import line_mistake
from .measured import (
    HALF_ROUND_TRIP,
    TX_DEPTH,
    Measured,
    Reader,
    amount,
    messages_in_flight,
    numbered_rows,
)

_TITLE = re.compile(r"(?:RDMA_\w+|Send|Atomic\w*|Raw Ethernet)\b.*?\b(?:BW|Latency) Test")
_HEADER = re.compile(r"#bytes\s+#iterations")
_COLUMN = re.compile(r"#\w+|(?:BW |99(?:\.9)?% )?[\w.]+\[[^\]]+\]")
_DEPTH = re.compile(r"TX depth\s*:\s*([0-9]{1,6})\b")
_LATENCIES = ("t_typical[usec]", "t_avg[usec]")
#: Bytes per microsecond, by the column of the bandwidth.
_BANDWIDTHS = {
    "BW average[MB/sec]": 2**20 / 1e6,
    "BW average[MiB/sec]": 2**20 / 1e6,
    "BW average[Gb/sec]": 1e9 / 8 / 1e6,
}
_DEEPEST = 4096


def read(path: Path, text: str) -> list[Measured]:
    """Read a file. Raises `UserError` for the first mistake, with its line."""
    found: list[Measured] = []
    title, depth, place, column = "", TX_DEPTH, 0, ""
    for number, line, cells in numbered_rows(text):
        if _TITLE.search(line):
            title, depth, column = line.strip(), TX_DEPTH, ""
            if "Read" in title or "Atomic" in title:
                raise line_mistake(path, number, title, "is not read: only writes and sends are")
        elif match := _DEPTH.search(line):
            depth = min(max(int(match[1]), 1), _DEEPEST)
        elif _HEADER.search(line):
            if column:
                continue
            place, column = _column(path, number, line)
            found.append(Measured(path, HALF_ROUND_TRIP))
            if column in _BANDWIDTHS:
                both = "bidirectional" in title.lower()
                exchange = messages_in_flight(depth, both_ways=both, ends_with_reply=False)
                found[-1] = Measured(path, exchange)
        elif cells and cells[0].isdigit() and column:
            found[-1].add(number, cells[0], _time(found[-1], number, cells, place, column))
    return found


def _column(path: Path, line: int, header: str) -> tuple[int, str]:
    """Return place and name of the column that is read."""
    columns = _COLUMN.findall(header)
    for name in (*_LATENCIES, *_BANDWIDTHS):
        if name in columns:
            return columns.index(name), name
    wanted = ", ".join((*_LATENCIES, *_BANDWIDTHS))
    raise line_mistake(path, line, None, f"names no column that is read: {wanted}")


def _time(measured: Measured, line: int, cells: list[str], place: int, column: str) -> float:
    value = amount(measured.path, line, cells, place, column)
    if column not in _BANDWIDTHS:
        return value
    ways = 2 if measured.exchange.operation == "both_ways" else 1
    return float(cells[0]) * ways / (value * _BANDWIDTHS[column])


def _is_like(text: str) -> bool:
    return _HEADER.search(text) is not None or _TITLE.search(text) is not None


READERS = (Reader("perftest", _is_like, read),)
