"""The JSON Schema of experiment files."""

from __future__ import annotations

from typing import Annotated, Any, Union

from pydantic import Field, TypeAdapter, create_model
from pydantic.json_schema import GenerateJsonSchema

from ..machines import PRESETS
from ..machines.kinds import KINDED, PLAIN
from ..machines.link import LinkClass
from ..machines.reading import PARTS
from ..machines.topologies import DEFAULT_TOPOLOGY
from ..machines.words import ALIASES
from ..parts import Part, fields_of, model_of
from ..units import Frequency, Quantity
from ..workloads import Job
from .choosing import WORKLOAD, Described
from .faults import Fault
from .run import Run
from .sweep_schema import sweep_schema
from .tables import FAULTS

Schema = dict[str, Any]


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of experiment files (draft 2020-12)."""
    properties: dict[str, Any] = {}
    definitions: dict[str, Any] = {}
    properties["machine"] = _machine_schema()
    properties["workload"] = _schema_of_any(WORKLOAD, definitions)
    properties["job"] = _jobs_schema(properties["workload"])
    properties["run"] = _schema_of(model_of(Run))
    properties[FAULTS] = _faults_schema()
    keys = _keys(properties["run"], definitions) | {"machine": properties["machine"]}
    properties["sweep"] = sweep_schema(keys, list(Fault.keys))
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
    union: Any = Union[tuple(map(model_of, described.classes.values()))]  # noqa: UP007  # made at run time
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


def _jobs_schema(workload: Schema) -> Schema:
    """Return the schema of the tables ``[[job]]``."""
    keys = {name: _schema_of_key(Job, name) for name in Job.keys if name != "workload"}
    table = {
        "type": "object",
        "additionalProperties": False,
        "required": ["name"],
        "properties": {**keys, "workload": workload},
    }
    told = "Workloads side by side, instead of [workload]."
    return {"type": "array", "minItems": 1, "items": table, "description": told}


def _faults_schema() -> Schema:
    """Return the schema of the tables ``[[fault]]``."""
    keys = {name: _schema_of_key(Fault, name) for name in Fault.keys}
    table = {"type": "object", "additionalProperties": False, "properties": keys}
    told = "Links that are down, or slower, for a time while the simulation runs."
    return {"type": "array", "items": table, "description": told}


def _schema_of_key(described: type[Part], name: str) -> Schema:
    """Return the schema of one key."""
    field = fields_of(described)[name]
    fields: Any = {name: (field.annotation, field)}
    made: Any = create_model("Key", **fields)
    schema: Schema = _schema_of(made)["properties"][name]
    schema.pop("title", None)
    return schema | _WRITTEN.get(name, {})


#: What may be written for keys that are kept as something else.
_WRITTEN: dict[str, Schema] = {
    "nodes": {
        "anyOf": [
            {
                "type": "array",
                "items": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
                "minItems": 1,
            },
            {"type": "string"},
        ]
    },
}


def _machine_schema() -> Schema:
    """Return the schema of ``[machine]`` and the tables below it."""
    properties: Schema = {
        "preset": {"enum": list(PRESETS), "description": "A named machine, to be refined."},
        "clock": _schema_of(Frequency)
        | {"description": 'Frequency of the clock, such as "1 GHz"; times may be in its cycles.'},
    }
    for name in PARTS:
        if name in KINDED:
            properties[name] = _kinded_schema(name)
        elif name in PLAIN:
            properties[name] = _part_schema(PLAIN[name])
        else:
            properties[name] = {
                "type": "object",
                "additionalProperties": _part_schema(LinkClass),
                "description": "Classes of links that differ, by name.",
            }
    return {"type": "object", "additionalProperties": False, "properties": properties}


def _kinded_schema(name: str) -> Schema:
    """Return the schema of a table whose keys depend on its kind."""
    kinds = [_part_schema(part, (name, kind)) for kind, part in KINDED[name].items()]
    found: Schema = {"type": "object", "anyOf": kinds}
    if name == "topology":
        found["description"] = f"Who is wired to whom; kind: {DEFAULT_TOPOLOGY} if left out."
    else:
        # Without a kind it is the topology's usual one, or a preset's.
        found["description"] = "Which way packets go; kind: the topology's usual one."
    return found


def _part_schema(part: type[Part], kinded: tuple[str, str] | None = None) -> Schema:
    schema = _schema_of(model_of(part))
    schema.pop("title", None)
    schema["additionalProperties"] = False
    schema["description"] = _first_line(part)
    for key, described in schema["properties"].items():
        words = ALIASES.get(f"{part.section.removeprefix('machine.')}.{key}", {})
        # A key that may be left out is one of its words, or null.
        for choice in (described, *described.get("anyOf", ())):
            if "enum" in choice:
                choice["enum"] = [*choice["enum"], *words]
    if kinded is not None:
        name, kind = kinded
        aliases = [word for word, meant in ALIASES[f"{name}.kind"].items() if meant == kind]
        schema["properties"] = {
            "kind": {"enum": [kind, *aliases], "description": _first_line(part)},
            **schema["properties"],
        }
        # A preset may have what this table leaves out.
        schema.pop("required", None)
    return schema


def _first_line(part: type[Part]) -> str:
    return str(part.__doc__).splitlines()[0]


def _keys(run: Schema, definitions: Schema) -> dict[str, Any]:
    """Return the keys of every table, for all its kinds."""
    kinds = [definitions[kind.__name__]["properties"] for kind in WORKLOAD.classes.values()]
    workload = list(dict.fromkeys(key for kind in kinds for key in kind))
    return {WORKLOAD.section: workload, Run.section: list(run["properties"])}


class _SchemaMaker(GenerateJsonSchema):
    """Writes quantities in defaults as users do."""

    def encode_default(self, dft: Any) -> Any:
        if isinstance(dft, Part):
            return dft.values()
        return str(dft) if isinstance(dft, Quantity) else super().encode_default(dft)


def _schema_of(described: Any) -> dict[str, Any]:
    return TypeAdapter(described).json_schema(schema_generator=_SchemaMaker)
