"""Tables of many runs that fit the terminal: modes side by side, constants said once.

A table that is still too wide leaves out what matters least and names it; if its columns were
asked for, it goes on below itself instead.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tailback.metrics import OF_CLASSES, OF_JOBS
from tailback.units import counted
from tailback.wording import UNKNOWN

from .runs import Shown, columns_of, table_text, width_of

if TYPE_CHECKING:
    import pyarrow as pa

MODE = "mode"

_FIRST = (
    *("cut_off", "lost", "unsettled", "saturated"),
    "completion_us",
    "accepted_load",
    "message_latency_us",
    "messages_per_node_per_ms",
    "theta_c",
    "theta_r",
    "theta_t",
)
"""What is shown before all else, besides parameters."""


def fitted_table(rows: pa.Table, width: int | None, *, asked: bool) -> str:
    """Return a table of runs of at most `width` characters a line; None: of any width.

    `asked`: its columns were asked for, so that none is left out.
    """
    columns = columns_of(rows)
    if len(rows) < 2:
        constant: list[Shown] = []
    else:
        columns = _modes_side_by_side(columns)
        constant = [column for column in columns if len(set(column.cells)) == 1]
        columns = [column for column in columns if column not in constant] or columns[:1]
    if width is None:
        return "\n".join([*_said_once(constant, None), table_text(columns)])
    if asked:
        tables = "\n\n".join(map(table_text, _below_itself(columns, width)))
        return "\n".join([*_said_once(constant, width), tables])
    shown = _fitting(columns, width)
    left = dict.fromkeys(column.label for column in columns if column not in shown)
    more = f"+{counted(len(columns) - len(shown), 'column')}: --fields {','.join(left)}"
    # What is to be copied stays whole.
    lines = textwrap.wrap(
        more, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )
    lines = lines if left else []
    return "\n".join([*_said_once(constant, width), table_text(shown), *lines])


def _is_key(column: Shown) -> bool:
    """Whether a column tells what was run; others tell what came of it."""
    return "." in column.name and not column.name.startswith((OF_CLASSES, OF_JOBS))


def _modes_side_by_side(columns: list[Shown]) -> list[Shown]:
    """Return a row for the modes of each experiment, with columns for each mode.

    What is the same in all modes, or known in one alone, keeps its one column. Rows that differ
    in other things than parameters stay as they are.
    """
    mode = next((column for column in columns if column.name == MODE), None)
    if mode is None or len(set(mode.cells)) < 2:
        return columns
    keys = [column for column in columns if _is_key(column)]
    experiments = list(zip(*(column.cells for column in keys), strict=True)) or [()] * len(
        mode.cells
    )
    places = {one: place for place, one in enumerate(dict.fromkeys(experiments))}
    of_rows = [(places[one], which) for one, which in zip(experiments, mode.cells, strict=True)]
    if len(set(of_rows)) < len(of_rows):
        return columns
    found = []
    for column in columns:
        if column is mode:
            continue
        known = dict(zip(of_rows, column.cells, strict=True))
        found += list(_by_mode(column, known, len(places), list(dict.fromkeys(mode.cells))))
    return found


def _by_mode(
    column: Shown, known: dict[tuple[int, str], str], rows: int, modes: Sequence[str]
) -> Iterator[Shown]:
    """Yield the columns of one, by mode; `known`: its cells by row and mode."""
    told = {mode: tuple(known.get((row, mode), UNKNOWN) for row in range(rows)) for mode in modes}
    there = {mode: cells for mode, cells in told.items() if set(cells) != {UNKNOWN}}
    # A run that is not there is not another value.
    agree = all(
        len({known[row, mode] for mode in modes if (row, mode) in known}) == 1
        for row in range(rows)
    )
    if agree or len(there) < 2:
        cells = next(iter(there.values()), told[modes[0]])
        if agree:
            cells = tuple(
                next(known[row, mode] for mode in modes if (row, mode) in known)
                for row in range(rows)
            )
        yield replace(column, cells=cells)
        return
    for mode, cells in there.items():
        yield replace(column, head=(*column.head, mode), cells=cells)


def _said_once(constant: Sequence[Shown], width: int | None) -> list[str]:
    """Return what is the same in all rows, in lines of at most `width` characters."""
    if not constant:
        return []
    told = [f"{_without_breaks(column)} {column.cells[0]}" for column in constant]
    text = f"All rows: {', '.join(told)}"
    lines = [text] if width is None else textwrap.wrap(text, width, subsequent_indent="  ")
    return [*lines, ""]


def _without_breaks(column: Shown) -> str:
    """Return the label of a column, with its mode if it is of one."""
    own = "".join(column.head)
    return own if own == column.label else f"{column.label} ({column.head[-1]})"


def _fitting(columns: Sequence[Shown], width: int) -> list[Shown]:
    """Return the columns that fit, in their order: parameters, then what matters most."""
    ranks = {name: rank for rank, name in enumerate(_FIRST)}

    def rank(column: Shown) -> int:
        return -1 if _is_key(column) else ranks.get(column.name, len(ranks))

    chosen: list[Shown] = []
    for column in sorted(columns, key=rank):
        if not chosen or width_of([*chosen, column]) <= width:
            chosen.append(column)
    return [column for column in columns if column in chosen]


def _below_itself(columns: Sequence[Shown], width: int) -> Iterator[list[Shown]]:
    """Yield parts that fit, each with the parameters again."""
    keys = [column for column in columns if _is_key(column) or column.name == MODE]
    part: list[Shown] = []
    for column in columns:
        if column in keys:
            continue
        if part and width_of([*keys, *part, column]) > width:
            yield [*keys, *part]
            part = []
        part.append(column)
    yield [*keys, *part]
