"""Commands that say how late messages are: `blame`, and `flows`."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from tailback.files import check_named

from .answering import (
    exit_by,
    failures,
    loaded,
    prepare,
    prints_aside,
    save,
    stored,
    tell,
    ticking,
)
from .options import AllowDeadlock, File, Html, Json, Out, Seed, Set, app, examples, overrides

PacketWaits = Annotated[
    bool,
    typer.Option("--packet-waits", help="Say, too, what packets waited for, by place and cause."),
]
Top = Annotated[int, typer.Option("--top", metavar="N", min=1, help="Rows of each table.")]


@app.command(
    epilog=examples(
        "tailback blame mesh.toml --top 20", "tailback blame mesh.toml --html late.html"
    )
)
def blame(  # noqa: PLR0913, PLR0917  # one argument per option
    file: File,
    set_: Set = None,
    seed: Seed = None,
    allow_deadlock: AllowDeadlock = False,
    json: Json = False,
    out: Out = None,
    top: Top = 10,
    packet_waits: PacketWaits = False,
    html: Html = None,
) -> None:
    """Run one contention mode and say how late messages are, because of whom, and where."""
    with failures(json, file):
        from tailback.runner import run_mode
        from tailback.terminal.blamed import blame_report, facts

        changes = [*overrides(set_, allow_deadlock, seed), "run.blame=true"]
        changes += ["run.packet_waits=true"] if packet_waits else []
        experiment = loaded(file, changes)
        mode = experiment.run.mode
        prepare(out, experiment)
        if html is not None:
            check_named("--html", html)
        with prints_aside(json), ticking() as watch:
            result = run_mode(experiment, mode, watch=watch)
        answer = {**result.to_dict(), "blame": facts(result, top)}
        tables = {} if out is None else stored({mode: result}, packets=False)
        save(out, tables, answer)
        if html is not None:
            from tailback.report.of_blame import write_blame

            write_blame(result, html)
        tell(answer, None if json else partial(blame_report, result, top))
    exit_by(result)


By = Annotated[
    str,
    typer.Option(
        "--by", metavar="A,B,...", help="What messages of a flow share: source, destination, class."
    ),
]


@app.command(
    epilog=examples("tailback flows mesh.toml --top 20", "tailback flows jobs.toml --by class")
)
def flows(  # noqa: PLR0913, PLR0917  # one argument per option
    file: File,
    set_: Set = None,
    seed: Seed = None,
    allow_deadlock: AllowDeadlock = False,
    json: Json = False,
    out: Out = None,
    top: Top = 10,
    by: By = "source,destination,class",
) -> None:
    """Run one contention mode and say how the messages of each flow fared.

    Latency, time alone, lateness and slowdown: the latest flows first. A class is a traffic class
    or a job.
    """
    with failures(json, file):
        from tailback.runner import run_mode
        from tailback.tables.frames import dictionaries
        from tailback.terminal.by_job import flow_keys, flows_report

        keys = flow_keys(by)
        experiment = loaded(
            file, [*overrides(set_, allow_deadlock, seed), "run.keep_messages=true"]
        )
        mode = experiment.run.mode
        prepare(out, experiment)
        with prints_aside(json), ticking() as watch:
            result = run_mode(experiment, mode, watch=watch)
        answer = {**result.to_dict(), "flows": dictionaries(result.flows(keys))}
        tables = {} if out is None else stored({mode: result}, packets=False)
        save(out, tables, answer)
        tell(answer, None if json else partial(flows_report, result, keys, top))
    exit_by(result)
