"""The page of `tailback report`: all results of a store."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tailback.analysis import channels_by_routing, channels_text, merged
from tailback.analysis.merging import needed
from tailback.comparison import MODES
from tailback.errors import one_line
from tailback.figures.labels import parameter_label
from tailback.sending.packs import is_pack
from tailback.store.columns import LIGHT, RATIO_PARTS
from tailback.store.points import PointStore
from tailback.store.records import Failure
from tailback.store.runs import Runs
from tailback.store.wire import by_identity
from tailback.tables.frames import Columns, dictionaries
from tailback.wording import number, plain
from tailback.wording.verdict import sentence

from . import across, blamed, deadlocks, looks, of_jobs, opening, paths, titles, traffic
from .content import Page, Section, Table
from .listing import Listing, estimate_in, failed_rows
from .loads import Loads
from .page import link_from, write
from .series import Series
from .shown import ALL, MOST, shown
from .terms import TERMS
from .variation import ORIGIN, PointChoices, Variation, ranks

NAME = "report.html"


def path_of(folder: Path, out: Path | None = None) -> Path:
    """Return where the report on `folder`, or on a pack, goes."""
    beside = folder.with_suffix(".html") if is_pack(folder) else folder / NAME
    return beside if out is None else out


def write_report(
    folder: Path,
    out: Path | None = None,
    title: str | None = None,
    pages: Mapping[str, Path] | None = None,
) -> Path:
    """Write the report on the store in `folder` into `out`; return its path.

    The default for `out` is `report.html` in the folder, or a page beside a pack; for `title`,
    the titles of the sweeps or a description of what was simulated. Raises `UserError` if there is
    no store, it is empty, or the file cannot be written.
    """
    path = path_of(folder, out)
    links = {identity: link_from(path, page) for identity, page in (pages or {}).items()}
    with _no_search_for_cycles():
        store = PointStore.open(folder)
        write(
            page_of(store, title, links) if store.has_points else _page_of_failures(store, title),
            path,
        )
    return path


@contextmanager
def _no_search_for_cycles() -> Iterator[None]:
    """Disable the cycle collector: a page consists of many objects without cycles.

    It would take a sixth of the time. Objects without cycles are still freed.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def points_with_pages(store: PointStore) -> dict[str, str]:
    """Return the points that a report has pages of, and the command that makes each, by identity.

    The first seed of each combination of parameters, and those that deadlock; `MOST` of each.
    """
    wanted = []
    if store.has_points:
        unread = store.unread_runs(without=LIGHT)
        everything = Variation.of(unread.columns(unread.schema.names), store.sweeps())
        runs = unread.of(shown(everything, few=True).points).read()
        variation = Variation.of(by_identity(runs), store.sweeps())
        first: dict[tuple[Any, ...], Mapping[str, Any]] = {}
        for row in variation.rows:
            first.setdefault(tuple(row[name] for name in everything.own), row)
        wanted = [(row["identity"], everything.asked, row) for row in first.values()]
    still = [failure for failure in _failures(store) if failure.standstill is not None]
    wanted += [(one.identity, tuple(one.varied), one.varied) for one in still[:MOST]]
    start = looks.command(store.folder)
    return {
        identity: f"{start} {looks.options(columns, row) or ''}".strip()
        for identity, columns, row in wanted
    }


def page_of(
    store: PointStore, title: str | None = None, pages: Mapping[str, str] | None = None
) -> Page:
    """Return the report on a store; by default its title is that of its sweeps.

    `pages`: addresses of the pages of points, by identity.
    """
    pages = pages or {}
    sweeps = store.sweeps()
    unread = store.unread_runs(without=LIGHT)  # which no part of a report needs
    whole = unread.columns(unread.schema.names)
    everything = Variation.of(whole, sweeps)
    chosen = shown(everything)
    seeds = by_identity(unread.of(chosen.seeds).read())
    runs = seeds.filter(pc.is_in(seeds["identity"], chosen.points)) if chosen.text else seeds
    variation = Variation.of(runs, sweeps) if chosen.text else everything
    choices = PointChoices(variation)
    failures = _failures(store)
    rows = dictionaries(runs)
    listing = Listing(variation, rows, failures[:ALL], pages)
    varied, common = Listing(everything, rows, failures).parameters()
    sections: list[Section] = []
    if variation.columns:
        known = [metric for metric in across.METRICS if metric in runs.column_names]
        read = needed(runs.column_names, known, runs.column_names)
        drawn = seeds.select(read) if chosen.text else runs
        series = Series(variation, merged(drawn, values=known), drawn)
        sections += [*opening.sections(series), across.section(series)]
    modes = [mode for mode in MODES if mode in {*whole["mode"].unique().to_pylist()}]
    channels = channels_by_routing(whole, sweeps)
    loads = Loads(store, choices, modes, rows)
    loads.read([row["identity"] for row in variation.rows], fewer=bool(chosen.text))
    sections.append(loads.section(pages))
    classes = traffic.section(store, variation)
    if classes is not None:
        sections.append(classes)
    jobs = of_jobs.section(rows, variation)
    if jobs is not None:
        sections.append(jobs)
    path = paths.section(store, runs, variation)
    if path is not None:
        sections.append(path)
    who = blamed.section(store, runs, sweeps)
    if who is not None:
        sections.append(who)
    still = deadlocks.section(failures[:ALL])
    if still is not None:
        sections.append(still)
    sections.append(_points(listing, looks.text(store.folder), chosen.text))
    what = (varied, common) if varied.rows else (common,)
    sections.append(Section("What was run", what))
    return Page(
        title=one_line(title or "").strip() or _title(sweeps, rows[0], everything),
        lead=(
            _machine(rows[0], everything),
            *_findings(whole, unread, everything),
            *([chosen.text] if chosen.text else []),
        ),
        sections=tuple(sections),
        facts=tuple(_facts(whole, everything, failures, modes, channels)),
        terms=TERMS,
    )


