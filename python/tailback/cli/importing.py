"""Commands that read configurations of other simulators: `import`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from tailback.errors import CircleError, UserError, printable
from tailback.files import write_named

from .answering import failures, loaded, print_json
from .options import Json, app, examples

if TYPE_CHECKING:
    from tailback.experiment import Experiment as Described
    from tailback.importing import BookSim


class _Readers(TyperGroup):
    """The simulators that are built in, then words of plugins' readers."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Take a word that is none of ours for that of a plugin."""
        word = args[0]
        if word not in self.commands and not word.startswith("-"):
            args = ["plugin", *args]
        return super().resolve_command(ctx, args)


foreign = typer.Typer(
    name="import",
    cls=_Readers,
    help="Make experiments from files of other simulators or plugins.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(foreign)

Configuration = Annotated[
    Path, typer.Argument(metavar="FILE", help="Configuration file of BookSim2.")
]
Changes = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[KEY=VALUE]...", help="Keys to change, as on the command line of BookSim2."
    ),
]
Experiment = Annotated[
    Path | None,
    typer.Option("--out", metavar="FILE.toml", help="Write the experiment; default: print it."),
]


@foreign.command(
    epilog=examples(
        "tailback import booksim mesh88_lat",
        "tailback import booksim torus88 injection_rate=0.2 --out torus.toml",
    )
)
def booksim(
    file: Configuration, changes: Changes = None, out: Experiment = None, json: Json = False
) -> None:
    """Convert a configuration of BookSim2 to an experiment.

    Lists the keys that were used, the defaults of BookSim2 for keys that are not given, the keys
    without effect, and what differs from BookSim2. Refuses what cannot be expressed.
    """
    with failures(json, file):
        from tailback.experiment import Experiment as Described
        from tailback.importing import read_booksim

        found = read_booksim(file, changes or ())
        files = found.files()
        if files and out is None:
            allowed = f"is needed: the experiment has files of its own ({', '.join(files)})"
            raise UserError("--out", None, allowed)
        if out is not None:
            for ending, text in files.items():
                write_named("--out", out.with_suffix(ending), text.encode())
            write_named("--out", out, found.toml(out.stem).encode())
            loaded(out).spec("full")
        else:
            Described.from_dict(found.experiment).spec("full")
        if json:
            print_json(_answer(found))
        else:
            _print(found, out)


def _answer(found: BookSim) -> dict[str, object]:
    return {
        "experiment": found.experiment,
        "taken": found.taken,
        "assumed": found.assumed,
        "without_effect": found.without_effect,
        "notes": found.notes,
    }


def _print(found: BookSim, out: Path | None) -> None:
    """Print the experiment unless it was written to a file, and what became of the keys."""
    if out is None:
        typer.echo(found.toml(), nl=False)
    aside = out is None

    def tell(what: str, keys: list[str]) -> None:
        if keys:
            typer.echo(printable(f"{what}: {', '.join(keys)}"), err=aside)

    tell("taken", list(found.taken))
    tell("defaults of BookSim2", [f"{key} = {value}" for key, value in found.assumed.items()])
    tell("no effect", found.without_effect)
    for note in found.notes:
        typer.echo(f"not as in BookSim2: {note}", err=aside)
    if out is not None:
        typer.echo(f"written: {out}", err=aside)


@foreign.command(
    epilog=examples(
        "tailback import myrinet cluster.topology --out cluster.toml",
        "tailback import myrinet cluster.topology --routes cluster.routes "
        "--parameters cluster.parameters --out cluster.toml",
    )
)
def myrinet(
    topology: Annotated[Path, typer.Argument(metavar="TOPOLOGY", help="File of crossbars.")],
    out: Annotated[
        Path, typer.Option("--out", metavar="FILE.toml", help="Write the experiment here.")
    ],
    routes: Annotated[
        Path | None, typer.Option(metavar="FILE", help="File of routes; default: up*/down*.")
    ] = None,
    parameters: Annotated[
        Path | None, typer.Option(metavar="FILE", help="File of parameters; default: as printed.")
    ] = None,
    json: Json = False,
) -> None:
    """Convert files of the Myrinet simulator to an experiment.

    Writes the graph beside the experiment, and the routes if they are given: packets follow them.
    Routes that can deadlock are refused before a run.
    """
    with failures(json, topology):
        from tailback.importing import read_myrinet

        found = read_myrinet(topology, routes, parameters)
        graph, ways = out.with_suffix(".graphml"), out.with_suffix(".routes.csv")
        write_named("--out", graph, found.graph())
        if found.routes is not None:
            write_named("--out", ways, found.routes_csv().encode())
        write_named("--out", out, found.toml(graph.name, ways.name).encode())
        loaded(out).spec("full")
        if json:
            print_json({"experiment": str(out), "notes": found.notes})
            return
        for note in found.notes:
            typer.echo(f"not as in the files: {note}")
        typer.echo(f"written: {out}")


