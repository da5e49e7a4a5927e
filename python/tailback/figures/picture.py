"""Lines in the colours of their loads, and dots with names: as a figure of Plotly, or a page."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite, log2
from typing import TYPE_CHECKING, Any, Literal

from tailback.wording.scaling import MICROSECONDS, Unit, unit_for

from .drawing import Drawing
from .look import DARK, LIGHT, Theme, colour, layout
from .naming import Name, placed_names
from .placing import Group, Point

if TYPE_CHECKING:
    import plotly.graph_objects as go

SCALE = ("#4575d4", "#1f9e89", "#b8921f", "#e5602f", "#c2255c")
"""Colours of loads, from none to the highest: all can be seen on white and on black."""

HELD = SCALE[-1]
"""The colour of channels that packets hold which wait for each other, and of these packets."""
STEP_PX = 18
_HELD_WIDER = 1.8

_SHADES = 32
_WIDTH_PX = 900
"""About how wide or high a drawing is shown."""
_HEIGHT_PX = 560
"""On a page of several figures."""
_PER_MESSAGE = "per message of every node"


Channel = tuple[str, int, int]
"""Kind of channels, and the numbers of what they lead from and to."""

Role = Literal["link", "failed", "held"]


@dataclass(frozen=True)
class Line:
    """A link, or the channels between a node and its switch."""

    points: Sequence[Point]
    text: str
    load_us: float
    """NaN where it is not known."""
    width: int
    role: Role = "link"
    """A link that has failed is drawn in dashes; one that a packet holds for ever stands out."""
    channel: Channel | None = None
    """The channels it stands for."""

    @property
    def alike(self) -> tuple[int, Role]:
        """What else than its load a line looks by."""
        return self.width, self.role


@dataclass(frozen=True)
class Dot:
    """A switch or a node: what is written beside it, and what is told when one points at it."""

    point: Point
    name: str
    text: str


@dataclass(frozen=True)
class Picture:
    """Lines, and on top of them switches and nodes with what they are called."""

    title: str
    lines: Sequence[Line]
    switches: Sequence[Dot]
    nodes: Sequence[Dot]
    groups: Sequence[Group] = ()
    steps: Sequence[Dot] = ()
    """Packets that wait for each other, in a circle: each for the next."""

    @property
    def most(self) -> float:
        """The highest load in microseconds; 0 if none is known."""
        return max((line.load_us for line in self.lines if isfinite(line.load_us)), default=0.0)

    @cached_property
    def unit(self) -> Unit:
        """The unit that suits the highest load."""
        return unit_for([self.most], MICROSECONDS)

    def shade(self, line: Line) -> int | None:
        """Return the number of a line's colour, from 0; None for one whose load is unknown."""
        if not isfinite(line.load_us) or self.most == 0:
            return None
        return round(line.load_us / self.most * (_SHADES - 1))

    def told(self, line: Line) -> str:
        """Return what is told of a line."""
        if self.shade(line) is None:
            return line.text
        return f"{line.text}: {line.load_us / self.unit.size:.4g} {self.unit.name}"

    def stroke(self, line: Line) -> float:
        """Return the thickness of a line in pixels; of several wires it is more."""
        count = len(self.lines)
        thin = 3.0 if count < _FEW else 2.0 if count < _MANY else 1.2
        return thin * (1 + 0.5 * log2(line.width)) * (_HELD_WIDER if line.role == "held" else 1)

    @property
    def waiting(self) -> list[Point]:
        """The way from packet to packet, back to the first."""
        return [step.point for step in (*self.steps, *self.steps[:1])]

    @cached_property
    def extent(self) -> float:
        """Width or height, whichever is more."""
        points = [point for line in self.lines for point in line.points]
        points += [dot.point for dot in (*self.switches, *self.nodes, *self.steps)]
        points += [corner for group in self.groups for corner in group.corners]
        sides = ([point[axis] for point in points] for axis in (0, 1))
        return max(*(max(side) - min(side) for side in sides), 1e-9)

    def names(self, width_px: float = _WIDTH_PX) -> list[Name]:
        """Return the names of switches for which there is room."""
        dots = [(dot.point, dot.name) for dot in self.switches]
        others = [dot.point for dot in (*self.nodes, *self.steps)]
        return placed_names(dots, others, width_px / self.extent)


