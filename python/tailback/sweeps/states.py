"""States of the points of a sweep: not settled, saturated, cut off or failed, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tailback.comparison import MODES
from tailback.tables.frames import dictionaries

if TYPE_CHECKING:
    from tailback.store.points import PointStore

_SHOWN = 3
WORDS = {
    "cut_off": "cut off",
    "unsettled": "not settled",
    "saturated": "saturated",
    "failed": "failed",
}
"""States of points and their names, the worst of a finished point first."""

_ENDINGS = ("identity", "mode", "steady", "saturated", "cut_off")

_WHY = {
    "saturated": "the network accepts less than it is offered",
    "unsettled": "values still drift in the window that was measured",
}


@dataclass(frozen=True, slots=True)
class State:
    """Points with the same state for the same reason."""

    kind: str
    """A key of `WORDS`."""
    why: str
    """In words, with the modes unless it holds in all."""
    where: tuple[str, ...]
    """The places of the points in the sweep."""

    @property
    def line(self) -> str:
        """The state in one line; the first of many points are named."""
        named = "; ".join(self.where[:_SHOWN])
        more = f"; and {len(self.where) - _SHOWN} more" if len(self.where) > _SHOWN else ""
        return f"{len(self.where)} {WORDS[self.kind]} ({self.why}): {named}{more}"

    def to_dict(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        return {"kind": self.kind, "why": self.why, "where": [*self.where]}


def states(store: PointStore, points: Mapping[str, str]) -> list[State]:
    """Return the states of `points`, which map identities to places.

    A point counts once for each of its states; points without one are left out.
    """
    found: dict[tuple[str, str], list[str]] = {}
    runs: dict[str, list[dict[str, Any]]] = {}
    if store.has_points:
        for run in dictionaries(store.runs(only=_ENDINGS)):
            runs.setdefault(run["identity"], []).append(run)
    for identity, name in points.items():
        for kind, why in _of_point(runs.get(identity, [])):
            found.setdefault((kind, why), []).append(name)
    for failure in store.failures():
        if failure.identity in points and failure.identity not in runs:
            why = failure.text if len(failure.text) < 200 else f"{failure.text[:197]}..."
            found.setdefault(("failed", why), []).append(points[failure.identity])
    ordered = sorted(found.items(), key=lambda entry: [*WORDS].index(entry[0][0]))
    return [State(kind, why, tuple(names)) for (kind, why), names in ordered]


def _of_point(runs: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """Yield the states of the runs of a point, with reasons."""
    cut: dict[str, list[str]] = {}
    for run in runs:
        if run.get("cut_off"):
            cut.setdefault(run["cut_off"], []).append(run["mode"])
    for limit, modes in cut.items():
        yield "cut_off", f"by {limit}, raise that{_in(modes, runs)}"
    whole = [run for run in runs if not run.get("cut_off")]
    for kind, modes in (
        ("unsettled", [run["mode"] for run in whole if not run["steady"]]),
        ("saturated", [run["mode"] for run in whole if run["saturated"]]),
    ):
        if modes:
            yield kind, f"{_WHY[kind]}{_in(modes, runs)}"


def _in(modes: list[str], runs: list[dict[str, Any]]) -> str:
    """Return the modes in words; nothing if these are all."""
    if len(modes) == len(runs):
        return ""
    return f", in {', '.join(mode for mode in MODES if mode in modes)}"