@foreign.command(
    epilog=examples(
        "tailback import network ibnetdiscover.txt --routes lfts.txt --out cluster.toml",
        "tailback import network leaf_spine.topo --out cluster.toml",
    )
)
def network(  # noqa: PLR0913, PLR0917  # one argument per option
    file: Annotated[Path, typer.Argument(metavar="FILE", help="File of a network.")],
    out: Annotated[
        Path, typer.Option("--out", metavar="FILE.toml", help="Write the experiment here.")
    ],
    routes: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Forwarding tables of InfiniBand switches, as dump_lfts or OpenSM write them.",
        ),
    ] = None,
    names: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help='Names of switches and adapters: 0x<guid> "<name>".'),
    ] = None,
    form: Annotated[
        str | None,
        typer.Option("--format", help="What the file is; default: what its content looks like."),
    ] = None,
    path: Annotated[
        int,
        typer.Option(
            min=0,
            max=127,
            help="With --routes: which of several addresses of an adapter (lmc) senders use.",
        ),
    ] = 0,
    json: Json = False,
) -> None:
    """Make an experiment of the network of a cluster, from a file of a tool or a simulator.

    Reads output of ibnetdiscover, Slurm's topology.conf, networks of htsim, HPCC, SimAI, CODES,
    SST, BookSim2, InfraGraph and Lingjun, and graph files. Writes the graph beside the experiment,
    and the routes if there are any: forwarding tables are checked, and packets follow them.
    """
    with failures(json, file):
        from tailback.importing import import_network

        found = import_network(file, form, routes, names, path)
        graph, ways = out.with_suffix(".graphml"), out.with_suffix(".routes.csv")
        write_named("--out", graph, found.graph())
        if found.routes is not None:
            write_named("--out", ways, found.routes)
        write_named("--out", out, found.toml(graph.name, ways.name).encode())
        notes = [*found.notes, *_examined(loaded(out))]
        counts = found.counts()
        if json:
            print_json({"experiment": str(out), **counts, "notes": notes})
            return
        in_words = ", ".join(f"{count} {what}" for what, count in counts.items())
        typer.echo(f"found: {in_words}")
        for note in notes:
            typer.echo(printable(f"note: {note}"))
        typer.echo(f"written: {out}")


def _examined(experiment: Described) -> list[str]:
    """Return that routes can deadlock, if they can. Raises `UserError` for what cannot be run."""
    from tailback import engine

    try:
        with experiment.machine.topology.names():
            engine.Simulation(experiment.spec("full"))
    except CircleError as error:
        return [f"the routes can deadlock, and a run is refused: {error.allowed}"]
    return []


@foreign.command("plugin", hidden=True)
def by_plugin(
    word: Annotated[str, typer.Argument(metavar="WORD", help="Word of a plugin's reader.")],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What it reads.")],
    out: Experiment = None,
    json: Json = False,
) -> None:
    """Make an experiment of a file that a plugin can read: `tailback import WORD FILE`."""
    with failures(json):
        from tailback.experiment import Experiment as Described
        from tailback.importing import read_foreign

        found = read_foreign(word, file)
        Described.from_dict(found.experiment).spec("full")
        if out is not None:
            write_named("--out", out, found.toml().encode())
            loaded(out).spec("full")
        if json:
            print_json({"experiment": found.experiment})
        elif out is None:
            typer.echo(found.toml(), nl=False)
        else:
            typer.echo(f"written: {out}", err=False)
