"""Commands on the lateness of messages: `blame`, `flows`."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from . import looks
from .answering import Asked, Found, check_files, command, stored
from .options import Full, Html

PacketWaits = Annotated[
    bool,
    typer.Option("--packet-waits", help="Also list what packets waited for, by place and cause."),
]
Top = Annotated[int, typer.Option("--top", metavar="N", min=1, help="Rows of each table.")]


@command("tailback blame mesh.toml --top 20", "tailback blame mesh.toml --html late.html")
def blame(
    asked: Asked,
    *,
    top: Top = 10,
    full: Full = False,
    packet_waits: PacketWaits = False,
    html: Html = None,
    look: looks.Look = None,
) -> Found:
    """Say how late messages are, where, and because of whom.

    Runs one contention mode (run.mode).
    """
    from tailback.runner import run_mode
    from tailback.terminal.blamed import blame_report, facts

    more = ["run.packet_waits=true"] if packet_waits else []
    experiment = asked.experiment("run.blame=true", *more, *looks.kept(asked, look))
    mode = experiment.run.mode
    asked.prepare(experiment)
    check_files(html=html, look=look)
    looks.check(look, experiment)
    with asked.running() as watch:
        result = run_mode(experiment, mode, watch=watch, until_failure=look is not None)
    looks.write(asked, look, result)
    answer = {**result.to_dict(), "blame": facts(result, top)}
    asked.save(answer, partial(stored, {mode: result}))
    if html is not None:
        from tailback.report.of_blame import write_blame

        write_blame(result, html, look)
    asked.tell(answer, partial(blame_report, result, top, full=full))
    return result


By = Annotated[
    str,
    typer.Option(
        "--by",
        metavar="A,B,...",
        help="What the messages of a flow have in common: source, destination, class.",
    ),
]


@command("tailback flows mesh.toml --top 20", "tailback flows jobs.toml --by class")
def flows(
    asked: Asked, top: Top = 10, full: Full = False, by: By = "source,destination,class"
) -> Found:
    """List latency and slowdown of each flow of messages.

    Runs one contention mode (run.mode). The latest flows first; a slowdown is latency over time
    alone. A class is a traffic class or a job.
    """
    from tailback.runner import run_mode
    from tailback.tables.frames import dictionaries
    from tailback.terminal.flows import flow_keys, flows_report

    keys = flow_keys(by)
    experiment = asked.experiment("run.keep_messages=true")
    mode = experiment.run.mode
    asked.prepare(experiment)
    with asked.running() as watch:
        result = run_mode(experiment, mode, watch=watch)
    answer = {**result.to_dict(), "flows": dictionaries(result.flows(keys))}
    asked.save(answer, partial(stored, {mode: result}))
    asked.tell(answer, partial(flows_report, result, keys, top, full=full))
    return result
