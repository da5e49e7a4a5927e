"""What a configuration of BookSim2 says: values by key, or the defaults of BookSim2."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import UserError, listed, nearest
from .keys import DEFAULTS, IDLE, LIMIT, LISTS, OF_CLASSES, OLDER, ONLY, WITHOUT_EFFECT
from .statements import Given, called, elements, read_changes, read_statements


@dataclass
class Settings:
    """The values of a file, and which of them were asked for."""

    path: Path
    given: dict[str, Given]
    taken: dict[str, str] = field(default_factory=dict)
    """Keys of the file that say something here, and their values."""
    assumed: dict[str, str] = field(default_factory=dict)
    """Keys it does not give, and BookSim2's defaults."""
    notes: list[str] = field(default_factory=list)
    """What is not as in BookSim2, or surprises there."""

    @classmethod
    def read(cls, path: Path, changes: Iterable[str] = ()) -> Settings:
        """Return what a file says, and changes. Raises `UserError` for what cannot be done here."""
        found = cls(path, read_statements(path) | read_changes(changes))
        for older, key in OLDER.items():
            if older in found.given:
                found.given[key] = found.given.pop(older)
        known = {*DEFAULTS, *ONLY, *WITHOUT_EFFECT, LIMIT}
        for key, given in found.given.items():
            is_usual = key not in ONLY or _is_same(given.text.strip("{}"), ONLY[key])
            if not is_usual and not found._is_idle(key):
                allowed = f"cannot be done; must be {ONLY[key] or 'left out'}"
                raise given.refused(allowed)
            if key not in known and not OF_CLASSES.fullmatch(key):
                near = nearest(key, known)
                raise UserError(given.place, None, "is no key that is known", near)
        return found

    def _is_idle(self, key: str) -> bool:
        """Return whether BookSim2 does not look at a key, given the others."""
        if key not in IDLE:
            return False
        other, values = IDLE[key]
        return called(self.text(other))[0] in values

    def text(self, key: str) -> str:
        """Return a value as it is written, or its default; of a list for classes the first."""
        if key not in self.given:
            self.assumed[key] = DEFAULTS[key]
            return DEFAULTS[key]
        self.taken[key] = self.given[key].text
        if key not in LISTS or not self.taken[key].startswith("{"):
            return self.taken[key]
        found = elements(self.taken[key])
        if not found:
            raise self.refused(key, "must have an element")
        if len(found) > 1:
            note = f"of the {len(found)} elements of {key} the first counts: each is of a class"
            self.notes += [note] if note not in self.notes else []
        return found[0]

    def word(self, key: str, allowed: Sequence[str]) -> str:
        """Return a value that is one of some words."""
        value = self.text(key)
        if value not in allowed:
            raise self.refused(key, f"cannot be done; must be {listed(allowed)}")
        return value

    def whole(self, key: str, least: int = 0, most: int = 2**31) -> int:
        """Return a value that is a whole number."""
        value = self.text(key)
        if not re.fullmatch(r"-?[0-9]{1,10}", value) or not least <= int(value) <= most:
            raise self.refused(key, f"must be a whole number, {least} to {most}")
        return int(value)

    def number(self, key: str, most: float) -> float:
        """Return a value that is a number above 0."""
        value = self.text(key)
        try:
            found = float(value)
        except ValueError:
            found = -1.0
        if not 0 < found <= most:
            raise self.refused(key, f"must be a number above 0, at most {most:g}")
        return found

    def flag(self, key: str) -> bool:
        """Return a value that is 0 or 1."""
        return self.whole(key, 0, 1) == 1

    def numbers(self, key: str, least: int = 0) -> list[int]:
        """Return the whole numbers of a list, or the one there is."""
        value = self.text(key)
        found = elements(value)
        if len(found) == 1 and found[0].startswith("{"):
            found = elements(found[0])
        if not found or not all(re.fullmatch(r"-?[0-9]{1,9}", one) for one in found):
            raise self.refused(key, "must be whole numbers, such as {{1,5}}")
        numbers = [int(one) for one in found]
        if min(numbers) < least:
            raise self.refused(key, f"must be whole numbers, at least {least}")
        return numbers

    def seed(self, key: str) -> int:
        """Return a seed; BookSim2 takes the time of day where it is `time`."""
        if self.text(key) != "time":
            return self.whole(key)
        self.notes.append(f"{key} = time: here it is 0, and every run is the same")
        return 0

    def limit(self, nodes: int) -> None:
        """Refuse a key of older versions that silences nodes."""
        if LIMIT not in self.given:
            return
        self.taken[LIMIT] = self.given[LIMIT].text
        if self.taken[LIMIT] not in ("0", str(nodes)):
            allowed = f"cannot be done; must be 0 or {nodes}, all nodes"
            raise self.refused(LIMIT, allowed)

    def refused(self, key: str, allowed: str) -> UserError:
        """Return the mistake that a value is."""
        if key in self.given:
            return self.given[key].refused(allowed)
        place = f"{self.path}: {key}"
        return UserError(place, f"{DEFAULTS[key]} (the default of BookSim2)", allowed)

    @property
    def without_effect(self) -> list[str]:
        """Keys of the file that nothing was made of, in its order."""
        return [key for key in self.given if key not in self.taken]


def _is_same(text: str, value: str) -> bool:
    try:
        return float(text) == float(value)
    except ValueError:
        return text == value
