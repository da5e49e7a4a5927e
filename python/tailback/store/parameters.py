"""The parameters of an experiment as columns: numbers in units that are part of the name.

`workload.compute_period = "16 us"` becomes `workload.compute_period_us = 16.0`;
lists and tables become JSON text. Which columns there are, and of what type,
follows from the classes that describe machine, workload and run, never from
values: all points with one kind of topology, routing and workload have the same.
What has no effect on a machine is null.
"""

from __future__ import annotations

import json
import types
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic.fields import FieldInfo

from tailback.entry_points import by_kinds
from tailback.errors import UserError
from tailback.experiment import Experiment, Run
from tailback.experiment.tables import JOBS, section_and_key, table_at
from tailback.machines.kinds import KINDED, PLAIN
from tailback.parts import Part, fields_of
from tailback.store.columns import Column, Type
from tailback.units import Quantity, Rate, Size, Time, TimePerByte
from tailback.workloads import KINDS, Messages, PythonProgram, Trace, Workload
from tailback.workloads.all_to_all import AllToAllV

Value = str | float | int | bool | None

#: Suffix, unit, type and size in the smallest unit of the numbers that quantities become.
_QUANTITIES: dict[type[Quantity], tuple[str, str, Type, int]] = {
    Time: ("_us", "us", "float64", 10**6),
    Size: ("_bytes", "B", "int64", 1),
    Rate: ("_mbit_per_s", "Mbit/s", "float64", 10**6),
    TimePerByte: ("_ns", "ns/B", "float64", 10**6),
}

#: Keys that are no parameter column: the mode is a column of its own, the name of a file
#: says nothing of its content, and only points that blame say so (`columns.BLAMING`).
_LEFT_OUT = {
    "run.mode",
    "machine.topology.file",
    "machine.routing.file",
    "workload.file",
    # The hash of the program is of them, too.
    "workload.reads",
    "workload.environment",
    "run.blame",
    "run.blame_share",
    "run.blame_memory",
    "run.packet_waits",
    "workload.classes",
    # Points with a critical path have columns of it.
    "run.critical_path",
    # Of a single run.
    "run.keep_messages",
    "run.slices",
    "run.slack",
    # Of a page, not of what was simulated.
    "run.title",
}

_PLUGIN = "Distribution that the kind is from, its version and a hash of its files."

#: What is stored of a network and of routes from files, and of classes of links.
_OF_MACHINE = (
    Column("machine.topology.network_sha256", "text", "", "Hash of the network."),
    Column("machine.topology.plugin", "text", "", _PLUGIN),
    Column("machine.routing.routes_sha256", "text", "", "Hash of the routes."),
    Column("machine.link_classes", "text", "", "Classes of links that differ, as JSON."),
)

#: What is stored of jobs side by side.
_JOBS = Column("job.all", "text", "", "All jobs with their nodes, as JSON.")

#: Keys that have no column where they are not among the resolved parameters, besides those that
#: are shown where they are given.
_OPTIONAL = {"format", "message_weights", "pattern_seed", "repeat"}

#: What is stored of a written list of messages; see `Messages.resolved`.
_LIST = {
    "messages": Column("workload.messages", "int64", "", "Messages in the list."),
    "messages_sha256": Column("workload.messages_sha256", "text", "", "Hash of the list."),
}

#: What is stored of a program in Python; see `PythonProgram.resolved`.
_PROGRAM = {
    "program_sha256": Column("workload.program_sha256", "text", "", "Hash of the program."),
}

#: What is stored of an exchange by a matrix; see `AllToAllV.resolved`.
_MATRIX = {
    "message_bytes": Column("workload.message_bytes", "int64", "", "Bytes of its messages."),
    "matrix_sha256": Column("workload.matrix_sha256", "text", "", "Hash of the matrix."),
}

#: What is stored of a trace; see `Trace.resolved`.
_TRACE = {
    "ranks": Column("workload.ranks", "int64", "", "Ranks of the trace."),
    "operations": Column("workload.operations", "int64", "", "Its operations."),
    "messages": Column("workload.messages", "int64", "", "Messages of the trace."),
    "message_bytes": Column("workload.message_bytes", "int64", "", "Bytes of its messages."),
    "trace_sha256": Column("workload.trace_sha256", "text", "", "Hash of the trace."),
}


