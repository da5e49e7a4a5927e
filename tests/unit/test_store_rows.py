"""Rows of stored points: complete, documented, the same every time, of the same types."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benches.stores import RATIOS
from tailback import machines, workloads
from tailback.comparison import MODES, Cost, compare
from tailback.experiment import Experiment
from tailback.experiment.tables import entries
from tailback.metrics import METRICS
from tailback.store.columns import (
    INNER,
    LIGHT,
    MERGED,
    MESSAGE_TABLE,
    NESTED,
    OF_JOBS,
    TRAFFIC_TABLE,
)
from tailback.store.parameters import column_of, labels, parameters
from tailback.store.point_file import light
from tailback.store.rows import table_of, to_bytes
from tailback.store.schema import columns
from tailback.units import Rate, Size, Time
from tests.machines import refined, t9000_tables

#: Small machines; of other kinds of topology as they are by default.
MACHINES: dict[str, dict[str, Any]] = {
    **{kind: t9000_tables(kind) for kind in machines.TOPOLOGIES},
    "mesh": t9000_tables("mesh", dims=[3, 3]),
    "hypercube": t9000_tables("hypercube", dimensions=2),
    "pair": t9000_tables("pair"),
    "star": t9000_tables("star", nodes=3),
    "torus": t9000_tables("torus", dims=[3, 3]),
    "fat_tree": t9000_tables("fat_tree", arity=2, levels=2),
    "butterfly": t9000_tables("butterfly", arity=2, stages=2),
    "tree": t9000_tables("tree", fan_out=2, depth=2, nodes_per_switch=1),
    "fully_connected": t9000_tables("fully_connected", switches=3, nodes_per_switch=1),
    "dragonfly": t9000_tables("dragonfly", switches_per_group=2, global_links=1),
    "concentrated_mesh": t9000_tables("concentrated_mesh", dims=[2], nodes_per_switch=2),
    "concentrated_torus": t9000_tables("concentrated_torus", dims=[2], nodes_per_switch=2),
    "hyperx": t9000_tables("hyperx", dims=[2, 2], nodes_per_switch=1),
    "xgft": t9000_tables("xgft", children=[2, 2]),
    "jellyfish": t9000_tables("jellyfish", switches=4, links_per_switch=2, nodes_per_switch=1),
    "islands": t9000_tables("islands", islands=2, accelerators=2),
    "rail_optimised": t9000_tables("rail_optimised", servers=2, gpus=2, spines=1),
    "graph": t9000_tables(
        "graph", file=str(Path(__file__).parents[2] / "examples" / "campus.graphml")
    ),
}
#: Names of files, and what their hash says already.
FILES = {"workload.file", "machine.topology.file", "machine.routing.file"}
COUNTED = {"machine.topology.links"}
WORKLOADS: dict[str, dict[str, Any]] = {
    **{kind: {"kind": kind} for kind in workloads.KINDS},
    "synthetic": {"kind": "synthetic", "radius": "all"},
    "boundary_exchange": {"kind": "boundary_exchange"},
    "compute_only": {"kind": "compute_only"},
    "bandwidth": {"kind": "bandwidth"},
    "program": {
        "kind": "program",
        "process": [
            {"node": 0, "steps": [{"send": 1}]},
            {"node": 1, "steps": [{"receive": 0}]},
        ],
    },
    "traffic": {"kind": "traffic", "traffic_class": [{"name": "one", "period": "20 us"}]},
    "trace": {
        "kind": "trace",
        "file": str(Path(__file__).parents[1] / "traces" / "goal" / "incast_3.goal"),
    },
    "all_to_all_v": {
        "kind": "all_to_all_v",
        "file": str(Path(__file__).parents[2] / "examples" / "bytes.csv"),
    },
    "messages": {"kind": "messages", "messages": [["0 ns", 0, 1, "32 B"], ["1 us", 1, 0, "9 B"]]},
    "python": {
        "kind": "python",
        "file": str(Path(__file__).parents[2] / "examples" / "programs.py"),
        "function": "ring",
    },
}


def cost_of(
    machine: dict[str, Any] = MACHINES["mesh"],
    workload: dict[str, Any] = WORKLOADS["synthetic"],
    modes: tuple[str, ...] = ("full", "endpoints"),
    **run: Any,
) -> Cost:
    run = run or ({} if workload["kind"] == "messages" else {"duration": "200 us"})
    tables = {"machine": machine, "workload": workload, "run": run}
    return compare(Experiment.from_dict(tables), modes)


@pytest.fixture(scope="module")
def cost() -> Cost:
    return cost_of(modes=MODES, duration="8 ms", warmup="1 ms", seed=7)


@pytest.fixture(scope="module")
def table(cost: Cost) -> pa.Table:
    return table_of(cost, "abc")


def name_of(name: str) -> str:
    """Return the name of a parameter's column; other names stay as they are."""
    column = column_of(name)
    return name if column is None else column.name


