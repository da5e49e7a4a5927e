"""What the runs measured, by mesh, grouping and size."""

from __future__ import annotations

from functools import cache

import tailback as tb
from studies.paragon.settings import COMPLETION, SLICE, Grouping, Reading
from studies.runs import Runs

_GROUP = "workload.group"


class Measured:
    """The stored runs, as the study reads them."""

    def __init__(self, runs: Runs) -> None:
        """Read `runs` when they are asked for."""
        self.runs = runs
        self._curve = cache(runs_curve)

    def bounded(
        self, grouping: Grouping, measure: str = COMPLETION, size: int = SLICE, mode: str = "full"
    ) -> tb.Estimate:
        """Return a measure of a complete exchange with barriers that take no time."""
        name = f"{'exchange' if size == SLICE else 'sizes'}_{grouping.side}"
        conditions = () if size == SLICE else (f"message_size == {size}",)
        found = self._curve(self.runs, name, measure, conditions, mode, _GROUP)
        return found[grouping.contention.group]

    def naive(
        self,
        side: int,
        order: str,
        measure: str = COMPLETION,
        size: int = SLICE,
        mode: str = "full",
    ) -> tb.Estimate:
        """Return a measure of a naive exchange."""
        conditions = (
            f"dims == ({side}, {side})",
            f"workload.send_order == '{order}'",
            f"message_size == {size}",
        )
        found = self._curve(
            self.runs, "naive", measure, conditions, mode, "workload.message_size_bytes"
        )
        return found[size]

    def buffered(self, group: int, buffer: int, mode: str = "full") -> float:
        """Return the time of an exchange on 8 x 8 nodes with buffers of so many bytes, in us."""
        conditions = (f"input_buffer == {buffer}",)
        found = self._curve(self.runs, "buffers", COMPLETION, conditions, mode, _GROUP)
        return found[group].value

    def total_us(self, grouping: Grouping, reading: Reading, size: int = SLICE) -> float:
        """Return the time with barriers: communication and synchronisation are apart."""
        barriers = grouping.barriers * reading.us(grouping.side)
        return self.bounded(grouping, size=size).value + barriers


def runs_curve(
    runs: Runs, name: str, measure: str, conditions: tuple[str, ...], mode: str, along: str
) -> dict[float, tb.Estimate]:
    """Return a measure by a parameter."""
    curve = runs.sweep(name).curve(measure, *conditions, mode=mode, along=along)
    return dict(zip(curve.x, curve.y, strict=True))
