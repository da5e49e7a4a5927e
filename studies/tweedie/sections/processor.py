"""Processes that only compute share a processor: figure 4.1."""

from __future__ import annotations

import tailback as tb
from studies.markdown import paragraphs, table
from studies.tweedie.charts import Chart, Panel, Series
from studies.tweedie.comparison import Report, Section
from studies.tweedie.experiment import Point
from studies.tweedie.measure import Measurements
from studies.tweedie.published import text_number

_PROCESSES = (1, 2, 3, 4, 6, 8, 12, 16)
_SLICE_US = 1.0
_PERIODS_US = (0.1, 1.0, 10.0)
_WINDOW_MS = (1.0, 21.0)


def _point(processes: int, period_us: float, slice_us: float | None = None) -> Point:
    """Return a run of so many processes on a node that is alone."""
    begin, end = _WINDOW_MS
    return (
        tb.Experiment.from_dict(
            {
                "machine": {"preset": "t9000_pair"}
                | ({} if slice_us is None else {"interface": {"time_slice": f"{slice_us:g} us"}}),
                "workload": {
                    "kind": "compute_only",
                    "period": f"{period_us:g} us",
                    "processes_per_node": processes,
                },
                "run": {"warmup": f"{begin:g} ms", "duration": f"{end:g} ms"},
            }
        ),
    )


def _report(measured: Measurements) -> Report:
    period_us = float(text_number("004-022").text) / 1000
    each, all_together = [], []
    for processes in _PROCESSES:
        rates = _rates(measured, _point(processes, period_us))
        each.append(sum(rates) / processes)
        all_together.append(sum(rates))
    chart = Chart(
        "figure4_1_processor",
        "Figure 4.1: processes that only compute share a processor",
        (
            Panel(
                "Figure 4.1: computing only, 1 µs",
                "processes on the node",
                "completed computations per ms",
                (
                    Series("all processes", _PROCESSES, all_together, colour=1),
                    Series("each process", _PROCESSES, each),
                    Series("1000 / n", _PROCESSES, [1000 / n for n in _PROCESSES], "line", 6),
                ),
            ),
        ),
    )
    cases = [(period_us, None), *((c, _SLICE_US) for c in _PERIODS_US)]
    text = paragraphs(
        "The thesis: the work of all processes together does not depend on their number "
        f"({text_number('004-023').text} % load), and all complete precisely the same amount; "
        "the same for compute periods shorter than, equal to and longer than a time slice. "
        f"Largest deviations, 1 to {_PROCESSES[-1]} processes, "
        f"{_WINDOW_MS[1] - _WINDOW_MS[0]:g} ms:",
        table(
            [
                "period, time slice",
                "load below 100 %",
                "most apart, in computations",
                "from 1 / n of all",
            ],
            (_deviations(measured, *case) for case in cases),
        ),
        chart,
    )
    return Report(text, charts=(chart,))


def _rates(measured: Measurements, point: Point) -> list[float]:
    """Return computations per ms of each process of the first node."""
    (experiment,) = point
    rates = measured[experiment].process_rates
    return list(rates[: len(rates) // 2])


def _deviations(measured: Measurements, period_us: float, slice_us: float | None) -> list[str]:
    window_ms = _WINDOW_MS[1] - _WINDOW_MS[0]
    idle = apart = unequal = 0.0
    for processes in _PROCESSES:
        point = _point(processes, period_us, slice_us)
        rates = _rates(measured, point)
        load = measured[point[0]].estimates["cpu_utilisation"].value
        share = sum(rates) / processes
        idle = max(idle, 1 - load)
        apart = max(apart, (max(rates) - min(rates)) * window_ms)
        unequal = max(unequal, *(abs(rate / share - 1) for rate in rates))
    sliced = "none" if slice_us is None else f"{slice_us:g} µs"
    return [
        f"{period_us:g} µs, {sliced}",
        f"{100 * idle:.2f} %",
        f"{apart:.0f}",
        f"{100 * unequal:.2f} %",
    ]


SECTION = Section(
    "Figure 4.1: processes share a processor",
    tuple(
        _point(processes, period_us, slice_us)
        for processes in _PROCESSES
        for period_us, slice_us in ((1.0, None), *((c, _SLICE_US) for c in _PERIODS_US))
    ),
    _report,
)
