"""The command on schedules of a complete exchange: `schedule`."""

from __future__ import annotations

from dataclasses import asdict
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tailback.errors import UserError
from tailback.errors import shown as as_given
from tailback.files import write_named

from .answering import failures, print_json, quantity_of, show, span_of
from .options import Json, app, examples

if TYPE_CHECKING:
    from tailback.schedules import Contention, Counted, Schedule


class Order(str, Enum):
    """Which schedule."""

    bounded = "bounded"
    scott = "scott"
    naive_ascending = "naive_ascending"
    naive_shifted = "naive_shifted"
    naive_random = "naive_random"


Mesh = Annotated[str, typer.Argument(metavar="MESH", help="Sides of the mesh: 8x8.")]
File = Annotated[
    Path | None,
    typer.Option("--file", metavar="FILE", help="Read the schedule from a file: .csv or .json."),
]
Node = Annotated[
    int | None, typer.Option("--node", metavar="N", help="Messages of a node between barriers.")
]
Link = Annotated[
    int | None, typer.Option("--link", metavar="N", help="Messages on a link between barriers.")
]
GroupOf = Annotated[
    int | None, typer.Option("--group", metavar="N", help="Steps between barriers, instead.")
]
Step = Annotated[
    str | None,
    typer.Option("--step", metavar="N", help="Step to print and draw, or several, such as 8-9."),
]
Picture = Annotated[
    Path | None, typer.Option("--out", metavar="FILE.svg", help="Draw these steps, or all.")
]
Save = Annotated[
    Path | None, typer.Option("--save", metavar="FILE", help="Write the schedule: .csv or .json.")
]
AsProgram = Annotated[
    Path | None,
    typer.Option("--program", metavar="FILE.toml", help="Write the schedule as an experiment."),
]
AsMessages = Annotated[
    Path | None,
    typer.Option("--messages", metavar="FILE.csv", help="Write the schedule as messages."),
]
SizeOf = Annotated[str, typer.Option("--size", help="Length of each message.")]
Period = Annotated[
    str, typer.Option("--period", help="Time from step to step of --messages, such as 600 us.")
]
Seed = Annotated[int, typer.Option("--seed", help="Seed of the order naive_random.")]


@app.command(
    epilog=examples(
        "tailback schedule 16x16",
        "tailback schedule 8x8 --node 2 --link 4 --step 120-123 --out steps.svg",
        'tailback schedule 8x8 --link 2 --program exchange.toml --size "15232 B"',
        "tailback schedule 8x8 --file mine.csv --node 1 --link 2",
    )
)
def schedule(  # noqa: PLR0913, PLR0917  # one argument per option
    mesh: Mesh,
    order: Annotated[Order, typer.Option("--order", help="Which schedule.")] = Order.bounded,
    file: File = None,
    node: Node = None,
    link: Link = None,
    group: GroupOf = None,
    step: Step = None,
    out: Picture = None,
    save: Save = None,
    program: AsProgram = None,
    messages: AsMessages = None,
    size: SizeOf = "1000 B",
    period: Period = "0 s",
    seed: Seed = 1,
    json: Json = False,
) -> None:
    """Make, verify and draw a schedule of a complete exchange.

    On a mesh; it can be read from a file and exported, too.

    Every node sends to every other once, in steps that barriers may separate. Contention is the
    number of messages of a node, or on a directed link, between two barriers.
    """
    with failures(json, file):
        from tailback import schedules
        from tailback.units import Size, Time

        shape = _shape(mesh)
        wanted = "must be the number of a step, or two: 8-9"
        shown = None if step is None else span_of("--step", step, wanted)
        if file is None:
            made = _made(shape, order, seed, (node, link, group))
            others = _others(made) if order is Order.bounded else []
            counted = schedules.verify(made)
        else:
            made, others = schedules.read(file, shape, 1 if group is None else group), []
            counted = schedules.verify(made, node, link)
        _write(made, shown, {"--out": out, "--save": save, "--program": program}, size)
        if messages is not None:
            length, apart = quantity_of("--size", Size, size), quantity_of("--period", Time, period)
            _save("--messages", messages, schedules.messages(made, length, apart))
        if json:
            print_json(_answer(made, counted, others))
        else:
            _print(made, counted, others, shown)


def _shape(text: str) -> tuple[int, ...]:
    """Return the sides of a mesh."""
    sides = text.lower().split("x")
    if not all(side.isascii() and side.isdigit() and 0 < len(side) < 6 for side in sides):
        raise UserError("mesh", as_given(text), "must be the sides of a mesh, such as 8x8")
    if not all(int(side) for side in sides):
        raise UserError("mesh", as_given(text), "must have sides of at least 1")
    return tuple(map(int, sides))


def _made(
    shape: tuple[int, ...], order: Order, seed: int, asked: tuple[int | None, ...]
) -> Schedule:
    from tailback import schedules

    if order is not Order.bounded and any(number is not None for number in asked):
        allowed = "has no barriers" if order is not Order.scott else "has a barrier after each step"
        allowed += ": only the order bounded has a contention that can be chosen"
        raise UserError("--order", f'"{order.value}"', allowed)
    made = schedules.in_order(shape, order.value, seed)
    if order is Order.bounded:
        return made.in_groups_of(schedules.group_of(shape, *asked))
    return made


def _others(made: Schedule) -> list[tuple[Contention, Counted]]:
    """Return every contention that can be asked for, with its counts."""
    from tailback import schedules

    return [
        (contention, schedules.count(made.in_groups_of(contention.group)))
        for contention in schedules.contentions(made.shape)
    ]


def _write(
    made: Schedule, shown: tuple[int, int] | None, files: dict[str, Path | None], size: str
) -> None:
    from tailback import schedules
    from tailback.figures.schedules import svg
    from tailback.units import Size

    length = quantity_of("--size", Size, size)
    first, last = shown or (0, made.steps - 1)
    for option, path in files.items():
        if path is None:
            continue
        allowed = {"--out": (".svg",), "--save": (".csv", ".json"), "--program": (".toml",)}
        if path.suffix.lower() not in allowed[option]:
            raise UserError(option, str(path), f"must end in {' or '.join(allowed[option])}")
        if option == "--out":
            text = svg(made, first, last)
        elif option == "--save":
            text = schedules.written(made, path.suffix.lower())
        else:
            text = schedules.program(made, length)
        _save(option, path, text)


def _save(option: str, path: Path, text: str) -> None:
    write_named(option, path, text.encode())


def _answer(
    made: Schedule, counted: Counted, others: list[tuple[Contention, Counted]]
) -> dict[str, Any]:
    listed = [{"group": of.group, **asdict(found)} for of, found in others]
    known = {"schedule": made.name, "mesh": list(made.shape), "group": made.group}
    return known | asdict(counted) | ({"contentions": listed} if listed else {})


def _print(
    made: Schedule,
    counted: Counted,
    others: list[tuple[Contention, Counted]],
    shown: tuple[int, int] | None,
) -> None:
    from tailback.terminal.scheduled import schedule_report, steps_report

    if shown is not None:
        first, last = shown
        if not 0 <= first <= last < made.steps:
            raise UserError("--step", f"{first}-{last}", f"must be 0 to {made.steps - 1}")
        show(steps_report(made, first, last))
    else:
        show(schedule_report(made, counted, others))
