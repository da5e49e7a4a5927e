"""The maps of the machines of a store, made once for all points of one machine."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from tailback.figures.maps import Form, channel_form, node_form
from tailback.figures.network import Network, is_coordinate, network_of
from tailback.machines import TOPOLOGIES

if TYPE_CHECKING:
    import pyarrow as pa

PLACES = ("node", "x", "y", "z", *(f"x{number}" for number in range(3, 20)))
"""Columns with the positions of nodes; a machine has some of them."""

ENDS = ("kind", "from_node", "to_node", "dimension", "direction")
"""Columns that identify channels."""


_TOPOLOGY = "machine.topology."


def labels_of(run: Mapping[str, Any]) -> Mapping[str, Sequence[str]]:
    """Return `Topology.labels` of a stored run; empty if they are in a file."""
    kind = TOPOLOGIES.get(run.get(f"{_TOPOLOGY}kind", ""))
    if kind is None:
        return {}
    keys = {key: run.get(f"{_TOPOLOGY}{key}") for key in kind.key_names}
    return kind.labels_by({key: _read(value) for key, value in keys.items()})


def _read(value: object) -> object:
    """Return a stored parameter in its original form: lists are stored as JSON."""
    return json.loads(value) if isinstance(value, str) and value.startswith("[") else value


@dataclass(frozen=True, eq=False)
class Machine:
    """A machine and the forms of its maps."""

    network: Network
    nodes: Form
    channels: Form | None
    """None if there are too many channels to draw."""


class Machines:
    """A cache of machines."""

    def __init__(self) -> None:
        """Start empty."""
        self._known: dict[bytes, Machine] = {}

    def of(
        self,
        nodes: pa.Table,
        channels: pa.Table,
        labels: Mapping[str, Sequence[str]] | None = None,
    ) -> Machine:
        """Return the machine with these nodes, channels and `Topology.labels`."""
        ends = columns_of(channels, ("from_node", "to_node", "dimension")).values()
        names = [name for name in nodes.column_names if is_coordinate(name)]
        said = names, nodes.num_rows, sorted((labels or {}).items())
        same = repr(said).encode() + b"".join(end.tobytes() for end in ends)
        if same not in self._known:
            network = network_of(columns_of(nodes), columns_of(channels), labels)
            self._known[same] = Machine(network, node_form(network), channel_form(network))
        return self._known[same]


def columns_of(table: pa.Table, names: Iterable[str] | None = None) -> dict[str, NDArray[Any]]:
    """Return all or the named columns as arrays."""
    names = table.column_names if names is None else names
    return {name: table[name].to_numpy() for name in names}
