"""Lines in the colours of their loads, and dots with names: as a figure of Plotly, or SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import isfinite, log2
from typing import TYPE_CHECKING, Any

from .look import COLOUR_SCALE, FONT, LIGHT, colour, layout
from .placing import Point

if TYPE_CHECKING:
    import plotly.graph_objects as go

_SHADES = 32
#: More names than these would hide the drawing: they are told where one points.
_MOST_NAMED = 40
_UNIT = "µs per message of every node"


@dataclass(frozen=True)
class Line:
    """A link, or the channels between a node and its switch."""

    points: Sequence[Point]
    text: str
    load_us: float
    """NaN where it is not known."""
    width: int


@dataclass(frozen=True)
class Picture:
    """Lines, and on top of them switches and nodes with what they are called."""

    title: str
    lines: Sequence[Line]
    switches: Sequence[tuple[Point, str]]
    nodes: Sequence[tuple[Point, str]]

    @property
    def most(self) -> float:
        """The highest load; 0 if none is known."""
        return max((line.load_us for line in self.lines if isfinite(line.load_us)), default=0.0)

    def shade(self, line: Line) -> int | None:
        """Return the number of a line's colour, from 0; None for one whose load is unknown."""
        if not isfinite(line.load_us) or self.most == 0:
            return None
        return round(line.load_us / self.most * (_SHADES - 1))


def figure(seen: Picture) -> go.Figure:
    """Return a picture as a figure of Plotly."""
    import plotly.graph_objects as go
    from plotly.colors import sample_colorscale

    shades = sample_colorscale(COLOUR_SCALE, [i / (_SHADES - 1) for i in range(_SHADES)])
    drawn = go.Figure(layout={"template": {"layout": layout(LIGHT)}})
    thick = 3.0 if len(seen.lines) < 400 else 1.5
    for shade, width in sorted(
        {(seen.shade(line), line.width) for line in seen.lines},
        key=lambda key: (-1 if key[0] is None else key[0], key[1]),
    ):
        xs: list[float | None] = []
        ys: list[float | None] = []
        for line in seen.lines:
            if (seen.shade(line), line.width) == (shade, width):
                xs += [*(x for x, _ in line.points), None]
                ys += [*(y for _, y in line.points), None]
        style = {
            "color": LIGHT.faint if shade is None else shades[shade],
            "width": thick * _thickness(width),
        }
        drawn.add_scatter(x=xs, y=ys, mode="lines", line=style, hoverinfo="skip")
    _add_middles(drawn, seen)
    _add_dots(drawn, seen.nodes, "square", colour(5), 7)
    _add_dots(drawn, seen.switches, "circle", LIGHT.text, 10 if len(seen.switches) < 400 else 5)
    if len(seen.switches) <= _MOST_NAMED:
        _add_names(drawn, seen.switches)
    # Half a name on either side.
    side = 80 if len(seen.switches) <= _MOST_NAMED else 16
    axis = {"visible": False, "showgrid": False, "zeroline": False}
    drawn.update_layout(
        title={"text": seen.title, "x": 0.02},
        showlegend=False,
        hovermode="closest",
        margin={"t": 48, "r": side, "b": 16, "l": side},
        xaxis=axis,
        yaxis={**axis, "scaleanchor": "x"},
    )
    return drawn


def _thickness(wires: int) -> float:
    """Return how much thicker a link of several wires is."""
    return 1 + 0.5 * log2(wires)


