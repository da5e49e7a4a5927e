"""The default pictures of a sweep, the most informative first.

With an offered load: latency and accepted load against it. Else the message rate relative to the
baseline against the first varied parameter; if that is unknown, latency or message rate.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from tailback.analysis.names import PARAMETERS, is_metric
from tailback.errors import UserError, shown
from tailback.figures.curves import lines_view
from tailback.figures.description import Axis, Line, View
from tailback.figures.labels import metric_axis
from tailback.figures.look import telling
from tailback.metrics import THETAS, stem_of

from .series import EVERYTHING, OFFERED, Abscissa, Series

ACCEPTED, LATENCY, RATE = "accepted_load", "message_latency_us", "messages_per_node_per_ms"

_MOST_LINES_OF_MODES = 1
_NO_NAME = re.compile(r"[^\w.-]+")
"""Characters not used in file names."""


@dataclass(frozen=True, eq=False, slots=True)
class Picture:
    """Lines on two axes with a title."""

    name: str
    """Base name of its file."""
    title: str
    lines: Sequence[Line]
    x: Axis
    y: Axis
    caption: str = ""

    def view(self, title: str, limited: Callable[[Axis, Axis], tuple[Axis, Axis]]) -> View:
        """Return the picture under a title, with axes as `limited` makes them."""
        x = self.x
        if is_metric(x.column) and not x.percent:
            x = replace(x, from_zero=True)
        note = ((self.caption,),) if self.caption else ()
        return lines_view(self.lines, *limited(x, self.y), title, note)

    @property
    def has_saturated(self) -> bool:
        """Whether any point is saturated."""
        return any(any(line.saturated or ()) for line in self.lines)


def usual(series: Series) -> list[Picture]:
    """Return the default pictures of a sweep; none if nothing was varied or measured."""
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
    """Return a picture of a measure against an x axis; raise `UserError` if it is unknown."""
    along = x.column.rpartition(".")[2] if x.column.startswith(PARAMETERS) else x.column
    name = file_name(f"{y}_{along}")
    loads = (stem_of(x.column), stem_of(y)) == (OFFERED, ACCEPTED)
    found = next(_known(series, x, y, name, metric_axis(y).label, mode, identity=loads), None)
    if found is None:
        where = "" if mode is None else f" in mode {mode}"
        raise UserError("y", shown(y), f"is not known at any point{where}")
    return found


def file_name(text: str) -> str:
    """Return the base name of a file for a picture with this name."""
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
    """Yield a picture of a metric, if it is known anywhere."""
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
    """Return the lines of a metric, and the text of the fixed parameters.

    Several combinations are shown in mode `full`; a single one in all modes with packets.
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
    """Yield both ratios of a single combination, or theta_r of several."""
    y = Axis("of the value without contention", log=False, from_zero=True, column="theta")
    drawn: list[Line] = []
    for number, theta in enumerate(("theta_r", "theta_t")):
        lines, held = _lines(series, x, theta, None)
        if len(lines) > 1 and number == 0:
            title = f"theta_r against {x.axis.label}"
            yield Picture("theta", title, lines, x.axis, metric_axis(theta), held)
            return
        drawn += [replace(line, name=theta, colour=number, look=telling(number)) for line in lines]
    if drawn:
        yield Picture("theta", f"theta_r and theta_t against {x.axis.label}", drawn, x.axis, y)
