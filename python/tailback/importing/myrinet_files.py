"""The files of the Myrinet simulator [Chen & Wyckoff, figures 7, 8 and 10], read and written.

* A *topology* has a line for each switch, `S<i>:` and what is at its ports, in order: `P<n>` a
  processor, `S<j>.<port>` the port of another switch, `D` nothing. Lines that begin with a space go
  on with the one before. A cable is there from both sides.
* *Routes* have a line for each pair, `p<source> p<destination>`, and one hexadecimal digit for each
  switch on the way: the port by which the packet leaves it.
* *Parameters* have lines of a name and a whole number.

In all of them `#` begins a comment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..errors import UserError, line_mistake, nearest, read_text

#: Ports of a switch that one digit can name.
MOST_PORTS = 16
#: Switches and processors there can be.
MOST = 2**20

#: The parameters of figure 7.
PARAMETERS = {
    "numOfProcessor": 256,
    "maxNumOfPorts": 16,
    "numOfSwitch": 32,
    "propDelay": 22,
    "fallThruDelay16": 16,
    "SpeedFactor": 1,
    "buffer_kg": 64,
    "buffer_ks": 64,
    "buffer_h": 32,
}

_PORT = re.compile(r"P(\d{1,8})|S(\d{1,8})\.(\d{1,8})|D")
_ROUTE = re.compile(r"p(\d{1,8})\s+p(\d{1,8})\s+([0-9a-fA-F]+)")
_PARAMETER = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)\s+(\S+)")


@dataclass(frozen=True, slots=True)
class Cable:
    """The port of another switch at the other end."""

    switch: int
    port: int


@dataclass(frozen=True, slots=True)
class Host:
    """A processor."""

    number: int


#: What is at a port; None: nothing.
Port = Cable | Host | None


@dataclass(frozen=True, slots=True)
class Crossbars:
    """Switches, and what is at each of their ports."""

    switches: tuple[tuple[Port, ...], ...]

    @property
    def hosts(self) -> dict[int, tuple[int, int]]:
        """Return the switch and the port of every processor."""
        return {
            end.number: (switch, port)
            for switch, ports in enumerate(self.switches)
            for port, end in enumerate(ports)
            if isinstance(end, Host)
        }


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines that say something, with their numbers."""
    for number, line in enumerate(read_text(path).splitlines(), 1):
        said = line.partition("#")[0].rstrip()
        if said.strip():
            yield number, said


def read_topology(path: Path) -> Crossbars:
    """Read a topology. Raises `UserError` for the first mistake, with its line."""
    found: dict[int, list[tuple[int, str]]] = {}
    begun: dict[int, int] = {}
    current: list[tuple[int, str]] | None = None
    for line, said in _lines(path):
        words = said.split()
        if not said[0].isspace():
            head = re.fullmatch(r"S(\d{1,8}):", words[0])
            if head is None:
                raise line_mistake(path, line, words[0], "must be a switch, such as S0:")
            switch = int(head[1])
            if switch in found:
                allowed = f"is there already, in line {begun[switch]}"
                raise line_mistake(path, line, words[0], allowed)
            begun[switch] = line
            current = found.setdefault(switch, [])
            words = words[1:]
        if current is None:
            raise line_mistake(path, line, said.strip(), "must come behind a switch, such as S0:")
        current += [(line, word) for word in words]
    if not found:
        raise UserError(str(path), None, "has no switches, such as S0: P0 P1 D S1.0")
    for number in range(len(found)):
        if number not in found:
            allowed = (
                f"has {len(found)} switches, but no S{number}; must be S0 to S{len(found) - 1}"
            )
            raise UserError(str(path), None, allowed)
    return _checked(path, [found[number] for number in range(len(found))])


