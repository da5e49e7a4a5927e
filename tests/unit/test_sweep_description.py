"""Sweeps: order, seeds, modes, exclusions, files, the guide and the schema.

Their values are in test_sweep_values.py, mistakes in test_sweep_mistakes.py.
"""

from __future__ import annotations

import json
import pickle
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tailback.errors import UserError
from tailback.experiment import Experiment
from tailback.machines.routing import DimensionOrder
from tailback.since311 import tomllib
from tailback.sweeps import Point, Sweep
from tailback.units import Rate, Size, Time
from tests.schemas import SCHEMA, VALIDATOR
from tests.sweeps import (
    refusal,
    sweep_of,
    values_of,
)

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "sweeps.md"


# Order, seeds, modes.


def test_the_last_axis_is_fastest_and_seeds_are_faster() -> None:
    sweep = sweep_of("workload.radius = [1, 2]\nworkload.messages = [5, 3]\nseeds = 2")
    assert sweep.count == 8
    assert sweep.varied == ("workload.radius", "workload.messages")
    found = [(*point.varied.values(), point.experiment.run.seed) for point in sweep.points()]
    assert found == [
        *[(1, 5, 1), (1, 5, 2), (1, 3, 1), (1, 3, 2)],
        *[(2, 5, 1), (2, 5, 2), (2, 3, 1), (2, 3, 2)],
    ]


def test_axes_come_in_the_order_of_the_file() -> None:
    text = (
        "let.n = [1]\nworkload.radius = [1]\nmachine.topology.dims = [[4, 4]]\nworkload.messages = "
    )
    sweep = sweep_of(text + '{ computed = "n" }')
    names = ["sweep.n", "workload.radius", "workload.messages", "machine.topology.dims"]
    assert list(sweep.varied) == names
    assert [list(point.varied) for point in sweep.points()] == [names]


@pytest.mark.parametrize(
    ("run", "seeds", "expected"),
    [
        ("", "seeds = 3", [1, 2, 3]),
        ("seed = 10", "seeds = 3", [10, 11, 12]),
        ("seed = 10", "workload.radius = [1]", [10]),
        ("seed = 10", "seeds = [7, 1, 2]", [7, 1, 2]),
        ("seed = 9223372036854775807", "seeds = 1", [2**63 - 1]),
    ],
)
def test_seeds(run: str, seeds: str, expected: list[int]) -> None:
    sweep = sweep_of(f"[run]\n{run}\n[sweep]\n{seeds}")
    assert [point.experiment.run.seed for point in sweep.points()] == expected
    assert sweep.count == len(expected)
    assert sweep.description()["seeds"] == expected


def test_a_sweep_of_seeds_alone() -> None:
    points = list(sweep_of("seeds = 2").points())
    assert [dict(point.varied) for point in points] == [{}, {}]


def test_modes_have_their_usual_order_and_the_mode_of_the_base_does_not_matter() -> None:
    sweep = sweep_of('[run]\nmode = "free"\n[sweep]\nseeds = 1\nmodes = ["ideal", "full"]')
    [point] = sweep.points()
    assert point.modes == sweep.modes == ("full", "ideal")
    assert point.experiment.run.mode == "full"
    assert sweep_of("seeds = 1").modes == ("full", "endpoints")
    other = sweep_of("[run]\nbaseline = 'throttled'\n[sweep]\nseeds = 1")
    assert other.modes == ("full", "throttled")


def test_the_sweep_wins_over_the_base() -> None:
    text = "[workload]\nradius = 3\nmessages = 2\n[sweep]\nworkload.radius = [1, 2]"
    points = list(sweep_of(text).points())
    found = [(p.experiment.workload.radius, p.experiment.workload.messages) for p in points]
    assert found == [(1, 2), (2, 2)]


def test_parameters_of_all_tables() -> None:
    text = """
        machine.topology.dims = [[2, 3], [4, 4]]
        machine.topology.kind = ["mesh"]
        machine.link.rate = ["50 Mbit/s"]
        machine.interface.acknowledgements = [false]
        workload.preset = ["tweedie"]
        workload.message_size = ["64 B"]
        workload.radius = ["all", 1]
        run.precision = [0.05]
        run.duration = ["1 ms"]
    """
    points = list(sweep_of(text).points())
    assert len(points) == 4
    first = points[0].experiment
    assert first.machine.shape == (2, 3)
    assert first.machine.link.rate == Rate(50_000_000)
    assert first.run.precision == 0.05
    assert list(points[0].varied.values()) == [
        *[(2, 3), "mesh", Rate(50_000_000), False, "tweedie", Size(64), "all", 0.05],
        Time(10**9),
    ]
    assert points[3].varied["workload.radius"] == 1


