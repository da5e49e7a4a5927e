"""A picture as SVG: text stays text, and nothing is needed to make it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape

from tailback.figures.curves import Line
from tailback.figures.look import FONT, LIGHT, colour, dash

from .scales import MARKS, Point, Scale, marks, points_of, title_size

WIDTH, HEIGHT = 720, 480
_LEFT, _RIGHT, _TOP, _BOTTOM = 78, 20, 46, 60
_SIZE = 13
_LEGEND_LINE, _LEGEND_COLUMN = 19, 330
_LETTER = 6.6
"""Mean width of a letter, near enough."""


@dataclass(frozen=True, slots=True)
class _Frame:
    """Where the axes are, in pixels."""

    x: Scale
    y: Scale
    left: float
    top: float
    width: float
    height: float

    def across(self, value: float) -> float:
        return self.left + self.width * self.x.place(value)

    def up(self, value: float) -> float:
        """Return the height of a value; those beyond the axis lie on its edge."""
        return self.top + self.height * (1 - min(max(self.y.place(value), 0.0), 1.0))


def svg(title: str, lines: Sequence[Line], x: Scale, y: Scale, notes: Sequence[str] = ()) -> str:
    """Return lines with their points and intervals, axes, and a legend below them.

    `notes` are lines of text below all that.
    """
    named = [line for line in lines if line.name]
    legend = list(_legend(named, lines)) if len(named) > 1 or marks(lines) else []
    turned = bool(x.categories) and sum(map(len, x.categories)) * _LETTER > WIDTH - _LEFT - _RIGHT
    longest = max((len(text) for text in x.categories), default=0)
    bottom = _BOTTOM + (min(longest * _LETTER * 0.5, 140) if turned else 0)
    rows = -(-len(legend) // _columns(legend)) if legend else 0
    height = HEIGHT + rows * _LEGEND_LINE + len(notes) * _LEGEND_LINE + (bottom - _BOTTOM)
    frame = _Frame(x, y, _LEFT, _TOP, WIDTH - _LEFT - _RIGHT, HEIGHT - _TOP - _BOTTOM)
    parts = [
        f'<rect width="{WIDTH}" height="{height:.0f}" fill="{LIGHT.paper}"/>',
        f'<text x="{WIDTH / 2}" y="26" text-anchor="middle" font-size="{title_size(title, 15)}" '
        f'font-weight="600">'
        f"{escape(title)}</text>",
        *_axes(frame, turned, bottom),
        *(part for line in lines for part in _drawn(line, frame)),
    ]
    below = _TOP + frame.height + bottom + 12
    columns = _columns(legend)
    for i, (key, text) in enumerate(legend):
        at = _LEFT + (i % columns) * _width(columns), below + (i // columns) * _LEGEND_LINE
        parts.append(f'<g transform="translate({at[0]:.1f},{at[1]:.1f})">{key}')
        parts.append(f'<text x="36" y="4">{escape(text)}</text></g>')
    below += rows * _LEGEND_LINE + 4
    for i, note in enumerate(notes):
        place = f'x="{_LEFT}" y="{below + i * _LEGEND_LINE:.1f}"'
        parts.append(f'<text {place} fill="{LIGHT.faint}">{escape(note)}</text>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height:.0f}" '
        f'viewBox="0 0 {WIDTH} {height:.0f}" font-family="{escape(FONT)}" font-size="{_SIZE}" '
        f'fill="{LIGHT.text}" role="img" aria-label="{escape(title)}">\n'
        f"<title>{escape(title)}</title>\n" + "\n".join(parts) + "\n</svg>\n"
    )


def _columns(legend: Sequence[tuple[str, str]]) -> int:
    """Return how many entries of the legend stand side by side."""
    longest = max((len(text) for _, text in legend), default=1)
    return max(1, min(4, len(legend), int((WIDTH - _LEFT) / (longest * _LETTER + 56))))


def _width(columns: int) -> float:
    return (WIDTH - _LEFT - _RIGHT) / columns


def _axes(frame: _Frame, turned: bool, bottom: float) -> Iterator[str]:
    right, floor = frame.left + frame.width, frame.top + frame.height
    for value, text in frame.y.ticks:
        at = frame.up(value)
        yield _stroke(frame.left, at, right, at, LIGHT.grid)
        yield f'<text x="{frame.left - 8}" y="{at + 4:.1f}" text-anchor="end">{escape(text)}</text>'
    for value, text in frame.x.ticks:
        at = frame.across(value)
        if not frame.x.categories:
            yield _stroke(at, frame.top, at, floor, LIGHT.grid)
        yield _stroke(at, floor, at, floor + 4, LIGHT.faint)
        place = f'x="{at:.1f}" y="{floor + 19:.1f}" text-anchor="middle"'
        if turned:
            place = (
                f'transform="translate({at:.1f},{floor + 14:.1f}) rotate(-30)" text-anchor="end"'
            )
        yield f"<text {place}>{escape(text)}</text>"
    yield _stroke(frame.left, floor, right, floor, LIGHT.faint)
    yield _stroke(frame.left, frame.top, frame.left, floor, LIGHT.faint)
    middle = frame.left + frame.width / 2
    yield (
        f'<text x="{middle:.1f}" y="{floor + bottom - 16:.1f}" text-anchor="middle">'
        f"{escape(frame.x.title)}</text>"
    )
    yield (
        f'<text transform="translate(18,{frame.top + frame.height / 2:.1f}) rotate(-90)" '
        f'text-anchor="middle">{escape(frame.y.title)}</text>'
    )


def _stroke(x1: float, y1: float, x2: float, y2: float, shade: str, width: float = 1.0) -> str:
    ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
    return f'<line {ends} stroke="{shade}" stroke-width="{width:g}"/>'


def _drawn(line: Line, frame: _Frame) -> Iterator[str]:
    """Yield the line through the points, their intervals, and the points."""
    points = points_of(line, frame.x)
    joined = [point for point in points if not point.hollow and not point.bound]
    shade = colour(line.colour)
    if line.look not in ("points", "printed") and not frame.x.categories and len(joined) > 1:
        way = " ".join(f"{frame.across(p.x):.1f},{frame.up(p.y):.1f}" for p in joined)
        yield f'<polyline points="{way}" fill="none" stroke="{shade}" {_style(line)}/>'
    if line.look == "plain" or not line.marked:
        return
    for point in points:
        yield from _interval(point, shade, frame)
    for point in points:
        yield _mark(line, point, frame.across(point.x), frame.up(point.y))


def _style(line: Line) -> str:
    pattern = dash(line.look).replace("px", "")
    dashes = "" if pattern == "solid" else f' stroke-dasharray="{pattern}"'
    return f'stroke-width="{1 if line.look == "plain" else 2}" stroke-linejoin="round"{dashes}'


def _interval(point: Point, shade: str, frame: _Frame) -> Iterator[str]:
    if point.low is None or point.high is None or point.low == point.high:
        return
    at, low, high = frame.across(point.x), frame.up(point.low), frame.up(point.high)
    yield _stroke(at, low, at, high, shade, 1.2)
    for end in (low, high):
        yield _stroke(at - 4, end, at + 4, end, shade, 1.2)


def _mark(line: Line, point: Point, x: float, y: float) -> str:
    """Return a dot; an open one if the run never settled, a cross if it was saturated.

    An arrow where the value is known to be above only.
    """
    shade = colour(line.colour)
    if point.bound:
        way = f"M{x:.1f} {y:.1f}v-15m-4.5 5.5l4.5 -5.5l4.5 5.5"
        ring = f'fill="{LIGHT.paper}" stroke="{shade}" stroke-width="1.6"'
        arrow = f'<path d="{way}" stroke="{shade}" stroke-width="1.6" fill="none"/>'
        return f'{arrow}<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" {ring}/>'
    if point.saturated or line.look == "printed":
        way = f"M{x - 5:.1f} {y - 5:.1f}l10 10m0 -10l-10 10"
        return f'<path d="{way}" stroke="{shade}" stroke-width="2.4" fill="none"/>'
    fill = LIGHT.paper if point.hollow else shade
    ring = f'fill="{fill}" stroke="{shade}" stroke-width="1.6"'
    if line.look == "dashed":
        return f'<rect x="{x - 3.5:.1f}" y="{y - 3.5:.1f}" width="7" height="7" {ring}/>'
    if line.look == "dotted":
        way = f"M{x:.1f} {y - 5:.1f}l5 5l-5 5l-5 -5z"
        return f'<path d="{way}" {ring}/>'
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" {ring}/>'


def _legend(named: Sequence[Line], lines: Sequence[Line]) -> Iterator[tuple[str, str]]:
    """Yield keys and texts: of the lines, then of marks that need an explanation."""
    for line in named if len(named) > 1 else ():
        shade = colour(line.colour)
        way = f'<path d="M0 0H28" stroke="{shade}" fill="none" {_style(line)}/>'
        if line.look in ("points", "printed"):
            way = ""
        dot = Point(0, 0, None, None, hollow=False, saturated=False)
        yield (
            way + ("" if line.look == "plain" or not line.marked else _mark(line, dot, 14, 0)),
            line.name,
        )
    grey, dot = Line("", [], [], colour=6), Point(0, 0, None, None, hollow=False, saturated=False)
    for field in marks(lines):
        below = 4 if field == "bound" else 0
        yield _mark(grey, replace(dot, **{field: True}), 14, below), MARKS[field]
