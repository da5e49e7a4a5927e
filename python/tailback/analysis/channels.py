"""How many virtual channels routings that are compared have, where that is left to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tailback.tables.frames import values

from .tables import in_sweep_order

if TYPE_CHECKING:
    import pyarrow as pa

ROUTING, CHANNELS = "machine.routing.kind", "machine.switch.virtual_channels"


def channels_by_routing(
    runs: pa.Table, sweeps: Sequence[Mapping[str, Any]]
) -> dict[str, list[int]]:
    """Return the numbers of virtual channels of a link by routing, in the order of the sweeps.

    Empty unless routings differ in it, though no sweep varies it: a routing has as many as it
    needs on its topology where nothing is said.
    """
    if not {ROUTING, CHANNELS} <= {*runs.column_names}:
        return {}
    if any(CHANNELS in sweep["columns"] for sweep in sweeps):
        return {}
    runs = in_sweep_order(runs, sweeps)
    found: dict[str, set[int]] = {}
    for kind, count in zip(values(runs[ROUTING]), values(runs[CHANNELS]), strict=True):
        if kind is not None and count is not None:
            found.setdefault(kind, set()).add(count)
    if len({tuple(sorted(counts)) for counts in found.values()}) < 2:
        return {}
    return {kind: sorted(counts) for kind, counts in found.items()}


def channels_text(found: Mapping[str, Iterable[int]]) -> str:
    """Return `dimension_order 2, valiant 4`."""
    counts = (f"{kind} {' or '.join(map(str, numbers))}" for kind, numbers in found.items())
    return ", ".join(counts)
