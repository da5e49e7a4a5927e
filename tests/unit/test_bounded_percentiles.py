"""No percentile is below the least value that was measured, or above the greatest."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tailback as tb
from tailback.experiment import Experiment
from tailback.runner import run_mode
from tailback.since311 import tomllib
from tailback.store.columns import PERCENTILES
from tailback.tables.bins import percentiles_of, together
from tests.stores import small_store

ALONE = """
[machine]
topology.kind = "star"
topology.nodes = 4
link.rate = "100 Gbit/s"
{workload}
[run]
keep_messages = true
"""
ONE = """
kind = "messages"
messages = [{ source = 0, destination = 1, bytes = "400 kB", time = 0 }]
"""


def experiment(workload: str) -> Experiment:
    """Return the experiment with this workload."""
    return Experiment.from_dict(tomllib.loads(ALONE.format(workload=workload)))


def test_of_one_message_they_are_its_own() -> None:
    result = run_mode(experiment(f"[workload]{ONE}"), "full")
    row = result.messages.to_pylist()[0]
    latency_us = row["latency_ps"] / 1e6
    percents = [0, 50, 99.9, 100]
    assert result.percentiles("message_latency", percents) == [latency_us] * 4
    assert result.percentiles("message_slowdown", percents) == [1.0] * 4
    assert result.longest_us("message_latency") == latency_us


def test_of_a_job_likewise() -> None:
    job = f'[[job]]\nname = "a"\nnodes = [0, 1]\n[job.workload]{ONE}'
    result = run_mode(experiment(job), "full")
    row = result.messages.to_pylist()[0]
    assert set(result.jobs["a"].percentiles()["message_latency_us"]) == {row["latency_ps"] / 1e6}
    assert result.jobs["a"].latency["max"] == row["latency_ps"] / 1e6


TWO: dict[str, Any] = {
    "machine": {"topology": {"kind": "mesh", "dims": [3, 3]}},
    "workload": {
        "kind": "traffic",
        "traffic_class": [
            {"name": "small", "period": "20 us", "message_size": "100 B"},
            {"name": "large", "period": "40 us", "message_size": "3 kB"},
        ],
    },
    "run": {"duration": "200 us"},
}


def test_of_classes_and_seeds_together(tmp_path: Path) -> None:
    axes = {"machine.link.rate": ["100 Gbit/s"]}
    store = small_store(tmp_path, axes, seeds=[1, 2], modes=["full", "endpoints"], base=TWO)
    ends = [*PERCENTILES]
    names = [
        *(f"message_latency_us_{end}" for end in ends),
        *(
            f"classes.{name}.message_latency_us_{end}"
            for name in ("small", "large")
            for end in ends
        ),
    ]
    moments = [
        row for row in store.nested("moments").to_pylist() if row["variable"] == "class_latency"
    ]
    for over in ([], ["run.seed"]):
        for row in tb.table(store, names, over=over).to_pylist():
            for name, values in itertools.groupby(names, lambda n: n.rpartition("_us_")[0]):
                told = [row[value] for value in values]
                of = [m for m in moments if m["class"] in name] or moments
                assert min(m["min"] for m in of) / 1e6 <= told[0]
                assert told == sorted(told)
                assert told[-1] <= max(m["max"] for m in of) / 1e6


@pytest.mark.parametrize("seed", range(20))
def test_bins_added_up_have_nothing_in_common(seed: int) -> None:
    rng = np.random.default_rng(seed)
    edges = np.cumsum(rng.integers(1, 9, 12)).astype(np.uint64)
    low, high = edges[:-1], edges[1:] - np.uint64(1)
    parts = []
    for _ in range(3):
        kept = np.sort(rng.choice(11, rng.integers(1, 8), replace=False))
        one, other = low[kept].copy(), high[kept].copy()
        one[0] = rng.integers(one[0], other[0] + 1)
        other[-1] = rng.integers(max(one[-1], low[kept[-1]]), other[-1] + 1)
        parts.append((one, other, rng.integers(1, 5, len(kept)).astype(np.uint64)))
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    first, last, count = together(*columns)
    assert count.sum() == columns[2].sum()
    assert (first[1:] > last[:-1]).all()
    assert (first[0], last[-1]) == (columns[0].min(), columns[1].max())
    found = percentiles_of(*columns, np.linspace(0, 100, 31).tolist())
    assert found == sorted(found)
    assert first[0] <= found[0]
    assert found[-1] <= last[-1]


def test_no_bins_stay_none() -> None:
    empty = np.zeros(0, np.uint64)
    assert [len(column) for column in together(empty, empty, empty)] == [0, 0, 0]
