"""Where our runs and the paper differ, and what we think is behind it."""

from __future__ import annotations

AGREEMENT = ""

_REASONS: dict[str, str] = {}


def reason(claim_id: str) -> str:
    """Return why a printed ratio may not hold here; empty if there is nothing to say."""
    return _REASONS.get(claim_id, "")
