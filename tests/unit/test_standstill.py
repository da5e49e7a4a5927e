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
