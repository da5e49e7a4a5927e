"""The JSON Schema of experiment files."""

from __future__ import annotations

from typing import Annotated, Any, Union

from pydantic import Field, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from ..units import Quantity
from .choosing import MACHINE, WORKLOAD, Described
from .run import Run
from .sweep_schema import sweep_schema


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of experiment files (draft 2020-12)."""
    properties: dict[str, Any] = {}
    definitions: dict[str, Any] = {}
    for described in (MACHINE, WORKLOAD):
        properties[described.section] = _schema_of_any(described, definitions)
    properties["run"] = _schema_of(Run)
    properties["sweep"] = sweep_schema(_keys(properties["run"], definitions))
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Tailback experiment",
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
        "$defs": definitions,
    }


def _schema_of_any(described: Described[Any], definitions: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a table that stands for one of several classes."""
    union: Any = Union[tuple(described.classes.values())]  # noqa: UP007  # made at run time
    tagged: Any = Annotated[union, Field(discriminator=described.word)]
    schema = _schema_of(tagged)
    definitions.update(schema.pop("$defs"))
    for kind, chosen in described.classes.items():
        part = definitions[chosen.__name__]
        part["properties"]["preset"] = {
            "enum": list(described.presets),
            "description": "Named values, refined by the other keys.",
        }
        if kind != described.default:
            part.setdefault("required", []).append(described.word)
    return schema


def _keys(run: dict[str, Any], definitions: dict[str, Any]) -> dict[str, list[str]]:
    """Return the keys of every table, of whatever kind it is."""
    keys = {}
    for described in (MACHINE, WORKLOAD):
        kinds = [definitions[kind.__name__]["properties"] for kind in described.classes.values()]
        keys[described.section] = list(dict.fromkeys(key for kind in kinds for key in kind))
    return keys | {Run.section: list(run["properties"])}


class _SchemaMaker(GenerateJsonSchema):
    """Writes quantities in defaults as users do."""

    def encode_default(self, dft: Any) -> Any:
        return str(dft) if isinstance(dft, Quantity) else super().encode_default(dft)


def _schema_of(described: Any) -> dict[str, Any]:
    return TypeAdapter(described).json_schema(schema_generator=_SchemaMaker)
