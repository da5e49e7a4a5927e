"""The command that writes what processes did when: `timeline`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tailback.errors import UserError, nearest, one_line, shown
from tailback.files import check_named, check_new_folder, write_named

from .answering import Asked, Found, command, quantity_of, span_of

if TYPE_CHECKING:
    from tailback.recording import Channels, Recording, Window

_QUEUES = 16
"""Channels whose queue length is shown, unless it is asked for others."""
_MANY_NODES = 128
"""On larger machines queues are shown only if they are asked for: to follow each packet takes
several times the time and memory of the run."""

To = Annotated[
    Path,
    typer.Option(
        "--out", metavar="FILE", help="Output file: .pftrace (Perfetto), .json, .html or .otf2."
    ),
]
Begin = Annotated[
    str, typer.Option("--from", metavar="TIME", help="Start of the window, such as 3 us.")
]
End = Annotated[
    str | None, typer.Option("--to", metavar="TIME", help="End of the window, such as 5 us.")
]
Processes = Annotated[
    str | None,
    typer.Option("--processes", metavar="N-M", help="Processes to include, such as 0-15."),
]
ChannelsShown = Annotated[
    list[str] | None,
    typer.Option(
        "--channels",
        metavar="N|all|none|NAME",
        help="Show packets on the busiest N channels, all, none (the default) or this one; "
        "repeatable.",
    ),
]
QueuesShown = Annotated[
    list[str] | None,
    typer.Option(
        "--queues",
        metavar="N|all|none|NAME",
        help="Show the queue length of the busiest N channels (16; none beyond 128 nodes), all, "
        "none or this one; repeatable.",
    ),
]
SimulatedMode = Annotated[
    str | None,
    typer.Option("--mode", metavar="MODE", help="Contention mode to simulate; default: run.mode."),
]


@command(
    "tailback timeline ring.toml --out ring.pftrace",
    "tailback timeline ring.toml --out ring.json --from 10us --to 20us --processes 0-7",
    'tailback timeline ring.toml --out ring.pftrace --channels "0->1" --channels "1->2"',
    "tailback timeline ring.toml --out ring.html",
    "tailback timeline ring.toml --out ring.otf2",
    without=("json", "out"),
)
def timeline(  # noqa: PLR0913  # one argument per option
    asked: Asked,
    *,
    out: To,
    begin: Begin = "0 s",
    end: End = None,
    processes: Processes = None,
    channels: ChannelsShown = None,
    queues: QueuesShown = None,
    mode: SimulatedMode = None,
) -> Found:
    """Write what processes did when, for a viewer or as a chart.

    A viewer of Perfetto files is at ui.perfetto.dev.
    """
    from tailback.recording import Channels, has_turns, record
    from tailback.timelines import FORMATS

    _check_out(out)
    window = _window(begin, end, processes)
    experiment = asked.experiment()
    mode = mode or experiment.run.mode
    counted = _channels("--queues", queues, out)
    is_small = experiment.machine.nodes <= _MANY_NODES
    if not queues and is_small and out.suffix in FORMATS and has_turns(experiment, mode):
        counted = Channels(_QUEUES, option="--queues")
    lanes = _channels("--channels", channels, out)
    window = replace(window, channels=lanes, queues=counted)
    with asked.running() as watch:
        recorded = record(experiment, window, mode=mode, watch=watch)
    print(f"{out}: {_write(recorded, out)}")
    for line in recorded.hints:
        print(line)
    return recorded.result


def _check_out(out: Path) -> None:
    """Refuse a file of an unknown kind, or one that cannot be written."""
    from tailback.archives import otf2
    from tailback.timelines import FORMATS

    known = (*FORMATS, ".html", ".otf2")
    if out.suffix not in known:
        allowed = f"must end in {' or '.join(known)}"
        raise UserError("--out", str(out), allowed, nearest(out.suffix, known))
    if out.suffix == ".otf2":
        otf2("--out", str(out))
        check_new_folder("--out", out)
    else:
        check_named("--out", out)


def _write(recorded: Recording, out: Path) -> str:
    """Write the timeline; return in words how much was written."""
    from tailback.timelines import content, folded, write_archive
    from tailback.units import counted

    made = recorded.timeline
    if out.suffix == ".otf2":
        return counted(write_archive(made, out), "event")
    if out.suffix == ".html":
        content_of = _page(recorded)
    else:
        made = folded(made)
        content_of = content(made, out)
    write_named("--out", out, content_of)
    told = f"{counted(made.events, 'event')} on {counted(len(made.tracks), 'track')}"
    all_of, drawn = (len(one.slices[0]) for one in (recorded.timeline, made))
    if drawn < all_of:
        told += (
            f"; {counted(all_of, 'activity', 'activities')} are put together to {drawn:,}: "
            "choose a part with --from, --to or --processes"
        )
    return told


def _page(recorded: Recording) -> bytes:
    from tailback.report.of_timeline import page
    from tailback.report.rendering import html
    from tailback.terminal.layout import heading

    experiment = recorded.result.experiment
    title = one_line(experiment.run.title or str(heading(experiment)))
    return html(page(recorded, title)).encode()


def _channels(option: str, asked: list[str] | None, out: Path) -> Channels | None:
    """Return which channels an option asks for: those are shown in some formats only."""
    from tailback.recording import Channels
    from tailback.timelines import FORMATS

    chosen = Channels.parse(asked, option) if asked else None
    if asked and chosen is not None and out.suffix not in FORMATS:
        allowed = f"must be none: channels are shown in {' and '.join(FORMATS)}"
        raise UserError(option, shown(", ".join(asked)), allowed)
    return chosen


def _window(begin: str, end: str | None, processes: str | None) -> Window:
    from tailback.recording import Window
    from tailback.units import Time

    until = None if end is None else quantity_of("--to", Time, end)
    since = quantity_of("--from", Time, begin)
    if processes is None:
        return Window(since, until)
    allowed = "must be the number of a process, or two: 0-15"
    return Window(since, until, *span_of("--processes", processes, allowed))
