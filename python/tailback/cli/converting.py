"""The command that converts traces of programs: `convert`."""

from __future__ import annotations

import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from tailback.errors import UserError
from tailback.interrupts import deferred

from .answering import INTERRUPTED, failures, print_json, quantity_of
from .options import Json, app, examples

_QUIET_S = 2.0

In = Annotated[Path, typer.Argument(metavar="IN", help="The trace, or one file of it.")]
To = Annotated[Path, typer.Argument(metavar="OUT", help="The file to write.")]
FromFormat = Annotated[
    str | None,
    typer.Option(
        "--from", metavar="FORMAT", help="Format of IN; default: detected from its content."
    ),
]
ToFormat = Annotated[
    str | None, typer.Option("--to", metavar="FORMAT", help="Format of OUT; default: by its name.")
]
Flops = Annotated[
    float | None,
    typer.Option("--flops", help="Operations per second, to turn work into time."),
]
Cycle = Annotated[str, typer.Option("--cycle", help="netrace: length of a cycle.")]
Groups = Annotated[
    Path | None, typer.Option("--groups", metavar="FILE", help="Chakra: ranks of groups, as JSON.")
]
PeakFlops = Annotated[
    float | None,
    typer.Option(
        "--peak-flops", help="Chakra: peak rate of a roofline that gives the time of computations."
    ),
]
Memory = Annotated[
    float | None,
    typer.Option("--memory-bandwidth", help="Chakra: bytes per second, for --peak-flops."),
]
Limit = Annotated[
    int, typer.Option("--limit-gib", help="Largest size of an expanded file, in GiB.")
]


@app.command(
    epilog=examples(
        "tailback convert ring.goal ring.bin",
        "tailback convert traces/files.txt program.tbt",
        "tailback convert packets.tra.bz2 packets.tbt --cycle 500ps",
        "tailback convert traces.otf2 program.tbt",
    )
)
def convert(  # noqa: PLR0913, PLR0917  # one argument per option
    source: In,
    out: To,
    from_format: FromFormat = None,
    to_format: ToFormat = None,
    flops: Flops = None,
    cycle: Cycle = "1 ns",
    groups: Groups = None,
    peak_flops: PeakFlops = None,
    memory_bandwidth: Memory = None,
    limit_gib: Limit = 16,
    json: Json = False,
) -> None:
    """Convert the trace of a program to another format.

    Reads GOAL, SimGrid's time-independent traces, Chakra, netrace, DUMPI as text, liballprof,
    OTF2 (with the library otf2) and our own format; writes GOAL (.goal, .bin), SimGrid's (.ti),
    lists of messages (.csv) and our own format (.tbt). Notes list what has no effect or was
    changed; what OUT cannot express is refused.
    """
    with failures(json, source):
        from tailback.conversion import Reading, convert
        from tailback.units import Time, counted

        length = quantity_of("--cycle", Time, cycle)
        if length.amount == 0:
            raise UserError("--cycle", cycle, "must be above 0")
        reading = Reading(from_format, limit_gib, length, groups, peak_flops, memory_bandwidth)
        with deferred() as is_pressed, _Progress() as progress:

            def watch(operations: int) -> bool:
                progress.show(operations)
                return not is_pressed()

            found = convert(source, out, reading, target=to_format, flops=flops, watch=watch)
        if found is None:
            print("interrupted", file=sys.stderr)
            raise typer.Exit(INTERRUPTED)
        if json:
            print_json(asdict(found))
            return
        typer.echo(
            f"{out}: {found.target}, {counted(found.ranks, 'rank')}, "
            f"{counted(found.operations, 'operation')}, "
            f"{counted(found.messages, 'message')} of {found.bytes} B together, "
            f"{counted(found.collectives, 'part')} of collectives"
        )
        for note in found.notes:
            typer.echo(f"note: {note}", err=True)


class _Progress:
    """A progress line on standard error, shown after two seconds of work."""

    def __init__(self) -> None:
        self._shown = self._started = time.monotonic()
        self._is_terminal = sys.stderr.isatty()

    def __enter__(self) -> _Progress:
        return self

    def show(self, operations: int) -> None:
        """Show it if it is time to."""
        now = time.monotonic()
        between = 0.1 if self._is_terminal else _QUIET_S
        if now - self._started < _QUIET_S or now - self._shown < between:
            return
        self._shown = now
        rate = operations / (now - self._started)
        text = f"{operations} operations, {rate / 1e6:.2f} million/s"
        end = "\r" if self._is_terminal else "\n"
        print(text, end=end, file=sys.stderr, flush=True)

    def __exit__(self, *error: object) -> None:
        """Clear the line."""
        if self._is_terminal and self._shown > self._started:
            print("\x1b[K", end="", file=sys.stderr, flush=True)
