"""The matrix of victims and culprits: which classes it shows, or which groups of nodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tailback.answers.places import Groups
from tailback.charging import NOBODY, Blame
from tailback.figures.maps import matrix_form

from .content import Figure

if TYPE_CHECKING:
    from tailback.figures.drawing import Drawing
    from tailback.figures.maps import Form
    from tailback.figures.network import Floats, Ints

_READABLE = 32
"""Rows and columns of a matrix that can be read."""

MOST_CLASSES = 128
"""Most rows and columns of the matrix."""


def matrix_figure(drawing: Drawing, *, few: bool, untold: bool, grouped: bool) -> Figure:
    """Return the figure of victims and culprits.

    `few`: it shows only some classes; `untold`: some pairs are merged; `grouped`: nodes are taken
    together.
    """
    caption = (
        "A row for each class whose messages are late, a column for each that is charged; on the "
        "diagonal what a class costs itself. Colours go with the square root."
    )
    if grouped:
        caption += " Nodes are taken together: the tables name single ones."
    if few:
        caption += f" Only the {MOST_CLASSES} with the largest charges are here."
    if untold:
        caption += " Empty pairs cost nothing, or are not told apart."
    return Figure("blame", "Victims and culprits", drawing, caption)


@dataclass(frozen=True)
class Classes:
    """The traffic classes of a matrix."""

    victims: tuple[int, ...]
    culprits: tuple[int, ...]
    few: bool
    """Whether there are others."""

    @classmethod
    def of(cls, blames: Sequence[Blame]) -> Classes:
        """Return all classes, or those with the largest charges, by number."""
        pairs = [blame.pairs.by(0, 1) for blame in blames]
        keys = np.concatenate([sums.keys for sums in pairs])
        times_ps = np.concatenate([sums.totals_ps for sums in pairs])
        told = (keys < NOBODY).all(axis=1)
        delivered = [blame.victims.keys[:, 0] for blame in blames]
        every = np.unique(np.concatenate([keys[told].ravel(), *delivered]))
        if len(every) <= MOST_CLASSES:
            both = tuple(every.tolist())
            return cls(both, both, few=False)
        victims, culprits = (_largest(keys[told, part], times_ps[told]) for part in (0, 1))
        return cls(victims, culprits, few=True)

    def form(self, name: Callable[[int], str]) -> Form:
        """Return the form of the matrix of these classes, by their names."""
        victims, culprits = (
            [name(number) for number in numbers] for numbers in (self.victims, self.culprits)
        )
        return matrix_form(victims, culprits)

    def waits(self, blame: Blame) -> Floats:
        """Return mean lateness per message of the victim, in microseconds: row by row."""
        pairs = blame.pairs.by(0, 1)
        values = np.full((len(self.victims), len(self.culprits)), np.nan)
        rows, columns = (
            {number: place for place, number in enumerate(numbers)}
            for numbers in (self.victims, self.culprits)
        )
        messages = {victim: float(blame.messages(victim).sum()) for victim in self.victims}
        for (victim, culprit), time_ps in zip(pairs.keys.tolist(), pairs.totals_ps, strict=True):
            if victim in rows and culprit in columns and messages[victim]:
                values[rows[victim], columns[culprit]] = time_ps / 1e6 / messages[victim]
        return values.ravel()


def groups_for_matrix(
    blames: Sequence[Blame], found: Callable[[Sequence[int]], Groups]
) -> Groups | None:
    """Return the groups of a matrix whose classes are too many to be read; else None.

    `found`: the groups of known classes.
    """
    keys = np.concatenate([np.append(b.pairs.keys[:, :2], b.victims.keys[:, 0]) for b in blames])
    known = np.unique(keys[keys < NOBODY]).tolist()
    if len(known) <= _READABLE:
        return None
    groups = found(known)
    return None if groups.are_classes else groups


def _largest(classes: Ints, times_ps: Floats) -> tuple[int, ...]:
    """Return the classes with the largest charges, in order of their numbers."""
    known, place = np.unique(classes, return_inverse=True)
    sums = np.bincount(place.reshape(-1), weights=times_ps, minlength=len(known))
    order: list[int] = known[np.argsort(-sums, kind="stable")[:MOST_CLASSES]].tolist()
    return tuple(sorted(order))
