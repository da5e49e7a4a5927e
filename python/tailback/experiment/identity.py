"""Identities of experiments: a hash of everything that can change a result.

What is hashed is JSON. The machine and the workload are most of it, and the points of a sweep have
few of them: `Texts` keeps what was written for one point for the next.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

_MOST_KEPT = 32 << 20
"""Characters that are kept."""


canonical = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode
"""Returns a value as JSON, in the only way that it is written here."""


def hole(name: str) -> str:
    """Return what stands in a question for a part that is JSON already."""
    return f"\0{name}"


def filled(question: Mapping[str, Any], parts: Mapping[str, str]) -> str:
    """Return a question as JSON, with the parts that belong in its holes."""
    text = canonical(question)
    for name, part in parts.items():
        text = text.replace(f'"\\u0000{name}"', part, 1)
    return text


class Texts:
    """JSON of objects that do not change, each made once."""

    def __init__(self) -> None:
        """Begin without any."""
        # With the objects, so that no other one gets their numbers.
        self._kept: dict[tuple[object, ...], tuple[tuple[object, ...], str]] = {}
        self._length = 0

    def of(self, objects: tuple[object, ...], more: str, made: Callable[[], Any]) -> str:
        """Return what ``made`` returns as JSON; it follows from the objects and ``more`` alone."""
        name = (*map(id, objects), more)
        if name not in self._kept:
            text = canonical(made())
            if self._length + len(text) > _MOST_KEPT:
                self._kept.clear()
                self._length = 0
            self._kept[name] = objects, text
            self._length += len(text)
        return self._kept[name][1]
