"""The page of `tailback explain --html`: where the time of a program went."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tailback.answers.of_program import of_explanation
from tailback.critical_path import ALL_PART_WORDS
from tailback.explaining.facts import facts
from tailback.recording import recorded
from tailback.wording.scaling import MICROSECONDS, scaled

from .content import Cell, Content, Page, Section, Table
from .of_timeline import DRAWN, section
from .page import write
from .terms import TERMS

if TYPE_CHECKING:
    from tailback.explaining import Explanation

_MOST_ROWS = 500


def write_explanation(explanation: Explanation, path: Path) -> None:
    """Write the page; raise `UserError` if it cannot be written."""
    write(explanation_page(explanation), path)


def explanation_page(explanation: Explanation) -> Page:
    """Return the page on one program."""
    told = facts(explanation, _MOST_ROWS)
    for row in told["parts"]:
        row["part"] = ALL_PART_WORDS.get(row["part"], row["part"])
    waits = (
        _table(told["channels"], ("channel",), "Channels that kept messages on it waiting"),
        _table(told["culprits"], ("culprit",), "Whose messages were there"),
        _table(told["culprit_calls"], ("culprit", "place"), "The same by place in their programs"),
    )
    whose = (
        _table(told["processes"], ("process",), "Processes that it leads to"),
        _table(told["calls"], ("process", "place", "part"), "Where in the program"),
        _processes(explanation),
    )
    shown = [
        ("makespan", _time(told["makespan_us"])),
        (f"in mode {told['baseline']}", _time(told["baseline_us"])),
        ("contention on the path", _time(told["contention_us"])),
        ("but for links of the senders' nodes", _time(told["elsewhere_us"])),
        ("segments", f"{told['segments']:,}"),
    ]
    shown += [(f"with {name}", _time(time)) for name, time in told["what_if"].items()]
    chart = _chart(explanation)
    return Page(
        title="Where the time went",
        lead=tuple(of_explanation(explanation).lines),
        sections=(
            Section("The critical path", (_table(told["parts"], ("part",)),)),
            *([] if chart is None else [chart]),
            Section("What it waited for", waits),
            Section("Processes", whose),
        ),
        facts=tuple(shown),
        terms=TERMS,
    )


def _chart(explanation: Explanation) -> Section | None:
    """Return the chart of the first processes, if their activities were recorded."""
    result = explanation.result
    if result.activities is None:
        return None
    return section(recorded(result, DRAWN))


def _table(rows: Sequence[dict[str, Any]], names: Sequence[str], title: str = "") -> Table:
    cells = tuple(
        (*(_content(row[name]) for name in names), *_taken(row["us"], row["share"])) for row in rows
    )
    return Table((*names, "time", "share"), cells, title, searchable=bool(title))


def _taken(us: float, share: float | None) -> tuple[Cell, Cell]:
    return Cell(_time(us), us), Cell(f"{100 * (share or 0):.1f} %", share or 0.0)


def _processes(explanation: Explanation) -> Table:
    """Return the time of every process by category; empty categories are left out."""
    table = explanation.path.processes
    names = [name for name in table.column_names if name.endswith("_ps")]
    used = [name for name in names if any(table[name].to_pylist()) or "slack" in name]
    columns = [table["process"].to_pylist(), *(table[name].to_pylist() for name in used)]
    rows = tuple(
        (_content(process), *(Cell(_time(time / 1e6), time / 1e6) for time in times))
        for process, *times in list(zip(*columns, strict=True))[:_MOST_ROWS]
    )
    heads = ("process", *(name.removesuffix("_ps").replace("_", " ") for name in used))
    return Table(heads, rows, "All the time of each process", searchable=True)


def _content(value: Any) -> Content:
    if value is None:
        return None
    return Cell(str(value), value) if isinstance(value, int) else str(value)


def _time(us: float | None) -> str:
    return scaled(us, MICROSECONDS)