def test_values_that_are_tables_stay_as_they_were_given() -> None:
    text = """
        [workload]
        kind = "program"
        [sweep]
        workload.process = [
            [{ node = 0, steps = [{ compute = "1 us" }] }],
            [{ node = 1, steps = [{ compute = "2 us" }] }],
        ]
    """
    points = list(sweep_of(text).points())
    assert points[1].varied["workload.process"] == [
        {"node": 1, "steps": [{"compute": "2 us"}]},
    ]


def test_the_base_need_not_be_valid_alone() -> None:
    text = '[workload]\nkind = "messages"\n[sweep]\nworkload.messages = [[["0 s", 0, 1, "1 B"]]]'
    [point] = sweep_of(text).points()
    assert point.experiment.finite


def test_points_can_be_sent_to_other_processes() -> None:
    points = list(sweep_of('workload.compute_period = ["1 us", "2 us"]').points())
    assert pickle.loads(pickle.dumps(points)) == points
    assert isinstance(points[0], Point)


# Exclusions.


def test_excluded_combinations() -> None:
    text = """
        exclude = ["sync == 'asynchronous' and compute_period < 2 * us", "radius in [1, 3]"]
        workload.sync = ["asynchronous", "loosely_synchronous"]
        workload.compute_period = ["1 us", "2 us"]
        workload.radius = [1, 2, 3]
    """
    assert sweep_of(text).count == 12
    assert values_of(text) == [
        ("asynchronous", Time(2 * 10**6), 2),
        ("loosely_synchronous", Time(10**6), 2),
        ("loosely_synchronous", Time(2 * 10**6), 2),
    ]


def test_an_excluded_combination_need_not_be_possible() -> None:
    text = """
        exclude = ["n == 0", "workload.radius == 99", "sweep.n == 3"]
        workload.messages = { computed = "4 / n" }
        workload.radius = [1, 99]
        let.n = [0, 1, 2, 3]
    """
    assert [values[0] for values in values_of(text)] == [4, 2]


# Topologies, routings, fidelities.


def test_topologies_and_routings_are_swept_together() -> None:
    text = """
        [machine.topology]
        kind = "mesh"
        dims = [4, 4]
        dimensions = 4
        [machine.link_classes.x]
        delay = "5 ns"
        [machine.link_classes.global]
        delay = "1 us"
        [machine.switch]
        virtual_channels = 3
        [machine.routing]
        kind = "dimension_order"
        balanced = true
        [sweep]
        exclude = ["topology.kind == 'dragonfly' and routing.kind != 'minimal'",
                   "topology.kind != 'dragonfly' and routing.kind == 'minimal'"]
        machine.topology.kind = ["mesh", "torus", "hypercube", "dragonfly"]
        machine.routing.kind = ["valiant", "dimension_order", "minimal"]
    """
    machines = [point.experiment.machine for point in sweep_of(text).points()]
    ways = [(m.topology.kind, m.routing.kind) for m in machines if m.routing is not None]
    grids = ["mesh", "torus", "hypercube"]
    expected = [(kind, way) for kind in grids for way in ("valiant", "dimension_order")]
    assert ways == [*expected, ("dragonfly", "minimal")]
    assert machines[0].topology.given() == {"dims": (4, 4)}
    assert machines[4].topology.given() == {"dimensions": 4}
    assert [list(m.link_classes) for m in machines] == [["x"]] * 6 + [["global"]]
    assert machines[3].routing == DimensionOrder(balanced=True)


def test_experiments_are_keys_of_dictionaries() -> None:
    text = (
        '[machine.link_classes.x]\ndelay = "5 ns"\n[sweep]\nmachine.link.delay = ["1 ns", "2 ns"]'
    )
    found = {point.experiment: point for point in sweep_of(text).points()}
    assert len(found) == 2
    assert [found[point.experiment] for point in sweep_of(text).points()] == list(found.values())


