"""Channels in timelines: who held them when, and who waited for them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tailback as tb
from tailback import recording
from tailback.errors import UserError
from tailback.recording import Channels, Recording, Window, record
from tailback.timelines import busiest, content
from tailback.timelines.channels import load
from tailback.units import Time

_ALL = Window(channels=Channels(None))


def _experiment(preset: str, fidelity: str, messages: list[list[Any]]) -> tb.Experiment:
    machine = {"preset": preset, "topology": {"kind": "mesh", "dims": [3]}}
    workload = {"kind": "messages", "messages": messages}
    run = {"fidelity": fidelity}
    return tb.Experiment.from_dict({"machine": machine, "workload": workload, "run": run})


def _two_for_one_channel(preset: str, fidelity: str) -> tb.Experiment:
    """Return two messages of one packet to node 2 of a row: that of 1 comes first to 1 -> 2."""
    return _experiment(preset, fidelity, [["0 ns", 0, 2, "31 B"], ["0 ns", 1, 2, "31 B"]])


def _on(recorded: Recording, track: str) -> list[tuple[str, int, int]]:
    """Return the slices of a track in order of time."""
    found = []
    for slices in recorded.timeline.channels:
        for place, number in enumerate(slices.track.tolist()):
            if recorded.timeline.tracks[number].name == track:
                name = slices.names[slices.name[place]]
                found.append((name, int(slices.begin_ps[place]), int(slices.end_ps[place])))
    return sorted(found, key=lambda row: row[1])


@pytest.mark.parametrize("fidelity", ["worm", "flit"])
def test_two_messages_over_one_channel_flit_by_flit(fidelity: str) -> None:
    """A header takes 4 ns a hop, and 32 flits 1 ns each; a buffer has room for 16."""
    recorded = record(_two_for_one_channel("wormhole_mesh", fidelity), _ALL)
    assert _on(recorded, "1->2") == [("1 -> 2", 4_000, 36_000), ("0 -> 2", 36_000, 68_000)]
    # The header of 0 is there after two hops.
    assert _on(recorded, "waiting for 1->2") == [("waits: output busy", 8_000, 36_000)]
    # 16 flits go, the others when that many have gone on: 1 ns later, from 37 to 53 ns.
    assert _on(recorded, "0->1") == [("0 -> 2, stopped for a part", 4_000, 53_000)]
    (stopped,) = [
        int(slices.details["stopped_ps"].sum())
        for slices in recorded.timeline.channels
        if "stopped_ps" in slices.details and slices.details["stopped_ps"].any()
    ]
    assert stopped == (53 - 4 - 32) * 1_000


def test_two_messages_over_one_channel_as_whole_packets() -> None:
    """A hop takes 100 ns, and a packet of 31 bytes 3.24 us: 10 ns for each of 324 bits."""
    recorded = record(_two_for_one_channel("t9000_c104", "packet"), _ALL)
    first, second, end = 100_000, 3_340_000, 6_580_000
    assert _on(recorded, "1->2") == [("1 -> 2", first, second), ("0 -> 2", second, end)]
    assert _on(recorded, "waiting for 1->2") == [("waits: output busy", 200_000, second)]


@pytest.mark.parametrize(
    ("preset", "fidelity"),
    [("t9000_c104", "packet"), ("wormhole_mesh", "worm"), ("wormhole_mesh", "flit")],
)
def test_slices_of_a_channel_add_up_to_its_busy_time(preset: str, fidelity: str) -> None:
    rows: list[list[Any]] = [
        [f"{40 * number} ns", number % 3, (number * 7 + 1) % 3, f"{20 * number} B"]
        for number in range(1, 25)
        if number % 3 != (number * 7 + 1) % 3
    ]
    experiment = _experiment(preset, fidelity, rows)
    result = record(experiment.with_run(blame=True, packet_waits=True), _ALL).result
    turns, waits = result.turns, result.waits
    assert turns is not None
    assert waits is not None
    channels = result.channels
    assert _sums(turns, "busy_ps", len(channels)) == channels["busy_ps"].to_pylist()
    # What they waited is what packets waited.
    assert result.blame is not None
    charged = result.blame.waits
    by_channel = np.zeros(len(channels), dtype=np.int64)
    np.add.at(by_channel, charged.keys[:, 0], charged.totals_ps.astype(np.int64))
    assert _sums(waits, "time_ps", len(channels)) == by_channel.tolist()
    assert by_channel.sum() > 0


@pytest.mark.parametrize(
    "preset",
    [
        "booksim_mesh",
        "buzzard_mudge_circuit",
        "buzzard_mudge_datagram",
        "gigabit_ethernet",
        "infiniband_like",
        "myrinet",
        "symult_2010",
    ],
)
def test_slices_add_up_on_machines_of_all_kinds(preset: str) -> None:
    rows = [[f"{number} us", number, (3 * number + 1) % 7, "900 B"] for number in range(7)]
    rows += [["1 us", number, 7, "100 B"] for number in range(4)]
    workload = {"kind": "messages", "messages": rows}
    experiment = tb.Experiment.from_dict({"machine": {"preset": preset}, "workload": workload})
    result = record(experiment, _ALL).result
    assert result.turns is not None
    found = _sums(result.turns, "busy_ps", len(result.channels))
    assert found == result.channels["busy_ps"].to_pylist()


def test_charts_of_processes_leave_channels_out() -> None:
    experiment = _two_for_one_channel("wormhole_mesh", "worm")
    alone, both = record(experiment), record(experiment, _ALL)
    shown = [[track.name for track in r.timeline.tracks if track.is_process] for r in (alone, both)]
    assert shown[0] == shown[1] == [f"process {number} on node {number}" for number in range(3)]
    lengths = [[len(slices) for slices in r.timeline.slices] for r in (alone, both)]
    assert lengths[0] == lengths[1]


def _sums(rows: Any, name: str, channels: int) -> list[int]:
    found = np.zeros(channels, dtype=np.int64)
    np.add.at(found, rows["channel"], rows[name].astype(np.int64))
    summed: list[int] = found.tolist()
    return summed


def test_load_is_told_by_spans_of_time() -> None:
    columns = {
        "start_ps": np.array([10, 0, 30]),
        "end_ps": np.array([20, 10, 50]),
        "busy_ps": np.array([10, 10, 10]),
    }
    edges = np.array([0, 15, 20, 30, 40, 60])
    assert load(columns, edges).tolist() == [100, 100, 0, 50, 25]
    none = {name: column[:0] for name, column in columns.items()}
    assert load(none, edges).tolist() == [0] * 5


def test_the_busiest_come_first() -> None:
    turns = {
        "channel": np.array([3, 1, 3, 0]),
        "granted_ps": np.array([0, 0, 20, 0]),
        "end_ps": np.array([10, 20, 30, 5]),
    }
    # 1 and 3 were held equally long.
    assert busiest(turns, None) == [1, 3, 0]
    assert busiest(turns, 2) == [1, 3]


def test_some_channels_are_chosen() -> None:
    experiment = _two_for_one_channel("wormhole_mesh", "worm")
    busiest_one = record(experiment, Window(channels=Channels(1)))
    named = record(experiment, Window(channels=Channels(None, ("0->1",))))
    assert {track.name for track in _channels(busiest_one)} == {"1->2", "waiting for 1->2"}
    assert {track.name for track in _channels(named)} == {"0->1"}
    (hint,) = busiest_one.hints
    assert hint.startswith("of 5 channels in use, the busiest 1 are shown")
    assert named.hints == ()
    assert record(experiment).timeline.channels == ()


def _channels(recorded: Recording) -> list[Any]:
    tracks = recorded.timeline.tracks
    return [track for track in tracks if track.subject.value == "channel" and track.unit is None][
        1:
    ]


def test_a_window_and_processes_choose_packets() -> None:
    experiment = _two_for_one_channel("wormhole_mesh", "worm")
    of_0 = record(experiment, Window(first=0, last=0, channels=Channels(None)))
    assert _on(of_0, "1->2") == [("0 -> 2", 36_000, 68_000)]
    early = record(experiment, Window(end=Time.parse("20 ns"), channels=Channels(None)))
    assert _on(early, "1->2") == [("1 -> 2", 4_000, 36_000)]


def test_what_is_too_much_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "MOST_TURNS", 3)
    recorded = record(_two_for_one_channel("wormhole_mesh", "worm"), _ALL)
    assert recorded.result.turns is not None
    assert len(recorded.result.turns["channel"]) == 3
    assert "left out, after 3: choose a part with --from, --to" in recorded.hints[-1]


def test_viewers_have_channels_below_each_other() -> None:
    recorded = record(_two_for_one_channel("wormhole_mesh", "worm"), _ALL)
    events = json.loads(content(recorded.timeline, Path("t.json")))["traceEvents"]
    names = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["ph"] == "M"}
    (group,) = [place[0] for place, name in names.items() if name == "Channels"]
    (wait,) = [event for event in events if event["name"] == "waits: output busy"]
    assert names[wait["pid"], wait["tid"]] == "waiting for 1->2"
    assert wait["pid"] == group
    assert wait["args"] == {
        "message": 0,
        "source": 0,
        "destination": 2,
        "culprit_message": 1,
    }
    loads = [event for event in events if event["name"] == "load of 1->2"]
    assert max(event["args"]["%"] for event in loads) == pytest.approx(100)


@pytest.mark.parametrize("mode", ["endpoints", "free"])
def test_whose_turn_it_is_is_known_with_contention(mode: str) -> None:
    experiment = _two_for_one_channel("wormhole_mesh", "worm")
    with pytest.raises(UserError, match="is known in mode full"):
        record(experiment, _ALL, mode=mode)
