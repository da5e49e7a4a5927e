"""The contents of files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tailback.errors import UserError


def json_bytes(value: Mapping[str, Any]) -> bytes:
    """Return an object as the content of a file."""
    return (json.dumps(value, indent=1, allow_nan=False) + "\n").encode()


def read_json(path: Path) -> dict[str, Any]:
    """Return the object in a file; raise `UserError` if there is none."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(str(path), None, f"cannot be read: {error.strerror}") from None
    except ValueError:
        raise damaged(path, "not JSON") from None
    if not isinstance(value, dict):
        raise damaged(path, "not a JSON object")
    return value


def damaged(path: Path, reason: str) -> UserError:
    """Return the mistake of a file of a store that is not as it was written."""
    return UserError(str(path), None, f"is damaged ({reason}); delete it to have it made again")
