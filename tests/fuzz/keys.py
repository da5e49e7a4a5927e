"""The keys of experiment files, from the JSON Schema: nothing here knows a key by heart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from tests.schemas import SCHEMA

Property = Mapping[str, Any]
Table = dict[str, Property]


@dataclass(frozen=True)
class Keys:
    """What tables may have: `kinds` by the word that chooses, `plain` for the others."""

    kinds: Mapping[str, Mapping[str, Table]]
    """By table (`machine.topology`, `workload`, ...), then by kind."""
    plain: Mapping[str, Table]
    """By table (`machine.link`, `run`, ...)."""
    definitions: Mapping[str, Any]

    def tables(self) -> list[str]:
        """Return the names of all tables."""
        return [*self.kinds, *self.plain]

    def of(self, table: str, kind: str | None = None) -> Table:
        """Return the keys of a table: of one kind, or of all."""
        if table in self.plain:
            return dict(self.plain[table])
        kinds = self.kinds[table]
        chosen = kinds.values() if kind is None else [kinds[kind]]
        return {name: spec for keys in chosen for name, spec in keys.items() if name != "kind"}


@cache
def known_keys() -> Keys:
    """Return the keys of this version."""
    kinds: dict[str, dict[str, Table]] = {}
    plain: dict[str, Table] = {}
    properties = SCHEMA["properties"]
    for name, part in properties["machine"]["properties"].items():
        if "properties" in part:
            plain[f"machine.{name}"] = part["properties"]
        elif any("properties" in kind for kind in part.get("anyOf", ())):
            kinds[f"machine.{name}"] = {
                kind["properties"]["kind"]["enum"][0]: kind["properties"] for kind in part["anyOf"]
            }
    plain["machine"] = {
        name: part
        for name, part in properties["machine"]["properties"].items()
        if f"machine.{name}" not in kinds and f"machine.{name}" not in plain
    }
    definitions = SCHEMA["$defs"]
    chosen = properties["workload"]["discriminator"]["mapping"]
    kinds["workload"] = {
        kind: definitions[place.rpartition("/")[2]]["properties"] for kind, place in chosen.items()
    }
    plain["run"] = properties["run"]["properties"]
    return Keys(kinds, plain, definitions)
