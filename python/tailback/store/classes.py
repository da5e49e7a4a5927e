"""What was measured of traffic classes as columns: `classes.NAME.METRIC`, as `jobs.NAME.METRIC`.

Files of points hold a table of it (`TRAFFIC_TABLE`), which is small; whoever reads many points
has columns.
"""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tailback.metrics import OF_CLASSES

from .columns import MERGED, PERCENTILES, TRAFFIC_TABLE

_PERCENTILE = re.compile(rf".*_({'|'.join(PERCENTILES)})")


def spread(rows: pa.Table) -> pa.Table:
    """Return runs with the table of traffic classes as columns, behind the others."""
    if TRAFFIC_TABLE not in rows.column_names:
        return rows
    lists = rows[TRAFFIC_TABLE].combine_chunks()
    run = pc.list_parent_indices(lists).to_numpy()
    rows = rows.drop_columns([TRAFFIC_TABLE])
    if not len(run):
        return rows
    told = pa.Table.from_struct_array(pc.list_flatten(lists))
    named = pc.binary_join_element_wise(told["class"], told["metric"], ".").combine_chunks()
    words = pc.dictionary_encode(named)
    order = np.argsort(words.indices.to_numpy(), kind="stable")
    ends = np.cumsum(np.bincount(words.indices.to_numpy()))[:-1]
    for name, of_name in zip(words.dictionary.to_pylist(), np.split(order, ends), strict=True):
        parts = ("",) if _PERCENTILE.fullmatch(name) else MERGED
        place = np.full(rows.num_rows, -1)
        place[run[of_name]] = of_name
        taken = pa.array(np.maximum(place, 0), mask=place < 0)
        for part in parts:
            column = told[part.removeprefix("_") or "value"].take(taken)
            kind = pa.int64() if part == "_batches" else pa.float64()
            rows = rows.append_column(f"{OF_CLASSES}{name}{part}", column.cast(kind))
    return rows


def are_left_out(names: list[str], kinds: set[str]) -> bool:
    """Whether an index with these columns, of workloads of these kinds, has none of classes.

    Versions before they were columns have made it.
    """
    return "traffic" in kinds and not any(name.startswith(OF_CLASSES) for name in names)