def test_keys_of_other_kinds_go_only_where_kinds_are_varied() -> None:
    text = "[machine.topology]\ndims = [4, 4]\ndimensions = 4\n[sweep]\nmachine."
    expected = "machine.topology.dimensions: has no effect"
    assert expected in refusal(text + 'switch.switching = ["wormhole", "cut_through"]')
    assert len(values_of(text + 'topology.kind = ["mesh", "hypercube"]')) == 2
    wrong = '[machine.link_classes.globl]\ndelay = "1 us"\n[sweep]\nmachine.topology.kind = '
    assert "did you mean" in refusal(wrong + '["mesh", "dragonfly"]')


def test_what_is_varied_itself_never_goes() -> None:
    text = 'machine.topology.kind = ["mesh", "hypercube"]\nmachine.topology.dims = [[4, 4]]'
    assert refusal(text) == (
        'with topology.kind = "hypercube", dims = [4, 4]: machine.topology.dims: has no effect '
        'with machine.topology.kind = "hypercube"; needs kind = "mesh" or "torus" or '
        '"concentrated_mesh" or "concentrated_torus" or "hyperx"'
    )
    text = 'machine.topology.kind = ["mesh", "star"]\nmachine.routing.kind = ["valiant"]'
    assert refusal(text) == (
        'with topology.kind = "star", routing.kind = "valiant": machine.routing.kind = "valiant": '
        'has no effect with machine.topology.kind = "star": one way only'
    )


def test_aliases_are_the_words_they_stand_for() -> None:
    text = """
        exclude = ["topology.kind == 'torus' and routing.kind == 'valiant'"]
        machine.topology.kind = ["k_ary_n_cube", "grid"]
        machine.routing.kind = ["two_phase", "xy"]
    """
    expected = [("torus", "dimension_order"), ("mesh", "valiant"), ("mesh", "dimension_order")]
    assert values_of(text) == expected
    twice = 'machine.topology.kind = ["torus", "k_ary_n_cube"]'
    assert refusal(twice) == 'sweep.machine.topology.kind = "torus": is there twice'
    base = '[machine.topology]\nkind = "grid"\n[sweep]\nseeds = 1\n'
    assert len(values_of(base + "exclude = [\"topology.kind == 'torus'\"]")) == 1


MIXED = """
    [machine]
    preset = "wormhole_mesh"
    [sweep]
    workload.radius = [1, 2]
    machine.switch.virtual_channels = [1, 2]
"""


def test_a_sweep_does_not_mix_fidelities() -> None:
    assert refusal(MIXED) == (
        'run.fidelity: would be "worm" with virtual_channels = 1 (worms have their wires to '
        'themselves: their times follow from a recurrence), but "flit" with virtual_channels = 2 '
        "(virtual channels share wires flit by flit); such points are not compared; give one "
        "fidelity, vary it, or say sweep.mix_fidelities = true"
    )
    said = refusal(f'{MIXED}\n[run]\nfidelity = "auto"')
    assert said.startswith('run.fidelity = "auto": would be "worm" with virtual_channels = 1 (')


def test_why_whole_packets_are_mixed_with_others() -> None:
    text = '[machine]\npreset = "t9000_c104"\n[sweep]\nmachine.link.flow_control = '
    said = refusal(text + '["in_band", "out_of_band"]')
    assert 'would be "packet" with flow_control = "in_band" (whole packets unless asked' in said
    assert 'but "worm" with flow_control = "out_of_band" (worms have' in said


@pytest.mark.parametrize(
    ("more", "found"),
    [
        ("mix_fidelities = true", ["worm", "flit"] * 2),
        ('run.fidelity = ["auto"]', ["worm", "flit"] * 2),
        ("run.fidelity = { computed = \"'flit' if virtual_channels > 1 else 'worm'\" }",
         ["worm", "flit"] * 2),
        ('run.fidelity = ["flit", "packet"]', ["flit", "packet"] * 4),
        ('mix_fidelities = false\n[run]\nfidelity = "flit"', ["flit"] * 4),
    ],
)  # fmt: skip
def test_fidelities_that_are_asked_for(more: str, found: list[str]) -> None:
    points = sweep_of(f'{MIXED}\n    machine.switch.input_buffer = ["1 kB"]\n    {more}').points()
    assert [point.experiment.fidelity for point in points] == found


# Files.


def written(folder: Path, text: str, name: str = "study.toml") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_a_file_with_a_sweep_is_an_experiment_without_it(tmp_path: Path) -> None:
    path = written(tmp_path, "[workload]\nradius = 3\n[sweep]\nworkload.radius = [1, 2]")
    assert Experiment.load(path) == Experiment.from_dict({"workload": {"radius": 3}})
    with pytest.raises(UserError) as caught:
        Experiment.load(path, ["sweep.seeds=3"])
    assert str(caught.value) == "sweep.seeds = 3: changes a sweep; this is a single experiment"


