"""Messages of the points of a sweep: what is kept, and tables of them and of their flows."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import tailback as tb
from tailback.errors import UserError
from tailback.experiment import Experiment
from tailback.figures.curves import Line
from tailback.store.columns import INNER, MESSAGE_TABLE
from tailback.store.points import PointStore
from tests.in_process import invoked
from tests.stores import Here, file_of, small_store

MACHINE = {
    "preset": "booksim_mesh",
    "topology": {"kind": "mesh", "dims": [3, 3]},
    "switch": {"virtual_channels": 1},
    "interface": {"packet_size": "64 B"},
}
SMALL = {"name": "small", "period": "100 ns", "message_size": "8 B"}
LARGE = {"name": "large", "period": "400 ns", "message_size": "256 B", "pattern": "transpose"}
BASE: dict[str, Any] = {
    "machine": MACHINE,
    "workload": {"kind": "traffic", "traffic_class": [SMALL, LARGE]},
    "run": {"duration": "8 us", "keep_messages": True},
}
FACTORS = {"workload.rate_factor": [1.0, 2.0]}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> PointStore:
    """Two classes at two loads with two seeds, all messages kept."""
    return small_store(tmp_path_factory.mktemp("messages"), FACTORS, seeds=[1, 2], base=BASE)


@cache
def one_run() -> tb.Result:
    """The run with the seed 2 at the higher load."""
    changes = {"run": {**BASE["run"], "seed": 2}}
    changes["workload"] = {**BASE["workload"], "rate_factor": 2.0}
    return tb.run(Experiment.from_dict(BASE | changes))


def chosen(*more: str) -> list[str]:
    return ["rate_factor == 2", "seed == 2", "mode == 'full'", *more]


def test_messages_of_points_are_those_of_single_runs(store: PointStore) -> None:
    kept = tb.table(store, conditions=chosen(), rows="messages")
    assert kept.column_names[:3] == ["workload.rate_factor", "run.seed", "mode"]
    columns = [column.name for column in INNER[MESSAGE_TABLE]]
    single = one_run().messages
    assert single is not None
    assert kept.select(columns) == single.select(columns)
    assert set(kept["mode"].to_pylist()) == {"full"}


def test_messages_are_chosen_and_sorted_by_their_own_columns(store: PointStore) -> None:
    found = tb.table(
        store,
        ["seed", "class", "late_ps"],
        ["late > 5 ns", "class == 'large'", "rate_factor == 2"],
        sort=["-late"],
        limit=5,
        rows="messages",
    )
    late = found["late_ps"].to_pylist()
    assert found.column_names == ["run.seed", "class", "late_ps"]
    assert len(late) == 5
    assert late == sorted(late, reverse=True)
    assert min(late) > 5000
    first = tb.table(store, limit=3, rows="messages")
    assert len(first) == 3


def test_flows_have_completion_times(store: PointStore) -> None:
    flows = tb.table(store, conditions=chosen("class == 'small'"), rows="flows")
    single = one_run()
    whole = [row for row in single.flows().to_pylist() if row["class"] == "small"]
    assert flows.drop_columns(["workload.rate_factor", "run.seed", "mode"]).to_pylist() == whole
    assert single.messages is not None
    rows = single.messages.to_pylist()
    for flow in whole[:4]:
        ends = (flow["source"], flow["destination"], "small")
        of_flow = [r for r in rows if (r["source"], r["destination"], r["class"]) == ends]
        begin = min(row["sent_ps"] for row in of_flow)
        assert flow["completion_ps"] == max(row["arrived_ps"] for row in of_flow) - begin


def test_points_without_messages_are_as_they_were(store: PointStore, tmp_path: Path) -> None:
    run = {"duration": "8 us"}
    without = small_store(tmp_path / "without", FACTORS, base=BASE | {"run": run})
    [identity, *_] = without.runs()["identity"].to_pylist()
    path = file_of(without.folder, identity)
    assert MESSAGE_TABLE not in pq.read_schema(path).names
    with pytest.raises(UserError, match="keep_messages = false: must be true in a sweep"):
        tb.table(without, rows="messages")
    # Not in the index either, where they are kept.
    index = pq.read_schema(store.folder / "runs.parquet").names
    assert MESSAGE_TABLE not in index


def test_the_command_line_shows_them(store: PointStore) -> None:
    def told(*options: str) -> str:
        answer = invoked("table", str(store.folder), *options)
        assert answer.exit_code == 0, answer.output
        return answer.output

    lines = told("--rows", "flows", "--where", "seed == 1", "--format", "csv").splitlines()
    assert "completion_ps" in lines[0].split(",")
    assert len(told("--rows", "messages", "--limit", "4", "--format", "csv").splitlines()) == 5
    answer = invoked("table", str(store.folder), "--rows", "flows", "--merge", "")
    assert answer.exit_code == 2
    assert "--merge" in answer.output


def test_a_sweep_goes_on_beside_points_that_keep_nothing(tmp_path: Path) -> None:
    """Points of a store may differ in whether they keep messages."""
    folder = tmp_path / "both"
    for run in ({"duration": "8 us"}, BASE["run"]):
        described = {**BASE, "run": run, "sweep": {"workload": {"rate_factor": [1.0]}}}
        both = tb.sweep(tb.Sweep.from_dict(described), folder, pool=Here())
    assert len({*both.runs()["identity"].to_pylist()}) == 2
    rows = tb.table(both, ["slowdown"], ["mode == 'full'"], rows="messages")
    assert np.isfinite(rows["slowdown"].to_numpy()).all()


def reached(line: Line, share: float) -> float:
    """Return where a distribution reaches a share: the least value that so much is not above."""
    return next(
        float(x) for x, y in zip(line.x, line.y, strict=True) if y is not None and y >= share
    )


def test_distributions_agree_with_percentiles(store: PointStore) -> None:
    [row] = tb.table(
        store,
        ["message_latency_us_p50", "classes.large.message_latency_us_p95"],
        ["rate_factor == 2", "mode == 'full'"],
    ).to_pylist()
    for name, share in (
        ("message_latency_us_p50", 0.5),
        ("classes.large.message_latency_us_p95", 0.95),
    ):
        plot = tb.plot(store, cdf=name.rpartition("_us_")[0])
        [_, line] = plot.picture.lines
        assert line.name == "rate factor = 2"
        assert (line.y[0], line.y[-1]) == (0, 1)
        x, y = np.array(line.x, dtype=float), np.array(line.y, dtype=float)
        assert (np.diff(x) >= 0).all()
        assert (np.diff(y) >= 0).all()
        assert float(np.interp(share, y, x)) == pytest.approx(row[name], rel=1e-3)


def test_distributions_of_rows_are_exact(store: PointStore) -> None:
    rows = tb.table(
        store,
        ["late_ps", "slowdown"],
        ["rate_factor == 2", "mode == 'full'", "class == 'large'"],
        rows="messages",
    )
    slowdowns = np.sort(rows["slowdown"].to_numpy())
    [_, line] = tb.plot(store, cdf="classes.large.message_slowdown").picture.lines
    middle = slowdowns[int(np.ceil(len(slowdowns) / 2)) - 1]
    assert reached(line, 0.5) == middle
    assert line.x[-1] == slowdowns[-1]
    flows = tb.table(store, ["completion"], ["rate_factor == 2", "mode == 'full'"], rows="flows")
    completions = flows["completion_ps"].to_numpy() / 1e6
    [_, line] = tb.plot(store, cdf="flow_completion").picture.lines
    assert reached(line, 1.0) == completions.max()
    share = float((completions <= np.median(completions)).mean())
    assert reached(line, share) <= np.median(completions)


def test_distributions_are_drawn(store: PointStore) -> None:
    plot = tb.plot(store, cdf="classes.small.message_late", where=["rate_factor == 2"])
    assert plot.picture.name == "cdf_classes.small.message_late_us"
    assert plot.picture.y.title == "share of messages (%)"
    assert "distribution of lateness of messages, class small" in plot.title
    # One combination: a line for each mode in which it is known.
    assert [line.name for line in plot.picture.lines][:2] == ["full", "endpoints"]
    # A few marks tell the lines apart, not one for each message.
    assert 1 <= plot.svg.count("<circle") < 10
    answer = invoked("plot", str(store.folder), "--cdf", "hops", "--out", "-")
    assert answer.exit_code == 0
    assert "share of packets" in answer.output


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        ({"cdf": "message_latncy"}, "did you mean message_latency"),
        ({"cdf": "hops", "x": "rate_factor"}, "has axes of its own"),
        ({"cdf": "flow_completion", "mode": "ideal"}, "is not known at any point in mode ideal"),
    ],
)
def test_distributions_that_cannot_be_drawn(
    store: PointStore, asked: dict[str, str], problem: str
) -> None:
    with pytest.raises(UserError, match=problem):
        tb.plot(store, **asked)


def test_percentiles_of_classes_are_those_of_all_seeds(store: PointStore) -> None:
    name = "classes.large.message_slowdown_p95"
    [row] = tb.table(store, [name], ["rate_factor == 2", "mode == 'full'"]).to_pylist()
    rows = tb.table(
        store,
        ["slowdown"],
        ["rate_factor == 2", "mode == 'full'", "class == 'large'"],
        rows="messages",
    )
    slowdowns = np.sort(rows["slowdown"].to_numpy())
    assert row[name] == slowdowns[int(np.ceil(0.95 * len(slowdowns))) - 1]
    plot = tb.plot(store, "rate_factor", name, mode="full")
    assert plot.picture.lines[0].y[-1] == row[name]


def test_an_asterisk_stands_for_each_class(store: PointStore) -> None:
    plot = tb.plot(store, "rate_factor", "classes.*.message_latency", mode="full")
    lines = plot.picture.lines
    assert [line.name for line in lines] == ["small", "large"]
    for line in lines:
        single = tb.plot(store, "rate_factor", f"classes.{line.name}.message_latency", mode="full")
        assert line.y == single.picture.lines[0].y
    assert plot.picture.y.title == "mean message latency (µs)"
    assert plot.title.startswith("mean message latency against rate factor, by class")
    loads = tb.plot(store, "classes.*.offered_load", "classes.*.accepted_load", mode="full")
    # What is offered is drawn once.
    assert [line.name for line in loads.picture.lines] == ["offered", "small", "large"]
    assert loads.picture.lines[0].x[-1] == loads.picture.lines[2].x[-1]
    shares = tb.plot(store, cdf="classes.*.message_slowdown", where=["rate_factor == 2"])
    assert [line.colour for line in shares.picture.lines] == [0, 0, 1, 1]
    assert shares.picture.x.label == "slowdown of messages"


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        ("*.message_latency", "an asterisk stands for a class or job"),
        ("jobs.*.message_latency", "is known of no job"),
        ("classes.*.message_latncy", "is known of no class"),
    ],
)
def test_an_asterisk_must_stand_for_something(store: PointStore, asked: str, problem: str) -> None:
    with pytest.raises(UserError, match=problem):
        tb.plot(store, "rate_factor", asked)
