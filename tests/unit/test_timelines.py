"""What processes did when, as files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import tailback as tb
from tailback.errors import UserError
from tailback.recording import Channels, Recording, Window, record
from tailback.report.of_timeline import page
from tailback.report.page import Figure, Table, html
from tailback.timelines import Slices, content, folded
from tailback.timelines.lanes import lanes, thinned
from tailback.units import Time
from tests.commands import tailback


def _ring() -> tb.Experiment:
    machine = {"topology": {"kind": "mesh", "dims": [2, 2]}}
    return tb.Experiment.from_dict(
        {"machine": machine, "workload": {"kind": "ring_allreduce", "size": "4 kB"}}
    )


@pytest.fixture(scope="module")
def recorded() -> Recording:
    return record(_ring(), Window(channels=Channels(None)))


def _fields(content: bytes) -> Iterator[tuple[int, bytes | int]]:
    """Yield number and value of every field of a message."""
    place = 0

    def varint() -> int:
        nonlocal place
        found = shift = 0
        while True:
            byte = content[place]
            place += 1
            found |= (byte & 127) << shift
            if byte < 128:
                return found
            shift += 7

    while place < len(content):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        else:
            length = 8 if key & 7 == 1 else varint()
            yield key >> 3, content[place : place + length]
            place += length


def test_everything_a_process_did_ends_by_the_makespan(recorded: Recording) -> None:
    activities, transfers = recorded.result.activities, recorded.result.transfers
    assert activities is not None
    assert transfers is not None
    end = recorded.result["completion_us"].value * 1e6
    assert activities["end_ps"].max() <= end
    assert len(transfers["message"]) == 4 * 6
    assert (transfers["sent_ps"] < transfers["received_ps"]).all()


def test_slices_of_a_perfetto_trace_end_as_often_as_they_begin(recorded: Recording) -> None:
    packets = [dict(_fields(packet)) for _, packet in _fields(_written(recorded, "t.pftrace"))]
    tracks = {dict(_fields(packet[60]))[1] for packet in packets if 60 in packet}
    assert len(tracks) == len(recorded.timeline.tracks)
    open_slices = dict.fromkeys(tracks, 0)
    latest = 0
    kinds = []
    for packet in packets:
        if 11 not in packet:
            continue
        assert packet[8] >= latest
        latest = packet[8]
        event = dict(_fields(packet[11]))
        kinds.append(event[9])
        open_slices[event[11]] += {1: 1, 2: -1}.get(event[9], 0)
        assert 0 <= open_slices[event[11]] <= 1
    assert set(open_slices.values()) == {0}
    # Both ends of 24 messages.
    assert kinds.count(3) == 2 * 24


def test_perfetto_s_own_schema_reads_it(recorded: Recording) -> None:
    schema = pytest.importorskip("perfetto.protos.perfetto.trace.perfetto_trace_pb2")
    trace = schema.Trace()
    trace.ParseFromString(_written(recorded, "t.pftrace"))
    flows = [flow for packet in trace.packet for flow in packet.track_event.flow_ids]
    ends = [flow for packet in trace.packet for flow in packet.track_event.terminating_flow_ids]
    assert sorted(flows) == sorted(ends) == list(range(1, 25))


def test_slices_of_a_thread_of_chrome_s_do_not_overlap(recorded: Recording) -> None:
    events = json.loads(_written(recorded, "t.json"))["traceEvents"]
    threads: dict[tuple[int, int], list[tuple[float, float]]] = {}
    for event in events:
        if event["ph"] == "X" and event["dur"] > 0:
            place = (event["pid"], event["tid"])
            threads.setdefault(place, []).append((event["ts"], event["ts"] + event["dur"]))
    for slices in threads.values():
        slices.sort()
        assert all(a[1] <= b[0] + 1e-9 for a, b in pairwise(slices))
    assert sum(event["ph"] == "s" for event in events) == 24


def _written(recorded: Recording, name: str) -> bytes:
    return content(recorded.timeline, Path(name))


def test_the_path_goes_on_when_it_was_there(recorded: Recording) -> None:
    assert recorded.path is not None
    times, processes = recorded.path
    assert times[0] == 0
    assert (times[1:-1:2] == times[2::2]).all()
    assert times[-1] == recorded.result["completion_us"].value * 1e6
    # Every segment is a message to the next in the ring.
    assert ((processes[::2] + 1) % 4 == processes[1::2]).all()


def test_the_chart_has_a_bar_for_each_stretch_and_the_critical_path(recorded: Recording) -> None:
    [section] = page(recorded, "Ring").sections
    figure, _ = section.content
    assert isinstance(figure, Figure)
    parts = figure.drawing.chosen()
    *bars, path = parts["data"]
    processes = [track.name for track in recorded.timeline.tracks if track.is_process]
    assert {place for trace in bars for place in trace["y"]} == set(processes)
    assert all(trace["orientation"] == "h" for trace in bars)
    assert (path["name"], path["mode"]) == ("critical path", "lines")
    assert recorded.path is not None
    assert path["y"] == [processes[at] for at in recorded.path[1]]
    assert parts["layout"]["yaxis"]["categoryarray"] == tuple(processes)
    assert "critical path" in html(page(recorded, "Ring"))


def test_a_wait_does_not_hide_what_a_process_does() -> None:
    """A process computes while a message is sent for it: two lanes, each with its time."""
    machine = {"topology": {"kind": "mesh", "dims": [2, 1]}}
    steps = [{"send": 1, "bytes": "20 kB", "blocking": False}, {"compute": "1 us"}]
    program = [{"node": 0, "repeat": 1, "steps": steps}]
    program += [{"node": 1, "repeat": 1, "steps": [{"receive": 0}]}]
    tables = {"machine": machine, "workload": {"kind": "program", "process": program}}
    made = record(tb.Experiment.from_dict(tables))
    [section] = page(made, "Two").sections
    figure, totals = section.content
    assert isinstance(figure, Figure)
    bars = {trace["name"]: trace for trace in figure.drawing.chosen()["data"][:-1]}
    computes, waits = bars.pop("computes"), next(iter(bars.values()))
    top, bottom = (trace["offset"] + np.array([0, trace["width"]]) for trace in (computes, waits))
    assert top[1] < bottom[0]
    assert computes["hovertext"][0] == "process 0 on node 0<br>0 µs to 1 µs: 1 µs"
    assert any("message 0: process 0 to 1, 20,000 B" in text for text in waits["hovertext"])
    assert isinstance(totals, Table)
    assert totals.columns[1:3] == ("in all", "computing")
    assert str(getattr(totals.rows[0][2], "text", "")) == "1 µs"


def test_an_all_reduce_has_few_tracks_and_queues_on_demand(tmp_path: Path) -> None:
    (tmp_path / "ring.toml").write_text(
        "[machine]\ntopology = {kind = 'mesh', dims = [4, 4]}\n"
        "[workload]\nkind = 'ring_allreduce'\nsize = '4 kB'\n"
    )
    plain = tailback("timeline", "ring.toml", "--out", "t.pftrace", cwd=tmp_path)
    assert int(plain.stdout.split(" on ")[1].split()[0]) < 100
    none = tailback("timeline", "ring.toml", "--out", "n.json", "--queues", "none", cwd=tmp_path)
    assert none.returncode == 0
    assert "queue of" not in (tmp_path / "n.json").read_text()
    one = ["--queues", "(0, 0)->(0, 1)"]
    assert tailback("timeline", "ring.toml", "--out", "o.json", *one, cwd=tmp_path).returncode == 0
    events = json.loads((tmp_path / "o.json").read_text())["traceEvents"]
    named = {event["name"] for event in events}
    assert {name for name in named if "(" in name} <= {"queue of (0, 0)->(0, 1)"}


def test_a_queue_counts_the_packets_that_wait(recorded: Recording) -> None:
    made = record(_ring(), Window(queues=Channels(None)))
    tracks, waits = made.timeline.tracks, made.result.waits
    assert waits is not None
    by_track = {tracks[counter.track].name: counter for counter in made.timeline.counters}
    whole = sum(
        int((np.diff(counter.time_ps.astype(np.int64)) * counter.value[:-1]).sum())
        for name, counter in by_track.items()
        if name.startswith("queue of") and len(counter.time_ps)
    )
    assert whole == int(waits["time_ps"].sum())


@pytest.mark.parametrize(("limit", "most"), [("MOST_MESSAGES", 23), ("MOST_LANES", 3)])
def test_very_many_messages_are_counted_only(
    limit: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A lane for each message of an exchange of many would be more than viewers open."""
    monkeypatch.setattr(f"tailback.timelines.building.{limit}", most)
    made = record(_ring())
    assert len(made.timeline.instants.time_ps) == 0
    assert len(made.timeline.slices[1]) == 0
    assert made.hints[0].startswith("24 messages are counted, not shown one by one")
    in_flight = next(c for c in made.timeline.counters if c.track == 4)
    assert in_flight.value.max() == 4


