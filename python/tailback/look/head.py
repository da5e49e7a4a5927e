"""The head of the page: how late messages are, where it begins, and by whose traffic."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tailback.charging import KINDS, NOBODY, Blame
from tailback.terminal.blamed import kept, remarks
from tailback.units import counted
from tailback.wording import number, plain, warnings
from tailback.wording.scaling import MICROSECONDS, scaled, unit_for

from .groups import Groups
from .lines import Lines, added
from .sliced import Sliced

if TYPE_CHECKING:
    from tailback.results import Result
    from tailback.results.names import Names
    from tailback.statistics import Floats

_KIND_WORDS = {
    "source": "at the nodes that send",
    "destination": "at the links of destinations",
    "network": "in the network",
    "spread": "in queues that grew backwards from the links of other nodes",
    "detour": "on longer ways",
}
"""Where lateness is, after a share of it, by the names of kinds."""

_ROOTS = 3
_LITTLE = 0.02
"""A root with a smaller share is not where lateness begins; it begins everywhere."""
_MANY = 0.1
_BEGUN = 0.1
"""A tailback has begun when waits of a slice are this share of those of the longest."""
_LATER = 0.05
"""One that begins in this share of a run, or before, is there from its start."""


def sentences(
    result: Result, lines: Lines, names: Names, times: Sliced | None, groups: Groups | None
) -> list[str]:
    """Return the answer in one to three sentences."""
    blame = kept(result)
    if not blame.has_lateness:
        return [
            f"Mode {result.mode} compares no message with itself alone: the map shows waits of "
            "packets."
        ]
    late = blame.late(result.experiment.run.confidence)
    if math.isnan(late.value):
        return ["No message was delivered in the time that was measured."]
    if not blame.late_ps:
        return ["No message is late: each takes as long as it would alone."]
    latency_us = blame.alone_us + late.value
    unit = unit_for([late.value], MICROSECONDS)
    share, latency = _percent(late.value / latency_us), scaled(latency_us, MICROSECONDS, 4)
    how_much = (
        f"A message is late by {number(late, 1 / unit.size)} {unit.name} on average, "
        f"{share} of its latency of {latency}."
    )
    return [how_much, _where(blame, lines, times), _whose(blame, names, groups)]


def status(result: Result) -> list[str]:
    """Return what limits the numbers; what makes them useless in capitals, first."""
    return [*warnings(result.ending), *remarks(result)]


def _where(blame: Blame, lines: Lines, times: Sliced | None) -> str:
    """Return where lateness begins: at its first roots, or all over the network."""
    roots = lines.sums(blame.channels.by(0))
    known = roots.keys[:, 0] < NOBODY
    numbers, shares = roots.keys[known, 0], roots.totals_ps[known] / blame.late_ps
    order = np.argsort(-shares, kind="stable")[:_ROOTS]
    first = [(lines.names[numbers[row]], float(shares[row])) for row in order.tolist()]
    first = [(name, share) for name, share in first if share >= _LITTLE]
    [kind, *_] = blame.by_kind(0.95)
    word, share = _KIND_WORDS[KINDS[kind.key[0]]], kind.share
    if not first:
        count = int((shares > 0).sum())
        return (
            f"It begins at {counted(count, 'channel')}, none with more than "
            f"{_percent(float(shares.max()))}; {_percent(share)} is {word}."
            if count
            else f"{_percent(share)} is {word}."
        )
    when = _when(int(numbers[order[0]]), times)
    told = [
        f"`{name}` ({_percent(of)}{when if place == 0 else ''})"
        for place, (name, of) in enumerate(first)
    ]
    roots_word = "Its first root is" if len(first) == 1 else "Its first roots are"
    return f"{roots_word} {_listed(told)}; {_percent(share)} is {word}."


def _when(root: int, times: Sliced | None) -> str:
    """Return when packets begin to wait because of a root, unless they do so from the start."""
    begun = None if times is None else begins(times.root_ps[:, root])
    if times is None or begun is None or begun < _LATER * len(times.begin_ps):
        return ""
    return f", from {scaled(int(times.begin_ps[begun]) / 1e6, MICROSECONDS, 3)} on"


def begins(waited_ps: Floats) -> int | None:
    """Return the slice in which waits begin; None if there are none."""
    most = float(waited_ps.max(initial=0.0))
    return int(np.argmax(waited_ps >= _BEGUN * most)) if most > 0 else None


def _whose(blame: Blame, names: Names, groups: Groups | None) -> str:
    """Return whose traffic is charged: classes, or groups of nodes where there are many."""
    culprits = blame.pairs.by(1)
    known = culprits.keys[:, 0] < NOBODY
    numbers, of_each = culprits.keys[known, 0], culprits.totals_ps[known] / blame.late_ps
    if not len(numbers):
        return "Nobody's traffic is told apart."
    if groups is not None:
        numbers, told = groups.by(numbers), groups.names
    else:
        told = tuple(names.traffic(number) for number in range(int(numbers.max()) + 1))
    shares = added(numbers, of_each, len(told))
    what = names.classes if groups is None else groups.what
    own = (
        ""
        if not blame.own_share >= _LITTLE
        else (f"; {_percent(blame.own_share)} is between messages of the same {names.classes}")
    )
    order = np.argsort(-shares, kind="stable")
    first = [row for row in order[:_ROOTS].tolist() if shares[row] >= _LITTLE]
    count = int((shares > 0).sum())
    if first and (count <= _ROOTS or shares[order[0]] >= _MANY):
        named = _listed([f"`{told[row]}` ({_percent(float(shares[row]))})" for row in first])
        return f"In the way is the traffic of {_kind_of(what, told[first[0]])}{named}{own}."
    most, plural = _percent(float(shares[order[0]])), {"switch": "switches", "class": "classes"}
    things = counted(count, what, plural.get(what, f"{what}s"))
    return f"In the way is the traffic of {things}, none with more than {most}{own}."


def _kind_of(what: str, name: str) -> str:
    """Return what names are, unless they begin with it."""
    return "" if name.startswith(what) else f"{what} "


def _listed(words: Sequence[str]) -> str:
    return (
        words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else ""
    )


def _percent(share: float) -> str:
    return f"{plain(100 * share, 2) if share < 0.995 else '100'} %"
