"""The page on who makes whom wait in one run: what `tailback blame --html` writes."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tailback.blame import REST, Blame, Charged, unknown_blame
from tailback.blame_names import Names
from tailback.figures.drawing import Axis
from tailback.figures.maps import channel_form
from tailback.figures.matrix import matrix
from tailback.figures.network import network_of
from tailback.wording import number

from .page import Cell, Content, Figure, Page, Section, Table, write
from .terms import TERMS

if TYPE_CHECKING:
    from tailback.figures.network import Floats, Ints
    from tailback.results import Result

_MOST_CLASSES = 128
"""Rows and columns of the matrix."""
_MOST_ROWS = 500
_MEAN = Axis("mean wait per message of the victim", "µs")
_ROOT = Axis("wait that begins here", "µs per message")


def write_blame(result: Result, path: Path) -> None:
    """Write the page; raise `UserError` if it cannot be written or nothing was charged."""
    write(blame_page(result), path)


def blame_page(result: Result) -> Page:
    """Return the page on one run; raise `UserError` where it does not know who made whom wait."""
    if result.blame is None:
        raise unknown_blame()
    blame, names = result.blame, Names.of(result)
    confidence = result.experiment.run.confidence
    total = blame.total(confidence)
    causes = Table(
        ("cause", "us per message", "share"),
        tuple(_row(c, blame.causes[c.key[0]]) for c in blame.by_cause(confidence)),
    )
    who = Section("Who makes whom wait", (_WHO, _matrix(blame, names), _culprits(result, names)))
    where = Section("Where it begins", (_WHERE, *_map(result), _roots(result, names)))
    facts = [
        ("contention per message", f"{number(total)} µs"),
        ("mode", result.mode),
        ("messages", f"{int(blame.messages().sum()):,}"),
        ("traffic classes", f"{len(blame.victims.keys):,}"),
    ]
    if blame.rest_share:
        facts.append(("not told apart", f"{100 * blame.rest_share:.2g} %"))
    return Page(
        title="Who makes whom wait",
        lead=(f"Contention costs a message {number(total)} µs on average.",),
        sections=(Section("Why messages wait", (causes,)), who, where),
        facts=tuple(facts),
        terms=TERMS,
    )


def _matrix(blame: Blame, names: Names) -> Figure:
    pairs = blame.pairs.by(0, 1)
    told = (pairs.keys != REST).all(axis=1)
    victims, culprits = (_largest(pairs.keys[told, i], pairs.totals_ps[told]) for i in (0, 1))
    values = np.full((len(victims), len(culprits)), np.nan)
    rows, columns = ({key: i for i, key in enumerate(keys)} for keys in (victims, culprits))
    messages = {victim: float(blame.messages(victim).sum()) for victim in victims}
    for (victim, culprit), time_ps in zip(pairs.keys.tolist(), pairs.totals_ps, strict=True):
        if victim in rows and culprit in columns and messages[victim]:
            values[rows[victim], columns[culprit]] = time_ps / 1e6 / messages[victim]
    down, along = ([names.traffic(key) for key in keys] for keys in (victims, culprits))
    caption = "A row for each class that waits, a column for each that is in the way."
    if max(len(set(pairs.keys[told, i].tolist())) for i in (0, 1)) > _MOST_CLASSES:
        caption += f" Only the {_MOST_CLASSES} with the longest waits are here."
    return Figure("blame", "Victims and culprits", matrix(down, along, values, _MEAN), caption)


def _largest(classes: Ints, times_ps: Floats) -> list[int]:
    """Return the classes with the longest waits, in order of their numbers."""
    known, place = np.unique(classes, return_inverse=True)
    sums = np.bincount(place.reshape(-1), weights=times_ps, minlength=len(known))
    order: list[int] = known[np.argsort(-sums, kind="stable")[:_MOST_CLASSES]].tolist()
    return sorted(order)


def _map(result: Result) -> Iterable[Figure]:
    """Yield where waits begin, drawn on the machine, if its channels can be drawn."""
    assert result.blame is not None
    columns = {name: result.channels[name].to_numpy() for name in result.channels.column_names}
    nodes = {name: result.nodes[name].to_numpy() for name in result.nodes.column_names}
    network = network_of(nodes, columns)
    form = channel_form(network)
    if form is None:
        return
    roots = result.blame.roots.by(0)
    told = roots.keys[:, 0] != REST
    per_channel = np.zeros(len(network.group_of))
    per_channel[roots.keys[told, 0]] = roots.totals_ps[told]
    messages = float(result.blame.messages().sum()) or math.nan
    groups = len(network.groups)
    values = np.bincount(network.group_of, weights=per_channel, minlength=groups)
    drawing = form.drawing(_ROOT.name, _ROOT, values / 1e6 / messages)
    yield Figure("roots", "Root channels", drawing, _ROOTS)


def _culprits(result: Result, names: Names) -> Table:
    assert result.blame is not None
    found = result.blame.culprits_on_channels(result.experiment.run.confidence, _MOST_ROWS)
    heads = ("traffic of", "costs", "waiting for", "us per message", "share of its contention")
    rows = (
        _row(c, names.traffic(c.key[2]), names.traffic(c.key[1]), names.channel(c.key[0]))
        for c in found
    )
    return Table(heads, tuple(rows), "The longest waits", searchable=True, folded=True)


def _roots(result: Result, names: Names) -> Table:
    assert result.blame is not None
    found = result.blame.by_root(result.experiment.run.confidence, _MOST_ROWS)
    rows = tuple(_row(c, names.channel(c.key[0])) for c in found)
    heads = ("root channel", "us per message", "share")
    return Table(heads, rows, "Root channels", searchable=True, folded=True)


def _row(charged: Charged, *names: str) -> tuple[Content, ...]:
    mean = Cell(number(charged.per_message_us), charged.per_message_us.value)
    share = (
        None if math.isnan(charged.share) else Cell(f"{100 * charged.share:.1f} %", charged.share)
    )
    return (*names, mean, share)


_WHO = (
    "Every wait is charged to the traffic class of the packet that was in the way: that held the "
    "output, stood before it in the buffer, or filled the next one."
)
_WHERE = (
    "Packets that wait for packets that wait form trees. The root of one is the channel where a "
    "packet leaves that does not wait itself."
)
_ROOTS = "How much of a message's mean contention begins on each channel."