def _checked(path: Path, given: Sequence[list[tuple[int, str]]]) -> Crossbars:
    """Return switches whose cables agree from both sides."""
    switches = tuple(tuple(_port(path, line, word) for line, word in ports) for ports in given)
    hosts: dict[int, int] = {}
    for switch, ports in enumerate(switches):
        if len(ports) > MOST_PORTS:
            line, word = given[switch][MOST_PORTS]
            raise line_mistake(path, line, word, f"S{switch} must have at most {MOST_PORTS} ports")
        for port, end in enumerate(ports):
            line, word = given[switch][port]
            if isinstance(end, Host):
                if end.number in hosts:
                    allowed = f"is there already, in line {hosts[end.number]}"
                    raise line_mistake(path, line, word, allowed)
                hosts[end.number] = line
            elif isinstance(end, Cable):
                _check_cable(path, (line, word), switches, (switch, port))
    if not hosts:
        raise UserError(str(path), None, "has no processors, such as P0")
    for number in range(len(hosts)):
        if number not in hosts:
            allowed = f"has {len(hosts)} processors, but no P{number}"
            raise UserError(str(path), None, allowed)
    return Crossbars(switches)


def _port(path: Path, line: int, word: str) -> Port:
    found = _PORT.fullmatch(word)
    if found is None:
        raise line_mistake(path, line, word, "must be P<number>, S<number>.<port> or D")
    if found[1]:
        number = int(found[1])
        if number >= MOST:
            raise line_mistake(path, line, word, f"must be P0 to P{MOST - 1}")
        return Host(number)
    return Cable(int(found[2]), int(found[3])) if found[2] else None


def _check_cable(
    path: Path,
    said: tuple[int, str],
    switches: Sequence[Sequence[Port]],
    here: tuple[int, int],
) -> None:
    """Refuse a cable that is not there from the other side."""
    (line, word), (switch, port) = said, here
    end = switches[switch][port]
    assert isinstance(end, Cable)
    if end.switch >= len(switches):
        raise line_mistake(path, line, word, f"there is no S{end.switch}")
    if end.switch == switch:
        raise line_mistake(path, line, word, "must lead to another switch")
    others = switches[end.switch]
    if end.port >= len(others):
        allowed = f"S{end.switch} has ports 0 to {len(others) - 1}"
        raise line_mistake(path, line, word, allowed)
    back = others[end.port]
    if back != Cable(switch, port):
        there = f"S{end.switch}.{end.port} is {_word(back)}"
        allowed = f"is a cable known from one side only: {there}, not S{switch}.{port}"
        raise line_mistake(path, line, word, allowed)


def _word(end: Port) -> str:
    if isinstance(end, Host):
        return f"P{end.number}"
    return "D" if end is None else f"S{end.switch}.{end.port}"


def topology_text(crossbars: Crossbars) -> str:
    """Return the topology file."""
    lines = []
    for switch, ports in enumerate(crossbars.switches):
        words = [_word(end) for end in ports]
        lines.append(f"S{switch}: {' '.join(words[:8])}".rstrip())
        lines += [f"    {' '.join(words[at : at + 8])}" for at in range(8, len(words), 8)]
    return "\n".join(lines) + "\n"


#: By source and destination: the ports by which switches are left.
Routes = Mapping[tuple[int, int], tuple[int, ...]]


def read_routes(path: Path, crossbars: Crossbars) -> dict[tuple[int, int], tuple[int, ...]]:
    """Read routes. Raises `UserError` for one that does not lead there, or that is missing."""
    hosts = crossbars.hosts
    lines: dict[tuple[int, int], int] = {}
    routes: dict[tuple[int, int], tuple[int, ...]] = {}
    for line, said in _lines(path):
        found = _ROUTE.fullmatch(said.strip())
        if found is None:
            raise line_mistake(path, line, said.strip(), "must be like p0 p14 b6")
        pair = int(found[1]), int(found[2])
        for host in pair:
            if host not in hosts:
                raise line_mistake(path, line, f"p{host}", f"must be p0 to p{len(hosts) - 1}")
        if pair in lines:
            allowed = f"has a route already, in line {lines[pair]}"
            raise line_mistake(path, line, f"p{pair[0]} p{pair[1]}", allowed)
        lines[pair] = line
        ports = tuple(int(digit, 16) for digit in found[3])
        problem = problem_of(crossbars, hosts, pair, ports)
        if problem is not None:
            raise line_mistake(path, line, said.strip(), problem)
        routes[pair] = ports
    for source in range(len(hosts)):
        for to in range(len(hosts)):
            if source != to and (source, to) not in routes:
                raise UserError(str(path), None, f"has no route from p{source} to p{to}")
    return routes


