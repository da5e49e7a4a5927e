"""Two results or two experiments: what was asked differently, and what came out differently."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import hypot, isfinite, nan
from pathlib import Path
from typing import Any

from tailback.errors import UserError, read_text, shown
from tailback.experiment import Experiment
from tailback.experiment.reading import read_description
from tailback.sending.packs import unpacked
from tailback.statistics import Estimate
from tailback.store.points import PointStore
from tailback.store.run_folder import MANIFEST, verified
from tailback.sweeps import Sweep

from .tables import table

_ENDS = {"value", "low", "high"}
#: What says by which program, of which question a result is: not what was asked.
_NOT_ASKED = ("identity", "files")

Place = tuple[tuple[str, str], ...]
"""Where a row of a sweep lies: what was varied, and the mode; empty of a single run."""


@dataclass(frozen=True)
class Side:
    """One of two things that are compared."""

    asked: Mapping[str, Any]
    """Parameters by dotted name."""
    found: Mapping[Place, Mapping[str, Estimate]]
    """What came out, by place and name; empty of an experiment."""


@dataclass(frozen=True)
class Asked:
    """A parameter that differs; None where it is not given."""

    name: str
    first: Any
    second: Any


@dataclass(frozen=True)
class Outcome:
    """A measure that differs."""

    place: Place
    name: str
    first: Estimate
    second: Estimate

    @property
    def difference(self) -> Estimate:
        """The second less the first, as if their errors were independent."""
        one, other = self.first, self.second
        delta = other.value - one.value
        low = delta - hypot(other.value - other.low, one.high - one.value)
        high = delta + hypot(other.high - other.value, one.value - one.low)
        return Estimate(delta, low, high)

    @property
    def is_clear(self) -> bool:
        """Whether the interval of the difference does not contain 0."""
        return self.difference.low > 0 or self.difference.high < 0


@dataclass(frozen=True)
class Differences:
    """All that differs between two sides."""

    asked: tuple[Asked, ...]
    outcomes: tuple[Outcome, ...]
    same: int
    """Measures that both have, and that are the same."""
    apart: tuple[tuple[Place, ...], tuple[Place, ...]]
    """Places that only the first, or only the second has."""

    def to_dict(self) -> dict[str, Any]:
        """Return everything for JSON."""
        return {
            "asked": [vars(one) for one in self.asked],
            "outcomes": [
                {
                    "where": dict(one.place),
                    "measure": one.name,
                    "first": one.first.to_dict(),
                    "second": one.second.to_dict(),
                    "difference": one.difference.to_dict(),
                    "clear": one.is_clear,
                }
                for one in self.outcomes
            ],
            "same": self.same,
            "only_first": [dict(place) for place in self.apart[0]],
            "only_second": [dict(place) for place in self.apart[1]],
        }


def differences(
    first: Path, second: Path, *, code: bool = True, seen: Callable[[Experiment], object] = id
) -> Differences:
    """Compare two experiment files, folders of results or packs.

    Of an experiment file only what is asked is compared; without `code` one with programs in
    Python is refused. `seen` is called with every experiment before programs are run. Raises
    `UserError`.
    """
    one, other = _sides(unpacked(first), unpacked(second), code, seen)
    outcomes: list[Outcome] = []
    same = 0
    for place, measures in one.found.items():
        for name, estimate in measures.items():
            there = other.found.get(place, {}).get(name)
            if there is None or not (isfinite(estimate.value) or isfinite(there.value)):
                continue
            if _ends(estimate) == _ends(there):
                same += 1
            else:
                outcomes.append(Outcome(place, name, estimate, there))
    apart = (
        tuple(place for place in one.found if other.found and place not in other.found),
        tuple(place for place in other.found if one.found and place not in one.found),
    )
    return Differences(tuple(_asked(one.asked, other.asked)), tuple(outcomes), same, apart)


def _ends(estimate: Estimate) -> list[str]:
    return [repr(x) for x in (estimate.value, estimate.low, estimate.high)]


def _asked(one: Mapping[str, Any], other: Mapping[str, Any]) -> Iterator[Asked]:
    for name in dict.fromkeys([*one, *other]):
        if one.get(name) != other.get(name):
            yield Asked(name, one.get(name), other.get(name))


def _sides(
    first: Path, second: Path, code: bool, seen: Callable[[Experiment], object]
) -> tuple[Side, Side]:
    """Return what experiment files or folders of results say, in one form."""
    paths = (first, second)
    runs = [(path / MANIFEST).is_file() for path in paths]
    stores = [path.is_dir() and not is_run for path, is_run in zip(paths, runs, strict=True)]
    if any(runs) and any(stores):
        sweep = paths[stores.index(True)]
        raise UserError(str(sweep), None, "has a sweep; the other is a single run")
    swept = any(stores) or (not any(runs) and any(map(_has_sweep, paths)))

    def side(path: Path) -> Side:
        if (path / MANIFEST).is_file():
            return _of_run(verified(path, MANIFEST))
        if path.is_dir():
            return _of_store(PointStore.open(path))
        if swept:
            return Side(dict(_flat(_question(Sweep.load(path, code=code).description()))), {})
        experiment = Experiment.load(path, code=code)
        seen(experiment)
        return Side(dict(_flat(experiment.resolved())), {})

    return side(first), side(second)


def _has_sweep(path: Path) -> bool:
    return "sweep" in read_description(path, ()).tables


def _of_store(store: PointStore) -> Side:
    asked: dict[str, Any] = {}
    for number, sweep in enumerate(store.sweeps()):
        start = "" if number == 0 else f"sweep {number + 1}"
        asked |= dict(_flat(_question(sweep["asked"]), start))
    rows = table(store)
    names = rows.column_names
    measures = [name for name in names if {f"{name}_low", f"{name}_high"} <= {*names}]
    ends = {f"{name}{end}" for name in measures for end in ("", "_low", "_high")}
    labels = [name for name in names if name not in ends and name != "runs"]
    found = {}
    for row in rows.to_pylist():
        place = tuple((name, shown(row[name]).strip('"')) for name in labels)
        found[place] = {name: _estimate(row, name) for name in measures}
    return Side(asked, found)


def _question(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a sweep asked for; what follows from the rest of it left out."""
    return {name: asked.get(name) for name in ("base", "sweep", "modes", "seeds")}


