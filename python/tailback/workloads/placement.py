"""On which node every rank of a program is."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ..csv_files import cell_mistake, node_number, read_csv, whole_number
from ..errors import UserError, shown
from ..units import counted

Placement = Literal["linear", "round_robin", "random", "blocks", "file"]

_COLUMNS = ("rank", "node")


@dataclass(frozen=True)
class Placing:
    """How ranks are to be placed."""

    placement: Placement
    per_node: int | None
    """Ranks on a node at most."""
    seed: int
    file: Path | None

    def nodes(self, ranks: int, nodes: int) -> list[int]:
        """Return the node of every rank. Raises `UserError` where they do not fit."""
        if self.placement == "file":
            return self._of_file(ranks, nodes)
        per_node = self.per_node or -(-ranks // nodes)
        if self.placement == "blocks":
            # Block after block; behind the last node the first has one more.
            return [rank // per_node % nodes for rank in range(ranks)]
        if ranks > per_node * nodes:
            on = f"{counted(ranks, 'rank')} on {counted(nodes, 'node')}"
            allowed = f"must be at least {-(-ranks // nodes)} for {on}"
            raise UserError("workload.ranks_per_node", shown(per_node), allowed)
        if self.placement == "round_robin":
            used = -(-ranks // per_node) if self.per_node else min(ranks, nodes)
            return [rank % used for rank in range(ranks)]
        if self.placement == "linear":
            return [rank // per_node for rank in range(ranks)]
        places = sorted(range(per_node * nodes), key=self._drawn)
        return [place // per_node for place in places[:ranks]]

    def _drawn(self, place: int) -> bytes:
        """Return what a place is sorted by: the same with every version of every library."""
        return hashlib.sha256(f"{self.seed} {place}".encode()).digest()

    def _of_file(self, ranks: int, nodes: int) -> list[int]:
        if self.file is None:
            raise UserError("workload.placement_file", None, 'must be given: placement = "file"')
        found: dict[int, int] = {}
        for line, (rank_text, node_text) in read_csv(self.file, _COLUMNS).cells(_COLUMNS):
            rank = whole_number(rank_text)
            if rank is None or rank >= ranks:
                allowed = f"must be a rank, 0 to {ranks - 1}"
                given = rank_text if rank is None else rank
                raise cell_mistake(self.file, line, "rank", given, allowed)
            if rank in found:
                raise cell_mistake(self.file, line, "rank", rank, "has a row already")
            found[rank] = node_number(self.file, line, "node", node_text)
            if found[rank] >= nodes:
                allowed = f"must be at most {nodes - 1} (there are {nodes} nodes)"
                raise cell_mistake(self.file, line, "node", found[rank], allowed)
        missing = next((rank for rank in range(ranks) if rank not in found), None)
        if missing is not None:
            raise UserError(str(self.file), None, f"has no row for rank {missing} of {ranks}")
        return [found[rank] for rank in range(ranks)]