def _points(listing: Listing, looked: str, cut: str) -> Section:
    """Return the section that lists points; `cut` says that these are not all."""
    if cut:
        return Section("Points", (f"{cut} {_EACH_POINT}", looked, listing.points()))
    return Section("All points", (_EACH_POINT, looked, listing.points()))


def _page_of_failures(store: PointStore, title: str | None) -> Page:
    """Return the report on a store in which all points failed."""
    failures, sweeps = _failures(store), store.sweeps()
    if not failures:
        store.runs()  # Refused with the reason.
    columns = [*dict.fromkeys(name for failure in failures for name in failure.varied)]
    table = Table(
        (*map(parameter_label, columns), "state"),
        tuple(failed_rows(failures, columns, len(columns) + 1)),
        searchable=True,
    )
    still = deadlocks.section(failures)
    listed = Section("All points", ("No point could be simulated.", table))
    return Page(
        title=one_line(title or "").strip() or titles.given(sweeps) or "Nothing simulated",
        sections=(listed,) if still is None else (still, listed),
        facts=(("failed points", f"{len(failures):,}"),),
        terms=TERMS,
    )


def _failures(store: PointStore) -> list[Failure]:
    """Return the failed points, in the order of the varied parameters."""
    return sorted(store.failures(), key=lambda failure: ranks(failure.varied))


def _title(sweeps: Sequence[dict[str, Any]], row: Mapping[str, Any], seen: Variation) -> str:
    """Return the given title, or a description with the varied parameters."""
    return titles.given(sweeps) or titles.with_variation(titles.simulated(row, seen), seen)


def _machine(row: dict[str, Any], variation: Variation) -> str:
    """Return what was simulated in one sentence; varied parameters are marked as such."""

    def told(column: str) -> str | None:
        return variation.told(row, column)

    words = [f"topology {told('machine.topology.kind')}"]
    sizes = (("dims", "of"), ("dimensions", "of dimension"))
    for key, label in sizes if words[0] != "topology several" else ():
        if size := told(f"machine.topology.{key}"):
            words[0] += f" {label} {size}"
    if routing := told("machine.routing.kind"):
        words.append(f"routing {routing}")
    words.append(f"workload {told('workload.kind')}" if told("workload.kind") else "several jobs")
    if (pattern := told("workload.pattern")) not in (None, "uniform"):
        words.append(f"pattern {pattern}")
    if sync := told("workload.sync"):
        words.append(f"synchronisation {sync}")
    fidelity = told("run.fidelity")
    words.append(f"fidelity {fidelity}{' (an estimate)' if fidelity == 'fluid' else ''}")
    return "Machine: " + ", ".join(words) + "."


def _findings(runs: Columns, unread: Runs, variation: Variation) -> list[str]:
    """Return a sentence on the point with the highest cost of contention."""
    for name in ("theta_c", "theta_r"):
        if name not in runs.column_names:
            continue
        least = pc.min(column := runs[name])
        if least.is_valid:
            place = pc.index(column, least).as_py()
            of_point = unread.of(pa.array([runs["identity"][place].as_py()])).read(
                {*(name + part for part in RATIO_PARTS), "run.baseline", *variation.columns}
            )
            [worst] = [row for row in dictionaries(of_point) if row[name] == least.as_py()][:1]
            theta, baseline = estimate_in(worst, name), worst["run.baseline"]
            place = variation.text(worst, variation.columns)
            where = f"lowest, {number(theta)}, where {place}" if place else number(theta)
            said = sentence(name, theta, baseline)
            return [f"`{name}` (full against {baseline}) is {where}. {said}"]
    return []


def _facts(
    runs: Columns,
    variation: Variation,
    failures: Sequence[Failure],
    modes: Sequence[str],
    channels: Mapping[str, Sequence[int]],
) -> list[tuple[str, str]]:
    cut = np.zeros(runs.num_rows, bool)
    if "cut_off" in runs.column_names:
        cut = runs["cut_off"].is_valid().to_numpy()
    cut_off = int(cut.sum())
    unsettled = int((~runs["steady"].to_numpy() & ~cut).sum())
    saturated = pc.sum(runs["saturated"]).as_py() or 0
    return [
        ("points", f"{variation.points.num_rows:,}"),
        ("runs", f"{runs.num_rows:,}"),
        ("modes", ", ".join(modes)),
        ("seeds", str(pc.count_distinct(variation.points["run.seed"]).as_py())),
        ("failed points", f"{len(failures):,}"),
        ("runs not settled", f"{unsettled:,}"),
        *([("runs cut off by a limit", f"{cut_off:,}")] if cut_off else []),
        *([("runs saturated", f"{saturated:,}")] if saturated else []),
        *([("virtual channels", channels_text(channels))] if channels else []),
        ("channel crossings", f"{plain(pc.sum(runs['packet_hops']).as_py() / 1e6, 3)} M"),
        ("Tailback", _version(variation)),
    ]


def _version(variation: Variation) -> str:
    found = [variation.points[name].unique().to_pylist() for name in ORIGIN]
    versions = [", ".join(map(str, sorted(each))) for each in found]
    return f"{versions[0]} (results {versions[1]})"


_EACH_POINT = (
    "Every point with its own seed, means with half of their confidence interval. A click on a "
    "heading sorts. Rates are per node and millisecond."
)
