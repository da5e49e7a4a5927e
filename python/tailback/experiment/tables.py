"""The tables of an experiment file and the dotted names of what stands in them.

A parameter has a dotted name: that of its table, then its key, as in ``machine.link.rate``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..errors import UserError, choice, joined, shown

#: Tables below ``machine`` with keys of their own.
MACHINE_TABLES = (
    "machine.topology",
    "machine.link",
    "machine.node_link",
    "machine.hosts",
    "machine.switch",
    "machine.routing",
    "machine.interface",
    "machine.loggops",
)
#: Tables of classes of links begin with this; the rest is the name of a class.
LINK_CLASSES = "machine.link_classes"

#: All tables with parameters, by dotted name.
SECTIONS = ("machine", *MACHINE_TABLES, "workload", "run")

#: Tables of jobs, ``[[job]]``, have names in a list: ``job.NAME`` and ``job.NAME.workload``.
JOBS = "job"

#: Those of faults, ``[[fault]]``, are numbered from 0 in the order of the file: ``fault.0``.
FAULTS = "fault"

#: So have those of traffic classes: ``workload.traffic_class.NAME``, of a job's workload, too.
CLASSES = "traffic_class"

#: Parameters that name a file, by dotted name.
FILES = (
    "machine.topology.file",
    "machine.routing.file",
    "workload.file",
    "workload.groups",
    "workload.placement_file",
)


def section_and_key(name: str) -> tuple[str, str]:
    """Return the table and the key of a dotted name."""
    section, _, key = name.rpartition(".")
    return section, key


def is_section(section: str) -> bool:
    """Whether a dotted name is that of a table with parameters."""
    is_own = section in SECTIONS or section.startswith(f"{LINK_CLASSES}.")
    named = (job_of(section), class_of(section), fault_of(section))
    return is_own or any(name is not None for name in named)


def job_of(section: str) -> str | None:
    """Return the name of the job that ``job.NAME`` or ``job.NAME.workload`` is a table of."""
    first, *steps = section.split(".")
    is_table = first == JOBS and steps[1:] in ([], ["workload"])
    return steps[0] if is_table and steps and steps[0] else None


def fault_of(section: str) -> str | None:
    """Return the number of the fault that ``fault.NUMBER`` is the table of."""
    first, _, number = section.partition(".")
    return number if first == FAULTS and number.isdecimal() else None


def class_of(section: str) -> str | None:
    """Return the name of the traffic class that ``workload.traffic_class.NAME`` is the table of."""
    above, _, name = section.rpartition(".")
    workload, _, key = above.rpartition(".")
    of_job = job_of(workload) is not None and workload.endswith(".workload")
    return name if key == CLASSES and (workload == "workload" or of_job) else None


def table_at(tables: Mapping[str, Any], section: str) -> Mapping[str, Any]:
    """Return the table of a dotted name; an empty one if it is not there."""
    found: Any = tables
    for step in section.split("."):
        found = named(found) if isinstance(found, list | tuple) else found
        found = found.get(step, {}) if isinstance(found, Mapping) else {}
    return found if isinstance(found, Mapping) else {}


def named(tables: Sequence[object]) -> dict[str, Mapping[str, Any]]:
    """Return those of a list that are tables with names, by these."""
    having = (table for table in tables if isinstance(table, Mapping))
    return {str(table["name"]): table for table in having if "name" in table}


#: A load is another way to say a period: the one that is laid over the other takes its place.
_OTHERS = {"load": ("compute_period", "period"), "compute_period": ("load",), "period": ("load",)}


def without_others(table: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Return a table without the keys that what is laid over it says in another way.

    Processes that a load made asynchronous stay so with a period.
    """
    gone = {other for key in over for other in _OTHERS.get(key, ())}
    kept = {key: value for key, value in table.items() if key not in gone}
    if "load" in table and "compute_period" in over:
        kept.setdefault("sync", "asynchronous")
    return kept


def laid_over(table: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the table of a workload with changes laid over it: of traffic classes, by name.

    Raises `UserError` for a class that there is not.
    """
    found = _laid_over(table, changes)
    classes, change = table.get(CLASSES), changes.get(CLASSES)
    if isinstance(classes, list | tuple) and isinstance(change, Mapping):
        known = named(classes)
        for name, keys in change.items():
            if name not in known:
                raise choice(f"workload.{CLASSES}", name, known)
            if not isinstance(keys, Mapping):
                raise UserError(
                    f"workload.{CLASSES}.{name}", shown(keys), "must be a table of keys"
                )
        found[CLASSES] = [
            _laid_over(one, change.get(one.get("name"), {})) if isinstance(one, Mapping) else one
            for one in classes
        ]
    return found


def _laid_over(table: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    return {**without_others(table, over), **over}


def put(tables: dict[str, Any], name: str, value: object) -> None:
    """Set the value of a dotted name, making the tables it needs; raise `UserError` at others."""
    *steps, key = name.split(".")
    at = tables
    for depth, step in enumerate(steps, 1):
        below = at.setdefault(step, {})
        if not isinstance(below, dict):
            path = joined(*steps[:depth])
            raise UserError(path, shown(below), f"must be a table: [{path}]")
        at = below
    at[key] = value


def entries(tables: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, object]]:
    """Yield the dotted name and the value of everything in tables, in order.

    Tables that are no section are values.
    """
    for key, value in tables.items():
        name = joined(path, key)
        is_table = is_section(name) or is_section(f"{name}.NAME") or name == FAULTS
        if isinstance(value, Mapping) and is_table:
            yield from entries(value, name)
        else:
            yield name, value
