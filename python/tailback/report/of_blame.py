"""The page of `tailback blame --html`: which traffic makes which messages late.

The report on a store has the same figures for all of its points (`blamed`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tailback.answers import of_blame
from tailback.answers.lateness import remarks
from tailback.answers.places import Groups, groups_of
from tailback.charging import KIND_WORDS, KINDS, NOBODY, Blame, Charged, unknown_blame
from tailback.figures.drawing import Axis
from tailback.results.names import Names
from tailback.terminal.blamed import packet_waits_text, waits_by_cause
from tailback.wording import number, share_text
from tailback.wording.scaling import MICROSECONDS, Unit, measured, unit_for

from .content import Cell, Content, Figure, Page, Section, Table
from .machines import Machine, Machines
from .matrices import Classes, groups_for_matrix, matrix_figure
from .page import link_from, write
from .terms import TERMS

if TYPE_CHECKING:
    from tailback.figures.drawing import Drawing
    from tailback.figures.network import Floats, Network
    from tailback.results import Result

Note = tuple[tuple[str, ...], ...]

_MOST_ROWS = 500

PER_MESSAGE = f"{MICROSECONDS} per message"
MEAN = Axis("mean lateness per message of the victim", MICROSECONDS)
ROOT = Axis("lateness that begins here", PER_MESSAGE)
CULPRITS = ("traffic of", "makes late", "at", PER_MESSAGE, "share of its lateness")
ROOTS = ("root channel", PER_MESSAGE, "share")


@dataclass(frozen=True, eq=False)
class Blamed:
    """Charges with the names of their classes and channels."""

    blame: Blame
    names: Names
    confidence: float
    groups: Groups | None = None
    """Of nodes, where classes are too many for a matrix that can be read."""

    @cached_property
    def grouped(self) -> Blame:
        """The charges of the matrix: by groups, if there are some."""
        if self.groups is None:
            return self.blame
        pairs = self.groups.regrouped(self.blame.pairs, (0, 1))
        victims = self.groups.regrouped(self.blame.victims, (0,))
        return replace(self.blame, pairs=pairs, victims=victims)

    def class_name(self, number: int) -> str:
        """Return the name of a row or column of the matrix."""
        if self.groups is None:
            return self.names.traffic(number)
        return self.groups.name(number, self.names)

    def kinds(self) -> list[tuple[tuple[str, str], Charged]]:
        """Return charges by kind in descending order: description and name of the kind."""
        found = [(KINDS[c.key[0]], c) for c in self.blame.by_kind(self.confidence)]
        return [((KIND_WORDS[kind], kind), charged) for kind, charged in found]

    def culprits(self, most: int) -> list[tuple[tuple[str, str, str], Charged]]:
        """Return charges by culprit, victim and channel in descending order, as in `CULPRITS`."""
        traffic, channel = self.names.traffic, self.names.channel
        return [
            ((traffic(charged.key[2]), traffic(charged.key[1]), channel(charged.key[0])), charged)
            for charged in self.blame.culprits_on_channels(self.confidence, most)
        ]

    def roots(self, most: int) -> list[tuple[tuple[str], Charged]]:
        """Return charges by root channel in descending order, as in `ROOTS`."""
        found = self.blame.by_channel(self.confidence, most)
        return [((self.names.channel(charged.key[0]),), charged) for charged in found]


def write_blame(result: Result, path: Path, look: Path | None = None) -> None:
    """Write the page, with a link to that of `look` if there is one.

    Raises `UserError` if it cannot be written or nothing was charged.
    """
    page = blame_page(result)
    if look is not None:
        page = replace(page, links=(("The waits on a map of the network", link_from(path, look)),))
    write(page, path)


def blame_page(result: Result) -> Page:
    """Return the page on one run; raise `UserError` if the run recorded no blame."""
    if result.blame is None:
        raise unknown_blame()
    blame = result.blame
    names = Names.of(result)
    groups = groups_for_matrix([blame], lambda known: groups_of(result, names, known))
    blamed = Blamed(blame, names, result.experiment.run.confidence, groups)
    labels = result.experiment.machine.topology.labels
    machine = Machines().of(result.nodes, result.channels, labels)
    facts = [("mode", result.mode)]
    if blame.has_lateness:
        facts = [
            ("late, per message", measured(blame.late(blamed.confidence), MICROSECONDS)),
            *facts,
            ("messages", f"{int(blame.messages().sum()):,}"),
            ("traffic classes", f"{len(blame.victims.keys):,}"),
            ("charged to one's own traffic", share_text(blame.own_share)),
        ]
    return Page(
        title="Who makes whom late",
        lead=(*of_blame(result).lines, *remarks(result)),
        sections=(
            *(_of_messages(blamed, machine) if blame.has_lateness else ()),
            *(() if blame.waits is None else (_packet_waits(blamed),)),
        ),
        facts=tuple(facts),
        terms=TERMS,
    )


def _of_messages(blamed: Blamed, machine: Machine) -> tuple[Section, ...]:
    """Return the sections on kinds, culprits and root channels."""
    kinds = _table(("where", "kind", PER_MESSAGE, "share"), blamed.kinds())
    return (
        Section("Why messages are late", (kinds,)),
        _who(blamed),
        _where(blamed, machine),
    )


def _who(blamed: Blamed) -> Section:
    classes, untold = Classes.of([blamed.grouped]), blamed.blame.rest_share_of_pairs > 0
    waits = classes.waits(blamed.grouped)
    drawing = classes.form(blamed.class_name).drawing(MEAN.name, MEAN, waits)
    are_grouped = blamed.groups is not None
    figure = matrix_figure(drawing, few=classes.few, untold=untold, grouped=are_grouped)
    rows = _table(CULPRITS, blamed.culprits(_MOST_ROWS), "The largest charges")
    return Section("Who makes whom late", (WHO, figure, rows))


def _where(blamed: Blamed, machine: Machine) -> Section:
    table = _table(ROOTS, blamed.roots(_MOST_ROWS), "Root channels")
    if machine.channels is None:
        return Section("Where it begins", (WHERE, table))
    waits = root_waits(blamed.blame, machine.network)
    drawing = machine.channels.drawing(ROOT.name, ROOT, waits)
    return Section("Where it begins", (WHERE, roots_figure(drawing), table))


def _packet_waits(blamed: Blamed) -> Section:
    """Return the waits of packets, last: they are not what messages lost."""
    blame = blamed.blame
    content: list[str | Figure | Table] = [packet_waits_text(blame)]
    for what, rows in (
        ("cause", waits_by_cause(blame)),
        ("place", blamed.names.waits_by_place(blame)),
    ):
        unit = unit_for((us for _, us, _ in rows), MICROSECONDS)
        cells: list[tuple[Content, ...]] = [
            (name, Cell(f"{us / unit.size:.4g}", us), Cell(share_text(share), share))
            for name, us, share in rows[:_MOST_ROWS]
        ]
        heads = (what, f"{unit.name} in all", "share")
        content.append(Table(heads, tuple(cells), f"By {what}", folded=what == "place"))
    return Section("Packet waits", tuple(content))


def roots_figure(drawing: Drawing) -> Figure:
    """Return the figure of root channels."""
    return Figure("roots", "Root channels", drawing, _ROOTS)


def root_waits(blame: Blame, network: Network) -> Floats:
    """Return lateness per message in microseconds by root group of channels."""
    roots = blame.channels.by(0)
    told = roots.keys[:, 0] < NOBODY
    per_channel = np.zeros(len(network.group_of))
    per_channel[roots.keys[told, 0]] = roots.totals_ps[told]
    messages = float(blame.messages().sum()) or math.nan
    groups = len(network.groups)
    values = np.bincount(network.group_of, weights=per_channel, minlength=groups)
    waits: Floats = values / 1e6 / messages
    return waits


def note(heads: Sequence[str], rows: Iterable[tuple[Sequence[str], Charged]]) -> Note:
    """Return charges as a small table below a figure."""
    return (
        tuple(heads),
        *(
            (*words, number(charged.per_message_us), share_text(charged.share))
            for words, charged in rows
        ),
    )


def _table(
    heads: Sequence[str], rows: Iterable[tuple[Sequence[str], Charged]], title: str = ""
) -> Table:
    """Return charges as a table in a suitable unit; folded if it has a title."""
    told = list(rows)
    unit = unit_for((charged.per_message_us.value for _, charged in told), MICROSECONDS)
    named = tuple(f"{unit.name} per message" if head == PER_MESSAGE else head for head in heads)
    cells = tuple(_row(words, charged, unit) for words, charged in told)
    return Table(named, cells, title, searchable=bool(title), folded=bool(title))


def _row(words: Iterable[str], charged: Charged, unit: Unit) -> tuple[Content, ...]:
    mean = Cell(number(charged.per_message_us, 1 / unit.size), charged.per_message_us.value)
    is_known = not math.isnan(charged.share)
    share = Cell(share_text(charged.share), charged.share) if is_known else None
    return (*words, mean, share)


WHO = (
    "A message is late by what it took longer than alone. Its chain of waits is followed back in "
    "time, each wait from packet to packet to the one that did not wait itself: its traffic class "
    "is charged, at the channel on which it was sent. The charges of a message add up to how late "
    "it was."
)
WHERE = (
    "Packets that wait for packets that wait form trees. The root of one is the channel where a "
    "packet leaves that does not wait itself."
)
_ROOTS = "How much of a message's mean lateness begins on each channel."
