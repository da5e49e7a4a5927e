"""Draws networks into files, with tooltips; SVG follows the light or dark theme of its reader."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .canvas import XY, Disc, Path, Shape, Sheet, Text
from .look import LIGHT, colour
from .naming import named_switches
from .network_map import HELD, Dot, Edge, NetworkMap, shade
from .placing import Point

_MARGIN, _TOP = 40, 88
_WIDTH, _LEAST_WIDTH = 1000, 480
_STEP_RADIUS = 9
_TITLE_LETTER = 7.6
"""Mean width of a letter of the title."""
_APART = 4
"""Least distance of a name from the edge."""
_WHITE = "#fff"
"""White on coloured discs. Written like this the dark theme leaves it alone, unlike the paper."""
_LEGEND_PX, _LEGEND_PARTS = 120, 32


class _Place:
    """Where points of a network lie, in pixels."""

    def __init__(self, network: NetworkMap) -> None:
        half = network.box / 2
        (left, low), (right, high) = network.corners
        xs, ys = [left - half, right + half], [low - half, high + half]
        for group in network.groups:
            xs.append(group.named_at[0])
            ys.append(group.named_at[1])
        self.left, self.high = min(xs), max(ys)
        width, height = max(xs) - self.left, self.high - min(ys)
        self.aside = 0.0
        room = (_WIDTH - 2 * _MARGIN) / max(width, height, 1e-9)
        self.scale = min(room, network.px_per_unit)
        self.names = named_switches(network, self.scale * network.extent)
        title = 2 * _MARGIN + len(network.title) * _TITLE_LETTER
        self.width = max(width * self.scale + 2 * _MARGIN, _LEAST_WIDTH, title)
        self._widen()
        self.height = height * self.scale + _TOP + _MARGIN

    def _widen(self) -> None:
        """Make room for names that are longer than the margin."""
        ends = [(self.of(name.point)[0] + name.right, name.half_px + _APART) for name in self.names]
        self.width = max([self.width, *(x + half for x, half in ends)])
        self.aside = max([0.0, *(half - x for x, half in ends)])
        self.width += self.aside

    def of(self, point: Point) -> XY:
        x = _MARGIN + self.aside + (point[0] - self.left) * self.scale
        return x, _TOP + (self.high - point[1]) * self.scale


def network_sheet(network: NetworkMap) -> Sheet:
    """Return a network as shapes, with its title and its colour scale."""
    place = _Place(network)
    shapes: list[Shape] = [
        Text((_MARGIN, 26), network.title, size=15),
        *_legend(network),
        *(
            Disc(place.of(group.centre), group.radius * place.scale, LIGHT.grid)
            for group in network.groups
            if group.radius
        ),
        *(_edge(network, edge, place) for edge in network.edges),
        *(_boxes(network, place) if network.box else _dots(network.nodes, place, colour(5), 3.5)),
        *_dots(network.switches, place, LIGHT.text, 5),
        *_names(network, place),
        *_steps(network, place),
    ]
    return Sheet(place.width, place.height, network.title, shapes, follows_reader=True)


def _legend(network: NetworkMap) -> Iterator[Shape]:
    """Yield the scale of colours, from none to the highest load."""
    if not network.most:
        return
    begin, width = _MARGIN + 14.0, _LEGEND_PX / _LEGEND_PARTS
    yield Text((_MARGIN, 48), f"{network.least:g}", size=12)
    for part in range(_LEGEND_PARTS):
        ends = (begin + part * width, begin + (part + 1) * width)
        # Half a pixel more: between parts that only touch, the paper would be seen.
        yield Path(((ends[0], 44), (ends[1] + 0.5, 44)), shade(part / (_LEGEND_PARTS - 1)), 10)
    yield Text((begin + _LEGEND_PX + 6, 48), network.most_text, size=12)


def _edge(network: NetworkMap, edge: Edge, place: _Place) -> Path:
    share = network.share(edge)
    stroke = network.unknown if share is None else shade(share)
    return Path(
        [place.of(point) for point in edge.points],
        HELD if edge.role == "held" else stroke,
        network.stroke(edge),
        dash="6 5" if edge.role == "failed" else "",
        tooltip=network.tooltip(edge),
    )


def _dots(dots: Sequence[Dot], place: _Place, fill: str, size: float) -> Iterator[Shape]:
    for dot in dots:
        yield Disc(place.of(dot.point), size, fill, tooltip=dot.text)


def _boxes(network: NetworkMap, place: _Place) -> Iterator[Shape]:
    """Yield nodes as squares; squares without a name are grey."""
    half = network.box * place.scale / 2
    for dot in network.nodes:
        x, y = place.of(dot.point)
        corners = [(x + a * half, y + b * half) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
        fill = LIGHT.paper if dot.name else LIGHT.grid
        yield Path(corners, LIGHT.faint, 1, fill, is_closed=True, tooltip=dot.text)
        if dot.name:
            yield Text((x, y + 4), dot.name, "middle")


def _names(network: NetworkMap, place: _Place) -> Iterator[Shape]:
    for name in place.names:
        x, y = place.of(name.point)
        yield Text((x + name.right, y - name.up + 4), name.text, "middle", 12, has_halo=True)
    for group in network.groups:
        x, y = place.of(group.named_at)
        yield Text((x, y + 4), group.name, "middle", is_bold=True)


def _steps(network: NetworkMap, place: _Place) -> Iterator[Shape]:
    """Yield deadlocked packets with their numbers, and the path along their cycle."""
    if not network.steps:
        return
    way = [place.of(point) for point in network.waiting]
    yield Path(way, LIGHT.text, dash="2 4")
    for step, (x, y) in zip(network.steps, way, strict=False):
        yield Disc((x, y), _STEP_RADIUS, HELD, tooltip=step.text)
        yield Text((x, y + 4), step.name, "middle", 11, _WHITE)
