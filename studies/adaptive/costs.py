"""Costs of contention at equal actual load: what every routing costs, and which least."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import tailback as tb
from studies.adaptive.settings import (
    GREEDY,
    LIFETIME,
    RATE,
    ROUTINGS,
    THETA_T,
    Setting,
    at_load,
    saturation,
)
from studies.curve import apart
from studies.estimates import in_percent
from studies.markdown import number, table
from studies.runs import Runs

SHARES = (0.25, 0.5, 0.75)
"""Loads at which routings are compared, as shares of what greedy routing can take."""


@dataclass(frozen=True, slots=True)
class AtLoad:
    """What every routing costs at one actual load."""

    share: float
    load: float
    theta_t: dict[str, tb.Estimate | None]
    lifetimes: dict[str, tb.Estimate | None]
    """Mean routed lifetimes (us)."""

    @property
    def least(self) -> list[str]:
        """The routings of the shortest routed lifetime: the best, and those not apart from it."""
        known = {name: e for name, e in self.lifetimes.items() if e is not None}
        best = min(known.values(), key=lambda estimate: estimate.value)
        return [name for name, estimate in known.items() if not apart(estimate, best)]


def reference(setting: Setting, runs: Runs) -> float:
    """Return the load that shares are of: greedy's saturation, or the highest load it reaches.

    Processes that wait never offer more than the network takes.
    """
    if setting.is_open:
        return saturation(setting, runs, GREEDY).load
    return float(setting.curve(runs, GREEDY, RATE).values.max())


def at_equal_loads(setting: Setting, runs: Runs) -> list[AtLoad]:
    """Return what all routings of a setting cost at the loads compared."""
    whole = reference(setting, runs)
    curves = {
        measure: {r: setting.against_load(runs, r, measure) for r in setting.routings}
        for measure in (THETA_T, LIFETIME)
    }
    return [
        AtLoad(
            share,
            share * whole,
            *(
                {r: at_load(curve, share * whole) for r, curve in curves[measure].items()}
                for measure in (THETA_T, LIFETIME)
            ),
        )
        for share in SHARES
    ]


def lifetime_table(settings: tuple[Setting, ...], runs: Runs) -> str:
    """Return routed lifetimes (us) at equal load, the shortest in bold."""
    return _table(settings, runs, LIFETIME)


def theta_table(settings: tuple[Setting, ...], runs: Runs) -> str:
    """Return theta_t (%) at equal load; bold where the routed lifetime is the shortest."""
    return _table(settings, runs, THETA_T)


def _table(settings: tuple[Setting, ...], runs: Runs, measure: str) -> str:
    header = ["traffic", "load", *ROUTINGS.values()]
    return table(header, (line for s in settings for line in _lines(s, runs, measure)))


def _lines(setting: Setting, runs: Runs, measure: str) -> Iterator[list[str]]:
    for found in at_equal_loads(setting, runs):
        estimates = found.theta_t if measure == THETA_T else found.lifetimes
        cells = []
        for routing in ROUTINGS:
            estimate = estimates.get(routing)
            text = "-" if estimate is None else _shown(estimate, measure)
            is_least = estimate is not None and routing in found.least
            cells.append(f"**{text}**" if is_least else text)
        yield [setting.title, f"{found.load:.1f} ({100 * found.share:.0f} %)", *cells]


def _shown(estimate: tb.Estimate, measure: str) -> str:
    return number(in_percent(estimate) if measure == THETA_T else estimate)
