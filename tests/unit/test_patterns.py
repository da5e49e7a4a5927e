"""Traffic patterns and injection: destinations, files, what is refused, what follows from them."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pytest

import tailback as tb
from tailback import engine
from tailback.errors import UserError
from tailback.machines import Machine
from tailback.saturation.loads import Bounds, Loads
from tailback.saturation.probes import TOLERATED_LOSS
from tailback.terminal.layout import heading
from tailback.workloads.patterns import destinations, longest_cycle, random_permutation
from tests.machines import t9000
from tests.stores import Here

#: With seed 3.
KEPT = (9, 4, 6, 15, 14, 13, 1, 2, 11, 10, 0, 12, 7, 5, 8, 3)
MESH = t9000("mesh", dims=(4, 4))
FORMULAS = ("transpose", "bit_complement", "bit_reverse", "shuffle", "tornado", "neighbour")


def refusal(machine: Machine = MESH, **keys: Any) -> str:
    """Return why a workload cannot be, or does not fit on the machine; it is one line."""
    with pytest.raises(UserError) as caught:
        tb.Synthetic(**keys).check(machine)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def mistake(action: Callable[[], object]) -> tuple[str, str] | None:
    """Return the field that is refused and what is allowed, or None."""
    try:
        action()
    except UserError as error:
        return error.field, error.allowed
    return None


def written(folder: Path, text: str) -> str:
    """Return the name of a file with a permutation."""
    path = folder / "to.csv"
    path.write_text(text)
    return str(path)


class TestDestinations:
    @pytest.mark.parametrize(
        ("pattern", "to"),
        [
            ("transpose", (0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15)),
            ("bit_complement", tuple(range(15, -1, -1))),
            ("bit_reverse", (0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15)),
            ("shuffle", (0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15)),
            ("tornado", (5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12, 1, 2, 3, 0)),
            ("neighbour", (5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12, 1, 2, 3, 0)),
        ],
    )
    def test_of_sixteen_nodes(self, pattern: Any, to: tuple[int, ...]) -> None:
        assert destinations(pattern, 16, (4, 4)) == to

    def test_tornado_goes_nearly_half_way_round(self) -> None:
        assert destinations("tornado", 5, (5,)) == (2, 3, 4, 0, 1)
        assert destinations("tornado", 8, (8,)) == (3, 4, 5, 6, 7, 0, 1, 2)

    @pytest.mark.parametrize("pattern", FORMULAS)
    @pytest.mark.parametrize(
        "machine",
        [
            MESH,
            t9000("mesh", dims=(5, 5)),
            t9000("mesh", dims=(3, 2, 4)),
            t9000("hypercube", dimensions=3),
            t9000("star", nodes=16),
            t9000("star", nodes=12),
            t9000("pair"),
            t9000("hyperx", dims=(4, 2), nodes_per_switch=2),
            t9000("concentrated_torus", dims=(3, 3), nodes_per_switch=2),
        ],
        ids=lambda machine: f"{machine.topology.kind}{machine.nodes}",
    )
    def test_are_those_of_the_engine(self, pattern: Any, machine: Machine) -> None:
        """Who sends to whom is seen in its packets, and what is refused it refuses too."""
        workload = tb.Synthetic(pattern=pattern, compute_period="2 us")
        refused = mistake(lambda: workload.check(machine))
        if refused is not None:
            spec = json.loads(tb.Experiment(machine, tb.Synthetic()).spec())
            spec["workload"].pop("radius", None)
            spec["workload"]["pattern"] = {"kind": pattern}
            assert mistake(lambda: engine.Simulation(json.dumps(spec))) == refused
            return
        to = workload.permutation(machine)
        assert to is not None
        result = tb.run(machine, workload, mode="free", duration="100 us", packets=True)
        rows = result.packets.filter(pc.equal(result.packets["class"].cast("string"), "data"))
        pairs = {(row["source"], row["destination"]) for row in rows.to_pylist()}
        assert pairs == {(node, other) for node, other in enumerate(to) if node != other}


class TestDrawn:
    def pairs(self, machine: Machine, workload: tb.Synthetic) -> set[tuple[int, int]]:
        """Return who has sent to whom."""
        result = tb.run(machine, workload, mode="free", duration="2 ms", packets=True)
        rows = result.packets.filter(pc.equal(result.packets["class"].cast("string"), "data"))
        return {(row["source"], row["destination"]) for row in rows.to_pylist()}

    @pytest.mark.parametrize(
        ("machine", "size"),
        [
            (t9000("dragonfly", nodes_per_switch=1, switches_per_group=2, global_links=1), 2),
            (t9000("dragonfly_plus", nodes_per_leaf=1, groups=3), 2),
            (t9000("islands", islands=3, accelerators=3), 3),
            (t9000("pod_fat_tree"), 4),
            (t9000("fat_tree", arity=2, levels=3), 4),
        ],
        ids=lambda one: one.topology.kind if isinstance(one, Machine) else str(one),
    )
    def test_the_next_group_is_sent_to(self, machine: Machine, size: int) -> None:
        workload = tb.Synthetic(pattern="next_group", compute_period="2 us", sync="asynchronous")
        nodes = machine.nodes
        groups = [range(first, first + size) for first in range(0, nodes, size)]
        expected = {
            (source, to % nodes)
            for group in groups
            for source in group
            for to in range(group[0] + size, group[0] + 2 * size)
        }
        assert self.pairs(machine, workload) == expected

    def test_without_groups_there_is_no_next(self) -> None:
        needed = "needs a machine with groups, such as a dragonfly"
        assert refusal(pattern="next_group") == f'workload.pattern = "next_group": {needed}'

    def test_a_matrix_says_how_often(self, tmp_path: Path) -> None:
        text = "source,destination,weight\n0,1,3\n0,2,1\n1,0,2e-3\n2,0,0\n2,3,5\n3,0,1\n"
        file = written(tmp_path, text)
        machine = t9000("mesh", dims=(2, 2))
        workload = tb.Synthetic(pattern="traffic_matrix", file=file, compute_period="5 us")
        rows = workload.spec(machine)["pattern"]["rows"]
        assert rows[0] == [{"to": 1, "weight": 3.0}, {"to": 2, "weight": 1.0}]
        assert self.pairs(machine, workload) == {(0, 1), (0, 2), (1, 0), (2, 3), (3, 0)}

    @pytest.mark.parametrize(
        ("rows", "expected"),
        [
            ("", "has no weight above zero: nobody sends"),
            ("0,1,1\n1,4,1", "names node 4; the last of the 4 nodes is 3"),
            ("0,0,1", "destination in line 2 = 0: must be another node than the source"),
            ("0,1,1\n0,1,2", "destination in line 3 = 1: has a row with source 0 already"),
            ("0,1,-1", 'weight in line 2 = "-1": must be a number from 0'),
            ("0,1,nan", 'weight in line 2 = "nan": must be a number from 0'),
            ("0,x,1", 'destination in line 2 = "x": must be the number of a node'),
        ],
    )
    def test_a_matrix_that_cannot_be_is_refused(
        self, tmp_path: Path, rows: str, expected: str
    ) -> None:
        file = written(tmp_path, f"source,destination,weight\n{rows}\n")
        machine = t9000("mesh", dims=(2, 2))
        assert expected in refusal(machine, pattern="traffic_matrix", file=file)
        (tmp_path / "to.csv").write_text("source,destination\n")
        assert "has no column weight" in refusal(machine, pattern="traffic_matrix", file=file)
        assert "file: must be given" in refusal(machine, pattern="traffic_matrix")

    def test_a_random_permutation_is_that_of_its_seed(self) -> None:
        workload = tb.Synthetic(pattern="random_permutation", pattern_seed=3)
        to = workload.permutation(MESH)
        # Kept, so that it stays the same.
        assert to == KEPT
        assert workload.spec(MESH)["pattern"] == {"kind": "permutation", "to": list(KEPT)}
        assert tb.Synthetic(pattern="random_permutation").permutation(MESH) != to
        assert workload.resolved(MESH)["pattern_seed"] == 3
        assert "pattern_seed" not in tb.Synthetic().resolved(MESH)

    def test_all_permutations_are_equally_likely(self) -> None:
        found = [random_permutation(3, seed) for seed in range(6000)]
        for one in permutations(range(3)):
            assert 880 < found.count(one) < 1120


class TestDescription:
    def test_only_keys_that_are_used_reach_the_engine(self) -> None:
        plain = tb.Synthetic(radius=2).spec(MESH)
        unused = tb.Synthetic(radius=2, hot_spots=[3], file="none.csv", compute_slot="1 us")
        assert unused.spec(MESH) == plain
        assert "pattern" not in plain

    def test_pattern(self) -> None:
        spec = tb.Synthetic(pattern="tornado", radius="all").spec(MESH)
        assert spec["pattern"] == {"kind": "tornado"}
        assert "radius" not in spec
        assert tb.Synthetic(pattern="tornado").resolved(MESH)["radius"] is None

    def test_hot_spots(self) -> None:
        workload = tb.Synthetic(pattern="hot_spot", hot_spots=[5, 0], hot_spot_share=0.25)
        workload.check(MESH)
        expected = {"kind": "hot_spot", "nodes": [5, 0], "share": 0.25}
        assert workload.spec(MESH)["pattern"] == expected

    def test_gaps(self) -> None:
        workload = tb.Synthetic(
            compute_distribution="geometric", compute_period="1 us", compute_slot="10 ns"
        )
        geometric = {"shape": {"geometric": {"slot": 10_000}}, "mean": 10**6, "relative_sigma": 0.0}
        assert workload.spec(MESH)["compute"] == geometric
        workload = tb.Synthetic(compute_distribution="on_off", compute_burst=3, compute_peak=2.5)
        shape = {"on_off": {"burst": 3.0, "peak": 2.5}}
        assert workload.spec(MESH)["compute"]["shape"] == shape

    @pytest.mark.parametrize("machine", [t9000("pair"), t9000("star", nodes=3)])
    @pytest.mark.parametrize("radius", [None, "all"])
    def test_without_coordinates_everybody_is_in_reach(self, machine: Machine, radius: Any) -> None:
        workload = tb.Synthetic(radius=radius, compute_period="5 us")
        workload.check(machine)
        assert "radius" not in workload.spec(machine)
        result = tb.run(machine, workload, duration="1 ms")
        assert result["messages_per_node_per_ms"].value > 20

    def test_what_is_resolved_is_an_experiment_again(self) -> None:
        workload = tb.Synthetic(
            pattern="hot_spot", hot_spots=[1, 2], compute_distribution="on_off", compute_burst=2.5
        )
        experiment = tb.Experiment(MESH, workload)
        again = tb.Experiment.from_dict(experiment.resolved())
        assert again.identity(1) == experiment.identity(1)


class TestFile:
    TEXT = "source,destination\n0,1\n2,3\n1,2\n3,0\n"

    def test_rows_may_come_in_any_order(self, tmp_path: Path) -> None:
        machine = t9000("mesh", dims=(2, 2))
        workload = tb.Synthetic(pattern="permutation", file=written(tmp_path, self.TEXT))
        assert workload.permutation(machine) == (1, 2, 3, 0)
        assert workload.spec(machine)["pattern"] == {"kind": "permutation", "to": [1, 2, 3, 0]}

    def test_it_lies_beside_the_experiment_and_its_content_counts(self, tmp_path: Path) -> None:
        written(tmp_path, "note, destination , source\nx,1,0\n\n, 0 ,1\n")
        (tmp_path / "other.csv").write_text("source,destination\n0,1\n1,0\n")
        workload = '[workload]\npattern = "permutation"\nfile = "to.csv"'
        text = f'[machine.topology]\nkind = "pair"\n{workload}'
        (tmp_path / "experiment.toml").write_text(text)
        experiment = tb.load(tmp_path / "experiment.toml")
        other = tb.load(tmp_path / "experiment.toml", [f"workload.file={tmp_path / 'other.csv'}"])
        assert experiment.identity(1) == other.identity(1)

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("", ": has no rows"),
            ("source,destnation\n", ": has no column destination; did you mean destnation?"),
            ("source,destination\n", ": has no row with source 0: must have one for each of the 4"),
            (
                TEXT.replace("3,0", "3,1"),
                ": destination in line 5 = 1: is the destination of line 2",
            ),
            (TEXT.replace("3,0", "1,0"), ": source in line 5 = 1: is the source of line 4 already"),
            (TEXT.replace("3,0\n", ""), ": has no row with source 3: must have one for each"),
            (
                TEXT.replace("3,0", "3,4"),
                ": destination in line 5 = 4: must be at most 3 (there are",
            ),
            (TEXT.replace("3,0", "3,-1"), ': destination in line 5 = "-1": must be the number of'),
            (
                TEXT.replace("3,0", "3"),
                ': destination in line 5 = "": must be the number of a node',
            ),
            (TEXT.replace("3,0", "3,0.5"), ': destination in line 5 = "0.5": must be the number'),
            (TEXT + "4,4\n", ": source in line 6 = 4: must be at most 3 (there are 4 nodes)"),
        ],
    )
    def test_mistakes(self, text: str, expected: str, tmp_path: Path) -> None:
        file = written(tmp_path, text)
        line = refusal(t9000("mesh", dims=(2, 2)), pattern="permutation", file=file)
        assert line.startswith(file + expected)

    def test_a_file_that_is_not_there(self) -> None:
        line = refusal(pattern="permutation", file="/nowhere/to.csv")
        assert line == "/nowhere/to.csv: no such file"

    def test_a_file_that_lets_nobody_send(self, tmp_path: Path) -> None:
        file = written(tmp_path, "source,destination\n0,0\n1,1\n")
        assert refusal(t9000("pair"), pattern="permutation", file=file) == (
            'workload.pattern = "permutation": leaves nobody to send to: '
            "here every node is its own destination"
        )


@pytest.mark.parametrize(
    ("machine", "keys", "expected"),
    [
        (MESH, {"pattern": "tornao"}, 'did you mean "tornado"?'),
        (
            t9000("mesh", dims=(4, 3)),
            {"pattern": "bit_reverse"},
            'workload.pattern = "bit_reverse": needs a power of two of nodes, not 12',
        ),
        (
            t9000("mesh", dims=(4, 8)),
            {"pattern": "transpose"},
            'workload.pattern = "transpose": needs a square grid of two dimensions or an even '
            "power of two of nodes, not 32",
        ),
        (
            t9000("star", nodes=16),
            {"pattern": "neighbour"},
            'workload.pattern = "neighbour": needs a machine with coordinates, such as a mesh',
        ),
        (
            t9000("hypercube", dimensions=4),
            {"pattern": "tornado"},
            'workload.pattern = "tornado": leaves nobody to send to: here every node is its own '
            "destination",
        ),
        (
            MESH,
            {"pattern": "shuffle", "radius": 2},
            'workload.radius = 2: must be left out: it limits pattern = "uniform" only',
        ),
        (
            t9000("star", nodes=16),
            {"radius": 2},
            "workload.radius = 2: must be left out: the machine has no coordinates",
        ),
        (
            MESH,
            {"pattern": "hot_spot"},
            'workload.hot_spots: must be given with pattern = "hot_spot"',
        ),
        (
            MESH,
            {"pattern": "hot_spot", "hot_spots": [3, 16]},
            "workload.hot_spots[1] = 16: must be at most 15 (there are 16 nodes)",
        ),
        (MESH, {"hot_spots": [3, 4, 3]}, "workload.hot_spots[2] = 3: is there twice"),
        (MESH, {"hot_spots": [-3]}, "workload.hot_spots[0] = -3: must be at least 0"),
        (MESH, {"hot_spot_share": 1.5}, "workload.hot_spot_share = 1.5: must be at most 1"),
        (
            MESH,
            {"pattern": "permutation"},
            'workload.file: must be given with pattern = "permutation"',
        ),
        (
            MESH,
            {"pattern": "transpose", "compute_period": 0},
            'workload.compute_period = "0 s": must be above zero with pattern = "transpose": '
            "nothing else takes time where a node is its own destination",
        ),
        (
            MESH,
            {"compute_distribution": "geometric", "compute_period": "1 ns", "compute_slot": "2 ns"},
            'workload.compute_slot = "2 ns": must be at most the compute_period, 1 ns',
        ),
        (
            MESH,
            {"compute_distribution": "geometric", "compute_slot": 0},
            'workload.compute_slot = "0 s": must be above zero',
        ),
        (MESH, {"compute_burst": 0.5}, "workload.compute_burst = 0.5: must be at least 1"),
        (MESH, {"compute_peak": float("inf")}, "workload.compute_peak"),
    ],
)
def test_refused_in_one_line(machine: Machine, keys: dict[str, Any], expected: str) -> None:
    assert expected in refusal(machine, **keys)


class TestSettling:
    """Cycles of processes that wait for each other fall out of step as rings do."""

    def test_cycles(self) -> None:
        assert longest_cycle((0, 1, 2)) == 1
        assert longest_cycle((1, 0, 3, 4, 2)) == 3
        assert longest_cycle(destinations("shuffle", 64, ())) == 6
        assert longest_cycle(destinations("neighbour", 15, (3, 5))) == 15

    def test_of_patterns(self) -> None:
        machine = t9000("mesh", dims=(8, 8))

        def iterations(**keys: Any) -> float:
            workload = tb.Synthetic(**keys)
            return workload.settling_ps(machine) / workload.iteration_ps(machine)

        assert iterations(pattern="neighbour") == pytest.approx(8**1.5)
        assert iterations(pattern="transpose") == pytest.approx(2**1.5)
        assert iterations(pattern="hot_spot", hot_spots=[0]) == 1
        assert iterations(pattern="neighbour", sync="asynchronous") == 0

    def test_is_cut_from_a_run(self) -> None:
        workload = tb.Synthetic(pattern="neighbour", compute_period="5 us")
        result = tb.run(MESH, workload, precision=0.05)
        assert result.ending.warmup_ms >= workload.settling_ps(MESH) / 1e9
        assert result.ending.settled


class TestLoads:
    def test_who_sends_nothing_lowers_the_mean(self) -> None:
        workload = tb.Synthetic(pattern="transpose", sync="asynchronous")
        assert workload.sending_share(MESH) == 0.75
        assert workload.mean_rate(MESH) == 0.75
        assert Loads.of(workload, 0.75).at(10**9) == pytest.approx(0.75)
        assert tb.Synthetic().sending_share(MESH) == 1

    def test_slots_bound_the_load(self) -> None:
        workload = tb.Synthetic(
            sync="asynchronous", compute_distribution="geometric", compute_slot="20 ns"
        )
        bounds = Bounds.of(tb.Experiment(MESH, workload), None, None, None)
        assert bounds.shortest_ps == 20_000

    def test_saturation_of_two_senders_among_four(self) -> None:
        machine = t9000(
            "mesh", dims=(2, 2), node_link={"width": 1}, interface={"acknowledgements": False}
        )
        workload = tb.Synthetic(
            pattern="transpose",
            sync="asynchronous",
            compute_period="5 us",
            max_outstanding=1_000_000,
        )
        found = tb.saturate(machine, workload, jobs=1)
        capacity = 0.5 * 1e6 / 3340  # 32 bytes take 3340 ns; half of the nodes send
        assert found.predicted == pytest.approx(capacity)
        assert found.low is not None
        assert found.high is not None
        assert found.low <= capacity / (1 - TOLERATED_LOSS) <= found.high
        for probe in found.probes:
            assert probe.offered == pytest.approx(probe.load, rel=0.01)

    @pytest.mark.parametrize("distribution", ["geometric", "on_off"])
    def test_gaps_have_the_mean_that_is_given(self, distribution: Any) -> None:
        workload = tb.Synthetic(
            radius="all",
            sync="asynchronous",
            compute_period="20 us",
            compute_distribution=distribution,
            compute_slot="1 us",
            compute_burst=3,
        )
        result = tb.run(MESH, workload, mode="ideal", duration="100 ms", warmup="0 s")
        # 16 nodes, 5000 gaps each; for bursts the variance is 5 (3/4)^2 of the squared mean.
        iterations = result["iterations_per_node_per_ms"].value
        assert iterations == pytest.approx(50, rel=5 * (2.8 / 80_000) ** 0.5)


class TestPrediction:
    def test_knows_the_pattern(self) -> None:
        complement = tb.describe(MESH, tb.Synthetic(pattern="bit_complement"))
        # |3 - 2x| + |3 - 2y| channels between switches, 2 on average in each dimension.
        assert complement.mean_hops == pytest.approx(2 + 4)
        assert complement.exact
        assert complement.pairs == 16
        uniform = tb.describe(MESH, tb.Synthetic(radius="all"))
        assert complement.saturation_messages_per_node_per_ms is not None
        assert uniform.saturation_messages_per_node_per_ms is not None
        assert (
            complement.saturation_messages_per_node_per_ms
            < uniform.saturation_messages_per_node_per_ms
        )

    def test_knows_hot_spots(self) -> None:
        machine = t9000("mesh", dims=(4, 4), node_link={"width": 1})
        workload = tb.Synthetic(pattern="hot_spot", hot_spots=[6], hot_spot_share=0.5)
        [loaded, *_] = tb.describe(machine, workload).most_loaded()
        assert (loaded.kind, loaded.destination) == ("ejection", (2, 1))


class TestWording:
    def test_a_heading_names_a_pattern_that_is_not_the_usual_one(self) -> None:
        tornado = tb.Experiment(MESH, tb.Synthetic(pattern="tornado"))
        assert "synthetic · tornado · loosely_synchronous" in heading(tornado).plain
        assert "uniform" not in heading(tb.Experiment(MESH, tb.Synthetic())).plain

    def test_so_does_a_report(self, tmp_path: Path) -> None:
        file = tmp_path / "sweep.toml"
        file.write_text(
            "[machine]\npreset = 't9000_c104'\ntopology.dims = [3, 3]\n[run]\nduration = '2 ms'\n"
            "[sweep]\nworkload.pattern = ['uniform', 'neighbour']\n"
        )
        store = tmp_path / "results"
        tb.sweep(file, store, pool=Here())
        page = tmp_path / "page.html"
        tb.write_report(store, page)
        assert "pattern several" in page.read_text()


@pytest.mark.parametrize("mode", ["full", "free", "ideal"])
def test_nobody_waits_for_a_silent_source(tmp_path: Path, mode: str) -> None:
    file = tmp_path / "matrix.csv"
    file.write_text("source,destination,weight\n0,1,1\n2,0,1\n", encoding="utf-8")
    workload = tb.Synthetic(pattern="traffic_matrix", file=str(file), repeat=7)
    experiment = tb.Experiment(tb.Machine(topology=tb.Star(nodes=4)), workload)
    delivered = [
        row["messages_delivered"] for row in tb.run(experiment, mode=mode).nodes.to_pylist()
    ]
    assert delivered == [7, 7, 0, 0], "nodes 1 and 3 take no part"


@pytest.mark.parametrize(("rates", "per_ms"), [("equal", 500), ("by_source", 1000)])
def test_silent_sources_offer_nothing(tmp_path: Path, rates: str, per_ms: float) -> None:
    """Two of four nodes send; that was half of what was offered, and the network "SATURATED".

    With rates by source the two send twice and four thirds as often, so that the mean is as asked.
    """
    file = tmp_path / "matrix.csv"
    file.write_text("source,destination,weight\n0,1,2\n2,0,1\n", encoding="utf-8")
    keys = {"pattern": "traffic_matrix", "file": str(file), "rates": rates}
    workload = tb.Synthetic(**keys, sync="asynchronous", compute_period="1 us")
    experiment = tb.Experiment(
        tb.Machine(topology=tb.Star(nodes=4)), workload, tb.Run(duration="2 ms")
    )
    result = tb.run(experiment)
    assert not result.ending.saturated
    assert result["accepted_share"].value == pytest.approx(1, abs=0.05)
    assert result["messages_per_node_per_ms"].value == pytest.approx(per_ms, rel=0.05)
    offered = tb.describe(experiment).offered_messages_per_node_per_ms
    assert offered == pytest.approx(per_ms)
    named = {"name": "in", "period": "1 us", "period_distribution": "constant"}
    one = tb.Traffic(traffic_class=[keys | named])
    classes = tb.run(tb.Experiment(experiment.machine, one, experiment.run))
    assert not classes.ending.saturated
    assert classes["classes.in.accepted_share"].value == pytest.approx(1, abs=0.05)


@pytest.mark.parametrize(("rates", "of_four"), [("equal", 0.2), ("by_source", 0.4)])
def test_silent_sources_of_a_job_offer_nothing(tmp_path: Path, rates: str, of_four: float) -> None:
    """Two of four nodes of a job send; the run was "SATURATED", half of the load "accepted"."""
    file = tmp_path / "matrix.csv"
    file.write_text("source,destination,weight\n0,1,1\n2,0,1\n", encoding="utf-8")
    one = {"name": "in", "pattern": "traffic_matrix", "file": str(file), "rates": rates}
    one |= {"load": 0.4, "period_distribution": "constant", "message_size": "1 kB"}
    tables = {
        "machine": {"topology": {"kind": "star", "nodes": 8}},
        "job": [
            {
                "name": "some",
                "nodes": [2, 3, 4, 5],
                "workload": {"kind": "traffic", "traffic_class": [one]},
            },
            {"name": "other", "nodes": [0, 1], "workload": {"load": 0.3, "message_size": "1 kB"}},
        ],
        "run": {"duration": "100 us"},
    }
    result = tb.run(tb.Experiment.from_dict(tables))
    assert not result.ending.saturated
    # Loads are means over all eight nodes.
    for name in ("offered", "accepted"):
        load = result[f"classes.some.in.{name}_load"].value
        assert load == pytest.approx(of_four * 4 / 8, rel=0.05)
    assert result["classes.some.in.accepted_share"].value == pytest.approx(1, abs=0.02)