def fitting() -> list[tuple[str, str]]:
    """Return topologies and kinds so that each occurs, and they fit."""
    pairs = [("mesh", kind) for kind in WORKLOADS]
    others = [machine for machine in MACHINES if machine != "mesh"]
    return [*pairs, ("hypercube", "synthetic"), *((machine, "bandwidth") for machine in others)]


#: A machine whose nodes are its switches has further parameters, metrics and percentiles.
INTEGRATED = {
    "preset": "buzzard_mudge_packet_fixed",
    "clock": "1 GHz",
    "topology": {"dimensions": 2},
}


def _with_added_keys(machine: dict[str, Any]) -> Iterator[Cost]:
    """Yield results of machines with keys that have a column only where they are given."""
    yield cost_of(machine | {"switch": {"edge_delay": "1 ns"}})
    shared = {"switch": {"arbiter": "deficit_round_robin", "shares": ["1 kB", "2 kB"]}}
    flows = [{"name": name, "period": "1 us", "message_size": "64 B"} for name in "ab"]
    yield cost_of(machine | shared, {"kind": "traffic", "traffic_class": flows})
    hosted = {"topology": {"kind": "rail_optimised", "servers": 2, "gpus": 2, "spines": 1}}
    turns = {"rule": "round_robin", "rule_turn": "packet"}
    for hosts in (
        {"interfaces": 2, "nodes_per_host": 2, "rule": "flow_hash", "rule_flow": "message"},
        {"separator": ".", "rule": "flow_hash", "rule_seed": 1},
        {"members": [["server0.gpu0", "server0.gpu1"]], **turns},
    ):
        yield cost_of(hosted | {"hosts": hosts})
    clocked = {"preset": "wormhole_mesh", "clock": "1 GHz", "topology": {"dims": [3, 3]}}
    as_elsewhere = {
        "allocator": "wavefront",
        "route_delay": "2 cycles",
        "stages": "batched",
        "output_buffer": "128 B",
        "output_buffer_view": "request",
        "delivery": "same_channel",
        "port_order": "dimensions",
    }
    modulated = {"compute_distribution": "modulated", "compute_turn_on": 0.4}
    offering = {"preset": "uniform_open_loop", "load": 0.1, "compute_turn_off": 0.3, **modulated}
    yield cost_of(clocked | {"switch": as_elsewhere}, {"kind": "synthetic", **offering})
    twice = {"allocator": "islip", "arbiter": "round_robin", "iterations": 2, "vc_iterations": 1}
    yield cost_of(clocked | {"switch": twice}, {"kind": "synthetic", **offering})
    with TemporaryDirectory() as folder:
        file = Path(folder) / "matrix.csv"
        file.write_text("source,destination,weight\n0,1,2\n1,2,1\n", encoding="utf-8")
        by_source = {"pattern": "traffic_matrix", "file": str(file), "rates": "by_source"}
        yield cost_of(machine, {"kind": "synthetic", **offering, **by_source})


