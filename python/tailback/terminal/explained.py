"""The report of `tailback explain`, in about ten lines."""

from __future__ import annotations

from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from tailback.critical_path import PART_WORDS
from tailback.explaining import Explanation
from tailback.explaining.facts import facts
from tailback.wording import warnings
from tailback.wording.scaling import MICROSECONDS, scaled

from .layout import cautions, heading, new_table, numbers, words

_TOP = 3


def explain_report(explanation: Explanation) -> RenderableType:
    """Return the report of `tailback explain`."""
    told = facts(explanation, _TOP)
    lines = [_takes(told), *_consists(told), *_in_the_way(told), *_late(told)]
    has_network = explanation.result.experiment.machine.loggops is None
    lines += _hints(told, _HINTS if has_network else _WITHOUT_NETWORK)
    parts: list[RenderableType] = [heading(explanation.result.experiment)]
    parts += [Text(line) for line in lines]
    if explanation.what_if:
        parts += [Text(), _what_if(told)]
    return Group(*parts, *cautions(warnings(explanation.result.ending)))


def _takes(told: dict[str, Any]) -> str:
    line = f"The program takes {_time(told['makespan_us'])}"
    if told["baseline_us"] is None:
        return f"{line}."
    line += f", and {_time(told['baseline_us'])} in mode {told['baseline']}"
    if told["makespan_us"] == told["baseline_us"]:
        return f"{line}: contention costs nothing."
    if told["makespan_us"] < told["baseline_us"]:
        # It restricts what the other mode does not, see `verdict`.
        return f"{line}, which takes longer, since it lets nothing pass in another order."
    if told["baseline_us"] > 0:
        longer = told["makespan_us"] / told["baseline_us"] - 1
        line += f": contention makes it {100 * longer:.1f} % longer"
    return f"{line}."


def _consists(told: dict[str, Any]) -> list[str]:
    count = told["segments"]
    shares = [
        f"  {100 * row['share']:5.1f} %  {PART_WORDS[row['part']]}, {_time(row['us'])}"
        for row in told["parts"]
        if row["share"] is not None
    ]
    return [f"Its critical path has {count} segments, which are:", *shares]


def _in_the_way(told: dict[str, Any]) -> list[str]:
    lines = []
    for what, rows in (
        ("What kept messages on it waiting was at", _listed(told["channels"], "channel")),
        ("There were messages of", _listed(told["culprits"], "culprit")),
    ):
        if rows:
            lines.append(f"{what} {rows}.")
    return lines


def _listed(rows: list[dict[str, Any]], name: str) -> str:
    return ", ".join(f"{row[name]} ({_time(row['us'])})" for row in rows if row[name] is not None)


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
    if told["contention_us"] > 0:
        lines.append(
            f"Contention on the path is {_time(told['contention_us'])}: without it the program "
            f"takes {_time(low)} to {_time(high)}, as long as messages come in this order."
        )
    most = told["parts"][0]["part"] if told["parts"] else ""
    between = [row["channel"] for row in told["channels"] if row["between_switches"]]
    tries = [*hints.get(most, []), *(f'--without "channel:{name}"' for name in between[:1])]
    if tries and not told["what_if"]:
        lines.append(f"To see what would help, try {' or '.join(tries)}.")
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
