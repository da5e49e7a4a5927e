"""The section on single points: load surfaces and distributions of latencies.

Tables of nodes, channels and histogram bins are large: they are read point by point, and
only what the page shows is kept.
"""

from __future__ import annotations

import itertools
import math
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tailback.figures.drawing import Choice, Drawing, Key, View
from tailback.figures.labels import CHANNEL_MEASURES, NODE_MEASURES, VARIABLES
from tailback.figures.latency import Bins, distribution
from tailback.tables.bins import BINS

from .content import Figure, Section
from .machines import ENDS, PLACES, Machines, columns_of, labels_of
from .surfaces import Surface
from .variation import PointChoices

if TYPE_CHECKING:
    import pyarrow as pa

    from tailback.store.points import PointStore

MOST_NUMBERS = 20_000_000
"""Limit for the numbers in all maps and distributions, two bytes each in the page.

Beyond it, points are left out.
"""

FEWER_NUMBERS = MOST_NUMBERS // 5
"""Likewise, of a page that does not show all points anyway."""

Histogram = dict[str, Bins]
"""Bins of one variable, by class of packets."""

_CLASSES = {"all": "data and acknowledgements", "data": "data", "ack": "acknowledgements"}
_AHEAD = 4
"""Number of points whose tables are in memory."""

_COUNTS = ("packets", "utilisation", "held", "wait_throttling_ps", "wait_internal_ps")
_WANTED = {
    "nodes": (*PLACES, *NODE_MEASURES),
    "channels": (*ENDS, *_COUNTS),
    "histograms": ("variable", "class", *BINS),
}


@dataclass(eq=False)
class Loads:
    """Maps and distributions of the points of a store."""

    store: PointStore
    choices: PointChoices
    modes: list[str]
    runs: Iterable[Mapping[str, Any]]
    """Rows of the store."""

    def __post_init__(self) -> None:
        """Start with nothing read."""
        self.nodes = Surface(NODE_MEASURES)
        self.channels = Surface(CHANNEL_MEASURES)
        self.distributions: dict[Key, View] = {}
        self.left_out = 0
        self._machines = Machines()
        self._rows = {row["identity"]: row for row in self.runs}

    def read(self, identities: Sequence[str], *, fewer: bool = False) -> None:
        """Read the tables of all points, or of every nth point if they have too many numbers."""
        most = FEWER_NUMBERS if fewer else MOST_NUMBERS
        first = identities[:1]
        numbers = sum(self._add(identity, tables) for identity, tables in self._tables(first))
        # The size of the first point predicts that of the others.
        step = max(1, math.ceil(numbers * len(identities) / most))
        others = self.store.near(identities[step::step])
        for identity, tables in self._tables(others):
            self._add(identity, tables)
        self.left_out = len(identities) - len(first) - len(others)

    def _add(self, identity: str, tables: Mapping[str, Mapping[str, pa.Table]]) -> int:
        """Keep what is shown of a point; return the count of its numbers."""
        key = self.choices.keys[identity]
        found = {mode: _histograms(of_mode["histograms"]) for mode, of_mode in tables.items()}
        numbers = self._add_latencies(key, found)
        labels = labels_of(self._rows[identity])
        for mode, of_mode in tables.items():
            numbers += self._add_maps((*key, self.modes.index(mode)), of_mode, labels)
        return numbers

    def _tables(
        self, identities: Sequence[str]
    ) -> Iterator[tuple[str, Mapping[str, Mapping[str, pa.Table]]]]:
        """Yield the tables of points; the next points are read in the background."""
        with ThreadPoolExecutor(1) as reader:
            coming: deque[Future[Mapping[str, Mapping[str, pa.Table]]]] = deque()
            for i, identity in enumerate(identities):
                for later in identities[i + len(coming) : i + _AHEAD]:
                    coming.append(reader.submit(self.store.tables, later, _WANTED))
                yield identity, coming.popleft().result()

    def section(self, pages: Mapping[str, str]) -> Section:
        """Return the section; its figures share the choice of the point.

        `pages`: addresses of the pages of points, by identity.
        """
        start = self.modes.index("full") if "full" in self.modes else 0
        point = self.choices.choices
        figures = []
        for name, title, surface, texts in (
            ("load_of_nodes", "Load of nodes", self.nodes, _NODES),
            ("load_of_channels", "Load of channels", self.channels, _CHANNELS),
        ):
            if surface.values:
                words = (text for kind, text in texts.items() if kind in surface.kinds or not kind)
                drawing = surface.drawing(point, self.modes, start)
                figures.append(Figure(name, title, drawing, " ".join(words)))
        times = Choice("variable", "time", tuple(VARIABLES.values()))
        classes = Choice("class", "of", tuple(_CLASSES.values()))
        drawing = Drawing(self.distributions, (*point, times, classes))
        figures.append(Figure("latency", "Distribution of latencies", drawing, _LATENCY))
        text = "One point at a time; what is chosen here holds for all figures of this section."
        if self.left_out:
            text += (
                f" To keep this file small, {self.left_out:,} points are not here; their means are "
                "in all other sections."
            )
        names = tuple(choice.name for choice in point)
        points = tuple(self.choices.variation.own)
        numbers = {
            ",".join(map(str, self.choices.keys[identity][: len(points)])): address
            for identity, address in pages.items()
            if identity in self.choices.keys
        }
        return Section("One point", (text, *figures), (*names, "mode"), points, numbers)

    def _add_maps(
        self, key: Key, tables: Mapping[str, pa.Table], labels: Mapping[str, Sequence[str]]
    ) -> int:
        """Keep the maps of a run; return the count of their numbers."""
        machine = self._machines.of(tables["nodes"], tables["channels"], labels)
        self.nodes.add(key, machine.nodes, columns_of(tables["nodes"], NODE_MEASURES))
        count = len(NODE_MEASURES) * len(machine.network.places)
        if machine.channels is None:
            return count
        columns = columns_of(tables["channels"], _COUNTS)
        self.channels.add(key, machine.channels, machine.network.measures(columns))
        return count + len(CHANNEL_MEASURES) * len(machine.network.groups)

    def _add_latencies(self, key: Key, found: Mapping[str, Mapping[str, Histogram]]) -> int:
        """Keep the distributions of a point, `found` by mode and variable; return their count."""
        numbers = 0
        for v, variable in enumerate(VARIABLES):
            known = {mode: h[variable] for mode, h in found.items() if variable in h}
            for c, name in enumerate(_CLASSES):
                bins = {mode: b for mode, h in known.items() if (b := _bins(h, name)) is not None}
                if bins:
                    self.distributions[(*key, v, c)] = view = distribution(self.modes, bins)
                    numbers += sum(map(len, view.table.values()))
        return numbers


