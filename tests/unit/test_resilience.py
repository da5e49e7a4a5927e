"""Random failures of links: which are drawn, what they cost, and what is refused."""

from __future__ import annotations

import csv
import json
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

import tailback as tb
from tailback import door
from tailback.errors import UserError
from tailback.failing import Outcome, resilience
from tailback.failing.cables import cables_of
from tailback.failing.drawing import sets_of
from tests.commands import tailback

RING: dict[str, Any] = {"kind": "ring_allreduce", "size": "8 kB"}


def ring_of(dims: tuple[int, ...] = (3, 3), **topology: Any) -> tb.Experiment:
    """Return an all-reduce on a mesh whose routing knows ways round failures."""
    machine = tb.Machine(topology=tb.Mesh(dims=dims, **topology), routing=tb.MinimalAdaptive())
    return tb.Experiment(machine, tb.RingAllreduce(size="8 kB"))


def test_all_sets_are_taken_where_there_are_no_more_than_draws() -> None:
    assert sets_of(4, 2, 10, seed=1) == list(combinations(range(4), 2))


def test_sets_differ_and_the_seed_says_which() -> None:
    for links, failures in ((20, 2), (5000, 3)):
        found = sets_of(links, failures, 50, seed=1)
        assert len(set(found)) == 50
        assert {len(set(one)) for one in found} == {failures}
        assert found == sets_of(links, failures, 50, seed=1)
        assert found != sets_of(links, failures, 50, seed=2)
        assert sets_of(links, failures, 60, seed=1)[:50] == found


def test_all_links_are_drawn_equally_often() -> None:
    count = Counter(link for one in sets_of(1000, 5, 20_000, seed=3) for link in one)
    assert len(count) == 1000
    # 100 are expected of each, with a standard deviation of 10.
    assert 55 < min(count.values()) < max(count.values()) < 150


def test_cables_have_the_names_that_a_network_gives_them() -> None:
    mesh = cables_of(tb.Mesh(dims=(2, 2)))
    assert [cable.name for cable in mesh][:2] == ["(0, 0) to (1, 0)", "(0, 0) to (0, 1)"]
    campus = cables_of(tb.Graph(file="examples/campus.graphml"))
    assert {"physics to library"} <= {cable.name for cable in campus}
    for topology in (tb.Mesh(dims=(2, 2)), tb.Graph(file="examples/campus.graphml")):
        for cable in cables_of(topology):
            keys = topology.named() | {"failed_links": [cable.key]}
            assert len(type(topology)(**keys)._named_failures()) == 1


def test_parallel_cables_are_told_apart_by_port(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "cables", lambda _: ((0, 1, 1), (0, 4, 1), (1, 3, 2)))
    cables = cables_of(tb.Mesh(dims=(3,)))
    assert [(cable.name, cable.key) for cable in cables] == [
        ("(0) to (1), port 1", "0:1"),
        ("(0) to (1), port 4", "0:4"),
        ("(1) to (2)", "1:3"),
    ]


def test_a_draw_costs_what_the_same_experiment_with_failed_links_takes_longer() -> None:
    found = resilience(ring_of(), [1], jobs=1)
    assert len(found.draws) == len(found.cables) == 12
    whole = found.whole["completion_us"].value
    for drawn in found.draws:
        [cable] = drawn.cables
        failed = tb.run(ring_of(failed_links=[cable.key]))
        assert drawn.slowdowns[""].value == failed["completion_us"].value / whole
    values = sorted(drawn.worst for drawn in found.draws)
    spread = found.spread(1)
    assert spread.values == tuple(values)
    assert spread.quantile(0.5) == values[5]
    assert spread.quantile(0.95) == spread.quantile(1) == values[-1]
    assert found.worst_first()[0].worst == values[-1]


def test_draws_that_cut_the_network_are_counted() -> None:
    found = resilience(ring_of((2, 2)), [1, 2, 3], 100, jobs=1)
    spreads = {spread.failures: spread for spread in found.spreads}
    # A ring of four links: any two cut it.
    assert [spreads[n].draws for n in (1, 2, 3)] == [4, 6, 4]
    assert [spreads[n].cut for n in (1, 2, 3)] == [0, 6, 4]
    assert {drawn.outcome for drawn in found.of(2)} == {Outcome.CUT}
    assert found.complete


