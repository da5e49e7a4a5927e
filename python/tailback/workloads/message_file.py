"""Message lists as columns, and the files they come from."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tailback.lazy import lazy_module

from ..csv_files import separator
from ..errors import UserError, listed, nearest, read_bytes, read_text
from ..units import Size, Time
from .flow_files import READERS, Flow, is_hpcc
from .flow_files import columns as flow_columns

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Column = NDArray[Any]
else:
    np = lazy_module("numpy")

_TIME_COLUMNS = {f"time_{unit}": int(factor) for unit, factor in Time.units.items()}
_CLASS = "class"
_WITHOUT_VALUES = re.compile(r"^[ \t]*(?:#[^\n]*)?(?:\r?\n|\Z)", re.MULTILINE)
"""Lines of a table that hold none: empty ones, and comments."""
_OTHER_COLUMNS = {"source": 2**32 - 1, "destination": 2**32 - 1, "bytes": Size.largest}


@dataclass(frozen=True)
class MessageArrays:
    """Messages in order of time; equal times in the order given."""

    time_ps: NDArray[np.uint64]
    source: NDArray[np.uint32]
    destination: NDArray[np.uint32]
    bytes: NDArray[Any]
    """As uint32, unless one is longer: then as uint64."""
    row: NDArray[np.int64]
    """Number of the row, from 0, that each message was given as."""
    traffic_class: NDArray[np.uint32] | None = None
    """Traffic class of each, if the file has them."""


def from_columns(
    time_ps: Sequence[int] | Column,
    source: Sequence[int] | Column,
    destination: Sequence[int] | Column,
    length: Sequence[int] | Column,
    classes: Column | None = None,
) -> MessageArrays:
    """Sort columns of valid numbers by time."""
    import numpy as np  # here: few workloads need it before their first event

    times = np.asarray(time_ps, dtype=np.uint64)
    order = np.argsort(times, kind="stable")

    def ordered(column: Sequence[int] | Column) -> NDArray[np.uint32]:
        return np.asarray(column, dtype=np.uint32)[order]

    lengths = np.asarray(length, dtype=np.uint64)[order]
    # Of 32 bits where all fit: hashes of lists are of their bytes.
    is_short = not lengths.size or int(lengths.max()) < 2**32
    return MessageArrays(
        times[order],
        ordered(source),
        ordered(destination),
        lengths.astype(np.uint32) if is_short else lengths,
        order,
        None if classes is None else ordered(classes),
    )


Format = Literal["auto", "csv", "parquet", "htsim", "hpcc"]


def _format_of(path: Path) -> str:
    """Return what a file is by the end of its name, or by what it begins with."""
    suffix = path.suffix.lower()
    if suffix in (".csv", ".parquet"):
        return suffix[1:]
    if suffix == ".cm":
        return "htsim"
    if suffix in (".txt", ".flow", ".tr", "") and is_hpcc(path):
        return "hpcc"
    allowed = "must end in .csv, .parquet or .cm, or be a flow file of HPCC; else give the format"
    raise UserError(str(path), None, allowed)


def read_messages(path: Path, format: Format = "auto") -> MessageArrays:
    """Read a CSV or Parquet file, or flows of htsim or HPCC.

    Times that are not whole numbers are rounded to the nearest picosecond. A column
    `class` holds traffic classes. Further columns are ignored. Raises `UserError` for a
    file that is missing, unreadable, or has a wrong column or value.
    """
    chosen = _format_of(path) if format == "auto" else format
    if chosen in READERS:
        return _of_flows(READERS[chosen](path))
    columns = _read_columns(path, chosen)
    unit = _time_column(path, columns)
    times = _times(path, unit, columns[unit])
    others = []
    for name, most in _OTHER_COLUMNS.items():
        if name not in columns:
            raise UserError(str(path), None, f"has no column {name}", nearest(name, columns))
        others.append(_whole(path, name, columns[name], most))
    classes = None
    if _CLASS in columns:
        classes = _whole(path, _CLASS, columns[_CLASS], 2**32 - 2)
    source, destination, length = others
    return from_columns(times, source, destination, length, classes)


def _of_flows(flows: list[Flow]) -> MessageArrays:
    """Return flows as columns; without classes if all are of one."""
    import numpy as np

    times, source, destination, length, classes = flow_columns(flows)
    several = len(set(classes)) > 1
    given = np.asarray(classes, dtype=np.uint32) if several else None
    return from_columns(times, source, destination, length, given)


def _read_columns(path: Path, format: str) -> dict[str, Column]:
    """Return the file's columns as arrays, floating point where a column has missing values."""
    import pyarrow as pa

    try:
        table = _read_table(path, format)
        names = [name.strip() for name in table.column_names]
        columns = {name: table.column(i).to_numpy() for i, name in enumerate(names)}
    except UserError:
        raise
    except (pa.ArrowException, OSError, ValueError, TypeError, LookupError, MemoryError) as error:
        # A damaged file can say anything of what is in it.
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise UserError(str(path), None, f"cannot be read: {reason}") from None
    for name in names:
        if names.count(name) > 1:
            raise UserError(str(path), None, f"has {names.count(name)} columns {name}; needs one")
    if table.num_rows == 0:
        raise UserError(str(path), None, "has no messages")
    return columns


