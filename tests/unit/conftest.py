"""Runs and stores that several tests look at."""

from __future__ import annotations

import polars as pl
import pytest

from benches.stores import synthetic_runs
from tailback.store.points import PointStore
from tests.stores import PERIOD, WIDTH, small_store


@pytest.fixture(scope="module")
def runs() -> pl.DataFrame:
    """Three periods, two kinds of waiting, four seeds; some never settled."""
    axes = {"workload.sync": ["asynchronous", "loosely_synchronous"], PERIOD: [5.0, 20.0, 80.0]}
    return synthetic_runs(axes, seeds=4, unsettled=0.2)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> PointStore:
    """Small and real."""
    axes = {"workload.compute_period": ["20 us", "5 us"], WIDTH: [2, 1]}
    return small_store(tmp_path_factory.mktemp("store"), axes, seeds=[3, 1, 2])
