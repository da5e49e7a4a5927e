"""What the pages of the cookbook answer, held against the theory they quote.

The files are those of the pages. That the pages show what the commands print, test_docs.py says.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator
from math import log2, sqrt
from pathlib import Path

import pytest

import tailback as tb

PAGES = Path(__file__).resolve().parents[2] / "docs" / "cookbook"
#: Of a packet of 4 kB with a header of 16 B.
WITH_HEADERS = 4016 / 4000
#: Bytes in a microsecond at 100 Gbit/s.
RATE = 12_500

#: Long enough for loads that tell bounds apart.
SHORT = ("run.warmup=1 us", "run.duration=2500 ns")

Files = Callable[[str], Path]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Files:
    """Write the files of a page into a folder, and go there."""

    def written(page: str) -> Path:
        text = (PAGES / f"{page}.md").read_text()
        found = re.findall(r"```\w+ ([\w.]+)\n(.*?)```", text, re.DOTALL)
        assert found
        for name, content in found:
            (tmp_path / name).write_text(content)
        monkeypatch.chdir(tmp_path)
        return tmp_path

    return written


def points(path: Path, *overrides: str, **wanted: object) -> Iterator[tb.Experiment]:
    """Yield the experiments of a sweep at which what is varied, by its last name, is so."""
    for point in tb.Sweep.load(path, overrides).points():
        values = {name.rpartition(".")[2]: value for name, value in point.varied.items()}
        if all(listed(values[name]) == value for name, value in wanted.items()):
            yield point.experiment


def listed(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def point(path: Path, *overrides: str, **wanted: object) -> tb.Experiment:
    (found,) = points(path, *overrides, **wanted)
    return found


def accepted(experiment: tb.Experiment) -> float:
    return float(tb.run(experiment)["accepted_load"].value)


def completion(experiment: tb.Experiment) -> float:
    return float(tb.run(experiment)["completion_us"].value)


def test_minimal_routing_on_a_dragonfly_has_one_link_between_two_groups(files: Files) -> None:
    file = files("dragonfly") / "dragonfly.toml"
    a, p, groups = 4, 2, 9
    minimal = accepted(point(file, pattern="next_group", kind="minimal"))
    assert minimal == pytest.approx(1 / (a * p), rel=0.05)
    valiant = accepted(point(file, pattern="next_group", kind="valiant"))
    bound = (groups - 2) / (2 * (groups - 1))
    assert 0.95 * bound < valiant <= bound
    ugal = accepted(point(file, pattern="next_group", kind="ugal_l"))
    assert valiant < ugal <= bound + 1 / (a * p)


@pytest.mark.parametrize(
    ("kind", "pattern", "sharing"),
    [("slim_fly", "permutation", 2 * 4), ("dragonfly", "next_group", 6 * 3)],
)
def test_the_worst_traffic_of_minimal_routes_shares_links(
    files: Files, kind: str, pattern: str, sharing: int
) -> None:
    folder = files("slim_fly")
    rows = output_of(folder / "worst.py")
    (folder / "worst.csv").write_text(rows)
    worst = {"kind": kind, "pattern": pattern, "load": 0.9}
    minimal = accepted(point(folder / "networks.toml", *SHORT, **worst))
    assert minimal == pytest.approx(1 / sharing, rel=0.05)
    adaptive = point(folder / "networks.toml", *SHORT, "machine.routing.kind=ugal_l", **worst)
    assert 0.45 < accepted(adaptive) < 0.55


def output_of(program: Path) -> str:
    """Return what a short program prints."""
    printed: list[str] = []
    names = {"print": lambda text: printed.append(f"{text}\n")}
    exec(compile(program.read_text(), program.name, "exec"), names)
    return "".join(printed)


def test_the_worst_traffic_of_a_slim_fly_is_a_permutation(files: Files) -> None:
    folder = files("slim_fly")
    (folder / "worst.csv").write_text(output_of(folder / "worst.py"))
    found = csv.DictReader((folder / "worst.csv").read_text().splitlines())
    flows = {int(row["source"]): int(row["destination"]) for row in found}
    assert sorted(flows) == sorted(flows.values()) == list(range(200))
    experiment = point(folder / "networks.toml", kind="slim_fly", pattern="permutation", load=0.9)
    # As many flows on every link that is used: 8 packets of 5.12 ns for one of every node.
    assert tb.describe(experiment).load_max_us * 1000 == pytest.approx(8 * 5.12)


@pytest.mark.parametrize("pattern", ["uniform", "permutation"])
def test_valiant_ways_on_a_slim_fly_take_twice_the_links(files: Files, pattern: str) -> None:
    folder = files("slim_fly")
    (folder / "worst.csv").write_text(output_of(folder / "worst.py"))
    file, wanted = folder / "networks.toml", {"kind": "slim_fly", "pattern": pattern, "load": 0.9}
    # From one switch to another of 50: itself, 7 one link away and 42 two; to another node.
    links = (7 * 4 * 1 + 42 * 4 * 2) / 199
    found = accepted(point(file, "machine.routing.kind=valiant", **wanted))
    assert found == pytest.approx(7 / (4 * 2 * links), rel=0.02)


def test_fixed_ways_up_a_fat_tree_collide(files: Files) -> None:
    file = files("permutations") / "tree.toml"
    by_number = {
        pattern: accepted(point(file, kind="d_mod_k", pattern=pattern))
        for pattern in ("bit_complement", "transpose", "random_permutation")
    }
    assert by_number["bit_complement"] > 0.95
    assert by_number["transpose"] == pytest.approx(1 / 4, rel=0.01)
    assert 0.25 < by_number["random_permutation"] < 0.8
    spread = point(file, kind="nearest_common_ancestor", pattern="transpose")
    assert 3 * by_number["transpose"] < accepted(spread) < 1


@pytest.mark.parametrize("kind", ["torus", "islands", "fat_tree", "xgft"])
def test_all_reduces_take_their_steps_and_bytes(files: Files, kind: str) -> None:
    folder = files("all_reduce")
    (folder / "short.py").write_text((folder / "long.py").read_text().replace("8 MB", "8 kB"))
    nodes, whole = 16, 8_000_000 / RATE * WITH_HEADERS
    least = 2 * (nodes - 1) / nodes * whole
    # Steps, and the time of the bytes; on the xgft four flows share a link in the last two steps.
    tapered = kind == "xgft"
    theory = {
        "ring": (2 * (nodes - 1), least),
        "rabenseifner": (8, (1.5 + 4 * 0.375) * whole if tapered else least),
        "recursive_doubling": (4, (2 + 2 * 4) * whole if tapered else log2(nodes) * whole),
        "by_root": (8, 2 * log2(nodes) * whole),
    }
    for experiment in points(folder / "allreduce.toml", kind=kind, file="long.py"):
        steps, of_bytes = theory[experiment.workload.function]
        taken = completion(experiment)
        # The longest way has four links of 100 ns; of a message the last packet is behind it.
        assert of_bytes < taken < of_bytes + steps * 1.0, experiment.workload.function


def test_short_all_reduces_are_as_long_as_they_have_steps(files: Files) -> None:
    folder = files("all_reduce")
    (folder / "short.py").write_text((folder / "long.py").read_text().replace("8 MB", "8 kB"))
    taken = {
        experiment.workload.function: completion(experiment)
        for experiment in points(folder / "allreduce.toml", file="short.py")
    }
    assert max(taken, key=lambda name: taken[name]) == "ring"
    # A step of the ring: a header, 500 B, and two or three links of 100 ns.
    assert 30 * 0.25 < taken["ring"] < 30 * 0.5


def test_jobs_cost_each_other_nothing_where_they_share_nothing(files: Files) -> None:
    file = files("two_jobs") / "jobs.toml"
    apart = tb.interference(tb.Experiment.load(file))
    assert {name: slowdown.value for name, slowdown in apart.slowdowns.items()} == {
        "train": 1.0,
        "shuffle": 1.0,
    }
    found = tb.run(tb.Experiment.load(file)).jobs
    alone = {name: job["completion_us"].value for name, job in found.items()}
    ring = 2 * 15 / 16 * 4_000_000 / RATE * WITH_HEADERS
    assert ring < alone["train"] < ring + 30 * 0.5
    assert 8 * 8 * 200_000 / (4 * RATE) < alone["shuffle"] < 400


def test_jobs_on_the_same_leaves_cost_each_other_something(files: Files) -> None:
    overrides = ["train.placement", "shuffle.placement", "train.order"]
    changes = [f"job.{key}=random" for key in overrides]
    experiment = tb.Experiment.load(files("two_jobs") / "jobs.toml", changes)
    found = tb.interference(experiment)
    assert all(1.1 < slowdown.value < 1.5 for slowdown in found.slowdowns.values())


def test_an_all_to_all_is_bound_by_its_busiest_node(files: Files) -> None:
    folder = files("experts")
    names: dict[str, list[list[int]]] = {}
    exec((folder / "experts.py").read_text(), names)
    matrix = names["KILOBYTES"]
    columns = list(zip(*matrix, strict=True))
    bound = max(sum(line) for line in (*matrix, *columns)) * 1000 / RATE * WITH_HEADERS
    assert bound == pytest.approx(184.7, abs=0.1)
    taken = {
        (experiment.workload.function, experiment.machine.interface.message_order): completion(
            experiment
        )
        for experiment in points(folder / "experts.toml")
    }
    assert len(taken) == 4
    assert min(taken.values()) == taken["linear", "round_robin"] < 1.05 * bound
    assert min(taken.values()) > bound


def test_reads_in_flight_are_rate_times_round_trip_up_to_the_bisection(files: Files) -> None:
    file = files("network_on_chip") / "noc.toml"
    cores, links = 16, 4
    bisection = links / (cores / 2 * (cores / 2) / (cores - 1) * (2 + 9))
    assert bisection == pytest.approx(0.0852, abs=0.0001)
    for reads in (1, 4, 16):
        found = tb.run(point(file, max_outstanding=reads))
        rate = found["classes.read.messages_per_node_per_ms"].value / 1e6
        trip = found["classes.read.round_trip_us"].value * 1000
        assert trip > 21.3 + 28.3
        assert rate < bisection
        # Little's law, where nearly always as many are in flight as may be.
        assert rate * trip == pytest.approx(reads, rel=0.05)
    assert rate > 0.6 * bisection


def test_the_cable_that_is_left_bounds_a_leaf(files: Files) -> None:
    file = files("failed_cable") / "cluster.toml"
    bound = 200 / (4 * 100 * 12 / 15)
    whole, failed = [], [["leaf2", "spine1"]]
    predicted = tb.describe(point(file, failed_links=failed, load=0.3))
    # A message is 1,024 B with its header: 81.92 ns on the link of a host.
    most = bound / 81.92 * 1e6
    assert predicted.saturation_messages_per_node_per_ms == pytest.approx(most, rel=0.01)
    assert accepted(point(file, failed_links=whole, load=0.9)) > 0.88
    assert accepted(point(file, failed_links=failed, load=0.6)) == pytest.approx(0.6, rel=0.03)
    assert accepted(point(file, failed_links=failed, load=0.9)) == pytest.approx(bound, rel=0.03)


def test_inputs_with_one_queue_carry_little_more_than_theory_says(files: Files) -> None:
    file = files("star") / "star.toml"
    limit = 2 - sqrt(2)
    carried = accepted(point(file, queueing="fifo", load=0.95))
    assert limit < carried < limit + 0.02
    for queueing in ("voq", "output"):
        assert accepted(point(file, queueing=queueing, load=0.95)) > 0.93


def test_the_loads_of_the_killed_sweep_are_below_the_bisection_bound(files: Files) -> None:
    file = files("killed_sweep") / "mesh.toml"
    bound = 8 / (32 * 32 / 63)
    offered = [0.1, 0.2, 0.3, 0.4]
    assert max(offered) < bound
    highest = next(points(file, load=0.4))
    assert accepted(highest) == pytest.approx(0.4, rel=0.03)
