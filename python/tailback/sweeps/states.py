"""States of the points of a sweep: not settled, saturated, cut off or failed, and why."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from tailback.comparison import MODES
from tailback.tables.frames import dictionaries
from tailback.wording.saturated import MEASURED, NETWORK, SOURCES, are_sources

if TYPE_CHECKING:
    from tailback.store.points import PointStore

Place = Mapping[str, str]
"""What is varied in a sweep with its values at a point, and the seed."""

SEED = "seed"

_SHOWN = 3
"""Points that are named one by one, if there are no more."""
_VALUES = 4
"""Values of a parameter that are named."""
_ROWS = 10_000
"""Rows of the index that are looked at at once."""
WORDS = {
    "cut_off": "cut off",
    "lost": "without end",
    "unsettled": "not settled",
    "saturated": "saturated",
    "failed": "failed",
}
"""States of points and their names, the worst of a finished point first."""

_ENDINGS = ("identity", "mode", "steady", "saturated", "cut_off", "lost", *MEASURED)

_WHY = {
    "lost": "messages were lost, and the workload waits for them for ever",
    "unsettled": "values still drift in the window that was measured",
    "saturated": NETWORK,
    "limited": SOURCES,
}
"""Why points without a limit that cut them off are not settled, or saturated: by two causes."""


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


class _Run(NamedTuple):
    """How a run ended: little, for there may be hundreds of thousands."""

    mode: str
    cut_off: str | None
    ends: tuple[str, ...]
    """The keys of `_WHY` that hold of it if it was not cut off."""

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> _Run:
        """Return that of a row with the columns `_ENDINGS`."""
        limited = are_sources(row) if row["saturated"] else None
        holds = {
            "lost": row.get("lost"),
            "unsettled": not row["steady"],
            "saturated": limited is False,
            "limited": limited,
        }
        return cls(row["mode"], row.get("cut_off"), tuple(kind for kind in _WHY if holds[kind]))


def states(store: PointStore, points: Mapping[str, Place]) -> list[State]:
    """Return the states of `points`, which map identities to places.

    A point counts once for each of its states; points without one are left out.
    """
    found: dict[tuple[str, str], list[Place]] = {}
    runs: dict[str, list[_Run]] = {}
    if store.has_points:
        table = store.runs(only=_ENDINGS)
        for first in range(0, table.num_rows, _ROWS):
            for row in dictionaries(table.slice(first, _ROWS)):
                runs.setdefault(row["identity"], []).append(_Run.of(row))
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


def _of_point(runs: list[_Run]) -> Iterator[tuple[str, str]]:
    """Yield the states of the runs of a point, with reasons."""
    cut: dict[str, list[str]] = {}
    ends: dict[str, list[str]] = {}
    for run in runs:
        if run.cut_off:
            cut.setdefault(run.cut_off, []).append(run.mode)
            continue
        for end in run.ends:
            ends.setdefault(end, []).append(run.mode)
    for limit, modes in cut.items():
        yield "cut_off", f"by {limit}, raise that{_in(modes, runs)}"
    for end, why in _WHY.items():
        # A point is saturated once: where the network limits any of its modes, that is told.
        if end in ends and not (end == "limited" and "saturated" in ends):
            kind = "saturated" if end == "limited" else end
            yield kind, f"{why}{_in(ends[end], runs)}"


def _in(modes: list[str], runs: list[_Run]) -> str:
    """Return the modes in words; nothing if these are all."""
    if len(modes) == len(runs):
        return ""
    return f", in {', '.join(mode for mode in MODES if mode in modes)}"
