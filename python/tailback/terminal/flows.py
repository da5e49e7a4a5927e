"""The report of `tailback flows`: how the messages of each flow fared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from tailback.answers.lateness import untold_texts
from tailback.answers.of_flows import of_flows
from tailback.errors import choice
from tailback.places import shown
from tailback.results.names import Names
from tailback.tables import FLOW, MEASURES
from tailback.wording import UNKNOWN, plain
from tailback.wording.scaling import BYTES, MICROSECONDS, scaled, unit_for

from .layout import cautions, head, more, new_table, numbers, words

if TYPE_CHECKING:
    from tailback.results import Result

_TOLD = {"mean": "mean", "median": "median", "p95": "95 %", "p99": "99 %", "p99_9": "99.9 %"}
"""Statistics of each measure of a flow, and their headings."""

_Row = Mapping[str, Any]


def flow_keys(by: str) -> tuple[str, ...]:
    """Return the columns that `--by` names; raise `UserError` for an unknown one."""
    keys = tuple(key.strip() for key in by.split(",") if key.strip())
    for key in keys:
        if key not in FLOW:
            raise choice("--by", key, FLOW)
    return keys


def flows_report(
    result: Result, by: Sequence[str], top: int, *, full: bool = False
) -> RenderableType:
    """Return what `tailback flows` prints: the answer, then at most `top` flows, the latest first.

    `full`: the median and percentiles of every measure.
    """
    rows = _with_names(result.flows(by).to_pylist(), result)
    rows.sort(key=_latest_first)
    keys = [key for key in by if rows and key in rows[0]]
    latest = rows[:top]
    tables = [_first_table(latest, keys, len(rows))] if rows else []
    if full and rows:
        for measure in MEASURES:
            stem, unit = (measure[:-3], "_ps") if measure.endswith("_ps") else (measure, "")
            tables.append(_measure_table(latest, keys, stem, unit))
    options = ("--full (median, percentiles, lateness)", "--top N", "--by class")
    return Group(
        *head(result.experiment, of_flows(result, rows, keys)),
        *(part for table in tables for part in (Text(), table)),
        *cautions(untold_texts(result)),
        *([] if full else more(*options)),
    )


def _latest_first(row: _Row) -> tuple[bool, float]:
    """Return what flows are sorted by: those whose time alone is not known come last."""
    late = row["late_mean_ps"]
    return (late is None, -(row["latency_mean_ps"] or 0.0 if late is None else late))


def _with_names(rows: Sequence[_Row], result: Result) -> list[dict[str, Any]]:
    """Return rows with the names or places of nodes for their numbers."""
    ends = Names.of(result).ends

    def named(row: _Row) -> dict[str, Any]:
        nodes = [key for key in ("source", "destination") if key in row]
        names = (shown(ends.of_end("node", row[key])).removeprefix("node ") for key in nodes)
        return {**row, **dict(zip(nodes, names, strict=True))}

    return list(map(named, rows))


def _first_table(rows: Sequence[_Row], keys: Sequence[str], flows: int) -> Table:
    """Return what each flow sent, and how long its messages took on average."""
    counts = [name for name in ("early", "unknown") if any(row[name] for row in rows)]
    heads = ["alone unknown" if name == "unknown" else name for name in counts]
    times = [row[f"{name}_mean_ps"] for row in rows for name in ("latency", "alone")]
    unit = unit_for((time / 1e6 for time in times if time is not None), MICROSECONDS)
    columns = numbers("messages", "data", *heads, "latency", "alone", "slowdown")
    title = "The latest flows" if flows > len(rows) else "Flows"
    table = new_table(f"{title}, mean times in {unit.name}", *words(*keys), *columns)
    for row in rows:
        sent = (f"{row['messages']:,}", scaled(row["bytes"], BYTES))
        few = (f"{row[name]:,}" if row[name] else "" for name in counts)
        took = (_cell(row[f"{name}_mean_ps"], unit.size * 1e6) for name in ("latency", "alone"))
        names = (str(row[key]) for key in keys)
        table.add_row(*names, *sent, *few, *took, _cell(row["slowdown_mean"], 1.0))
    if flows > len(rows):
        table.add_row(f"{flows - len(rows):,} more")
    return table


def _measure_table(rows: Sequence[_Row], keys: Sequence[str], stem: str, suffix: str) -> Table:
    """Return a row for each flow: mean, median and percentiles of one measure."""
    names = [f"{stem}_{told}{suffix}" for told in _TOLD]
    values = [[row[name] for name in names] for row in rows]
    every = [value / 1e6 for line in values for value in line if value is not None]
    unit = unit_for(every, MICROSECONDS) if suffix else unit_for((), "")
    size = unit.size * 1e6 if suffix else 1.0
    title = f"{stem}, {unit.name}" if unit.name else f"{stem} (latency over alone)"
    table = new_table(title, *words(*keys), *numbers(*_TOLD.values()))
    for row, line in zip(rows, values, strict=True):
        cells = (_cell(value, size) for value in line)
        table.add_row(*(str(row[key]) for key in keys), *cells)
    return table


def _cell(value: float | None, size: float) -> str:
    return UNKNOWN if value is None else plain(value / size, 4)