def test_counters_with_very_many_values_are_thinned() -> None:
    times = np.arange(100_000)
    few, values = thinned(times, 2 * times)
    assert len(few) <= 20_000
    assert few[-1] == 99_999
    assert (values == 2 * few).all()
    assert np.diff(few).max() <= 6


def test_an_open_loop_has_a_timeline_of_its_duration() -> None:
    tables = {
        "machine": {"preset": "wormhole_mesh", "topology": {"dims": [4, 4]}},
        "workload": {"preset": "uniform_open_loop"},
        "run": {"duration": "3 us"},
    }
    made = record(tb.Experiment.from_dict(tables), Window(queues=Channels(4)))
    assert made.path is None
    [processes, messages] = made.timeline.slices
    assert len(processes)
    assert len(messages)
    assert processes.end_ps.max() <= 3_000_000
    assert "critical path is" not in html(page(made, "Open"))


def test_a_window_shows_what_lies_in_it() -> None:
    whole = record(_ring()).result
    part = record(_ring(), Window(Time.parse("100 ns"), Time.parse("200 ns"), 1, 2)).result
    assert part.activities is not None
    assert whole.activities is not None
    assert set(part.activities["process"]) == {1, 2}
    assert 0 < len(part.activities["process"]) < len(whole.activities["process"])
    assert (part.activities["end_ps"] > 100_000).all()
    assert (part.activities["begin_ps"] < 200_000).all()