class TestColumns:
    def test_each_has_one_name_and_a_meaning(self) -> None:
        names = [column.name for column in columns()]
        assert sorted(names) == sorted(set(names))
        assert all(column.meaning.endswith(".") for column in columns())

    def test_every_topology_and_kind_is_covered_below(self) -> None:
        assert set(MACHINES) == set(machines.TOPOLOGIES)
        assert set(WORKLOADS) == set(workloads.KINDS)

    def test_what_is_stored_is_documented_and_the_other_way_round(self) -> None:
        documented = {column.name: column for column in columns()}
        stored: set[str] = set()
        costs = [cost_of(MACHINES[machine], WORKLOADS[workload]) for machine, workload in fitting()]
        costs.append(cost_of(duration="2 ms", keep_messages=True))
        finite = WORKLOADS["synthetic"] | {"sync": "asynchronous", "repeat": 2}
        finite |= {"pattern": "random_permutation"}
        costs.append(cost_of(INTEGRATED, finite, ("throttled", "free")))
        offering = {"kind": "synthetic", "preset": "uniform_open_loop", "compute_period": "1 us"}
        clocked = {"preset": "wormhole_mesh", "clock": "1 GHz", "topology": {"dims": [3, 3]}}
        costs.append(cost_of(clocked, offering))
        places = {"switch": {"allocator": "wavefront"}, "interface": {"reply_queue": 2}}
        costs.append(cost_of(clocked | places, offering))
        paying = {"topology": {"kind": "mesh", "dims": [3]}, "interface": {"o": "1 us"}}
        costs += [cost_of(paying), *_with_added_keys(paying)]
        ethernet = {"preset": "gigabit_ethernet", "topology": {"kind": "star", "nodes": 3}}
        costs.append(cost_of(ethernet | {"switch": {"memory": "64 KiB", "pause": "all"}}, offering))
        for preset in ("myrinet", "avici_tsr"):
            few = {"dims": [3, 2], "nodes_per_switch": 2}
            costs.append(cost_of({"preset": preset, "topology": few}, offering))
        mixed = offering | {"message_distribution": "mixed", "message_sizes": ["8 B", "40 B"]}
        slow = {"drain_rate": "1 Gbit/s", "receive_fifo": 2, "local": "switch"}
        costs.append(cost_of(paying | {"interface": slow}, mixed | {"includes_self": True}))
        costs.append(cost_of(clocked | {"node_link": {"duplex": "half_by_flit"}}, offering))
        for routing in ("ugal_l", "valiant"):
            small = t9000_tables("mesh", dims=[3], routing={"kind": routing})
            costs.append(cost_of(small))
        tree = {"kind": "xgft", "children": [2, 2], "parents": [2]}
        for routing in ("ecmp", "spray"):
            costs.append(cost_of({"topology": tree, "routing": {"kind": routing}}))
        crossing = {"kind": "minimal", "group_classes": "crossing"}
        costs.append(cost_of(MACHINES["dragonfly"] | {"routing": crossing}))
        for failed in ({"failed_links": [[0, 1]]}, {"failed_share": 0.1}):
            torn = {"kind": "mesh", "dims": [3, 3], **failed}
            costs.append(cost_of({"topology": torn, "routing": {"kind": "up_down"}}))
        digits = offering | {"pattern": "digit_shuffle", "pattern_base": 2}
        square = {"topology": {"kind": "mesh", "dims": [4, 4]}}
        for pattern in (digits, offering | {"pattern": "tornado", "pattern_dimension": "x"}):
            costs.append(cost_of(square | {"switch": {"queueing": "voq"}}, pattern))
        job = {"share": 2, "workload": {"kind": "ring_allreduce"}}
        both = {"machine": MACHINES["mesh"], "job": [job | {"name": name} for name in "ab"]}
        costs.append(compare(Experiment.from_dict(both), ("full", "endpoints")))
        alone = {"machine": {"preset": "loggops"}, "workload": WORKLOADS["trace"]}
        costs.append(compare(Experiment.from_dict(alone), ("full",)))
        for cost in costs:
            table = table_of(cost, "abc")
            # Those of jobs are called after the jobs.
            table = table.select([n for n in table.column_names if not n.startswith(OF_JOBS)])
            # Tables that only some points have are documented apart.
            apart = [n for n in (TRAFFIC_TABLE, MESSAGE_TABLE) if n in table.column_names]
            table = table.drop_columns(apart)
            names = table.column_names
            # Kinds of machine and workload share keys, but not their order.
            rest = [name for name in names if not name.startswith(("machine.", "workload."))]
            assert rest == [name for name in documented if name in rest]
            for field in table.schema:
                kind = "list" if pa.types.is_list(field.type) else str(field.type)
                assert {"string": "text", "double": "float64"}.get(kind, kind) == (
                    documented[field.name].type
                ), field.name
            stored |= set(names)
        # Without routes from a file there is no hash of them, without a plugin no version of it.
        stored |= {"machine.routing.routes_sha256", "machine.topology.plugin"}
        assert sorted(documented.keys() - stored) == []

    def test_inner_columns_are_documented(self, table: pa.Table) -> None:
        for name in NESTED:
            fields = {field.name: field.type for field in table.schema.field(name).type.value_type}
            known = {column.name: column.type for column in INNER[name]}
            assert [n for n in fields if not re.fullmatch(r"[xyz]|x\d+", n)] == list(known)
            for column, kind in known.items():
                is_kind = {
                    "integer": pa.types.is_integer,
                    "float64": pa.types.is_float64,
                    "text": pa.types.is_string,
                }[kind]
                assert is_kind(fields[column]), column

    def test_columns_of_messages_are_documented(self) -> None:
        table = table_of(cost_of(duration="2 ms", keep_messages=True), "abc")
        inner = table.schema.field(MESSAGE_TABLE).type.value_type
        names = [column.name for column in INNER[MESSAGE_TABLE]]
        # One job and no traffic classes: messages are of none.
        assert [field.name for field in inner] == [name for name in names if name != "class"]
        for column in INNER[MESSAGE_TABLE][:-2]:
            assert pa.types.is_integer(inner.field(column.name).type), column.name

    def test_types_do_not_depend_on_values(self) -> None:
        # Nothing crosses the network; no interval; parameters given that are null elsewhere.
        plain = table_of(cost_of(), "abc")
        silent = {"kind": "synthetic", "compute_period": "1 s"}
        given = refined(
            MACHINES["mesh"] | {"clock": "1 GHz"},
            link={"packet_gap": "1 us"},
            link_classes={"x": {"delay": "1 ns"}},
            routing={"kind": "dimension_order", "order": ["y", "x"]},
            interface={"time_slice": "3 us"},
        )
        other = cost_of(given, silent, ("ideal",), duration="3 ns", warmup="1 ns", seed=3)
        assert table_of(other, "abc").schema == plain.schema

    def test_units_are_in_the_names(self) -> None:
        for column in columns():
            suffix = {
                "us": "_us",
                "ms": "_ms",
                "B": "_bytes",
                "Mbit/s": "_mbit_per_s",
                "ns/B": "_ns",
            }
            if column.name.startswith(("machine.", "workload.", "run.")) and column.unit:
                assert column.name.endswith(suffix[column.unit])


