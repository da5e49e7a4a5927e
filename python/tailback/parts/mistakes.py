"""What pydantic complains of, in our words."""

from __future__ import annotations

import re

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from ..errors import UserError, choice, joined, shown


def first_mistake(error: ValidationError, section: str) -> UserError:
    """Return the first of pydantic's complaints, found in the table ``section``."""
    first = error.errors(include_url=False)[0]
    path = joined(section, *map(_step, first["loc"]))
    cause = first.get("ctx", {}).get("error")
    if isinstance(cause, UserError):
        return cause.inside(path)
    if first["type"] == "literal_error":
        return choice(path, first["input"], re.findall("'([^']*)'", first["ctx"]["expected"]))
    if first["type"] == "missing":
        return UserError(path, None, "must be given")
    return UserError(path, shown(first["input"]), _allowed(first))


def _step(part: str | int) -> str:
    return f"[{part}]" if isinstance(part, int) else part


_ALLOWED = {
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "finite_number": "must be a finite number",
    "bool_type": "must be true or false",
    "string_type": "must be a text in quotes",
    "tuple_type": "must be a list",
    "greater_than_equal": "must be at least {ge}",
    "greater_than": "must be above {gt}",
    "less_than_equal": "must be at most {le}",
    "less_than": "must be below {lt}",
    "string_too_short": "must not be empty",
    "string_too_long": "must have at most {max_length} characters",
    "too_short": "must have at least {min_length} entries",
    "too_long": "must have at most {max_length} entries",
}


def _allowed(complaint: ErrorDetails) -> str:
    """Return what is allowed in our words; pydantic's where it has a rule we did not foresee."""
    text = _ALLOWED.get(complaint["type"])
    if text is None:
        return complaint["msg"].removeprefix("Value error, ")
    return text.format(**complaint.get("ctx", {}))