def test_lanes_are_as_few_as_can_be() -> None:
    track = np.array([0, 0, 0, 1])
    begin, end = np.array([0, 2, 5, 0]), np.array([5, 4, 6, 9])
    assert lanes(track, begin, end).tolist() == [0, 1, 0, 0]


def test_what_goes_on_for_ever_has_no_timeline() -> None:
    with pytest.raises(UserError, match="goes on for ever"):
        record(tb.Experiment.from_dict({"machine": {}, "workload": {}}))


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--out", "t.xyz"], "must end in .pftrace or .json or .html"),
        (["--out", "t.json", "--from", "3 us", "--to", "1 us"], "must be after --from, 3 us"),
        (["--out", "t.json", "--processes", "a-b"], "must be the number of a process, or two"),
        (["--out", "t.json", "--processes", "9"], "must be processes, 0 to 3"),
        (["--out", "t.json", "--channels", "a"], "must be a number, all, none or a channel"),
        (["--out", "t.json", "--channels", "3", "--mode", "free"], "must be none"),
        (["--out", "t.html", "--channels", "3"], "channels are shown in .pftrace and .json"),
        (["--out", "t.json", "--queues", "a"], "--queues = "),
        (["--out", "t.html", "--queues", "3"], "channels are shown in .pftrace and .json"),
    ],
)
def test_mistakes_are_one_line(tmp_path: Path, options: list[str], told: str) -> None:
    file = tmp_path / "ring.toml"
    file.write_text(
        '[machine.topology]\nkind = "mesh"\ndims = [2, 2]\n[workload]\nkind = "ring_allreduce"\n'
    )
    done = tailback("timeline", str(file), *options, cwd=tmp_path)
    assert done.returncode == 2
    assert told in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ring.toml"]


def test_many_short_activities_are_put_together_and_add_up(recorded: Recording) -> None:
    """Three short activities of one track, a long one, and one of another track."""
    whole = recorded.timeline
    names = ("computes", "waits: contention in the network")
    times = np.array([[0, 10], [10, 15], [15, 30], [30, 900], [900, 1000], [5, 25]])
    slices = Slices(
        np.array([0, 0, 0, 0, 0, 1]),
        times[:, 0].astype(np.uint64),
        times[:, 1].astype(np.uint64),
        np.array([0, 1, 1, 0, 1, 0]),
        names,
        {
            "message": np.array([1, 2, 3, 4, 5, 6], dtype=np.uint64),
            "network_ps": np.array([0, 5, 15, 0, 100, 0], dtype=np.uint64),
        },
    )
    made = folded(replace(whole, slices=(slices, *whole.slices[1:])), most=5)
    rows = [row for row in made.rows_of_slices() if "bytes" not in row.details][:7]
    found = {(row.track, row.begin_ps, row.end_ps): row for row in rows}
    # Spans are 20 ps long: three that begin in the first are one.
    first = found[0, 0, 30]
    assert first.name == "mostly waits: contention in the network"
    assert first.details == {
        "network_ps": 20,
        "put together": 3,
        "computes_ps": 10,
        "waits: contention in the network_ps": 20,
    }
    assert found[0, 30, 900].name == "computes"
    assert found[0, 30, 900].details == {"message": 4}
    assert found[1, 5, 25].details == {"message": 6}
    assert folded(whole) is whole


def test_a_timeline_of_very_many_activities_is_written_smaller(
    recorded: Recording,
) -> None:
    whole = recorded.timeline
    made = folded(whole, most=len(whole.slices[0]) - 1)
    time = sum((one.end_ps - one.begin_ps).sum() for one in whole.slices[:1])
    rows = [row for row in made.rows_of_slices() if row.name.startswith("mostly")]
    alone = made.slices[0]
    kept = alone.name < len(whole.slices[0].names)
    inside = sum(
        value for row in rows for key, value in row.details.items() if key[:-3] in alone.names
    )
    assert inside + (alone.end_ps - alone.begin_ps)[kept].sum() == time


def test_a_chart_is_called_as_the_run_is(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(
        '[machine]\ntopology = { kind = "star", nodes = 3 }\n[workload]\nkind = "fan_in"\n'
    )
    for option, title in (((), "star · fan_in"), (("--set", "run.title=Monday"), "Monday")):
        done = tailback("timeline", "a.toml", "--out", "a.html", *option, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert f"<title>{title}" in (tmp_path / "a.html").read_text()
