"""What a Python program names an experiment by."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tailback.errors import UserError, shown
from tailback.experiment import Experiment, Run
from tailback.machines import Machine, Topology
from tailback.workloads import Workload

What = Experiment | Machine | Topology | str | os.PathLike[str]
"""An experiment, the file of one, or a machine (then a workload follows).

A topology stands for the machine that is described by nothing else.
"""


def load(path: str | os.PathLike[str], overrides: Iterable[str] = ()) -> Experiment:
    """Read an experiment file; `overrides` are such as `"run.seed=2"`.

    >>> import tailback as tb
    >>> experiment = tb.load("examples/two_jobs.toml", ["machine.routing.kind=spray"])
    >>> experiment.machine.routing.kind, [job.name for job in experiment.jobs]
    ('spray', ['train', 'shuffle'])
    """
    return Experiment.load(Path(path), overrides)


def experiment_of(what: What, workload: Workload | None = None, **run_fields: Any) -> Experiment:
    """Return the experiment meant by the arguments of `run`, `cost` and `describe`."""
    if isinstance(what, Topology):
        what = Machine(topology=what)
    if isinstance(what, Machine):
        if not isinstance(workload, Workload):
            given = None if workload is None else shown(type(workload).__name__)
            raise UserError("workload", given, "must be given with a machine: one of tb.workloads")
        return Experiment(what, workload, Run(**run_fields))
    if not isinstance(what, Experiment | str | os.PathLike):
        known = "must be an experiment, the path of one, a machine or a topology"
        raise UserError("what", shown(type(what).__name__), known)
    if workload is not None:
        raise UserError("workload", None, "is part of the experiment already")
    experiment = what if isinstance(what, Experiment) else load(what)
    if not run_fields:
        return experiment
    given = experiment.run.model_dump(exclude_unset=True)
    return Experiment(experiment.machine, experiment.workload, Run(**given | run_fields))