def parameter_columns() -> list[Column]:
    """Return the columns of all topologies and kinds, each once."""
    columns = [*_of_machine().values(), _JOBS]
    for described in _classes():
        columns += _columns(described).values()
    found: dict[str, Column] = {}
    for column in columns:
        _add(found, column.name, column)
    return list(found.values())


def _add(found: dict[str, Column], name: str, column: Column) -> None:
    """Add a column by its name; one that is there may mean that too."""
    same = found.setdefault(name, column)
    if column.meaning not in same.meaning:
        both = f"{same.meaning} Or: {column.meaning}"
        found[name] = Column(same.name, same.type, same.unit, both)


def parameters(experiment: Experiment) -> Iterator[tuple[Column, Value]]:
    """Yield the parameters of an experiment in order, defaults filled in."""
    resolved = experiment.resolved()
    for name, column in _of_machine().items():
        section, key = section_and_key(name)
        values = table_at(resolved, section)
        if key in values:
            yield column, None if values[key] == {} else _stored(values[key], column)
    if experiment.jobs:
        yield _JOBS, stored_text(resolved[JOBS])
    parts = (experiment.run,) if experiment.jobs else (experiment.workload, experiment.run)
    for part in parts:
        values = resolved[part.section]
        for key, column in _columns(type(part)).items():
            if key in values or not _is_optional(type(part), key):
                yield column, _stored(values[key], column)


def _is_optional(kind: type[Part], key: str) -> bool:
    """Return whether a key has no column where it is not among the resolved parameters."""
    known = kind.keys.get(key)
    return key in _OPTIONAL or (known is not None and known.shown == "given")


def labels(experiment: Experiment, varied: Mapping[str, object]) -> dict[str, Value]:
    """Return where a point lies in its sweep: column and value of all that varied, and its seed.

    `varied` holds what users call it, and values as they write them or as the
    experiment has them. Names that only the sweep knows (`"sweep.n"`) are
    columns too; their numbers are `float64`, since another point may have a
    fraction.
    """
    found = dict(_label(experiment, name, value) for name, value in varied.items())
    return found | {"run.seed": experiment.run.seed}


def _label(experiment: Experiment, name: str, value: object) -> tuple[str, Value]:
    column = column_of(name)
    if column is None:
        column, stored = _unnamed(name, value)
        return column.name, stored
    if column.type == "int64" and column.unit == "" and isinstance(value, str):
        # A word that stands for a number, such as radius = "all".
        section, key = section_and_key(name)
        value = table_at(experiment.resolved(), section)[key]
    return column.name, _stored(value, column)


def column_of(name: str) -> Column | None:
    """Return the column of a parameter as users call it; None for other names."""
    return _by_key().get(name)


def change_to(column: str, value: Value) -> str | None:
    """Return the change, as `--set` has it, by which a parameter has a stored value.

    None for a value that stands for something else, such as the hash of a file.
    """
    name = _keys().get(column)
    if name is None or value is None:
        return None
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return f"{name}={text} {_by_key()[name].unit}".rstrip()


@by_kinds
def _keys() -> dict[str, str]:
    """Return what users call parameters, by their columns; not what only results have."""
    only = {column.name for column in (*_OF_MACHINE, *_LIST.values(), *_PROGRAM.values())}
    only |= {column.name for column in (*_MATRIX.values(), *_TRACE.values())}
    return {column.name: name for name, column in _by_key().items() if column.name not in only}


@by_kinds
def _by_key() -> dict[str, Column]:
    """Return the columns by what users call them, such as `workload.compute_period`."""
    return _of_machine() | {
        f"{described.section}.{key}": column
        for described in _classes()
        for key, column in _columns(described).items()
    }


