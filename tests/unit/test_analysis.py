"""Fields, conditions, the table of runs, and how it is written."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benches.stores import synthetic_store
from tailback import analysis
from tailback.analysis.conditions import condition
from tailback.analysis.names import column_named
from tailback.analysis.tables import csv_text, json_text
from tailback.errors import UserError
from tailback.report.of_store import page_of
from tailback.store.points import PointStore
from tailback.tables import parquet
from tailback.terminal.runs import runs_table
from tests.random_cases import random_cases
from tests.stores import LIFETIME, PERIOD, RATE, WIDTH, runs_of, small_store, store_of

#: Machines with different keys, columns and coordinates.
KINDS = """
    [machine]
    clock = "500 MHz"
    link.rate = "20 Gbit/s"
    switch.delay = "1 cycle"
    interface.window = 1
    [machine.topology]
    kind = "torus"
    dims = [3, 3]
    arity = 2
    levels = 2
    [workload]
    radius = "all"
    compute_period = "10 us"
    [run]
    duration = "100 us"
    warmup = "10 us"
    [sweep]
    exclude = ["topology.kind == 'fat_tree' and routing.kind == 'dimension_order'"]
    machine.topology.kind = ["torus", "fat_tree"]
    machine.routing.kind = ["dimension_order", "valiant"]
