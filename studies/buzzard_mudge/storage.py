"""How much memory datagrams of 8192 bytes need at a node [Buzzard & Mudge 1988, section 3]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import polars as pl

import tailback as tb
from studies.buzzard_mudge.paired import mean
from studies.buzzard_mudge.published import text_number
from studies.buzzard_mudge.settings import SPACINGS, SWITCHING
from studies.markdown import table
from studies.runs import Runs
from tailback.wording import number

SWEEP = "long_messages"
TRANSIT, OWN = "transit_bytes_max", "own_bytes_max"

_K = 1000.0


@dataclass(frozen=True, slots=True)
class Storage:
    """Most that any node stored at one load, in kbytes: mean over the seeds."""

    transport: str
    duplex: str
    spacing: float
    transit: tb.Estimate
    """Messages of others."""
    own: tb.Estimate
    """Its own messages that had not set out."""


def light_printed() -> float:
    """Return the printed need at light loads, in kbytes."""
    return text_number("002-001")


def heavy_printed() -> float:
    """Return what the printed need at heavy loads exceeds, in kbytes."""
    return text_number("002-002")


def storage(runs: Runs) -> list[Storage]:
    """Return what both kinds of datagrams need at every load."""
    rows = runs.sweep(SWEEP).rows
    nodes = runs.sweep(SWEEP).tables("nodes", rows)
    most = nodes.group_by("identity").agg(pl.col(TRANSIT).max(), pl.col(OWN).max())
    together = rows.join(most, on="identity")
    found = []
    for transport, duplex, spacing in product(
        ("datagram", "datagram_cut_through"), ("full", "half"), SPACINGS
    ):
        part = together.filter(
            (pl.col("machine.switch.switching") == SWITCHING[transport])
            & (pl.col("machine.link.duplex") == duplex)
            & (pl.col("sweep.spacing") == spacing)
        ).sort("run.seed")
        transit, own = (_over_seeds(part, name) for name in (TRANSIT, OWN))
        found.append(Storage(transport, duplex, spacing, transit, own))
    return found


def _over_seeds(part: pl.DataFrame, name: str) -> tb.Estimate:
    pairs = part.select("run.seed", name).rows()
    return mean({int(seed): float(value) / _K for seed, value in pairs})


def storage_table(found: Sequence[Storage]) -> str:
    """Return the most that any node stores of others' messages, and of its own."""
    lines = []
    for transport, duplex in dict.fromkeys((one.transport, one.duplex) for one in found):
        of_it = [one for one in found if (one.transport, one.duplex) == (transport, duplex)]
        name = f"{transport.replace('datagram_', '')}, {duplex} duplex"
        lines.append([f"{name}, others'", *(number(one.transit) for one in of_it)])
        lines.append([f"{name}, own", *(number(one.own) for one in of_it)])
    return table(["kbytes; spacing", *(f"{spacing:g}" for spacing in SPACINGS)], lines)
