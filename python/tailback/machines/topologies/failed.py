"""Links that have failed: how users name them, and how the engine does."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from math import prod
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import Strict

from ...errors import UserError, choice, listed, nearest, shown

End = int | str | Annotated[tuple[int, ...], Strict(False)]
"""A switch: its number, its coordinates, or its name (`switch 7`, `(0, 3)`, one of a file)."""

Links = Annotated[tuple[str | Annotated[tuple[End, End], Strict(False)], ...], Strict(False)]
"""Two switches each (`A to B`, or a list of both), or one and a port (`A:port`); or none.

Where a file gives the numbers of ports, `A@port` is one with such a number.
"""

FilePorts = Mapping[tuple[int, int], tuple[int, int]]
"""By switch and port of a file: the engine's number of that port, and where it leads to."""

# No more digits than the engine's numbers have.
_NUMBER = re.compile(r"\d{1,9}")
_PLACE = re.compile(r"\( *\d{1,9} *(?:, *\d{1,9} *)*,? *\)")
_AT_PORT = re.compile(r"(.*)([:@]) *(\d{1,9})")
FIELD = "machine.topology.failed_links"
_MOST_LISTED = 12


class Ends:
    """The switches of a network, by number, coordinates or name; or its nodes."""

    def __init__(
        self,
        count: int,
        sides: Sequence[int],
        names: Sequence[str],
        field: str = FIELD,
        what: Literal["switch", "node"] = "switch",
        ports: FilePorts = MappingProxyType({}),
    ) -> None:
        """``sides``: along each dimension, if there are any; ``names`` and ``ports``: of a file.

        ``field``: the key that names them.
        """
        self._ports = ports
        self._count, self._sides, self._field, self._what = count, sides, field, what
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
            return {"at": self._at_port(link, *at_port.groups())}
        allowed = 'must be two switches, such as "3 to 4" or [3, 4], or a switch and a port, "3:1"'
        raise UserError(self._field, shown(link), allowed)

    def _at_port(self, link: str, end: str, sign: str, given: str) -> dict[str, int]:
        """Return a switch and the engine's number of a port, which a file may give another."""
        switch, port = self.number(end.strip()), int(given)
        if not self._ports and sign == ":":
            return {"switch": switch, "port": port}
        if not self._ports:
            allowed = 'must be like "3:1": no file gives the ports of this network numbers'
            raise UserError(self._field, shown(link), allowed)
        if sign == ":":
            allowed = "must be a switch, @, and the number of a port in the file of the network"
            raise UserError(self._field, shown(link), allowed, json.dumps(f"{end.strip()}@{port}"))
        if (switch, port) not in self._ports:
            known = sorted(at for one, at in self._ports if one == switch)
            allowed = f"has no cable to a switch; ports of it that do: {listed(map(str, known))}"
            raise UserError(self._field, shown(link), allowed)
        return {"switch": switch, "port": self._ports[switch, port][0]}

    def number(self, end: End) -> int:
        """Return the number of a switch: `7`, `switch 7`. What has such a name goes first."""
        if isinstance(end, int):
            return self._within(end, end)
        if isinstance(end, tuple):
            return self._at(end)
        plain = end.removeprefix(f"{self._what} ")
        for name in (end, plain):
            if name in self._names:
                return self._names[name]
        if _PLACE.fullmatch(plain):
            return self._at(tuple(map(int, re.findall(r"\d+", plain))))
        if _NUMBER.fullmatch(plain):
            return self._within(int(plain), end)
        if self._names:
            raise self._unknown(end)
        places = ', coordinates such as "(0, 1)"' if self._sides else ""
        raise UserError(self._field, shown(end), f"must be a {self._what}: a number{places}")

    def _within(self, number: int, given: int | str) -> int:
        if number in range(self._count):
            return number
        last = self._count - 1
        if not self._names:
            raise UserError(self._field, shown(given), f"must be a {self._what} from 0 to {last}")
        raise self._unknown(given, f", or a number from 0 to {last}")

    def _unknown(self, given: int | str, otherwise: str = "") -> UserError:
        """Return the mistake of naming none of those in the file."""
        names = list(self._names)
        if len(names) <= _MOST_LISTED:
            named = choice(self._field, given, names)
            return UserError(self._field, named.given, named.allowed + otherwise, named.nearest)
        allowed = f"must be the name of a {self._what} in the file"
        found = nearest(given, names)
        quoted = found and json.dumps(found)
        return UserError(self._field, shown(given), allowed + otherwise, quoted)

    def _at(self, place: tuple[int, ...]) -> int:
        sides = self._sides
        if len(place) != len(sides) or not all(
            0 <= at < side for at, side in zip(place, sides, strict=True)
        ):
            last = ", ".join(str(side - 1) for side in sides)
            allowed = f"must be coordinates from 0 to ({last})" if sides else "must be a number"
            raise UserError(self._field, f"({', '.join(map(str, place))})", allowed)
        return sum(at * prod(sides[:dimension]) for dimension, at in enumerate(place))