def _estimate(row: Mapping[str, Any], name: str) -> Estimate:
    value, low, high = (_number(row[f"{name}{end}"]) for end in ("", "_low", "_high"))
    return Estimate(value, low, high)


def _number(value: Any) -> float:
    return nan if value is None else float(value)


def _of_run(path: Path) -> Side:
    try:
        manifest = json.loads(read_text(path))
        asked = dict(_flat(manifest["parameters"]))
        told = {k: v for k, v in manifest.items() if k not in ("parameters", *_NOT_ASKED)}
    except UserError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise UserError(str(path), None, "is not the manifest of a run") from None
    return Side(asked, {(): dict(_estimates(told))})


def _estimates(tables: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Estimate]]:
    """Yield all estimates in tables, by dotted name."""
    for key, value in tables.items():
        name = f"{path}.{key}" if path else str(key)
        if isinstance(value, Mapping) and {*value} == _ENDS:
            middle, low, high = (_number(value[end]) for end in ("value", "low", "high"))
            yield name, Estimate(middle, low, high)
        elif isinstance(value, Mapping):
            yield from _estimates(value, name)


def _flat(tables: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield all parameters in tables, by dotted name."""
    for key, value in tables.items():
        name = f"{path}.{key}" if path else str(key)
        if isinstance(value, Mapping):
            yield from _flat(value, name)
        elif isinstance(value, list) and value and all(_is_named(one) for one in value):
            yield from _flat({one["name"]: one for one in value}, name)
        else:
            yield name, value


def _is_named(value: object) -> bool:
    return isinstance(value, Mapping) and "name" in value
