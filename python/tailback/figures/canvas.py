"""Shapes on a sheet, and their file formats: SVG natively, PDF and PNG with Matplotlib.

Coordinates and sizes are pixels, from the upper left corner. Text stays text.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape as escaped
from typing import Any, Literal

from tailback.distribution import installing
from tailback.errors import UserError, printable

from .look import DARK, FONT, FONT_SIZE, LIGHT

XY = tuple[float, float]

_DPI = 200
_TRUETYPE = 42
PX_PER_INCH, _POINTS_PER_INCH = 100, 72
_SMALLER = 0.9
"""Matplotlib's default font is wider than the usual fonts of a browser."""
_NO_COLOUR = "none"


@dataclass(frozen=True, slots=True)
class Path:
    """A polyline; a closed one ends at its first point and can be filled."""

    points: Sequence[XY]
    stroke: str = _NO_COLOUR
    width: float = 1.0
    fill: str = _NO_COLOUR
    dash: str = ""
    """Lengths of dashes and gaps in turn, with spaces between them; empty: none."""
    is_closed: bool = False
    tooltip: str = ""
    """Shown by browsers, in SVG."""


@dataclass(frozen=True, slots=True)
class Disc:
    """A circle."""

    middle: XY
    radius: float
    fill: str
    stroke: str = _NO_COLOUR
    width: float = 0.0
    tooltip: str = ""


@dataclass(frozen=True, slots=True)
class Text:
    """A line of text on its baseline."""

    at: XY
    text: str
    anchor: Literal["start", "middle", "end"] = "start"
    size: float = FONT_SIZE
    fill: str = LIGHT.text
    is_bold: bool = False
    turned: float = 0.0
    """Rotation in degrees, clockwise."""
    has_halo: bool = False
    """Whether it has an outline in the colour of the paper."""


Shape = Path | Disc | Text


@dataclass(frozen=True)
class Sheet:
    """A picture: shapes in drawing order, on paper."""

    width: float
    height: float
    title: str
    shapes: Sequence[Shape]
    in_inches: bool = False
    """Whether SVG says its size in inches, as a column of a paper does."""
    follows_reader: bool = False
    """Whether SVG is dark in a browser with a dark theme; pictures for papers stay light."""

    def content(self, kind: str) -> bytes:
        """Return the content of an `svg`, `pdf` or `png` file; equal sheets give equal bytes.

        Raises `UserError` for the last two without Matplotlib.
        """
        return svg(self).encode() if kind == "svg" else _by_matplotlib(self, kind)


def escape(text: str) -> str:
    """Return text for XML, in which no control character may stand."""
    return escaped(printable(text))


def svg(sheet: Sheet) -> str:
    """Return a sheet as SVG, without any library."""
    size = f"{sheet.width:.0f} {sheet.height:.0f}"
    parts = [f"<title>{escape(sheet.title)}</title>"]
    parts += [_DARK] if sheet.follows_reader else []
    parts.append(f'<rect width="100%" height="100%" fill="{LIGHT.paper}"/>')
    parts += map(_element, sheet.shapes)
    extent = 'width="{}" height="{}" '.format(*size.split())
    if sheet.in_inches:
        inches = (f"{part / PX_PER_INCH:g}in" for part in (sheet.width, sheet.height))
        extent = 'width="{}" height="{}" '.format(*inches)
    extent = "" if sheet.follows_reader else extent
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {extent}viewBox="0 0 {size}" '
        f'font-family="{escape(FONT)}" font-size="{FONT_SIZE}" role="img" '
        f'aria-label="{escape(sheet.title)}">\n' + "\n".join(parts) + "\n</svg>\n"
    )


def _dark_rules() -> Iterator[str]:
    for light, dark in DARK.instead:
        for attribute in ("fill", "stroke"):
            yield f'[{attribute}="{light}"] {{ {attribute}: {dark}; }}'


_DARK = f"<style>@media (prefers-color-scheme: dark) {{ {' '.join(_dark_rules())} }}</style>"
"""Colours in a dark theme; programs that ignore the rule keep the light ones."""


