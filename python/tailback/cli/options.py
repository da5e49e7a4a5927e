"""The program, and the options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    name="tailback",
    help="Simulate an interconnection network and learn what contention costs.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

File = Annotated[Path, typer.Argument(metavar="FILE", help="Experiment file (TOML).")]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="a.b=VALUE", help="Change one parameter; repeatable."),
]
AllowDeadlock = Annotated[
    bool,
    typer.Option(
        "--allow-deadlock",
        help="Simulate a routing that can deadlock (machine.routing.allow_deadlock).",
    ),
]
NoCode = Annotated[
    bool, typer.Option("--no-code", help="Refuse workloads that are programs in Python.")
]
Seed = Annotated[int | None, typer.Option("--seed", help="Seed of every random stream.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of a table.")]
Out = Annotated[
    Path | None,
    typer.Option("--out", metavar="DIR", help="Folder for Parquet tables and a manifest."),
]
Standstill = Annotated[
    Path | None,
    typer.Option(
        "--plot",
        metavar="FILE",
        help="If the run deadlocks, draw the cycle of blocked packets: a page (.html) or .svg.",
    ),
]
Html = Annotated[
    Path | None,
    typer.Option("--html", metavar="PAGE", help="Also write a page with tables and pictures."),
]
Full = Annotated[bool, typer.Option("--full", help="Print all tables, not only the first rows.")]
Plot = Annotated[
    Path | None,
    typer.Option("--plot", metavar="FILE", help="Draw the network: a page (.html) or .svg."),
]
Folder = Annotated[Path, typer.Argument(metavar="DIR", help="Folder of results of a sweep.")]
Where = Annotated[
    list[str] | None,
    typer.Option(
        "--where", metavar="CONDITION", help="Keep runs for which CONDITION holds; repeatable."
    ),
]
Title = Annotated[
    str | None, typer.Option("--title", metavar="TEXT", help="Title; default: what was run.")
]
Packets = Annotated[bool, typer.Option("--packets", help="Also save one row per packet, to --out.")]
Jobs = Annotated[
    int | None,
    typer.Option("--jobs", min=1, help="Simulations that run at once; default: one per processor."),
]
Modes = Annotated[
    str,
    typer.Option("--modes", help="Run these modes besides full, run.baseline, endpoints and free."),
]


def examples(*commands: str) -> str:
    """Return the examples printed below the options of a command, one a line."""
    return "\b\n" + "\n".join(["Examples:", *(f"  {command}" for command in commands)])


def _version(wanted: bool) -> None:
    if wanted:
        from tailback.door import compiled

        print(f"tailback {compiled.VERSION}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass
