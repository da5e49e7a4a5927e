"""Pictures of schedules: who sends to whom in some steps of a mesh, and how loaded its links are.

Row 0 is on top, as in the papers. A node shows its destination as row, column, or how often it
sends if it does so in several of the steps. Links are on the right-hand side of their direction.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import nan

import numpy as np

from tailback.errors import UserError
from tailback.schedules import Schedule, link_loads
from tailback.units import counted

from .canvas import svg as written
from .look import LIGHT
from .network_files import network_sheet
from .network_map import Dot, Edge, NetworkMap

_PITCH_PX, _BOX_PX, _ASIDE_PX = 70, 44, 5
_MOST_SIDE = 32


def svg(schedule: Schedule, first: int, last: int) -> str:
    """Return a picture of steps ``first`` to ``last``, the last included, taken as one.

    Raises `UserError` for steps that there are not, and meshes that are not drawn: of more than
    two dimensions, or more than 32 nodes wide or high.
    """
    _check(schedule, first, last)
    source, destination = schedule.of_steps(first, last)
    loads = link_loads(schedule.shape, np.zeros_like(source), source, destination, 1)[0]
    steps = f"step {first}" if first == last else f"steps {first} to {last}"
    messages = int(np.count_nonzero(source != destination))
    network = NetworkMap(
        f"{schedule.name}, {schedule.mesh}: {steps} of {schedule.steps}",
        list(_links(schedule, loads)),
        (),
        list(_nodes(schedule, source, destination)),
        summary=f"{messages} messages; at most {loads.max(initial=0)} on a link",
        least=1,
        unknown=LIGHT.grid,
        box=_BOX_PX / _PITCH_PX,
        px_per_unit=_PITCH_PX,
    )
    return written(network_sheet(network))


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


def _links(schedule: Schedule, loads: np.ndarray) -> Iterator[Edge]:
    """Yield the directed links: right, left, down and up."""
    columns, rows = (*schedule.shape, 1)[:2]
    half, aside = _BOX_PX / _PITCH_PX / 2, _ASIDE_PX / _PITCH_PX
    ways = {(1, 0): (0, 0), (-1, 0): (0, 1), (0, -1): (1, 0), (0, 1): (1, 1)}
    for node in range(columns * rows):
        row, column = divmod(node, columns)
        for (right, up), channel in ways.items():
            if not (0 <= column + right < columns and 0 <= row - up < rows):
                continue
            x, y = column + up * aside, -row - right * aside
            ends = [(x + right * part, y + up * part) for part in (half, 1 - half)]
            load = int(loads[(*channel, node)])
            yield Edge(ends, counted(load, "message"), load or nan)


def _nodes(schedule: Schedule, source: np.ndarray, destination: np.ndarray) -> Iterator[Dot]:
    columns = schedule.shape[0]
    for node in range(schedule.nodes):
        to = destination[source == node]
        row, column = divmod(node, columns)
        place = f"node {node} (row {row}, column {column})"
        name = ",".join(map(str, divmod(int(to[0]), columns))) if to.size == 1 else str(to.size)
        text = f"{place}: {counted(to.size, 'message')}"
        yield Dot((column, -row), name if to.size else "", text)
