"""What happened on channels by slice of time: waits, queues, busy times."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from tailback import Experiment, UserError
from tailback.results import Result
from tailback.runner import run_mode
from tailback.store import run_folder
from tests.looks import BACKWARDS
from tests.machines import t9000_tables

#: Nodes 0 to 3 send 20 packets each to node 4: over the link from switch 3 to 4, which has a
#: quarter of the rate that they have together. A FIFO buffer has room for two packets.
LINE: dict[str, Any] = {**BACKWARDS, "run": {"blame": True, "slices": 16}}


@cache
def incast(classes: tuple[int, ...] | None = None, **run: Any) -> Result:
    """Run it; classes of messages, if any, are those of nodes."""
    listed = {} if classes is None else {"classes": list(classes)}
    changed = {"workload": LINE["workload"] | listed, "run": LINE["run"] | run}
    return run_mode(Experiment.from_dict(LINE | changed), "full")


def sums(table: pa.Table, by: str, what: str) -> dict[int, int]:
    found = table.group_by(by).aggregate([(what, "sum")])
    return dict(zip(found[by].to_pylist(), found[f"{what}_sum"].to_pylist(), strict=True))


def channel(result: Result, kind: str, begin: int, end: int) -> int:
    rows = result.channels.to_pylist()
    named = [
        row for row in rows if (row["kind"], row["from_node"], row["to_node"]) == (kind, begin, end)
    ]
    return int(named[0]["channel"])


def test_sums_over_slices_are_those_of_channels() -> None:
    result = incast()
    assert result.slices is not None
    assert result.slice_channels is not None
    channels = result.channels
    waits = pc.add(channels["wait_throttling_ps"], channels["wait_internal_ps"]).to_pylist()
    known = {number: wait for number, wait in enumerate(waits) if wait}
    assert sums(result.slices, "channel", "waited_ps") == known
    queues = sums(result.slice_channels, "channel", "queue_ps")
    assert {number: queue for number, queue in queues.items() if queue} == known
    busy = enumerate(channels["busy_ps"].to_pylist())
    assert sums(result.slice_channels, "channel", "busy_ps") == {
        n: time for n, time in busy if time
    }


FAULTS: dict[str, dict[str, Any]] = {
    "down": {"link": [2, 3], "time": "1 us", "duration": "30 us"},
    "flaps": {"link": [2, 3], "time": "1 us", "duration": "2 us", "up_time": "3 us", "count": 4},
    "damaged": {"link": [2, 3], "bit_error_rate": 1e-4},
    "node": {"node": 4, "time": "5 us", "duration": "20 us"},
    "slow": {"link": [2, 3], "time": "1 us", "duration": "30 us", "rate_share": 0.1},
}


@pytest.mark.parametrize("kind", FAULTS)
def test_sums_over_slices_are_those_of_channels_with_faults(kind: str) -> None:
    result = run_mode(Experiment.from_dict(LINE | {"fault": [FAULTS[kind]]}), "full")
    assert result.slices is not None
    assert result.slice_channels is not None
    channels = result.channels
    busy = {n: time for n, time in enumerate(channels["busy_ps"].to_pylist()) if time}
    assert sums(result.slice_channels, "channel", "busy_ps") == busy
    waits = pc.add(channels["wait_throttling_ps"], channels["wait_internal_ps"]).to_pylist()
    found = sums(result.slices, "channel", "waited_ps")
    if kind == "slow":
        # What a packet takes longer on the link is booked there as well, which is its root.
        link = channel(result, "internal", 2, 3)
        own = [row for row in result.slices.to_pylist() if row["channel"] == link]
        assert {row["root"] for row in own} >= {link}
        assert found.pop(link) > waits[link]
        waits[link] = 0
    assert found == {number: wait for number, wait in enumerate(waits) if wait}


def test_a_tailback_grows_behind_a_link_that_is_down() -> None:
    messages = {"kind": "messages", "messages": [[f"{n} us", 0, 4, "500 B"] for n in range(30)]}
    fault = {"link": [2, 3], "time": "10 us", "duration": "10 us"}
    result = run_mode(Experiment.from_dict(LINE | {"workload": messages, "fault": [fault]}), "full")
    assert result.slices is not None
    link = channel(result, "internal", 2, 3)
    rows = result.slices.to_pylist()
    by_root = sums(result.slices, "root", "waited_ps")
    assert by_root[link] > 0.75 * sum(by_root.values())
    ends = [row["end_ps"] for row in rows if row["root"] == link]
    # Nothing waits before the link fails; what stands in buffers waits until it is up again.
    assert min(ends) > 10e6
    assert {row["channel"] for row in rows if row["root"] == link} > {link}


def test_classes_cross_the_channels_on_their_routes() -> None:
    result = incast()
    assert result.class_channels is not None
    own = [row for row in result.class_channels.to_pylist() if row["class"] == 2]
    crossed = {row["channel"] for row in own}
    assert crossed == {
        channel(result, "injection", 2, 2),
        channel(result, "internal", 2, 3),
        channel(result, "internal", 3, 4),
        channel(result, "ejection", 4, 4),
    }
    busy = sums(result.class_channels, "channel", "busy_ps")
    channels = enumerate(result.channels["busy_ps"].to_pylist())
    assert busy == {number: time for number, time in channels if time}


def test_a_tailback_grows_backwards_from_its_root_and_dissolves() -> None:
    result = incast(slices=64)
    assert result.slices is not None
    root = channel(result, "internal", 3, 4)
    injections = [channel(result, "injection", node, node) for node in range(4)]
    rows = result.slices.to_pylist()

    def slices_of(waited: int) -> list[int]:
        return [row["slice"] for row in rows if (row["channel"], row["root"]) == (waited, root)]

    first = [min(slices_of(waited)) for waited in (root, *reversed(injections))]
    assert first == sorted(first)
    # The link is waited for from the beginning, by node 0 when all buffers between are full.
    assert 0 == first[0] < first[1] < first[-1]
    last = [max(slices_of(waited)) for waited in (injections[0], root)]
    assert last[0] < last[1]
    # Packets leave one by one, and none is added: the queue is longest at the beginning.
    queue = sums(result.slices, "slice", "waited_ps")
    order = [queue[number] for number in sorted(queue)]
    assert order == sorted(order, reverse=True)


def test_slices_cover_the_window_and_double_when_it_is_long() -> None:
    result = incast()
    assert result.slices is not None
    rows = result.slices.to_pylist()
    width = rows[0]["end_ps"] - rows[0]["begin_ps"]
    end = round(result.ending.simulated_ms * 1e9)
    assert 8 < end / width <= 16
    assert all(row["begin_ps"] == row["slice"] * width for row in rows)
    assert max(row["end_ps"] for row in rows) <= end
    assert set(result.slices["victim"].to_pylist()) == {None}


def test_classes_that_are_listed_are_told_apart() -> None:
    result, plain = incast((0, 1, 1, 1, 1)), incast()
    assert result.slices is not None
    assert plain.slices is not None
    assert set(result.slices["victim"].to_pylist()) == {0, 1}
    assert sums(result.slices, "root", "waited_ps") == sums(plain.slices, "root", "waited_ps")


def test_slices_of_an_open_loop_are_those_of_its_window() -> None:
    description = {
        "machine": t9000_tables(dims=[3, 3]),
        "workload": {"radius": 2, "compute_period": "4 us"},
        "run": {"duration": "1 ms", "warmup": "100 us", "blame": True, "slices": 20},
    }
    result = run_mode(Experiment.from_dict(description), "full")
    assert result.slices is not None
    begin, end = result.slices["begin_ps"].to_pylist(), result.slices["end_ps"].to_pylist()
    assert (min(begin), max(end)) == (100_000_000, 1_000_000_000)


def test_tables_are_stored(tmp_path: Path) -> None:
    result = incast()
    stored = run_folder.tables_of(result, packets=False)
    (tmp_path / "out").mkdir()
    run_folder.save(tmp_path / "out", {"full": stored}, {})
    read = pq.read_table(tmp_path / "out" / "full" / "slices.parquet")
    assert read.equals(result.slices)
    assert read["waited_ps"].to_pandas().sum() > 0


def test_what_cannot_be_is_refused_in_a_line() -> None:
    with pytest.raises(UserError, match=r"run\.slices = 200: needs blame = true"):
        Experiment.from_dict({"run": {"slices": 200}})
    with pytest.raises(UserError, match=r"run\.slices = 0: must be"):
        Experiment.from_dict({"run": {"slices": 0, "blame": True}})


def test_nothing_changes_where_slices_are_not_asked_for() -> None:
    sliced, plain = incast(), incast(slices=None)
    assert plain.slices is None
    assert plain.slice_channels is None
    assert "slices" not in plain.experiment.spec()
    assert "slices" not in plain.experiment.resolved()["run"]
    for name, table in run_folder.tables_of(plain, packets=False).items():
        assert table.equals(run_folder.tables_of(sliced, packets=False)[name])