_FEW, _MANY = 80, 400


def shades() -> list[str]:
    """Return the colours of loads, from none to the highest."""
    from plotly.colors import sample_colorscale

    found: list[str] = sample_colorscale(list(SCALE), [i / (_SHADES - 1) for i in range(_SHADES)])
    return found


def figure(seen: Picture, theme: Theme = LIGHT, width_px: float = _WIDTH_PX) -> go.Figure:
    """Return a picture as a figure of Plotly, about so wide or high."""
    import plotly.graph_objects as go

    colours = shades()
    drawn = go.Figure(layout={"template": {"layout": layout(theme)}})
    for shade, looks in sorted(
        {(seen.shade(line), line.alike) for line in seen.lines},
        key=lambda key: (-1 if key[0] is None else key[0], key[1]),
    ):
        alike = [line for line in seen.lines if (seen.shade(line), line.alike) == (shade, looks)]
        xs: list[float | None] = []
        ys: list[float | None] = []
        for line in alike:
            xs += [*(x for x, _ in line.points), None]
            ys += [*(y for _, y in line.points), None]
        style = {
            "color": theme.faint if shade is None else colours[shade],
            "width": seen.stroke(alike[0]),
            **({"dash": "dash"} if alike[0].role == "failed" else {}),
            **({"color": HELD} if alike[0].role == "held" else {}),
        }
        drawn.add_scatter(x=xs, y=ys, mode="lines", line=style, hoverinfo="skip")
    _add_middles(drawn, seen)
    _add_dots(drawn, seen.nodes, "square", colour(5), 7)
    _add_dots(drawn, seen.switches, "circle", theme.text, 10 if len(seen.switches) < _MANY else 5)
    if seen.steps:
        _add_steps(drawn, seen, theme)
    for name in seen.names(width_px):
        _add_name(drawn, name, theme)
    for group in seen.groups:
        _add_group(drawn, group, theme)
    axis = {"visible": False, "showgrid": False, "zeroline": False}
    drawn.update_layout(
        title={"text": seen.title, "x": 0.02},
        showlegend=False,
        hovermode="closest",
        # Half a name on either side.
        margin={"t": 48, "r": 60, "b": 24, "l": 60},
        xaxis=axis,
        yaxis={**axis, "scaleanchor": "x"},
    )
    return drawn


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
    size = seen.unit.size
    loads = [line.load_us / size if isfinite(line.load_us) else 0.0 for line in seen.lines]
    marker: dict[str, Any] = {"size": 9, "color": loads, "opacity": 0}
    if known:
        title = f"{seen.unit.name} {_PER_MESSAGE}"
        scale = {"title": {"text": title, "side": "right"}, "thickness": 14, "outlinewidth": 0}
        marker |= {"colorscale": list(SCALE), "cmin": 0, "cmax": seen.most / size}
        marker |= {"showscale": True, "colorbar": scale}
    drawn.add_scatter(
        x=[x for x, _ in halves],
        y=[y for _, y in halves],
        mode="markers",
        marker=marker,
        text=[seen.told(line) for line in seen.lines],
        hovertemplate="%{text}<extra></extra>",
    )


def _add_dots(drawn: go.Figure, dots: Sequence[Dot], symbol: str, fill: str, size: int) -> None:
    drawn.add_scatter(
        x=[dot.point[0] for dot in dots],
        y=[dot.point[1] for dot in dots],
        mode="markers",
        marker={"size": size, "symbol": symbol, "color": fill},
        text=[dot.text for dot in dots],
        hovertemplate="%{text}<extra></extra>",
    )


