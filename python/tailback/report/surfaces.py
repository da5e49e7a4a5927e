"""All load maps of a report as one drawing: a view for each point, mode and measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from tailback.figures.drawing import SCALE, Axis, Choice, Drawing, Key, View
from tailback.figures.maps import Form, rounded


@dataclass(eq=False)
class Surface:
    """Collects the values of all maps of nodes, of channels or of pairs."""

    measures: Mapping[str, Axis]
    values: dict[Key, tuple[Form, Mapping[str, NDArray[Any]], tuple[tuple[str, ...], ...]]] = field(
        default_factory=dict
    )
    """By point and mode: the form of the map, the values by measure, and the note below."""

    def add(
        self,
        key: Key,
        form: Form,
        values: Mapping[str, NDArray[Any]],
        note: tuple[tuple[str, ...], ...] = (),
    ) -> None:
        """Add the measures of a run; `key`: point and mode."""
        self.values[key] = form, {name: rounded(values[name]) for name in self.measures}, note

    @property
    def kinds(self) -> set[str]:
        """The kinds of forms that occur."""
        return {form.kind for form, _, _ in self.values.values()}

    def drawing(self, choices: Sequence[Choice], modes: Sequence[str], start: int) -> Drawing:
        """Return the drawing of all maps, of which there must be at least one.

        `choices`: those of the point; `start`: the initial mode.
        """
        most = {
            name: max(form.highest(values[name]) for form, values, _ in self.values.values())
            for name in self.measures
        }
        views: dict[Key, View] = {
            (*key, number): form.view(name, axis, values[name], most[name], note)
            for key, (form, values, note) in self.values.items()
            for number, (name, axis) in enumerate(self.measures.items())
        }
        options = tuple(axis.label for axis in self.measures.values())
        mode, measure = (
            Choice("mode", "mode", tuple(modes), start),
            Choice("measure", "measure", options),
        )
        return Drawing(views, (*choices, mode, measure, SCALE))
