"""Numbers with intervals, and the cost of contention, as text."""

from __future__ import annotations

from .numbers import DIGITS, UNKNOWN, Ended, events_text, number, plain, warnings

__all__ = ["DIGITS", "UNKNOWN", "Ended", "events_text", "number", "plain", "warnings"]
