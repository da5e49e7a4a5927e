"""The table of an experiment file that stands for one of several classes: the workload."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, get_args

from .. import workloads
from ..entry_points import Kinds
from ..errors import UserError, choice, joined, listed, unknown_key
from ..machines import TOPOLOGIES
from ..machines.reading import canonical
from ..parts import Part, fields_of, meant_by
from .tables import laid_over, without_others

Kind = TypeVar("Kind", bound=Part)

#: Kinds that are named if they have a key that the one chosen does not have.
_FEW_KINDS = 3


@dataclass(frozen=True)
class Described(Generic[Kind]):
    """A table of the file that stands for one of several classes."""

    section: str
    word: str
    """The key that names the class."""
    default: str
    classes: Kinds[Kind]
    presets: Mapping[str, Mapping[str, Any]]

    def unknown(self, given: object) -> UserError:
        """Return the mistake of naming a class that there is not, perhaps a value of its keys."""
        path = f"{self.section}.{self.word}"
        mistake = self.classes.unknown(path, given)
        for key, field in fields_of(self.classes[self.default]).items():
            if key != self.word and given in get_args(field.annotation):
                told = f'{self.section}.{key} = "{given}"'
                meant = f'"{self.default}", the default, with {told}'
                return UserError(path, mistake.given, mistake.allowed, meant)
        return mistake


WORKLOAD = Described("workload", "kind", workloads.DEFAULT_KIND, workloads.KINDS, workloads.PRESETS)


def find_kinds(tables: Mapping[str, Any], path: str = "") -> None:
    """Look up all kinds that tables name, perhaps in a list: their keys are known then."""
    for key, value in tables.items():
        name = joined(path, key)
        if isinstance(value, Mapping):
            find_kinds(value, name)
        elif isinstance(value, list) and any(isinstance(entry, Mapping) for entry in value):
            for entry in value:
                if isinstance(entry, Mapping):
                    find_kinds(entry, name)
        elif name.endswith(("topology.kind", "workload.kind")):
            for word in value if isinstance(value, list) else [value]:
                _find_kind(name, word)


def _find_kind(name: str, word: Any) -> None:
    """Look up a kind; raise `UserError` for one that there is not, before its keys are unknown."""
    classes: Kinds[Any] = WORKLOAD.classes if name.endswith("workload.kind") else TOPOLOGIES
    is_there = not isinstance(word, str) or canonical("topology.kind", word) in classes
    if not is_there and name in ("machine.topology.kind", "workload.kind"):
        raise WORKLOAD.unknown(word) if name == "workload.kind" else classes.unknown(name, word)


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
        raise described.unknown(kind)
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
    preset = without_others(preset, given)
    kept = {key: value for key, value in preset.items() if key in fields}
    return described.classes[kind](**kept | given | {described.word: kind})


def _misplaced(described: Described[Kind], kind: str, key: str) -> UserError:
    """Return the mistake of giving a key that this kind, perhaps every kind, does not have."""
    made, place = described.classes[kind], joined(described.section, key)
    meant = meant_by(made, key)
    if meant is not None:
        return UserError(place, None, "unknown key", meant)
    known = list(made.keys)
    having = [f'"{word}"' for word, other in described.classes.items() if key in other.keys]
    if having:
        instead = f", but with {listed(having)}" if len(having) <= _FEW_KINDS else ""
        problem = f'not a key with {described.word} = "{kind}"{instead}'
        return UserError(place, None, f"{problem}; known here: {', '.join(known)}")
    for word, other in described.classes.items():
        meant = meant_by(other, key)
        if meant is not None:
            told = f'{meant}, with {described.section}.{described.word} = "{word}"'
            return UserError(place, None, "unknown key", told)
    return unknown_key(described.section, key, ["preset", *known])
