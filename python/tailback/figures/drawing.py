"""Figures with choices: one view for each combination of options.

A page shows the view that its reader chooses; `Drawing.figure` shows one in a notebook.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from . import pages
from .description import Axis, Cells, View

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["SCALE", "Axis", "Cells", "Choice", "Drawing", "Key", "View", "choose", "one_of"]

Key = tuple[int, ...]
"""The chosen options by number, one for each choice that views depend on."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A control: one of several options, the first one unless `start` says otherwise."""

    name: str
    """Choices with one name are one control where a section of a page holds it."""
    label: str
    options: tuple[str, ...]
    start: int = 0
    form: Literal["menu", "slider"] = "menu"


SCALE = Choice("scale", "scale", ("0 to most here", "least to most here", "0 to most anywhere"))
"""Ends of a colour scale. Views do not depend on it: the page's script sets the ends."""


@dataclass(frozen=True, eq=False, slots=True)
class Drawing:
    """A figure: its views by the chosen options."""

    views: Mapping[Key, View]
    choices: tuple[Choice, ...] = ()

    @classmethod
    def of(cls, view: View) -> Drawing:
        """Return a figure without choices."""
        return cls({(): view})

    @property
    def by(self) -> tuple[Choice, ...]:
        """The choices that views depend on, in the order of their keys."""
        return tuple(choice for choice in self.choices if choice is not SCALE)

    @property
    def height_px(self) -> int | None:
        """The largest height of all views; None: the usual height."""
        return max((view.height_px or 0 for view in self.views.values()), default=0) or None

    def view(self, **options: str) -> View:
        """Return the view for options given by the names of their choices; the rest are initial."""
        key = tuple(
            choice.options.index(options[choice.name]) if choice.name in options else choice.start
            for choice in self.by
        )
        return self.views[key]

    def chosen(self, **options: str) -> dict[str, Any]:
        """Return what a page shows for these options, see `parts_of`."""
        return parts_of(self.view(**options))

    @property
    def plot(self) -> dict[str, Any]:
        """Plotly's `data` and `layout` of the initial view."""
        return pages.rendered(self.view())

    @property
    def table(self) -> Mapping[str, Any]:
        """The numbers of the initial view, by column."""
        return self.view().table

    def figure(self, **options: str) -> go.Figure:
        """Return plotly's figure of these options, on white, for notebooks."""
        return pages.figure(self.view(**options))


def parts_of(view: View) -> dict[str, Any]:
    """Return what a page shows of a view: plotly's `data` and `layout`, `table` and `note`.

    `ends`: the highest value of the colour scale (or bars), here and in all comparable views.
    """
    ends = (view.most, view.most_anywhere)
    return {**pages.rendered(view), "table": view.table, "note": view.note, "ends": ends}


def choose(label: str, drawings: Mapping[str, Drawing], name: str = "view") -> Drawing:
    """Return several drawings as one with a choice between them; the first is shown initially."""
    members: dict[Key, Drawing] = {(i,): drawing for i, drawing in enumerate(drawings.values())}
    return one_of((Choice(name, label, tuple(drawings)),), members)


def one_of(choices: Sequence[Choice], members: Mapping[Key, Drawing]) -> Drawing:
    """Return drawings as one with choices between them; keys are numbers of options.

    Combinations may be missing; if the initial one is, the first member is shown initially.
    Members may have choices of their own, the same for all. Raises `ValueError` otherwise.
    """
    start = tuple(choice.start for choice in choices)
    if start not in members:
        start = next(iter(members))
        choices = [replace(c, start=i) for c, i in zip(choices, start, strict=True)]
    inner = members[start].choices
    if any(member.choices != inner for member in members.values()):
        raise ValueError("drawings to choose from must have the same choices")
    views = {
        (*key, *within): view
        for key, member in members.items()
        for within, view in member.views.items()
    }
    return Drawing(views, (*choices, *inner))
