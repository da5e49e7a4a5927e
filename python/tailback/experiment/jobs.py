"""The tables ``[[job]]`` of an experiment file, and changes to them by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..errors import UserError, choice, shown, unknown_key
from ..workloads import Job, Jobs
from .choosing import WORKLOAD, chosen
from .tables import JOBS, laid_over

#: Keys of a job beside its workload.
KEYS = tuple(key for key in Job.keys if key != "workload")


def check_tables(given: object) -> Sequence[Mapping[str, Any]]:
    """Return the tables of jobs; raise `UserError` for what is no list of tables with names."""
    if not isinstance(given, list | tuple) or not given:
        raise UserError(JOBS, shown(given), "must be tables: [[job]], each with a name")
    names: set[str] = set()
    for place, table in enumerate(given):
        if not isinstance(table, Mapping):
            raise UserError(f"{JOBS}[{place}]", shown(table), "must be a table: [[job]]")
        name = table.get("name")
        if not isinstance(name, str):
            given_name = None if name is None else shown(name)
            raise UserError(f"{JOBS}[{place}].name", given_name, "must be given: a name")
        if name in names:
            raise UserError(f"{JOBS}.name", shown(name), "is the name of another job, too")
        names.add(name)
        for key in table:
            if key not in Job.keys:
                raise unknown_key(f"{JOBS}.{name}", key, list(Job.keys))
        workload = table.get("workload", {})
        if not isinstance(workload, Mapping):
            place_of = f"{JOBS}.{name}.workload"
            raise UserError(place_of, shown(workload), f"must be a table: [{JOBS}.workload]")
    return given


def changes_of(given: object, tables: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Return changes by the names of jobs; raise `UserError` for an unknown name."""
    if not isinstance(given, Mapping):
        raise UserError(JOBS, shown(given), "must be changed by name: job.NAME.key=value")
    names = [str(table["name"]) for table in tables]
    for name, change in given.items():
        if name not in names:
            raise choice(JOBS, name, names)
        if not isinstance(change, Mapping):
            raise UserError(f"{JOBS}.{name}", shown(change), "must be a table of keys")
        for key, value in change.items():
            if key not in Job.keys or key == "name":
                raise unknown_key(f"{JOBS}.{name}", key, [*KEYS[1:], "workload"])
            if key == "workload" and not isinstance(value, Mapping):
                raise UserError(f"{JOBS}.{name}.workload", shown(value), "must be a table")
    return given


def jobs_of(given: object, changes: object) -> Jobs:
    """Return the jobs that tables describe, with ``changes`` laid over them by name."""
    tables = check_tables(given)
    over = changes_of(changes, tables)
    return Jobs(_job(table, over.get(str(table["name"]), {})) for table in tables)


def _job(table: Mapping[str, Any], change: Mapping[str, Any]) -> Job:
    place = f"{JOBS}.{table['name']}"
    try:
        workload = chosen(WORKLOAD, table.get("workload", {}), change.get("workload", {}))
    except UserError as error:
        raise error.inside(place) from None
    given = {**table, **change, "workload": workload}
    # One way of saying which nodes takes the place of the other.
    if "share" in change and "nodes" not in change:
        given.pop("nodes", None)
    if "nodes" in change and "share" not in change:
        given.pop("share", None)
    try:
        return Job(**given)
    except UserError as error:
        own = error.field.removeprefix(JOBS).lstrip(".")
        raise UserError(f"{place}.{own}", error.given, error.allowed, error.nearest) from None


def changed(tables: Sequence[Mapping[str, Any]], changes: object) -> list[dict[str, Any]]:
    """Return tables of jobs with changes laid over them."""
    over = changes_of(changes, check_tables(tables))
    return [_refined(table, over.get(str(table["name"]), {})) for table in tables]


def _refined(table: Mapping[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    found = {**table, **change}
    for key, other in (("share", "nodes"), ("nodes", "share")):
        if key in change and other not in change:
            found.pop(other, None)
    found["workload"] = laid_over(table.get("workload", {}), change.get("workload", {}))
    return found


def workload_tables(description: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the workloads of jobs, as far as they are tables."""
    given = description.get(JOBS, ())
    for table in given if isinstance(given, list) else ():
        workload = table.get("workload") if isinstance(table, dict) else None
        if isinstance(workload, dict):
            yield workload
