"""Figures with what can be chosen in them: a view for each combination of options.

A page shows the view of what its reader has chosen; `Drawing.figure` is one of them for notebooks.
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
"""Numbers of the options chosen, one for each choice that a view depends on."""


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
"""What the ends of a scale are. No view depends on it: the page's script changes the ends."""


@dataclass(frozen=True, eq=False, slots=True)
class Drawing:
    """A figure before it is shown anywhere: its views, by what is chosen."""

    views: Mapping[Key, View]
    choices: tuple[Choice, ...] = ()

    @classmethod
    def of(cls, view: View) -> Drawing:
        """Return a figure in which nothing can be chosen."""
        return cls({(): view})

    @property
    def by(self) -> tuple[Choice, ...]:
        """The choices that views depend on: their keys have an option of each."""
        return tuple(choice for choice in self.choices if choice is not SCALE)

    @property
    def height_px(self) -> int | None:
        """The height of the highest view; None: the usual one."""
        return max((view.height_px or 0 for view in self.views.values()), default=0) or None

    def view(self, **options: str) -> View:
        """Return the view of options, by names of choices; others are as they start."""
        key = tuple(
            choice.options.index(options[choice.name]) if choice.name in options else choice.start
            for choice in self.by
        )
        return self.views[key]

    def chosen(self, **options: str) -> dict[str, Any]:
        """Return what a page shows of these options, see `parts_of`."""
        return parts_of(self.view(**options))

    @property
    def plot(self) -> dict[str, Any]:
        """Plotly's `data` and `layout` of the view at the start."""
        return pages.rendered(self.view())

    @property
    def table(self) -> Mapping[str, Any]:
        """The numbers of the view at the start, column by column."""
        return self.view().table

    def figure(self, **options: str) -> go.Figure:
        """Return plotly's figure of these options, on white, for notebooks."""
        return pages.figure(self.view(**options))


def parts_of(view: View) -> dict[str, Any]:
    """Return what a page shows of a view: plotly's `data` and `layout`, `table` and `note`.

    Of a map of colours or of the bars of a machine, also their highest value, here and in
    all views that are compared: `ends`.
    """
    ends = (view.most, view.most_anywhere)
    return {**pages.rendered(view), "table": view.table, "note": view.note, "ends": ends}


def choose(label: str, drawings: Mapping[str, Drawing], name: str = "view") -> Drawing:
    """Return several drawings as one, of which one is chosen by its key; the first at first."""
    members: dict[Key, Drawing] = {(i,): drawing for i, drawing in enumerate(drawings.values())}
    return one_of((Choice(name, label, tuple(drawings)),), members)


def one_of(choices: Sequence[Choice], members: Mapping[Key, Drawing]) -> Drawing:
    """Return drawings as one, of which one is chosen: keys are numbers of options.

    There need not be one for every combination; if there is none for the one at
    the start, the first member is shown at first. They may have choices
    themselves, if all have the same ones.
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
