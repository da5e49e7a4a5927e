"""The page of `tailback report`: all results of a store."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tailback.analysis import channels_by_routing, channels_text, merged
from tailback.comparison import MODES
from tailback.errors import one_line
from tailback.figures.labels import parameter_label
from tailback.sending import is_pack
from tailback.store.columns import LIGHT
from tailback.store.points import PointStore
from tailback.store.records import Failure
from tailback.tables.frames import dictionaries, values
from tailback.wording import number, plain
from tailback.wording.verdict import sentence

from . import across, blamed, deadlocks, looks, of_jobs, opening, paths, titles, traffic
from .content import Page, Section, Table
from .listing import Listing, estimate_in, failed_rows
from .loads import Loads
from .page import write
from .series import Series
from .terms import TERMS
from .variation import ORIGIN, PointChoices, Variation, ranks

if TYPE_CHECKING:
    pass

NAME = "report.html"


def write_report(folder: Path, out: Path | None = None, title: str | None = None) -> Path:
    """Write the report on the store in `folder` into `out`; return its path.

    The default for `out` is `report.html` in the folder, or a page beside a pack; for `title`,
    the titles of the sweeps or a description of what was simulated. Raises `UserError` if there is
    no store, it is empty, or the file cannot be written.
    """
    beside = folder.with_suffix(".html") if is_pack(folder) else folder / NAME
    path = beside if out is None else out
    with _no_search_for_cycles():
        store = PointStore.open(folder)
        write(page_of(store, title) if store.has_points else _page_of_failures(store, title), path)
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


def page_of(store: PointStore, title: str | None = None) -> Page:
    """Return the report on a store; by default its title is that of its sweeps."""
    sweeps = store.sweeps()
    runs = store.runs(without=LIGHT)  # which no part of a report needs
    variation = Variation.of(runs, sweeps)
    choices = PointChoices(variation)
    failures = _failures(store)
    rows = dictionaries(runs)
    listing = Listing(variation, rows, failures)
    varied, common = listing.parameters()
    sections: list[Section] = []
    if variation.columns:
        frame = merged(runs, values=[m for m in across.METRICS if m in runs.column_names])
        series = Series(variation, frame, runs)
        sections += [*opening.sections(series), across.section(series)]
    modes = [mode for mode in MODES if mode in set(values(runs["mode"]))]
    channels = channels_by_routing(runs, sweeps)
    loads = Loads(store, choices, modes, rows)
    loads.read([row["identity"] for row in variation.rows])
    sections.append(loads.section())
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
    still = deadlocks.section(failures)
    if still is not None:
        sections.append(still)
    sections.append(
        Section("All points", (_ALL_POINTS, looks.text(store.folder), listing.points()))
    )
    what = (varied, common) if varied.rows else (common,)
    sections.append(Section("What was run", what))
    return Page(
        title=one_line(title or "").strip() or _title(sweeps, rows[0], variation),
        lead=(_machine(rows[0], variation), *_findings(rows, variation)),
        sections=tuple(sections),
        facts=tuple(_facts(rows, variation, failures, modes, channels)),
        terms=TERMS,
    )


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


def _findings(rows: Sequence[dict[str, Any]], variation: Variation) -> list[str]:
    """Return a sentence on the point with the highest cost of contention."""
    for name in ("theta_c", "theta_r"):
        known = [row for row in rows if row.get(name) is not None]
        if known:
            worst = min(known, key=lambda row: row[name])
            theta, baseline = estimate_in(worst, name), worst["run.baseline"]
            place = variation.text(worst, variation.columns)
            where = f"lowest, {number(theta)}, where {place}" if place else number(theta)
            said = sentence(name, theta, baseline)
            return [f"`{name}` (full against {baseline}) is {where}. {said}"]
    return []


def _facts(
    rows: Sequence[dict[str, Any]],
    variation: Variation,
    failures: Sequence[Failure],
    modes: Sequence[str],
    channels: Mapping[str, Sequence[int]],
) -> list[tuple[str, str]]:
    cut_off = sum(bool(row.get("cut_off")) for row in rows)
    unsettled = sum(not row["steady"] and not row.get("cut_off") for row in rows)
    saturated = sum(bool(row["saturated"]) for row in rows)
    return [
        ("points", f"{variation.points.num_rows:,}"),
        ("runs", f"{len(rows):,}"),
        ("modes", ", ".join(modes)),
        ("seeds", str(len(set(values(variation.points["run.seed"]))))),
        ("failed points", f"{len(failures):,}"),
        ("runs not settled", f"{unsettled:,}"),
        *([("runs cut off by a limit", f"{cut_off:,}")] if cut_off else []),
        *([("runs saturated", f"{saturated:,}")] if saturated else []),
        *([("virtual channels", channels_text(channels))] if channels else []),
        ("channel crossings", f"{plain(sum(row['packet_hops'] for row in rows) / 1e6, 3)} M"),
        ("Tailback", _version(variation)),
    ]


def _version(variation: Variation) -> str:
    versions = [", ".join(map(str, sorted(set(values(variation.points[name]))))) for name in ORIGIN]
    return f"{versions[0]} (results {versions[1]})"


_ALL_POINTS = (
    "Every point with its own seed, means with half of their confidence interval. A click on a "
    "heading sorts. Rates are per node and millisecond."
)
