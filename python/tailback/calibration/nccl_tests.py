"""Output of nccl-tests and rccl-tests: `all_reduce_perf` and others.

Lines of comments say which ranks there are, and in newer versions which collective; the time of
the first of two times in a row, out of place, is read. Sizes are those of the buffers of all
ranks where each has a block of its own.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from ..errors import line_mistake
from .measured import (
    COLLECTIVES,
    Exchange,
    Measured,
    Reader,
    amount,
    numbered_rows,
)

_STARTS = re.compile(r"#\s*(?:Collective test starting:\s*(?:\S*/)?(\w+?)_perf\b|nThread\s)")
_RANK = re.compile(r"#\s+Rank\s+([0-9]{1,6})\s.*\bPid\b")
_HEADER = re.compile(r"#\s+size\s+count(\s.*)\btime\s+algbw\s+busbw")
_STEPS = {"alltoall": "all_to_all"}


def read(path: Path, text: str) -> list[Measured]:
    """Read a file. Raises `UserError` for the first mistake, with its line."""
    found: list[Measured] = []
    name, ranks, columns = "", set[int](), list[str]()
    for number, line, cells in numbered_rows(text):
        if match := _STARTS.search(line):
            # Where the name is said, the line of threads follows.
            name = match[1] or (name if not columns else "")
            columns, ranks = [], set()
        elif match := _RANK.search(line):
            ranks.add(int(match[1]))
        elif _HEADER.search(line):
            columns = line.replace("#wrong", "wrong").replace("#", " ").split()
            if len(ranks) == 1:
                allowed = (
                    "lists one rank, and a collective needs two: nccl-tests built without MPI?"
                )
                raise line_mistake(path, number, None, allowed)
            found.append(Measured(path, COLLECTIVES["all_reduce"], len(ranks) or None))
        elif cells and cells[0].isdigit() and columns:
            measured = found[-1]
            if not measured.rows:
                measured.exchange = _exchange(path, number, name, columns, cells)
            place = columns.index("time")
            measured.add(number, cells[0], amount(path, number, cells, place, "time in us"))
    return found


def _exchange(path: Path, line: int, name: str, columns: list[str], cells: list[str]) -> Exchange:
    """Return the collective that is said, or else that of sums without a root: all-reduce."""
    redop = dict(zip(columns, cells, strict=False)).get("redop")
    if not name and redop in (None, "none"):
        allowed = "belongs to a table that does not say which collective it is of"
        raise line_mistake(
            path, line, None, f"{allowed}: put # Collective test starting: NAME_perf"
        )
    step = _STEPS.get(name, name) or "all_reduce"
    if step not in COLLECTIVES:
        raise line_mistake(path, line, f"{name}_perf", f"is not read: {', '.join(COLLECTIVES)} are")
    is_of_all = step in ("all_gather", "all_to_all", "reduce_scatter")
    return replace(COLLECTIVES[step], is_of_all=is_of_all)


READERS = (Reader("nccl_tests", lambda text: _HEADER.search(text) is not None, read),)
