"""What the most loaded link allows, beside what is reached."""

from __future__ import annotations

import math
from functools import cache

import tailback as tb
from studies.adaptive.settings import (
    GREEDY,
    OPEN,
    RATE,
    ROUTINGS,
    STUDY,
    Setting,
    saturation,
)
from studies.markdown import percent, table
from studies.runs import Runs
from tailback.sweeps import Sweep


def link_bound(experiment: tb.Experiment) -> float:
    """Return messages per node and ms at which the most loaded link is always busy.

    The virtual channels of a link share its one wire: their loads are added up.
    """
    found = tb.describe(experiment)
    loads: dict[tuple[str, int, int], float] = {}
    for row in found.channels.to_pylist():
        if row["kind"] != "internal":
            continue
        link = (row["kind"], row["from_node"], row["to_node"])
        loads[link] = loads.get(link, 0.0) + row["load_us"]
    return 1000 / max(loads.values())


@cache
def greedy_bound(setting: Setting) -> float:
    """Return the bound of greedy routing under the traffic of an open setting."""
    asked = Sweep.load(STUDY.sweeps / f"{setting.greedy_sweep or setting.sweep}.toml")
    return link_bound(
        next(
            point.experiment
            for point in asked.points()
            if point.experiment.machine.resolved("packet")["routing"]["kind"] == GREEDY
            and point.experiment.workload.resolved(point.experiment.machine)["pattern"]
            == setting.pattern
        )
    )


def saturation_table(runs: Runs) -> str:
    """Return saturation loads of every routing, and what greedy reaches of its bound."""
    lines = []
    for setting in OPEN:
        bound = greedy_bound(setting)
        found = {r: saturation(setting, runs, r) for r in setting.routings}
        cells = [str(found[r]) if r in found else "-" for r in ROUTINGS]
        lines.append(
            [setting.title, f"{bound:.0f}", f"{100 * found[GREEDY].load / bound:.0f} %", *cells]
        )
    header = ["traffic", "greedy's bound", "reached", *ROUTINGS.values()]
    return table(header, lines)


def overload_table(runs: Runs) -> str:
    """Return the rate at the highest load offered over the highest rate there was, less one."""
    lines = []
    for setting in OPEN:
        cells = []
        for routing in ROUTINGS:
            lost = overload(setting, runs, routing)
            cells.append("-" if math.isnan(lost) else percent(lost))
        lines.append([setting.title, *cells])
    return table(["traffic", *ROUTINGS.values()], lines)


def overload(setting: Setting, runs: Runs, routing: str) -> float:
    """Return what of its highest rate a network loses at the highest load offered.

    NaN where it is not run.
    """
    if routing not in setting.routings:
        return math.nan
    rates = setting.curve(runs, routing, RATE)
    return rates.first.value / float(rates.values.max()) - 1
