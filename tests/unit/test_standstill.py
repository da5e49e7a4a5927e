"""Packets that wait for each other for ever, drawn on their network."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import tailback as tb
from tailback.errors import RunFailure
from tailback.experiment import Experiment
from tailback.figures.blocked import picture_of, write_standstill
from tailback.figures.look import LIGHT
from tailback.figures.naming import named_switches
from tailback.figures.network_map import HELD
from tailback.standstill import Standstill
from tests.standstill import ASKING, RING


def drawn(tables: dict[str, Any], folder: Path) -> tuple[RunFailure, str]:
    """Return why a run cannot go on, and the picture of it."""
    experiment = Experiment.from_dict(tables)
    with pytest.raises(RunFailure) as caught:
        tb.run(experiment)
    path = folder / "circle.svg"
    write_standstill(experiment.machine, caught.value, path)
    return caught.value, path.read_text(encoding="utf-8")


def steps(svg: str) -> list[tuple[float, float]]:
    """Return where packets stand, in the order of their numbers."""
    found = re.findall(rf'<circle cx="([\d.]+)" cy="([\d.]+)" r="9" fill="{HELD}">', svg)
    numbers = re.findall(r'text-anchor="middle">(\d+)</text>', svg)
    assert numbers == [str(number) for number in range(1, len(found) + 1)]
    return [(float(x), float(y)) for x, y in found]


def held(svg: str) -> set[str]:
    """Return the channels that stand out."""
    return set(re.findall(rf'stroke="{HELD}"[^>]*><title>([^<]*)</title>', svg))


def test_a_circle_of_channels_is_drawn(tmp_path: Path) -> None:
    failure, svg = drawn(RING, tmp_path)
    assert len(steps(svg)) == len(failure.circle) > 1
    names = {place["name"] for blocked in failure.circle for place in blocked["holds"]}
    assert held(svg) == {name for name in names if "node" not in name}
    assert "deadlock at" in svg


def test_a_protocol_deadlock_is_drawn_with_those_that_wait_in_nodes(tmp_path: Path) -> None:
    failure, svg = drawn(ASKING, tmp_path)
    places = steps(svg)
    assert len(places) == len(failure.circle) == 8
    assert len(set(places)) == 8
    assert held(svg) == {
        "(0, 0) to (1, 0)",
        "(1, 0) to (1, 1)",
        "(1, 1) to (0, 1)",
        "(0, 1) to (0, 0)",
    }
    assert "waits for a place for its reply at node (1, 1)" in svg
    # First in the queue of a node, where its switch is drawn.
    switches = re.findall(rf'<circle cx="([\d.]+)" cy="([\d.]+)" r="5" fill="{LIGHT.text}">', svg)
    assert sum((float(x), float(y)) in places for x, y in switches) == 2


def test_names_of_switches_do_not_cover_numbers_of_packets() -> None:
    experiment = Experiment.from_dict(ASKING)
    with pytest.raises(RunFailure) as caught:
        tb.run(experiment)
    kept = Standstill.of(experiment.machine, caught.value)
    seen = picture_of(kept, "deadlock")
    assert seen is not None
    scale = 560 / seen.extent
    names = named_switches(seen, 560)
    assert len(names) == 4
    for name in names:
        x, y = name.point[0] * scale + name.right, name.point[1] * scale + name.up
        for step in seen.steps:
            right, up = step.point[0] * scale, step.point[1] * scale
            assert abs(right - x) > 20 or abs(up - y) > 8, (name, step)


class TestNamesOfAFile:
    """A network from a file has names, which its deadlocks are told by."""

    @pytest.fixture
    def failed(self, tmp_path: Path) -> tuple[RunFailure, str]:
        links = ["spineA leafX", "leafX spineB", "spineB leafY", "leafY 12", "12 spineA"]
        (tmp_path / "ring.edgelist").write_text("\n".join(links))
        machine = {
            "topology": {
                "kind": "graph",
                "file": str(tmp_path / "ring.edgelist"),
                "nodes_per_switch": 2,
            },
            "routing": {"kind": "shortest", "allow_deadlock": True},
            "switch": {"input_buffer": "5 kB"},
        }
        workload = {
            "preset": "uniform_open_loop",
            "message_size": "4 kB",
            "compute_period": "100 ns",
        }
        tables = {"machine": machine, "workload": workload, "run": {"duration": "1 ms"}}
        return drawn(tables, tmp_path)

    def test_switches_and_nodes_have_them(self, failed: tuple[RunFailure, str]) -> None:
        failure, _ = failed
        names = {place["name"] for blocked in failure.circle for place in blocked["holds"]}
        assert names == {
            "spineA to switch 12",
            "switch 12 to leafY",
            "leafY to spineB",
            "spineB to leafX",
            "leafX to spineA",
        }
        assert {blocked["from"] for blocked in failure.circle} <= {
            f"{switch}.{node}"
            for switch in ("spineA", "leafX", "spineB", "leafY", "12")
            for node in (0, 1)
        }
        assert re.search(r"packet \d+ from \w+\.\d to \w+\.\d holds ", str(failure))
        assert "and waits for room in switch 12 to leafY (channel 0)" in str(failure)
        assert ("process 0 on spineA.0") in {who for who, _ in failure.waiting}

    def test_the_picture_has_the_same(self, failed: tuple[RunFailure, str]) -> None:
        failure, svg = failed
        names = {place["name"] for blocked in failure.circle for place in blocked["holds"]}
        assert held(svg) == names
