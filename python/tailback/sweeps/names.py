"""What the names in a sweep stand for: parameters, names of its own, units.

A parameter has a dotted name, ``workload.sync``, and a short one, ``sync``,
where only one table has it. Names of ``[sweep.let]`` are ``sweep.n`` in full.
"""

from __future__ import annotations

import keyword
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, Literal, get_args, get_origin

from ..errors import Description, UserError, nearest
from ..experiment import Run
from ..experiment.choosing import MACHINE, WORKLOAD
from ..machines import JoinedSwitches
from .amounts import UNITS
from .arithmetic import FUNCTIONS

#: Tables with parameters.
SECTIONS = ("machine", "workload", "run")
#: Tables that stand for one of several classes.
DESCRIBED = {described.section: described for described in (MACHINE, WORKLOAD)}
#: Truths as TOML writes them.
TRUTHS = {"true": True, "false": False}
#: What takes its values from elsewhere in [sweep], by the key there.
ELSEWHERE = {"run.mode": "modes", "run.baseline": "modes", "run.seed": "seeds"}


@cache
def keys_of(section: str) -> tuple[str, ...]:
    """Return every key a table of an experiment may have, of whatever kind it is."""
    preset = ["preset"] if section in DESCRIBED else []
    fields = [key for described in _classes(section) for key in described.model_fields]
    return tuple(dict.fromkeys(preset + fields))


def is_parameter(name: str) -> bool:
    """Whether a dotted name is that of a parameter."""
    section, _, key = name.partition(".")
    return section in SECTIONS and key in keys_of(section)


@cache
def words_of(name: str) -> frozenset[str]:
    """Return the words a parameter may be; empty if it is not chosen from words."""
    section, _, key = name.partition(".")
    if key == "preset":
        return frozenset(DESCRIBED[section].presets)
    if key == "routing":
        kinds = (kind for kind in _classes(section) if issubclass(kind, JoinedSwitches))
        return frozenset(word for kind in kinds for word in kind.routings)
    fields = [kind.model_fields[key] for kind in _classes(section) if key in kind.model_fields]
    return frozenset(word for field in fields for word in _words(field.annotation))


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
        found = _by_key().get(name, [])
    if not found:
        known = [*own, *_by_key(), *UNITS, *FUNCTIONS, *TRUTHS]
        raise UserError("", None, f"unknown name {name}", _nearest(name, known))
    if len(found) > 1:
        raise UserError("", None, f"{name} may be {' or '.join(found)}; write one of them")
    if found[0] in ELSEWHERE:
        key = ELSEWHERE[found[0]]
        raise UserError("", None, f"{found[0]} is not one value here; it is given by sweep.{key}")
    return found[0]


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
    elif name in _by_key():
        allowed = f"is the name of a parameter: {' or '.join(_by_key()[name])}"
    else:
        return
    raise UserError(field, None, f"{allowed}; choose another name")


def short(name: str) -> str:
    """Return the last part of a dotted name if that says which it is."""
    section, _, key = name.partition(".")
    return name if section != "sweep" and len(_by_key()[key]) > 1 else key


def default_of(section: str, key: str, preset: object, kind: object) -> Any:
    """Return what a parameter is that the file does not give, from its preset or class.

    ``preset`` and ``kind`` are the table's, None where it has none. Raises
    `UserError` with an empty field if there is no such value.
    """
    made: type[Description] | None = Run
    if section in DESCRIBED:
        described = DESCRIBED[section]
        values = described.presets.get(preset, {}) if isinstance(preset, str) else {}
        if key in values:
            return values[key]
        kind = kind or values.get(described.word, described.default)
        made = described.classes.get(kind) if isinstance(kind, str) else None
    field = None if made is None else made.model_fields.get(key)
    if field is None or field.is_required() or field.default is None:
        raise UserError("", None, f"has no value of its own; give it in [{section}]")
    return field.default


@cache
def _by_key() -> dict[str, list[str]]:
    """Return the full names of the parameters with each key."""
    names: dict[str, list[str]] = {}
    for section in SECTIONS:
        for key in keys_of(section):
            names.setdefault(key, []).append(f"{section}.{key}")
    return names


def _classes(section: str) -> tuple[type[Description], ...]:
    described = DESCRIBED.get(section)
    return (Run,) if described is None else tuple(described.classes.values())


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
    if section in SECTIONS:
        found = nearest(key, keys_of(section))
        return None if found is None else f"{section}{dot}{found}"
    return nearest(name, known)
