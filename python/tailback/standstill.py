"""A run in which packets wait for each other for ever, drawn on its network."""

from __future__ import annotations

from pathlib import Path

from tailback.errors import RunFailure
from tailback.experiment import Experiment
from tailback.figures import topology
from tailback.figures.circle import circle_picture
from tailback.figures.picture import Picture
from tailback.figures.written import write_picture
from tailback.survey import survey


def write_standstill(experiment: Experiment, failure: RunFailure, path: Path) -> None:
    """Write who waits for whom as a page of HTML or as SVG; `failure` must have a circle.

    Raises `UserError` if it cannot be written, or the network is too large to be seen.
    """
    write_picture(path, lambda: _picture(experiment, failure))


def _picture(experiment: Experiment, failure: RunFailure) -> Picture:
    machine = experiment.machine
    graph, names = survey(machine).graph, machine.topology.labels.get("switch", ())
    network = topology.picture(machine, graph, machine.topology.switch_count, {}, names)
    what = str(failure).partition(":")[0]
    title = f"{what}: every number waits for the next, the last one for 1"
    enters = [int(switch) for switch in graph["node_enters"]]
    return circle_picture(network, failure.circle, enters, title)
