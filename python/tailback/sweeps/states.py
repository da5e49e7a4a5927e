"""States of the points of a sweep: not settled, saturated, cut off or failed, and why."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tailback.comparison import MODES
from tailback.tables.frames import dictionaries

if TYPE_CHECKING:
    from tailback.store.points import PointStore

Place = Mapping[str, str]
"""What is varied in a sweep with its values at a point, and the seed."""

SEED = "seed"

_SHOWN = 3
"""Points that are named one by one, if there are no more."""
_VALUES = 4
"""Values of a parameter that are named."""
WORDS = {
    "cut_off": "cut off",
    "lost": "without end",
    "unsettled": "not settled",
    "saturated": "saturated",
    "failed": "failed",
}
"""States of points and their names, the worst of a finished point first."""

_ENDINGS = ("identity", "mode", "steady", "saturated", "cut_off", "lost")

_WHY = {
    "lost": "messages were lost, and the workload waits for them for ever",
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
    where: tuple[Place, ...]
    """The places of the points in the sweep."""
    values: Mapping[str, Collection[str]]
    """The values that the sweep has of each parameter; those with one alone are not told."""

    @property
    def line(self) -> str:
        """The state in one line: a few points one by one, of many the values they have."""
        told = self._each() if len(self.where) <= _SHOWN else self._values()
        count = f"{len(self.where)} {WORDS[self.kind]} ({self.why})"
        return f"{count}: {told}" if told else count

    def _each(self) -> str:
        varied = [name for name, values in self.values.items() if len(values) > 1]
        return "; ".join(written({name: place[name] for name in varied}) for place in self.where)

    def _values(self) -> str:
        """Return the values of parameters of which the points do not have all that there are."""
        told, all_with_these = [], 1
        for name, values in self.values.items():
            own = list(dict.fromkeys(place[name] for place in self.where))
            all_with_these *= len(own)
            if len(own) < len(values):
                more = f" and {len(own) - _VALUES} more" if len(own) > _VALUES else ""
                told.append(_written(name, ", ".join(own[:_VALUES]) + more))
        among = "among points with " if told and len(self.where) < all_with_these else ""
        return among + "; ".join(told)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        return {"kind": self.kind, "why": self.why, "where": [*map(written, self.where)]}


def written(place: Place) -> str:
    """Return a place in words: `workload.sync = asynchronous, seed 2`."""
    return ", ".join(_written(name, value) for name, value in place.items())


def _written(name: str, value: str) -> str:
    return f"seed {value}" if name == SEED else f"{name} = {value}"


def states(store: PointStore, points: Mapping[str, Place]) -> list[State]:
    """Return the states of `points`, which map identities to places.

    A point counts once for each of its states; points without one are left out.
    """
    found: dict[tuple[str, str], list[Place]] = {}
    runs: dict[str, list[dict[str, Any]]] = {}
    if store.has_points:
        for run in dictionaries(store.runs(only=_ENDINGS)):
            runs.setdefault(run["identity"], []).append(run)
    for identity, place in points.items():
        for kind, why in _of_point(runs.get(identity, [])):
            found.setdefault((kind, why), []).append(place)
    for failure in store.failures():
        if failure.identity in points and failure.identity not in runs:
            why = failure.text if len(failure.text) < 200 else f"{failure.text[:197]}..."
            found.setdefault(("failed", why), []).append(points[failure.identity])
    ordered = sorted(found.items(), key=lambda entry: [*WORDS].index(entry[0][0]))
    values: dict[str, dict[str, None]] = {}
    for place in points.values():
        for name, value in place.items():
            values.setdefault(name, {})[value] = None
    return [State(kind, why, tuple(places), values) for (kind, why), places in ordered]


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
        ("lost", [run["mode"] for run in whole if run.get("lost")]),
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
