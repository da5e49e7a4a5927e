"""Routes that are written down in a file.

Two kinds of CSV files. A *routing table* has the columns ``switch``, ``destination`` and
``next_switch``, and perhaps ``class``: which switch a packet for a node goes to next, perhaps with
the port by which it leaves, as in ``7@2``. Where the network has ports, a table may also have a
column for each destination, behind the column ``ports`` of switches: by which port they are left.
*Source routes* have the columns ``source``, ``destination`` and ``hops``, the last of which
goes on to the end of the row: the switches on the way after the source's own, each perhaps
with the port by which the switch before is left, as in ``7@2``, and with its class, as in ``7:1``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..csv_files import cell, cell_mistake, csv_rows, read_csv, whole_number
from ..errors import UserError, read_lines, shown
from ..lazy import lazy_module

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]
else:
    np = lazy_module("numpy")

#: Largest class of virtual channels, of which a link has 255 at most.
MOST_CLASS = 254

#: What stands in a table where the file has no row.
NO_HOP = 2**32 - 1
#: The same among cells of ports, whose numbers below it stand for nodes.
_EMPTY = -1

_TABLE = ("switch", "destination", "next_switch")
_ROUTES = ("source", "destination", "hops")

Row = tuple[int, list[str]]
"""Line in the file, cells."""


@dataclass(frozen=True, slots=True)
class Places:
    """The switches and nodes that a file may name, each by number or, if it has one, by name."""

    switches: int
    nodes: int
    switch_names: Mapping[str, int]
    node_names: Mapping[str, int]
    enters: Sequence[int] = ()
    """The switch of every node, if there are ports."""
    ports: Mapping[tuple[int, int], tuple[int, int]] = field(default_factory=dict)
    """By switch and port: which link of the switch that is, and the switch it leads to."""
    node_ports: Sequence[tuple[int, int]] = ()
    """The switch and the port of every node, if there are ports."""


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads cells of one file; mistakes name line and column."""

    path: Path
    places: Places

    def switch(self, line: int, column: str, text: str) -> int:
        places = self.places
        return self._place(line, column, text, "switch", (places.switches, places.switch_names))

    def node(self, line: int, column: str, text: str) -> int:
        places = self.places
        return self._place(line, column, text, "node", (places.nodes, places.node_names))

    def virtual_class(self, line: int, column: str, text: str) -> int:
        number = whole_number(text)
        if number is None or number > MOST_CLASS:
            allowed = f"must be a class of virtual channels, 0 to {MOST_CLASS}"
            raise self.mistake(line, column, text, allowed)
        return number

    def mistake(self, line: int, column: str, text: object, allowed: str) -> UserError:
        return cell_mistake(self.path, line, column, text, allowed)

    def _place(
        self, line: int, column: str, text: str, what: str, known: tuple[int, Mapping[str, int]]
    ) -> int:
        count, names = known
        number = names.get(text, whole_number(text))
        if number is None or number >= count:
            allowed = f"must be a {what}, 0 to {count - 1}"
            if names:
                allowed += ", or its name"
            raise self.mistake(line, column, text, allowed)
        return number


def read_table(path: Path, places: Places) -> dict[str, Any]:
    """Read a routing table; return it as the engine describes it.

    Raises `UserError` for a file that is missing or unreadable, a missing column, what is
    no switch, node or class, and a pair that is there twice.
    """
    reader = _Reader(path, places)
    if _begins_with_ports(path):
        return _read_ports(reader)
    names, rows = _read(path, _TABLE)
    columns = [names.index(column) for column in _TABLE]
    class_column = names.index("class") if "class" in names else None
    hops = [[NO_HOP] * places.nodes for _ in range(places.switches)]
    classes = [[0] * places.nodes for _ in range(places.switches)]
    lines: dict[tuple[int, int], int] = {}
    ports: dict[tuple[int, int], tuple[int, int]] = {}
    for line, row in rows:
        cells = [cell(row, column) for column in columns]
        at = reader.switch(line, "switch", cells[0])
        to = reader.node(line, "destination", cells[1])
        _once(reader, lines, line, (at, to), ("switch", "destination"))
        hops[at][to], _, by = _hop(reader, line, cells[2], "next_switch")
        if by is not None:
            ports[at, to] = line, by
        if class_column is not None:
            classes[at][to] = reader.virtual_class(line, "class", cell(row, class_column))
    any_class = any(any(row) for row in classes)
    given = classes if any_class else []
    named = "switches"
    if ports:
        named = "ports"
        _by_links(reader, hops, lines, ports)
    return {"hops": named, "next": written(np.array(hops, np.uint32)), "classes": given}


