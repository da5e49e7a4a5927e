"""How the flows of a run fared: how many times as long as alone their messages took."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tailback.tables.flows import percentiles
from tailback.units import counted
from tailback.wording import plain
from tailback.wording.phrases import sentence
from tailback.wording.scaling import MICROSECONDS, scaled

from .status import Head, status

if TYPE_CHECKING:
    from tailback.results import Result

_LONGER = 1.005
_SEVERAL = 4
"""Of so many flows, the slower half is told."""
_MANY = 20
"""Of so many, the slowest twentieth."""


def of_flows(result: Result, rows: Sequence[Mapping[str, Any]], keys: Sequence[str]) -> Head:
    """Return the head of the flows of one run: rows of `Result.flows`, the latest first.

    `keys`: the columns that tell flows apart, by which the latest is named.
    """
    return Head(status({result.mode: result}), tuple(_sentences(rows, keys)))


def _sentences(rows: Sequence[Mapping[str, Any]], keys: Sequence[str]) -> list[str]:
    told = [row["slowdown_mean"] for row in rows if row["slowdown_mean"] is not None]
    if not rows:
        return ["No message was measured."]
    if not told:
        return ["No flow has a known time alone."]
    if max(told) < _LONGER:
        return [f"No flow of {len(told):,} takes longer than alone."]
    return [*([_how_much(told)] if len(told) >= _SEVERAL else []), _latest(rows[0], keys)]


def _how_much(slowdowns: Sequence[float]) -> str:
    flows = len(slowdowns)
    half, most = percentiles(np.array(slowdowns), (50, 95))
    at_least = (
        f"at least {plain(half, 3)} times as long as" if half >= _LONGER else "no longer than"
    )
    told = f"{counted(flows, 'flow')}: half take {at_least} alone"
    slowest = f", 1 in 20 at least {plain(most, 3)} times as long"
    return sentence(told + slowest if flows >= _MANY and most >= _LONGER else told)


def _latest(row: Mapping[str, Any], keys: Sequence[str]) -> str:
    parts = {"class": "", "source": "from ", "destination": "to "}
    name = " ".join(f"{word}{row[key]}" for key, word in parts.items() if key in keys)
    latency, alone = (scaled(row[f"{what}_mean_ps"] / 1e6, MICROSECONDS, 4) for what in _TIMES)
    mean = " on average" if row["messages"] > 1 else ""
    return f"The latest is {name}: {latency}{mean} instead of {alone}."


_TIMES = ("latency", "alone")