class TestRows:
    def test_one_row_per_mode_in_the_usual_order(self, table: pa.Table) -> None:
        assert table["mode"].to_pylist() == list(MODES)
        assert set(table["identity"].to_pylist()) == {"abc"}

    def test_estimates_are_those_of_the_results(self, cost: Cost, table: pa.Table) -> None:
        for i, mode in enumerate(MODES):
            for name in METRICS:
                estimate = cost.modes[mode][name]
                found = [table[name + part][i].as_py() for part in MERGED]
                wanted = [estimate.value, estimate.low, estimate.high, estimate.standard_error]
                wanted += [estimate.weight, estimate.batches]
                if np.isnan(estimate.value):
                    assert found == [None] * len(MERGED)
                else:
                    assert found == [None if np.isnan(x) else x for x in wanted]
        assert table["routed_lifetime_us"].to_pylist()[-1] is None  # ideal: there are no packets

    def test_ratios_are_in_the_row_of_full(self, cost: Cost, table: pa.Table) -> None:
        others = [None] * (len(MODES) - 1)
        for name, theta in RATIOS.items():
            above, below = (
                cost.modes[mode][theta.metric] for mode in theta.against(cost.baseline).modes
            )
            assert cost.thetas[name].value == above.value / below.value
            assert table[name].to_pylist() == [cost.thetas[name].value, *others]
            assert table[f"{name}_low"].to_pylist() == [cost.thetas[name].low, *others]
            assert table[f"{name}_covariance"].to_pylist() == [cost.covariances[name], *others]

    def test_a_workload_that_ends_has_completion_times(self) -> None:
        cost = cost_of(workload=WORKLOADS["messages"], modes=MODES)
        table = table_of(cost, "abc")
        times = table["completion_us"].to_pylist()
        last = [cost.modes[mode].processes["completed_ps"].to_numpy().max() for mode in MODES]
        assert times == [time / 1e6 for time in last]
        assert times[0] >= times[1] >= times[3] > times[4]
        assert table["theta_c"].to_pylist()[0] == table["theta_c_low"].to_pylist()[0]
        assert table["theta_c_endpoints"].to_pylist()[0] == times[3] / times[1]
        assert "completion_us" not in table_of(cost_of(), "abc").column_names

    def test_a_run_that_was_cut_short_has_none(self) -> None:
        cost = cost_of(workload=WORKLOADS["messages"], duration="1 ns")
        assert table_of(cost, "abc")["completion_us"].to_pylist() == [None, None]
        assert cost.modes["full"].processes["completed_ps"].null_count == 9

    def test_without_full_there_is_no_ratio(self) -> None:
        table = table_of(cost_of(modes=("throttled", "free")), "abc")
        assert table["theta_t"].to_pylist() == [None, None]
        assert table["theta_t_covariance"].to_pylist() == [None, None]

    def test_percentiles_are_those_of_the_results(self, cost: Cost, table: pa.Table) -> None:
        assert table["lifetime_us_p99_9"][0].as_py() == cost.modes["full"].percentile(
            "lifetime", 99.9
        )
        assert table["lifetime_us_p50"].to_pylist()[-1] is None

    def test_ending(self, cost: Cost, table: pa.Table) -> None:
        ending = cost.modes["full"].ending
        names = ("settled", "converged", "stop_reason", "window_ms", "events", "packet_hops")
        for name in names:
            assert table[name][0].as_py() == getattr(ending, name)
        assert table["converged"][0].as_py() is None

    def test_inner_tables_are_those_of_the_results(self, cost: Cost, table: pa.Table) -> None:
        frame = pl.read_parquet(io.BytesIO(to_bytes(table)))
        for name in NESTED:
            for mode in ("full", "ideal"):
                found = frame.filter(pl.col("mode") == mode).select(name).explode(name)
                wanted = pl.DataFrame(getattr(cost.modes[mode], name))
                if not len(wanted):
                    assert found[name].to_list() in ([], [None])
                    continue
                found = found.unnest(name)
                for column in found.columns:
                    assert found[column].to_list() == wanted[column].to_list()

    def test_light_rows_keep_what_can_be_merged(self, table: pa.Table, tmp_path: Path) -> None:
        path = tmp_path / "abc.parquet"
        path.write_bytes(to_bytes(table))
        [frame] = light([path], {})
        left_out = set(table.column_names) - set(frame.column_names)
        assert left_out == set(NESTED) - set(LIGHT)
        assert frame.column_names == [name for name in table.column_names if name not in left_out]


