"""The contents of files."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tailback.errors import UserError


class DamagedError(UserError):
    """A file of a store is not as it was written."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(
            str(path), None, f"is damaged ({reason}); the same tailback sweep makes it again"
        )


def json_bytes(value: Mapping[str, Any]) -> bytes:
    """Return an object as the content of a file."""
    return (json.dumps(value, indent=1, allow_nan=False) + "\n").encode()


def read_json(path: Path, loads: Callable[[str], Any] = json.loads) -> dict[str, Any]:
    """Return the object in a file; raise `UserError` if there is none.

    ``loads``: finds it in the text, and raises `ValueError` for what is not JSON.
    """
    check_is_file(path)
    try:
        value = loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(str(path), None, f"cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise DamagedError(path, "not JSON") from None
    if not isinstance(value, dict):
        raise DamagedError(path, "not a JSON object")
    return value


def check_is_file(path: Path) -> None:
    """Raise `UserError` for a pipe or a device, which could be read for ever, and a folder."""
    try:
        mode = path.stat().st_mode
    except OSError as error:
        raise UserError(str(path), None, f"cannot be read: {error.strerror}") from None
    if not stat.S_ISREG(mode):
        raise UserError(str(path), None, "is not a file; move it elsewhere")
