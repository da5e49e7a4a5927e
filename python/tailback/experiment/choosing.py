"""Tables of an experiment file that stand for one of several classes, and presets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from .. import machines, workloads
from ..errors import Description, UserError, choice, unknown_key

Kind = TypeVar("Kind", bound=Description)


@dataclass(frozen=True)
class Described(Generic[Kind]):
    """A table of the file that stands for one of several classes."""

    section: str
    word: str
    """The key that names the class."""
    default: str
    classes: Mapping[str, type[Kind]]
    presets: Mapping[str, Mapping[str, Any]]


MACHINE = Described(
    "machine", "topology", machines.DEFAULT_TOPOLOGY, machines.TOPOLOGIES, machines.PRESETS
)
WORKLOAD = Described("workload", "kind", workloads.DEFAULT_KIND, workloads.KINDS, workloads.PRESETS)


def chosen(described: Described[Kind], table: Mapping[str, Any]) -> Kind:
    """Return the object a table describes: preset, then class, then the table's own keys.

    Keys of a preset that the chosen class does not have are left out.
    """
    given = dict(table)
    preset: Mapping[str, Any] = {}
    if "preset" in given:
        name = given.pop("preset")
        if not isinstance(name, str) or name not in described.presets:
            raise choice(f"{described.section}.preset", name, described.presets)
        preset = described.presets[name]
    kind = given.get(described.word, preset.get(described.word, described.default))
    if not isinstance(kind, str) or kind not in described.classes:
        raise choice(f"{described.section}.{described.word}", kind, described.classes)
    chosen_class = described.classes[kind]
    for key in given:
        if key not in chosen_class.model_fields:
            raise _misplaced(described, kind, key)
    kept = {key: value for key, value in preset.items() if key in chosen_class.model_fields}
    return chosen_class(**kept | given | {described.word: kind})


def _misplaced(described: Described[Kind], kind: str, key: str) -> UserError:
    """Return the mistake of giving a key that this kind, perhaps every kind, does not have."""
    known = list(described.classes[kind].model_fields)
    if any(key in other.model_fields for other in described.classes.values()):
        place = f"{described.section}.{key}"
        problem = f'not a key with {described.word} = "{kind}"; known here: {", ".join(known)}'
        return UserError(place, None, problem)
    return unknown_key(described.section, key, ["preset", *known])
