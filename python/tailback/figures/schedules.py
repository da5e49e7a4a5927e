"""Pictures of schedules: who sends to whom in some steps of a mesh, and how loaded its links are.

Nodes lie as in the papers, row 0 on top. What is written in a node is where it sends, as row,
column: where it sends in several of the steps, how often. Links keep to the right-hand side of
their way.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

import numpy as np

from tailback.errors import UserError
from tailback.schedules import Schedule, link_loads
from tailback.units import counted

from .look import DARK, FONT, LIGHT
from .picture import SCALE, shades

_CELL, _GAP, _MARGIN, _TOP = 44, 26, 24, 76
_MOST_SIDE = 32

_STYLE = f"""<style>
.paper {{ fill: {LIGHT.paper}; }} .text {{ fill: {LIGHT.text}; }}
.node {{ fill: {LIGHT.paper}; stroke: {LIGHT.faint}; }} .idle {{ fill: {LIGHT.grid}; }}
.unused {{ stroke: {LIGHT.grid}; }}
@media (prefers-color-scheme: dark) {{
.paper {{ fill: {DARK.paper}; }} .text {{ fill: {DARK.text}; }}
.node {{ fill: {DARK.paper}; stroke: {DARK.faint}; }} .idle {{ fill: {DARK.grid}; }}
.unused {{ stroke: {DARK.grid}; }}
}}
</style>"""


def svg(schedule: Schedule, first: int, last: int) -> str:
    """Return a picture of steps ``first`` to ``last``, the last included, taken as one.

    Raises `UserError` for steps that there are not, and meshes that are not drawn: of more than
    two dimensions, or more than 32 nodes wide or high.
    """
    _check(schedule, first, last)
    columns, rows = (*schedule.shape, 1)[:2]
    source, destination = schedule.of_steps(first, last)
    loads = link_loads(schedule.shape, np.zeros_like(source), source, destination, 1)[0]
    most = int(loads.max(initial=0))
    width = 2 * _MARGIN + columns * (_CELL + _GAP) - _GAP
    height = _TOP + rows * (_CELL + _GAP) - _GAP + _MARGIN
    steps = f"step {first}" if first == last else f"steps {first} to {last}"
    title = f"{schedule.name}, {schedule.mesh}: {steps} of {schedule.steps}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {max(width, 420)} {height}" '
        f'font-family="{escape(FONT)}" font-size="13">\n{_STYLE}\n'
        '<rect class="paper" width="100%" height="100%"/>\n'
        f'<text class="text" x="{_MARGIN}" y="26" font-size="15">{escape(title)}</text>\n'
        + _legend(int(np.count_nonzero(source != destination)), most)
        + "\n".join([*_links(loads, columns, rows, most), *_nodes(schedule, source, destination)])
        + "\n</svg>\n"
    )


def _check(schedule: Schedule, first: int, last: int) -> None:
    if len(schedule.shape) > 2:
        problem = f"cannot draw a mesh of {len(schedule.shape)} dimensions; at most 2"
        raise UserError("--out", None, problem)
    if max(schedule.shape) > _MOST_SIDE:
        problem = f"cannot draw {schedule.mesh} nodes; at most {_MOST_SIDE} x {_MOST_SIDE}"
        raise UserError("--out", None, problem)
    if not 0 <= first <= last < schedule.steps:
        given = str(first) if first == last else f"{first}-{last}"
        raise UserError("--step", given, f"must be 0 to {schedule.steps - 1}, the last step")


def _legend(messages: int, most: int) -> str:
    """Return what the colours of links mean."""
    ends = len(SCALE) - 1
    stops = "".join(
        f'<stop offset="{i / ends:g}" stop-color="{shade}"/>' for i, shade in enumerate(SCALE)
    )
    text = f"{messages} messages; at most {most} on a link"
    return (
        f'<defs><linearGradient id="loads">{stops}</linearGradient></defs>\n'
        f'<text class="text" x="{_MARGIN}" y="52" font-size="12">{text}</text>'
        f'<rect x="{_MARGIN + 240}" y="43" width="90" height="10" fill="url(#loads)"/>'
        f'<text class="text" x="{_MARGIN + 228}" y="52" font-size="12">1</text>'
        f'<text class="text" x="{_MARGIN + 336}" y="52" font-size="12">{most}</text>\n'
    )


def _corner(node: int, columns: int) -> tuple[int, int]:
    """Return the upper left corner of a node."""
    row, column = divmod(node, columns)
    return _MARGIN + column * (_CELL + _GAP), _TOP + row * (_CELL + _GAP)


def _links(loads: np.ndarray, columns: int, rows: int, most: int) -> Iterator[str]:
    """Yield the directed links: right, left, down and up."""
    colours = shades()
    middle, aside = _CELL / 2, 5
    for node in range(columns * rows):
        x, y = _corner(node, columns)
        row, column = divmod(node, columns)
        # From where on a node's side, over how much of the gap; with the load of the channel.
        ways = [
            (column < columns - 1, 0, 0, (x + _CELL, y + middle + aside), (_GAP, 0)),
            (column > 0, 0, 1, (x, y + middle - aside), (-_GAP, 0)),
            (row < rows - 1, 1, 0, (x + middle - aside, y + _CELL), (0, _GAP)),
            (row > 0, 1, 1, (x + middle + aside, y), (0, -_GAP)),
        ]
        for there, axis, direction, (begin_x, begin_y), (right, down) in ways:
            if not there:
                continue
            load = int(loads[axis, direction, node])
            shade = round((load - 1) / max(most - 1, 1) * (len(colours) - 1))
            stroke = f'stroke="{colours[shade]}"' if load else 'class="unused"'
            yield (
                f'<line x1="{begin_x}" y1="{begin_y}" x2="{begin_x + right}" '
                f'y2="{begin_y + down}" {stroke} stroke-width="4">'
                f"<title>{counted(load, 'message')}</title></line>"
            )


def _nodes(schedule: Schedule, source: np.ndarray, destination: np.ndarray) -> Iterator[str]:
    columns = schedule.shape[0]
    for node in range(schedule.nodes):
        x, y = _corner(node, columns)
        to = destination[source == node]
        row, column = divmod(node, columns)
        idle = "" if to.size else " idle"
        yield (
            f'<rect class="node{idle}" x="{x}" y="{y}" width="{_CELL}" height="{_CELL}" rx="3">'
            f"<title>node {node} (row {row}, column {column}): {counted(to.size, 'message')}"
            "</title></rect>"
        )
        if to.size:
            text = ",".join(map(str, divmod(int(to[0]), columns))) if to.size == 1 else str(to.size)
            yield (
                f'<text class="text" x="{x + _CELL / 2}" y="{y + _CELL / 2 + 4}" '
                f'text-anchor="middle">{text}</text>'
            )
