"""Who made whom late, in points of sweeps: what is kept, read again and merged."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benches.stores import Tables
from tailback.analysis.blaming import merged_blame
from tailback.charging import BATCHES, REST, Blame, Sums, Totals
from tailback.comparison import Cost, compare
from tailback.errors import UserError
from tailback.experiment import Experiment
from tailback.statistics import Estimate
from tailback.store import rows
from tailback.store.columns import BLAME_COLUMNS, BLAME_TABLES, INNER
from tailback.store.points import PointStore
from tailback.store.rows import table_of, to_bytes
from tailback.store.schema import columns
from tailback.terminal.blamed import waits_by_cause
from tests.machines import t9000_tables
from tests.stores import nested_of, runs_of, small_store

BASE: Tables = {
    "machine": t9000_tables(dims=[3, 3]),
    "workload": {"radius": "all", "compute_period": "3 us"},
    "run": {"duration": "1 ms", "warmup": "100 us", "blame": True, "packet_waits": True},
}
PLAIN: Tables = BASE | {"run": {"duration": "1 ms", "warmup": "100 us"}}
PERIOD = "workload.compute_period"
LATENESS = ("message_alone", "message_late_", "message_slowdown")
VARIABLES = ("message_alone", "message_late", "message_slowdown")
"""What columns begin with that are known with blame only, and variables."""


def cost_of(tables: Tables = BASE, modes: tuple[str, ...] = ("full", "throttled")) -> Cost:
    return compare(Experiment.from_dict(tables), modes)


@pytest.fixture(scope="module")
def cost() -> Cost:
    return cost_of(modes=("full", "throttled", "free", "ideal"))


def blame_of(cost: Cost, mode: str = "full") -> Blame:
    found = cost.modes[mode].blame
    assert found is not None
    return found


def saved(folder: Path, cost: Cost) -> PointStore:
    store = PointStore.create(folder)
    store.save_point("a" * 64, to_bytes(table_of(cost, "a" * 64)))
    return store


def as_rows(sums: Sums) -> dict[tuple[int, ...], list[float]]:
    return dict(zip(map(tuple, sums.keys.tolist()), sums.batches_ps.tolist(), strict=True))


class TestRows:
    def test_points_without_blame_have_none_of_its_columns(self, cost: Cost) -> None:
        plain, blamed = table_of(cost_of(PLAIN), "a"), table_of(cost_of(), "a")
        names = [column.name for column in BLAME_COLUMNS]
        lateness = [name for name in blamed.column_names if name.startswith(LATENESS)]
        assert lateness
        others = [name for name in blamed.column_names if name not in lateness]
        assert others == [*plain.column_names, *names]
        assert not {column.name for column in columns()}.intersection(names)

    def test_what_is_simulated_is_the_same(self) -> None:
        plain, blamed = table_of(cost_of(PLAIN), "a"), table_of(cost_of(), "a")
        nested = ("moments", "histograms")
        names = [name for name in plain.column_names if name not in nested]
        assert blamed.select(names).equals(plain.select(names))
        for name in nested:
            [row], [other] = (t[name].to_pylist()[:1] for t in (plain, blamed))
            assert row == [value for value in other if value["variable"] not in VARIABLES]

    def test_columns_are_documented_and_follow_from_no_value(self, cost: Cost) -> None:
        silent = {"kind": "synthetic", "compute_period": "1 s"}
        run = {"duration": "3 ns", "warmup": "1 ns", "blame": True}
        other = cost_of(
            {"machine": t9000_tables(dims=[3, 3]), "workload": silent, "run": run}, ("ideal",)
        )
        table = table_of(cost, "a")
        assert table_of(other, "a").schema == table.schema
        kinds = {
            pa.bool_(): "bool",
            pa.string(): "text",
            pa.int64(): "int64",
            pa.float64(): "float64",
        }
        for column in BLAME_COLUMNS:
            kind = table.schema.field(column.name).type
            assert kinds.get(kind, "list") == column.type
            assert column.meaning.endswith(".")
        for name in BLAME_TABLES:
            fields = table.schema.field(name).type.value_type
            assert [field.name for field in fields] == [column.name for column in INNER[name]]

    def test_the_same_point_gives_the_same_compressed_bytes(self) -> None:
        content = to_bytes(table_of(cost_of(), "a"))
        assert content == to_bytes(table_of(cost_of(), "a"))
        group = pq.ParquetFile(io.BytesIO(content)).metadata.row_group(0)
        parts = [group.column(i) for i in range(group.num_columns)]
        found = {p.compression for p in parts if p.path_in_schema.startswith(BLAME_TABLES)}
        assert found == {"ZSTD"}

    def test_only_the_largest_pairs_are_told_apart_and_sums_stay(
        self, cost: Cost, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setattr(rows, "BLAME_PAIRS", 5)
        whole = blame_of(cost)
        short = saved(tmp_path, cost).blame("a" * 64)["full"]
        pairs = short.pairs.by(0, 1)
        told = pairs.keys[:, 1] != REST
        assert told.sum() == 5
        # All their kinds are kept: what is told of a pair is all there is.
        largest = np.sort(whole.pairs.by(0, 1).totals_ps)[-5:]
        np.testing.assert_array_equal(np.sort(pairs.totals_ps[told]), largest)
        of_kinds = (whole.pairs.by(2), whole.shortened(5).pairs.by(2))
        of_victims = (whole.pairs.by(0), short.pairs.by(0))
        of_channels = (whole.channels.by(0), short.channels.by(0))
        for one, other in (of_kinds, of_victims, of_channels):
            assert as_rows(one) == as_rows(other)
            np.testing.assert_array_equal(one.counts, other.counts)
        # What is summed up at a channel keeps that.
        assert short.rest_share == 0
        assert (short.channels.keys == REST).any()
        assert short.rest_share_of_pairs == 1 - largest.sum() / whole.pairs.totals_ps.sum()
        listed = short.culprits(0.95)
        assert len(listed) == 5
        assert all(REST not in charged.key for charged in listed)

    def test_classes_are_said(self) -> None:
        listed = {"radius": "all", "compute_period": "3 us", "classes": [2] * 4 + [7] * 5}
        table = table_of(cost_of(BASE | {"workload": listed}), "a")
        assert set(table["blame_classes"].to_pylist()) == {"class"}
        assert table["workload.classes"][0].as_py() == "[2, 2, 2, 2, 7, 7, 7, 7, 7]"
        assert table_of(cost_of(), "a")["blame_classes"][0].as_py() == "node"


class TestReading:
    def test_what_was_stored_comes_back(self, cost: Cost, tmp_path: Path) -> None:
        found = saved(tmp_path, cost).blame("a" * 64)
        assert list(found) == ["full", "throttled", "free", "ideal"]
        for mode, read in found.items():
            made = blame_of(cost, mode)
            assert (read.batch_begin_ps, read.batch_length_ps) == (
                made.batch_begin_ps,
                made.batch_length_ps,
            )
            assert as_rows(read.victims) == as_rows(made.victims)
            assert read.has_lateness == made.has_lateness == (mode in ("full", "free"))
            assert read.waits is not None
            assert made.waits is not None
            assert as_rows(read.waits.by(0)) == as_rows(made.waits.by(0))
            assert read.totals == made.totals
            assert as_rows(read.pairs.by(0, 1)) == as_rows(made.pairs.by(0, 1))
        full, made = found["full"], blame_of(cost)
        assert full.by_kind(0.95) == made.by_kind(0.95)
        assert waits_by_cause(full) == waits_by_cause(made)
        assert full.late(0.95) == made.late(0.95)
        # No message is compared with itself alone there.
        assert np.isnan(found["throttled"].late(0.95).value)

    def test_without_packet_waits_there_are_none(self, tmp_path: Path) -> None:
        run = {name: value for name, value in BASE["run"].items() if name != "packet_waits"}
        made = cost_of(BASE | {"run": run})
        table = table_of(made, "a" * 64)
        assert table["blame_waits"].is_null().to_pylist() == [True, False]
        assert table["blame_pairs"].is_null().to_pylist() == [False, True]
        assert table["run.packet_waits"].to_pylist() == [False, False]
        assert table.schema == table_of(cost_of(), "a" * 64).schema
        found = saved(tmp_path, made).blame("a" * 64)
        assert found["full"].waits is None
        assert found["full"].late(0.95) == blame_of(made).late(0.95)
        assert found["throttled"].waits is not None
        both = [blame_of(made), blame_of(cost_of())]
        assert merged_blame(both).waits is None

    def test_a_point_without_blame_is_one_line(self, tmp_path: Path) -> None:
        with pytest.raises(UserError, match=r"run\.blame"):
            saved(tmp_path, cost_of(PLAIN)).blame("a" * 64)

    def test_blame_of_an_older_version_is_one_line(self, cost: Cost, tmp_path: Path) -> None:
        table = table_of(cost, "a" * 64).drop_columns(["blame_waits"])
        store = PointStore.create(tmp_path)
        store.save_point("a" * 64, to_bytes(table))
        with pytest.raises(UserError, match="by an older version"):
            store.blame("a" * 64)

    def test_a_store_may_have_points_with_and_without(self, tmp_path: Path) -> None:
        axes: dict[str, list[Any]] = {PERIOD: ["3 us", "9 us"], "run.blame": [False, True]}
        store = small_store(tmp_path, axes, base=PLAIN)
        for _ in ("from the index", "from the files of points"):
            runs = runs_of(store)
            assert sorted(runs["run.blame"].to_list(), key=str) == [False] * 4 + [True] * 4
            assert not set(BLAME_TABLES).intersection(runs.columns)
            (tmp_path / "runs.parquet").unlink(missing_ok=True)
        pairs = nested_of(store, "blame_pairs")
        assert pairs["identity"].n_unique() == 2
        assert pairs.columns == ["identity", "mode", *(c.name for c in INNER["blame_pairs"])]
        assert len(nested_of(store, "nodes")) == 4 * 2 * 9


class TestMerging:
    def runs(self, *seeds: int, most: int = 10**6) -> list[Blame]:
        made = []
        for seed in seeds:
            tables = BASE | {"run": BASE["run"] | {"seed": seed}}
            made.append(blame_of(cost_of(tables, ("full",))).shortened(most))
        return made

    def largest(self, runs: list[Blame]) -> list[tuple[int, ...]]:
        """Return the pairs that all of the runs tell apart."""
        known = [set(map(tuple, run.pairs.keys[:, :2].tolist())) for run in runs]
        return sorted(pair for pair in set.intersection(*known) if REST not in pair)

    def test_times_and_messages_are_added_up(self) -> None:
        runs = self.runs(1, 2, 3)
        merged = merged_blame(runs)
        assert merged.messages().sum() == sum(run.messages().sum() for run in runs)
        for name in ("pairs", "channels", "waits"):
            total = sum(getattr(run, name).totals_ps.sum() for run in runs)
            assert getattr(merged, name).totals_ps.sum() == total
        weights = [run.messages().sum() for run in runs]
        assert merged.totals == runs[0].totals + runs[1].totals + runs[2].totals
        means = [run.late(0.95).value for run in runs]
        assert merged.late(0.95).value == pytest.approx(np.average(means, weights=weights))

    def test_one_run_is_as_it_is(self) -> None:
        [run] = self.runs(1)
        assert merged_blame([run]) is run

    def test_causes_are_known_by_name(self) -> None:
        one, two = self.runs(1, 2)
        waits = two.waits
        assert waits is not None
        other = replace(
            two,
            causes=("a cause of which there is nothing", *two.causes),
            waits=replace(waits, keys=np.add(waits.keys, [0, 1])),
        )
        told = [waits_by_cause(merged_blame([one, each])) for each in (two, other)]
        assert told[0] == told[1]

    def test_what_one_run_does_not_tell_apart_is_not_told_apart(self) -> None:
        runs = self.runs(1, 2, most=30)
        merged = merged_blame(runs)
        whole = self.runs(1, 2)
        for key, batches in as_rows(merged.pairs).items():
            if REST not in key:
                apart = [as_rows(run.pairs).get(key, [0.0] * BATCHES) for run in whole]
                assert batches == [time for run in apart for time in run]
        told, exact = as_rows(merged.pairs.by(0, 1)), as_rows(merged_blame(whole).pairs.by(0, 1))
        both = {pair: batches for pair, batches in told.items() if REST not in pair}
        assert sorted(both) == self.largest(runs)
        assert 0 < len(both) < 30
        assert both == {pair: exact[pair] for pair in both}
        assert merged.pairs.totals_ps.sum() == sum(run.pairs.totals_ps.sum() for run in runs)
        assert merged.rest_share == 0
        assert (merged.channels.keys == REST).any()

    def test_a_full_table_of_the_engine_may_hide_any_charge(self) -> None:
        def run(*keys: tuple[int, ...]) -> Blame:
            batches = np.zeros((len(keys), BATCHES))
            batches[:, 0] = 1e6
            pairs = Sums(np.array(keys), np.ones(len(keys), dtype=np.int64), batches)
            at = np.array([(5, *key) if REST not in key else (REST, *key) for key in keys])
            channels = Sums(at, pairs.counts, batches)
            waits = Sums(np.array([[5, 0]]), np.array([1]), batches[:1])
            victims = Sums(np.array([[1]]), np.array([1]), np.ones((1, BATCHES)))
            return Blame(("throttling",), pairs, channels, victims, waits, Totals(), 0, 1)

        merged = merged_blame([run((1, 2, 0), (1, 3, 0)), run((1, 2, 0), (REST, REST, 0))])
        assert [tuple(key) for key in merged.pairs.keys.tolist()] == [
            (1, 2, 0),
            (REST, REST, 0),
        ]
        assert merged.pairs.totals_ps.tolist() == [2e6, 2e6]

    def test_intervals_are_those_of_merged_values(self) -> None:
        runs = self.runs(1, 2, 3)
        merged = merged_blame(runs).late(0.95)
        own = [run.late(0.95) for run in runs]
        weight = np.array([estimate.weight for estimate in own])
        errors = np.array([estimate.standard_error for estimate in own])
        values = np.array([estimate.value for estimate in own])
        within = ((weight * errors) ** 2).sum() / weight.sum() ** 2
        between = 3 / 2 * ((weight * (values - merged.value)) ** 2).sum() / weight.sum() ** 2
        degrees = sum(estimate.batches - 1 for estimate in own)
        both = (degrees * within + 2 * between) / (degrees + 2)
        # Whichever `pooling` believes: of runs that differ more than they should, `between`.
        assert merged.standard_error in (pytest.approx(both**0.5), pytest.approx(between**0.5))
        assert merged.weight == weight.sum()

    def test_what_no_run_knows_is_unknown(self) -> None:
        silent: dict[str, Any] = {"compute_period": "1 s"}
        tables = BASE | {"workload": silent, "run": {"duration": "3 ns", "blame": True}}
        run = blame_of(cost_of(tables, ("full",)))
        merged = merged_blame([run, run])
        assert repr(merged.late(0.95)) == repr(Estimate.unknown())
        assert merged.by_channel(0.95) == []