def _add_middles(drawn: go.Figure, seen: Picture) -> None:
    """Add what tells of a link when its middle is pointed at, and the scale of colours."""
    known = seen.most > 0
    middles = [line.points[len(line.points) // 2] for line in seen.lines]
    halves = [
        ((line.points[0][0] + line.points[-1][0]) / 2, (line.points[0][1] + line.points[-1][1]) / 2)
        if len(line.points) == 2
        else middle
        for line, middle in zip(seen.lines, middles, strict=True)
    ]
    loads = [line.load_us if isfinite(line.load_us) else 0.0 for line in seen.lines]
    told = [f"{line.text}: {line.load_us:.4g} µs" if known else line.text for line in seen.lines]
    marker: dict[str, Any] = {"size": 9, "color": loads, "opacity": 0}
    if known:
        scale = {"title": {"text": _UNIT, "side": "right"}, "thickness": 14}
        marker |= {"colorscale": COLOUR_SCALE, "cmin": 0, "cmax": seen.most}
        marker |= {"showscale": True, "colorbar": scale}
    drawn.add_scatter(
        x=[x for x, _ in halves],
        y=[y for _, y in halves],
        mode="markers",
        marker=marker,
        text=told,
        hovertemplate="%{text}<extra></extra>",
    )


def _add_dots(
    drawn: go.Figure, dots: Sequence[tuple[Point, str]], symbol: str, fill: str, size: int
) -> None:
    drawn.add_scatter(
        x=[x for (x, _), _ in dots],
        y=[y for (_, y), _ in dots],
        mode="markers",
        marker={"size": size, "symbol": symbol, "color": fill},
        text=[text for _, text in dots],
        hovertemplate="%{text}<extra></extra>",
    )


def _add_names(drawn: go.Figure, dots: Sequence[tuple[Point, str]]) -> None:
    """Write above every dot what it is called."""
    for (x, y), text in dots:
        drawn.add_annotation(
            x=x, y=y, text=text, showarrow=False, yshift=16, bgcolor=LIGHT.paper, opacity=0.85
        )


def page(seen: Picture) -> str:
    """Return a picture as a page of HTML that needs no network."""
    text: str = figure(seen).to_html(include_plotlyjs=True, default_height="100vh")
    return text


def svg(seen: Picture, width_px: int = 1000) -> str:
    """Return a picture as SVG, with the names as tooltips and a legend of the highest load."""
    from plotly.colors import sample_colorscale

    shades = sample_colorscale(COLOUR_SCALE, [i / (_SHADES - 1) for i in range(_SHADES)])
    points = [point for line in seen.lines for point in line.points]
    points += [point for point, _ in (*seen.switches, *seen.nodes)]
    left, right = min(x for x, _ in points), max(x for x, _ in points)
    low, high = min(y for _, y in points), max(y for _, y in points)
    scale = (width_px - 60) / max(right - left, high - low, 1e-9)
    height_px = (high - low) * scale + 80

    def at(point: Point) -> str:
        return f"{30 + (point[0] - left) * scale:.1f},{50 + (high - point[1]) * scale:.1f}"

    thick = 3.0 if len(seen.lines) < 400 else 1.5
    parts = []
    for line in seen.lines:
        shade = seen.shade(line)
        stroke = LIGHT.faint if shade is None else shades[shade]
        known = "" if shade is None else f": {line.load_us:.4g} µs"
        parts.append(
            f'<polyline points="{" ".join(map(at, line.points))}" fill="none" stroke="{stroke}" '
            f'stroke-width="{thick * _thickness(line.width):.2g}">'
            f"<title>{escape(line.text + known)}</title></polyline>"
        )
    for dots, fill, size in ((seen.nodes, colour(5), 3.5), (seen.switches, LIGHT.text, 5)):
        for point, text in dots:
            x, y = at(point).split(",")
            circle = f'<circle cx="{x}" cy="{y}" r="{size}" fill="{fill}">'
            parts.append(f"{circle}<title>{escape(text)}</title></circle>")
    told = f"{seen.title}; 0 (dark) to {seen.most:.4g} {_UNIT}" if seen.most else seen.title
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width_px} {height_px:.0f}" '
        f'font-family="{escape(FONT)}" font-size="14">\n'
        f'<rect width="100%" height="100%" fill="{LIGHT.paper}"/>\n'
        f'<text x="30" y="24" fill="{LIGHT.text}">{escape(told)}</text>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )
