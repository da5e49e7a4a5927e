"""Sweeps over keys of tables with names: jobs, and traffic classes of workloads and of jobs."""

from __future__ import annotations

from pathlib import Path

import pytest

import tailback as tb
from tailback.analysis import table
from tailback.terminal.runs import runs_table
from tailback.workloads import Traffic
from tests.stores import store_of
from tests.sweeps import refusal, sweep_of, values_of

MACHINE = """
[machine]
preset = "booksim_mesh"
topology.dims = [2, 2]
switch.virtual_channels = 2
switch.arbiter = "priority"
switch.allocator = "separable_input_first"
"""
JOBS = f"""{MACHINE}
[[job]]
name = "bulk"
nodes = [0, 2]
virtual_channels = [0, 0]
[job.workload]
repeat = 5
[[job]]
name = "urgent"
nodes = [1, 3]
[job.workload]
repeat = 5
"""
JOBS_OF_CLASSES = JOBS.replace("virtual_channels = [0, 0]\n", "").replace(
    "repeat = 5\n[[job]]",
    """kind = "traffic"
[[job.workload.traffic_class]]
name = "read"
period = "1 us"
repeat = 2
[[job]]""",
)
CLASSES = f"""{MACHINE}
[workload]
kind = "traffic"
traffic_class = [
  {{name = "read", message_size = "8 B", period = "1 us", repeat = 20, reply = "data"}},
  {{name = "data", message_size = "64 B"}},
]
"""


def test_keys_of_classes_are_varied_by_name() -> None:
    text = f"""{CLASSES}
[sweep]
workload.traffic_class.read.priority = [0, 2]
workload.traffic_class.data.priority = {{computed = "3 - workload.traffic_class.read.priority"}}
"""
    assert values_of(text) == [(0, 3), (2, 1)]
    for point in sweep_of(text).points():
        workload = point.experiment.workload
        assert isinstance(workload, Traffic)
        assert [one.priority for one in workload.traffic_class] == [*point.varied.values()]
        assert str(workload.traffic_class[0].message_size) == "8 B"


def test_keys_of_classes_of_jobs_are_varied_by_name() -> None:
    text = f"{JOBS_OF_CLASSES}[sweep]\n"
    text += 'job.bulk.workload.traffic_class.read.period = ["1 us", "2 us"]\n'
    found = [point.experiment.jobs[0].workload for point in sweep_of(text).points()]
    assert [str(one.traffic_class[0].period) for one in found] == ["1 us", "2 us"]  # type: ignore[attr-defined]


def test_a_class_is_changed_by_name_in_one_experiment_too(tmp_path: Path) -> None:
    path = tmp_path / "classes.toml"
    path.write_text(CLASSES)
    workload = tb.load(path, ["workload.traffic_class.data.priority=7"]).workload
    assert isinstance(workload, Traffic)
    assert [one.priority for one in workload.traffic_class] == [0, 7]
    with pytest.raises(
        tb.UserError, match=r'= "dat": must be "read" or "data"; did you mean "data"'
    ):
        tb.load(path, ["workload.traffic_class.dat.priority=7"])


def test_virtual_channels_of_a_job_are_told_as_a_range(tmp_path: Path) -> None:
    text = f'{JOBS}[sweep]\nmodes = ["full"]\njob.urgent.virtual_channels = [[1, 1]]\n'
    text += "job.urgent.priority = [0, 1]\n"
    shown = runs_table(table(store_of(tmp_path, text)))
    assert "1 to 1" in shown
    assert "1 x 1" not in shown


def test_channels_that_links_do_not_have_are_refused_before_anything_is_written(
    tmp_path: Path,
) -> None:
    sweep = sweep_of(f"{CLASSES}[sweep]\nworkload.traffic_class.data.virtual_channels = [[0, 2]]\n")
    with pytest.raises(tb.UserError) as caught:
        tb.sweep(sweep, tmp_path / "out")
    assert str(caught.value) == (
        "with data.virtual_channels = [0, 2]: workload.traffic_class[1].virtual_channels = 0 to 2: "
        "must be the first and the last of some of the 2 of a link, 0 to 1"
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("base", "varied", "told"),
    [
        (
            JOBS,
            "job.urgent.virtual_channels = [[0], [1, 1]]",
            "job.urgent.virtual_channels = [0]: must be the first and the last one, such as [0, 1]",
        ),
        (
            JOBS,
            "job.urgent.virtual_channels = [[1, 1], [0, 0]]",
            "with urgent.virtual_channels = [0, 0]: job.virtual_channels: must name every one: "
            "virtual channel 1 is nobody's",
        ),
        (
            JOBS.replace("nodes = [1, 3]", "nodes = [1, 3]\nvirtual_channels = [1, 1]"),
            "machine.switch.virtual_channels = [2, 1]",
            "with virtual_channels = 1: job.urgent.virtual_channels = 1 to 1: must be the first "
            "and the last of some of the 1 of a link, 0 to 0",
        ),
        (
            JOBS_OF_CLASSES,
            "job.bulk.workload.traffic_class.read.virtual_channels = [[0, 1], [1, 2]]",
            "job.bulk.workload.traffic_class.read.virtual_channels = 1 to 2: must be the first and",
        ),
        (
            CLASSES,
            "workload.traffic_class.read.virtual_channels = [[0, 1], [1, 0]]",
            "virtual_channels = [1, 0]: must be the first and the last one, such as [0, 1]",
        ),
        (
            CLASSES,
            "workload.traffic_class.read.virtual_channels = [[0, 1], [-1, 1]]",
            "workload.traffic_class[0].virtual_channels[0] = -1: must be at least 0",
        ),
        (JOBS, "job.priority = [0, 1]", "sweep.job.priority: must name one: sweep.job.NAME.prior"),
        (
            JOBS,
            "job.urgent.priorty = [0, 1]",
            "sweep.job.urgent.priorty: unknown key; did you mean sweep.job.urgent.priority?",
        ),
        (
            CLASSES,
            "workload.traffic_class.priority = [0, 1]",
            "sweep.workload.traffic_class.priority: must name one: sweep.workload.traffic_class.NA",
        ),
        (
            CLASSES,
            "workload.traffic_class.reed.priority = [0, 1]",
            'sweep.workload.traffic_class = "reed": must be "read" or "data"; did you mean "read"?',
        ),
        (
            CLASSES,
            "workload.traffic_class.read.name = [0, 1]",
            "sweep.workload.traffic_class.read.name: unknown key",
        ),
        (
            MACHINE,
            "workload.traffic_class.read.priority = [0, 1]",
            'class = "read": there are no such classes: no [[workload.traffic_class]]',
        ),
    ],
)
def test_mistakes_name_what_was_meant(base: str, varied: str, told: str) -> None:
    assert told in refusal(f"{base}[sweep]\n{varied}\n")
