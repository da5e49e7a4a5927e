"""Stores of made-up results: only good for asking how fast they are read, merged and shown."""

from __future__ import annotations

import hashlib
import io
import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from tailback import engine
from tailback.comparison import compare
from tailback.experiment import Experiment
from tailback.metrics import METRICS, THETAS
from tailback.statistics import Estimate, quotient, student_t
from tailback.store.columns import PERCENTILE_COLUMNS
from tailback.store.parameters import parameters
from tailback.store.points import PointStore
from tailback.store.rows import table_of, to_bytes
from tailback.store.segments import SIZE, Segments

Tables = dict[str, dict[str, Any]]

MODES = ("full", "endpoints")
RATIOS = {name: theta for name, theta in THETAS.items() if theta.metric in METRICS}
"""Those of workloads that do not end."""
SEEDS = 5
SYNCS = ("loosely_synchronous", "asynchronous")

SMALL: Tables = {
    "machine": {"preset": "t9000_c104", "topology": {"dims": [3, 3]}},
    "workload": {"radius": "all", "compute_period": "10 us"},
    "run": {"duration": "1 ms", "warmup": "100 us", "precision": 0.05, "baseline": "endpoints"},
}
LARGE: Tables = SMALL | {"machine": {"preset": "t9000_c104"}}


def save_sweep(
    store: PointStore, modes: Sequence[str], points: Sequence[tuple[str, Mapping[str, Any]]]
) -> None:
    """Keep in a store what a sweep asked for: identities of points and where they lie."""
    store.save_sweep(
        {
            "asked": {},
            "modes": list(modes),
            "columns": list(points[0][1]),
            "points": [[identity, *labels.values()] for identity, labels in points],
        }
    )


