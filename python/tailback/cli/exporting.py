"""Commands that write machines for other simulators: `export`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tailback.files import write_named

from .answering import failures, loaded, print_json
from .options import Json, app, examples

outward = typer.Typer(
    name="export",
    help="Write machines as files of other simulators.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(outward)


@outward.callback()
def _several() -> None:
    """Write machines as files of other simulators."""


@outward.command(
    epilog=examples("tailback export myrinet cluster.toml --out cluster"),
)
def myrinet(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Experiment file.")],
    out: Annotated[
        Path, typer.Option("--out", metavar="NAME", help="Beginning of the names of the files.")
    ],
    json: Json = False,
) -> None:
    """Write a machine as files of the Myrinet simulator.

    NAME.topology has the crossbars and NAME.parameters their parameters. With source routes
    (routing.kind = "source_routes") NAME.routes has these.
    """
    with failures(json, file):
        from tailback.importing import myrinet as made
        from tailback.importing import myrinet_files as files
        from tailback.survey import survey

        machine = loaded(file).machine
        topology = machine.topology
        known = topology.graph_with_ports
        if known is not None:
            crossbars = made.crossbars_of_ports(known)
        else:
            graph = survey(machine).graph
            links = zip(
                *(graph[name].tolist() for name in ("link_from", "link_to", "link_width")),
                strict=True,
            )
            crossbars = made.crossbars_of(machine.homes(), topology.switch_count, links)
        texts = {
            "topology": files.topology_text(crossbars),
            "parameters": files.parameters_text(made.parameters_of(crossbars, machine)),
        }
        routing = machine.chosen_routing
        if routing is not None and routing.kind == "source_routes":
            written = routing.algorithm_spec(topology)
            if known is not None:
                routes = made.routes_of_ports(known, written)
            else:
                routes = made.routes_of(crossbars, written["routes"])
            texts["routes"] = files.routes_text(routes)
        paths = [Path(f"{out}.{name}") for name in texts]
        for path, text in zip(paths, texts.values(), strict=True):
            write_named("--out", path, text.encode())
        if json:
            print_json({"written": [str(path) for path in paths]})
            return
        for path in paths:
            typer.echo(f"written: {path}")
        if "routes" not in texts:
            typer.echo(
                'no routes: the machine has none written down (routing.kind = "source_routes")'
            )
