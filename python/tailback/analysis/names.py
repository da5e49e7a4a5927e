"""Fields as users write them: with or without table, with or without unit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from tailback.errors import UserError, listed, nearest, shown
from tailback.metrics import ALL_METRICS, CLASS_METRICS, THETAS, class_of, stem_of
from tailback.store.columns import MERGED, PATH_METRICS, PERCENTILE_COLUMNS, PERCENTILES

PARAMETERS = ("machine.", "workload.", "job.", "fault.", "run.", "sweep.")
"""What the names of parameters begin with."""

_UNITS = ("_us", "_ms", "_ps", "_bytes", "_mbit_per_s")
_INTERVAL = ("_low", "_high")
_PERCENTILES = frozenset(column.name for column in PERCENTILE_COLUMNS)
_PERCENTILES_OF_CLASSES = _PERCENTILES | {f"round_trip_us_{suffix}" for suffix in PERCENTILES}


def column_named(name: str, columns: Iterable[str], place: str = "fields") -> str:
    """Return the column that a user means by `name`.

    `workload.compute_period` and `compute_period` find `workload.compute_period_us`,
    `routed_lifetime` finds `routed_lifetime_us`, `link.rate` and, where no other table
    has a `rate`, that too find `machine.link.rate_mbit_per_s`, `routing` finds
    `machine.routing.kind`, `uplinks.rate` finds `machine.link_classes.uplinks.rate_mbit_per_s`.
    Raises `UserError`, naming `place`, if there is none or more than one.
    """
    columns = list(columns)
    for found in _found(name, columns):
        if len(found) == 1:
            return found[0]
        if found:
            raise UserError(place, shown(name), f"may be {listed(found)}; write which")
    kinds = [_key(column) for column in columns if column.endswith(".kind")]
    if name == "kind" and len(kinds) > 1:
        raise UserError(place, shown(name), f"may be {listed(kinds)}; write which")
    close = nearest(name, _spellings(columns))
    if close is None:
        raise UserError(place, shown(name), "no such column; docs/store.md lists all")
    raise UserError(place, shown(name), "no such column", close)


def _found(name: str, columns: Sequence[str]) -> Iterator[list[str]]:
    """Yield the columns that are spelled so, the most literal spelling first."""
    of_tables = (_without_table, _bare) if "." in name else (_key, _bare_key)
    for spelling in (_as_is, _without_unit, *of_tables):
        yield [column for column in columns if spelling(column) == name]
    if "." in name:
        # In a table within a table, such as that of a class of links.
        inner, parameters = f".{name}", [c for c in columns if c.startswith(PARAMETERS)]
        yield [c for c in parameters if c.endswith(inner) or _bare(c).endswith(inner)]


def _spellings(columns: Iterable[str]) -> Iterator[str]:
    """Yield what could be meant: names without units, without tables, and in full."""
    spellings = (_without_unit, _bare_key, _bare, _key, _without_table, _as_is)
    yield from dict.fromkeys(spelling(column) for spelling in spellings for column in columns)


def _as_is(column: str) -> str:
    return column


def _without_unit(column: str) -> str:
    for unit in _UNITS:
        if column.endswith(unit):
            return column.removesuffix(unit)
    return column


def _without_table(column: str) -> str:
    return column.partition(".")[2] if column.startswith(PARAMETERS) else column


def _bare(column: str) -> str:
    return _without_table(_without_unit(column))


def _key(column: str) -> str:
    if not column.startswith(PARAMETERS):
        return column
    # Kinds are called after what they are of: `routing`.
    return column.removesuffix(".kind").rpartition(".")[2]


def _bare_key(column: str) -> str:
    return _key(_without_unit(column))


def is_metric(column: str) -> bool:
    """Whether a column is a metric: of a run, its critical path, a job or a traffic class.

    The last are called `jobs.NAME.METRIC` and `classes.NAME.METRIC`.
    """
    if class_of(column)[0] and stem_of(column) in CLASS_METRICS:
        return True
    return column in PATH_METRICS or stem_of(column) in ALL_METRICS


def is_percentile(column: str) -> bool:
    """Whether a column is a percentile: of a run, a job (`jobs.NAME.METRIC_p99`), or a class."""
    known = _PERCENTILES_OF_CLASSES if class_of(column)[0] else _PERCENTILES
    return stem_of(column) in known


def metric_of(column: str) -> str:
    """Return the column of a metric that a part of it, such as its ``_low``, belongs to."""
    ends = [part for part in MERGED if is_metric(column.removesuffix(part))]
    return column.removesuffix(max(ends, key=len)) if ends else column


def with_intervals(names: Iterable[str], columns: Iterable[str]) -> list[str]:
    """Return `names` with the ends of the interval behind every estimate."""
    there = set(columns)
    found: dict[str, None] = {}
    for name in names:
        parts = _INTERVAL if is_metric(name) or name in THETAS else ()
        found |= dict.fromkeys([name, *(name + p for p in parts if name + p in there)])
    return list(found)


def select(frame: pa.Table, fields: Sequence[str]) -> pa.Table:
    """Return the columns that `fields` name, in their order; estimates with their interval.

    Raises `UserError` for a name that is not clear.
    """
    columns = frame.column_names
    chosen = [column_named(field, columns) for field in fields]
    return frame.select(with_intervals(chosen, columns))


def ordered(frame: pa.Table, fields: Sequence[str], limit: int | None = None) -> pa.Table:
    """Return rows sorted by `fields`, the first counting most; `-field` from high to low.

    Rows that are equal stay in their order; what is not known comes last. At most `limit` rows.
    """
    if limit is not None and limit < 1:
        raise UserError("limit", shown(limit), "must be at least 1")
    found = _sorted(frame, fields)
    return found if limit is None else found.slice(0, min(limit, found.num_rows))


def _sorted(frame: pa.Table, fields: Sequence[str]) -> pa.Table:
    if not fields:
        return frame
    names = [column_named(field.removeprefix("-"), frame.column_names, "sort") for field in fields]
    orders = ["descending" if field.startswith("-") else "ascending" for field in fields]
    keys = list(zip(names, orders, strict=True))
    return frame.take(pc.sort_indices(frame, sort_keys=keys))
