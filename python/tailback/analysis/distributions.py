"""What lies behind the means: exact moments and percentiles of runs taken together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from tailback.store.columns import PERCENTILES

from .groups import GROUP, SEEDS, grouped
from .names import Frame

_POWERS = ("sum", "sum2", "sum3")
_SHAPE = ("mean", "standard_deviation", "skewness")


def merged_moments(frame: Frame, over: Sequence[str] = SEEDS) -> pl.DataFrame:
    """Return exact moments of all runs that differ only in the parameters `over`.

    One row per group, mode, variable and class: the parameters of the group,
    `runs`, `count`, the sums of powers as text of decimal digits, `min`, `max`,
    and `mean`, `standard_deviation`, `skewness` worked out from the sums and
    rounded once. Values are picoseconds (channels for `hops`). Runs that never
    settled are left out.
    """
    groups = grouped(frame, over, ("steady", "moments"))
    steady = groups.runs.filter("steady").select(GROUP, "mode", "moments")
    rows = steady.explode("moments").unnest("moments")
    together = rows.group_by(GROUP, "mode", "variable", "class", maintain_order=True).agg(
        pl.len().cast(pl.Int64).alias("runs"), "count", *_POWERS, pl.col("min", "max")
    )
    merged = together.with_columns(
        *(_added(together, name) for name in ("count", *_POWERS)),
        pl.col("min").list.min(),
        pl.col("max").list.max(),
    )
    merged = merged.hstack(_shapes(merged)).with_columns(pl.col("count").cast(pl.Int64))
    return groups.heads().join(merged, on=[GROUP, "mode"], maintain_order="left").drop(GROUP)


def _added(rows: pl.DataFrame, name: str) -> pl.Series:
    """Return sums of whole numbers of any length, as text."""
    sums = [str(sum(map(int, numbers))) for numbers in rows[name]]
    return pl.Series(name, sums, dtype=pl.String)


def _shapes(rows: pl.DataFrame) -> pl.DataFrame:
    from tailback.tables import shape_of

    sums = (map(int, row) for row in rows.select("count", *_POWERS).iter_rows())
    schema = dict.fromkeys(_SHAPE, pl.Float64)
    return pl.DataFrame([shape_of(*row) for row in sums], schema=schema, orient="row")


def merged_percentiles(bins: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """Return percentiles of histograms added up.

    `bins` holds rows of histograms: `variable`, `low`, `high`, `count`, and in
    `GROUP` and `mode` what they belong to. One row for each of these, with a
    column for each of `names`, such as `lifetime_us_p99`.
    """
    wanted = dict(_wanted(names))
    rows = []
    for (group, mode), part in bins.group_by(GROUP, "mode", maintain_order=True):
        found = dict(_percentiles(part, wanted))
        rows.append((group, mode, *(found.get(name) for name in names)))
    schema = {GROUP: pl.UInt32, "mode": pl.String} | dict.fromkeys(names, pl.Float64)
    return pl.DataFrame(rows, schema=schema, orient="row")


def _wanted(names: Sequence[str]) -> Iterator[tuple[str, tuple[str, float]]]:
    """Yield a variable and a percentage for each name of a column."""
    for name in names:
        variable, _, suffix = name.partition("_us_")
        yield name, (variable, PERCENTILES[suffix])


def _percentiles(
    bins: pl.DataFrame, wanted: dict[str, tuple[str, float]]
) -> Iterator[tuple[str, float]]:
    from tailback.results import BINS, percentiles_of

    for variable in dict.fromkeys(variable for variable, _ in wanted.values()):
        rows = bins.filter(pl.col("variable") == variable)
        if len(rows):
            percents = {name: percent for name, (v, percent) in wanted.items() if v == variable}
            low, high, count = (rows[name].to_numpy() for name in BINS)
            values = percentiles_of(low, high, count, [*percents.values()])
            yield from zip(percents, (value / 1e6 for value in values), strict=True)
