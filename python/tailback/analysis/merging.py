"""Estimates of runs that differ only in what does not matter, as one estimate.

Every metric is a ratio of two sums; runs count by their denominators. How well
the merged value is known is found in `pooling`. Ratios of two modes are taken
of the merged values. Runs that were never steady are not averaged, only counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tailback.metrics import ALL_METRICS, THETAS
from tailback.statistics import Floats
from tailback.store.columns import ENDING, MERGED, PERCENTILE_COLUMNS, RATIO_PARTS

from .distributions import merged_percentiles
from .groups import GROUP, RUN, SEEDS, grouped
from .names import Frame
from .pooling import Flags, Pairs, Pool, ratios

_PERCENTILES = tuple(column.name for column in PERCENTILE_COLUMNS)
_CONFIDENCE = "run.confidence"

COUNTED = ("runs", "unsettled")
"""Columns that merging adds: how many runs were merged, and how many of them were never steady."""

Histograms = Callable[[Sequence[str]], pl.DataFrame]
"""Gives the histograms of points by their identities; see `PointStore.nested`."""


def merged(
    frame: Frame,
    over: Sequence[str] = SEEDS,
    values: Iterable[str] | None = None,
    histograms: Histograms | None = None,
) -> pl.DataFrame:
    """Return one row for all runs that differ only in the parameters `over`, for each mode.

    `frame` is what `PointStore.runs` returns, or some rows of it. `values` names
    the metrics, ratios and percentiles to be merged; None stands for all. The
    columns keep their names:

    * `identity` of the point if there is only one, else null;
    * parameters and `mode`, without `over` and what is no parameter;
    * `runs`, how many were merged, and `unsettled`, how many of these are not averaged;
    * `settled`, `steady`: whether all were; `saturated`: whether any was, null if no load
      was offered; `converged`: whether all were, null if none was asked
      to; `stop_reason`: of all runs; times, events and hops: summed over all runs;
    * estimates of all that were steady, null if none did; `_batches` is the degrees of
      freedom of the error plus 1, or 0 if the value is exact;
    * percentiles from the histograms added up if `histograms` are given, else null
      where several runs were merged.

    Groups are in the order of their first runs. Raises `UserError` for what is
    no parameter in `over`.
    """
    columns = frame.lazy().collect_schema().names()
    chosen = _mergeable(columns) if values is None else list(dict.fromkeys(values))
    groups = grouped(frame, over, _needed(chosen, columns))
    rows = _masked(groups.runs)
    heads = groups.heads()
    metrics = [name for name in ALL_METRICS if name in _metrics_of(chosen)]
    sums = rows.group_by(GROUP, "mode", maintain_order=True).agg(
        *_counted(rows), *_alone(rows), *(e for name in metrics for e in _sums(name))
    )
    pools = {name: _pool(sums, name) for name in metrics}
    found = [_estimates(sums, pools[name], name) for name in metrics if name in chosen]
    found += [_ratio(sums, rows, name, pools) for name in THETAS if name in chosen]
    result = pl.concat(
        [heads, sums.select("identity", *COUNTED, *_ending(columns)), *found], how="horizontal"
    )
    percentiles = [name for name in chosen if name in _PERCENTILES]
    if percentiles:
        result = result.hstack(_percentiles(sums, rows, percentiles, histograms))
    first = [name for name in columns if name in {"identity", "mode", *groups.keys}]
    return result.select(*first, *COUNTED, *_ending(columns), *_in_full(chosen))


def _mergeable(columns: Iterable[str]) -> list[str]:
    known = {*ALL_METRICS, *THETAS, *_PERCENTILES}
    return [name for name in columns if name in known]


def _metrics_of(chosen: Iterable[str]) -> set[str]:
    """Return the metrics that must be merged for `chosen`: ratios are made of others."""
    return {THETAS[name][0] if name in THETAS else name for name in chosen}


def _needed(chosen: Sequence[str], columns: Sequence[str]) -> list[str]:
    """Return the columns that merging `chosen` takes."""
    wanted = {_CONFIDENCE, *_ending(columns), *_in_full(chosen), *_in_full(_metrics_of(chosen))}
    return [name for name in columns if name in wanted]


def _in_full(chosen: Iterable[str]) -> Iterator[str]:
    """Yield the columns of a store that `chosen` stand for."""
    for name in chosen:
        parts = MERGED if name in ALL_METRICS else RATIO_PARTS if name in THETAS else ("",)
        yield from (name + part for part in parts)


def _ending(columns: Iterable[str]) -> list[str]:
    known = {column.name for column in ENDING}
    return [name for name in columns if name in known]


def _measured(rows: pl.DataFrame) -> list[str]:
    known = set(_in_full([*ALL_METRICS, *THETAS, *_PERCENTILES]))
    return [name for name in rows.columns if name in known]


def _masked(runs: pl.DataFrame) -> pl.DataFrame:
    """Return the runs with everything measured made null where it was never steady."""
    return runs.with_columns(pl.when("steady").then(pl.col(name)) for name in _measured(runs))


def _counted(rows: pl.DataFrame) -> Iterator[pl.Expr]:
    """Yield how many runs there are in a group, and how they went."""
    steady, converged = pl.col("steady"), pl.col("converged")
    together = {
        "settled": pl.col("settled").all(),
        "steady": steady.all(),
        "saturated": pl.col("saturated").any(ignore_nulls=False),
        "converged": pl.when(converged.is_not_null().any()).then(converged.all()),
        "stop_reason": pl.col("stop_reason").unique().sort().str.join(", "),
    }
    identity = pl.col("identity")
    yield pl.when(identity.n_unique() == 1).then(identity.first()).alias("identity")
    yield pl.len().cast(pl.Int64).alias("runs")
    yield (~steady).sum().cast(pl.Int64).alias("unsettled")
    for name in _ending(rows.columns):
        yield together.get(name, pl.col(name).sum()).alias(name)
    yield pl.col(_CONFIDENCE).max().alias("_confidence")


def _alone(rows: pl.DataFrame) -> Iterator[pl.Expr]:
    """Yield what is stored of the first run that has a value."""
    for name in _measured(rows):
        yield pl.col(name).drop_nulls().first().alias(f"_{name}")
        if name in _PERCENTILES:
            yield pl.col(name).count().alias(f"_{name}_count")


def _sums(name: str) -> Iterator[pl.Expr]:
    """Yield the sums over a group that `Pool` is made of."""
    value, _, _, error, weight, batches = (pl.col(name + part) for part in MERGED)
    mean = (weight * value).sum() / weight.sum()
    yield value.count().alias(f"_{name}_count")
    yield weight.sum().alias(f"_{name}_sum")
    yield mean.alias(f"_{name}_mean")
    unknown = (value.is_not_null() & error.is_null()).any()
    yield pl.when(~unknown).then(((weight * error) ** 2).sum()).alias(f"_{name}_within")
    yield (batches - 1).clip(0).sum().alias(f"_{name}_own")
    yield ((weight * (value - mean)) ** 2).sum().alias(f"_{name}_between")


def _pool(sums: pl.DataFrame, name: str) -> Pool:
    count, weight, value, within, own, between = (
        _floats(sums[f"_{name}_{part}"])
        for part in ("count", "sum", "mean", "within", "own", "between")
    )
    square = np.where(weight > 0, weight, np.nan) ** 2
    several = count > 1
    spread = np.divide(count, count - 1, out=np.full_like(count, np.nan), where=several)
    return Pool(
        confidence=_floats(sums["_confidence"]),
        count=count,
        weight=np.where(count > 0, weight, np.nan),
        value=value,
        within=within / square,
        own=own,
        between=spread * between / square,
    )


def _estimates(sums: pl.DataFrame, pool: Pool, name: str) -> pl.DataFrame:
    """Return the columns of a metric; those of a single run as they are stored."""
    error = pool.error(pool.differs)
    exact = (error.standard == 0) & (pool.own == 0)
    batches = np.where(exact, 0.0, np.where(pool.count > 0, error.degrees + 1, np.nan))
    low, high = pool.value - error.half, pool.value + error.half
    parts = (pool.value, low, high, error.standard, pool.weight, batches)
    merged = {name + part: values for part, values in zip(MERGED, parts, strict=True)}
    return _columns(sums, merged, pool.count == 1).with_columns(
        pl.col(f"{name}_batches").cast(pl.Int64)
    )


def _ratio(
    sums: pl.DataFrame, rows: pl.DataFrame, name: str, pools: dict[str, Pool]
) -> pl.DataFrame:
    """Return the columns of a ratio of two modes: in the rows of mode full, null elsewhere."""
    metric, above, below = THETAS[name]
    places = sums.select(GROUP, "mode").with_row_index("_at")
    one, other = (places.filter(pl.col("mode") == mode) for mode in (above, below))
    both = one.join(other, on=GROUP, maintain_order="left").with_row_index("_pair")
    at = {above: both["_at"].to_numpy(), below: both["_at_right"].to_numpy()}
    up, down = (pools[metric].at(at[mode]) for mode in (above, below))
    pairs = _pairs(rows, both, name, up, down)
    single = np.zeros(len(sums), bool)
    single[at["full"]] = (up.count == 1) & (down.count == 1) & (pairs.count == 1)
    merged = {}
    for part, values in zip(RATIO_PARTS, ratios(up, down, pairs), strict=True):
        merged[name + part] = np.full(len(sums), np.nan)
        merged[name + part][at["full"]] = values
    return _columns(sums, merged, single)


def _pairs(rows: pl.DataFrame, both: pl.DataFrame, name: str, above: Pool, below: Pool) -> Pairs:
    """Return what the two modes of a ratio have in common, for each row of `both`."""
    metric, *modes = THETAS[name]
    known = pl.col(metric).is_not_null()
    covariance = f"{name}_covariance"
    wanted = [GROUP, RUN, metric, f"{metric}_weight", covariance]
    one, other = (rows.filter(known & (pl.col("mode") == mode)).select(wanted) for mode in modes)
    runs = one.join(other, on=[GROUP, RUN]).join(both.select("_pair", GROUP), on=GROUP)
    pair = runs["_pair"].to_numpy()
    # It stands in the row of mode full, whichever that is.
    inside = runs.select(pl.coalesce(covariance, f"{covariance}_right").fill_null(0.0))
    weights = _floats(runs[f"{metric}_weight"]) * _floats(runs[f"{metric}_weight_right"])
    apart = (_floats(runs[metric]) - above.value[pair]) * (
        _floats(runs[f"{metric}_right"]) - below.value[pair]
    )
    size = len(both)
    count = np.bincount(pair, minlength=size).astype(np.float64)
    scale = above.weight * below.weight
    within = np.bincount(pair, weights * _floats(inside[covariance]), size) / scale
    spread = np.divide(count, count - 1, out=np.zeros(size), where=count > 1)
    return Pairs(count, within, spread * np.bincount(pair, weights * apart, size) / scale)


def _percentiles(
    sums: pl.DataFrame,
    rows: pl.DataFrame,
    names: Sequence[str],
    histograms: Histograms | None,
) -> pl.DataFrame:
    """Return percentiles: as stored of a single run, of histograms added up, or null."""
    alone = sums.select(
        pl.when(pl.col(f"_{name}_count") == 1).then(pl.col(f"_{name}")).alias(name)
        for name in names
    )
    several = sums.filter(pl.any_horizontal(pl.col(f"_{name}_count") > 1 for name in names))
    if histograms is None or several.is_empty():
        return alone
    steady = rows.filter("steady").select(GROUP, "mode", "identity")
    wanted = steady.join(several.select(GROUP, "mode"), on=[GROUP, "mode"])
    bins = histograms(wanted["identity"].unique(maintain_order=True).to_list())
    found = merged_percentiles(bins.join(wanted, on=["identity", "mode"]), names)
    placed = sums.select(GROUP, "mode").join(found, [GROUP, "mode"], "left", maintain_order="left")
    return alone.select(pl.coalesce(alone[name], placed[name]).alias(name) for name in names)


def _columns(sums: pl.DataFrame, merged: dict[str, NDArray[Any]], single: Flags) -> pl.DataFrame:
    """Return merged columns, NaN as null; where `single`, what is stored of the only run."""
    alone = pl.lit(pl.Series(single))
    return pl.DataFrame(merged).select(
        pl.when(alone).then(sums[f"_{name}"]).otherwise(pl.col(name).fill_nan(None)).alias(name)
        for name in merged
    )


def _floats(column: pl.Series) -> Floats:
    """Return numbers as an array, null as NaN."""
    return column.cast(pl.Float64).fill_null(np.nan).to_numpy()
