"""What the ends of programs waited for, in points of sweeps: kept, merged, and shown."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest

from benches.stores import Tables
from tailback import Experiment, engine
from tailback.comparison import compare
from tailback.critical_path import PART_WORDS, CriticalPath
from tailback.report.of_store import page_of
from tailback.report.page import Cell, Figure, Page, Section, Table
from tailback.store.columns import INNER, MERGED, PATH_COLUMNS, PATH_METRICS, PATH_TABLES
from tailback.store.points import PointStore
from tailback.store.rows import table_of
from tests.commands import tailback
from tests.machines import t9000_tables
from tests.stores import runs_of, small_store

SIZE = "workload.size"
BASE: Tables = {
    "machine": t9000_tables(dims=[2, 2]),
    "workload": {"kind": "ring_allreduce", "size": "64 B"},
    "run": {"critical_path": True},
}
PLAIN: Tables = BASE | {"run": {}}
MODES = ("full", "free")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> PointStore:
    sizes = {SIZE: ["64 B", "256 B"]}
    return small_store(tmp_path_factory.mktemp("store"), sizes, [1, 2], MODES, BASE)


@pytest.fixture(scope="module")
def page(store: PointStore) -> Page:
    return page_of(store)


def section(page: Page) -> Section | None:
    found = [each for each in page.sections if each.title == "The critical path"]
    return found[0] if found else None


def test_every_part_of_a_path_has_a_column() -> None:
    # The first are of processes only, the last of runs with faults, whose paths sweeps do not keep.
    assert set(PART_WORDS) == set(engine.PARTS) - {"partner", "idle", "fault"}


def test_parts_are_those_of_the_runs_and_add_up() -> None:
    cost = compare(Experiment.from_dict(BASE), MODES)
    table = table_of(cost, "a")
    for row, mode in enumerate(MODES):
        path = cost.modes[mode].critical_path
        assert path is not None
        parts = {name: table[name][row].as_py() for name in PATH_METRICS}
        told = {f"critical_path.{part}_us": time / 1e6 for (part,), time in path.by("part")}
        assert {name: us for name, us in parts.items() if us} == told
        assert sum(parts.values()) == pytest.approx(table["completion_us"][row].as_py())


def test_points_without_a_path_have_none_of_its_columns() -> None:
    plain = table_of(compare(Experiment.from_dict(PLAIN), MODES), "a")
    kept = table_of(compare(Experiment.from_dict(BASE), MODES), "a")
    names = [column.name for column in PATH_COLUMNS]
    assert kept.select(plain.column_names).equals(plain)
    assert set(kept.column_names) - set(plain.column_names) == set(names)
    assert len(names) == len(PART_WORDS) * len(MERGED) + len(PATH_TABLES)


def test_columns_are_known_whatever_became_of_the_run() -> None:
    run = {"critical_path": True, "max_duration": "1 ns"}
    ended = table_of(compare(Experiment.from_dict(BASE), ("full",)), "a")
    cut = table_of(compare(Experiment.from_dict(BASE | {"run": run}), ("full",)), "a")
    assert cut.schema == ended.schema
    for name in PATH_TABLES:
        fields = cut.schema.field(name).type.value_type
        assert [field.name for field in fields] == [column.name for column in INNER[name]]
    assert all(cut[name][0].as_py() is None for name in PATH_METRICS)


def test_tables_merge_seeds(store: PointStore) -> None:
    fields = "size,mode,critical_path.own,critical_path.network_us"
    done = tailback("table", str(store.folder), "--fields", fields, "--format", "csv")
    assert done.returncode == 0, done.stderr
    heading, *rows = done.stdout.splitlines()
    assert "critical_path.own_us,critical_path.own_us_low" in heading
    assert len(rows) == 2 * len(MODES)


def test_a_report_has_a_bar_for_every_point(page: Page, store: PointStore) -> None:
    found = section(page)
    assert found is not None
    [figure] = [part for part in found.content if isinstance(part, Figure)]
    chosen = figure.drawing.chosen(mode="full")
    runs = runs_of(store).filter(mode="full")
    for bar in chosen["data"]:
        assert bar["x"] == ["64 B", "256 B"]
    heights = [sum(us) for us in zip(*(bar["y"] for bar in chosen["data"]), strict=True)]
    for height, size in zip(heights, (64, 256), strict=True):
        took = runs.filter(**{f"{SIZE}_bytes": size})["completion_us"]
        assert len(took) == 2
        assert height == pytest.approx(took.mean())
    table, waits, calls = [part for part in found.content if isinstance(part, Table)]
    assert table.columns[:5] == ("size", "mode", "runs", "takes", "contention")
    for row in table.rows:
        shares = [cell.order for cell in row[5:] if isinstance(cell, Cell)]
        assert sum(float(share or 0) for share in shares) == pytest.approx(1)
    assert [row[1] for row in table.rows] == ["full", "free"] * 2
    assert waits.columns[2:] == (*_WAITED_FOR, "time", "share")
    # Messages of this ring meet; in mode free they do not. Nobody computes.
    assert {row[1] for row in waits.rows} == {"full"}
    assert {row[1] for row in calls.rows} == {"full", "free"}


_WAITED_FOR = ("root channel", "who was there")


def test_what_was_longest_is_told_apart() -> None:
    rows = [
        ("network", 0, 1, 7, 1, 40),
        ("network", 0, 2, 7, 1, 10),
        ("destination", 1, 1, 3, 2, 20),
        ("network", 1, 1, 8, 1, 5),
        ("network", 0, 1, 9, 1, 6),
        ("own", 0, 1, None, None, 100),
    ]
    names = ("part", "process", "call", "channel", "culprit_process", "time_ps")
    columns = {name: [row[place] for row in rows] for place, name in enumerate(names)}
    path = CriticalPath(pa.table(columns), pa.table({}), ((1, ["start", "loop"]),))
    waits = path.waits(2).to_pylist()
    assert [(row["part"], row["channel"], row["time_ps"]) for row in waits] == [
        ("network", 7, 50),
        ("destination", 3, 20),
        ("network", None, 11),
    ]
    calls = path.calls(3).to_pylist()
    assert [(row["process"], row["place"], row["part"], row["time_ps"]) for row in calls] == [
        (0, "1", "own", 100),
        (0, "1", "network", 46),
        (1, "loop", "destination", 20),
        (None, None, "network", 15),
    ]


def test_a_report_of_other_points_has_no_such_section(tmp_path: Path) -> None:
    assert section(page_of(small_store(tmp_path, {}, base=PLAIN))) is None


def test_a_sweep_keeps_paths(tmp_path: Path) -> None:
    file = tmp_path / "sweep.toml"
    file.write_text(
        '[machine.topology]\nkind = "mesh"\ndims = [2, 2]\n'
        '[workload]\nkind = "ring_allreduce"\n[run]\ncritical_path = true\n'
        '[sweep]\nworkload.size = ["64 B", "1 kB"]\n'
    )
    done = tailback("sweep", str(file), "--out", str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    done = tailback(
        "table",
        str(tmp_path / "out"),
        "--format",
        "json",
        "--fields",
        "size,mode,critical_path.own",
    )
    assert all(row["critical_path.own_us"] > 0 for row in json.loads(done.stdout))
