"""The layout that all reports of the terminal share."""

from __future__ import annotations

from collections.abc import Iterable

from rich import box
from rich.console import Console, RenderableType
from rich.table import Column, Table
from rich.text import Text

from tailback.answers import Head
from tailback.experiment import Experiment


def show(report: RenderableType, *, stderr: bool = False) -> None:
    """Print a report on standard output or error."""
    Console(stderr=stderr, highlight=False, markup=False).print(report)


def heading(experiment: Experiment) -> Text:
    """Return what was simulated, in one line."""
    parameters = experiment.resolved()
    machine, workload = parameters["machine"], parameters.get("workload", {})
    topology = machine["topology"]
    size = " x ".join(map(str, topology.get("dims", ())))
    words = [f"{size} {topology['kind']}".strip()]
    if experiment.jobs:
        words.append("jobs " + ", ".join(job.name for job in experiment.jobs))
    else:
        words.append(workload["kind"])
    if workload.get("pattern", "uniform") != "uniform":
        words.append(workload["pattern"])
    words += [str(workload[key]) for key in ("sync",) if workload.get(key)]
    estimate = " (an estimate)" if experiment.fidelity == "fluid" else ""
    words += [f"fidelity {experiment.fidelity}{estimate}", f"seed {experiment.run.seed}"]
    return Text(" · ".join(words), style="dim")


_WIDTH = 80  # of a narrow terminal


def head(experiment: Experiment, answer: Head) -> list[RenderableType]:
    """Return what every report begins with: what was simulated, then the answer."""
    status = [Text(line, style="bold yellow") for line in answer.status]
    said = [Text(sentence, style="bold") for sentence in answer.sentences]
    return [heading(experiment), *status, *said]


def more(*options: str) -> list[RenderableType]:
    """Return which options show more, as the last line of a report."""
    return [Text(), Text(f"More: {', '.join(options)}", style="dim")] if options else []


FULL = "--full (all tables)"


def new_table(
    title: str | None = None,
    *columns: Column,
    rows: Iterable[Iterable[str]] = (),
    has_head: bool = True,
) -> Table:
    """Return a table in our style."""
    table = Table(
        *columns,
        title=None if title is None else _title(title),
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        show_edge=False,
        show_header=has_head,
    )
    for row in rows:
        table.add_row(*row)
    return table


def _title(text: str) -> Text:
    """Return a title that stays on its line where its table is narrower."""
    return Text(text, no_wrap=len(text) < _WIDTH, overflow="ignore")


def words(*names: str) -> list[Column]:
    """Return columns of words that are not broken over lines."""
    return [Column(name, no_wrap=True) for name in names]


def texts(*names: str) -> list[Column]:
    """Return columns of words that are folded where there is no room."""
    return [Column(name, overflow="fold") for name in names]


def numbers(*names: str, no_wrap: bool = False) -> list[Column]:
    """Return columns of numbers, whose intervals may go below them where there is no room."""
    return [Column(name, justify="right", no_wrap=no_wrap) for name in names]


def cautions(lines: Iterable[str], of: str = "") -> list[Text]:
    """Return what to be wary of, a line each; `of` says of what."""
    return [Text(f"{of}: {line}" if of else line, style="yellow") for line in lines]