def test_a_file_without_a_sweep_is_one_point(examples: Path) -> None:
    sweep = Sweep.load(examples / "tweedie.toml")
    [point] = sweep.points()
    assert point.experiment == Experiment.load(examples / "tweedie.toml")
    assert point.modes == ("full", "throttled")
    assert point.varied == {}


@pytest.mark.parametrize("name", ["none.toml", "bad.toml"])
def test_files_that_cannot_be_read(tmp_path: Path, name: str) -> None:
    written(tmp_path, "[sweep\n", "bad.toml")
    with pytest.raises(UserError, match=r"no such file|is not valid TOML"):
        Sweep.load(tmp_path / name)


def test_a_number_of_thousands_of_digits(tmp_path: Path) -> None:
    path = written(tmp_path, f"[sweep]\nseeds = {'1' * 5000}\n")
    with pytest.raises(UserError, match="is not valid TOML"):
        Sweep.load(path)


def test_overrides_change_the_base_and_keys_of_the_sweep(tmp_path: Path) -> None:
    path = written(tmp_path, "[sweep]\nworkload.radius = [1, 2]\nseeds = 3")
    sweep = Sweep.load(path, ["workload.messages=5", "run.seed=7", "sweep.seeds=2"])
    assert sweep.title == "study"
    assert [point.experiment.run.seed for point in sweep.points()] == [7, 8, 7, 8]
    assert {point.experiment.workload.messages for point in sweep.points()} == {5}
    assert sweep.description()["base"]["workload"] == {"messages": 5}


@pytest.mark.parametrize(
    ("override", "expected"),
    [
        (
            "workload.radius=3",
            "workload.radius = 3: is varied by sweep.workload.radius: "
            "change that, or leave out --set",
        ),
        (
            "workload.messages=3",
            "workload.messages = 3: is varied by sweep.workload.messages: "
            "change that, or leave out --set",
        ),
        ("run.mode=free", 'run.mode = "free": is given by sweep.modes in a sweep'),
        ("run.seed=3", "run.seed = 3: is given by the list sweep.seeds"),
        ("run.sed=3", "run.sed: unknown key; did you mean run.seed?"),
        ("sweep.sed=3", "sweep.sed: unknown key; did you mean sweep.seeds?"),
        (
            "sweep=3",
            '--set = "sweep=3": must be table.key=value, such as run.seed=2 or '
            "machine.link.rate=1 Gbit/s",
        ),
    ],
)
def test_overrides_refused_in_one_line(tmp_path: Path, override: str, expected: str) -> None:
    text = 'seeds = [1]\nworkload.radius = [1, 2]\nworkload.messages = { computed = "radius" }'
    path = written(tmp_path, f"[sweep]\n{text}")
    with pytest.raises(UserError) as caught:
        list(Sweep.load(path, [override]).points())
    assert str(caught.value) == expected


HEADER = "time_ns,source,destination,bytes\n"


