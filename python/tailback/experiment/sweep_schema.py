"""The JSON Schema of the table ``[sweep]``; what it means is in `tailback.sweeps`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args

from .run import Mode
from .tables import FAULTS

Schema = dict[str, Any]

#: Keys of [run] that the sweep's own keys stand for.
_NOT_VARIED = ("run.mode", "run.baseline", "run.seed")


def sweep_schema(keys: Mapping[str, Any], faults: Sequence[str]) -> Schema:
    """Return the schema of a table that varies the ``keys`` of other tables, and those of faults.

    Of the machine these are a schema: its tables are varied key by key. It stands at
    ``#/properties/sweep``.
    """
    axis = {"$ref": "#/properties/sweep/$defs/axis"}
    varied: Schema = {}
    for section, names in keys.items():
        if isinstance(names, Mapping):
            varied[section] = _axes_of(names, axis) | _described(section)
            continue
        allowed = [name for name in names if f"{section}.{name}" not in _NOT_VARIED]
        varied[section] = _table(dict.fromkeys(allowed, axis)) | _described(section)
    own = {
        "type": "object",
        "additionalProperties": axis,
        "description": "Values under names of their own, for expressions.",
    }
    varied[FAULTS] = {
        "type": "object",
        "additionalProperties": _table(dict.fromkeys(faults, axis)),
        "propertyNames": {"pattern": "^[0-9]+$"},
        "description": "What is varied of a [[fault]], by its number in the file, from 0.",
    }
    return _table({**_ASKED, "let": own, **varied}) | {"$defs": {"axis": _AXIS}}


def _described(section: str) -> Schema:
    return {"description": f"What is varied of [{section}]."}


def _axes_of(schema: Mapping[str, Any], axis: Schema) -> Schema:
    """Return the schema of a table in which every key of another may have several values."""
    parts = schema.get("anyOf", [schema])
    properties: Schema = {}
    for part in parts:
        for key, value in part.get("properties", {}).items():
            is_classes = isinstance(value.get("additionalProperties"), Mapping)
            is_table = is_classes or "properties" in value or ("anyOf" in value and "type" in value)
            properties[key] = _axes_of(value, axis) if is_table else axis
    found = _table(properties)
    if isinstance(schema.get("additionalProperties"), Mapping):
        found["additionalProperties"] = _axes_of(schema["additionalProperties"], axis)
    return found


def _table(properties: dict[str, Any], required: Sequence[str] = ()) -> Schema:
    table = {"type": "object", "additionalProperties": False, "properties": properties}
    return table | ({"required": list(required)} if required else {})


def _whole(least: int, description: str, **limits: int) -> Schema:
    return {"type": "integer", "minimum": least, **limits, "description": description}


def _number(description: str) -> Schema:
    return {"type": ["number", "string"], "description": description}


_RANGE = _table(
    {
        "from": _number("First value."),
        "to": _number("Last value."),
        "step": _number("Difference between values."),
        "count": _whole(2, "Number of values."),
        "scale": {"enum": ["linear", "log"], "description": "Even differences, or even ratios."},
        "digits": _whole(1, "Significant digits of the values between the ends.", maximum=9),
    },
    required=["from", "to"],
)

_EXPRESSION = {"type": "string", "description": 'An expression such as "4 / n".'}

_AXIS = {
    "anyOf": [
        {"type": "array", "minItems": 1, "description": "Values."},
        _RANGE,
        _table({"computed": _EXPRESSION}, required=["computed"]),
    ]
}

_ASKED: Schema = {
    "modes": {
        "type": "array",
        "minItems": 1,
        "uniqueItems": True,
        "items": {"enum": list(get_args(Mode))},
        "description": "Modes in which every point is run; default: full and run.baseline.",
    },
    "seeds": {
        "anyOf": [
            {"type": "array", "minItems": 1, "items": _whole(0, "A seed."), "uniqueItems": True},
            _whole(1, "How many seeds, from run.seed on."),
        ],
        "description": "How many seeds, from run.seed on, or a list of them; default: 1.",
    },
    "mix_fidelities": {
        "type": "boolean",
        "description": "Whether points may run at different fidelities; default: false.",
    },
    "exclude": {
        "type": "array",
        "items": _EXPRESSION,
        "description": "Conditions: combinations for which one is true are left out.",
    },
}
