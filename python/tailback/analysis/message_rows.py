"""Messages and flows of the points of a store: a row for each, with the place of its point.

Points of sweeps with `run.keep_messages` have them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from tailback.errors import UserError
from tailback.store.columns import LIGHT
from tailback.tables.flows import FLOW, flows
from tailback.tables.frames import below, dictionaries, differs

from .conditions import Condition, condition
from .distributions import of_runs
from .names import column_named, ordered
from .tables import in_sweep_order, telling

if TYPE_CHECKING:
    from tailback.store.points import PointStore

MOST_ROWS = 2**25
"""Most messages that are read at a time: about 4 GB."""

Made = Callable[[pa.Table], pa.Table]


def messages(
    store: PointStore,
    fields: Sequence[str] | None = None,
    conditions: Sequence[str] = (),
    sort: Sequence[str] = (),
    limit: int | None = None,
) -> pa.Table:
    """Return one row for each message of each run, in the order of the sweeps.

    The first columns distinguish runs: what was varied, the seed, the mode. `fields`, `conditions`
    and `sort` may name parameters and metrics of the run as well as columns of the message. Raises
    `UserError` where `run.keep_messages` was not asked for, or for a name that is not clear.
    """
    return _table(store, lambda found: found, fields, conditions, sort, limit)


def flows_of(
    store: PointStore,
    fields: Sequence[str] | None = None,
    conditions: Sequence[str] = (),
    sort: Sequence[str] = (),
    limit: int | None = None,
    by: Sequence[str] = FLOW,
) -> pa.Table:
    """Return one row for each flow of each run, likewise; see `tables.flows`."""
    return _table(store, lambda found: flows(found, by), fields, conditions, sort, limit)


def _table(
    store: PointStore,
    made: Made,
    fields: Sequence[str] | None,
    conditions: Sequence[str],
    sort: Sequence[str],
    limit: int | None,
) -> pa.Table:
    sweeps = store.sweeps()
    runs = in_sweep_order(store.runs(without=LIGHT), sweeps)
    head = _heads(runs, sweeps)
    own = _schema(store, runs, made)
    # A column of messages and flows goes before one of runs that is called so.
    others = [field for field in runs.schema if field.name not in own.names]
    schema = pa.schema([*own, *others])
    asked = [condition(text, schema) for text in conditions]
    early = [each for each in asked if not each.columns & {*own.names}]
    for each in early:
        runs = runs.filter(each.expression)
    late = [each for each in asked if each not in early]
    chosen = [*head, *own.names]
    if fields is not None:
        chosen = [column_named(name, schema.names) for name in fields]
    needed = {*chosen, *(column_named(n.removeprefix("-"), schema.names, "sort") for n in sort)}
    needed |= {name for each in late for name in each.columns}
    kept = [field.name for field in others if field.name in needed]
    enough = limit if not sort else None
    parts = list(_parts(store, runs, made, kept, late, enough))
    found = below(parts) if parts else schema.empty_table()
    return ordered(found, sort, limit).select(chosen)


def _parts(
    store: PointStore,
    runs: pa.Table,
    made: Made,
    kept: Sequence[str],
    conditions: Sequence[Condition],
    enough: int | None,
) -> Iterator[pa.Table]:
    """Yield the rows of each run, with columns `kept` of the run in front, until it is enough."""
    rows = 0
    for number, found in of_runs(store, runs):
        of_run = made(found)
        place = np.full(of_run.num_rows, number)
        front = pa.table(
            {name: runs[name].take(place) for name in kept}
            | {name: of_run[name] for name in of_run.column_names}
        )
        for each in conditions:
            front = front.filter(each.expression)
        rows += front.num_rows
        if rows > MOST_ROWS:
            few = "choose fewer points with --where"
            raise UserError("rows", None, f"are more than {MOST_ROWS:,}; {few}")
        yield front
        if enough is not None and rows >= enough:
            return


def _schema(store: PointStore, runs: pa.Table, made: Made) -> pa.Schema:
    """Return the columns that rows have; raise `UserError` if no run has kept its messages."""
    found: dict[str, pa.DataType] = {}
    classes = runs.column_names
    kinds = ["workload.kind", *(["job.all"] if "job.all" in classes else [])]
    # Which columns there are follows from the workload: one point of each kind is enough.
    seen: set[tuple[Any, ...]] = set()
    keeping = False
    for row in dictionaries(runs.select(["identity", *(k for k in kinds if k in classes)])):
        kind = tuple(value for name, value in row.items() if name != "identity")
        if kind in seen and keeping:
            continue
        tables = store.messages(row["identity"])
        for table in tables.values():
            keeping = True
            seen.add(kind)
            found |= {field.name: field.type for field in made(table.slice(0, 1)).schema}
    if not keeping:
        raise UserError("run.keep_messages", "false", "must be true in a sweep to know of messages")
    return pa.schema(list(found.items()))


def _heads(runs: pa.Table, sweeps: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the columns that tell runs apart, those that sweeps varied first."""
    varied = [name for sweep in sweeps for name in sweep["columns"] if name in runs.column_names]
    names = [name for name in dict.fromkeys(varied) if differs(runs[name])]
    return [*telling(runs, names), "mode"]
