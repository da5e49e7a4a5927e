"""Chooses the picture of a store, or of several, and writes it into a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from tailback.analysis import channels_by_routing, channels_text, conditions, merged
from tailback.analysis.distributions import of_rows
from tailback.analysis.names import PARAMETERS, column_named, is_metric, is_percentile
from tailback.errors import UserError, shown
from tailback.figures.labels import parameter_axis, parameter_label
from tailback.metrics import THETAS
from tailback.report import across, titles, usual
from tailback.report.grids import Grid, grid
from tailback.report.series import OFFERED, Abscissa, Series
from tailback.report.usual import Picture
from tailback.report.variation import Variation
from tailback.store.columns import LIGHT
from tailback.store.points import PointStore
from tailback.tables.frames import dictionaries

from . import cumulative
from .by_owner import Names, of_each, of_stores, together
from .choices import Choices
from .picture import Plot
from .saturating import ended

if TYPE_CHECKING:
    import pyarrow as pa

Stores: TypeAlias = PointStore | Mapping[str, PointStore]
"""Results of a sweep, or of several by their names."""

FOLDER = "plots"
"""Default folder for pictures, in the store."""


def plot(results: Stores, x: str | None = None, y: str | None = None, **chosen: Any) -> Plot:
    """Return the picture of results that `Choices` of these names ask for."""
    return drawn(results, Choices(x, y, **chosen))


def drawn(results: Stores, choices: Choices) -> Plot:
    """Return the picture that suits results, or the one that is chosen.

    `x` is a parameter that was varied, or a metric (then its value in mode `full` at the same
    point), `y` a metric or percentile, of a job or traffic class too, `theta_t` or `theta_r`; both
    as `tailback table` calls them. `cdf` and `quantiles` are what is distributed: the name of a
    percentile without its end, such as `message_latency`, or `flow_completion`. `heat` is a
    parameter: a map of colours of `y` by `x` and it. An asterisk stands for each traffic
    class or job: `classes.*.message_latency`. Runs for which `where` does not hold are left out.
    Of several results, by name, lines are in one picture. Raises `UserError` for names that are
    not known, and where nothing was varied.
    """
    stores = _named(results)
    made = {name: _of_store(store, choices, len(stores)) for name, store in stores.items()}
    return _joined(results, choices, made)


def write_plots(
    results: Stores, folder: Path, kind: str = ".svg", choices: Choices | None = None
) -> list[Path]:
    """Write all default pictures of results into a folder; return their paths.

    Of several results: those pictures that all of them have.
    """
    choices = choices or Choices()
    stores = _named(results)
    makers = {name: _Maker.of(store, _runs(store, choices), []) for name, store in stores.items()}
    usual = {name: {seen.name: seen for seen in made.usual()} for name, made in makers.items()}
    first = next(iter(usual.values()))
    common = [seen for seen in first if all(seen in of_one for of_one in usual.values())]
    if not common:
        raise UserError("plot", None, "the results have no usual picture in common; choose one")
    plots = []
    for name in common:
        pictures = {store: (made, usual[store][name]) for store, made in makers.items()}
        plots.append(_joined(results, choices, pictures))
    folder.mkdir(parents=True, exist_ok=True)
    return [each.save(folder / f"{each.picture.name}{kind}") for each in plots]


def _named(results: Stores) -> Mapping[str, PointStore]:
    return {"": results} if isinstance(results, PointStore) else results


Made = tuple["_Maker", Picture | Grid]


def _joined(results: Stores, choices: Choices, made: Mapping[str, Made]) -> Plot:
    """Return one plot of the pictures of several results."""
    if len(made) == 1:
        [(maker, seen)] = made.values()
        text = f"{seen.title}: {maker.subject}"
    else:
        lines = {name: seen for name, (_, seen) in made.items() if isinstance(seen, Picture)}
        if len(lines) < len(made):
            raise UserError("heat", shown(choices.heat), "is drawn of one folder of results")
        seen = of_stores(lines)
        text = seen.title
    notes = dict.fromkeys(maker.note for maker, _ in made.values())
    caption = " ".join(filter(None, (seen.caption, *notes)))
    if choices.end_at_saturation and isinstance(seen, Picture):
        seen = ended(seen)
        caption = seen.caption if not caption else f"{caption} {seen.caption}"
    folders = {name: store.folder for name, store in _named(results).items()}
    return Plot(replace(seen, caption=caption), choices.title or text, choices, folders)


def _of_store(store: PointStore, choices: Choices, stores: int) -> Made:
    """Return the chosen picture of one of so many stores; of several, in mode `full` by default."""
    names = {"x": choices.x, "y": choices.y, "cdf": choices.cdf, "quantiles": choices.quantiles}
    asked = {place: name for place, name in names.items() if name is not None}
    runs = _runs(store, choices)
    columns = [*runs.column_names, *cumulative.known(runs.column_names)]
    each = of_each(asked, columns, partial(_is_known, columns))
    distributed = choices.cdf is not None or choices.quantiles is not None
    made = _Maker.of(store, runs, [] if distributed else list(each.values()))
    if choices.heat is not None:
        return made, made.map(choices.x, choices.heat, choices.y, choices.mode)
    mode = choices.mode
    if mode is None and stores > 1 and "full" in made.series.modes:
        mode = "full"
    pictures = {}
    for owner, own in each.items():
        if distributed:
            [(kind, wanted)] = own.items()
            seen = cumulative.picture(store, made.series, wanted, mode, made.columns, kind)
        else:
            seen = made.chosen(own.get("x"), own.get("y"), mode)
        pictures[owner] = seen
    return made, together(pictures)


def _is_known(columns: Sequence[str], place: str, name: str) -> bool:
    try:
        column_named(name, dict.fromkeys(columns), place)
    except UserError:
        return False
    return True


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

    def map(self, x: str | None, up: str, y: str | None, mode: str | None) -> Grid:
        """Return the map of a metric by two parameters."""
        rows = self._parameter("heat", up)
        others = [column for column in self.series.variation.columns if column != rows]
        if x is None and not others:
            raise UserError("heat", shown(up), "is all that was varied; a map needs two parameters")
        columns = self._parameter("x", x) if x is not None else others[0]
        if rows == columns:
            raise UserError("heat", shown(up), "is what x is, too; a map needs two parameters")
        measure, modes = self._measure(y), self.series.modes
        shown_mode = mode or ("full" if "full" in modes else modes[0])
        found = grid(self.series, columns, rows, measure, shown_mode)
        if found is None:
            raise UserError("y", shown(y), f"is not known at any point in mode {shown_mode}")
        return found

    def _parameter(self, place: str, given: str) -> str:
        """Return the column of a parameter that was varied."""
        name = column_named(given, self.columns, place)
        if not name.startswith(PARAMETERS):
            raise UserError(place, shown(given), "is a metric; a map is of two parameters")
        if not self.series.variation.differs(name):
            raise UserError(place, shown(given), "is the same at all points")
        return name


def _runs(store: PointStore, choices: Choices) -> pa.Table:
    runs = store.runs(without=LIGHT)
    found = conditions.where(runs, *choices.where)
    if found.num_rows == 0:
        raise UserError("where", shown(" and ".join(choices.where)), "leaves no run")
    return found
