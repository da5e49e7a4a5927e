"""Stores of results for tests, simulated in no time: small machines, for a short while."""

from __future__ import annotations

import atexit
import copy
import itertools
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from benches.stores import MODES, SMALL, Tables, save_sweep
from tailback import engine
from tailback.comparison import compare
from tailback.execution import Outcome
from tailback.experiment import Experiment
from tailback.experiment.tables import put
from tailback.store.parameters import labels
from tailback.store.points import PointStore
from tailback.store.rows import table_of, to_bytes
from tailback.sweeps.running import SweepRun
from tests.sweeps import sweep_of

RATE, LIFETIME = "messages_per_node_per_ms", "routed_lifetime_us"
PERIOD = "workload.compute_period_us"
WIDTH = "machine.node_link.width"


def runs_of(store: PointStore) -> pl.DataFrame:
    """Return the runs of a store, for Polars to look at."""
    return pl.DataFrame(store.runs())


def file_of(folder: Path, identity: str) -> Path:
    """Return the file of a point in the folder of a store."""
    [path] = (folder / "points").glob(f"{identity}.*")
    return path


def nested_of(
    store: PointStore, name: str, identities: Iterable[str] | None = None
) -> pl.DataFrame:
    """Return the rows of a large column likewise."""
    return pl.DataFrame(store.nested(name, identities))


def small_store(
    folder: Path,
    axes: Mapping[str, Sequence[Any]],
    seeds: Sequence[int] = (1,),
    modes: Sequence[str] = MODES,
    base: Tables = SMALL,
) -> PointStore:
    """Make a store of a sweep over `axes`, names as in a file, the last fastest; simulated."""
    asked = repr((axes, seeds, modes, base))
    if asked not in _MADE:
        _MADE[asked] = Path(tempfile.mkdtemp(dir=_KEPT.name))
        _simulated(_MADE[asked], axes, seeds, modes, base)
    shutil.copytree(_MADE[asked], folder, dirs_exist_ok=True)
    return PointStore.create(folder)


#: Stores that were made, by what was asked for: tests get copies.
_MADE: dict[str, Path] = {}
_KEPT = tempfile.TemporaryDirectory()
atexit.register(_KEPT.cleanup)


def _simulated(
    folder: Path,
    axes: Mapping[str, Sequence[Any]],
    seeds: Sequence[int],
    modes: Sequence[str],
    base: Tables,
) -> None:
    store = PointStore.create(folder)
    points = []
    for combination in itertools.product(*axes.values()):
        varied = dict(zip(axes, combination, strict=True))
        for seed in seeds:
            experiment = Experiment.from_dict(_changed(base, varied | {"run.seed": seed}))
            identity = experiment.identity(engine.RESULTS_VERSION, modes)
            cost = compare(experiment, modes)
            store.save_point(identity, to_bytes(table_of(cost, identity)))
            points.append((identity, labels(experiment, varied)))
    save_sweep(store, modes, points)
    store.write_index()


class Here:
    """Does all work at once, in this process."""

    capacity = 1

    def run(self, function: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[Outcome[Any]]:
        """Yield what becomes of each item."""
        for index, item in enumerate(items):
            yield Outcome(index, function(item))


def swept(folder: Path, text: str) -> PointStore:
    """Make a store of a sweep written as TOML, as `tailback sweep` does; points may fail."""
    run = SweepRun(sweep_of(text), folder)
    run.run(Here())
    return run.store


def store_of(folder: Path, text: str) -> PointStore:
    """Make a store of a sweep whose points all succeed."""
    store = swept(folder, text)
    assert not store.failures(), store.failures()
    return store


def _changed(base: Tables, changes: Mapping[str, Any]) -> Tables:
    tables = copy.deepcopy(base)
    for name, value in changes.items():
        if not name.startswith("sweep."):
            put(tables, name, value)
    return tables
