"""Tables for pandas, as its users expect them; pandas itself is the extra `pandas`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from tailback.distribution import installing
from tailback.errors import UserError

if TYPE_CHECKING:
    import pandas as pd


def to_pandas(table: Any) -> pd.DataFrame:
    """Return an Arrow or Polars table as a `pandas.DataFrame`.

    Whole numbers stay whole numbers: a column in which some are not known has pandas' own
    type for that (`Int64`, `UInt64`), where a plain conversion would make them floats. Words
    are text, not categories. Raises `UserError` without pandas.
    """
    try:
        import pandas as pd
    except ImportError:
        needed = f"is not installed: {installing('pandas')}"
        raise UserError("pandas", None, needed) from None
    arrow = table if isinstance(table, pa.Table) else table.to_arrow()
    for number, field in enumerate(arrow.schema):
        if pa.types.is_dictionary(field.type):
            words = arrow.column(number).cast(field.type.value_type)
            arrow = arrow.set_column(number, field.name, words)
    whole = {
        field.name: _nullable(pd, field.type)
        for field in arrow.schema
        if pa.types.is_integer(field.type) and arrow[field.name].null_count
    }
    frame = arrow.drop_columns(list(whole)).to_pandas() if whole else arrow.to_pandas()
    for name, kind in whole.items():
        frame[name] = pd.array(arrow[name].to_pylist(), dtype=kind)
    return frame[arrow.column_names]


def _nullable(pd: Any, kind: Any) -> Any:
    return pd.UInt64Dtype() if pa.types.is_unsigned_integer(kind) else pd.Int64Dtype()
