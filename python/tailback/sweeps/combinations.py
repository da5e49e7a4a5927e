"""Combinations of values of a sweep, and their experiments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import UserError, joined, shown
from ..experiment import Experiment, Run
from ..experiment.choosing import WORKLOAD, chosen
from ..experiment.faults import faults_of
from ..experiment.jobs import jobs_of
from ..experiment.tables import (
    CLASSES,
    FAULTS,
    FILES,
    JOBS,
    class_of,
    fault_of,
    is_section,
    job_of,
    put,
    section_and_key,
    table_at,
)
from ..expressions import known, written
from ..machines import machine_of
from ..parts import Part
from ..units import Quantity
from .names import default_of, short, usual_words
from .plan import Plan, Tables

#: Machines and workloads that are kept, so that each is checked once.
_MOST_KEPT = 10_000

_SCALARS = (bool, int, float, str, Quantity)


class Combination:
    """One value of each axis, and the values computed from them, on demand."""

    def __init__(self, plan: Plan, base: Tables, values: Mapping[str, object]) -> None:
        """``values``: those of the axes, by full name."""
        self._plan, self._base, self._values = plan, base, values
        self._known: dict[str, object] = {}

    @property
    def excluded(self) -> bool:
        """Whether a condition of sweep.exclude holds."""
        return any(self._truth(index) for index in range(len(self._plan.exclude)))

    def value(self, name: str) -> object:
        """Return the value of a varied name, as the experiment file would have it."""
        if name in self._values:
            return self._values[name]
        expression = self._plan.computed[name]
        found = self.known(name)
        try:
            return written(found)
        except UserError as error:
            raise self.mistake(expression.mistake(error), expression.names) from None

    def known(self, name: str) -> object:
        """Return the value of a name in an expression."""
        if name not in self._known:
            self._known[name] = self._found(name)
        return self._known[name]

    def apart(self, other: Combination) -> str:
        """Return the values of axes in which this combination differs from another."""
        differing = [name for name, value in self._values.items() if value != other._values[name]]
        return ", ".join(f"{short(name)} = {shown(self._values[name])}" for name in differing)

    def mistake(self, error: UserError, names: Iterable[str] | None = None) -> UserError:
        """Return a mistake of this combination: ``with n = 3: ...``.

        The combination is named by all values, or by those behind ``names``.
        """
        behind = self._values.keys() if names is None else self._plan.behind(names)
        values = [
            f"{short(name)} = {shown(value)}"
            for name, value in self._values.items()
            if name in behind
        ]
        if not values or error.field.startswith("with "):
            return error
        place = f"with {', '.join(values)}: {error.field}"
        return UserError(place, error.given, error.allowed, error.nearest)

    def _truth(self, index: int) -> bool:
        condition = self._plan.exclude[index]
        try:
            return bool(condition.truth(self.known))
        except UserError as error:
            raise self.mistake(error, condition.names) from None

    def _found(self, name: str) -> object:
        expression = self._plan.computed.get(name)
        if expression is not None:
            try:
                return expression.value(self.known)
            except UserError as error:
                raise self.mistake(error, expression.names) from None
        try:
            return known(self._values[name] if name in self._values else self._parameter(name))
        except UserError as error:
            raise error.inside(name) from None

    def _parameter(self, name: str) -> object:
        """Return a parameter that is not varied: the file's, or its default in this combination."""
        section, key = section_and_key(name)
        table = table_at(self._base, section)
        if key in table:
            return usual_words(name, table[key])
        above = section if job_of(section) is not None else section.partition(".")[0]
        preset = self._chosen(f"{above}.preset")
        return default_of(section, key, preset, self._chosen(f"{section}.kind"))

    def _chosen(self, name: str) -> object:
        if name in self._plan.varied:
            return self.value(name)
        section, key = section_and_key(name)
        return table_at(self._base, section).get(key)


def combinations(plan: Plan, base: Tables) -> Iterator[Combination]:
    """Yield every combination that is not excluded, the last axis fastest."""
    for values in _choices(plan.axes):
        combination = Combination(plan, base, values)
        if not combination.excluded:
            yield combination


