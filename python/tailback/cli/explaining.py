"""The command on the critical path of a program: `explain`."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from . import looks
from .answering import Asked, Found, check_files, command, stored
from .options import Full, Html, Jobs

Top = Annotated[
    int, typer.Option("--top", metavar="N", min=1, help="Rows of each table of --full and --json.")
]
Faster = Annotated[
    list[str] | None,
    typer.Option(
        "--faster",
        metavar="NAME:FACTOR",
        help="Also run with this part FACTOR times as fast: compute, links, nodes, network or a "
        "class of links; repeatable.",
    ),
]
Without = Annotated[
    list[str] | None,
    typer.Option(
        "--without",
        metavar="channel:NAME",
        help="Also run without contention on this link between switches; repeatable.",
    ),
]
Slack = Annotated[
    bool, typer.Option("--slack/--no-slack", help="Compute the slack of processes; takes memory.")
]


@command(
    "tailback explain program.toml",
    "tailback explain program.toml --faster links:2 --faster compute:2",
    'tailback explain program.toml --without "channel:(3, 1)->(3, 2)"',
)
def explain(  # noqa: PLR0913  # one argument per option
    asked: Asked,
    *,
    top: Top = 10,
    faster: Faster = None,
    without: Without = None,
    slack: Slack = True,
    jobs: Jobs = None,
    html: Html = None,
    full: Full = False,
    look: looks.Look = None,
) -> Found:
    """Say where the time of a program goes, and what delays it.

    The program must end by itself.
    """
    from tailback import explaining
    from tailback.terminal.explained import explain_report

    experiment = explaining.prepared(asked.experiment(*looks.kept(asked, look)), slack=slack)
    changes = [explaining.faster(change, experiment) for change in faster or []]
    changes += [explaining.without(change, experiment) for change in without or []]
    asked.prepare(experiment)
    check_files(html=html, look=look)
    looks.check(look, experiment)
    shown = None
    if html is not None:
        from tailback.report.of_timeline import DRAWN

        shown = DRAWN.spec()
    with looks.of_failures(asked, look, experiment, experiment.run.mode), asked.running() as watch:
        explanation = explaining.explain(
            experiment, changes=changes, shown=shown, jobs=jobs, watch=watch
        )
    answer = explanation.to_dict(top)
    baseline = experiment.run.baseline
    asked.save(answer, partial(stored, {experiment.run.mode: explanation.result}))
    if html is not None:
        from tailback.report.of_path import write_explanation

        write_explanation(explanation, html)
    looks.write(asked, look, explanation.result, f"mode {baseline}", explanation.baseline)
    asked.tell(answer, partial(explain_report, explanation, top, full=full))
    return explanation
