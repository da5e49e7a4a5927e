"""The library for OTF2 archives, which not everybody has."""

from __future__ import annotations

from typing import Any

from tailback.distribution import installing
from tailback.errors import UserError


def otf2(place: str, given: str) -> Any:
    """Return the library. Raises `UserError` about what was given at a place if it is missing."""
    try:
        import otf2
        import otf2.reader
        import otf2.writer
    except ImportError:
        needed = f"needs the library otf2: {installing('otf2')}"
        raise UserError(place, given, needed) from None
    return otf2