def written(table: NDArray[np.uint32]) -> dict[str, Any]:
    """Return a table as text: tables of clusters have millions of numbers.

    A row is the hexadecimal digits of its numbers, each plus one: 0 stands for `NO_HOP`.
    """
    more = table + np.uint32(1)
    kind = np.min_scalar_type(more.max(initial=0)).newbyteorder(">")
    rows = [row.tobytes().hex() for row in more.astype(kind)]
    return {"digits": 2 * kind.itemsize, "rows": rows}


def numbers(written: Mapping[str, Any]) -> NDArray[np.uint32]:
    """Return the numbers of a table by switch and node; `NO_HOP` where the file has no row."""
    rows = bytes.fromhex("".join(written["rows"]))
    more = np.frombuffer(rows, f">u{written['digits'] // 2}").reshape(len(written["rows"]), -1)
    return more.astype(np.uint32) - np.uint32(1)


def _by_links(
    reader: _Reader,
    hops: list[list[int]],
    lines: Mapping[tuple[int, int], int],
    ports: Mapping[tuple[int, int], tuple[int, int]],
) -> None:
    """Put the link by which a switch is left in place of the next switch."""
    links = _first_links(reader.places)
    for (at, to), line in lines.items():
        port = ports[at, to][1] if (at, to) in ports else None
        if port is None and at == hops[at][to]:
            # The switch of the node itself: the row has no effect.
            hops[at][to] = NO_HOP
            continue
        hops[at][to] = _link(reader, (line, "next_switch"), links, (at, hops[at][to], port))


def _begins_with_ports(path: Path) -> bool:
    line = next(read_lines(path), b"")
    return line.partition(b",")[0].strip().strip(b'"') == b"ports"


def _read_ports(reader: _Reader) -> dict[str, Any]:
    """Read a table with a column for each destination, whose cells are ports."""
    places, path = reader.places, reader.path
    if not places.ports:
        allowed = "has ports, which the network does not have; must have switch,destination,..."
        raise UserError(str(path), None, allowed)
    # One row at a time: tables of large clusters have millions of cells.
    rows = csv_rows(path)
    names = [name.strip() for name in next(rows)[1]]
    columns = np.array([reader.node(1, "ports", name) for name in names[1:]], np.int64)
    if len(np.unique(columns)) < len(columns):
        raise UserError(str(path), None, "has two columns of one node")
    meanings = _meanings(places)
    hops = np.full((places.switches, places.nodes), NO_HOP, np.uint32)
    lines: dict[int, int] = {}
    for line, row in rows:
        at = reader.switch(line, "ports", cell(row, 0))
        if at in lines:
            raise reader.mistake(line, "ports", row[0], f"has a row already, line {lines[at]}")
        lines[at] = line
        cells = row[1 : len(names)]
        found, to = _links_of(cells, meanings[at]), columns[: len(cells)]
        wrong = np.flatnonzero((found < _EMPTY) & (found != _EMPTY - 1 - to))
        if len(wrong):
            place = int(wrong[0])
            allowed = "must be a port with a cable to another switch, or to the node"
            raise reader.mistake(line, names[1 + place], cells[place], allowed)
        hops[at, to] = np.where(found < 0, NO_HOP, found)
    return {"hops": "ports", "next": written(hops), "classes": []}


def _meanings(places: Places) -> list[dict[str, int]]:
    """Return by switch what cells mean: a link, `_EMPTY`, or below it the node at a port."""
    found = [{"": _EMPTY, "0": _EMPTY} for _ in range(places.switches)]
    for node, (at, port) in enumerate(places.node_ports):
        # Port 0 is the switch itself, as an empty cell is.
        found[at].setdefault(str(port), _EMPTY - 1 - node)
    for (at, port), (link, _) in places.ports.items():
        found[at][str(port)] = link
    return found


def _links_of(cells: Sequence[str], meanings: Mapping[str, int]) -> Numbers:
    """Return what cells mean; of no node where they mean nothing."""
    found = list(map(meanings.get, cells))
    if None in found:
        nothing = -(2**40)
        for place, text in enumerate(cells):
            if found[place] is None:
                number = whole_number(text.strip())
                plain = text.strip() if number is None else str(number)
                found[place] = meanings.get(plain, nothing)
    return np.array(found, np.int64)


