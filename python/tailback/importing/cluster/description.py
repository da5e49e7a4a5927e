"""A cluster as files describe it: switches, hosts, cables with their ports, and addresses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...errors import UserError, line_mistake, nearest
from ...units import Rate

#: Switches, hosts and cables of a file, at most.
MOST = 1 << 22


@dataclass(frozen=True, slots=True)
class Cable:
    """A cable between two switches, or a host and a switch."""

    ends: tuple[str, str]
    ports: tuple[int | None, int | None] = (None, None)
    """At which port of each end it is; None: the file does not say."""
    rate: Rate | None = None
    """None: the file does not say."""
    delay_ps: int | None = None
    link_class: str | None = None
    """What it joins, if the file says; else by how far its ends are from hosts."""


@dataclass
class Cluster:
    """What has been read so far; switches and hosts have the file's names for them."""

    path: Path
    switches: dict[str, int] = field(default_factory=dict)
    """Lines in which they begin."""
    hosts: dict[str, int] = field(default_factory=dict)
    cables: list[Cable] = field(default_factory=list)
    machine: dict[str, Any] = field(default_factory=dict)
    """Keys of a machine that the file says, beside topology, links and routing."""
    routing: dict[str, Any] | None = None
    """The routing that the file asks for, if it does."""
    lids: dict[int, str] = field(default_factory=dict)
    """Of each InfiniBand address: the host or switch that it belongs to."""
    guids: dict[int, str] = field(default_factory=dict)
    """Of each number of an InfiniBand switch or adapter: its name."""
    notes: list[str] = field(default_factory=list)
    """Choices that the file leaves open, and what of it has no effect."""

    def mistake(
        self, line: int | None, given: object, allowed: str, meant: str | None = None
    ) -> UserError:
        """Return a mistake in a line of the file; ``given`` None: nothing is shown."""
        return line_mistake(self.path, line, given, allowed, meant)

    def add_switch(self, name: str, line: int) -> None:
        """Add a switch."""
        self._check_new(name, line)
        self.switches[name] = line

    def add_host(self, name: str, line: int) -> None:
        """Add a host, or one adapter of it."""
        self._check_new(name, line)
        self.hosts[name] = line

    def _check_new(self, name: str, line: int) -> None:
        before = self.switches.get(name, self.hosts.get(name))
        if before is not None:
            raise self.mistake(line, name, f"is there already, in line {before}; names must differ")
        if len(self.switches) + len(self.hosts) >= MOST:
            raise self.mistake(line, None, f"must have at most {MOST} switches and hosts")

    def join(self, line: int, cable: Cable) -> None:
        """Add a cable. Raises `UserError` for ends that are not there, or two hosts."""
        for name in cable.ends:
            if name not in self.switches and name not in self.hosts:
                near = nearest(name, [*self.switches, *self.hosts])
                raise self.mistake(line, name, "is no switch or host of this file", near)
        if cable.ends[0] == cable.ends[1]:
            raise self.mistake(line, cable.ends[0], "must not be joined to itself")
        if all(name in self.hosts for name in cable.ends):
            both = " and ".join(cable.ends)
            raise self.mistake(line, both, "are two hosts; a cable must have a switch at one end")
        if len(self.cables) >= MOST:
            raise self.mistake(line, None, f"must have at most {MOST} cables")
        self.cables.append(cable)

    def of_hosts(self) -> dict[str, list[Cable]]:
        """Return the cables of every host. Raises `UserError` for a host without any."""
        found: dict[str, list[Cable]] = {name: [] for name in self.hosts}
        for cable in self.cables:
            for name in cable.ends:
                if name in found:
                    found[name].append(cable)
        for name, cables in found.items():
            if not cables:
                raise self.mistake(self.hosts[name], name, "is a host without a cable")
        if len(found) < 2:
            raise self.mistake(None, None, f"has {len(found)} hosts; must have at least 2")
        return found

    def renamed(self, names: Mapping[str, str]) -> None:
        """Give switches and hosts other names."""

        def name(old: str) -> str:
            return names.get(old, old)

        self.switches = {name(old): line for old, line in self.switches.items()}
        self.hosts = {name(old): line for old, line in self.hosts.items()}
        self.lids = {lid: name(old) for lid, old in self.lids.items()}
        self.guids = {guid: name(old) for guid, old in self.guids.items()}
        self.cables = [
            Cable(
                (name(one.ends[0]), name(one.ends[1])),
                one.ports,
                one.rate,
                one.delay_ps,
                one.link_class,
            )
            for one in self.cables
        ]


@dataclass(frozen=True, slots=True)
class Reader:
    """What reads files of one form."""

    word: str
    """What `--format` calls it."""
    what: str
    """Whose files they are, for help texts."""
    is_like: Callable[[bytes], bool]
    """Whether a file is of this form, by its first 64 kB."""
    read: Callable[[Path], Cluster]
    """Read a file. Raises `UserError` for the first mistake, with its line."""
