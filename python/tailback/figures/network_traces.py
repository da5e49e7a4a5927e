"""Draws networks on pages: links by colour and thickness, dots, names and tooltips."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite
from typing import Any

from .line_traces import shown_text
from .look import LIGHT, colour
from .naming import Name, named_switches
from .network_map import HELD, SCALE, Dot, Edge, NetworkMap, shade
from .placing import Group

STEP_PX = 18
_WIDTH_PX = 700
"""Approximate size of a network on a page."""


def network_traces(network: NetworkMap) -> Iterator[dict[str, Any]]:
    """Yield plotly's traces of a network."""
    alike: dict[tuple[str, float, bool], list[Edge]] = {}
    for edge in network.edges:
        look = _colour(network, edge), network.stroke(edge), edge.role == "failed"
        alike.setdefault(look, []).append(edge)
    for (line, width, is_dashed), edges in alike.items():
        xs: list[float | None] = []
        ys: list[float | None] = []
        for edge in edges:
            xs += [*(x for x, _ in edge.points), None]
            ys += [*(y for _, y in edge.points), None]
        style = {"color": line, "width": width, **({"dash": "dash"} if is_dashed else {})}
        yield {**_scatter("lines", xs, ys), "line": style, "hoverinfo": "skip"}
    yield _middles(network)
    yield _dots(network.nodes, {"symbol": "square", "color": colour(5), "size": 7})
    yield _dots(network.switches, {"color": LIGHT.text, "size": network.dot_px})
    if network.steps:
        yield from _steps(network)


def network_layout(network: NetworkMap) -> dict[str, Any]:
    """Return the names of switches and groups, and the discs behind groups."""
    names = [_name(name) for name in named_switches(network, _WIDTH_PX)]
    groups = [_group_name(group) for group in network.groups]
    # Half a name on either side.
    margin = {"t": 48, "r": 60, "b": 24, "l": 60}
    shapes = [_ground(group) for group in network.groups if group.radius]
    return {"annotations": names + groups, "shapes": shapes, "margin": margin, "showlegend": False}


def _colour(network: NetworkMap, edge: Edge) -> str:
    share = network.share(edge)
    if edge.role == "held":
        return HELD
    return LIGHT.faint if share is None else shade(share)


def _scatter(mode: str, xs: Sequence[Any], ys: Sequence[Any]) -> dict[str, Any]:
    return {"type": "scatter", "mode": mode, "x": xs, "y": ys, "showlegend": False}


def _middles(network: NetworkMap) -> dict[str, Any]:
    """Return the tooltips in the middle of links, and the colour scale."""
    middles = []
    for edge in network.edges:
        (x, y), (to_x, to_y) = edge.points[0], edge.points[-1]
        straight = len(edge.points) == 2
        middle = ((x + to_x) / 2, (y + to_y) / 2)
        middles.append(middle if straight else edge.points[len(edge.points) // 2])
    size = network.unit.size
    loads = [edge.value / size if isfinite(edge.value) else 0.0 for edge in network.edges]
    marker: dict[str, Any] = {"size": 9, "color": loads, "opacity": 0}
    if network.most > 0:
        title = {"text": f"{network.unit.name} {network.measure}", "side": "right"}
        scale = [[place / (len(SCALE) - 1), each] for place, each in enumerate(SCALE)]
        marker |= {"colorscale": scale, "cmin": 0, "cmax": network.most / size}
        bar = {"title": title, "thickness": 14, "outlinewidth": 0}
        marker |= {"showscale": True, "colorbar": bar}
    dots = _scatter("markers", [x for x, _ in middles], [y for _, y in middles])
    told = [shown_text(network.tooltip(edge)) for edge in network.edges]
    return {**dots, "marker": marker, "text": told, "hovertemplate": "%{text}<extra></extra>"}


def _dots(dots: Sequence[Dot], marker: dict[str, Any]) -> dict[str, Any]:
    found = _scatter("markers", [dot.point[0] for dot in dots], [dot.point[1] for dot in dots])
    told = [shown_text(dot.text) for dot in dots]
    return {**found, "marker": marker, "text": told, "hovertemplate": "%{text}<extra></extra>"}


def _steps(network: NetworkMap) -> Iterator[dict[str, Any]]:
    """Yield deadlocked packets with their numbers, and the path along their cycle."""
    xs, ys = zip(*network.waiting, strict=True)
    style = {"color": LIGHT.text, "width": 1.2, "dash": "dot"}
    yield {**_scatter("lines", xs, ys), "line": style, "hoverinfo": "skip"}
    yield {
        **_scatter("markers+text", xs[:-1], ys[:-1]),
        "marker": {"size": STEP_PX, "symbol": "circle", "color": HELD},
        "text": [shown_text(step.name) for step in network.steps],
        # On coloured discs, so it is not replaced by the colour of a dark paper.
        "textfont": {"color": "#fff", "size": 11},
        "hovertext": [shown_text(step.text) for step in network.steps],
        "hovertemplate": "%{hovertext}<extra></extra>",
    }


def _name(name: Name) -> dict[str, Any]:
    x, y = name.point
    place = {"x": x, "y": y, "xshift": name.right, "yshift": name.up, "showarrow": False}
    style = {"font": {"size": 12}, "bgcolor": LIGHT.paper, "borderpad": 0, "opacity": 0.85}
    return {"text": shown_text(name.text), **place, **style}


def _group_name(group: Group) -> dict[str, Any]:
    x, y = group.named_at
    font = {"size": 13, "weight": 600}
    return {"x": x, "y": y, "text": shown_text(group.name), "showarrow": False, "font": font}


def _ground(group: Group) -> dict[str, Any]:
    """Return the disc on which a group of switches stands."""
    (left, low), (right, high) = group.corners
    ends = {"x0": left, "y0": low, "x1": right, "y1": high}
    return {"type": "circle", **ends, "layer": "below", "line_width": 0, "fillcolor": LIGHT.grid}
