"""What the numbers in tables of blame stand for: traffic classes, channels, places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tailback.charging import NOBODY, REST, Blame, Sums
from tailback.errors import one_line
from tailback.places import Ends, shown

if TYPE_CHECKING:
    import pyarrow as pa

    from tailback.experiment import Experiment

    from .result import Result

_REST = "the rest"
_NOBODY, _NOWHERE = "nobody", "no channel"
"""Of a detour, and of a link that was slower: the culprit, and the root channel."""


def kind_of_classes(experiment: Experiment) -> str:
    """Return what a traffic class is: `node`, `process`, `job`, or `class` for numbers given."""
    if experiment.jobs:
        return "job"
    if not isinstance(experiment.workload.classes, str):
        return "class"
    return "class" if experiment.message_classes() is not None else experiment.workload.classes


@dataclass(frozen=True, eq=False)
class Names:
    """Words for the classes and channels of one run."""

    ends: Ends
    """Where each node and each switch is, or what it is called."""
    channels: tuple[tuple[str, int, int], ...]
    """Kind, from and to of each."""
    classes: str
    """What a class is: `node`, `process`, `job` or `class`."""
    jobs: Sequence[str] = ()
    """What each job is called."""

    @classmethod
    def of(cls, result: Result) -> Names:
        """Return the words for a run."""
        experiment = result.experiment
        classes, labels = kind_of_classes(experiment), experiment.machine.topology.labels
        jobs = [job.name for job in experiment.jobs]
        return cls.of_tables(result.nodes, result.channels, classes, labels, jobs)

    @classmethod
    def of_tables(
        cls,
        nodes: pa.Table,
        channels: pa.Table,
        classes: str,
        labels: Mapping[str, Sequence[str]] | None = None,
        jobs: Sequence[str] = (),
    ) -> Names:
        """Return the words for a machine with these tables; `classes` as `kind_of_classes` says.

        Without `labels` what has no coordinates is told by its number.
        """
        columns = [channels[name].to_pylist() for name in ("kind", "from_node", "to_node")]
        ends = Ends.of(nodes, labels or {})
        return cls(ends, tuple(zip(*columns, strict=True)), classes, jobs)

    def traffic(self, number: int) -> str:
        """Return `(3, 4)` for a class that is a node, else `process 7` or `class 7`."""
        if number >= NOBODY:
            return _REST if number == REST else _NOBODY
        if self.jobs:
            return one_line(self.jobs[number])
        return self._named("node", number) if self.classes == "node" else f"{self.classes} {number}"

    def channel(self, number: int) -> str:
        """Return `(3, 4)->(4, 4)`, `from node (3, 4)` or `to node (3, 4)`."""
        if number >= NOBODY:
            return _REST if number == REST else _NOWHERE
        kind, start, end = self.channels[number]
        if kind == "injection":
            return f"from node {self._named('node', start)}"
        if kind == "ejection":
            return f"to node {self._named('node', end)}"
        what = "node" if kind == "direct" else "switch"
        return f"{self._named(what, start)}->{self._named(what, end)}"

    @cached_property
    def links(self) -> NDArray[np.int64]:
        """By channel, the first between the same ends: of virtual channels and parallel cables."""
        first: dict[tuple[str, int, int], int] = {}
        numbered = enumerate(self.channels)
        return np.array([first.setdefault(ends, number) for number, ends in numbered], np.int64)

    def waits_by_place(self, blame: Blame) -> list[tuple[str, float, float]]:
        """Return where packets waited, a node or a switch: its name, microseconds and share."""
        if blame.waits is None:
            return []
        sums = blame.waits.by(0)
        places: dict[str, int] = {}
        rows = []
        for channel in sums.keys[:, 0].tolist():
            place = _REST
            if channel != REST:
                kind, start, _ = self.channels[channel]
                what = "node" if kind in ("injection", "direct") else "switch"
                place = f"{what} {self._named(what, start)}"
            rows.append(places.setdefault(place, len(places)))
        keys = np.array(rows, dtype=np.int64)[:, None]
        names = list(places)
        found = blame.waits_by(Sums(keys, sums.counts, sums.batches_ps).by(0)) if rows else []
        return [(names[place], waited_us, share) for place, waited_us, share in found]

    def _named(self, what: str, number: int) -> str:
        places, names = self.ends.places, self.ends.names
        if what in places:
            place = places[what][number]
            return shown(place) if len(place) > 1 else str(place[0])
        return one_line(names[what][number]) if what in names else str(number)
