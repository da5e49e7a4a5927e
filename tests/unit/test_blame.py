"""Who made whom wait: tables of a run, and what is asked of them."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tailback import Experiment, UserError
from tailback.charging import BATCHES, REST, Blame, Sums
from tailback.places import Ends, shown
from tailback.results import Result
from tailback.results.names import Names
from tailback.runner import run_mode
from tailback.store.columns import BLAME_TABLES
from tests.machines import t9000_tables

CAUSES = ("throttling", "output_busy")


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
    """Class 1 waits for class 2 on channel 5; four messages of class 1, four of class 2.

    At the root of the first half of that is class 3.
    """
    waits = [2 * us, 2 * us, 4 * us, 0.0]
    rest = [us, us, us, us]
    channels = [((5, 1, 2, 1), waits), ((REST, REST, REST, 0), rest)]
    pairs = [((1, 2, 1), waits), ((REST, REST, 0), rest)]
    halves = [((1, 2, 1), [0, 0, 4 * us]), ((1, 3, 1), waits[:2])]
    passed = [*halves, ((REST, REST, 0), rest)]
    passed_channels = [((5, *key), sums) for key, sums in halves]
    return Blame.of(
        {
            "pairs": table(pairs, ("victim", "culprit", "cause")),
            "channels": table(channels, ("channel", "victim", "culprit", "cause")),
            "passed_pairs": table(passed, ("victim", "culprit", "cause")),
            "passed_channels": table(
                [*passed_channels, ((REST, REST, REST, 0), rest)],
                ("channel", "victim", "culprit", "cause"),
            ),
            "roots": table([((6, 1), waits)], ("channel", "cause")),
            "victims": table([((1,), [1, 1, 1, 1]), ((2,), [1, 1, 1, 1])], ("victim",)),
            "batch_begin_ps": 0,
            "batch_length_ps": 10,
        },
        CAUSES,
        **known,
    )


def test_means_are_per_message() -> None:
    known = blame()
    assert known.total(0.95).value == pytest.approx(12 / 8)
    [worst, rest] = known.culprits_on_channels(0.95)
    assert worst.key == (5, 1, 2)
    # Eight microseconds for four messages of class 1, whose only waits they are.
    assert (worst.per_message_us.value, worst.share) == (pytest.approx(2.0), pytest.approx(1.0))
    assert rest.key == (REST, REST, REST)
    assert known.rest_share == pytest.approx(4 / 12)
    assert [c.key for c in known.by_cause(0.95)] == [(1,), (0,)]


def test_the_interval_comes_from_batches() -> None:
    [worst, _] = blame().culprits_on_channels(0.95)
    # Residuals 0, 0, 2, -2 over four messages: error sqrt(4 * 8/3) / 4, t(3) = 3.18245.
    half = 3.182446 * math.sqrt(4 * 8 / 3) / 4
    assert worst.per_message_us.half_width == pytest.approx(half)


def test_root_culprits_are_those_that_waits_are_passed_on_to() -> None:
    found = {c.key: c.per_message_us.value for c in blame().culprits(0.95, root=True)}
    assert found[1, 2] == found[1, 3] == pytest.approx(1.0)
    channels = [c.key for c in blame().culprits_on_channels(0.95, root=True)]
    assert channels[:2] == [(5, 1, 2), (5, 1, 3)]


def test_the_rest_is_never_on_top() -> None:
    small = blame(1e3)
    pairs = small.pairs.batches_ps.copy()
    pairs[1] *= 1e6
    large = replace(small, pairs=replace(small.pairs, batches_ps=pairs))
    assert [c.key for c in large.culprits(0.95)] == [(1, 2), (REST, REST)]
    assert [c.key for c in large.culprits(0.95, most=1)] == [(1, 2)]


def test_where_all_there_was_is_charged_there_are_no_intervals() -> None:
    known = blame(finished=True)
    assert known.exact
    total = known.total(0.95)
    assert total.low == total.value == total.high == pytest.approx(12 / 8)
    # Those of a share of all packets are estimates even then.
    sampled = blame(finished=True, share=0.1)
    assert not sampled.exact
    assert sampled.knows_roots
    assert not replace(sampled, passed_pairs=Sums.empty(3)).knows_roots
    assert sampled.total(0.95).half_width > 0


def test_tables_for_files_say_what_is_not_told_apart() -> None:
    tables = blame().tables()
    assert sorted(tables) == sorted(BLAME_TABLES)
    rows = tables["blame_pairs"].to_pylist()
    assert (rows[0]["victim"], rows[0]["culprit"], rows[0]["cause"]) == (1, 2, "output_busy")
    assert rows[1]["victim"] is None
    assert rows[0]["batches"][:4] == [2_000_000, 2_000_000, 4_000_000, 0]


def result(**workload: Any) -> Result:
    description = {
        "machine": t9000_tables(dims=[3, 3]),
        "workload": {"radius": 2, "compute_period": "4 us", **workload},
        "run": {"duration": "1 ms", "warmup": "100 us", "blame": True},
    }
    return run_mode(Experiment.from_dict(description), "full")


def test_all_that_packets_waited_is_charged() -> None:
    found = result()
    assert found.blame is not None
    samples = found.samples.to_pydict()
    start = samples["time_ps"].index(round(found.ending.warmup_ms * 1e9))
    names = [n for n in samples if n.startswith(("wait_throttling_", "wait_internal_"))]
    assert len(names) == 4
    waited = sum(samples[name][-1] - samples[name][start] for name in names)
    assert found.blame.pairs.totals_ps.sum() == waited > 0
    assert found.blame.channels.totals_ps.sum() == waited
    assert found.blame.roots.totals_ps.sum() == waited
    assert found.blame.passed_pairs.totals_ps.sum() == waited
    assert found.blame.passed_channels.totals_ps.sum() == waited


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
    # The later one waits in its node for the earlier one, or their acknowledgements do.
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
    ],
)
def test_a_mistake_is_one_line(classes: Any, problem: str) -> None:
    with pytest.raises(UserError) as caught:
        result(classes=classes)
    text = str(caught.value)
    assert text.startswith("workload.classes")
    assert problem in text
    assert "\n" not in text