def problem_of(
    crossbars: Crossbars,
    hosts: Mapping[int, tuple[int, int]],
    pair: tuple[int, int],
    ports: Sequence[int],
) -> str | None:
    """Return what is wrong with a route, if anything is."""
    switch = hosts[pair[0]][0]
    for place, port in enumerate(ports):
        here, is_last = crossbars.switches[switch], place + 1 == len(ports)
        end = here[port] if port < len(here) else None
        name = f"S{switch}.{port}"
        if end is None:
            return f"leads into a dead port, {name}"
        if isinstance(end, Host):
            if not is_last:
                return f"goes on behind {name}, which is P{end.number}"
            return None if end.number == pair[1] else f"ends at P{end.number}, not P{pair[1]}"
        if is_last:
            return f"ends at switch S{end.switch}, not P{pair[1]}"
        switch = end.switch
    return "must have a digit for each switch"


def routes_text(routes: Routes) -> str:
    """Return the file of routes."""
    digits = {pair: "".join(f"{port:x}" for port in ports) for pair, ports in routes.items()}
    lines = [f"p{source} p{to} {digits[source, to]}" for source, to in sorted(routes)]
    return "\n".join(lines) + "\n"


def switches_of(crossbars: Crossbars, source: int, ports: Sequence[int]) -> tuple[int, ...]:
    """Return the switches on a route behind the first."""
    switch = crossbars.hosts[source][0]
    found = []
    for port in ports[:-1]:
        end = crossbars.switches[switch][port]
        assert isinstance(end, Cable)
        switch = end.switch
        found.append(switch)
    return tuple(found)


def read_parameters(path: Path, counted: Mapping[str, int] | None = None) -> dict[str, int]:
    """Read parameters. Raises `UserError`.

    Those that are not given are ``counted``, or the printed ones.
    """
    found: dict[str, int] = {}
    lines: dict[str, int] = {}
    for line, said in _lines(path):
        parts = _PARAMETER.fullmatch(said.strip())
        if parts is None:
            raise line_mistake(path, line, said.strip(), "must be a name and a whole number")
        name, text = parts[1], parts[2]
        if name not in PARAMETERS:
            meant = nearest(name, tuple(PARAMETERS))
            raise line_mistake(path, line, name, "is no parameter", meant)
        if name in lines:
            raise line_mistake(path, line, name, f"is there already, in line {lines[name]}")
        if not (text.isascii() and text.isdigit() and len(text) <= 9):
            raise line_mistake(path, line, text, f"{name} must be a whole number")
        lines[name], found[name] = line, int(text)
        _check_parameter(path, line, name, int(text))
    return {**PARAMETERS, **(counted or {}), **found}


def _check_parameter(path: Path, line: int, name: str, value: int) -> None:
    most = MOST_PORTS if name == "maxNumOfPorts" else MOST
    least = 0 if name in ("propDelay", "fallThruDelay16", "buffer_ks") else 1
    if name == "SpeedFactor" and value != 1:
        allowed = "SpeedFactor must be 1: hosts are as fast as their links"
        raise line_mistake(path, line, str(value), allowed)
    if not least <= value <= most:
        raise line_mistake(path, line, str(value), f"{name} must be {least} to {most}")


def parameters_text(parameters: Mapping[str, int]) -> str:
    """Return the file of parameters."""
    return "".join(f"{name} {value}\n" for name, value in parameters.items())
