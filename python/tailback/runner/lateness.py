"""How late the messages of a run were: what the engine tells, as blame, rows and estimates."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from tailback import engine, tables
from tailback.charging import Blame
from tailback.metrics import OF_LATENESS, class_name
from tailback.results import Fared
from tailback.statistics import Estimate
from tailback.workloads import Traffic

if TYPE_CHECKING:
    import pyarrow as pa

    from tailback.experiment import Experiment

_MILLION = 1e6


_VARIABLES = {name.removesuffix("_us") for name in OF_LATENESS}


def asked_for(experiment: Experiment, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return distributions without those of lateness, unless somebody asked for these.

    The critical path needs them, too, and says nothing of them.
    """
    if _asks(experiment):
        return rows
    return [row for row in rows if row["variable"] not in _VARIABLES]


def _asks(experiment: Experiment) -> bool:
    return experiment.run.blame or experiment.run.keep_messages


def blame_of(experiment: Experiment, sim: engine.Simulation, *, exact: bool) -> Blame | None:
    """Return who made whom late; None unless that was asked for."""
    if not experiment.run.blame:
        return None
    alone_ps = sum(row["sum"] for row in sim.moments() if row["variable"] == "message_alone")
    share = experiment.run.blame_share
    return Blame.of(sim.blame(), engine.CAUSES, alone_ps=alone_ps, share=share, finished=exact)


def messages_of(
    experiment: Experiment, sim: engine.Simulation, late: tables.Columns | None
) -> pa.Table | None:
    """Return a row for every message that is kept; None unless that was asked for."""
    if late is None:
        return None
    rows = sim.take_messages()
    classes = None
    senders = rows["source_process"]
    if experiment.jobs:
        names = np.array([job.name for job in experiment.jobs])
        classes = names[sim.processes()["job"][senders]].tolist()
    elif isinstance(experiment.workload, Traffic):
        # Every class has a process on every node.
        names = np.array([one.name for one in experiment.workload.traffic_class])
        classes = names[senders // len(sim.nodes()["node"])].tolist()
    return tables.messages(rows, late, classes)


def has_all(messages: pa.Table | None, counters: Mapping[str, int]) -> bool:
    """Whether every message that was delivered in the whole run has a row."""
    return messages is not None and messages.num_rows == counters["messages_delivered"]


def of_classes(fared: Mapping[str, Fared]) -> dict[str, Estimate]:
    """Return the means of `OF_LATENESS` of each class, such as `classes.read.message_late_us`."""
    return {
        class_name(metric, name): mean
        for name, own in fared.items()
        for metric, mean in own.means.items()
    }


def early_ps(late: tables.Columns | None, begin_ps: int) -> int:
    """Return how much quicker than alone messages were that arrived from an instant on, in all."""
    if late is None:
        return 0
    delivered, queued, alone = (
        late[name].astype(np.int64) for name in ("delivered_ps", "queued_ps", "alone_ps")
    )
    early = np.maximum(alone - (delivered - queued), 0)
    return int(early[delivered > begin_ps].sum())


def lateness(
    experiment: Experiment,
    sim: engine.Simulation,
    blame: Blame | None,
    early_ps: int,
    *,
    exact: bool,
) -> dict[str, Estimate]:
    """Return the means of `OF_LATENESS`, unknown in modes that do not compare messages with alone.

    None where nobody asked. Intervals are known of lateness, by the batches of blame, and of what
    is all there is: `exact`. `early_ps`: how much quicker than alone messages were, without blame.
    """
    run = experiment.run
    if not _asks(experiment):
        return {}
    found = dict.fromkeys(OF_LATENESS, Estimate.unknown())
    moments = {row["variable"]: row for row in sim.moments()}
    for name in OF_LATENESS:
        row = moments.get(name.removesuffix("_us"))
        if row is None or not row["count"]:
            continue
        count, early = row["count"], early_ps if name == "message_late_us" else 0
        mean = (row["sum"] - early) / _MILLION / count
        is_exact = exact and run.blame_share == 1
        found[name] = (
            Estimate.exact(mean, count)
            if is_exact
            else Estimate(mean, math.nan, math.nan, 1, weight=count)
        )
    return found if blame is None else found | {"message_late_us": blame.late(run.confidence)}