def _add_steps(drawn: go.Figure, seen: Picture, theme: Theme) -> None:
    """Add packets that wait for each other, with their numbers, and who waits for whom."""
    xs, ys = zip(*seen.waiting, strict=True)
    style = {"color": theme.text, "width": 1.2, "dash": "dot"}
    drawn.add_scatter(x=xs, y=ys, mode="lines", line=style, hoverinfo="skip")
    drawn.add_scatter(
        x=xs[:-1],
        y=ys[:-1],
        mode="markers+text",
        marker={"size": STEP_PX, "symbol": "circle", "color": HELD},
        text=[step.name for step in seen.steps],
        textfont={"color": "#ffffff", "size": 11},
        hovertext=[step.text for step in seen.steps],
        hovertemplate="%{hovertext}<extra></extra>",
    )


def _add_name(drawn: go.Figure, name: Name, theme: Theme) -> None:
    x, y = name.point
    drawn.add_annotation(
        x=x,
        y=y,
        text=name.text,
        showarrow=False,
        xshift=name.right,
        yshift=name.up,
        font={"size": 12},
        bgcolor=theme.paper,
        borderpad=0,
        opacity=0.85,
    )


def _add_group(drawn: go.Figure, group: Group, theme: Theme) -> None:
    """Add the ground on which a group of switches stands, and its name."""
    if group.radius:
        (left, low), (right, high) = group.corners
        ends = {"x0": left, "y0": low, "x1": right, "y1": high}
        drawn.add_shape(type="circle", **ends, layer="below", line_width=0, fillcolor=theme.grid)
    x, y = group.named_at
    style = {"size": 13, "weight": 600}
    drawn.add_annotation(x=x, y=y, text=group.name, showarrow=False, font=style)


def drawing(
    seen: Picture, table: Mapping[str, Sequence[Any]], note: tuple[tuple[str, ...], ...]
) -> Drawing:
    """Return a picture for a page that has a title, paper and font; the rest as of a `Drawing`."""
    plot = figure(seen, width_px=_HEIGHT_PX).to_plotly_json()
    own = {name: of for name, of in plot["layout"].items() if name not in {"template", "title"}}
    return Drawing({"data": plot["data"], "layout": own}, table, note=note, height_px=_HEIGHT_PX)


_SCRIPT = """
const themes = %s;
const plot = document.querySelector(".js-plotly-plot");
const dark = matchMedia("(prefers-color-scheme: dark)");
function dress() {
  const theme = themes[dark.matches ? "dark" : "light"];
  document.body.style.background = theme.paper;
  const other = themes[dark.matches ? "light" : "dark"];
  const grounds = (plot.layout.shapes || []).map((shape) => ({ ...shape, fillcolor: theme.grid }));
  const names = (plot.layout.annotations || []).map((name) =>
    name.bgcolor ? { ...name, bgcolor: theme.paper } : name);
  Plotly.relayout(plot, { paper_bgcolor: theme.paper, plot_bgcolor: theme.paper,
    "font.color": theme.text, shapes: grounds, annotations: names });
  const changed = (from, to) => plot.data.forEach((trace, i) => {
    if (trace.marker?.color === from) Plotly.restyle(plot, { "marker.color": to }, [i]);
    if (trace.line?.color === from) Plotly.restyle(plot, { "line.color": to }, [i]);
  });
  changed(other.text, theme.text);
  changed(other.faint, theme.faint);
}
dress();
dark.addEventListener("change", dress);
"""


def page(seen: Picture) -> str:
    """Return a picture as a page of HTML that needs no network, light or dark as its reader."""
    themes = {"light": LIGHT.to_dict(), "dark": DARK.to_dict()}
    text: str = figure(seen).to_html(
        include_plotlyjs=True,
        default_height="100vh",
        post_script=_SCRIPT % json.dumps(themes),
        config={"displaylogo": False},
    )
    return text.replace("<body>", '<body style="margin: 0">', 1)
