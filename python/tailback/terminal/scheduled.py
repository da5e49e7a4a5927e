"""The reports of `tailback schedule`."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from tailback.schedules import Contention, Counted, Schedule

from .layout import new_table, numbers, words

_MOST_COLUMNS = 16


def schedule_report(
    schedule: Schedule, counted: Counted, others: Sequence[tuple[Contention, Counted]]
) -> RenderableType:
    """Return the report of a schedule; ``others``: the same steps with other barriers."""
    heading = f"{schedule.name} on {schedule.mesh}: complete exchange of {schedule.nodes} nodes"
    rows = {
        "messages": f"{counted.messages:,}",
        "steps": f"{counted.steps:,}",
        "steps between barriers": f"{schedule.group:,}" if counted.groups > 1 else "no barriers",
        "groups": f"{counted.groups:,}",
        "lower bound of groups": f"{counted.fewest_groups:,}",
        "node contention": f"{counted.node:,}",
        "link contention": f"{counted.link:,}",
        "nodes busy in a group, %": f"{100 * counted.busy:.4g}",
    }
    columns = (*words(""), *numbers("", no_wrap=True))
    table = new_table(None, *columns, rows=rows.items(), has_head=False)
    verdict = Text("Verified: every node sends to every other exactly once.", style="bold")
    parts: list[RenderableType] = [Text(heading, style="bold"), table, Text(), verdict]
    if others:
        parts += [Text(), _others(others)]
    return Group(*parts)


def _others(others: Sequence[tuple[Contention, Counted]]) -> RenderableType:
    heads = ("steps between\nbarriers", "groups", "lower\nbound", "node\ncontention")
    more = ("link\ncontention", "nodes\nbusy, %")
    table = new_table("With fewer barriers", *numbers(*heads, *more, no_wrap=True))
    for contention, counted in others:
        table.add_row(
            f"{contention.group:,}",
            f"{counted.groups:,}",
            f"{counted.fewest_groups:,}",
            f"{counted.node:,}",
            f"{counted.link:,}",
            f"{100 * counted.busy:.4g}",
        )
    return table


def steps_report(schedule: Schedule, first: int, last: int) -> RenderableType:
    """Return the messages of some steps, as a map of destinations if it fits."""
    parts: list[RenderableType] = []
    for step in range(first, last + 1):
        source, destination = schedule.of_steps(step, step)
        readable = len(schedule.shape) == 2 and schedule.shape[0] <= _MOST_COLUMNS
        to = dict(zip(source.tolist(), destination.tolist(), strict=True))
        if readable and len(to) == source.size:
            parts += [Text(), _map(schedule, step, to)]
        else:
            pairs = zip(source.tolist(), destination.tolist(), strict=True)
            text = ", ".join(f"{a} to {b}" for a, b in pairs)
            parts += [Text(), Text(f"Step {step}: {text or 'nobody sends'}")]
    return Group(*parts)


def _map(schedule: Schedule, step: int, to: dict[int, int]) -> RenderableType:
    """Return a step as the papers print it: where each node sends, as row,column."""
    columns, rows = schedule.shape
    heads = numbers("row", *map(str, range(columns)), no_wrap=True)
    table = new_table(f"Step {step}: where each node sends, as row,column", *heads)
    for row in range(rows):
        nodes = range(row * columns, (row + 1) * columns)
        table.add_row(str(row), *(_place(to.get(node), columns) for node in nodes))
    return table


def _place(node: int | None, columns: int) -> str:
    return "" if node is None else ",".join(map(str, divmod(node, columns)))