def synthetic_store(folder: Path, points: int, *, large: bool = False) -> PointStore:
    """Make a store of about `points` points: periods of computing, two kinds of waiting, 5 seeds.

    All are in the index. They have the nodes, channels and histograms of the same
    256 nodes if `large`, and else of 9.
    """
    periods = np.geomspace(1, 1000, max(2, points // SEEDS // len(SYNCS))).tolist()
    axes = {"workload.sync": SYNCS, "workload.compute_period_us": periods}
    runs = synthetic_runs(axes, SEEDS)
    store = PointStore.create(folder)
    names = [*axes, "run.seed"]
    first = runs.unique("identity", keep="first", maintain_order=True).select("identity", *names)
    save_sweep(store, MODES, [(i, dict(zip(names, row, strict=True))) for i, *row in first.rows()])
    _write_points(store, runs, large=large)
    store.write_index()
    return store


def _write_points(store: PointStore, runs: pl.DataFrame, *, large: bool) -> None:
    """Write points, all with the tables of one that is simulated; small ones in segments."""
    segments = Segments(store.folder)
    for rows in _with_tables(runs, LARGE if large else SMALL):
        if large or not segments.save(rows):
            for start in range(0, rows.num_rows, len(MODES)):
                point = rows.slice(start, len(MODES))
                store.save_point(str(point["identity"][0]), to_bytes(point))


def _with_tables(runs: pl.DataFrame, tables: Tables) -> Iterator[pa.Table]:
    """Yield the rows of some points, by identity, with the large columns of an experiment."""
    table = table_of(compare(Experiment.from_dict(tables), MODES), "")
    real = pl.read_parquet(io.BytesIO(to_bytes(table)))
    nested = real.select(name for name, kind in real.schema.items() if kind == pl.List)
    # What is made up lacks columns that say nothing here, such as the kernel.
    lacking = {
        name: pl.lit(None, kind)
        for name, kind in real.schema.items()
        if name not in runs.columns and name not in nested.columns
    }
    for start in range(0, len(runs), SIZE * len(MODES)):
        rows = runs.slice(start, SIZE * len(MODES)).sort("identity", maintain_order=True)
        whole = rows.hstack(pl.concat([nested] * (len(rows) // len(MODES))))
        yield whole.with_columns(**lacking).select(real.columns).to_arrow().cast(table.schema)


def synthetic_runs(
    axes: Mapping[str, Sequence[Any]],
    seeds: int = 1,
    modes: Sequence[str] = MODES,
    base: Tables = SMALL,
    unsettled: float = 0.0,
) -> pl.DataFrame:
    """Return light rows, made up: all combinations of `axes`, by column, the last fastest.

    Values scatter about a common mean as their errors say; a share `unsettled` of
    the runs never settled.
    """
    draw = np.random.default_rng(1)
    fixed = {column.name: value for column, value in parameters(Experiment.from_dict(base))}
    points = []
    for values in itertools.product(*axes.values()):
        varied = fixed | dict(zip(axes, values, strict=True))
        points += [varied | {"run.seed": seed} for seed in range(1, seeds + 1)]
    rows = len(points) * len(modes)
    frame = pl.DataFrame(points, infer_schema_length=None)
    texts = (json.dumps(point, sort_keys=True).encode() for point in points)
    identity = [hashlib.sha256(text).hexdigest() for text in texts]
    steady = draw.uniform(size=rows) >= unsettled
    frame = frame.select(pl.all().repeat_by(len(modes)).explode())
    frame = frame.with_columns(
        identity=pl.Series(np.repeat(identity, len(modes))),
        mode=pl.Series(list(modes) * len(points)),
        version=pl.lit(engine.VERSION),
        results_version=pl.lit(engine.RESULTS_VERSION, pl.Int64),
        steady=pl.Series(steady),
        settled=pl.Series(steady),
        saturated=pl.lit(None, pl.Boolean),
        converged=pl.lit(True),
        stop_reason=pl.lit("precision"),
        simulated_ms=pl.lit(12.0),
        warmup_ms=pl.lit(2.0),
        window_ms=pl.lit(10.0),
        events=pl.lit(200_000, pl.Int64),
        packet_hops=pl.lit(150_000, pl.Int64),
        **_made_up(draw, frame),
    )
    first = ["identity", "mode", "version", "results_version"]
    frame = frame.select(*first, pl.exclude(first))
    return frame.hstack(_ratios(frame, modes)).with_columns(
        pl.lit(5.0).alias(column.name) for column in PERCENTILE_COLUMNS
    )


def _made_up(draw: np.random.Generator, frame: pl.DataFrame) -> dict[str, pl.Series]:
    """Return all metrics; the more is computed, the less they are."""
    rows = len(frame)
    load = 1 / (1 + frame["workload.compute_period_us"].to_numpy() / 20)
    batches = draw.integers(20, 40, rows)
    t = np.array([student_t(0.95, degrees) for degrees in range(19, 40)])[batches - 20]
    made: dict[str, Any] = {}
    for number, name in enumerate(METRICS, start=1):
        error = draw.uniform(0.005, 0.015, rows) * number
        value = number * (1 + load) + error * draw.normal(size=rows)
        made[name] = value
        made[f"{name}_low"], made[f"{name}_high"] = value - t * error, value + t * error
        made[f"{name}_standard_error"] = error
        made[f"{name}_weight"] = draw.uniform(1e4, 2e4, rows)
        made[f"{name}_batches"] = batches
    return {name: pl.Series(values) for name, values in made.items()}


def _ratios(frame: pl.DataFrame, modes: Sequence[str]) -> pl.DataFrame:
    """Return the ratios of neighbouring rows, without covariance."""
    found: dict[str, list[float | None]] = {}
    for name, theta_of in RATIOS.items():
        compared = theta_of.against(frame["run.baseline"][0])
        metric, (above, below) = compared.metric, compared.modes
        parts = ("", "_low", "_high", "_standard_error")
        columns = frame.select(metric + part for part in parts).rows()
        estimates = [Estimate(value, low, high, 20, e) for value, low, high, e in columns]
        for at, mode in enumerate(frame["mode"]):
            theta = None
            if mode == "full" and {above, below} <= set(modes):
                first = at - list(modes).index("full")
                up, down = (estimates[first + list(modes).index(m)] for m in (above, below))
                theta = quotient(up, down)
            values = (theta.value, theta.low, theta.high, 0.0) if theta else (None,) * 4
            for part, value in zip(("", "_low", "_high", "_covariance"), values, strict=True):
                found.setdefault(name + part, []).append(value)
    return pl.DataFrame(found, schema=dict.fromkeys(found, pl.Float64))
