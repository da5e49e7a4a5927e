"""The reports of `tailback cost` and `tailback run`."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from tailback.answers import of_cost, of_run
from tailback.answers.lateness import SMALL, untold_texts
from tailback.charging import KINDS
from tailback.comparison import Cost, WaitingChannel
from tailback.metrics import class_name
from tailback.places import shown as place
from tailback.results import Result
from tailback.wording import DIGITS, UNKNOWN, events_text, number, plain, share_text
from tailback.wording.scaling import MICROSECONDS, Unit, unit_for

from .by_job import jobs_table, percentiles_table, thetas_table
from .layout import cautions, head, more, new_table, numbers, texts, words


class _Row(NamedTuple):
    """A line of the table, left out if it is zero or unknown in every mode."""

    metric: str
    label: str
    scale: float = 1.0
    longest: str = ""
    """The variable whose longest time is shown as well, if begins of messages are measured."""
    of_class: tuple[str, str] = ("", "")
    """A variable and the traffic class whose 99th percentile is shown as well."""


_TIMES = "time"
_PS_PER_US = 1e6
_MAY_BE_THE_SAME = {
    "packets_per_node_per_ms": "messages_per_node_per_ms",
    "iterations_per_node_per_ms": "messages_per_node_per_ms",
    "network_lifetime_data_us": "lifetime_data_us",
}
"""Lines that are left out if they equal another one in every mode."""
_WITH_ACKNOWLEDGEMENTS = ("acknowledged_messages_per_node_per_ms", "routed_lifetime_data_us")

_SECTIONS: dict[str, tuple[_Row, ...]] = {
    "per node and ms": (
        _Row("messages_per_node_per_ms", "messages sent"),
        _Row("delivered_messages_per_node_per_ms", "  delivered"),
        _Row("acknowledged_messages_per_node_per_ms", "  acknowledged"),
        _Row("failed_messages_per_node_per_ms", "  dropped"),
        _Row("lost_packets_per_node_per_ms", "packets lost"),
        _Row("pauses_per_node_per_ms", "pauses of switches"),
        _Row("packets_per_node_per_ms", "data packets"),
        _Row("iterations_per_node_per_ms", "iterations"),
    ),
    "load, % of injection rate": (
        _Row("offered_load", "offered", 100),
        _Row("accepted_load", "accepted", 100),
    ),
    "flits per node and cycle": (
        _Row("offered_flits_per_node_per_cycle", "offered"),
        _Row("accepted_flits_per_node_per_cycle", "accepted"),
    ),
    _TIMES: (
        _Row("completion_us", "completion"),
        _Row("routed_lifetime_us", "routed lifetime"),
        _Row("routed_lifetime_data_us", "  data"),
        _Row("routed_lifetime_ack_us", "  acks"),
        _Row("lifetime_data_us", "lifetime, data"),
        _Row("network_lifetime_data_us", "  in the network"),
        _Row("message_begins_us", "message begun", longest="message_begins"),
        _Row("message_latency_us", "message latency", longest="message_latency"),
        _Row("message_alone_us", "  alone"),
        _Row("message_late_us", "  late"),
        _Row("latency_overhead_us", "  overhead"),
        _Row("latency_wire_us", "  wire"),
        _Row("latency_throttling_us", "  throttling"),
        _Row("latency_contention_us", "  contention"),
        _Row("throttling_us", "throttling"),
        _Row("internal_contention_us", "internal contention"),
    ),
    "times as long as alone": (_Row("message_slowdown", "slowdown"),),
    "channels crossed": (_Row("hops", "hops"),),
    "utilisation, %": (
        _Row("ideal_link_utilisation", "ideal, of links", 100),
        _Row("injection_utilisation", "injection channels", 100),
        _Row("internal_utilisation", "internal channels", 100),
        _Row("internal_held", "  held", 100),
        _Row("ejection_utilisation", "ejection channels", 100),
        _Row("cpu_utilisation", "processors", 100),
        _Row("cpu_sending", "processors sending", 100),
        _Row("cpu_receiving", "processors receiving", 100),
        _Row("cpu_idle", "processors idle", 100),
    ),
}


def cost_report(cost: Cost, *, full: bool = False) -> RenderableType:
    """Return the report of `tailback cost`: the answer, modes side by side, where packets wait.

    `full`: all that was measured, and all thetas with what they mean.
    """
    answer = head(cost.experiment, of_cost(cost))
    waiting = cost.channels_waiting_most()
    if not full:
        waiting = [channel for channel in waiting if channel.share >= SMALL]
    where: list[RenderableType] = [Text(), waiting_table(waiting)] if waiting else []
    if not full:
        return Group(
            *answer,
            Text(),
            measured_table(cost.modes, _FIRST),
            _modes_in_words(cost.modes),
            *_thetas(cost),
            *_thetas_of_jobs(cost),
            *where,
            *more("--full (all that was measured)", "tailback blame FILE (who causes it)"),
        )
    return Group(
        *answer,
        Text(),
        measured_table(cost.modes),
        *_tails(cost.modes.get("full")),
        *_jobs(cost.modes),
        *_endings(cost.modes.values()),
        *_verdict(cost),
        *_thetas_of_jobs(cost),
        *where,
    )


def run_report(result: Result) -> RenderableType:
    """Return the report of `tailback run`: the answer, then all that was measured."""
    return Group(
        *head(result.experiment, of_run(result)),
        Text(),
        measured_table({result.mode: result}),
        *_tails(result),
        *_jobs({result.mode: result}),
        *_endings([result]),
    )


_FIRST = frozenset(
    {
        "messages_per_node_per_ms",
        "accepted_load",
        "completion_us",
        "message_latency_us",
        "message_late_us",
        "message_slowdown",
        "internal_utilisation",
    }
)
"""Metrics that `tailback cost` shows first."""


_MODES = {
    "full": "all channels are shared",
    "endpoints": "links of nodes are",
    "throttled": "first channels between switches are",
    "free": "none is",
    "ideal": "messages arrive at once",
}
"""What is shared in each mode, and so has contention."""


def _modes_in_words(modes: Iterable[str]) -> Text:
    """Return what the modes of the table are."""
    told = "; ".join(f"{mode}: {_MODES[mode]}" for mode in modes)
    return Text(told, style="dim")


_RATIOS = {
    "theta_c": "completion",
    "theta_r": "message rate",
    "theta_t": "time of a packet from its first link between switches",
}
"""What the ratios compare, by how their names begin."""


def _thetas(cost: Cost) -> list[RenderableType]:
    """Return the ratios of modes; their meaning is left to the answer and `--full`.

    But for those above 1, which say that the mode with more contention is quicker.
    """
    found = cost.findings()
    rows = [(finding.name, number(finding.theta), finding.compared) for finding in found]
    columns = (*words("ratio"), *numbers("value", no_wrap=True), *words("of"))
    told = [
        Text(f"{finding.name}: {finding.sentence}", style="dim")
        for finding in found
        if finding.theta.low > 1
    ]
    if not rows:
        return []
    named = {finding.name[: len("theta_r")] for finding in found}
    legend = "; ".join(f"{name}: {what}" for name, what in _RATIOS.items() if name in named)
    meaning = Text(f"{legend}; 1: no cost, 0.5: twice the time or half the rate", style="dim")
    return [Text(), new_table(None, *columns, rows=rows), meaning, *told]


def _thetas_of_jobs(cost: Cost) -> list[RenderableType]:
    return [Text(), thetas_table(cost.jobs, cost.baseline)] if cost.jobs else []


def _tails(result: Result | None) -> list[RenderableType]:
    """Return the table of percentiles, if there is one."""
    table = None if result is None else percentiles_table(result)
    return [] if table is None else [Text(), table]


def _jobs(results: Mapping[str, Result]) -> list[RenderableType]:
    has_jobs = any(result.jobs for result in results.values())
    return [Text(), jobs_table(results)] if has_jobs else []


def measured_table(results: Mapping[str, Result], chosen: Collection[str] | None = None) -> Table:
    """Return metrics as rows, one column per mode, with half-widths; `chosen` only, if given."""
    digits = DIGITS if len(results) < 4 else DIGITS - 1
    # Many do not fit on a narrow terminal: intervals then go below their values.
    columns = numbers(*results, no_wrap=len(results) < 4)
    for mode, column in zip(results, columns, strict=True):
        column.min_width = len(mode)
    table = new_table(None, *words(""), *columns)
    for title, rows in (*_SECTIONS.items(), *_sections_of_classes(results)):
        lines = [row for row in rows if chosen is None or row.metric in chosen]
        lines = [row for row in lines if _anything(row, results)]
        if not lines:
            continue
        lines = [row for row in lines if not _says_nothing_new(row, results)]
        for unit in _units(title, lines, results):
            table.add_row(Text(f"{title}, {unit.name}" if unit.name else title, style="bold"))
            for row in lines:
                _add(table, row, unit, results, digits)
    return table


_NUMBER, _CYCLES = _NOT_TIMES = ("", "cycles")
"""Units of sections that have no unit, and of times in cycles."""

_FAR = 1000
"""How much smaller than the unit of its section a time is that has a unit of its own."""


def _add(table: Table, row: _Row, unit: Unit, results: Mapping[str, Result], digits: int) -> None:
    """Add a line to the table, and lines below it for the longest time and the percentile."""
    label = row.label
    values = [abs(result[row.metric].value) for result in results.values()]
    largest = max((value for value in values if math.isfinite(value)), default=0.0)
    if unit.name not in _NOT_TIMES and 0 < largest < unit.size / _FAR:
        unit = unit_for([largest], MICROSECONDS)
        label += f", {unit.name}"
    scale = row.scale / unit.size
    cells = [number(result[row.metric], scale, digits) for result in results.values()]
    table.add_row(f" {label}", *cells)
    if row.longest and all(result.has("message_begins") for result in results.values()):
        longest = (result.longest_us(row.longest) for result in results.values())
        table.add_row("   longest", *(_plain(time, unit, digits) for time in longest))
    variable, name = row.of_class
    if variable:
        tails = (result.percentile(variable, 99, name) for result in results.values())
        table.add_row("   99th percentile", *(_plain(time, unit, digits) for time in tails))


def _sections_of_classes(
    results: Mapping[str, Result],
) -> Iterator[tuple[str, tuple[_Row, ...]]]:
    """Yield the sections of every traffic class, if there are several."""
    first = next(iter(results.values()))
    for name in first.classes_with("class_latency"):
        counts = (
            ("offered_load", "offered, % of injection rate", 100.0),
            ("accepted_load", "accepted, % of injection rate", 100.0),
            ("messages_per_node_per_ms", "messages per node and ms", 1.0),
            ("failed_messages_per_node_per_ms", "  dropped", 1.0),
        )
        own = (_Row(class_name(stem, name), label, scale) for stem, label, scale in counts)
        yield f"class {name}", tuple(own)
        times = (("message_latency_us", "class_latency"), ("round_trip_us", "round_trip"))
        yield (
            f"class {name}, {_TIMES}",
            tuple(
                _Row(
                    class_name(stem, name),
                    stem.removesuffix("_us").replace("_", " "),
                    of_class=(variable, name),
                )
                for stem, variable in times
            ),
        )


def waiting_table(channels: Sequence[WaitingChannel]) -> Table:
    """Return the table of channels with the longest waits."""
    unit = unit_for((c.throttling_us + c.internal_contention_us for c in channels), MICROSECONDS)
    waits = (f"throttling,\n{unit.name}/packet", f"internal,\n{unit.name}/packet")
    return new_table(
        "Where packets wait longest in mode full, also behind their own message",
        *texts("from", "to"),
        *words("channel"),
        *numbers("share of\nwaiting, %", *waits, "busy\n%", no_wrap=True),
        rows=[
            (
                place(c.source),
                place(c.destination),
                c.kind,
                f"{100 * c.share:.2f}",
                plain(c.throttling_us / unit.size, 3),
                plain(c.internal_contention_us / unit.size, 3),
                f"{100 * c.utilisation:.1f}",
            )
            for c in channels
        ],
    )


def _says_nothing_new(row: _Row, results: Mapping[str, Result]) -> bool:
    """Whether a line repeats another.

    Lines of data packets and of acknowledged messages do without acknowledgements; so does a rate
    that equals that of messages (one packet a message, one message an iteration), and the lifetime
    in the network if nothing waits in the nodes.
    """
    acknowledges = any(r.experiment.machine.interface.acknowledgements for r in results.values())
    if row.metric in _WITH_ACKNOWLEDGEMENTS:
        return not acknowledges
    if row.metric not in _MAY_BE_THE_SAME:
        return False
    others = [result[_MAY_BE_THE_SAME[row.metric]].value for result in results.values()]
    own = [result[row.metric].value for result in results.values()]
    return all(abs(a - b) <= 0.002 * b for a, b in zip(own, others, strict=True))


def _plain(time_us: float | None, unit: Unit, digits: int) -> str:
    return UNKNOWN if time_us is None else plain(time_us / unit.size, digits)


def _units(title: str, rows: Iterable[_Row], results: Mapping[str, Result]) -> tuple[Unit, ...]:
    """Return the units of a section: for times, one that suits the longest, and cycles."""
    if not title.endswith(_TIMES):
        return (Unit(_NUMBER, 1.0),)
    known = (result.estimates.get(row.metric) for row in rows for result in results.values())
    times = [e.low if e.is_cut_off else e.value for e in known if e is not None]
    cycle = next(iter(results.values())).experiment.machine.cycle()
    in_cycles = () if cycle is None else (Unit(_CYCLES, cycle.ps / _PS_PER_US),)
    return (unit_for(times, MICROSECONDS), *in_cycles)


def _anything(row: _Row, results: Mapping[str, Result]) -> bool:
    known = [result.estimates.get(row.metric) for result in results.values()]
    return any(e is not None and (e.value > 0 or e.is_cut_off) for e in known)


def _ms(time_ms: float, digits: int) -> str:
    unit = unit_for([time_ms * 1e3], MICROSECONDS)
    return f"{plain(time_ms * 1e3 / unit.size, digits)} {unit.name}"


def _kernels(results: Sequence[Result]) -> str:
    """Return the kernels of the engine that were used, and in which modes."""
    modes: dict[str, list[str]] = {}
    for result in results:
        modes.setdefault(result.kernel, []).append(result.mode)
    told = [f"{kernel} ({', '.join(names)})" for kernel, names in modes.items()]
    return f"kernel {'; '.join(told)}"


def _endings(results: Iterable[Result]) -> list[Text]:
    """Return the kernels, and a line per mode on the run and its warnings."""
    results = list(results)
    lines = [Text(), Text(_kernels(results), style="dim")]
    for result in results:
        e = result.ending
        cut = f", {_ms(e.warmup_ms, 3)} warm-up" if e.warmup_ms else ""
        text = (
            f"{result.mode}: {_ms(e.window_ms, 4)} measured{cut}, "
            f"{events_text(e.events, result.wall_seconds)}"
        )
        lines.append(Text(text, style="dim"))
        lines += cautions(untold_texts(result), result.mode)
    return lines


def _verdict(cost: Cost) -> list[Text]:
    """Return the thetas, each with a sentence on what it means."""
    lines = [Text()] if cost.findings() else []
    for compared, found in groupby(cost.findings(), lambda f: f.compared):
        lines.append(Text(compared, style="dim"))
        lines += [
            Text.assemble((f" {name} = {number(theta)}", "bold"), f"  {sentence}")
            for _, name, theta, sentence in found
        ]
    endpoints = cost.modes.get("endpoints")
    if endpoints is not None and endpoints.blame is not None:
        own = {KINDS[c.key[0]]: c.share for c in endpoints.blame.by_kind(0.95)}
        if own:
            share = share_text(own.get("source", 0.0))
            lines.append(Text(f"Lateness in endpoints: {share} because of a node's own messages."))
    return lines
