"""The report on a folder of points: what `tailback report` writes."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from tailback.analysis import merged
from tailback.comparison import MODES
from tailback.figures.labels import value_text
from tailback.store.points import Failure, PointStore
from tailback.wording import number, plain, rate_sentence

from . import across, blamed, opening, titles
from .listing import Listing, estimate_in
from .loads import Loads
from .page import Page, Section, write
from .series import Series
from .terms import TERMS
from .variation import ORIGIN, PointChoices, Variation

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

    from tailback.charging import Blame

NAME = "report.html"


class Store(Protocol):
    """What a report is made from: a `PointStore`, or something like it."""

    def runs(self) -> pl.LazyFrame:
        """Return one row per run."""

    def tables(
        self, identity: str, wanted: Mapping[str, Iterable[str]]
    ) -> Mapping[str, Mapping[str, pa.Table]]:
        """Return columns of large tables of a point, by mode and name."""

    def blame(self, identity: str) -> Mapping[str, Blame]:
        """Return who made whom wait at a point, by mode."""

    def failures(self) -> list[Failure]:
        """Return the points that could not be simulated."""

    def sweeps(self) -> list[dict[str, Any]]:
        """Return what sweeps asked for."""


def write_report(folder: Path, out: Path | None = None, title: str | None = None) -> Path:
    """Write the report on the store in `folder` into `out`; return where it is.

    `title` is that of the page, unless the sweeps have one or it says what was simulated.

    By default it is `report.html` in the folder. Raises `UserError` if there is
    no store, no finished point in it, or the file cannot be written.
    """
    path = folder / NAME if out is None else out
    with _no_search_for_cycles():
        write(page_of(PointStore.open(folder), title), path)
    return path


@contextmanager
def _no_search_for_cycles() -> Iterator[None]:
    """Keep the garbage collector still: a page is made of very many objects and has no cycles.

    It would take a sixth of the time. Objects without cycles are freed all the same.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def page_of(store: Store, title: str | None = None) -> Page:
    """Return the report on a store; its title, if none is given, is that of its sweeps."""
    sweeps = store.sweeps()
    runs = _runs(store)
    variation = Variation.of(runs, sweeps)
    choices = PointChoices(variation)
    failures = store.failures()
    rows = runs.to_dicts()
    listing = Listing(variation, rows, failures)
    varied, common = listing.parameters()
    sections: list[Section] = []
    if variation.columns:
        frame = merged(runs, values=[m for m in across.METRICS if m in runs.columns])
        series = Series(variation, frame, runs)
        sections += [*opening.sections(series), across.section(series)]
    modes = [mode for mode in MODES if mode in set(runs["mode"])]
    loads = Loads(store, choices, modes)
    loads.read(variation.points["identity"].to_list())
    sections.append(loads.section())
    who = blamed.section(store, runs, sweeps)
    if who is not None:
        sections.append(who)
    sections.append(Section("All points", (_ALL_POINTS, listing.points())))
    what = (varied, common) if varied.rows else (common,)
    sections.append(Section("What was run", what))
    return Page(
        title=(title or "").strip() or _title(sweeps, runs.row(0, named=True), variation),
        lead=(_machine(runs.row(0, named=True), variation), *_findings(rows, variation)),
        sections=tuple(sections),
        facts=tuple(_facts(rows, variation, failures, modes)),
        terms=TERMS,
    )


def _runs(store: Store) -> pl.DataFrame:
    """Return all runs, without what no part of a report needs."""
    runs = store.runs()
    names = runs.collect_schema().names()
    return runs.select([name for name in names if name != "moments"]).collect()


def _title(sweeps: Sequence[dict[str, Any]], row: Mapping[str, Any], seen: Variation) -> str:
    """Return the title that was given; a derived one also names what was varied."""
    found = titles.title_of(sweeps, row, seen)
    derived = titles.simulated(row, seen)
    return titles.with_variation(derived, seen) if found == derived else found


def _machine(row: dict[str, Any], variation: Variation) -> str:
    """Return what was simulated, in one sentence; what varies is said to vary."""

    def told(column: str) -> str:
        if column in variation.points.columns and variation.differs(column):
            return "several"
        return value_text(column, row.get(column))

    words = [f"topology {told('machine.topology')}"]
    for column, label in (("machine.dims", "of"), ("machine.dimensions", "of dimension")):
        if row.get(column) is not None:
            words[0] += f" {label} {told(column)}"
    words.append(f"workload {told('workload.kind')}")
    if row.get("workload.pattern") is not None and told("workload.pattern") != "uniform":
        words.append(f"pattern {told('workload.pattern')}")
    if row.get("workload.sync") is not None:
        words.append(f"synchronisation {told('workload.sync')}")
    words.append(f"fidelity {told('run.fidelity')}")
    return "Machine: " + ", ".join(words) + "."


def _findings(rows: Sequence[dict[str, Any]], variation: Variation) -> list[str]:
    """Return where contention costs most, in a sentence."""
    known = [row for row in rows if row.get("theta_r") is not None and row["steady"]]
    if not known:
        return []
    worst = min(known, key=lambda row: row["theta_r"])
    theta = estimate_in(worst, "theta_r")
    place = variation.text(worst, variation.columns)
    if not place:
        return [f"`theta_r` is {number(theta)}. {rate_sentence(theta)}"]
    return [f"`theta_r` is lowest, {number(theta)}, where {place}. {rate_sentence(theta)}"]


def _facts(
    rows: Sequence[dict[str, Any]],
    variation: Variation,
    failures: Sequence[Failure],
    modes: Sequence[str],
) -> list[tuple[str, str]]:
    unsettled = sum(not row["steady"] for row in rows)
    saturated = sum(bool(row["saturated"]) for row in rows)
    return [
        ("points", f"{len(variation.points):,}"),
        ("runs", f"{len(rows):,}"),
        ("modes", ", ".join(modes)),
        ("seeds", str(variation.points["run.seed"].n_unique())),
        ("failed points", f"{len(failures):,}"),
        ("runs not settled", f"{unsettled:,}"),
        *([("runs saturated", f"{saturated:,}")] if saturated else []),
        ("channel crossings", f"{plain(sum(row['packet_hops'] for row in rows) / 1e6, 3)} M"),
        ("Tailback", _version(variation)),
    ]


def _version(variation: Variation) -> str:
    versions = [", ".join(map(str, variation.points[name].unique().sort())) for name in ORIGIN]
    return f"{versions[0]} (results {versions[1]})"


_ALL_POINTS = (
    "Every point with its own seed, means with half of their confidence interval. A click on a "
    "heading sorts. Rates are per node and millisecond."
)
