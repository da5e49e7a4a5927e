"""Pairs of nodes and loads that `describe` tells, of workloads with several messages for a pair."""

from __future__ import annotations

import math
from typing import Any

import pytest

import tailback as tb
from tests.commands import tailback

MESH = {"topology": {"kind": "mesh", "dims": [4, 4]}}
CLASSES: list[dict[str, Any]] = [
    {"name": name, "period": "1 us", "message_size": size, "radius": "all"}
    for name, size in (("a", "4 kB"), ("b", "64 B"), ("c", "640 B"))
]


def described(workload: dict[str, Any], machine: dict[str, Any] = MESH) -> tb.Prediction:
    return tb.describe(tb.Experiment.from_dict({"machine": machine, "workload": workload}))


def test_pairs_of_nodes_are_counted_once_whatever_the_traffic_classes() -> None:
    assert described({"kind": "traffic", "traffic_class": CLASSES}).pairs == 16 * 15


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([["0 ns", 0, 1, "64 B"], ["1 us", 0, 1, "64 B"]], "mean hops (1 pair) "),
        ([["0 ns", 0, 1, "64 B"], ["1 us", 1, 0, "64 B"]], "mean hops (all 2 pairs) "),
    ],
)
def test_one_pair_is_not_told_as_all(rows: list[Any], told: str, tmp_path: Any) -> None:
    file = tmp_path / "messages.toml"
    messages = ", ".join(f'["{at}", {a}, {b}, "{size}"]' for at, a, b, size in rows)
    file.write_text(
        "[machine]\ntopology = { kind = 'mesh', dims = [4, 4] }\n"
        f"[workload]\nkind = 'messages'\nmessages = [{messages}]\n"
    )
    assert told in tailback("describe", file).stdout


def test_unknown_loads_are_not_told_as_zero() -> None:
    """Who sends to whom in a program in Python is known when it runs."""
    star = {"topology": {"kind": "star", "nodes": 8}}
    found = described({"kind": "fan_in", "message_size": "4 kB"}, star)
    assert math.isnan(found.load_max_us)
    assert found.to_dict()["channel_load_max_us"] is None
