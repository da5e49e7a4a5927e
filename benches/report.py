"""The tables that ``make bench`` prints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rich.box import SIMPLE
from rich.table import Table

from benches.case import Case

Results = Mapping[str, Mapping[str, Any]]

#: How measures are printed: heading, unit, decimals.
MEASURES = {
    "cpu_s": ("CPU s", 1.0, 2),
    "packet_hops_per_s": ("Mhops/s", 1e6, 2),
    "flit_hops_per_s": ("Mflits/s", 1e6, 1),
    "events_per_packet_hop": ("ev/hop", 1.0, 2),
    "ns_per_event": ("ns/ev", 1.0, 0),
    "bytes_per_node": ("kB/node", 1e3, 2),
    "added_mb": ("MB", 1.0, 0),
    "blame_factor": ("on/off", 1.0, 2),
}

#: Measures of the table of all cases; it fits a terminal of 80 columns.
COLUMNS = [measure for measure in MEASURES if measure not in ("added_mb", "blame_factor")]


def _empty(title: str, *heads: str) -> Table:
    shown = Table(title=title, box=SIMPLE, padding=(0, 1), pad_edge=False, collapse_padding=True)
    for number, head in enumerate(heads):
        shown.add_column(head, justify="right" if number else "left", no_wrap=True)
    return shown


def _number(measure: str, value: float) -> str:
    _, unit, decimals = MEASURES[measure]
    return f"{value / unit:.{decimals}f}"


def measured(cases: list[Case], results: Results) -> Table:
    """Return what every case took, one row each."""
    heads = [MEASURES[measure][0] for measure in COLUMNS]
    shown = _empty("Fastest of several runs, one core, all measures on", "case", *heads)
    for case in cases:
        if "refused" not in results[case.name]:
            row = (_number(measure, results[case.name][measure]) for measure in COLUMNS)
            shown.add_row(case.name, *row)
    return shown


def against_goals(cases: list[Case], results: Results) -> Table:
    """Return every case that has a goal beside it; 1 or more is reached."""
    heads = ("case", "measure", "is", "goal", "least", "of goal", "of least")
    shown = _empty("Share of goals reached: 1.00 or more is met", *heads)
    for case in cases:
        for measure, row in goals_of(case, results[case.name]):
            numbers = (_number(measure, row[key]) for key in ("is", "goal", "least"))
            shares = (f"{row[key]:.2f}" for key in ("of_goal", "of_least"))
            shown.add_row(case.name, MEASURES[measure][0], *numbers, *shares)
    return shown


def goals_of(case: Case, result: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield each measure of a case that has a goal, with what it is and should be."""
    for goal in case.goals:
        value = result[goal.measure]
        yield (
            goal.measure,
            {
                "is": value,
                "goal": goal.goal,
                "least": goal.least,
                "of_goal": goal.reached(value, goal.goal),
                "of_least": goal.reached(value, goal.least),
            },
        )