def _choices(axes: Mapping[str, Sequence[object]]) -> Iterator[dict[str, object]]:
    """Yield one value of each axis in all ways; no axis is expanded."""
    names = list(axes)
    at = [0] * len(names)
    values = {name: axes[name][0] for name in names}
    while True:
        yield dict(values)
        place = len(names) - 1
        while place >= 0 and at[place] == len(axes[names[place]]) - 1:
            at[place] = 0
            values[names[place]] = axes[names[place]][0]
            place -= 1
        if place < 0:
            return
        at[place] += 1
        values[names[place]] = axes[names[place]][at[place]]


class Maker:
    """Makes the experiments of combinations; equal machines and workloads are made once."""

    def __init__(self, plan: Plan, base: Tables, folder: Path) -> None:
        """``folder``: what names of files are relative to."""
        self._folder = folder
        tables = ("machine", "workload", "run", JOBS, FAULTS)
        self._base = {table: dict(base.get(table, {})) for table in tables}
        # Each point runs in all modes of the sweep, whatever the base would run in.
        self._base["run"].pop("mode", None)
        self._varied = plan.varied
        self._kept: dict[str, Any] = {}

    def experiment(self, combination: Combination, seed: int) -> Experiment:
        """Return the experiment with these values; raise `UserError` naming them if it is none."""
        machine = self._part("machine", combination)
        workload = self._part(JOBS if self._base[JOBS] else "workload", combination)
        run = self._part("run", combination, seed)
        faults = self._part(FAULTS, combination)
        if faults and run.critical_path:
            allowed = "must be left out of sweeps with [[fault]]: use tailback explain"
            raise UserError("run.critical_path", "true", allowed)
        try:
            return Experiment(machine, workload, run, faults=faults)
        except UserError as error:
            raise combination.mistake(error) from None

    def varied(self, combination: Combination, experiment: Experiment) -> dict[str, object]:
        """Return what is varied, by full name, as the experiment has it.

        Quantities are `Quantity`, lists of plain values tuples. What an experiment does
        not keep (presets, names) or has turned into objects is as it was given; a
        file's name is without its folder if that is of this machine.
        """
        found = {name: combination.value(name) for name in self._varied}
        for name, given in found.items():
            section, key = section_and_key(name)
            if is_section(section):
                value = getattr(_part_of(experiment, section), key, given)
                entries = value if isinstance(value, tuple) else (value,)
                if all(isinstance(entry, _SCALARS) for entry in entries):
                    found[name] = value
            if name in FILES:
                found[name] = public_file(given)
        return found

    def _part(self, table: str, combination: Combination, seed: int | None = None) -> Any:
        tables: dict[str, Any] = {}
        for name in self._varied:
            if name.startswith(f"{table}."):
                value = combination.value(name)
                if name in FILES and isinstance(value, str):
                    value = str(self._folder / value)
                put(tables, name, value)
        changes = tables.get(table, {})
        try:
            if table == "run":
                return Run(**self._base["run"] | changes | {"seed": seed})
            return self._made(table, changes)
        except UserError as error:
            raise (combination.mistake(error) if changes else error) from None

    def _made(self, table: str, changes: dict[str, Any]) -> Any:
        """Return a machine, a workload or faults, perhaps made before."""
        same = joined(table, repr(changes))
        if same not in self._kept:
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            base = self._base[table]
            if table == FAULTS:
                self._kept[same] = faults_of(list(base.values()), changes)
            elif table == JOBS:
                self._kept[same] = jobs_of(list(base.values()), changes)
            elif table == "machine":
                self._kept[same] = machine_of(base, changes)
            else:
                self._kept[same] = chosen(WORKLOAD, base, changes)
        return self._kept[same]


def _part_of(experiment: Experiment, section: str) -> object:
    """Return what a table of the file has become."""
    found: Any = experiment
    if (name := class_of(section)) is not None:
        workload: Any = _part_of(experiment, section.removesuffix(f".{CLASSES}.{name}"))
        return next((one for one in workload.traffic_class if one.name == name), None)
    if (number := fault_of(section)) is not None:
        return experiment.faults[int(number)]
    job = job_of(section)
    if job is not None:
        found = next((one for one in experiment.jobs if one.name == job), None)
        section = section.partition(f"{job}")[2].lstrip(".")
        return getattr(found, section) if section else found
    for step in section.split("."):
        found = found.get(step) if isinstance(found, Mapping) else getattr(found, step, None)
    return found if not isinstance(found, Part) or section != "machine" else None


def public_file(name: object) -> object:
    """Return the name of a file as it was given, but never a folder of this machine."""
    return Path(name).name if isinstance(name, str) and Path(name).is_absolute() else name
