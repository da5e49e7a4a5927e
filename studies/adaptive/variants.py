"""What depends on choices that were made for all: virtual channels, selection of outputs."""

from __future__ import annotations

from studies.adaptive.settings import (
    FAILED,
    GREEDY,
    LIFETIME,
    OPEN,
    RATE,
    ROUTINGS,
    at_load,
    saturation,
    saturation_of,
    up_to_peak,
)
from studies.curve import Curve
from studies.markdown import number, percent, table
from studies.runs import Runs

CHANNELS = (4, 8, 16)
_SWEEPS = {GREEDY: "channels_greedy", "valiant": "channels"}
_SELECTIONS = ("first", "random", "fewest_waiting", "most_credit")
_SHARE = 0.75
"""Of greedy's saturation: where selections are compared."""


def rates(runs: Runs, routing: str, pattern: str, channels: int) -> Curve:
    """Return message rates on the torus with so many virtual channels, by the compute period."""
    conditions = (f"virtual_channels == {channels}", f"pattern == '{pattern}'")
    return runs.sweep(_SWEEPS[routing]).curve(RATE, *conditions)


def channels_table(runs: Runs) -> str:
    """Return highest rates on the torus by the number of virtual channels."""
    lines = []
    for pattern in ("uniform", "tornado"):
        for routing in _SWEEPS:
            line = [f"{pattern}, {ROUTINGS[routing]}"]
            for channels in CHANNELS:
                found = rates(runs, routing, pattern, channels)
                best = max(found.y, key=lambda estimate: estimate.value)
                line += [number(best), percent(found.first.value / best.value - 1)]
            lines.append(line)
    header = ["traffic, routing"]
    for channels in CHANNELS:
        header += [f"{channels} channels", "at overload"]
    return table(header, lines)


def selection_table(runs: Runs) -> str:
    """Return routed lifetimes and saturation of minimal adaptive routing by selection."""
    lines = []
    for setting in OPEN[:3]:
        load = _SHARE * saturation(setting, runs, GREEDY).load
        lifetimes, saturated = [], []
        for selection in _SELECTIONS:
            conditions = (f"selection == '{selection}'", setting.condition)
            sent, failed, lifetime = (
                runs.sweep("selection").curve(measure, *conditions)
                for measure in (RATE, FAILED, LIFETIME)
            )
            estimate = at_load(up_to_peak(lifetime, sent), load)
            lifetimes.append("-" if estimate is None else number(estimate))
            saturated.append(f"{saturation_of(sent, failed).load:.0f}")
        lines.append([f"{setting.title}: lifetime at {load:.0f} (µs)", *lifetimes])
        lines.append(["… saturation load", *saturated])
    return table(["", *(f"`{selection}`" for selection in _SELECTIONS)], lines)