class TestBytes:
    def test_the_same_point_gives_the_same_bytes(self) -> None:
        assert to_bytes(table_of(cost_of(), "a")) == to_bytes(table_of(cost_of(), "a"))

    def test_large_columns_are_compressed(self, table: pa.Table) -> None:
        group = pq.ParquetFile(io.BytesIO(to_bytes(table))).metadata.row_group(0)
        found = [group.column(i) for i in range(group.num_columns)]
        assert {c.compression for c in found if c.path_in_schema.startswith(NESTED)} == {"ZSTD"}

    def test_no_trace_of_where_it_was_made(self, tmp_path: Path) -> None:
        contents = []
        for name in ("one", "two"):
            file = tmp_path / name / "list.csv"
            file.parent.mkdir()
            file.write_text("time_ns,source,destination,bytes\n0,0,1,32\n5,1,0,32\n")
            cost = cost_of(workload={"kind": "messages", "file": str(file)})
            contents.append(to_bytes(table_of(cost, "abc")))
        assert contents[0] == contents[1]
        assert b"list.csv" not in contents[0]


class TestParameters:
    def stored(self, **tables: dict[str, Any]) -> dict[str, Any]:
        return {c.name: value for c, value in parameters(Experiment.from_dict(tables))}

    def test_every_resolved_parameter_is_stored(self) -> None:
        for machine, workload in fitting():
            experiment = cost_of(MACHINES[machine], WORKLOADS[workload]).experiment
            keys = {name_of(name) for name, _ in entries(experiment.resolved())}
            keys.add("machine.link_classes")
            names = {column.name for column, _ in parameters(experiment)}
            left_out = FILES | COUNTED if machine == "graph" else FILES
            assert keys - names == {"run.mode"} | (left_out & keys)
            assert names <= keys

    def test_quantities_are_numbers_in_the_unit_of_the_name(self) -> None:
        stored = self.stored(
            machine={"link": {"rate": "20 Mbit/s"}, "interface": {"packet_size": "64 B"}},
            workload={"compute_period": "1.5 ms"},
            run={"duration": "3 ns"},
        )
        assert stored["machine.link.rate_mbit_per_s"] == 20.0
        assert stored["machine.interface.packet_size_bytes"] == 64
        assert stored["workload.compute_period_us"] == 1500.0
        assert stored["run.duration_us"] == 0.003
        assert stored["run.warmup_us"] is None

    def test_defaults_are_filled_in_and_lists_are_text(self) -> None:
        stored = self.stored(machine={"topology": {"dims": [4, 6]}}, workload={"radius": "all"})
        assert stored["workload.radius"] == 5
        assert stored["machine.topology.dims"] == "[4, 6]"
        assert stored["machine.routing.order"] == '["x", "y"]'
        assert stored["run.precision"] == 0.01

    def test_names_as_users_write_them(self) -> None:
        assert name_of("workload.compute_period") == "workload.compute_period_us"
        assert name_of("machine.link.rate") == "machine.link.rate_mbit_per_s"
        assert name_of("machine.topology.dims") == "machine.topology.dims"
        assert name_of("sweep.n") == "sweep.n"

    def test_what_only_a_sweep_has(self) -> None:
        varied = {
            "workload.sync": "asynchronous",
            "workload.radius": "all",
            "sweep.n": 2,
            "sweep.c": Time(16_000_000),
            "sweep.text": "32 B",
            "sweep.rate": Rate(10**8),
            "sweep.size": Size(5),
            "sweep.flag": True,
            "machine.preset": "t9000_c104",
            "sweep.list": [1, 2],
        }
        of_all = cost_of().experiment
        assert labels(of_all, varied) == {
            "workload.sync": "asynchronous",
            "workload.radius": of_all.resolved()["workload"]["radius"],
            "sweep.n": 2.0,
            "sweep.c_us": 16.0,
            "sweep.text_bytes": 32,
            "sweep.rate_mbit_per_s": 100.0,
            "sweep.size_bytes": 5,
            "sweep.flag": True,
            "machine.preset": "t9000_c104",
            "sweep.list": "[1, 2]",
            "run.seed": 1,
        }
