"""Chooses the picture of a store and writes it into a file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tailback.analysis import channels_by_routing, channels_text, conditions, merged
from tailback.analysis.distributions import of_rows
from tailback.analysis.names import PARAMETERS, column_named, is_metric, is_percentile
from tailback.errors import UserError, shown
from tailback.figures import files
from tailback.figures.canvas import Sheet
from tailback.figures.curves import lines_view
from tailback.figures.labels import parameter_axis, parameter_label
from tailback.files import write_named
from tailback.helping import Helped
from tailback.metrics import THETAS
from tailback.report import across, titles, usual
from tailback.report.series import OFFERED, Abscissa, Series
from tailback.report.usual import Picture
from tailback.report.variation import Variation
from tailback.store.columns import LIGHT
from tailback.store.points import PointStore
from tailback.tables.frames import dictionaries

from . import cumulative
from .by_owner import Names, of_each, together

if TYPE_CHECKING:
    import pyarrow as pa

FOLDER = "plots"
"""Default folder for pictures, in the store."""

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

    picture: Picture
    title: str
    """Text above it."""

    @property
    def svg(self) -> str:
        """The picture as text of SVG."""
        return self._sheet().content("svg").decode()

    def save(self, path: str | os.PathLike[str], option: str = "--out") -> Path:
        """Write the picture into a file: `.svg`, or `.pdf` and `.png` with the extra `plot`.

        Raises `UserError` about `option` for another ending, or if it cannot be written.
        """
        place = Path(path)
        kind = check_kind(option, place)
        write_named(option, place, self._sheet().content(kind[1:]))
        return place

    def _sheet(self) -> Sheet:
        seen = self.picture
        x = seen.x
        if is_metric(x.column) and not x.percent:
            x = replace(x, from_zero=True)
        note = ((seen.caption,),) if seen.caption else ()
        return files.sheet(lines_view(seen.lines, x, seen.y, self.title, note))

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<Plot {self.title!r}, {len(self.picture.lines)} lines>"


def plot(  # noqa: PLR0913  # each a thing that can be asked for
    store: PointStore,
    x: str | None = None,
    y: str | None = None,
    *,
    mode: str | None = None,
    where: Sequence[str] = (),
    title: str | None = None,
    cdf: str | None = None,
) -> Plot:
    """Return the picture that suits a store, the one of `y` against `x`, or a distribution.

    `x` is a parameter that was varied, or a metric (then its value in mode `full` at the same
    point), `y` a metric or percentile, of a job or traffic class too, `theta_t` or `theta_r`; both
    as `tailback table` calls them. `cdf` is what is distributed: the name of a percentile without
    its end, such as `message_latency`, or `flow_completion`. An asterisk stands for each traffic
    class or job: `classes.*.message_latency`. Runs for which `where` does not hold are left out.
    Raises `UserError` for names that are not known, and where nothing was varied.
    """
    asked = {place: name for place, name in (("x", x), ("y", y)) if name is not None}
    if cdf is not None:
        if asked:
            raise UserError("cdf", shown(cdf), "has axes of its own; leave out x and y")
        asked = {"cdf": cdf}
    runs = _runs(store, where)
    columns = [*runs.column_names, *cumulative.known(runs.column_names)]
    each = of_each(asked, columns, partial(_is_known, columns))
    made = _Maker.of(store, runs, [] if cdf is not None else list(each.values()))
    pictures = {}
    for owner, own in each.items():
        if cdf is not None:
            seen = cumulative.picture(store, made.series, own["cdf"], mode, made.columns)
        else:
            seen = made.chosen(own.get("x"), own.get("y"), mode)
        pictures[owner] = seen
    return made.plot(together(pictures), title)


def _is_known(columns: Sequence[str], place: str, name: str) -> bool:
    try:
        column_named(name, dict.fromkeys(columns), place)
    except UserError:
        return False
    return True


def write_plots(
    store: PointStore,
    folder: Path,
    kind: str = ".svg",
    *,
    where: Sequence[str] = (),
    title: str | None = None,
) -> list[Path]:
    """Write all default pictures of a store into a folder; return their paths."""
    made = _Maker.of(store, _runs(store, where), [])
    plots = [made.plot(seen, title) for seen in made.usual()]
    folder.mkdir(parents=True, exist_ok=True)
    return [each.save(folder / f"{each.picture.name}{kind}") for each in plots]


@dataclass(frozen=True, eq=False)
class _Maker:
    """The runs of a store, grouped into lines."""

    series: Series
    columns: Sequence[str]
    subject: str
    """Description of what was simulated."""
    note: str = ""
    """Text below every picture."""

    @classmethod
    def of(cls, store: PointStore, runs: pa.Table, names: Sequence[Names]) -> _Maker:
        """Merge the measures of runs that `names` ask for."""
        sweeps = store.sweeps()
        columns = runs.column_names
        measures = []
        for place, asked in (pair for each in names for pair in each.items()):
            name = column_named(asked, columns, place)
            if name.startswith(PARAMETERS):
                continue
            if not (is_metric(name) or is_percentile(name) or name in THETAS):
                raise UserError(place, shown(name), "is no metric; docs/store.md lists them")
            measures.append(name)
        wanted = [n for n in dict.fromkeys((*across.METRICS, *measures)) if n in columns]
        frame = merged(
            runs,
            values=wanted,
            histograms=lambda points: store.nested("histograms", points),
            messages=lambda rows, metric: of_rows(store, rows, metric),
        )
        variation = Variation.of(runs, sweeps)
        series = Series(variation, frame, runs, tuple(m for m in measures if m not in THETAS))
        title = titles.title_of(sweeps, dictionaries(runs.slice(0, 1))[0], variation)
        channels = channels_by_routing(runs, sweeps)
        note = f"Virtual channels: {channels_text(channels)}." if channels else ""
        return cls(series, columns, title, note)

    def usual(self) -> list[Picture]:
        """Return the default pictures, at least one."""
        found = usual.usual(self.series)
        if not found and self.series.variation.columns:
            modes = "a sweep's modes must have full and run.baseline"
            raise UserError("plot", None, f"nothing to draw: no cost is known; {modes}")
        if not found:
            raise UserError("plot", None, "nothing to draw: no parameter was varied")
        return found

    def chosen(self, x: str | None, y: str | None, mode: str | None) -> Picture:
        """Return the requested picture, or the first default picture."""
        if x is None and y is None and mode is None:
            return self.usual()[0]
        if not self.series.variation.columns:
            raise UserError("plot", None, "nothing to draw: no parameter was varied")
        measure = self._measure(y)
        return usual.picture(self.series, self._against(x), measure, mode)

    def _measure(self, y: str | None) -> str:
        if y is None:
            return self.usual()[0].y.column
        name = column_named(y, self.columns, "y")
        if name.startswith(PARAMETERS):
            raise UserError("y", shown(y), "is a parameter; a metric is needed, such as theta_r")
        return name

    def _against(self, x: str | None) -> Abscissa:
        if x is None:
            return self._usual_abscissa()
        name = column_named(x, self.columns, "x")
        if not name.startswith(PARAMETERS):
            return self.series.load(name)
        if not self.series.variation.differs(name):
            raise UserError("x", shown(x), "is the same at all points")
        return Abscissa(parameter_label(name), parameter_axis(name), name, name)

    def _usual_abscissa(self) -> Abscissa:
        offered = [a for a in self.series.abscissas if a.column == OFFERED]
        known = self.series.load_parameter is not None
        return offered[0] if offered and known else self.series.abscissas[0]

    def plot(self, seen: Picture, title: str | None) -> Plot:
        """Return a picture with its title: what is drawn, and what was simulated."""
        caption = " ".join(filter(None, (seen.caption, self.note)))
        return Plot(replace(seen, caption=caption), title or f"{seen.title}: {self.subject}")


def _runs(store: PointStore, where: Sequence[str]) -> pa.Table:
    runs = store.runs(without=LIGHT)
    found = conditions.where(runs, *where)
    if found.num_rows == 0:
        raise UserError("where", shown(" and ".join(where)), "leaves no run")
    return found
