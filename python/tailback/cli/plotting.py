"""The command that draws pictures of a sweep: `plot`."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from .answering import failures
from .options import Folder, Title, app, examples


class Kind(str, Enum):
    """File formats of pictures."""

    svg = "svg"
    pdf = "pdf"
    png = "png"


X = Annotated[
    str | None,
    typer.Option("--x", metavar="NAME", help="Parameter or metric to draw against."),
]
Y = Annotated[
    str | None, typer.Option("--y", metavar="NAME", help="Metric to draw, theta_t or theta_r.")
]
DrawnMode = Annotated[
    str | None,
    typer.Option("--mode", metavar="MODE", help="Contention mode to draw; default: all."),
]
Where = Annotated[
    list[str] | None,
    typer.Option(
        "--where", metavar="CONDITION", help="Keep runs for which CONDITION holds; repeatable."
    ),
]
PlotOut = Annotated[
    Path | None,
    typer.Option("--out", metavar="FILE", help="One picture: .svg, .pdf or .png; - for SVG here."),
]


@app.command(
    epilog=examples(
        "tailback plot results", "tailback plot results --x link.width --y theta_r --out cost.pdf"
    )
)
def plot(  # noqa: PLR0913, PLR0917  # one argument per option
    folder: Folder,
    x: X = None,
    y: Y = None,
    mode: DrawnMode = None,
    where: Where = None,
    out: PlotOut = None,
    title: Title = None,
    form: Annotated[Kind, typer.Option("--format", help="Of the usual pictures.")] = Kind.svg,
    cdf: Annotated[
        str | None,
        typer.Option("--cdf", metavar="NAME", help="Draw how it is distributed: message_latency."),
    ] = None,
) -> None:
    """Draw pictures of a sweep for papers.

    The usual ones into DIR/plots, or one into a file.

    Those that suit it: latency and accepted load against the offered load, or what contention
    leaves of the message rate against what was varied. With --cdf, the share of messages (packets,
    flows) that took no longer: of anything of which a table has percentiles, and flow_completion.
    """
    with failures(json=False):
        from tailback import plots
        from tailback.store.points import PointStore

        store = PointStore.open(folder)
        if out is None and x is None and y is None and mode is None and cdf is None:
            made = plots.write_plots(
                store, folder / plots.FOLDER, f".{form.value}", where=where or (), title=title
            )
            for path in made:
                print(path)
            return
        picture = plots.plot(store, x, y, mode=mode, where=where or (), title=title, cdf=cdf)
        if out is not None and str(out) == "-":
            print(picture.svg, end="")
            return
        if out is None:
            (folder / plots.FOLDER).mkdir(exist_ok=True)
            out = folder / plots.FOLDER / f"{picture.picture.name}.{form.value}"
        print(picture.save(out))
