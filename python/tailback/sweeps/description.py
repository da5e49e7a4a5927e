"""A sweep: the experiments that an experiment file with a ``[sweep]`` table stands for."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tailback.helping import Helped
from tailback.since311 import Self

from ..errors import UserError, shown
from ..experiment import Experiment
from ..experiment.choosing import find_kinds
from ..experiment.description import tables_of
from ..experiment.faults import faults_of
from ..experiment.jobs import check_tables
from ..experiment.reading import merged, parsed_override, read_description
from ..experiment.tables import FAULTS, FILES, JOBS, put, section_and_key, table_at
from ..sending.asked import Description
from .combinations import Combination, Maker, combinations, public_file
from .plan import Plan, read_plan


@dataclass(frozen=True)
class Point:
    """One experiment of a sweep, with one seed, to be run in several modes."""

    experiment: Experiment
    modes: tuple[str, ...]
    varied: Mapping[str, object]
    """Where it lies: ``workload.sync``, ``sweep.n``, ... in the order of the file, without the
    seed. Quantities are `Quantity`, lists tuples."""


@dataclass(frozen=True, eq=False, repr=False)
class Sweep(metaclass=Helped):
    """Many experiments: a base and what is varied.

    Points come in the order of the file, what is last there fastest, and seeds
    fastest of all.

    >>> import tailback as tb
    >>> sweep = tb.Sweep.load("examples/latency.toml")
    >>> [point.varied["workload.load"] for point in sweep.points()]
    [0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.97]
    """

    title: str
    """The name of its file, without folder and ending."""
    _plan: Plan
    _table: Mapping[str, Any]
    _base: Mapping[str, Mapping[str, Any]]
    _folder: Path
    _code: bool = True

    @classmethod
    def load(cls, path: str | Path, overrides: Iterable[str] = (), *, code: bool = True) -> Self:
        """Read an experiment file; without a [sweep] table it is a sweep of one point.

        ``overrides``, such as ``"run.precision=0.05"``, change what is not varied. Without
        ``code``, workloads that are programs in Python are refused. Raises `UserError`;
        combinations are checked by `points` only.
        """
        path, overrides = Path(path), list(overrides)
        given = read_description(path, overrides)
        description = merged(given)
        description.setdefault("sweep", {"seeds": 1})
        sweep = cls.from_dict(description, title=path.stem, folder=path.parent, code=code)
        for override in overrides:
            sweep._check_override(override)
        return sweep

    @classmethod
    def from_dict(
        cls,
        description: Mapping[str, Any],
        *,
        title: str = "sweep",
        folder: Path = Path(),
        code: bool = True,
    ) -> Self:
        """Return the sweep with the tables ``sweep``, ``machine``, ``workload`` and ``run``.

        Names of files that are varied are relative to ``folder``. Raises `UserError`.
        """
        find_kinds(description)
        tables = tables_of(description)
        table = tables.pop("sweep")
        if JOBS in description:
            if "workload" in description:
                problem = "must not be given together with [[job]]: every job has a workload"
                raise UserError("workload", None, problem)
            tables[JOBS] = {job["name"]: job for job in check_tables(description[JOBS])}
        if FAULTS in description:
            faults_of(description[FAULTS])
            given = description[FAULTS]
            tables[FAULTS] = {str(number): one for number, one in enumerate(given)}
        return cls(title, read_plan(table, tables), table, tables, folder, code)

    @property
    def count(self) -> int:
        """How many points there are at most: exclusions are not taken off.

        It is the number of combinations times that of seeds, known at once.
        """
        return self._plan.count

    @property
    def modes(self) -> tuple[str, ...]:
        """Contention modes every point is run in, in their usual order."""
        return self._plan.modes

    @property
    def varied(self) -> tuple[str, ...]:
        """Full names of what differs between points, in the order of the file."""
        return self._plan.varied

    def points(self) -> Iterator[Point]:
        """Yield the points in order, one after the other.

        Raises `UserError` at a combination that is no experiment, or would be the first
        to run at another fidelity, naming it, and at the end if all were excluded.
        """
        maker = Maker(self._plan, self._base, self._folder)
        first: tuple[Combination, Experiment] | None = None
        for combination in combinations(self._plan, self._base):
            experiment = maker.experiment(combination, self._plan.seeds[0])
            if not self._code:
                experiment.refuse_code()
            varied = maker.varied(combination, experiment)
            first = first or (combination, experiment)
            if experiment.fidelity != first[1].fidelity and not self._plan.mixes_fidelities:
                raise _mixed(first, (combination, experiment))
            yield Point(experiment, self.modes, varied)
            for seed in self._plan.seeds[1:]:
                yield Point(experiment.with_seed(seed), self.modes, varied)
        if first is None:
            raise UserError("sweep.exclude", None, "leaves nothing to run: it excludes everything")

    def description(self) -> dict[str, Any]:
        """Return what was asked for, for JSON: the same on every machine.

        ``base`` and ``sweep`` are the tables as they were given, ``seeds`` all of
        them. Of files, only names are kept.
        """
        base = json.loads(json.dumps(self._base, default=str))
        for name in FILES:
            section, key = section_and_key(name)
            if key in table_at(base, section):
                put(base, name, Path(str(table_at(base, section)[key])).name)
        # What programs read is in the identities of the points.
        for key in ("reads", "environment"):
            base.get("workload", {}).pop(key, None)
        asked = {
            "name": self.title,
            "title": self._base.get("run", {}).get("title"),
            "sweep": _without_folders(self._table),
            "modes": list(self.modes),
            "seeds": list(self._plan.seeds),
            "varied": list(self.varied),
            "base": base,
        }
        # Through text, so that nobody can change the sweep by changing what is returned.
        found: dict[str, Any] = json.loads(json.dumps(asked, default=str))
        return found

    def asked(self) -> Description:
        """Return what its file says, for the folder of its results."""
        return Description(self.title, self._folder, {**self._base, "sweep": self._table})

    def __repr__(self) -> str:
        return f"<Sweep {self.title!r} of {', '.join(self.varied) or 'seeds'}: {self.count} points>"

    def _check_override(self, override: str) -> None:
        """Refuse to set what the sweep decides."""
        name, value = parsed_override(override)
        if name in self.varied:
            allowed = f"is varied by sweep.{name}: change that, or leave out --set"
        elif name == "run.mode":
            allowed = "is given by sweep.modes in a sweep"
        elif name == "run.seed" and isinstance(self._table.get("seeds"), list):
            allowed = "is given by the list sweep.seeds"
        else:
            return
        raise UserError(name, shown(value), allowed)


Found = tuple[Combination, Experiment]


def _mixed(first: Found, other: Found) -> UserError:
    """Return the mistake of a sweep in which two points would run at different fidelities."""
    given = first[1].run.fidelity
    one, two = first[0].apart(other[0]), other[0].apart(first[0])
    told = f"{_told(first[1], one)}, but {_told(other[1], two)}"
    remedy = "give one fidelity, vary it, or say sweep.mix_fidelities = true"
    problem = f"would be {told}; such points are not compared; {remedy}"
    return UserError("run.fidelity", None if given is None else shown(given), problem)


def _told(experiment: Experiment, place: str) -> str:
    machine = experiment.machine
    given = experiment.run.fidelity
    why = machine.why_usual_fidelity if given is None else machine.exact.why
    return f"{shown(experiment.fidelity)} with {place} ({why})"


def _without_folders(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return a [sweep] table in which files have no folders of this machine."""
    found: dict[str, Any] = json.loads(json.dumps(table, default=str))
    for name in FILES:
        section, key = section_and_key(name)
        given = table_at(found, section).get(key)
        if isinstance(given, list):
            put(found, name, [public_file(entry) for entry in given])
    return found