def _histograms(table: pa.Table) -> dict[str, Histogram]:
    """Return the bins of each variable, by class."""
    columns = columns_of(table, BINS)
    texts = [table[name].combine_chunks().dictionary_encode() for name in ("variable", "class")]
    variable, packet_class = (text.indices.to_numpy() for text in texts)
    changes = np.diff(variable, prepend=-1) | np.diff(packet_class, prepend=-1)
    starts = [*np.flatnonzero(changes).tolist(), table.num_rows]
    found: dict[str, Histogram] = {}
    for start, end in itertools.pairwise(starts):
        part = Bins(*(column[start:end] for column in columns.values()))
        names = (text[start].as_py() for text in texts)
        found.setdefault(next(names), {})[next(names)] = part
    return found


def _bins(histogram: Histogram, name: str) -> Bins | None:
    """Return the bins of a class of packets, or of all together; None if there are none."""
    if name != "all":
        return histogram.get(name)
    parts = list(histogram.values())
    return parts[0] if len(parts) == 1 else Bins.together(parts)


_NODES = {
    "plane": "Each node at its place.",
    "bars": "Nodes without two or three coordinates are bars, in order of their numbers.",
}
_CHANNELS = {
    "streets": (
        "Between two nodes lie the channels between their switches, each on the right-hand side "
        "of its way, as cars drive: to the right below, to the left above, up on the right, down "
        "on the left. A node's square is its channel to the switch (left half) and from it (right "
        "half)."
    ),
    "rows": (
        "A row for each direction, a column for each node: the channels that leave it, and "
        "those (ejection) that lead to it."
    ),
    "": (
        "Parallel channels are one: shares are averaged over them, waits are means over all "
        "their packets."
    ),
}
_LATENCY = (
    "Above: the share of packets that take no longer; dots mark 50, 90 and 99 %. Below: how they "
    "are distributed; equal areas are equal shares. Message latency is of messages."
)
