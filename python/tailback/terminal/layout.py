"""What all tables of the terminal share."""

from __future__ import annotations

from rich import box
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

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
    return Text(" · ".join(words), style="bold")


def new_table(title: str | None = None) -> Table:
    """Return an empty table in our style."""
    return Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        show_edge=False,
    )
