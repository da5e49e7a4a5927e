"""The usual pictures of a sweep: which of them suit it, the most telling first.

Where a load is offered: latency against it, and what is accepted of it. Elsewhere what
contention leaves of the message rate, against what was varied; and where that is not known,
the latency of messages, or their rate.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tailback.analysis.names import PARAMETERS
from tailback.errors import UserError, shown
from tailback.figures.description import Axis, Line
from tailback.figures.labels import metric_axis
from tailback.metrics import THETAS, stem_of

from .series import EVERYTHING, OFFERED, Abscissa, Series

ACCEPTED, LATENCY, RATE = "accepted_load", "message_latency_us", "messages_per_node_per_ms"

_MOST_LINES_OF_MODES = 1
_NO_NAME = re.compile(r"[^\w.-]+")
"""What names of files are better without."""


@dataclass(frozen=True, eq=False, slots=True)
class Picture:
    """Lines over an axis, and what they are."""

    name: str
    """Of its file, without ending."""
    title: str
    lines: Sequence[Line]
    x: Axis
    y: Axis
    caption: str = ""

    @property
    def has_saturated(self) -> bool:
        """Whether any point is saturated."""
        return any(any(line.saturated or ()) for line in self.lines)


def usual(series: Series) -> list[Picture]:
    """Return the pictures that suit a sweep; none if nothing was varied or measured."""
    return list(_suitable(series))


def _suitable(series: Series) -> Iterator[Picture]:
    if not series.variation.columns:
        return
    load = next((a for a in series.abscissas if a.column == OFFERED), None)
    if load is not None and series.load_parameter is not None:
        yield from _known(series, load, LATENCY, "latency", "Latency of messages")
        yield from _known(series, load, ACCEPTED, "accepted", "Accepted load", identity=True)
        yield from _thetas(series, load)
        return
    parameter = series.abscissas[0]
    if any(series.known(theta) for theta in THETAS):
        yield from _thetas(series, parameter)
    else:
        yield from _known(series, parameter, LATENCY, "latency", "Latency of messages")
        yield from _known(series, parameter, RATE, "message_rate", "Message rate")


def picture(series: Series, x: Abscissa, y: str, mode: str | None = None) -> Picture:
    """Return a picture of any measure against anything; raise `UserError` if it is not known."""
    along = x.column.rpartition(".")[2] if x.column.startswith(PARAMETERS) else x.column
    name = file_name(f"{y}_{along}")
    loads = (stem_of(x.column), stem_of(y)) == (OFFERED, ACCEPTED)
    found = next(_known(series, x, y, name, metric_axis(y).label, mode, identity=loads), None)
    if found is None:
        where = "" if mode is None else f" in mode {mode}"
        raise UserError("y", shown(y), f"is not known at any point{where}")
    return found


def file_name(text: str) -> str:
    """Return a name for the file of a picture that is called so, without its ending."""
    return _NO_NAME.sub("_", text)


def _known(  # noqa: PLR0913, PLR0917  # what a picture is of, each once
    series: Series,
    x: Abscissa,
    metric: str,
    name: str,
    title: str,
    mode: str | None = None,
    identity: bool = False,
) -> Iterator[Picture]:
    """Yield a picture of a metric, if it was measured anywhere."""
    lines, held = _lines(series, x, metric, mode)
    if not lines:
        return
    if identity:
        ends = [value for line in lines for value in line.x if isinstance(value, float)]
        diagonal = [min(ends), max(ends)]
        lines = [Line("offered", diagonal, diagonal, colour=6, look="plain"), *lines]
    told = f"{title} against {x.axis.label}"
    yield Picture(name, told, lines, x.axis, metric_axis(metric), held)


def _lines(series: Series, x: Abscissa, metric: str, mode: str | None) -> tuple[list[Line], str]:
    """Return the lines of a metric, and what is held fixed for them.

    Of several combinations those in the mode `full`; of a single one, all modes with packets.
    """
    held, combinations = next(iter(series.groups(x).items()))
    modes = [known for known in series.modes if known != "ideal"]
    if mode is not None:
        modes = [mode]
    elif metric in THETAS or len(combinations) > _MOST_LINES_OF_MODES:
        modes = ["full"] if "full" in series.modes else series.modes[:1]
    lines = list(series.lines(metric, x, combinations, modes))
    return lines, "" if held == EVERYTHING else f"Where {held}."


def _thetas(series: Series, x: Abscissa) -> Iterator[Picture]:
    """Yield what contention leaves: both ratios of a single combination, else theta_r alone."""
    y = Axis("of the value without contention", log=False, from_zero=True, column="theta")
    drawn: list[Line] = []
    for number, theta in enumerate(("theta_r", "theta_t")):
        lines, held = _lines(series, x, theta, None)
        if len(lines) > 1 and number == 0:
            title = f"theta_r against {x.axis.label}"
            yield Picture("theta", title, lines, x.axis, metric_axis(theta), held)
            return
        drawn += [replace(line, name=theta, colour=number, look="solid") for line in lines]
    if drawn:
        yield Picture("theta", f"theta_r and theta_t against {x.axis.label}", drawn, x.axis, y)
