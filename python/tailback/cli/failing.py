"""The command on links that may fail: `resilience`."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from tailback.errors import UserError, shown
from tailback.files import write_named

from .answering import Asked, Found, check_files, command, stored
from .options import Full, Jobs

Failures = Annotated[
    str,
    typer.Option("--failures", metavar="N|N..M", help="How many links fail together: 2, or 1..3."),
]
Draws = Annotated[
    int,
    typer.Option(
        "--draws", metavar="N", min=1, help="Sets of links for each number of failures, at most."
    ),
]
Csv = Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Write a row per draw.")]

_RANGE = re.compile(r"(\d{1,6})(?:\.\.(\d{1,6}))?")
_LONGEST = 1000


@command(
    "tailback resilience cluster.toml --failures 1",
    "tailback resilience cluster.toml --failures 1..3 --draws 100 --csv draws.csv",
)
def resilience(  # one argument per option
    asked: Asked,
    *,
    failures: Failures = "1..3",
    draws: Draws = 100,
    jobs: Jobs = None,
    csv: Csv = None,
    full: Full = False,
) -> Found:
    """Say what random failures of links cost: median, 95th percentile, worst."""
    from tailback.failing import resilience as found_of
    from tailback.terminal.failing import resilience_report

    counts = _counts(failures)
    experiment = asked.experiment()
    asked.prepare(experiment)
    check_files(csv=csv)
    with asked.running() as watch:
        found = found_of(experiment, counts, draws, jobs=jobs, watch=watch)
    whole = found.whole
    asked.save(answer := found.to_dict(), partial(stored, {whole.mode: whole}))
    if csv is not None:
        write_named("--csv", csv, found.csv_text().encode())
    asked.tell(answer, partial(resilience_report, found, full=full))
    return found


def _counts(text: str) -> range:
    """Return the numbers of `2` or `1..3`."""
    read = _RANGE.fullmatch(text.strip())
    first, last = (0, 0) if read is None else (int(read[1]), int(read[2] or read[1]))
    if not 1 <= first <= last <= _LONGEST:
        allowed = f"must be a number of links, or a range such as 1..3, up to {_LONGEST}"
        raise UserError("--failures", shown(text), allowed)
    return range(first, last + 1)
