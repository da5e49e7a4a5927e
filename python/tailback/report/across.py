"""The section on a whole sweep: measures against parameters or the load."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tailback.figures.bars import stacked
from tailback.figures.curves import Line, curves
from tailback.figures.description import Bars
from tailback.figures.drawing import Axis, Choice, Drawing, Key, one_of
from tailback.figures.labels import metric_axis, parameter_label, value_text
from tailback.figures.look import Look

from .content import Figure, Section
from .grids import axes_of, grids
from .series import LOADS, OFFERED, Abscissa, Row, Series

_LIFETIMES = {
    "routed_lifetime_us": "first internal channel (routed lifetime)",
    "network_lifetime_us": "first transmission (network lifetime)",
    "lifetime_us": "creation (lifetime)",
}
_PARTS = ("throttling_us", "internal_contention_us")
_WAIT = Axis("mean wait", "µs per packet", log=False, from_zero=True)
METRICS = tuple(
    dict.fromkeys(
        [
            *LOADS,
            "accepted_load",
            "message_latency_us",
            "theta_r",
            "theta_t",
            "theta_c",
            "completion_us",
            *_LIFETIMES,
            *_PARTS,
        ]
    )
)
"""Columns that this section needs merged."""

_MAPPED = (
    *("theta_c", "theta_r", "theta_t", "completion_us", "message_latency_us"),
    *("accepted_load", "messages_per_node_per_ms"),
)
"""Measures of maps of two parameters, the most telling first; of open loops, these before them."""
_OF_LOADS = ("message_latency_us", "accepted_load")

_ALL = "all"
_MANY_LINES = 3
_THREE_LOOKS: tuple[Look, ...] = ("solid", "dashed", "dotted")


def section(series: Series) -> Section:
    """Return the section; its figures share the choice of the x axis."""
    figures = (
        _maps(series),
        *_of_open_loops(series),
        _figure(series, "theta_r", "theta_r", "What contention leaves of the message rate"),
        _figure(series, "theta_t", "theta_t", "Routed lifetime without contention, over with"),
        _figure(series, "theta_c", "theta_c", "What contention leaves of the speed to completion"),
        _figure(series, "completion_us", "completion", "Completion time"),
        _figure(series, "messages_per_node_per_ms", "message_rate", "Message rate"),
        _lifetimes(series),
        _starting_points(series),
        _waiting(series),
    )
    known = (figure for figure in figures if figure is not None)
    return Section("Across the sweep", (_TEXT, *known), ("against", "modes", "where"))


def _of_open_loops(series: Series) -> tuple[Figure | None, ...]:
    """Return the figures of an offered load, if there is one."""
    if not series.known(OFFERED):
        return ()
    return (
        _figure(series, "message_latency_us", "message_latency", "Latency of messages"),
        _figure(series, "accepted_load", "accepted_load", "Accepted load"),
    )


def _figure(series: Series, metric: str, name: str, title: str) -> Figure | None:
    drawing = _drawing(series, metric)
    return None if drawing is None else Figure(name, title, drawing, _CAPTIONS[metric])


def _drawing(series: Series, metric: str) -> Drawing | None:
    """Return a metric against every x axis; None if it is unknown everywhere."""
    if not series.known(metric):
        return None
    is_ratio = metric.startswith("theta")
    modes = ["full"] if is_ratio else series.modes
    options = [_ALL, *modes] if len(modes) > 1 else modes
    members: dict[Key, Drawing] = {}
    most = 0
    for i, abscissa in enumerate(series.abscissas):
        for held, combinations in series.groups(abscissa).items():
            most = max(most, len(combinations))
            for k, option in enumerate(options):
                shown = modes if option == _ALL else [option]
                lines = list(series.lines(metric, abscissa, combinations, shown))
                key = (i, series.held.index(held)) if is_ratio else (i, series.held.index(held), k)
                members[key] = curves(lines, abscissa.axis, metric_axis(metric))
    start = options.index("full") if most > _MANY_LINES and "full" in options else 0
    choices = [_against(series), Choice("where", "where", tuple(series.held))]
    if not is_ratio:
        choices.append(Choice("modes", "mode", tuple(options), start))
    return one_of(choices, members)


def _against(series: Series) -> Choice:
    return Choice("against", "against", tuple(a.label for a in series.abscissas), _start(series))


def _start(series: Series) -> int:
    """Return the number of the x axis shown first: the offered load, if there is one."""
    columns = [abscissa.column for abscissa in series.abscissas]
    is_load = OFFERED in columns and series.load_parameter is not None
    return columns.index(OFFERED) if is_load else 0


def _maps(series: Series) -> Figure | None:
    """Return the maps of two varied numbers; None if there are not two."""
    axes = axes_of(series)
    if axes is None:
        return None
    measures = [metric for metric in _MAPPED if series.known(metric)]
    if series.load_parameter is not None:
        measures.sort(key=lambda metric: metric not in _OF_LOADS)
    members: dict[Key, Drawing] = {}
    held = list(series.fixing(axes))
    for i, metric in enumerate(measures):
        for k, mode in enumerate(series.modes):
            for text, found in grids(series, *axes, metric, mode):
                view = found.view("", lambda x, y: (x, y))
                members[(i, held.index(text), k)] = Drawing.of(replace(view, title=""))
    if not members:
        return None
    choices = (
        Choice("measure", "measure", tuple(metric_axis(metric).label for metric in measures)),
        Choice("map_where", "where", tuple(held)),
        Choice("map_mode", "mode", tuple(series.modes), _of_full(series)),
    )
    x, y = map(parameter_label, axes)
    title = f"By {x} and {y}"
    return Figure("map", title, one_of(choices, members), _MAPS)


def _of_full(series: Series) -> int:
    return series.modes.index("full") if "full" in series.modes else 0


def _lifetimes(series: Series) -> Figure | None:
    """Return the figure of mean lifetimes, from one of three starting points."""
    drawings = {text: _drawing(series, metric) for metric, text in _LIFETIMES.items()}
    known = {text: drawing for text, drawing in drawings.items() if drawing is not None}
    if not known:
        return None
    choice = Choice("from", "counted from", tuple(known))
    drawing = one_of((choice,), {(i,): d for i, d in enumerate(known.values())})
    return Figure("lifetime", "Mean lifetime of packets", drawing, _LIFETIME)


def _starting_points(series: Series) -> Figure | None:
    """Return the three mean lifetimes of one line."""
    members: dict[Key, Drawing] = {}
    y = Axis("mean time to delivery", "µs", from_zero=True)
    for i, abscissa in enumerate(series.abscissas):
        for (k, m), (combination, mode) in _each_line(series, abscissa):
            lines = list(_three_lines(series, abscissa, combination, mode))
            if lines:
                members[(i, k, m)] = curves(lines, abscissa.axis, y)
    if not members:
        return None
    # Not all lines are known along every x axis.
    first = next((key for key in members if key[0] == _start(series)), next(iter(members)))
    drawing = one_of((_against(series), *_line_choices(series, first[1])), members)
    return Figure("starting_points", "Lifetime from three starting points", drawing, _STARTING)


def _three_lines(series: Series, abscissa: Abscissa, combination: Row, mode: str) -> Iterator[Line]:
    for number, (metric, text) in enumerate(_LIFETIMES.items()):
        for line in series.lines(metric, abscissa, [combination], [mode]):
            yield replace(line, name=text, colour=number, look=_THREE_LOOKS[number])


def _waiting(series: Series) -> Figure | None:
    """Return the mean waits of packets along each varied parameter."""
    members: dict[Key, Drawing] = {}
    along = [abscissa for abscissa in series.abscissas if not abscissa.is_load]
    for i, abscissa in enumerate(along):
        for (k, m), (combination, mode) in _each_line(series, abscissa):
            rows = series.rows(_PARTS[0], abscissa, combination, mode)
            texts = [value_text(abscissa.column, row[abscissa.column]) for row in rows]
            bars = {
                part: Bars(
                    metric_axis(part).label, texts, [row[part] for row in rows], colour=shade
                )
                for shade, part in enumerate(_PARTS, 4)
            }
            if rows:
                members[(i, k, m)] = stacked(texts, bars, abscissa.axis, _WAIT)
    if not members:
        return None
    choice = Choice("along", "along", tuple(abscissa.label for abscissa in along))
    drawing = one_of((choice, *_line_choices(series, 0)), members)
    return Figure("waiting", "Where packets wait", drawing, _WAITING)


def _line_choices(series: Series, start: int) -> tuple[Choice, Choice]:
    """Return the choices of one line: a combination, `start` at first, and a mode."""
    combinations = tuple(_all_combinations(series))
    return Choice("of", "of", combinations, start), Choice("mode", "mode", tuple(series.modes))


def _all_combinations(series: Series) -> list[str]:
    return list(dict.fromkeys(t for a in series.abscissas for t in series.combinations(a)))


def _each_line(
    series: Series, abscissa: Abscissa
) -> Iterator[tuple[tuple[int, int], tuple[Row, str]]]:
    """Yield the keys of the options of `_line_choices`, and their combinations and modes."""
    of = {text: number for number, text in enumerate(_all_combinations(series))}
    for text, combination in series.combinations(abscissa).items():
        for number, mode in enumerate(series.modes):
            yield (of[text], number), (combination, mode)


_TEXT = (
    "Lines are means over seeds with their confidence intervals; open markers are of runs that did "
    "not settle, crosses are saturated, triangles of runs that a limit cut off: at least so much. "
    "The load is that of the mode `full` at the same point. A click on a point shows its maps and "
    "latencies below."
)
_MAPS = (
    "A cell for each pair of values, the darker the more. Colours go with the square root where "
    "values spread over more than a decade. A click shows the point below."
)
_CAPTIONS = {
    "message_latency_us": (
        "Mean time from the creation of a message to its complete reception, waiting in the source "
        "included. Where the network is saturated it grows as long as the run goes on."
    ),
    "accepted_load": (
        "Messages received, as a share of what the injection channels can carry. It equals the "
        "offered load until the network is saturated."
    ),
    "theta_r": (
        "theta_r: messages sent per time with contention, over those in the baseline. 1: "
        "contention costs nothing; 0.8: a fifth of the message rate is lost; above 1: the baseline "
        "is slower."
    ),
    "theta_t": (
        "theta_t: mean routed lifetime in the baseline, over that with contention. 1: no "
        "contention; 0.5: packets are under way twice as long."
    ),
    "theta_c": (
        "theta_c: completion time in the baseline, over that with contention. 1: contention costs "
        "nothing; 0.5: it takes twice as long."
    ),
    "completion_us": (
        "Until the last process is done and the last message has been received, from time 0."
    ),
    "messages_per_node_per_ms": "Messages sent per node and millisecond of simulated time.",
}
_LIFETIME = (
    "Mean time to delivery, over data packets and acknowledgements, from one of three instants."
)
_STARTING = (
    "The three mean times of one line. What lies between creation and first transmission is "
    "waiting in the node; between that and the routed lifetime, the way to the first internal "
    "channel. Routed lifetimes are of packets that cross an internal channel."
)
_WAITING = (
    "Mean wait of a packet: before its first internal channel (throttling) and later (internal "
    "contention). Seeds are taken together."
)
