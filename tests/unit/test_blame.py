"""Who made whom late: tables of a run, and what is asked of them."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from tailback import Experiment, UserError, engine
from tailback.answers.lateness import lateness_text, untold_texts
from tailback.answers.status import lost_texts
from tailback.charging import BATCHES, KINDS, NOBODY, REST, Blame
from tailback.places import Ends, shown
from tailback.results import Result
from tailback.results.names import Names
from tailback.results.of_messages import untold
from tailback.runner import run_mode
from tailback.store.columns import BLAME_TABLES
from tailback.terminal.blamed import facts
from tests.machines import t9000_tables

CAUSES = ("throttling", "output_busy")
SOURCE, NETWORK, DETOUR = (KINDS.index(kind) for kind in ("source", "network", "detour"))
STAR = {"topology": {"kind": "star", "nodes": 4}}


def table(
    rows: list[tuple[tuple[int, ...], list[float]]], parts: tuple[str, ...]
) -> dict[str, Any]:
    """Return a table as the engine has it: keys, then sums of the first batches."""
    keys = np.array([key for key, _ in rows], dtype=np.uint32)
    batches = [np.pad(np.array(sums, dtype=float), (0, BATCHES - len(sums))) for _, sums in rows]
    columns = {part: keys[:, i] for i, part in enumerate(parts)}
    counts = np.ones(len(rows), np.uint64)
    return columns | {"count": counts, "batches": np.concatenate(batches)}


def blame(us: float = 1e6, **known: Any) -> Blame:
    """Class 1 is late because of class 2 at channel 5, and by a detour; four messages of 1 and 2.

    Of class 2 a message was quicker than alone, by a microsecond.
    """
    late = [2 * us, 2 * us, 4 * us, 0.0]
    rest = [us, us, us, us]
    detour = [0.0, 0.0, 0.0, 2 * us]
    channels = [((5, 1, 2, NETWORK), late), ((REST, REST, REST, SOURCE), rest)]
    pairs = [((1, 2, NETWORK), late), ((REST, REST, SOURCE), rest)]
    detours = [((REST, 1, REST, DETOUR), detour)]
    return Blame.of(
        {
            "pairs": table([*pairs, ((1, REST, DETOUR), detour)], ("victim", "culprit", "cause")),
            "channels": table([*channels, *detours], ("channel", "victim", "culprit", "cause")),
            "victims": table([((1,), [1, 1, 1, 1]), ((2,), [1, 1, 1, 1])], ("victim",)),
            "waits": table(
                [((5, 1, 2, 1), late), ((5, 1, 3, 1), rest), ((6, 1, 2, 0), rest)],
                ("channel", "victim", "culprit", "cause"),
            ),
            "batch_begin_ps": 0,
            "batch_length_ps": 10,
            "early_messages": 1,
            "early_ps": int(us),
            "unattributed_ps": 0,
            "waited_ps": int(20 * us),
        },
        CAUSES,
        alone_ps=int(16 * us),
        **known,
    )


def test_kinds_are_those_of_the_engine() -> None:
    assert KINDS == engine.KINDS


def test_means_are_per_message() -> None:
    known = blame()
    # Eight, four and two microseconds late, one early: of eight messages.
    assert known.late(0.95).value == pytest.approx(13 / 8)
    assert known.alone_us == pytest.approx(16 / 8)
    worst, detour, rest = known.culprits_on_channels(0.95)
    assert worst.key == (5, 1, 2)
    # Eight microseconds of four messages of class 1, of ten that they are late.
    assert (worst.per_message_us.value, worst.share) == (pytest.approx(2.0), pytest.approx(0.8))
    assert (detour.key, detour.share) == ((NOBODY, 1, NOBODY), pytest.approx(0.2))
    assert rest.key == (REST, REST, REST)
    assert known.rest_share == pytest.approx(4 / 14)
    assert [KINDS[c.key[0]] for c in known.by_kind(0.95)] == ["network", "source", "detour"]
    assert sum(c.share for c in known.by_kind(0.95)) == pytest.approx(1)


def test_what_nobody_is_charged_for_is_late_all_the_same() -> None:
    known = blame()
    totals = replace(known.totals, unattributed_ps=6_000_000)
    some = replace(known, totals=totals)
    assert some.late(0.95).value == pytest.approx(19 / 8)
    assert some.unattributed_share == pytest.approx(6 / 20)
    shares = [charged.share for charged in some.by_kind(0.95)]
    assert sum(shares) == pytest.approx(14 / 20)


def test_waits_of_packets_are_sums_that_nobody_is_charged_with() -> None:
    known = blame()
    assert known.waits_by(known.waits.by(0)) == [(5, 12.0, 0.75), (6, 4.0, 0.25)]
    assert known.waits_by(known.waits.by(1)) == [(1, 12.0, 0.75), (0, 4.0, 0.25)]


def test_of_a_mode_without_time_alone_nothing_is_known() -> None:
    known = Blame.of(None, CAUSES)
    assert math.isnan(known.late(0.95).value)
    assert math.isnan(known.alone_us)
    assert known.by_kind(0.95) == known.culprits(0.95) == []


def test_the_interval_comes_from_batches() -> None:
    worst, *_ = blame().culprits_on_channels(0.95)
    # Residuals 0, 0, 2, -2 over four messages: error sqrt(4 * 8/3) / 4, t(3) = 3.18245.
    half = 3.182446 * math.sqrt(4 * 8 / 3) / 4
    assert worst.per_message_us.half_width == pytest.approx(half)


def test_the_rest_is_never_on_top() -> None:
    small = blame(1e3)
    pairs = small.pairs.batches_ps.copy()
    pairs[1] *= 1e6
    large = replace(small, pairs=replace(small.pairs, batches_ps=pairs))
    assert [c.key for c in large.culprits(0.95)] == [(1, 2), (1, NOBODY), (REST, REST)]
    assert [c.key for c in large.culprits(0.95, most=1)] == [(1, 2)]


def test_where_all_there_was_is_charged_there_are_no_intervals() -> None:
    known = blame(finished=True)
    assert known.exact
    late = known.late(0.95)
    assert late.low == late.value == late.high == pytest.approx(13 / 8)
    # Those of a share of all messages are estimates even then.
    sampled = blame(finished=True, share=0.1)
    assert not sampled.exact
    assert sampled.late(0.95).half_width > 0


def test_tables_for_files_say_what_is_not_told_apart() -> None:
    tables = blame().tables()
    assert sorted(tables) == sorted(BLAME_TABLES)
    rows = tables["blame_pairs"].to_pylist()
    assert (rows[0]["victim"], rows[0]["culprit"], rows[0]["kind"]) == (1, 2, "network")
    assert rows[1]["victim"] is None
    assert (rows[2]["victim"], rows[2]["culprit"], rows[2]["kind"]) == (1, None, "detour")
    read = Blame.of_tables(tables, blame().totals, (0, 10))
    for name in ("pairs", "channels", "victims"):
        assert getattr(read, name).keys.tolist() == getattr(blame(), name).keys.tolist()
    assert rows[0]["batches"][:4] == [2_000_000, 2_000_000, 4_000_000, 0]


def result(*, packet_waits: bool = False, mode: str = "full", **workload: Any) -> Result:
    description = {
        "machine": t9000_tables(dims=[3, 3]),
        "workload": {"radius": 2, "compute_period": "4 us", **workload},
        "run": {
            "duration": "1 ms",
            "warmup": "100 us",
            "blame": True,
            "packet_waits": packet_waits,
        },
    }
    return run_mode(Experiment.from_dict(description), mode)


def test_all_that_packets_waited_is_kept_beside_what_it_cost() -> None:
    found = result(packet_waits=True)
    assert found.blame is not None
    assert found.blame.waits is not None
    samples = found.samples.to_pydict()
    start = samples["time_ps"].index(round(found.ending.warmup_ms * 1e9))
    names = [n for n in samples if n.startswith(("wait_throttling_", "wait_internal_"))]
    assert len(names) == 4
    waited = sum(samples[name][-1] - samples[name][start] for name in names)
    assert found.blame.waits.totals_ps.sum() == waited > 0


def test_what_packets_waited_is_kept_only_where_it_is_asked_for() -> None:
    plain, asked = result(), result(packet_waits=True)
    assert plain.blame is not None
    assert asked.blame is not None
    assert plain.blame.waits is None
    assert sorted(asked.blame.tables()) == sorted(BLAME_TABLES)
    assert "blame_waits" not in plain.blame.tables()
    # What messages lost is the same.
    for name, table in plain.blame.tables().items():
        assert table.equals(asked.blame.tables()[name])
    assert facts(plain, 3)["packet_waits"] is None
    assert facts(asked, 3)["packet_waits"]["us"] > 0


def test_where_messages_are_not_compared_with_alone_packets_wait_all_the_same() -> None:
    found = result(mode="throttled")
    assert found.blame is not None
    assert not found.blame.has_lateness
    assert list(found.blame.tables()) == ["blame_waits"]
    told = facts(found, 3)
    assert told["packet_waits"]["us"] > 0
    assert (told["messages"], told["early"], told["unattributed"]) == (None, None, None)
    assert lateness_text(found.blame, 0.95).startswith("lateness is defined only in modes full,")


def test_packet_waits_need_blame() -> None:
    with pytest.raises(UserError, match=r"run\.packet_waits = true: needs blame = true"):
        Experiment.from_dict({"run": {"packet_waits": True}})


def test_the_identity_does_not_depend_on_packet_waits_unless_they_are_asked_for() -> None:
    asked, plain, other = (
        Experiment.from_dict({"run": {"blame": True, **more}})
        for more in ({"packet_waits": True}, {}, {"packet_waits": False})
    )
    assert plain.identity(1) == other.identity(1) != asked.identity(1)
    assert "packet_waits" not in plain.spec()
    assert "packet_waits" not in plain.resolved()["run"]
    assert asked.resolved()["run"]["packet_waits"] is True


TWO_CLASSES = {
    "kind": "traffic",
    "traffic_class": [
        {"name": name, "message_size": size, "period": "200 ns"}
        for name, size in (("small", "64 B"), ("large", "1 kB"))
    ],
}


def test_classes_have_percentiles_of_lateness() -> None:
    description = {
        "machine": STAR,
        "workload": TWO_CLASSES,
        "run": {"duration": "20 us", "warmup": "2 us", "keep_messages": True},
    }
    found = run_mode(Experiment.from_dict(description), "full")
    assert found.messages is not None
    rows = [row for row in found.messages.to_pylist() if row["class"] == "large"]
    late = sorted(row["late_ps"] / 1e6 for row in rows)
    told = found.to_dict()
    percentiles = told["classes"]["large"]["percentiles"]["message_late_us"]
    assert list(percentiles) == ["p50", "p90", "p95", "p99", "p99.9"]
    assert percentiles["p99.9"] == late[-1] > 0
    assert percentiles["p50"] == late[(len(late) + 1) // 2 - 1]
    assert found["classes.large.message_late_us"].value == pytest.approx(sum(late) / len(late))
    assert found["classes.small.message_slowdown"].value >= 1
    assert told["lateness"]["lost"] == {"packets": 0, "messages": 0}


def test_jobs_have_percentiles_of_lateness() -> None:
    jobs = [
        {"name": name, "share": 2, "workload": {"kind": "fan_out", "message_size": "3 kB"}}
        for name in ("one", "two")
    ]
    description = {"machine": STAR, "job": jobs, "run": {"keep_messages": True}}
    found = run_mode(Experiment.from_dict(description), "full")
    job = found.jobs["one"].to_dict()
    assert set(job["percentiles"]) == {
        "message_latency_us",
        "message_alone_us",
        "message_late_us",
        "message_slowdown",
    }
    assert job["message_late_us"]["value"] >= 0
    assert job["early_messages"] == 0
    without = Experiment.from_dict({"machine": STAR, "job": jobs})
    plain = run_mode(without, "full").jobs["one"].to_dict()
    assert list(plain["percentiles"]) == ["message_latency_us"]
    assert "early_messages" not in plain


def test_early_messages_are_told_with_every_run() -> None:
    rows = pa.table({"late_ps": pa.array([5_000_000, -2_000_000, None, 0], pa.int64())})
    samples = pa.table(
        {
            "time_ps": [0, 100_000_000, 200_000_000],
            "packets_lost": [0, 1, 4],
            "messages_delivered": [0, 3, 7],
        }
    )
    found = untold(None, rows, samples, begin_ps=100_000_000, lost=2)
    assert (found.early_messages, found.early_us) == (1, 2.0)
    assert found.unattributed_us is None
    assert (found.rows, found.received, found.are_thinned) == (4, 4, False)
    assert "rows" not in found.to_dict()
    thinned = untold(None, rows, samples, begin_ps=0, lost=0)
    assert thinned.to_dict()["rows"] == {"kept": 4, "of": 7}
    assert (found.lost_packets, found.lost_messages) == (3, 2)
    shown = replace(result(), messages=rows, samples=samples, blame=None, messages_lost=2)
    told = " ".join(untold_texts(shown))
    assert "1 message was faster than alone, by 2" in told
    assert "percentiles of flows, classes and jobs are of 4 of 7 messages" not in told
    fewer = replace(shown, ending=replace(shown.ending, warmup_ms=0.0))
    assert "jobs are of 4 of 7 messages" in " ".join(untold_texts(fewer))
    [lost] = lost_texts(shown)
    assert lost.startswith("LOST: 3 packets of 2 messages; a message with a lost packet never")


def test_messages_at_one_destination_make_each_other_late_by_their_turns() -> None:
    """Three messages of a packet each from three nodes of a star to the fourth, at one instant."""
    rows = [["0 us", node, 3, "64 B"] for node in range(3)]
    experiment = Experiment.from_dict(
        {
            "machine": STAR,
            "workload": {"kind": "messages", "messages": rows},
            "run": {"blame": True, "keep_messages": True},
        }
    )
    found = run_mode(experiment, "full")
    assert found.blame is not None
    assert found.messages is not None
    alone = {row["alone_ps"] for row in found.messages.to_pylist()}
    assert len(alone) == 1
    late = sorted(row["late_ps"] for row in found.messages.to_pylist())
    # The second waits for one turn at the destination's link, the third for two.
    turn = late[1]
    assert late == [0, turn, 2 * turn]
    assert found.blame.pairs.totals_ps.sum() == 3 * turn > 0
    assert [KINDS[c.key[0]] for c in found.blame.by_kind(0.95)] == ["destination"]
    [root] = found.blame.by_channel(0.95)
    assert Names.of(found).channel(root.key[0]) == "to node 3"
    # Everybody is charged with the turns that others waited for, and nobody with his own.
    assert found.blame.own_share == 0
    [whole] = found.flows(()).to_pylist()
    assert (whole["messages"], whole["early"], whole["unknown"]) == (3, 0, 0)
    assert (whole["late_median_ps"], whole["late_p99_ps"]) == (turn, 2 * turn)
    assert whole["slowdown_p99"] == pytest.approx(1 + 2 * turn / alone.pop())
    assert found["message_late_us"].value == pytest.approx(turn / 1e6)
    assert found.percentile("message_slowdown", 1) == pytest.approx(1, rel=1 / 64)
    endpoints = run_mode(experiment, "endpoints")
    assert endpoints["message_late_us"] == found["message_late_us"]
    assert run_mode(experiment, "free")["message_late_us"].value == 0


def test_detours_are_among_the_pairs() -> None:
    """Pairs and channels are the same charges, also where messages took a longer way than alone."""
    groups = {"switches_per_group": 2, "nodes_per_switch": 2, "global_links": 1, "groups": 3}
    machine = {"topology": {"kind": "dragonfly"} | groups, "routing": {"kind": "ugal_l"}}
    rows = [[f"{50 * k} ns", k % 4, 4 + 3 * k % 4, "4 kB"] for k in range(40)]
    workload = {"kind": "messages", "messages": rows}
    run = {"blame": True, "keep_messages": True}
    tables = {"machine": machine, "workload": workload, "run": run}
    found = run_mode(Experiment.from_dict(tables), "full")
    assert found.blame is not None
    of_pairs, of_channels = found.blame.pairs.by(2), found.blame.channels.by(3)
    assert of_pairs.keys.tolist() == of_channels.keys.tolist()
    assert of_pairs.totals_ps.tolist() == of_channels.totals_ps.tolist()
    assert DETOUR in of_pairs.keys
    late = np.asarray(found.messages["late_ps"])
    assert found.blame.late_ps == late[late > 0].sum()


def test_messages_to_their_own_node_have_no_time_alone() -> None:
    experiment = Experiment.from_dict(
        {
            "machine": STAR,
            "workload": {"kind": "messages", "messages": [["0 us", 1, 1, "64 B"]]},
            "run": {"keep_messages": True},
        }
    )
    found = run_mode(experiment, "full")
    assert found.messages is not None
    [row] = found.messages.to_pylist()
    assert (row["alone_ps"], row["late_ps"], row["slowdown"]) == (None, None, None)
    assert found.flows().to_pylist()[0]["unknown"] == 1


def test_flows_need_the_messages() -> None:
    with pytest.raises(UserError, match=r"run\.keep_messages"):
        result().flows()


def test_classes_have_names() -> None:
    found = result(processes_per_node=2, classes="process")
    assert found.blame is not None
    assert set(found.blame.victims.keys[:, 0].tolist()) == set(range(18))
    names = Names.of(found)
    assert names.traffic(7) == "process 7"
    assert Names.of(result()).traffic(7) == "(1, 2)"
    listed = result(classes=[3] * 4 + [5] * 5)
    assert listed.blame is not None
    assert listed.blame.victims.keys[:, 0].tolist() == [3, 5]
    assert Names.of(listed).traffic(5) == "class 5"


#: Networks with several nodes on a switch: what the last channel between switches is called.
MANY_NODES = [
    # On grids switches have coordinates; nodes, two of which are at each, do not.
    ({"kind": "concentrated_mesh", "dims": [3, 2], "nodes_per_switch": 2}, "(2, 1)->(2, 0)"),
    ({"kind": "concentrated_torus", "dims": [4], "nodes_per_switch": 2}, "3->0"),
    ({"kind": "hyperx", "dims": [3, 2], "nodes_per_switch": 2}, "(2, 1)->(2, 0)"),
    ({"kind": "hyperx", "dims": [4], "nodes_per_switch": 2}, "3->2"),
    # All others have numbers, leaves of a dragonfly+ and of islands those of their groups first.
    ({"kind": "fat_tree", "arity": 2, "levels": 2}, "3->1"),
    ({"kind": "xgft", "children": [2, 2], "parents": [2]}, "3->1"),
    ({"kind": "slim_fly", "q": 5, "nodes_per_switch": 1}, "49->20"),
    (
        {
            "kind": "dragonfly_plus",
            "groups": 2,
            "leaves": 2,
            "spines": 1,
            "nodes_per_leaf": 2,
            "global_links": 1,
        },
        "5->2",
    ),
    ({"kind": "jellyfish", "switches": 4, "links_per_switch": 3, "nodes_per_switch": 2}, "3->2"),
    ({"kind": "islands", "islands": 2, "accelerators": 2, "rails": 1}, "4->3"),
]


@pytest.mark.parametrize(("topology", "last"), MANY_NODES, ids=lambda one: str(one)[:32])
def test_switches_have_names_of_their_own(topology: dict[str, Any], last: str) -> None:
    experiment = Experiment.from_dict(
        {
            "machine": {"topology": topology},
            "workload": {"kind": "messages", "messages": [["0 us", 0, 1, "32 B"]]},
        }
    )
    found = run_mode(experiment, "full")
    names, switches = Names.of(found), experiment.machine.topology.switch_count
    internal = [
        n for n, kind in enumerate(found.channels["kind"].to_pylist()) if kind == "internal"
    ]
    called = [names.channel(number) for number in internal]
    assert called[-1] == last
    # No two are called the same, whatever nodes there are.
    starts = {name.split("->")[0] for name in called}
    assert len(starts) == switches
    assert {names.channel(0), names.traffic(1)} == {"from node 0", "1"}
    last_node = experiment.machine.nodes - 1
    assert f"to node {last_node}" in {names.channel(n) for n in range(found.channels.num_rows)}
    # Tables of channels that wait call them the same.
    ends = Ends.of(found.nodes, experiment.machine.topology.labels)
    for number in internal:
        told = [
            shown(end).removeprefix("switch ") for end in ends.of_channel(*names.channels[number])
        ]
        assert "->".join(told) == names.channel(number) or len(topology["dims"]) == 1


def test_messages_in_a_file_have_classes(tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text("time_ns,source,destination,bytes,class\n50,0,1,32,7\n0,0,1,32,9\n")
    description = {
        "machine": t9000_tables(dims=[2, 2]),
        "workload": {"kind": "messages", "file": str(path)},
        "run": {"blame": True},
    }
    experiment = Experiment.from_dict(description)
    assert experiment.message_classes().tolist() == [9, 7]
    found = run_mode(experiment, "full")
    assert found.blame is not None
    assert found.blame.victims.keys[:, 0].tolist() == [7, 9]
    # The later one waits in its node for the earlier one.
    assert {row["victim"] for row in found.blame.tables()["blame_pairs"].to_pylist()} <= {7, 9}
    path.write_text("time_ns,source,destination,bytes\n50,0,1,32\n0,0,1,32\n")
    without = Experiment.from_dict(description)
    assert without.identity(1) != experiment.identity(1)


def test_identity_and_parameters_are_what_they_were_without_blame() -> None:
    plain = Experiment.from_dict({"run": {"duration": "1 ms"}})
    asked = Experiment.from_dict({"run": {"duration": "1 ms", "blame": True}})
    assert "blame" not in plain.spec()
    assert "blame" not in plain.resolved()["run"]
    assert "classes" not in plain.resolved()["workload"]
    assert plain.identity(1) != asked.identity(1)
    assert Experiment.from_dict(asked.resolved()) == Experiment.from_dict(asked.resolved())


@pytest.mark.parametrize(
    ("classes", "problem"),
    [
        ("nodes", 'must be "node", "process" or a list of whole numbers'),
        ([1, -2], "must be whole numbers from 0 to"),
        ([], 'must be "node"'),
        ([1, 2], "must be one for each process: 9"),
        ([{"name": "reads"}], "a table that describes one is [[workload.traffic_class]]"),
    ],
)
def test_a_mistake_is_one_line(classes: Any, problem: str) -> None:
    with pytest.raises(UserError) as caught:
        result(classes=classes)
    text = str(caught.value)
    assert text.startswith("workload.classes")
    assert problem in text
    assert "\n" not in text
