"""What the names in a sweep stand for: parameters, names of its own, units.

A parameter has a dotted name, ``workload.sync``, and a short one, ``sync``,
where only one table has it. ``machine`` may be left out: ``link.rate``. Names of
``[sweep.let]`` are ``sweep.n`` in full.
"""

from __future__ import annotations

import keyword
from collections.abc import Iterable, Iterator
from typing import Any, Literal, get_args, get_origin

from ..entry_points import by_kinds
from ..errors import UserError, nearest
from ..experiment import Run
from ..experiment.choosing import WORKLOAD
from ..experiment.keys import (
    NAMED,
    by_key,
    classes_of,
    is_parameter,
    keys_of,
    usual_section,
)
from ..experiment.tables import (
    CLASSES,
    JOBS,
    MACHINE_TABLES,
    SECTIONS,
    class_of,
    fault_of,
    is_section,
    job_of,
    section_and_key,
)
from ..expressions import FUNCTIONS, TRUTHS, UNITS
from ..machines import PRESETS
from ..machines.kinds import KINDED, PLAIN
from ..machines.reading import canonical
from ..machines.topologies import DEFAULT_TOPOLOGY
from ..machines.words import FIRST_EDITION, SYNONYMS
from ..parts import Part, fields_of

#: What takes its values from elsewhere in [sweep], by the key there.
ELSEWHERE = {"run.mode": "modes", "run.baseline": "modes", "run.seed": "seeds"}


@by_kinds
def words_of(name: str) -> frozenset[str]:
    """Return the words a parameter may be; empty if it is not chosen from words."""
    section, key = section_and_key(name)
    section = usual_section(section)
    if key == "preset":
        return frozenset(PRESETS if section == "machine" else WORKLOAD.presets)
    part = section.partition(".")[2]
    if key == "kind" and part in KINDED:
        return frozenset(KINDED[part])
    if part in KINDED or part in PLAIN:
        parts = KINDED[part].values() if part in KINDED else (PLAIN[part],)
        found = (fields_of(made)[key] for made in parts if key in fields_of(made))
        return frozenset(word for field in found for word in _words(field.annotation))
    if section.startswith("machine"):
        return frozenset()
    fields = [fields_of(kind)[key] for kind in classes_of(section) if key in kind.keys]
    return frozenset(word for field in fields for word in _words(field.annotation))


def usual_words(name: str, given: object) -> object:
    """Return a value of a parameter, or a list of them, with usual words for their aliases."""
    if isinstance(given, list):
        return [usual_words(name, entry) for entry in given]
    return canonical(name.removeprefix("machine."), given)


def resolved(name: str, own: Iterable[str]) -> str:
    """Return the full name of a name in an expression; ``own`` are those of [sweep.let].

    Raises `UserError` with an empty field.
    """
    own = list(own)
    if name in own:
        return f"sweep.{name}"
    if name.removeprefix("sweep.") in own or is_parameter(name):
        found = [name]
    else:
        found = by_key().get(name, []) or _by_part().get(name, [])
    if not found:
        known = [*own, *by_key(), *_by_part(), *UNITS, *FUNCTIONS, *TRUTHS]
        raise UserError("", None, f"unknown name {name}", _nearest(name, known))
    if len(found) > 1:
        raise UserError("", None, f"{name} may be {' or '.join(found)}; write one of them")
    if found[0] in ELSEWHERE:
        key = ELSEWHERE[found[0]]
        raise UserError("", None, f"{found[0]} is not one value here; it is given by sweep.{key}")
    return found[0]


#: What sweeps called a load before it was a key of workloads; theirs comes first.
_LOAD = "load"


