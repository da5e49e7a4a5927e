"""The command that says where the time of a program went: `explain`."""

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

Top = Annotated[int, typer.Option("--top", metavar="N", min=1, help="Rows of tables of --json.")]
Faster = Annotated[
    list[str] | None,
    typer.Option(
        "--faster",
        metavar="NAME:FACTOR",
        help="Also with this so many times as fast: compute, links, nodes, network or a class of "
        "links; repeatable.",
    ),
]
Without = Annotated[
    list[str] | None,
    typer.Option(
        "--without",
        metavar="channel:NAME",
        help="Also with a link between switches for which nobody waits; repeatable.",
    ),
]
Slack = Annotated[
    bool, typer.Option("--slack/--no-slack", help="How late processes could be; takes memory.")
]


@app.command(
    epilog=examples(
        "tailback explain program.toml",
        "tailback explain program.toml --faster links:2 --faster compute:2",
        'tailback explain program.toml --without "channel:(3, 1)->(3, 2)"',
    )
)
def explain(  # noqa: PLR0913, PLR0917  # one argument per option
    file: File,
    set_: Set = None,
    seed: Seed = None,
    allow_deadlock: AllowDeadlock = False,
    json: Json = False,
    top: Top = 10,
    faster: Faster = None,
    without: Without = None,
    slack: Slack = True,
    html: Html = None,
    out: Out = None,
) -> None:
    """Say where the time of a program that ends went, and who was in the way."""
    with failures(json, file):
        from tailback import explaining
        from tailback.terminal.explained import explain_report

        asked = loaded(file, overrides(set_, allow_deadlock, seed))
        experiment = explaining.prepared(asked, slack=slack)
        changes = [explaining.faster(change, experiment) for change in faster or []]
        changes += [explaining.without(change, experiment) for change in without or []]
        prepare(out, experiment)
        if html is not None:
            check_named("--html", html)
        shown = None
        if html is not None:
            from tailback.report.of_timeline import DRAWN

            shown = DRAWN.spec()
        with prints_aside(json), ticking() as watch:
            explanation = explaining.explain(experiment, changes=changes, shown=shown, watch=watch)
        answer = explanation.to_dict(top)
        mode = experiment.run.mode
        tables = {} if out is None else stored({mode: explanation.result}, packets=False)
        save(out, tables, answer)
        if html is not None:
            from tailback.report.of_path import write_explanation

            write_explanation(explanation, html)
        tell(answer, None if json else partial(explain_report, explanation))
    exit_by(explanation)
