"""Numbers with intervals, and the cost of contention, as text."""

from __future__ import annotations

from .numbers import DIGITS, UNKNOWN, Ended, events_text, number, plain, share_text, warnings

__all__ = ["DIGITS", "UNKNOWN", "Ended", "events_text", "number", "plain", "share_text", "warnings"]
