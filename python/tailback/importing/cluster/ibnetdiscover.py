"""InfiniBand: the output of `ibnetdiscover`, and files of names of switches and adapters.

A block begins with `Switch`, `Ca` or `Rt`, the number of ports and an identifier; then a line for
each port with a cable. Every cable is there from both ends.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

from ...errors import UserError, listed, read_text, shown
from ...units import Rate
from .description import Cable, Cluster, Reader
from .lines import rate

#: Data of one lane in Gbit/s: signal rate without the line code, per generation [IBTA 2007].
_LANES = {
    "SDR": Fraction(2),
    "DDR": Fraction(4),
    "QDR": Fraction(8),
    "FDR10": Fraction(10),
    "FDR": Fraction(13636, 1000),
    "EDR": Fraction(25),
    "HDR": Fraction(50),
    "NDR": Fraction(100),
    "XDR": Fraction(200),
}
_WIDTHS = ("1x", "2x", "4x", "8x", "12x")

_HEAD = re.compile(
    r'(Switch|Ca|Rt)\s+(\d{1,5})\s+"([^"]{1,200})"\s*(?:#\s*"(.*)"\s*(.*))?',
)
_PORT = re.compile(
    r'\[(\d{1,5})\](?:\[ext \d{1,5}\])?(?:\(([0-9a-fA-Fx]{1,20})\))?\s+"([^"]{1,200})"\[(\d{1,5})\]'
    r"(?:\[ext \d{1,5}\])?(?:\(([0-9a-fA-Fx]{1,20})\))?\s*(?:#\s*(.*))?"
)
_LID = re.compile(r"\blid (\d{1,5}) lmc (\d)")
_SPEED = re.compile(r"(\d{1,3}x)([A-Za-z0-9]{1,12})\s*$")
_GUID = re.compile(r"(?:[SHR]-)?(?:0x)?([0-9a-fA-F]{1,16})")
_NAME = re.compile(r'\s*(?:0x)?([0-9a-fA-F]{1,16})\s+"([^"]+)"\s*(?:#.*)?')
_LARGEST_LID = 0xFFFF

_End = tuple[str, int]
"""A switch or adapter, and a port of it."""


@dataclass(slots=True)
class _Device:
    """A switch or adapter."""

    kind: str
    line: int
    ports: int
    description: str
    lids: list[tuple[int, int, int, int]] = field(default_factory=list)
    """Of each address: line, port, first number, how many of them there are as a power of two."""


@dataclass(frozen=True, slots=True)
class _Half:
    """A cable as it is known from one end."""

    line: int
    peer: _End
    rate_given: str | None


def read(path: Path) -> Cluster:
    """Read a file. Raises `UserError` for the first mistake, with its line."""
    found = Cluster(path)
    devices: dict[str, _Device] = {}
    halves: dict[_End, _Half] = {}
    current: str | None = None
    for number, text in enumerate(read_text(path).splitlines(), 1):
        line = text.strip()
        if line.startswith(("Switch", "Ca", "Rt")):
            current = _begin(found, number, line, devices)
        elif line.startswith("["):
            if current is None:
                raise found.mistake(number, line, "is a port of no switch or adapter")
            _port(found, number, line, (current, devices[current]), halves)
        elif line and line[0] != "#" and "=" not in line:
            allowed = "must be a switch, an adapter, a port such as [1], a comment, or name=value"
            raise found.mistake(number, line, allowed)
    if not devices:
        raise found.mistake(None, None, 'has no switch, such as Switch 36 "S-0008f10500200b50"')
    names = _names(devices)
    _add(found, devices, names, halves)
    return found


def _begin(found: Cluster, line: int, text: str, devices: dict[str, _Device]) -> str:
    head = _HEAD.fullmatch(text)
    if head is None:
        raise found.mistake(line, text, 'must be like Switch 36 "S-0008f10500200b50" # "name"')
    identifier = head[3]
    if identifier in devices:
        allowed = f"is there already, in line {devices[identifier].line}"
        raise found.mistake(line, identifier, allowed)
    device = _Device(head[1], line, int(head[2]), (head[4] or "").strip())
    at = _LID.search(head[5] or "")
    if at is not None:
        device.lids.append((line, 0, int(at[1]), int(at[2])))
    devices[identifier] = device
    return identifier


def _port(
    found: Cluster,
    line: int,
    text: str,
    of: tuple[str, _Device],
    halves: dict[_End, _Half],
) -> None:
    identifier, device = of
    parts = _PORT.fullmatch(text)
    if parts is None:
        raise found.mistake(line, text, 'must be like [1] "S-0008f10500200b50"[15] # lid 9 4xHDR')
    port = int(parts[1])
    if not 1 <= port <= device.ports:
        raise found.mistake(line, f"[{port}]", f"must be a port, 1 to {device.ports}")
    if (identifier, port) in halves:
        allowed = f"has a cable already, in line {halves[identifier, port].line}"
        raise found.mistake(line, f"[{port}]", allowed)
    said = parts[6] or ""
    speed = _SPEED.search(said)
    if speed is not None:
        _check_speed(found, line, speed[1], speed[2])
    at = _LID.match(said)
    if at is not None and device.kind != "Switch":
        device.lids.append((line, port, int(at[1]), int(at[2])))
    halves[identifier, port] = _Half(
        line, (parts[3], int(parts[4])), None if speed is None else speed[0].strip()
    )


def _check_speed(found: Cluster, line: int, width: str, generation: str) -> None:
    if width not in _WIDTHS:
        raise found.mistake(line, width, f"is no width of a link; must be {listed(_WIDTHS)}")
    if generation not in _LANES:
        raise found.mistake(line, generation, f"is no known rate; must be {listed(_LANES)}")


def _names(devices: dict[str, _Device]) -> dict[str, str]:
    """Return the name of every device: its description if no other has it, or its identifier."""
    count: dict[str, int] = {}
    for device in devices.values():
        count[device.description] = count.get(device.description, 0) + 1
    return {
        identifier: device.description
        if device.description
        and count[device.description] == 1
        and device.description not in devices
        else identifier
        for identifier, device in devices.items()
    }


def _add(
    found: Cluster,
    devices: dict[str, _Device],
    names: dict[str, str],
    halves: dict[_End, _Half],
) -> None:
    """Add switches, adapters by port, and cables that are known from both ends."""
    cabled: dict[str, list[int]] = {identifier: [] for identifier in devices}
    for identifier, port in halves:
        cabled[identifier].append(port)
    end_names: dict[_End, str] = {}
    for identifier, device in devices.items():
        name = names[identifier]
        guid = _GUID.fullmatch(identifier)
        if device.kind != "Ca":
            # A router forwards as a switch does.
            found.add_switch(name, device.line)
            end_names |= {(identifier, port): name for port in cabled[identifier]}
        for port in cabled[identifier] if device.kind == "Ca" else ():
            host = name if len(cabled[identifier]) == 1 else f"{name} port {port}"
            found.add_host(host, device.line)
            end_names[identifier, port] = host
        if guid is not None:
            found.guids[int(guid[1], 16)] = name
        for line, port, lid, lmc in device.lids:
            owner = name if device.kind != "Ca" else end_names.get((identifier, port), name)
            _address(found, line, owner, (lid, lmc))
    idle = [names[i] for i, one in devices.items() if one.kind == "Ca" and not cabled[i]]
    if idle:
        found.notes.append(f"adapters without a cable are left out: {', '.join(idle[:3])}")
    rates: dict[str | None, Rate | None] = {None: None}
    for end, half in halves.items():
        back = halves.get(half.peer)
        if back is None or back.peer != end:
            peer, port = half.peer
            there = "has no such line" if back is None else f"says otherwise in line {back.line}"
            allowed = (
                f"is a cable known from one end only: {names.get(peer, peer)} port {port} {there}"
            )
            raise found.mistake(half.line, f"[{end[1]}] of {names[end[0]]}", allowed)
        if end < half.peer:
            given = half.rate_given or back.rate_given
            if given is not None and given not in rates:
                rates[given] = _rate(found, half.line, given)
            ends = (end_names[end], end_names[half.peer])
            found.join(half.line, Cable(ends, (end[1], half.peer[1]), rates[given]))


def _address(found: Cluster, line: int, owner: str, lids: tuple[int, int]) -> None:
    first, lmc = lids
    for lid in range(first, first + 2**lmc):
        if lid == 0:
            return
        if lid > _LARGEST_LID:
            raise found.mistake(line, f"lid {first}", f"must be at most {_LARGEST_LID}")
        if found.lids.get(lid, owner) != owner:
            raise found.mistake(line, f"lid {lid}", f"is that of {found.lids[lid]} already")
        found.lids[lid] = owner


def _rate(found: Cluster, line: int, given: str) -> Rate:
    width, generation = given.split("x", 1)
    lane = _LANES[generation] * int(width) * 10**9
    return rate(found, line, lane, given)


def read_names(path: Path) -> dict[int, str]:
    """Read a file of names, a line `0x<guid> "<name>"` for each switch or adapter.

    Raises `UserError` for what is no such line, and for a number or a name that is there twice.
    """
    found: dict[int, str] = {}
    lines: dict[str, int] = {}
    for number, text in enumerate(read_text(path).splitlines(), 1):
        if not text.strip() or text.lstrip().startswith("#"):
            continue
        parts = _NAME.fullmatch(text)
        place = f"{path}: line {number}"
        if parts is None:
            raise UserError(place, shown(text.strip()), 'must be like 0x0008f10500200b50 "leaf 1"')
        guid, name = int(parts[1], 16), parts[2].strip()
        if guid in found:
            raise UserError(place, shown(parts[1]), f"is named already, {shown(found[guid])}")
        if name in lines:
            raise UserError(place, shown(name), f"is a name already, in line {lines[name]}")
        found[guid], lines[name] = name, number
    return found


READERS = (
    Reader(
        "ibnetdiscover",
        "InfiniBand: output of ibnetdiscover",
        lambda head: bool(re.search(rb'^(Switch|Ca|Rt)\s+\d+\s+"', head, re.MULTILINE)),
        read,
    ),
)
