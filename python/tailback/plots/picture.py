"""A picture of results that can be shown, and saved with its numbers and choices beside it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tailback import csv_files
from tailback.errors import UserError, shown
from tailback.figures import files
from tailback.figures.canvas import Sheet
from tailback.figures.description import View
from tailback.files import write_named
from tailback.helping import Helped
from tailback.report.grids import Grid
from tailback.report.usual import Picture

from .choices import Choices

KINDS = (".svg", ".pdf", ".png")


def check_kind(option: str, path: Path) -> str:
    """Return the file name ending, which determines the format; raise `UserError` for others."""
    kind = path.suffix.lower()
    if kind not in KINDS:
        raise UserError(option, shown(str(path)), "must end in .svg, .pdf or .png")
    return kind


@dataclass(frozen=True, eq=False)
class Plot(metaclass=Helped):
    """A picture that can be shown and saved."""

    picture: Picture | Grid
    title: str
    """What it shows; drawn above it only if `choices` have a title."""
    choices: Choices
    results: Mapping[str, Path]
    """The folders of results by name; a single one without a name."""

    @property
    def svg(self) -> str:
        """The picture as text of SVG."""
        return self._sheet().content("svg").decode()

    @property
    def csv(self) -> str:
        """The numbers that are drawn, a row each."""
        table = self._view().table
        return csv_files.csv_text(table, zip(*table.values(), strict=True))

    def save(self, path: str | os.PathLike[str], option: str = "--out") -> Path:
        """Write the picture into a file: `.svg`, or `.pdf` and `.png` with the extra `plot`.

        Beside `cost.pdf` go `cost.plot.csv` with the numbers that are drawn, and `cost.plot.toml`
        with the choices, from which `tailback plot --from` draws it again. Raises `UserError` about
        `option` for another ending, or if it cannot be written.
        """
        place = Path(path)
        kind = check_kind(option, place)
        content = self._sheet().content(kind[1:])
        kept = place.with_suffix(".plot.toml")
        write_named(option, place, content)
        write_named(option, place.with_suffix(".plot.csv"), self.csv.encode())
        write_named(option, kept, self.choices.toml(kept, self.results, place.name).encode())
        return place

    def _view(self) -> View:
        return self.picture.view(self.title, self.choices.axes)

    def _sheet(self) -> Sheet:
        return files.sheet(self._view(), self.choices.paper)

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<Plot {self.title!r}>"