def _element(shape: Shape) -> str:
    if isinstance(shape, Text):
        x, y = shape.at
        place = f'x="{x:.1f}" y="{y:.1f}"'
        if shape.turned:
            place = f'transform="translate({x:.1f},{y:.1f}) rotate({shape.turned:g})"'
        place += f' fill="{shape.fill}"'
        place += f' font-size="{shape.size:g}"' if shape.size != FONT_SIZE else ""
        place += ' font-weight="600"' if shape.is_bold else ""
        if shape.has_halo:
            place += f' stroke="{LIGHT.paper}" stroke-width="3" paint-order="stroke"'
        place += f' text-anchor="{shape.anchor}"' if shape.anchor != "start" else ""
        return f"<text {place}>{escape(shape.text)}</text>"
    style = f' fill="{shape.fill}"'
    if shape.stroke != _NO_COLOUR:
        style += f' stroke="{shape.stroke}" stroke-width="{shape.width:.3g}"'
    if isinstance(shape, Disc):
        x, y = shape.middle
        return _with_tooltip(
            f'circle cx="{x:.1f}" cy="{y:.1f}" r="{shape.radius:g}"{style}', shape.tooltip
        )
    style += f' stroke-dasharray="{shape.dash}"' if shape.dash else ""
    if len(shape.points) == 2:
        (x, y), (to_x, to_y) = shape.points
        ends = f'x1="{x:.1f}" y1="{y:.1f}" x2="{to_x:.1f}" y2="{to_y:.1f}"'
        return _with_tooltip(f"line {ends}{style}", shape.tooltip)
    style += ' stroke-linejoin="round"'
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in shape.points)
    name = "polygon" if shape.is_closed else "polyline"
    return _with_tooltip(f'{name} points="{points}"{style}', shape.tooltip)


def _with_tooltip(element: str, text: str) -> str:
    name = element.partition(" ")[0]
    return f"<{element}><title>{escape(text)}</title></{name}>" if text else f"<{element}/>"


def _by_matplotlib(sheet: Sheet, kind: str) -> bytes:
    try:
        from matplotlib import rc_context
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        needed = f"needs Matplotlib: {installing('plot')}; .svg needs nothing"
        raise UserError("--out", f".{kind}", needed) from None
    figure = Figure((sheet.width / PX_PER_INCH, sheet.height / PX_PER_INCH))
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, sheet.width), ylim=(sheet.height, 0))
    axes.set_axis_off()
    for order, shape in enumerate(sheet.shapes):
        _add(axes, shape, order)
    content = io.BytesIO()
    # No date: the same picture gives the same bytes.
    metadata = {"CreationDate": None} if kind == "pdf" else {"Software": "Tailback"}
    # Journals refuse Type 3 fonts; TrueType can be searched and edited as well.
    with rc_context({"pdf.fonttype": _TRUETYPE}):
        figure.savefig(content, format=kind, dpi=_DPI, metadata=metadata)
    return content.getvalue()


def _add(axes: Any, shape: Shape, order: int) -> None:
    """Add a shape to axes whose units are pixels."""
    from matplotlib import patches, patheffects

    points = _POINTS_PER_INCH / PX_PER_INCH
    if isinstance(shape, Text):
        style: dict[str, Any] = {"color": shape.fill, "fontsize": _SMALLER * shape.size * points}
        style["fontweight"] = "bold" if shape.is_bold else "normal"
        align = {"start": "left", "middle": "center", "end": "right"}[shape.anchor]
        style |= {"ha": align, "va": "baseline", "rotation": -shape.turned}
        style |= {"rotation_mode": "anchor", "parse_math": False, "zorder": order}
        if shape.has_halo:
            style["path_effects"] = [patheffects.withStroke(linewidth=2, foreground=LIGHT.paper)]
        axes.text(*shape.at, shape.text, **style)
        return
    drawn: dict[str, Any] = {"facecolor": shape.fill, "edgecolor": shape.stroke, "zorder": order}
    drawn["linewidth"] = shape.width * points if shape.stroke != _NO_COLOUR else 0
    if isinstance(shape, Disc):
        axes.add_patch(patches.Circle(shape.middle, shape.radius, **drawn))
        return
    if shape.dash:
        lengths = [float(part) * points for part in re.split("[ ,]+", shape.dash)]
        drawn["linestyle"] = (0, lengths)
    axes.add_patch(patches.Polygon(shape.points, closed=shape.is_closed, **drawn))
