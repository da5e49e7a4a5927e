"""All maps of a report as one drawing: a surface for each point, mode and measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from tailback.figures.drawing import Axis, Choice, Drawing, Key, Layer, Settings
from tailback.figures.maps import Form, Scale

_SCALES: dict[Scale, str] = {
    "from_zero": "0 to most here",
    "own": "least to most here",
    "common": "0 to most anywhere",
}


@dataclass(eq=False)
class Surface:
    """The values of all maps of nodes, of channels or of pairs, as they are read."""

    measures: Mapping[str, Axis]
    settings: dict[Key, Settings] = field(default_factory=dict)
    """By point, mode and measure."""
    forms: dict[Key, Form | None] = field(default_factory=dict)
    """How the machine of each point is drawn."""
    most: dict[str, float] = field(default_factory=dict)
    """Highest value of each measure."""

    def add(self, key: Key, form: Form | None, values: Mapping[str, NDArray[Any]]) -> None:
        """Add the measures of a run; `key`: its point and mode."""
        self.forms[key[:-1]] = form
        if form is None:
            return
        for number, name in enumerate(self.measures):
            self.settings[(*key, number)] = form.values(values[name])
            self.most[name] = max(self.most.get(name, 0.0), form.highest(values[name]))

    def drawing(
        self, choices: Sequence[Choice], modes: Sequence[str], start: int
    ) -> Drawing | None:
        """Return the drawing of all maps; None if no machine can be drawn.

        `choices`: those of the point; `start`: the mode that is shown at first.
        """
        drawn = {key: form for key, form in self.forms.items() if form is not None}
        if not drawn:
            return None
        first = drawn.get(tuple(choice.start for choice in choices)) or next(iter(drawn.values()))
        several = len({id(form) for form in drawn.values()}) > 1
        point = tuple(choice.name for choice in choices)
        layers = []
        if several:
            wholes = {id(form): _whole(form) for form in drawn.values()}
            layers.append(Layer(point, {key: wholes[id(form)] for key, form in drawn.items()}))
        layers.append(Layer((*point, "mode", "measure"), self.settings))
        layers.append(self._scales(point if several else (), drawn, first))
        options = tuple(axis.label for axis in self.measures.values())
        return Drawing(
            plot=first.plot,
            table={**first.table, "value": []},
            choices=(
                *choices,
                Choice("mode", "mode", tuple(modes), start),
                Choice("measure", "measure", options),
                Choice("scale", "scale", tuple(_SCALES.values())),
            ),
            layers=tuple(layers),
            height_px=max((form.height_px or 0) for form in drawn.values()) or None,
        )

    def _scales(self, by: tuple[str, ...], drawn: Mapping[Key, Form], first: Form) -> Layer:
        """Return titles and ends of the scales, for every measure and form."""
        settings: dict[Key, Settings] = {}
        made: dict[tuple[int, int, int], Settings] = {}
        for key, form in drawn.items() if by else [((), first)]:
            for number, (name, axis) in enumerate(self.measures.items()):
                for k, scale in enumerate(_SCALES):
                    same = (id(form), number, k)
                    if same not in made:
                        made[same] = form.scale(name, axis, scale, self.most[name])
                    settings[(*key, number, k)] = made[same]
        return Layer((*by, "measure", "scale"), settings)


def _whole(form: Form) -> Settings:
    columns = [{"name": name, "values": values} for name, values in form.table.items()]
    columns.append({"name": "value", "values": []})
    return {("data",): form.plot["data"], ("layout",): form.plot["layout"], ("table",): columns}