def test_message_files_are_relative_to_the_file(tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv"):
        written(tmp_path, f"{HEADER}5,0,1,2\n", name)
    start = '[machine.topology]\ndims = [2, 2]\n[workload]\nkind = "messages"\n'
    path = written(tmp_path, f'{start}file = "a.csv"\n[sweep]\nmachine.node_link.width = [1, 2]')
    sweep = Sweep.load(path)
    assert len(list(sweep.points())) == 2
    assert str(tmp_path) not in json.dumps(sweep.description())
    absolute = tmp_path / "b.csv"
    path = written(tmp_path, f'{start}[sweep]\nworkload.file = ["a.csv", "{absolute}"]')
    sweep = Sweep.load(path)
    assert [point.varied["workload.file"] for point in sweep.points()] == ["a.csv", "b.csv"]
    assert sweep.description()["sweep"]["workload"]["file"] == ["a.csv", "b.csv"]
    assert str(tmp_path) not in json.dumps(sweep.description())
    path = written(tmp_path, f'{start}[sweep]\nworkload.file = ["none.csv"]')
    with pytest.raises(
        UserError, match=r'with workload.file = "none.csv": .*none.csv: no such file'
    ):
        list(Sweep.load(path).points())


def test_the_description_is_what_was_asked_for() -> None:
    text = """
        [machine.topology]
        dims = [4, 4]
        [sweep]
        seeds = 2
        workload.compute_period = { computed = "c / 2" }
        let.c = ["1 us", "2 us"]
    """
    sweep = sweep_of(text)
    description = sweep.description()
    assert description == {
        "name": "sweep",
        "title": None,
        "sweep": tomllib.loads(text)["sweep"],
        "modes": ["full", "endpoints"],
        "seeds": [1, 2],
        "varied": ["workload.compute_period", "sweep.c"],
        "base": {"machine": {"topology": {"dims": [4, 4]}}, "workload": {}, "run": {}},
    }
    assert json.loads(json.dumps(description, allow_nan=False)) == description
    description["base"]["machine"]["topology"]["dims"].append(9)
    assert sweep.description()["base"]["machine"]["topology"]["dims"] == [4, 4]


def test_a_sweep_says_what_it_is() -> None:
    assert repr(sweep_of("seeds = 4")) == "<Sweep 'sweep' of seeds: 4 points>"


def test_the_example(examples: Path) -> None:
    sweep = Sweep.load(examples / "sweep.toml")
    points = list(sweep.points())
    assert sweep.count == len(points) == 20
    assert {point.experiment.machine.shape for point in points} == {(8, 8)}


# The guide and the schema.


def blocks() -> Iterator[tuple[str, str]]:
    """Yield every TOML block of the guide with the text that follows it, if any."""
    pattern = r"```toml\n(.*?)```\n(?:\n```text\n(.*?)```)?"
    yield from re.findall(pattern, GUIDE.read_text(), re.DOTALL)


@pytest.mark.parametrize(("text", "expected"), list(blocks()))
def test_the_guide_is_right(text: str, expected: str) -> None:
    if expected.startswith("error: "):
        assert f"error: {refusal(text)}" == expected.strip()
        return
    points = list(sweep_of(text).points())
    lines = [
        ", ".join(
            f"{name.removesuffix('.kind').rpartition('.')[2]} = {value}"
            for name, value in point.varied.items()
        )
        for point in points
    ]
    shown = expected.splitlines()
    if shown and shown[-1] == "…":
        shown.pop()
        assert len(lines) > len(shown)
        lines = lines[: len(shown)]
    assert not shown or lines == shown


def test_the_guide_has_examples_of_everything() -> None:
    found = list(blocks())
    assert sum(bool(expected) for _, expected in found) >= 8
    keys: set[str] = set()
    for text, _ in found:
        keys |= set(
            re.findall(r"\b(seeds|modes|exclude|computed|from|to|step|count|digits)\b", text)
        )
    assert len(keys) == 9


def valid(description: Any) -> bool:
    return bool(VALIDATOR.is_valid(description))


@pytest.mark.parametrize("text", [text for text, _ in blocks()])
def test_the_schema_allows_what_the_guide_shows(text: str) -> None:
    assert valid(tomllib.loads(text))


@pytest.mark.parametrize(
    "text",
    [
        "sead = 3",
        "workload.raduis = [1]",
        "workload.radius = 3",
        "workload.radius = []",
        "workload.radius = { form = 1, to = 2 }",
        "workload.radius = { from = 1, count = 2 }",
        "workload.radius = { from = 1, to = 2, count = 1 }",
        'workload.radius = { from = 1, to = 2, count = 3, scale = "lin" }',
        "workload.radius = { computed = 3 }",
        'workload.radius = { computed = "3", from = 1 }',
        'run.mode = ["full"]',
        "run.seed = [1]",
        "let.n = 3",
        'modes = ["ful"]',
        "modes = []",
        "seeds = 0",
        "seeds = [-1]",
        "seeds = [1, 1]",
        'exclude = "n == 1"',
        "seeds = 1\nmix_fidelities = 1",
    ],
)
def test_the_schema_refuses_what_a_sweep_refuses(text: str) -> None:
    refusal(text)
    assert not valid({"sweep": tomllib.loads(text)})


def test_the_schema_describes_the_keys_of_a_sweep() -> None:
    properties = SCHEMA["properties"]["sweep"]["properties"]
    asked = {"modes", "seeds", "mix_fidelities", "exclude"}
    assert set(properties) == asked | {"let", "machine", "workload", "run", "fault"}
    assert all("description" in value for value in properties.values())
    assert "preset" in properties["machine"]["properties"]
