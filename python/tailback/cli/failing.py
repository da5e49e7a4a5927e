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

At = Annotated[
    str | None,
    typer.Option("--time", metavar="TIME", help="When links fail while it runs; with --duration."),
]
Duration = Annotated[
    str | None,
    typer.Option(
        "--duration",
        metavar="TIME",
        help="Let links fail while it runs, for so long; else they are down from the start.",
    ),
]
Reroute = Annotated[
    str | None,
    typer.Option(
        "--reroute-after",
        metavar="TIME",
        help="After so long routes avoid links that fail while it runs; with --duration.",
    ),
]

_RANGE = re.compile(r"(\d{1,6})(?:\.\.(\d{1,6}))?")
_LONGEST = 1000


@command(
    "tailback resilience cluster.toml --failures 1",
    "tailback resilience cluster.toml --failures 1..3 --draws 100 --csv draws.csv",
    'tailback resilience cluster.toml --time "1 ms" --duration "5 ms" --reroute-after "500 us"',
)
def resilience(  # noqa: PLR0913  # one argument per option
    asked: Asked,
    *,
    failures: Failures = "1..3",
    draws: Draws = 100,
    time: At = None,
    duration: Duration = None,
    reroute_after: Reroute = None,
    jobs: Jobs = None,
    csv: Csv = None,
    full: Full = False,
) -> Found:
    """Say what random failures of links cost: median, 95th percentile, worst."""
    from tailback.failing import resilience as found_of
    from tailback.terminal.failing import resilience_report

    counts = _counts(failures)
    fault = _fault(time=time, duration=duration, reroute_after=reroute_after)
    experiment = asked.experiment()
    asked.prepare(experiment)
    check_files(csv=csv)
    with asked.running() as watch:
        found = found_of(experiment, counts, draws, fault=fault, jobs=jobs, watch=watch)
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


def _fault(**keys: str | None) -> dict[str, str] | None:
    """Return the keys of a fault; None if links are down from the start."""
    given = {name: value for name, value in keys.items() if value is not None}
    if not given:
        return None
    if "duration" not in given:
        option = next(iter(given)).replace("_", "-")
        allowed = f"must be given with --{option}: for how long links are down"
        raise UserError("--duration", None, allowed)
    # Refused here, and not after the first run.
    from tailback.experiment.faults import faults_of

    try:
        faults_of([{"every": "link", **given}])
    except UserError as error:
        option = error.field.rpartition(".")[2].replace("_", "-")
        raise UserError(f"--{option}", error.given, error.allowed, error.nearest) from None
    return given
