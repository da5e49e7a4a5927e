"""What all commands share: the program itself and the options that mean the same everywhere."""

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
        help="Draw packets that wait for each other for ever: a page (.html) or .svg.",
    ),
]
Html = Annotated[
    Path | None,
    typer.Option("--html", metavar="PAGE", help="Write a page, too: tables and pictures."),
]
Plot = Annotated[
    Path | None,
    typer.Option("--plot", metavar="FILE", help="Draw the network: a page (.html) or .svg."),
]
Folder = Annotated[Path, typer.Argument(metavar="DIR", help="Folder of results of a sweep.")]
Title = Annotated[
    str | None, typer.Option("--title", metavar="TEXT", help="Title; default: what was run.")
]
Packets = Annotated[bool, typer.Option("--packets", help="Keep one row per packet, for --out.")]
Modes = Annotated[
    str,
    typer.Option("--modes", help="More modes than full, run.baseline, endpoints and free."),
]


def examples(*commands: str) -> str:
    """Return what stands below the options of a command: lines that are not joined."""
    return "\b\n" + "\n".join(["Examples:", *(f"  {command}" for command in commands)])


def overrides(
    given: list[str] | None, allow_deadlock: bool = False, seed: int | None = None
) -> list[str]:
    """Return what is to be changed in the experiment file; --set first."""
    allowed = ["machine.routing.allow_deadlock=true"] if allow_deadlock else []
    seeds = [] if seed is None else [f"run.seed={seed}"]
    return [*(given or []), *allowed, *seeds]


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