"""

# Runs are made and looked at by Polars.


def where(frame: pl.DataFrame, *conditions: str) -> pl.DataFrame:
    return pl.DataFrame(analysis.where(frame.to_arrow(), *conditions))


def select(frame: pl.DataFrame, fields: list[str]) -> pl.DataFrame:
    return pl.DataFrame(analysis.select(frame.to_arrow(), fields))


def ordered(frame: pl.DataFrame, fields: list[str]) -> pl.DataFrame:
    return pl.DataFrame(analysis.ordered(frame.to_arrow(), fields))


def table(store: PointStore, *arguments: Any, **named: Any) -> pl.DataFrame:
    return pl.DataFrame(analysis.table(store, *arguments, **named))


class TestNames:
    @pytest.mark.parametrize(
        ("written", "column"),
        [
            ("workload.compute_period_us", "workload.compute_period_us"),
            ("workload.compute_period", "workload.compute_period_us"),
            ("compute_period_us", "workload.compute_period_us"),
            ("compute_period", "workload.compute_period_us"),
            ("dims", "machine.topology.dims"),
            ("topology.dims", "machine.topology.dims"),
            ("topology.kind", "machine.topology.kind"),
            ("routing", "machine.routing.kind"),
            ("switching", "machine.switch.switching"),
            ("seed", "run.seed"),
            ("link.rate", "machine.link.rate_mbit_per_s"),
            ("packet_size", "machine.interface.packet_size_bytes"),
            ("routed_lifetime", "routed_lifetime_us"),
            ("theta_t", "theta_t"),
            ("theta_t_low", "theta_t_low"),
            ("window", "window_ms"),
        ],
    )
    def test_are_found_as_users_write_them(
        self, runs: pl.DataFrame, written: str, column: str
    ) -> None:
        assert column_named(written, runs.columns) == column

    def test_a_wrong_name_has_a_nearest(self, runs: pl.DataFrame) -> None:
        with pytest.raises(UserError, match=r'fields = "compute_perod": no such column'):
            column_named("compute_perod", runs.columns)
        with pytest.raises(UserError) as mistake:
            column_named("workload.compute_perod", runs.columns)
        assert mistake.value.nearest == "workload.compute_period"
        with pytest.raises(UserError, match="no such column"):
            column_named("xyzzyqq", runs.columns)

    def test_a_kind_may_be_of_several_parts(self) -> None:
        with pytest.raises(UserError, match="may be topology or routing; write which"):
            column_named("kind", ["machine.topology.kind", "machine.routing.kind"])

    def test_a_key_of_two_tables_is_not_clear(self, runs: pl.DataFrame) -> None:
        rates = "machine.link.rate_mbit_per_s or machine.node_link.rate_mbit_per_s"
        with pytest.raises(UserError, match=f"may be {rates}; write which"):
            column_named("rate", runs.columns)

    def test_a_class_of_links_need_not_be_written_in_full(self) -> None:
        names = ("uplinks", "hosts")
        columns = [f"machine.link_classes.{name}.rate_mbit_per_s" for name in names]
        assert column_named("uplinks.rate", columns) == columns[0]
        with pytest.raises(UserError, match="no such column"):
            column_named("links.rate", columns)

    def test_a_name_that_two_columns_have_is_not_clear(self) -> None:
        columns = ["machine.topology.nodes", "sweep.nodes", "nodes_us"]
        assert column_named("sweep.nodes", columns) == "sweep.nodes"
        both = r"may be machine.topology.nodes or sweep.nodes; write which"
        with pytest.raises(UserError, match=both):
            column_named("nodes", columns[:2])

    def test_estimates_are_selected_with_their_interval(self, runs: pl.DataFrame) -> None:
        found = select(runs, ["mode", "theta_r", "compute_period"])
        wanted = ["mode", "theta_r", "theta_r_low", "theta_r_high", "workload.compute_period_us"]
        assert found.columns == wanted

    def test_rows_are_ordered_by_several_fields(self, runs: pl.DataFrame) -> None:
        found = ordered(runs, ["-compute_period", "seed"])
        keys = [(-period, seed) for period, seed in found.select(PERIOD, "run.seed").rows()]
        assert keys == sorted(keys)
        assert ordered(runs, []).equals(runs)

    def test_unknown_values_come_last(self) -> None:
        frame = pl.DataFrame({"theta_t": [None, 1.0, 2.0]})
        assert ordered(frame, ["theta_t"])["theta_t"].to_list() == [1, 2, None]
        assert ordered(frame, ["-theta_t"])["theta_t"].to_list() == [2, 1, None]


class TestConditions:
    FRAME = pl.DataFrame(
        {
            "workload.compute_period_us": [5.0, 20.0, 2000.0, None],
            "workload.sync": [
                "asynchronous",
                "loosely_synchronous",
                "asynchronous",
                "asynchronous",
            ],
            "machine.interface.packet_size_bytes": [32, 64, 2048, 32],
            "machine.link.rate_mbit_per_s": [100.0, 100.0, 1000.0, 20.0],
            "machine.topology.dims": ["[8, 8]", "[16, 16]", "[8, 8]", "[4]"],
            "window_ms": [1.0, 2.0, 3.0, 4.0],
            "theta_r": [0.5, 0.9, None, 1.0],
            "settled": [True, False, True, True],
            "sweep.n": [1.0, 2.0, 4.0, 8.0],
        }
    )

    @pytest.mark.parametrize(
        ("text", "rows"),
        [
            ("sync == 'asynchronous' and compute_period < 20", [0]),
            ("compute_period < 20 us", [0]),
            ("compute_period <= 20us", [0, 1]),
            ("compute_period < 20 * us", [0]),
            ("compute_period >= 0.02 ms", [1, 2]),
            ("compute_period == 2 ms", [2]),
            ("workload.compute_period_us > 1e1", [1, 2]),
            ("20 us < compute_period", [2]),
            ("1 us < compute_period < 1 ms", [0, 1]),
            ("packet_size >= 2 KiB", [2]),
            ("packet_size == 32 B", [0, 3]),
            ("link.rate > 100 Mbit/s", [2]),
            ("rate == 1 Gbit/s", [2]),
            ("window > 2500 us", [2, 3]),
            ("window > 3", [3]),
            ("compute_period < window", [0, 1, 2]),
            ("compute_period / window > 0.6", [2]),
            ("compute_period / 5 us == n", [0]),
            ("compute_period - 1 us == 4 us", [0]),
            ("2 * compute_period > 30 us", [1, 2]),
            ("compute_period + 10 us > 20 us", [1, 2]),
            ("-theta_r < -0.8", [1, 3]),
            ("settled", [0, 2, 3]),
            ("not settled", [1]),
            ("settled == true", [0, 2, 3]),
            ("theta_r == none", [2]),
            ("theta_r != none and theta_r < 0.8", [0]),
            ("theta_r < 0.8 or n > 5", [0, 3]),
            ("not theta_r < 0.8", [1, 3]),
            ("dims in ['[8, 8]', '[4]']", [0, 2, 3]),
            ("dims not in ['[8, 8]', '[4]']", [1]),
            ("dims == [8, 8]", [0, 2]),
            ("dims in [[16, 16], [4]]", [1, 3]),
            ("n in [1, 8]", [0, 3]),
            ("compute_period in (5 us, 2 ms)", [0, 2]),
            ('sync == "20 us"', []),
            ("compute_period < '20 us'", [0]),
            ("compute_period / window > 0.6 * 10 ** 0", [2]),
            ("compute_period * link.rate > 16 * packet_size", [2]),
            ("4 * packet_size / link.rate > 10 us", [0, 1, 2, 3]),
            ("1 / compute_period > 0.1", [0]),
            ("n ** 2 > 10 and +n < 8", [2]),
            ("compute_period // 6 us == 3 and compute_period % 6 us == 2 us", [1]),
            ("max(n, 3) == 3", [0, 1]),
            ("min(compute_period, 1 ms, window) == 1 ms", [2]),
            ("round(n / 3) == 1 or floor(sqrt(n)) == 2", [1, 2, 3]),
            ("log10(compute_period / us) > 3", [2]),
            ("abs(n - 3) <= 1", [1, 2]),
            ("n == (2 if settled else 1) or n == (4 if settled else 2)", [1, 2]),
            ("dims == [8.0, 8]", [0, 2]),
            ("1 < 2 or 1 / 0 > n", [0, 1, 2, 3]),
            ("n in []", []),
        ],
    )
    def test_are_understood(self, text: str, rows: list[int]) -> None:
        found = where(self.FRAME.with_row_index("row_"), text)
        assert found["row_"].to_list() == rows

    @pytest.mark.parametrize(
        ("text", "problem"),
        [
            ("compute_perod < 20", "no such column; did you mean compute_period?"),
            ("sync == loosely_synchronous", "no such column.*; a text needs quotes"),
            ("compute_period < 20 B", "cannot compare a time with a size"),
            ("packet_size < 20 us", "cannot compare a size with a time"),
            ("n < 20 us", "cannot compare a number with a time"),
            ("compute_period < packet_size", "cannot compare a time with a size"),
            ("sync < 3", "cannot compare a text with a number"),
            ("n == 'x'", "cannot compare a number with a text"),
            ("sync == settled", "cannot compare a text with true or false"),
            ("compute_period < '20 uss'", "unknown unit; did you mean us?"),
            ("compute_period", "is a time; must be true or false"),
            ("theta_r + 1", "is a number; must be true or false"),
            ("compute_period and settled", "needs true or false, not a time"),
            ("dims or dims", "needs true or false, not a text"),
            ("20 us", "is a time; must be true or false"),
            ("1, 2", "is a list; must be true or false"),
            ("", "cannot be read"),
            ("n = 3", "cannot be read"),
            ("n <", "cannot be read"),
            ("n < 3; import os", "cannot be read"),
            ("__import__('os').system('true')", "must not contain __import__"),
            ("().__class__", "must not contain"),
            ("[x for x in n]", "must not contain"),
            ("n ** n > 1", "a power must be one number"),
            ("9**9**9 > n", "too large"),
            ("lambda: 1", "must not contain lambda"),
            ("n if settled else n", "is a number; must be true or false"),
            ("1 == (n if settled else sync)", "cannot choose between a number and a text"),
            ("n is 3", "must not contain Is"),
            ("n in 3", "cannot look for a number in a number"),
            ("dims == [8, n]", "a list of more than numbers and texts"),
            ("n < [1]", "cannot compare a number with a list"),
            ("sync + 'x' == 'y'", r"cannot calculate a text \+ a text"),
            ("compute_period * window > 1", r"cannot compare a quantity in s\^2 with a number"),
            ("theta_r < none", "cannot compare a number with none"),
            ("sync < none", "cannot compare a text with none"),
            ("sqrt(n, n) > 1", "gives sqrt 2 values; it takes 1"),
            ("floor(window) > 1", "cannot calculate floor of a time"),
            ("n" * 2000, "is longer than"),
            ("(" * 500 + "n", "cannot be read"),
            ("1.0000001 us < compute_period", "1.0000001 us.*whole number of picoseconds"),
            ("1 / 0 < n", "divides by zero"),
        ],
    )
    def test_mistakes_are_one_line(self, text: str, problem: str) -> None:
        with pytest.raises(UserError, match=problem) as mistake:
            where(self.FRAME, text)
        assert "\n" not in str(mistake.value)
        assert mistake.value.field == "where"

    @given(
        st.text(st.sampled_from("n<>=!()[]'\" .,0123eus+-*/andortintheta_rsettled"), max_size=30)
    )
    @settings(max_examples=random_cases(300))
    def test_nothing_but_mistakes_of_the_user(self, text: str) -> None:
        with suppress(UserError):
            where(self.FRAME, text)

    def test_several_must_all_hold(self) -> None:
        assert len(where(self.FRAME, "settled", "n > 1", "n < 8")) == 1
        assert where(self.FRAME).equals(self.FRAME)

    def test_what_is_asked_for_is_known(self) -> None:
        found = condition("theta_r < 1 and (n > 1 or settled)", self.FRAME.to_arrow().schema)
        assert found.columns == {"theta_r", "sweep.n", "settled"}


class TestTable:
    def test_shows_what_was_varied_in_the_order_of_the_sweep(self, store: PointStore) -> None:
        found = table(store)
        assert found.columns[:3] == [PERIOD, WIDTH, "mode"]
        places = [(20.0, 2), (20.0, 1), (5.0, 2), (5.0, 1)]
        rows = [(*place, mode) for place in places for mode in ("full", "endpoints")]
        assert found.select(PERIOD, WIDTH, "mode").rows() == rows
        shown = ["runs", RATE, f"{RATE}_low", f"{RATE}_high", LIFETIME, "theta_t", "theta_r_high"]
        assert set(shown) <= set(found.columns)

    def test_parameters_that_tell_rows_apart_are_shown(self, tmp_path: Path) -> None:
        period = {"workload.compute_period": ["20 us", "5 us"]}
        small_store(tmp_path, period)
        wider = small_store(tmp_path, period | {WIDTH: [2]})
        found = table(wider)
        assert found.columns[:3] == [PERIOD, WIDTH, "mode"]
        assert len(found) == 8

    def test_kinds_of_machines_lie_below_each_other(self, tmp_path: Path) -> None:
        store = store_of(tmp_path, KINDS)
        found = table(store)
        kinds = ["machine.topology.kind", "machine.routing.kind"]
        assert found.columns[:3] == [*kinds, "mode"]
        expected = [("torus", "dimension_order"), ("torus", "valiant"), ("fat_tree", "valiant")]
        assert found.filter(mode="full").select(kinds).rows() == expected
        wanted = ["topology.kind", "topology.dims", "arity", "switch.delay", "rate"]
        with pytest.raises(UserError, match=r"rate\w* or machine.node_link.rate\w*; write which"):
            table(store, wanted)
        shown = table(store, [*wanted[:-1], "link.rate"], ["topology.kind == 'fat_tree'"])
        assert shown.rows()[0] == ("fat_tree", None, 2, 0.002, 20_000.0)
        assert set(table(store, ["runs"], ["link.rate == 20 Gbit/s"])["runs"]) == {1}
        [lead, *_] = page_of(store, "kinds").lead
        assert lead.startswith("Machine: topology several, routing several, workload synthetic")

    def test_fields_sort_and_limit(self, store: PointStore) -> None:
        found = table(
            store,
            ["node_link.width", "theta_r", "runs"],
            sort=["node_link.width", "-theta_r"],
            limit=3,
        )
        assert found.columns == [WIDTH, "theta_r", "theta_r_low", "theta_r_high", "runs"]
        assert found[WIDTH].to_list() == [1, 1, 1]
        assert found["theta_r"][0] >= found["theta_r"][1]

    def test_a_condition_on_the_seed_is_asked_before_merging(self, store: PointStore) -> None:
        assert set(table(store, ["runs"], ["seed != 3"])["runs"]) == {2}
        assert set(table(store, ["runs"], ["seed != 3", "runs > 2"])["runs"]) == set()
        assert set(table(store, ["runs"], ["runs > 2"])["runs"]) == {3}

    def test_a_condition_on_what_was_merged_is_asked_afterwards(self, store: PointStore) -> None:
        every = table(store, ["node_link.width", "hops", "mode", "theta_r"])
        limit = every["theta_r"].mean()
        found = table(store, ["node_link.width", "hops", "mode", "theta_r"], [f"theta_r < {limit}"])
        assert found.equals(every.filter(pl.col("theta_r") < limit))
        assert 0 < len(found) < len(every)
        modes = table(store, ["theta_r"], ["mode == 'full'"])
        assert modes["theta_r"].null_count() == 0

    def test_single_runs_are_not_merged(self, store: PointStore) -> None:
        found = table(store, ["seed", "node_link.width", "mode", "runs"], over=())
        assert len(found) == runs_of(store).height
        assert set(found["runs"]) == {1}
        assert set(found["run.seed"]) == {1, 2, 3}
        single = table(store, ["identity", "mode"], over=())
        assert single["identity"].null_count() == 0
        assert single.is_unique().all()
        assert set(table(store, ["identity"])["identity"]) == {None}

    def test_percentiles_of_merged_runs(self, store: PointStore) -> None:
        found = table(store, ["lifetime_us_p99"], ["settled", "mode == 'full'"])
        assert found["lifetime_us_p99"].null_count() == 0

    @pytest.mark.parametrize(
        ("arguments", "problem"),
        [
            ({"fields": ["theta_x"]}, 'fields = "theta_x": no such column'),
            ({"fields": ["seed"]}, "runs that differ in run.seed are merged"),
            ({"fields": ["moments"]}, "holds a table in every row"),
            ({"sort": ["-moods"]}, 'sort = "moods": no such column'),
            ({"conditions": ["moods == 3"]}, "did you mean mode"),
            ({"over": ["mode"]}, "must be a parameter"),
            ({"conditions": ["seed < 3 and runs > 1"]}, "write two conditions"),
        ],
    )
    def test_mistakes(self, store: PointStore, arguments: dict[str, Any], problem: str) -> None:
        with pytest.raises(UserError, match=problem):
            table(store, **arguments)

    def test_is_fast_enough_to_be_asked_often(self, tmp_path: Path) -> None:
        found = table(synthetic_store(tmp_path, 200))
        assert len(found) == 200 // 5 * 2
        assert set(found["runs"]) == {5}


class TestOutputs:
    ROWS = pl.DataFrame(
        {
            PERIOD: [5.0, 12.5],
            "machine.topology.dims": ["[8, 8]", '["x", [1]]'],
            "mode": ["full", "throttled"],
            "runs": [3, 12_000],
            "settled": [True, None],
            "theta_t": [0.75, None],
            "theta_t_low": [0.7, None],
            "theta_t_high": [0.8, None],
            "messages_per_node_per_ms": [6.9431, 2.0],
            "messages_per_node_per_ms_low": [6.9311, None],
            "messages_per_node_per_ms_high": [6.9551, None],
        }
    )

    def test_terminal(self) -> None:
        assert runs_table(self.ROWS.to_arrow()).splitlines() == [
            "   compute                                                      messages_per",
            "_period_us  dims        mode         runs  settled     theta_t  _node_per_ms",
            "─" * 76,
            "         5  8 x 8       full            3  yes      0.75 ±0.05  6.943 ±0.012",
            '      12.5  ["x", [1]]  throttled  12,000  -                 -     2.0000 ±?',
        ]

    def test_names_that_are_not_clear_are_shown_in_full(self) -> None:
        frame = pl.DataFrame({"machine.topology.nodes": [1], "sweep.nodes": [2]})
        assert _heads(frame)[0] == ["topology.nodes", "sweep.nodes"]
        frame = pl.DataFrame({"machine.link.width": [1], "machine.node_link.width": [2]})
        assert _heads(frame)[1] == ["link.width", "_link.width"]
        frame = pl.DataFrame({"machine.topology.kind": ["torus"], "machine.switch.delay_us": [2]})
        assert _heads(frame)[0] == ["topology.kind", "delay_us"]

    def test_no_rows(self) -> None:
        assert "theta_t" in runs_table(self.ROWS.clear().to_arrow())

    def test_csv(self) -> None:
        lines = csv_text(self.ROWS.to_arrow()).splitlines()
        assert lines[0].startswith(
            f"{PERIOD},machine.topology.dims,mode,runs,settled,theta_t,theta_t_low"
        )
        assert lines[2].startswith('12.5,"[""x"", [1]]",throttled,12000,,,,')

    def test_json(self) -> None:
        assert json.loads(json_text(self.ROWS.to_arrow())) == self.ROWS.to_dicts()
        assert json.loads(json_text(self.ROWS.clear().to_arrow())) == []

    def test_parquet(self, tmp_path: Path) -> None:
        path = tmp_path / "table.parquet"
        path.write_bytes(parquet(self.ROWS.to_arrow()))
        assert pl.read_parquet(path).equals(self.ROWS)


def _heads(frame: pl.DataFrame) -> list[list[str]]:
    """Return the words of the lines above a table's rows."""
    return [line.split() for line in runs_table(frame.to_arrow()).splitlines()]