def read_source_routes(path: Path, places: Places) -> dict[str, Any]:
    """Read source routes; return them as the engine describes them.

    Raises `UserError` as `read_table` does.
    """
    reader = _Reader(path, places)
    names, rows = _read(path, _ROUTES)
    if tuple(names[:3]) != _ROUTES:
        given = ",".join(names)
        raise UserError(str(path), shown(given), f"must begin with the columns {','.join(_ROUTES)}")
    lines: dict[tuple[int, int], int] = {}
    routes: list[dict[str, Any]] = []
    ports: list[list[int | None]] = []
    for line, row in rows:
        source = reader.node(line, "source", cell(row, 0))
        to = reader.node(line, "destination", cell(row, 1))
        _once(reader, lines, line, (source, to), ("source", "destination"))
        hops_given = [text for given in row[2:] if (text := given.strip())]
        hops = [_hop(reader, line, hop) for hop in hops_given]
        classes = [number for _, number, _ in hops]
        routes.append(
            {
                "source": source,
                "destination": to,
                "hops": [switch for switch, _, _ in hops],
                "classes": classes if any(classes) else [],
            }
        )
        ports.append([port for _, _, port in hops])
    if all(port is None for of_route in ports for port in of_route):
        return {"hops": "switches", "routes": routes}
    links = _first_links(places)
    for (line, _), route, of_route in zip(rows, routes, ports, strict=True):
        route["hops"] = _by_port(reader, line, links, route, of_route)
    return {"hops": "ports", "routes": routes}


def _by_port(
    reader: _Reader,
    line: int,
    links: Mapping[tuple[int, int], int],
    route: Mapping[str, Any],
    ports: Sequence[int | None],
) -> list[int]:
    """Return the link by which a route leaves each switch: the first if no port is given."""
    at, found = reader.places.enters[route["source"]], []
    for switch, port in zip(route["hops"], ports, strict=True):
        found.append(_link(reader, (line, "hops"), links, (at, switch, port)))
        at = switch
    return found


def _first_links(places: Places) -> dict[tuple[int, int], int]:
    """Return the first link from a switch to another."""
    return {(at, to): link for (at, _), (link, to) in reversed([*places.ports.items()])}


def _link(
    reader: _Reader,
    place: tuple[int, str],
    links: Mapping[tuple[int, int], int],
    hop: tuple[int, int, int | None],
) -> int:
    """Return the link by which a switch is left to another: the first if no port is given."""
    (line, column), (at, switch, port), places = place, hop, reader.places
    if port is None:
        link, leads = links.get((at, switch)), switch
    else:
        link, leads = places.ports.get((at, port), (None, switch))
    if link is None or leads != switch:
        names = {number: name for name, number in places.switch_names.items()}
        here, there = names.get(at, at), names.get(switch, switch)
        by = "" if port is None else f" at port {port}"
        raise reader.mistake(line, column, there, f"switch {here} has no link to it{by}")
    return link


def _hop(reader: _Reader, line: int, hop: str, column: str = "hops") -> tuple[int, int, int | None]:
    """Return the switch, the class and the port of ``7``, ``7:1``, ``7@2`` or ``7@2:1``."""
    names = reader.places.switch_names
    before, colon, number = hop.rpartition(":")
    has_class = bool(colon) and hop not in names and column == "hops"
    place = before.strip() if has_class else hop
    name, at, port = place.rpartition("@")
    has_port = bool(at and reader.places.ports) and place not in names
    switch = reader.switch(line, column, name.strip() if has_port else place)
    by = whole_number(port.strip()) if has_port else None
    if has_port and by is None:
        raise reader.mistake(line, column, hop, "must name a port by its number behind @")
    return switch, reader.virtual_class(line, column, number.strip()) if has_class else 0, by


def _once(
    reader: _Reader,
    lines: dict[tuple[int, int], int],
    line: int,
    pair: tuple[int, int],
    columns: tuple[str, str],
) -> None:
    """Refuse a pair that has had a row."""
    if pair in lines:
        given = f"{pair[0]}, {pair[1]}"
        allowed = f"has a row already, line {lines[pair]}"
        raise UserError(f"{reader.path}: {columns[0]}, {columns[1]} in line {line}", given, allowed)
    lines[pair] = line


def _read(path: Path, columns: Sequence[str]) -> tuple[list[str], list[Row]]:
    """Return the names of the columns, and the rows."""
    found = read_csv(path, columns, f"; must have {', '.join(columns)}")
    return found.names, found.rows
