"""The table of an experiment file that stands for one of several classes: the workload."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from .. import workloads
from ..errors import UserError, choice, unknown_key
from ..parts import Part
from .tables import laid_over

Kind = TypeVar("Kind", bound=Part)


@dataclass(frozen=True)
class Described(Generic[Kind]):
    """A table of the file that stands for one of several classes."""

    section: str
    word: str
    """The key that names the class."""
    default: str
    classes: Mapping[str, type[Kind]]
    presets: Mapping[str, Mapping[str, Any]]


WORKLOAD = Described("workload", "kind", workloads.DEFAULT_KIND, workloads.KINDS, workloads.PRESETS)


def chosen(
    described: Described[Kind], table: Mapping[str, Any], changes: Mapping[str, Any] | None = None
) -> Kind:
    """Return the object a table describes: preset, then class, then the table's own keys.

    ``changes`` are laid over the table. Keys that the chosen class does not have are left out
    if they are a preset's, or the table's and the changes choose another class.
    """
    changes = {} if changes is None else changes
    given = laid_over(table, changes)
    preset: Mapping[str, Any] = {}
    if "preset" in given:
        name = given.pop("preset")
        if not isinstance(name, str) or name not in described.presets:
            raise choice(f"{described.section}.preset", name, described.presets)
        preset = described.presets[name]
    kind = given.get(described.word, preset.get(described.word, described.default))
    if not isinstance(kind, str) or kind not in described.classes:
        raise choice(f"{described.section}.{described.word}", kind, described.classes)
    fields = described.classes[kind].keys
    others = {key for kind in described.classes.values() for key in kind.keys}
    selects = "preset" in changes or described.word in changes
    for key in list(given):
        if key in fields:
            continue
        if selects and key in others and key not in changes:
            del given[key]
        else:
            raise _misplaced(described, kind, key)
    kept = {key: value for key, value in preset.items() if key in fields}
    return described.classes[kind](**kept | given | {described.word: kind})


def _misplaced(described: Described[Kind], kind: str, key: str) -> UserError:
    """Return the mistake of giving a key that this kind, perhaps every kind, does not have."""
    known = list(described.classes[kind].keys)
    if any(key in other.keys for other in described.classes.values()):
        place = f"{described.section}.{key}"
        problem = f'not a key with {described.word} = "{kind}"; known here: {", ".join(known)}'
        return UserError(place, None, problem)
    return unknown_key(described.section, key, ["preset", *known])
