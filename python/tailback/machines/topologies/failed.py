"""Links that have failed: how users name them, and how the engine does."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import prod
from typing import Annotated, Any

from pydantic import Strict

from ...errors import UserError, choice, shown

End = int | str | Annotated[tuple[int, ...], Strict(False)]
"""A switch: its number, its coordinates, or its name (`switch 7`, `(0, 3)`, one of a file)."""

Links = Annotated[tuple[str | Annotated[tuple[End, End], Strict(False)], ...], Strict(False)]
"""Two switches each (`A to B`, or a list of both), or one and a port (`A:port`); or none."""

# No more digits than the engine's numbers have.
_NUMBER = re.compile(r"(?:switch )?(\d{1,9})")
_PLACE = re.compile(r"\( *\d{1,9} *(?:, *\d{1,9} *)*,? *\)")
_AT_PORT = re.compile(r"(.*): *(\d{1,9})")
_NUMBERS = range(1_000_000_000)
_FIELD = "machine.topology.failed_links"


class Switches:
    """The switches of a network, by number, coordinates or name; of its nodes likewise."""

    def __init__(self, sides: Sequence[int], names: Sequence[str], field: str = _FIELD) -> None:
        """``sides``: along each dimension, if there are any; ``names``: of a file.

        ``field``: the key that names them.
        """
        self._sides, self._field = sides, field
        self._names: Mapping[str, int] = {name: number for number, name in enumerate(names)}

    def failed(self, links: Sequence[str | tuple[End, End]]) -> list[dict[str, Any]]:
        """Return links as the engine names them. Raises `UserError`."""
        return [self._failed(link) for link in links]

    def _failed(self, link: str | tuple[End, End]) -> dict[str, Any]:
        if not isinstance(link, str):
            return {"between": [self.number(end) for end in link]}
        ends = link.split(" to ")
        if len(ends) == 2:
            return {"between": [self.number(end.strip()) for end in ends]}
        at_port = _AT_PORT.fullmatch(link)
        if at_port is not None:
            return {"at": {"switch": self.number(at_port[1].strip()), "port": int(at_port[2])}}
        allowed = 'must be two switches, such as "3 to 4" or [3, 4], or a switch and a port, "3:1"'
        raise UserError(self._field, shown(link), allowed)

    def number(self, end: End) -> int:
        """Return the number of a switch; whether there is one is the engine's to say."""
        if isinstance(end, int):
            if end not in _NUMBERS:
                raise UserError(self._field, shown(end), "must be the number of a switch")
            return end
        if isinstance(end, tuple):
            return self._at(end)
        if end in self._names:
            return self._names[end]
        if _PLACE.fullmatch(end):
            return self._at(tuple(map(int, re.findall(r"\d+", end))))
        number = _NUMBER.fullmatch(end)
        if number is not None:
            return int(number[1])
        if self._names:
            raise choice(self._field, end, self._names)
        places = ', coordinates such as "(0, 1)"' if self._sides else ""
        raise UserError(self._field, shown(end), f"must be a switch: a number{places}")

    def _at(self, place: tuple[int, ...]) -> int:
        sides = self._sides
        if len(place) != len(sides) or not all(
            0 <= at < side for at, side in zip(place, sides, strict=True)
        ):
            last = ", ".join(str(side - 1) for side in sides)
            allowed = f"must be coordinates from 0 to ({last})" if sides else "must be a number"
            raise UserError(self._field, f"({', '.join(map(str, place))})", allowed)
        return sum(at * prod(sides[:dimension]) for dimension, at in enumerate(place))