def check_own(name: str, field: str) -> None:
    """Raise `UserError` if ``name`` cannot be one of [sweep.let]."""
    if not name.isidentifier() or not name.isascii():
        allowed = "must be letters, digits and _, not beginning with a digit"
    elif name in UNITS:
        allowed = "is the name of a unit"
    elif name in FUNCTIONS:
        allowed = "is the name of a function"
    elif name in TRUTHS or keyword.iskeyword(name):
        allowed = "is a word of expressions"
    elif name in SECTIONS or name == "sweep":
        allowed = "is the name of a table"
    elif name in by_key() and name != _LOAD:
        allowed = f"is the name of a parameter: {' or '.join(by_key()[name])}"
    else:
        return
    raise UserError(field, None, f"{allowed}; choose another name")


def short(name: str) -> str:
    """Return the last part of a dotted name, or as much of it as says which it is."""
    section, key = section_and_key(name)
    if fault_of(section) is not None:
        return name
    if job_of(section) is not None or class_of(section) is not None:
        return name.removeprefix(f"{JOBS}.").removeprefix(f"{WORKLOAD.section}.{CLASSES}.")
    if section == "sweep" or len(by_key().get(key, ())) == 1:
        return key
    return name.removeprefix("machine.") if section.startswith("machine.") else name


def default_of(section: str, key: str, preset: object, kind: object) -> Any:
    """Return what a parameter is that the file does not give, from its preset or class.

    ``preset`` (of the machine or workload) and ``kind`` (of the table) are the file's, None
    where it has none. Raises `UserError` with an empty field if there is no such value.
    """
    if section.startswith("machine"):
        return _default_of_machine(section, key, preset, kind)
    section = usual_section(section)
    made: type[Part] | None = NAMED.get(section, Run)
    if section == WORKLOAD.section:
        values = WORKLOAD.presets.get(preset, {}) if isinstance(preset, str) else {}
        if key in values:
            return values[key]
        kind = kind or values.get(WORKLOAD.word, WORKLOAD.default)
        made = WORKLOAD.classes.get(kind) if isinstance(kind, str) else None
    field = None if made is None else fields_of(made).get(key)
    return _own_default(section, field)


def _default_of_machine(section: str, key: str, preset: object, kind: object) -> Any:
    part = section.partition(".")[2]
    tables = PRESETS.get(preset, {}) if isinstance(preset, str) else {}
    values = tables.get(part, {})
    if key in values:
        return values[key]
    made: type[Part] | None = PLAIN.get(part)
    if part in KINDED:
        kind = canonical(f"{part}.kind", kind or values.get("kind"))
        if kind is None and part == "topology":
            kind = DEFAULT_TOPOLOGY
        if key == "kind" and kind is not None:
            return kind
        made = KINDED[part].get(kind) if isinstance(kind, str) else None
    return _own_default(section, None if made is None else fields_of(made).get(key))


def _own_default(section: str, field: Any) -> Any:
    if field is None or field.is_required() or field.default is None:
        raise UserError("", None, f"has no value of its own; give it in [{section}]")
    return field.default


@by_kinds
def _by_part() -> dict[str, list[str]]:
    """Return the full names of the machine's parameters by those without ``machine``."""
    names = [f"{section}.{key}" for section in MACHINE_TABLES for key in keys_of(section)]
    return {name.removeprefix("machine."): [name] for name in names}


def _words(annotation: object) -> Iterator[str]:
    """Yield the texts among the alternatives of a type."""
    if get_origin(annotation) is Literal:
        yield from (word for word in get_args(annotation) if isinstance(word, str))
    else:
        for part in get_args(annotation):
            yield from _words(part)


def _nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that was meant; of a dotted one, the last part counts."""
    section, dot, key = name.rpartition(".")
    if is_section(section):
        found = nearest(key, keys_of(section))
        if found is not None:
            return f"{section}{dot}{found}"
        moved = FIRST_EDITION.get(key, SYNONYMS.get(key))
        is_moved = moved is not None and section.startswith("machine")
        return f"machine.{moved}" if is_moved else None
    return nearest(name, known) or SYNONYMS.get(name)
