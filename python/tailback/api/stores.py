"""Sweeps and their results: `sweep`, `table`, `plot`, `write_report`."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from tailback.errors import UserError, choice
from tailback.store.points import PointStore

if TYPE_CHECKING:
    import pyarrow as pa

    from tailback.execution import Pool
    from tailback.plots import Plot
    from tailback.sweeps import Sweep

Results: TypeAlias = PointStore | str | os.PathLike[str]
"""What `sweep` returned, or the folder it was written into."""


def sweep(
    what: Sweep | str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    pool: Pool | None = None,
    progress: bool = False,
) -> PointStore:
    """Run all points of a sweep, or of the file of one, and return the folder of results.

    What `out` holds already is kept; a file of it that is damaged is warned about and made again.
    `pool` does the work: by default
    a `LocalPool` of one process per processor (a program that calls this needs
    `if __name__ == "__main__":` around it, as with any new processes). Points
    that fail are in `failures()` of the store. Raises `UserError` for mistakes in the file, and
    `KeyboardInterrupt` on Ctrl-C: the same call then goes on from there.
    """
    from tailback.execution import LocalPool
    from tailback.sweeps import Sweep
    from tailback.sweeps.running import SweepRun

    asked = what if isinstance(what, Sweep) else Sweep.load(Path(what))
    run = SweepRun(asked, Path(out), "out")
    for problem in run.damaged:
        warnings.warn(problem, stacklevel=2)
    with LocalPool() if pool is None else nullcontext(pool) as workers:
        run.run(workers, progress=progress)
    return run.store


def table(  # noqa: PLR0913  # each a thing that can be asked for
    results: Results,
    fields: Sequence[str] | None = None,
    conditions: Sequence[str] = (),
    over: Sequence[str] = ("run.seed",),
    sort: Sequence[str] = (),
    limit: int | None = None,
    *,
    rows: Literal["runs", "flows", "messages"] = "runs",
) -> pa.Table:
    """Return the runs of a sweep as an Arrow table, those that differ only in `over` merged.

    Without `fields`: what the sweep varied, and the main metrics with their intervals.
    `conditions` must all hold; rows are sorted by `sort` (`"-field"`: from high to low).
    Where the sweep has `run.keep_messages`, `rows` may be the flows or messages of each run
    instead. Raises `UserError` for a name or a condition that is not clear.
    """
    from tailback.analysis import flows_of, messages, tables

    store = store_of(results)
    if rows == "runs":
        return tables.table(store, fields, conditions, over, sort, limit)
    made = {"flows": flows_of, "messages": messages}
    if rows not in made:
        raise choice("rows", rows, ("runs", *made))
    return made[rows](store, fields, conditions, sort, limit)


def plot(  # noqa: PLR0913  # each a thing that can be asked for
    results: Results | Mapping[str, Results],
    x: str | None = None,
    y: str | None = None,
    *,
    mode: str | None = None,
    where: Sequence[str] = (),
    title: str | None = None,
    out: str | os.PathLike[str] | None = None,
    cdf: str | None = None,
    quantiles: str | None = None,
    heat: str | None = None,
    size: str | None = None,
    xlim: str | None = None,
    ylim: str | None = None,
    linear: str | None = None,
    log: str | None = None,
    end_at_saturation: bool = False,
) -> Plot:
    """Return the picture that suits the results of a sweep, or the one of `y` against `x`.

    `x` is a parameter that was varied, or a metric; `y` a metric, `theta_t` or `theta_r`. Or the
    distribution of what `cdf` names: that of a percentile without its end, such as
    `message_latency`, or `flow_completion`; `quantiles` is the same with room for the slowest. Or a
    map of colours of `y` by `x` and the parameter `heat`. Several results by name are drawn in one
    picture. Runs for which `where` does not hold are left out. `size` is `single` or `double`
    (columns of a paper), `"3.5x2.6"` (inches) or `"88x66mm"`; `xlim` and `ylim` are `"LOW:HIGH"`;
    `linear` and `log` name the axes: `x`, `y` or `xy`. `out` is a file to write it into: SVG,
    or PDF and PNG with the extra `plot`. A notebook shows what is returned. Raises
    `UserError` for names that are not known, and where nothing was varied.
    """
    from tailback import plots

    stores: PointStore | dict[str, PointStore]
    if isinstance(results, Mapping):
        stores = {name: store_of(each) for name, each in results.items()}
    else:
        stores = store_of(results)
    choices = plots.Choices(
        *(x, y, cdf, quantiles, heat, mode, tuple(where), title, size),
        *(xlim, ylim, linear, log, end_at_saturation),
    )
    made = plots.drawn(stores, choices)
    if out is not None:
        made.save(out)
    return made


def write_report(
    folder: Results,
    out: str | os.PathLike[str] | None = None,
    title: str | None = None,
    *,
    pages: bool = False,
) -> Path:
    """Write the HTML page on the results in `folder`; return where it is.

    `out`: by default `report.html` in the folder. `title`: what was simulated unless it, or
    the sweep (`run.title`), says something else. With `pages`, points are run once more for
    their pages of `look`, into a folder beside it, and it links to these. Raises `UserError` if
    there are no results, or a file cannot be written.
    """
    from tailback.report import of_store

    place = folder.folder if isinstance(folder, PointStore) else _place_of(folder)
    path = None if out is None else Path(out)
    if not pages:
        return of_store.write_report(place, path, title)
    from tailback.look import write_pages

    return of_store.write_report(place, path, title, write_pages(place, path))


def store_of(results: Results) -> PointStore:
    """Return the results of a sweep; raise `UserError` if there are none in a folder."""
    if isinstance(results, PointStore):
        return results
    return PointStore.open(_place_of(results))


def _place_of(results: str | os.PathLike[str]) -> Path:
    place = Path(results)
    if place.suffix == ".toml":
        raise UserError(str(place), None, "is an experiment file; a folder of results is needed")
    return place
