"""Who is charged, by line and by traffic class: the tables of `blame`, the largest rows of each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tailback.answers.places import Groups
from tailback.charging import NOBODY, REST, Blame, Ints, Sums
from tailback.statistics import Floats

from .lines import Lines, added

MOST_ROWS = 8
"""Rows of one line or class that are told apart; the others are added up."""

MOST_IN_ALL = 5000
"""Of a table, but for the first row of each owner: the longest. It bounds the size of a page."""

OTHERS = -1
"""Stands for all that are not told apart."""
NONE = -2
"""Stands for nobody and for no channel: of a detour."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Times by owner and by what it has to do with: of each owner the longest first.

    The rest of an owner is one row, last, of `OTHERS`: rows of an owner add up to all it has.
    """

    owner: Ints
    other: Ints
    time_ps: Floats

    @classmethod
    def of(
        cls,
        owners: Ints,
        others: Ints,
        times_ps: Floats,
        most: int = MOST_ROWS,
        in_all: int | None = None,
    ) -> Rows:
        """Return the `most` longest rows of each owner, and the sum of the others.

        `in_all`: only the first row of each owner, and so many others, the longest.
        """
        order = np.lexsort((others, -times_ps, owners))
        owner, other, time_ps = owners[order], others[order], times_ps[order]
        first = np.flatnonzero(np.diff(owner, prepend=-1)) if len(owner) else owner
        lengths = np.diff(np.append(first, len(owner)))
        rank = np.arange(len(owner)) - np.repeat(first, lengths)
        is_rest = (rank >= most) | (other == OTHERS)
        if in_all is not None:
            further = np.flatnonzero(~is_rest & (rank > 0))
            is_rest[further[np.argsort(-time_ps[further], kind="stable")[in_all:]]] = True
        if not is_rest.any():
            return cls(owner, other, time_ps)
        known, place = np.unique(owner[is_rest], return_inverse=True)
        rest_ps = added(place.reshape(-1), time_ps[is_rest], len(known))
        kept = ~is_rest
        all_owners = np.concatenate([owner[kept], known])
        all_others = np.concatenate([other[kept], np.full(len(known), OTHERS)])
        all_ps = np.concatenate([time_ps[kept], rest_ps])
        order = np.lexsort((all_others == OTHERS, all_owners))
        # A stable sort: the longest stay first.
        return cls(all_owners[order], all_others[order], all_ps[order])

    @classmethod
    def empty(cls) -> Rows:
        """Return no rows."""
        none = np.zeros(0, dtype=np.int64)
        return cls(none, none, np.zeros(0))


@dataclass(frozen=True, eq=False)
class Charges:
    """Lateness of one run by root line and by traffic class, in picoseconds."""

    roots: Sums
    """By root line."""
    late_ps: Floats
    """Lateness that begins on each line."""
    victims: Rows
    """Of each root line: the classes that are late because of it."""
    culprits: Rows
    """Of each root line: the classes that are charged."""
    places: Rows
    """Of each class: the root lines where its lateness begins."""
    blamed: Rows
    """Of each class: those it is late because of."""
    delayed: Rows
    """Of each class: those that are late because of it."""
    causes: Rows
    """Of each line: why packets waited for it (numbers of `Blame.causes`)."""
    victims_by_group: Rows
    culprits_by_group: Rows
    """As `victims` and `culprits`, by group of nodes; of `OTHERS` as owner: of all lines."""

    @classmethod
    def of(cls, blame: Blame, lines: Lines, groups: Groups | None) -> Charges:
        """Return the charges of a run."""
        by_line = lines.sums(blame.channels.by(0, 1, 2))
        root, victim, culprit = (_numbers(part) for part in by_line.keys.T)
        times_ps = by_line.totals_ps
        roots = by_line.by(0)
        known = roots.keys[:, 0] < NOBODY
        late_ps = np.zeros(len(lines))
        late_ps[roots.keys[known, 0]] = roots.totals_ps[known]
        pairs = blame.pairs.by(0, 1)
        late, because_of = (_numbers(part) for part in pairs.keys.T)
        pairs_ps = pairs.totals_ps
        return cls(
            roots,
            late_ps,
            victims=_rows(root, victim, times_ps),
            culprits=_rows(root, culprit, times_ps),
            places=_rows(victim, root, times_ps),
            blamed=_rows(late, because_of, pairs_ps),
            delayed=_rows(because_of, late, pairs_ps),
            causes=_causes(blame, lines),
            victims_by_group=_by_group(groups, (root, victim, times_ps), (late, pairs_ps)),
            culprits_by_group=_by_group(groups, (root, culprit, times_ps), (because_of, pairs_ps)),
        )


def _by_group(
    groups: Groups | None, at_lines: tuple[Ints, Ints, Floats], of_all: tuple[Ints, Floats]
) -> Rows:
    """Return times by line and group, and by group in all."""
    if groups is None:
        return Rows.empty()
    line, who, times_ps = at_lines
    everybody, all_ps = of_all
    by_line = _rows(line, _grouped(groups, who), times_ps)
    zeros = np.zeros(len(everybody), dtype=np.int64)
    in_all = _rows(zeros, _grouped(groups, everybody), all_ps)
    return Rows(
        np.concatenate([np.full(len(in_all.owner), OTHERS), by_line.owner]),
        np.concatenate([in_all.other, by_line.other]),
        np.concatenate([in_all.time_ps, by_line.time_ps]),
    )


def _grouped(groups: Groups, classes: Ints) -> Ints:
    """Return the group of each class; what is below 0 is kept."""
    known = classes >= 0
    found = classes.copy()
    found[known] = np.array(groups.of_class, dtype=np.int64)[classes[known]]
    return found


def _causes(blame: Blame, lines: Lines) -> Rows:
    if blame.waits is None:
        return Rows.empty()
    sums = lines.sums(blame.waits)
    line, cause = sums.keys.T
    return _rows(_numbers(line), cause, sums.totals_ps)


def _numbers(keys: Ints) -> Ints:
    """Return the numbers of a part of keys, with what is not told apart below 0."""
    return np.where(keys == REST, OTHERS, np.where(keys == NOBODY, NONE, keys))


def _rows(owners: Ints, others: Ints, times_ps: Floats) -> Rows:
    """Return the longest rows of every owner that is told apart."""
    keys = np.column_stack([owners, others])
    known = owners >= 0
    if not known.any():
        return Rows.empty()
    counted = Sums(keys[known], np.ones(int(known.sum()), dtype=np.int64), times_ps[known, None])
    summed = counted.by(0, 1)
    return Rows.of(summed.keys[:, 0], summed.keys[:, 1], summed.totals_ps, in_all=MOST_IN_ALL)