def _read_table(path: Path, format: str) -> Any:
    import pyarrow as pa

    if format == "csv":
        from pyarrow import csv

        text = _WITHOUT_VALUES.sub("", read_text(path))
        options = csv.ParseOptions(delimiter=separator(text))
        return csv.read_csv(pa.BufferReader(text.encode()), parse_options=options)
    from pyarrow import parquet

    return parquet.read_table(pa.BufferReader(read_bytes(path)))


def _time_column(path: Path, columns: dict[str, Column]) -> str:
    found = [name for name in columns if name in _TIME_COLUMNS]
    if len(found) != 1:
        problem = f"has {len(found) or 'no'} columns of time; needs one of {listed(_TIME_COLUMNS)}"
        meant = nearest("time_ns", columns) if not found else None
        raise UserError(str(path), None, problem, meant)
    return found[0]


def _times(path: Path, name: str, column: Column) -> Column:
    """Return a column of times in picoseconds."""
    import numpy as np

    _check_numbers(path, name, column, Time.largest / _TIME_COLUMNS[name])
    if column.dtype.kind == "f":
        rounded: Column = np.rint(column * _TIME_COLUMNS[name])
        return rounded.astype(np.uint64)
    return column.astype(np.uint64) * np.uint64(_TIME_COLUMNS[name])


def _whole(path: Path, name: str, column: Column, most: int) -> Column:
    """Return a column of whole numbers from 0 to ``most``."""
    _check_numbers(path, name, column, most)
    fractions = column != column.astype("uint64")
    if fractions.any():
        raise _bad_value(path, name, column, fractions, "must be a whole number")
    return column


def _check_numbers(path: Path, name: str, column: Column, most: float) -> None:
    """Raise `UserError` unless every value is a number from 0 to ``most``."""
    if column.dtype.kind not in "iuf":
        wrong = np.array([not _is_number(value) for value in column], dtype=bool)
        if wrong.any():
            raise _bad_value(path, name, column, wrong, "must be a number, such as 1000 or 1e3")
        raise UserError(str(path), None, f"column {name} must hold numbers only")
    wrong = ~((column >= 0) & (column <= most))
    if wrong.any():
        raise _bad_value(path, name, column, wrong, f"must be 0 to {most:.16g}")


def _is_number(value: object) -> bool:
    """Whether Arrow takes a value for a number: not `1_000`, as Python does."""
    try:
        return "_" not in str(value) and math.isfinite(float(str(value)))
    except ValueError:
        return False


def _bad_value(path: Path, name: str, column: Column, wrong: Column, allowed: str) -> UserError:
    row = int(wrong.argmax())
    return UserError(f"{path}: {name} of message {row}", str(column[row]), allowed)