def test_draws_for_which_routing_knows_no_way_are_counted() -> None:
    # Four leaves and two spines: where one leaf has lost the first spine and another the second,
    # nothing leads up and then down between them, though the network is whole.
    tree = tb.Xgft(children=(2, 4), parents=(2,))
    experiment = tb.Experiment(
        tb.Machine(topology=tree, routing=tb.DModK()), tb.RingAllreduce(size="9 kB")
    )
    found = resilience(experiment, [2], 100, jobs=1)
    outcomes = [drawn.outcome for drawn in found.draws]
    assert len(outcomes) == 28
    # Four pairs are all links of a leaf.
    assert (outcomes.count(Outcome.CUT), outcomes.count(Outcome.NO_ROUTE)) == (4, 12)
    assert found.spread(2).cut == 16
    known = tb.Machine(topology=tb.Mesh(dims=(3, 3)))
    with pytest.raises(UserError, match="knows no way round failed links"):
        resilience(tb.Experiment(known, tb.RingAllreduce(size="9 kB")), [1], 2, jobs=1)


def test_links_that_have_failed_before_stay_so() -> None:
    experiment = ring_of(failed_links=[[0, 1]])
    found = resilience(experiment, [1], jobs=1)
    assert len(found.draws) == 11
    # The corner has one link left.
    assert [drawn.outcome for drawn in found.draws].count(Outcome.CUT) == 1


def test_jobs_are_told_apart() -> None:
    jobs = [tb.Job(name=n, share=4, workload=tb.RingAllreduce(size="4 kB")) for n in ("a", "b")]
    machine = tb.Machine(topology=tb.Mesh(dims=(3, 3)), routing=tb.MinimalAdaptive())
    found = resilience(tb.Experiment(machine, jobs=jobs), [1], 5, jobs=1)
    assert [(s.failures, s.job) for s in found.spreads] == [(1, "a"), (1, "b")]
    assert all(set(drawn.slowdowns) == {"a", "b"} for drawn in found.draws)


def test_how_many_run_at_once_changes_nothing() -> None:
    one, two = (resilience(ring_of(), [1, 2], 8, jobs=jobs).to_dict() for jobs in (1, 2))
    assert one == two


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        ({"failures": [0]}, "failures = 0: must be from 1 to 12, the links between switches"),
        ({"failures": [13]}, "failures = 13: must be from 1 to 12"),
        ({"failures": []}, "failures = none: must be from 1 to 12"),
        ({"draws": 0}, "draws = 0: must be 1 to 100000"),
    ],
)
def test_impossible_draws_are_refused(asked: dict[str, Any], problem: str) -> None:
    with pytest.raises(UserError, match=problem):
        resilience(ring_of(), **asked)


def test_networks_without_links_and_drawn_failures_are_refused() -> None:
    star = tb.Experiment(tb.Machine(topology=tb.Star(nodes=4)), tb.RingAllreduce())
    with pytest.raises(UserError, match="star: has no link between two"):
        resilience(star)
    with pytest.raises(UserError, match="must be left out: these links are drawn"):
        resilience(ring_of(failed_share=0.1))
    fixed = tb.Machine(topology=tb.Mesh(dims=(3, 3)), routing=tb.DimensionOrder())
    with pytest.raises(UserError, match="knows no way round failed links"):
        resilience(tb.Experiment(fixed, tb.RingAllreduce()), [1])


EXPERIMENT = """
machine.topology = {kind = "mesh", dims = [3, 3]}
machine.routing.kind = "minimal_adaptive"
workload = {kind = "ring_allreduce", size = "8 kB"}
"""


def test_the_command_answers_first_and_writes_rows(tmp_path: Path) -> None:
    (tmp_path / "e.toml").write_text(EXPERIMENT)
    words = ("resilience", "e.toml", "--failures", "1..2", "--draws", "6", "--jobs", "1")
    done = tailback(*words, "--csv", "rows.csv", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    said = " ".join(done.stdout.split())
    assert "seed 1 1 failed link makes the run " in said
    assert ". 2 failed links make the run " in said
    rows = list(csv.DictReader((tmp_path / "rows.csv").read_text().splitlines()))
    assert [row["failures"] for row in rows] == ["1"] * 6 + ["2"] * 6
    told = json.loads(tailback(*words, "--json", cwd=tmp_path).stdout)
    assert [spread["draws"] for spread in told["spreads"]] == [6, 6]
    # A draw can be run by itself.
    failed = told["draws"][0]["failed_links"]
    alone = tailback(
        "run", "e.toml", "--json", "--set", f"machine.topology.failed_links={failed}", cwd=tmp_path
    )
    assert json.loads(alone.stdout)["completion_us"]["value"] == pytest.approx(
        told["draws"][0]["slowdown"]["all"]["value"] * told["whole"]["completion_us"]["value"]
    )


@pytest.mark.parametrize("failures", ["0", "3..1", "x", "1..", "1...3", "-1", "9999999"])
def test_a_wrong_range_is_one_line(tmp_path: Path, failures: str) -> None:
    (tmp_path / "e.toml").write_text(EXPERIMENT)
    done = tailback("resilience", "e.toml", f"--failures={failures}", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f'error: --failures = "{failures}": must be a number of links')
