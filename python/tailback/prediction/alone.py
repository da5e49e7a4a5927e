"""Messages that are alone on a machine, simulated."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from tailback import engine

if TYPE_CHECKING:
    from tailback.experiment import Experiment

#: From one message to the next: longer than any of them takes.
_APART_PS = 10**14


def latencies(
    experiment: Experiment, messages: Iterable[tuple[int, int, int]], *, costs: bool = True
) -> Iterator[float]:
    """Yield what messages take, each alone and without variation of software costs, in µs.

    `messages`: source, destination and bytes of each. `costs`: whether software costs anything.
    """
    source, destination, sizes = (list(column) for column in zip(*messages, strict=True))
    count = len(sizes)
    spec = json.loads(experiment.spec())
    spec.pop("blame", None)
    spec.pop("faults", None)  # alone is on the machine without them
    # The list has no traffic classes; alone it makes no difference which channels they share.
    spec["machine"]["routing"].pop("traffic_classes", None)
    if spec["machine"]["interface"].get("costs"):
        spec["machine"]["interface"]["costs"]["variation_ps"] = 0
        if not costs:
            del spec["machine"]["interface"]["costs"]
    listed = {
        "kind": "messages",
        "time_ps": [i * _APART_PS for i in range(count)],
        "source": source,
        "destination": destination,
        "bytes": sizes,
    }
    spec |= {"workload": listed, "mode": "free", "sample_interval_ps": count * _APART_PS}
    run = engine.Simulation(json.dumps(spec))
    before = 0
    for i in range(count):
        run.advance((i + 1) * _APART_PS - 1, 2**63)
        after = run.counters()["message_latency_ps"]
        yield (after - before) / 1e6
        before = after
