"""The command that draws pictures of sweeps: `plot`."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tailback.errors import UserError, shown

from .answering import failures
from .options import Where, app, examples

if TYPE_CHECKING:
    from tailback.store.points import PointStore


class Kind(str, Enum):
    """File formats of pictures."""

    svg = "svg"
    pdf = "pdf"
    png = "png"


class Axes(str, Enum):
    """Axes whose scale is chosen."""

    x = "x"
    y = "y"
    xy = "xy"


Folders = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[NAME=]DIR...",
        help="Folder of results of a sweep; several are drawn together, under their names.",
        show_default=False,
    ),
]
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
PlotOut = Annotated[
    Path | None,
    typer.Option("--out", metavar="FILE", help="One picture: .svg, .pdf or .png; - for SVG here."),
]
Title = Annotated[
    str | None, typer.Option("--title", metavar="TEXT", help="Title above it; default: none.")
]
Cdf = Annotated[
    str | None,
    typer.Option("--cdf", metavar="NAME", help="Draw how it is distributed: message_latency."),
]
Quantiles = Annotated[
    str | None,
    typer.Option("--quantiles", metavar="NAME", help="The same with room for the slowest 1 %."),
]
Heat = Annotated[
    str | None,
    typer.Option(
        "--heat", metavar="NAME", help="Draw a map of colours: --y by --x and this parameter."
    ),
]
Size = Annotated[
    str | None,
    typer.Option(
        "--size", metavar="SIZE", help="single or double (column), 3.5x2.6 (inches) or 88x66mm."
    ),
]
Xlim = Annotated[
    str | None, typer.Option("--xlim", metavar="LOW:HIGH", help="Ends of the x axis: 0:80%.")
]
Ylim = Annotated[
    str | None, typer.Option("--ylim", metavar="LOW:HIGH", help="Ends of the y axis: :20us.")
]
Linear = Annotated[
    Axes | None, typer.Option("--linear", help="Axes that are to be linear.", show_default=False)
]
Log = Annotated[
    Axes | None,
    typer.Option("--log", help="Axes that are to be logarithmic.", show_default=False),
]
EndAtSaturation = Annotated[
    bool | None,
    typer.Option("--end-at-saturation", help="Leave out saturated points.", show_default=False),
]
From = Annotated[
    Path | None,
    typer.Option(
        "--from", metavar="FILE", help="Draw again what FILE keeps: a .plot.toml beside a picture."
    ),
]


@app.command(
    epilog=examples(
        "tailback plot results",
        "tailback plot results --x link.width --y theta_r --out cost.pdf --size single",
        "tailback plot mesh=results/a torus=results/b --out both.pdf",
        "tailback plot --from cost.plot.toml",
    )
)
def plot(  # noqa: PLR0913, PLR0917  # one argument per option
    folders: Folders = None,
    x: X = None,
    y: Y = None,
    mode: DrawnMode = None,
    where: Where = None,
    out: PlotOut = None,
    title: Title = None,
    form: Annotated[Kind, typer.Option("--format", help="Of the usual pictures.")] = Kind.svg,
    cdf: Cdf = None,
    quantiles: Quantiles = None,
    heat: Heat = None,
    size: Size = None,
    xlim: Xlim = None,
    ylim: Ylim = None,
    linear: Linear = None,
    log: Log = None,
    end_at_saturation: EndAtSaturation = None,
    kept: From = None,
) -> None:
    """Draw pictures of a sweep for papers.

    The usual ones into DIR/plots, or one into a file.

    Those that suit it: latency and accepted load against the offered load, or what contention
    leaves of the message rate against what was varied. With --cdf, the share of messages (packets,
    flows) that took no longer: of anything of which a table has percentiles, and flow_completion.

    Beside each picture go the numbers that are drawn (.plot.csv) and the choices (.plot.toml).
    """
    given: dict[str, Any] = {
        name: value
        for name, value in (
            *(("x", x), ("y", y), ("mode", mode), ("where", tuple(where) if where else None)),
            *(("title", title), ("cdf", cdf), ("quantiles", quantiles), ("heat", heat)),
            *(("size", size), ("xlim", xlim), ("ylim", ylim)),
            *(("linear", linear and linear.value), ("log", log and log.value)),
            ("end_at_saturation", end_at_saturation),
        )
        if value is not None
    }
    with failures(json=False):
        from tailback import plots

        choices, texts = plots.Choices(**given), tuple(folders or ())
        if kept is not None:
            known = plots.Kept.read(kept)
            choices, texts = known.choices.but(given), texts or known.results
            out = known.out if out is None else out
        results = _opened(texts)
        if out is None and choices.is_usual:
            place = _default_folder(texts) / plots.FOLDER
            for path in plots.write_plots(results, place, f".{form.value}", choices):
                print(path)
            return
        picture = plots.drawn(results, choices)
        if out is not None and str(out) == "-":
            print(picture.svg, end="")
            return
        if out is None:
            place = _default_folder(texts) / plots.FOLDER
            place.mkdir(exist_ok=True)
            out = place / f"{picture.picture.name}.{form.value}"
        print(picture.save(out))


def _opened(texts: tuple[str, ...]) -> PointStore | dict[str, PointStore]:
    """Return the results that `DIR` or `NAME=DIR` name."""
    from tailback.store.points import PointStore

    named: dict[str, Path] = {}
    for text in texts:
        name, folder = _named(text)
        if name in named:
            raise UserError("NAME=DIR", shown(name), "is the name of two folders; name them")
        named[name] = folder
    if not named:
        raise UserError("DIR", None, "a folder of results is needed, or --from FILE")
    stores = {name: PointStore.open(folder) for name, folder in named.items()}
    if len(stores) == 1 and "=" not in texts[0]:
        return next(iter(stores.values()))
    return stores


def _named(text: str) -> tuple[str, Path]:
    """Return name and folder of `NAME=DIR`; a folder without a name is called as it is."""
    name, equals, place = text.partition("=")
    if equals and name and not Path(text).exists():
        return name, Path(place)
    return Path(text).resolve().name, Path(text)


def _default_folder(texts: tuple[str, ...]) -> Path:
    """Return where pictures go: into the folder of results, if it is one."""
    if len(texts) > 1:
        raise UserError("--out", None, "is needed: a file for the picture of several folders")
    return _named(texts[0])[1]
