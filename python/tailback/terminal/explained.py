"""The report of `tailback explain`, the answer first."""

from __future__ import annotations

from typing import Any

from rich.console import Group, RenderableType
from rich.table import Column, Table
from rich.text import Text

from tailback.answers.lateness import SMALL
from tailback.answers.of_program import of_explanation
from tailback.critical_path import ALL_PART_WORDS, FAULT
from tailback.explaining import Explanation
from tailback.explaining.facts import facts
from tailback.units import counted
from tailback.wording import UNKNOWN
from tailback.wording.scaling import MICROSECONDS, scaled

from .layout import FULL, head, more, new_table, numbers, words

_TOP = 3


def explain_report(
    explanation: Explanation, top: int = _TOP, *, full: bool = False
) -> RenderableType:
    """Return the report of `tailback explain`: the answer, the parts of the path, what may help.

    `full`: also tables of channels, culprits and processes, of at most `top` rows.
    """
    told = facts(explanation, top)
    has_network = explanation.result.experiment.machine.loggops is None
    hints = [*_late(told), *_hints(told, _HINTS if has_network else _WITHOUT_NETWORK)]
    parts = head(explanation.result.experiment, of_explanation(explanation))
    parts += [Text(), _parts(told, full=full), Text(), *map(Text, hints)]
    if explanation.what_if:
        parts += [Text(), _what_if(told)]
    if full:
        tables = (_rows(title, told[name], names) for title, name, names in _TABLES)
        parts += [part for table in tables if table.row_count for part in (Text(), table)]
    return Group(*parts, *([] if full else more(FULL, "--faster NAME:FACTOR", "--html PAGE")))


def _parts(told: dict[str, Any], *, full: bool) -> Table:
    """Return what the time of the critical path consists of."""
    rows = [row for row in told["parts"] if row["share"] is not None]
    shown = [row for row in rows if full or row["share"] >= SMALL]
    table = new_table(
        f"The critical path: {counted(told['segments'], 'segment')}",
        Column("what"),
        *numbers("time", "share"),
        rows=[(ALL_PART_WORDS[row["part"]], _time(row["us"]), _share(row)) for row in shown],
    )
    if len(shown) < len(rows):
        left = sum(row["share"] for row in rows if row not in shown)
        table.add_row(f"{len(rows) - len(shown)} more", "", f"{100 * left:.1f} %", style="dim")
    return table


_TABLES = (
    ("Where messages on it waited", "channels", ("channel",)),
    ("For whose messages", "culprits", ("culprit",)),
    ("The same by place in their programs", "culprit_calls", ("culprit", "place")),
    ("Processes that it leads to", "processes", ("process",)),
    ("Where in the program", "calls", ("process", "place", "part")),
)
"""Tables of `--full`: title, name in `facts`, and columns before the time."""


def _rows(title: str, rows: list[dict[str, Any]], names: tuple[str, ...]) -> Table:
    return new_table(
        title,
        *words(*names),
        *numbers("time", "share"),
        rows=[
            (
                *(UNKNOWN if row[name] is None else str(row[name]) for name in names),
                _time(row["us"]),
                _share(row),
            )
            for row in rows
        ],
    )


def _share(row: dict[str, Any]) -> str:
    return "" if row["share"] is None else f"{100 * row['share']:.1f} %"


def _late(told: dict[str, Any]) -> list[str]:
    slack = told["slack"]
    if not slack:
        return []
    least, most = slack[0], slack[-1]
    if least["us"] == most["us"]:
        return [f"Slack: {_time(least['us'])} for every process."]
    tight = sum(row["us"] == least["us"] for row in slack)
    who = f"process {least['process']}" + (f" and {tight - 1} more" if tight > 1 else "")
    return [
        f"Least slack: {who}, {_time(least['us'])}; most: process {most['process']}, "
        f"{_time(most['us'])} later would not matter."
    ]


#: Changes to try, by the largest part of the path.
_HINTS = {
    "computing": ["--faster compute:2"],
    "own": ["--faster links:2"],
    "source": ["--faster nodes:2"],
    "destination": ["--faster nodes:2"],
    "network": ["--faster links:2"],
    "spread": ["--faster nodes:2"],
}
_WITHOUT_NETWORK = {
    "computing": ["--faster compute:2"],
    "own": ["--faster L:2", "--faster G:2"],
    "processor": ["--faster G:2"],
    "sending": ["--faster o:2"],
    "receiving": ["--faster o:2"],
}


def _hints(told: dict[str, Any], hints: dict[str, list[str]]) -> list[str]:
    low, high = told["bounds_us"]
    lines = []
    if told["elsewhere_us"] > 0:
        where = " elsewhere" if told["elsewhere_us"] < told["contention_us"] else " on the path"
        lines.append(
            f"Contention{where} is {_time(told['elsewhere_us'])}: without it the program "
            f"takes {_time(low)} to {_time(high)}, as long as messages come in this order."
        )
    of_faults = sum(row["us"] for row in told["parts"] if row["part"] == FAULT)
    if of_faults >= max(told["elsewhere_us"], SMALL * told["makespan_us"]):
        # Faster links would not end the wait for a link that is down.
        cost = "Failed or slow links cost more than contention"
        lines.append(f"{cost}: tailback cost says what it takes without.")
    most = told["parts"][0]["part"] if told["parts"] else ""
    between = [row["channel"] for row in told["channels"] if row["between_switches"]]
    tries = [*hints.get(most, []), *(f'--without "channel:{name}"' for name in between[:1])]
    if tries and not told["what_if"]:
        # Each on a line of its own, to be copied whole.
        lines += ["To see what would help, try", *(f"  {option}" for option in tries)]
    return lines


def _what_if(told: dict[str, Any]) -> Any:
    table = new_table("What if", *words("changed"), *numbers("takes", "saves", "of the time"))
    whole = told["makespan_us"]
    table.add_row("nothing", _time(whole), "", "")
    for name, time in told["what_if"].items():
        saved = None if time is None else whole - time
        share = "" if saved is None or whole == 0 else f"{100 * saved / whole:.1f} %"
        table.add_row(name, _time(time), _time(saved), share)
    return table


def _time(us: float | None) -> str:
    if us is not None and us < 0:
        return f"-{scaled(-us, MICROSECONDS)}"
    return scaled(us, MICROSECONDS)
