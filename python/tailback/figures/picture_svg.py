"""A picture of a network as SVG: light or dark as its reader, names as tooltips and as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from .look import DARK, FONT, LIGHT, colour
from .picture import HELD, SCALE, STEP_PX, Dot, Picture, shades
from .placing import Point

_MARGIN, _TOP = 40, 88

_STYLE = f"""<style>
.paper {{ fill: {LIGHT.paper}; }} .text, .switch {{ fill: {LIGHT.text}; }}
.ground {{ fill: {LIGHT.grid}; }} .unknown {{ stroke: {LIGHT.faint}; }}
.waits {{ stroke: {LIGHT.text}; }}
.name {{ fill: {LIGHT.text}; stroke: {LIGHT.paper}; stroke-width: 3px; paint-order: stroke; }}
@media (prefers-color-scheme: dark) {{
.paper {{ fill: {DARK.paper}; }} .text, .switch {{ fill: {DARK.text}; }}
.ground {{ fill: {DARK.grid}; }} .unknown {{ stroke: {DARK.faint}; }}
.waits {{ stroke: {DARK.text}; }}
.name {{ fill: {DARK.text}; stroke: {DARK.paper}; }}
}}
</style>"""


class _Canvas:
    """Where points of a picture lie, in pixels."""

    def __init__(self, seen: Picture, width_px: int) -> None:
        points = [point for line in seen.lines for point in line.points]
        points += [dot.point for dot in (*seen.switches, *seen.nodes, *seen.steps)]
        points += [corner for group in seen.groups for corner in (*group.corners, group.named_at)]
        self.left, right = min(x for x, _ in points), max(x for x, _ in points)
        low, self.high = min(y for _, y in points), max(y for _, y in points)
        self.scale = (width_px - 2 * _MARGIN) / max(right - self.left, self.high - low, 1e-9)
        self.width = max((right - self.left) * self.scale + 2 * _MARGIN, 480)
        self.height = (self.high - low) * self.scale + _TOP + _MARGIN

    def at(self, point: Point) -> tuple[float, float]:
        x = _MARGIN + (point[0] - self.left) * self.scale
        return x, _TOP + (self.high - point[1]) * self.scale


def svg(seen: Picture, width_px: int = 1000) -> str:
    """Return a picture as SVG."""
    canvas = _Canvas(seen, width_px)
    size = f"{canvas.width:.0f} {canvas.height:.0f}"
    parts = [
        *_grounds(seen, canvas),
        *_lines(seen, canvas),
        *_dots(seen.nodes, canvas, f'fill="{colour(5)}"', 3.5),
        *_dots(seen.switches, canvas, 'class="switch"', 5),
        *_names(seen, canvas),
        *_steps(seen, canvas),
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" '
        f'font-family="{escape(FONT)}" font-size="13">\n{_STYLE}\n'
        '<rect class="paper" width="100%" height="100%"/>\n'
        f'<text class="text" x="{_MARGIN}" y="26" font-size="15">{escape(seen.title)}</text>\n'
        + _legend(seen, canvas.width)
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def _legend(seen: Picture, width: float) -> str:
    """Return the scale of colours, from none to the highest load."""
    if not seen.most:
        return ""
    ends = len(SCALE) - 1
    stops = "".join(
        f'<stop offset="{i / ends:g}" stop-color="{shade}"/>' for i, shade in enumerate(SCALE)
    )
    most = f"{seen.most / seen.unit.size:.4g} {seen.unit.name}"
    return (
        f'<defs><linearGradient id="loads">{stops}</linearGradient></defs>\n'
        f'<text class="text" x="{_MARGIN}" y="48" font-size="12">0</text>'
        f'<rect x="{_MARGIN + 14}" y="39" width="120" height="10" fill="url(#loads)"/>'
        f'<text class="text" x="{_MARGIN + 140}" y="48" font-size="12">'
        f"{escape(most)} per message of every node</text>\n"
    )


def _grounds(seen: Picture, canvas: _Canvas) -> Iterator[str]:
    for group in seen.groups:
        if group.radius:
            x, y = canvas.at(group.centre)
            radius = group.radius * canvas.scale
            yield f'<circle class="ground" cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}"/>'


def _lines(seen: Picture, canvas: _Canvas) -> Iterator[str]:
    colours = shades()
    for line in seen.lines:
        shade = seen.shade(line)
        stroke = 'class="unknown"' if shade is None else f'stroke="{colours[shade]}"'
        way = " ".join(f"{x:.1f},{y:.1f}" for x, y in map(canvas.at, line.points))
        if line.role == "held":
            stroke = f'stroke="{HELD}"'
        dash = ' stroke-dasharray="6 5"' if line.role == "failed" else ""
        yield (
            f'<polyline points="{way}" fill="none" {stroke} '
            f'stroke-width="{seen.stroke(line):.2g}"{dash}><title>{escape(seen.told(line))}</title>'
            "</polyline>"
        )


def _dots(dots: Sequence[Dot], canvas: _Canvas, fill: str, size: float) -> Iterator[str]:
    for dot in dots:
        x, y = canvas.at(dot.point)
        circle = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size}" {fill}>'
        yield f"{circle}<title>{escape(dot.text)}</title></circle>"


def _steps(seen: Picture, canvas: _Canvas) -> Iterator[str]:
    """Yield packets that wait for each other, with their numbers, and who waits for whom."""
    if not seen.steps:
        return
    way = " ".join(f"{x:.1f},{y:.1f}" for x, y in map(canvas.at, seen.waiting))
    yield f'<polyline class="waits" points="{way}" fill="none" stroke-dasharray="2 4"/>'
    for step in seen.steps:
        x, y = canvas.at(step.point)
        yield (
            f'<g><title>{escape(step.text)}</title><circle cx="{x:.1f}" cy="{y:.1f}" '
            f'r="{STEP_PX / 2:g}" fill="{HELD}"/><text x="{x:.1f}" y="{y + 4:.1f}" fill="#ffffff" '
            f'font-size="11" text-anchor="middle">{escape(step.name)}</text></g>'
        )


def _names(seen: Picture, canvas: _Canvas) -> Iterator[str]:
    for name in seen.names(canvas.scale * seen.extent):
        x, y = canvas.at(name.point)
        place = f'x="{x + name.right:.1f}" y="{y - name.up + 4:.1f}" text-anchor="middle"'
        yield f'<text class="name" {place} font-size="12">{escape(name.text)}</text>'
    for group in seen.groups:
        x, y = canvas.at(group.named_at)
        place = f'x="{x:.1f}" y="{y + 4:.1f}" text-anchor="middle"'
        yield f'<text class="text" {place} font-weight="600">{escape(group.name)}</text>'
