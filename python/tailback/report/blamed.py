"""The section of a report on blame, for points whose runs recorded it.

Points that differ only in their seed are merged. Their tables are large: they are read
group by group, and only what the page shows is kept.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc

from tailback.analysis.blaming import merged_blame
from tailback.answers.places import groups_of_places
from tailback.charging import KINDS
from tailback.figures.drawing import Choice, Key
from tailback.figures.labels import parameter_label
from tailback.results.names import Names
from tailback.tables.frames import dictionaries
from tailback.wording import number, share_text

from .content import Cell, Content, Section, Table
from .listing import value_cell
from .loads import MOST_NUMBERS
from .machines import ENDS, PLACES, Machines, labels_of
from .matrices import Classes, groups_for_matrix, matrix_figure
from .of_blame import (
    CULPRITS,
    MEAN,
    ROOT,
    ROOTS,
    WHERE,
    WHO,
    Blamed,
    note,
    root_waits,
    roots_figure,
)
from .surfaces import Surface
from .variation import SEED, PointChoices, Variation

if TYPE_CHECKING:
    import pyarrow as pa

    from tailback.figures.maps import Form
    from tailback.store.points import PointStore

    from .machines import Machine

_MODES = ("full", "endpoints")
"""Modes in which messages can be late."""

_ROWS = 10
"""Rows of the tables below figures, as printed by `tailback blame`."""

Row = Mapping[str, Any]


def section(store: PointStore, runs: pa.Table, sweeps: Sequence[Row]) -> Section | None:
    """Return the section; None if no run with contention recorded blame.

    Points of old versions, which charged waits of packets, are left out.
    """
    if "blame_alone_ps" not in runs.column_names:
        return None
    known = runs.filter(pc.field("blame_alone_ps").is_valid() & pc.field("mode").isin(_MODES))
    if not known.num_rows:
        return None
    points = BlamedPoints(store, Variation.of(known, sweeps), dictionaries(known))
    points.read()
    return points.section()


@dataclass(eq=False)
class BlamedPoints:
    """The matrices, maps and tables of the points of a store."""

    store: PointStore
    variation: Variation
    runs: Sequence[Row]

    def __post_init__(self) -> None:
        """Start with nothing read."""
        choices = PointChoices(self.variation)
        seeds = self.variation.several_seeds
        self.choices: tuple[Choice, ...] = choices.choices[:-1] if seeds else choices.choices
        self.modes = [mode for mode in _MODES if any(run["mode"] == mode for run in self.runs)]
        self.matrices, self.maps = Surface({"wait": MEAN}), Surface({"wait": ROOT})
        self.rows: dict[Key, tuple[Row, dict[str, float], Sequence[Content]]] = {}
        self.few = self.untold = self.grouped = False
        self.left_out = 0
        self._machines = Machines()
        self._names: dict[tuple[int, str], Names] = {}
        self._forms: dict[tuple[int, Classes], Form] = {}
        self._groups: dict[Key, list[Row]] = {}
        place = {row["identity"]: i for i, row in enumerate(self.variation.rows)}
        for run in sorted(self.runs, key=lambda run: place[run["identity"]]):
            key = choices.keys[run["identity"]]
            self._groups.setdefault(key[:-1] if seeds else key, []).append(run)

    def read(self) -> None:
        """Read all groups, or every nth group if they are too many to draw."""
        shown = tuple(choice.start for choice in self.choices)
        others = [key for key in self._groups if key != shown]
        numbers = self._add(shown)
        step = max(1, math.ceil(numbers * len(self._groups) / MOST_NUMBERS))
        for key in others[step - 1 :: step]:
            self._add(key)
        self.left_out = len(others) - len(others[step - 1 :: step])

    def _add(self, key: Key) -> int:
        """Keep what is shown of a group; return the count of its numbers."""
        runs = self._groups[key]
        found = {run["identity"]: self.store.blame(run["identity"]) for run in runs}
        machine, names = self._machine(runs[0])
        merged = {}
        for number_of, mode in enumerate(self.modes):
            of_mode = [run for run in runs if run["mode"] == mode]
            if not of_mode:
                continue
            blame = merged_blame([found[run["identity"]][mode] for run in of_mode])
            confidence = max(run["run.confidence"] for run in of_mode)
            groups = groups_for_matrix([blame], partial(groups_of_places, names))
            merged[number_of] = blamed = Blamed(blame, names, confidence, groups)
            self._list((*key, number_of), blamed, of_mode)
        return self._draw(key, machine, merged)

    def _draw(self, key: Key, machine: Machine, merged: Mapping[int, Blamed]) -> int:
        """Keep the matrix and the map of each mode of a group."""
        classes = Classes.of([blamed.grouped for blamed in merged.values()])
        self.few = self.few or classes.few
        first = next(iter(merged.values()))
        self.grouped = self.grouped or first.groups is not None
        form = self._forms.setdefault((id(first.names), classes), classes.form(first.class_name))
        numbers = 0
        for number_of, blamed in merged.items():
            blame, of_mode = blamed.blame, (*key, number_of)
            waits = classes.waits(blamed.grouped)
            charges = note(CULPRITS, blamed.culprits(_ROWS))
            self.matrices.add(of_mode, form, {"wait": waits}, charges)
            # Forms of selected classes are not shared, so their texts count as well.
            numbers += len(waits) * (5 if classes.few else 1)
            if machine.channels is not None:
                roots = root_waits(blame, machine.network)
                begins = note(ROOTS, blamed.roots(_ROWS))
                self.maps.add(of_mode, machine.channels, {"wait": roots}, begins)
                numbers += len(roots)
        return numbers

    def _machine(self, run: Row) -> tuple[Machine, Names]:
        """Return the machine of a run and the names of its channels and classes."""
        tables = next(iter(self.store.tables(run["identity"], _MACHINE).values()))
        labels = labels_of(run)
        nodes, channels = tables["nodes"], tables["channels"]
        machine = self._machines.of(nodes, channels, labels)
        same = id(machine), run["blame_classes"]
        if same not in self._names:
            self._names[same] = Names.of_tables(nodes, channels, same[1], labels)
        return machine, self._names[same]

    def _list(self, key: Key, blamed: Blamed, runs: Sequence[Row]) -> None:
        """Keep a row of the table of all groups."""
        total = blamed.blame.late(blamed.confidence)
        rests = (blamed.blame.rest_share_of_pairs, blamed.blame.rest_share)
        self.untold = self.untold or rests[0] > 0
        totals, messages = blamed.blame.totals, float(blamed.blame.messages().sum())
        early = totals.early_messages / messages if messages else 0.0
        nobodys = (early, blamed.blame.unattributed_share)
        ends = (
            Cell(number(total), total.value),
            *(Cell(share_text(rest), rest) if rest else None for rest in (*nobodys, *rests)),
            _state(runs),
        )
        shares = {kind: charged.share for (_, kind), charged in blamed.kinds()}
        self.rows[key] = runs[0], shares, ends

    def section(self) -> Section:
        """Return the section; its figures share the choice of the point."""
        content: list[Any] = [_TEXT, self._table(), WHO]
        if self.left_out:
            content[0] += f" To keep this file small, {self.left_out:,} points are not here."
        matrix = self.matrices.drawing(self.choices, self.modes, 0)
        told = {"few": self.few, "untold": self.untold, "grouped": self.grouped}
        content.append(matrix_figure(matrix, **told))
        if self.maps.values:
            content += [WHERE, roots_figure(self.maps.drawing(self.choices, self.modes, 0))]
        names = tuple(choice.name for choice in self.choices)
        return Section("Who makes whom late", tuple(content), (*names, "mode"))

    def _table(self) -> Table:
        """Return the kinds of lateness: a row for each group and mode."""
        varied = [column for column in self.variation.columns if column != SEED]
        known = [row for _, row in sorted(self.rows.items())]
        there = {kind for _, shares, _ in known for kind in shares}
        kinds = [kind for kind in KINDS if kind in there]
        heads = [*map(parameter_label, varied), "mode", "late, µs per message"]
        told = [i for i in range(len(_UNTOLD)) if any(ends[1 + i] for _, _, ends in known)]
        rows = []
        for run, shares, (total, *rests, state) in known:
            cells: list[Content] = [value_cell(column, run[column]) for column in varied]
            cells += [run["mode"], total]
            cells += [
                Cell(share_text(shares[kind]), shares[kind]) if kind in shares else None
                for kind in kinds
            ]
            rows.append((*cells, *(rests[i] for i in told), state))
        heads += [*kinds, *(_UNTOLD[i] for i in told), "runs"]
        return Table(tuple(heads), tuple(rows), _KINDS)


def _state(runs: Sequence[Row]) -> Cell:
    """Return the number of merged runs, and whether they settled."""
    drifting = sum(not run["steady"] for run in runs)
    hint = f"{drifting} did not settle: values still drift" if drifting else ""
    return Cell(str(len(runs)), len(runs), "open" if drifting else "good", hint)


_MACHINE = {"nodes": PLACES, "channels": ENDS}
_UNTOLD = (
    "messages quicker than alone",
    "nobody charged",
    "pairs not told apart",
    "channels not told apart",
)
_KINDS = "Why messages are late: shares of their lateness"
_TEXT = (
    "Points that differ only in their seed are taken together: times and messages are added up. "
    "What is chosen here holds for both "
    "figures; below each are its largest rows, means with half of their confidence interval."
)