@by_kinds
def _of_machine() -> dict[str, Column]:
    """Return the columns of a machine by dotted name, of whatever kinds its parts are."""
    found: dict[str, Column] = {}
    for part, kinds in (*KINDED.items(), *((name, {"": made}) for name, made in PLAIN.items())):
        if part in KINDED:
            meaning = f"The kind of the {part}."
            found[f"machine.{part}.kind"] = Column(f"machine.{part}.kind", "text", "", meaning)
        for made in kinds.values():
            for key, field in fields_of(made).items():
                name = f"machine.{part}.{key}"
                if name not in _LEFT_OUT:
                    _add(found, name, _column_of(name, field))
    clock = Column("machine.clock", "text", "", "Frequency of the clock, if there is one.")
    return {"machine.clock": clock, **found} | {column.name: column for column in _OF_MACHINE}


def _classes() -> tuple[type[Part], ...]:
    return (*KINDS.values(), Run)


@cache
def _columns(described: type[Part]) -> dict[str, Column]:
    """Return the columns of a class by the keys of its `resolved` parameters."""
    if described is Messages:
        kind = _column(described, "kind")
        return {"kind": kind, **_LIST}
    kept: dict[str, Column] = {}
    for key in described.keys:
        if f"{described.section}.{key}" not in _LEFT_OUT:
            kept[key] = _column(described, key)
    if described is PythonProgram:
        kept |= _PROGRAM
    if described is Trace:
        kept |= _TRACE
    if described is AllToAllV:
        kept |= _MATRIX
    if issubclass(described, Workload) and KINDS.origin(described) is not None:
        kept["plugin"] = Column(f"{described.section}.plugin", "text", "", _PLUGIN)
    return kept


def _column(described: type[Part], key: str) -> Column:
    return _column_of(f"{described.section}.{key}", fields_of(described)[key])


def _column_of(name: str, field: FieldInfo) -> Column:
    meaning = field.description
    if meaning is None:
        section, key = section_and_key(name)
        meaning = f"The {key} of the {section}."
    options = list(_options(field.annotation))
    for quantity, (suffix, unit, kind, _) in _QUANTITIES.items():
        if quantity in options:
            return Column(name + suffix, kind, unit, meaning)
    return Column(name, _type(options), "", meaning)


def _type(options: list[Any]) -> Type:
    """Return the type of a field that may be any of `options`.

    Where a word may stand for a number (`radius = "all"`), the resolved parameters
    have the number.
    """
    if bool in options:
        return "bool"
    if float in options:
        return "float64"
    return "int64" if int in options else "text"


def _options(annotation: Any) -> Iterator[Any]:
    """Yield the classes that a field's annotation allows; a list's entries are not looked at."""
    origin = get_origin(annotation)
    if origin is Annotated:
        yield from _options(get_args(annotation)[0])
    elif origin in (Union, types.UnionType):
        for option in get_args(annotation):
            yield from _options(option)
    elif origin is Literal:
        yield str
    else:
        yield annotation


def _stored(value: Any, column: Column) -> Value:
    """Return a resolved parameter as its column has it; no limit is no number."""
    if value is None or (value == "unlimited" and column.type != "text"):
        return None
    for quantity, (_, unit, _, size) in _QUANTITIES.items():
        if column.unit == unit:
            return _number(quantity.parse(value), size)
    if column.type == "text":
        return stored_text(value)
    return float(value) if column.type == "float64" else value


def _unnamed(name: str, value: object) -> tuple[Column, Value]:
    meaning = "Varied by a sweep."
    if isinstance(value, str):
        value = _quantity(value)
    for quantity, (suffix, unit, kind, size) in _QUANTITIES.items():
        if isinstance(value, quantity):
            return Column(name + suffix, kind, unit, meaning), _number(value, size)
    if isinstance(value, bool):
        return Column(name, "bool", "", meaning), value
    if isinstance(value, int | float):
        return Column(name, "float64", "", meaning), float(value)
    return Column(name, "text", "", meaning), stored_text(value)


def _quantity(text: str) -> Quantity | str:
    """Return a text as the quantity it stands for, or as it is."""
    if text[:1].isdigit():
        for quantity in _QUANTITIES:
            try:
                return quantity.parse(text)
            except UserError:
                continue
    return text


def _number(quantity: Quantity, size: int) -> float | int:
    return quantity.amount if size == 1 else quantity.amount / size


def stored_text(value: object) -> str:
    """Return a parameter as a column of text has it: lists and tables as JSON."""
    return value if isinstance(value, str) else json.dumps(value, default=str)
