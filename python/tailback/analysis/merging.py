"""Estimates of runs that differ only in what does not matter, as one estimate.

Every metric is a ratio of two sums; runs count by their denominators. How well
the merged value is known is found in `pooling`. Ratios of two modes are taken
of the merged values. Runs that were not steady are averaged as well, and counted.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from tailback.metrics import THETAS
from tailback.store.columns import ENDING, MERGED, RATIO_PARTS
from tailback.tables.frames import Floats, Frame, Ints, floats, nullable, values

from .cells import COUNTED, RUN_BASELINE, Cells, at_least, counted, cut_off, unended
from .distributions import merged_percentiles, metric_of_percentile, percentiles_of_rows
from .groups import ORIGIN, SEEDS, grouped
from .names import PARAMETERS, is_metric, is_percentile
from .pooling import Flags, Pairs, Pool, ratios

OF_COMPLETION = "completion_us"
_CONFIDENCE = "run.confidence"

Histograms = Callable[[Sequence[str]], pa.Table]
"""Gives the histograms of points by their identities; see `PointStore.nested`."""

Messages = Callable[[pa.Table, str], Floats]
"""Gives a metric of each message of some runs that has a row; see `distributions.of_rows`."""


def merged(
    frame: Frame,
    over: Sequence[str] = SEEDS,
    values: Iterable[str] | None = None,
    histograms: Histograms | None = None,
    messages: Messages | None = None,
) -> pa.Table:
    """Return one row for all runs that differ only in the parameters `over`, for each mode.

    `frame` is what `PointStore.runs` returns, some rows of it, or columns of it. `values` names
    the metrics, ratios and percentiles to be merged; None stands for all. The
    columns keep their names:

    * `identity` of the point if there is only one, else null;
    * parameters and `mode`, without `over` and what is no parameter;
    * `runs`, how many were merged, and `unsettled`, how many of these were whole, but not steady;
    * `settled`, `steady`: whether all were; `saturated`: whether any was, null if no load
      was offered; `converged`: whether all were, null if none was asked
      to; `stop_reason`: of all runs; times, events and hops: summed over all runs;
    * `cut_off`: the limits that cut runs off, null if none did;
    * `lost`: whether any lost messages without which it never ends;
    * estimates, null where one was cut off, `_low` is then what the mean is more than, or where one
      lost messages and never ends;
      `_batches` is the degrees of freedom of the error plus 1, or 0 if the value is exact;
    * percentiles from the histograms added up if `histograms` are given, else null
      where several runs were merged; those of jobs, and of lateness of traffic classes, from
      their `messages`, if these were kept.

    Groups are in the order of their first runs. Raises `UserError` for what is
    no parameter in `over`.
    """
    columns = frame.column_names
    chosen = _mergeable(columns) if values is None else list(dict.fromkeys(values))
    cells = Cells(grouped(frame, over, _needed(chosen, columns)))
    heads = cells.groups.heads()
    found: dict[str, Any] = {name: heads[name] for name in heads.column_names}
    found |= counted(cells, _ending(columns))
    for metric in _metrics_of(chosen):
        pool = _pool(cells, metric)
        for name in chosen:
            if name == metric:
                found |= _estimates(cells, pool, name)
            elif name in THETAS and THETAS[name].metric == metric:
                found |= _ratio(cells, name, pool)
    found |= _percentiles(cells, [n for n in chosen if is_percentile(n)], histograms, messages)
    first = [name for name in columns if name in {"identity", "mode", *cells.groups.keys}]
    names = [*first, *COUNTED, *_ending(columns), *_in_full(chosen)]
    return pa.table({name: found[name] for name in names})


def needed(columns: Sequence[str], values: Iterable[str], parameters: Collection[str]) -> list[str]:
    """Return the columns that merging `values` takes of runs that differ in some parameters."""
    wanted = {"identity", "mode", *ORIGIN, *_needed([*values], columns)}
    parameters = {name for name in parameters if name.startswith(PARAMETERS)}
    return [name for name in columns if name in wanted or name in parameters]


def _mergeable(columns: Iterable[str]) -> list[str]:
    return [name for name in columns if name in THETAS or is_percentile(name) or is_metric(name)]


def _metrics_of(chosen: Iterable[str]) -> list[str]:
    """Return the metrics that must be merged for `chosen`: ratios are made of others."""
    found = [THETAS[name].metric if name in THETAS else name for name in chosen]
    return [name for name in dict.fromkeys(found) if is_metric(name)]


def _needed(chosen: Sequence[str], columns: Sequence[str]) -> list[str]:
    """Return the columns that merging `chosen` takes."""
    wanted = {_CONFIDENCE, RUN_BASELINE, *_ending(columns)}
    wanted |= {*_in_full(chosen), *_in_full(_metrics_of(chosen))}
    wanted |= {OF_COMPLETION, f"{OF_COMPLETION}_low"}
    return [name for name in columns if name in wanted]


def _in_full(chosen: Iterable[str]) -> Iterator[str]:
    """Yield the columns of a store that `chosen` stand for."""
    for name in chosen:
        parts = MERGED if is_metric(name) else RATIO_PARTS if name in THETAS else ("",)
        yield from (name + part for part in parts)


def _ending(columns: Iterable[str]) -> list[str]:
    known = {column.name for column in ENDING}
    return [name for name in columns if name in known]


def _pool(cells: Cells, name: str) -> Pool:
    """Return the sums over cells that intervals of a metric are made of."""
    value, _, _, error, weight, batches = (cells.measured(name + part) for part in MERGED)
    # Nothing is known of a mean of which one value was cut off, but what it is more than.
    is_part = cut_off(cells, name) | unended(cells, name)
    value = np.where(is_part[cells.cell], np.nan, value)
    weight = np.where(np.isnan(value), np.nan, weight)
    known = ~np.isnan(value)
    count, total = cells.sum(known), cells.sum(weight)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = cells.sum(weight * value) / total
    within = cells.sum((weight * error) ** 2)
    within[cells.any(known & np.isnan(error))] = np.nan
    between = cells.sum((weight * (value - mean[cells.cell])) ** 2)
    square = np.where(total > 0, total, np.nan) ** 2
    spread = np.divide(count, count - 1, out=np.full_like(count, np.nan), where=count > 1)
    confidence = np.zeros(len(cells))
    np.maximum.at(confidence, cells.cell, floats(cells.groups.runs[_CONFIDENCE]))
    return Pool(
        confidence=confidence,
        count=count,
        weight=np.where(count > 0, total, np.nan),
        value=mean,
        within=within / square,
        own=cells.sum(np.maximum(batches - 1, 0)),
        between=spread * between / square,
    )


def _estimates(cells: Cells, pool: Pool, name: str) -> dict[str, pa.Array]:
    """Return the columns of a metric; those of a single run as they are stored."""
    error = pool.error(pool.differs)
    exact = (error.standard == 0) & (pool.own == 0)
    batches = np.where(exact, 0.0, np.where(pool.count > 0, error.degrees + 1, np.nan))
    low, high = pool.value - error.half, pool.value + error.half
    parts = (pool.value, low, high, error.standard, pool.weight, batches)
    merged = {name + part: values for part, values in zip(MERGED, parts, strict=True)}
    cut = cut_off(cells, name) & ~unended(cells, name)
    if cut.any():
        runs = np.bincount(cells.cell, minlength=len(cells))
        merged[f"{name}_low"] = np.where(cut, cells.sum(at_least(cells, name)) / runs, low)
    return cells.columns(merged, pool.count == 1)


def _ratio(cells: Cells, name: str, pool: Pool) -> dict[str, pa.Array]:
    """Return the columns of a ratio of two modes: in the rows of mode full, null elsewhere."""
    theta = THETAS[name]
    above, below, full = (_cells_of(cells, mode) for mode in (*theta.modes, "full"))
    both = np.flatnonzero((above >= 0) & (below >= 0) & (full >= 0))
    at = full[both]
    up, down = (pool.at(places[both]) for places in (above, below))
    pairs = _pairs(cells, both, name, up, down)
    single = np.zeros(len(cells), bool)
    single[at] = (up.count == 1) & (down.count == 1) & (pairs.count == 1)
    if OF_COMPLETION in cells.groups.runs.column_names:
        # Parts of what was to be run cannot be compared.
        cut = cut_off(cells, OF_COMPLETION) | unended(cells, OF_COMPLETION)
        is_part = cut[above[both]] | cut[below[both]]
        single[at] &= ~is_part
        up = replace(up, value=np.where(is_part, np.nan, up.value))
    merged = {}
    for part, found in zip(RATIO_PARTS, ratios(up, down, pairs), strict=True):
        merged[name + part] = np.full(len(cells), np.nan)
        merged[name + part][at] = found
    return cells.columns(merged, single)


def _cells_of(cells: Cells, mode: str) -> Ints:
    """Return the cell of every group in a mode of a ratio; -1 where there is none."""
    found = np.full(int(cells.group.max(initial=-1)) + 1, -1)
    there = np.flatnonzero(cells.are_in(mode))
    found[cells.group[there]] = there
    return found


def _pairs(cells: Cells, both: Ints, name: str, up: Pool, down: Pool) -> Pairs:
    """Return what the two modes of a ratio have in common, for each of the groups `both`."""
    theta = THETAS[name]
    value, weight = cells.measured(theta.metric), cells.measured(f"{theta.metric}_weight")
    covariance = cells.measured(f"{name}_covariance")
    place = np.full(int(cells.group.max(initial=-1)) + 1, -1)
    place[both] = np.arange(len(both))
    known = ~np.isnan(value)
    above, below = (_rows_of(cells, mode, known) for mode in theta.modes)
    full = _rows_of(cells, "full")
    runs = np.flatnonzero((above >= 0) & (below >= 0) & (full >= 0))
    one, other = above[runs], below[runs]
    paired = place[cells.groups.group[one]] >= 0
    one, other, whole = one[paired], other[paired], full[runs][paired]
    pair = place[cells.groups.group[one]]
    weights = weight[one] * weight[other]
    apart = (value[one] - up.value[pair]) * (value[other] - down.value[pair])
    size = len(both)
    count = np.bincount(pair, minlength=size).astype(np.float64)
    scale = up.weight * down.weight
    # It stands in the row of mode full.
    within = np.bincount(pair, weights * np.nan_to_num(covariance[whole]), size) / scale
    spread = np.divide(count, count - 1, out=np.zeros(size), where=count > 1)
    return Pairs(count, within, spread * np.bincount(pair, weights * apart, size) / scale)


def _rows_of(cells: Cells, mode: str, known: Flags | None = None) -> Ints:
    """Return the row of every run in a mode, if it is known there; -1 where there is none."""
    of_run = cells.groups.point
    found = np.full(int(of_run.max(initial=-1)) + 1, -1)
    flags = cells.are_in(mode)[cells.cell]
    there = np.flatnonzero(flags if known is None else flags & known)
    found[of_run[there]] = there
    return found


def _percentiles(
    cells: Cells,
    names: Sequence[str],
    histograms: Histograms | None,
    messages: Messages | None,
) -> dict[str, pa.Array]:
    """Return percentiles: as stored of a single run, of histograms added up, of rows, or null."""
    counts = {name: cells.sum(~np.isnan(cells.measured(name))) for name in names}
    found = {name: np.where(counts[name] == 1, cells.alone(name), np.nan) for name in names}
    several = np.any([count > 1 for count in counts.values()], axis=0)
    if histograms is not None and np.any(several):
        rows = np.flatnonzero(several[cells.cell])
        chosen = cells.groups.runs.select(["identity", "mode"]).take(rows)
        points = zip(values(chosen["identity"]), values(chosen["mode"]), strict=True)
        place = dict(zip(points, cells.cell[rows].tolist(), strict=True))
        bins = histograms([*dict.fromkeys(identity for identity, _ in place)])
        for cell, percentiles in merged_percentiles(bins, place, names):
            for name, value in percentiles.items():
                if counts[name][cell] != 1:
                    found[name][cell] = value
    if messages is not None:
        _from_rows(found, counts, cells, messages)
    return {name: nullable(column) for name, column in found.items()}


def _from_rows(
    found: Mapping[str, Floats], counts: Mapping[str, Floats], cells: Cells, messages: Messages
) -> None:
    """Fill in percentiles of several runs of which no histogram is kept, but messages are."""
    runs = cells.groups.runs.select(["identity", "mode"])
    for metric in dict.fromkeys(map(metric_of_percentile, found)):
        names = [name for name in found if metric_of_percentile(name) == metric]
        untold = np.isnan(found[names[0]]) & (counts[names[0]] > 1)
        for cell in np.flatnonzero(untold).tolist():
            numbers = messages(runs.take(np.flatnonzero(cells.cell == cell)), metric)
            for name, value in percentiles_of_rows(numbers, names).items():
                found[name][cell] = value
