"""Faults that come again: links that flap, failures that are drawn, and how they are told."""

from __future__ import annotations

import json
from typing import Any

import pytest

import tailback as tb
from tailback.answers import of_cost
from tailback.comparison import cost
from tailback.errors import UserError
from tailback.experiment import Experiment
from tailback.prediction import describe
from tests.commands import tailback

MESH: dict[str, Any] = {"topology": {"kind": "mesh", "dims": [3, 2]}}
RING: dict[str, Any] = {"kind": "ring_allreduce", "size": "240 kB"}
FLAPS: dict[str, Any] = {
    "link": "(0, 0) to (1, 0)",
    "time": "1 us",
    "duration": "2 us",
    "up_time": "3 us",
}
DRAWN: dict[str, Any] = {
    "every": "link",
    "mean_time_to_failure": "10 us",
    "mean_time_to_repair": "1 us",
    "until": "30 us",
}


def described(*faults: dict[str, Any]) -> Experiment:
    return Experiment.from_dict({"machine": MESH, "workload": RING, "fault": list(faults)})


def test_a_link_that_flaps_is_as_so_many_faults_one_by_one() -> None:
    one_by_one = [
        {"link": FLAPS["link"], "time": f"{1 + 5 * n} us", "duration": "2 us"} for n in range(4)
    ]
    expected = tb.run(described(*one_by_one))
    for end in ({"count": 4}, {"until": "17 us"}, {"until": "16001 ns", "count": 9}):
        found = tb.run(described({**FLAPS, **end}))
        assert found.samples.equals(expected.samples)
        assert found.channels.equals(expected.channels)


def test_drawn_failures_are_the_same_for_a_seed_and_others_for_another() -> None:
    def completion(**keys: Any) -> float:
        return tb.run(described({**DRAWN, **keys}))["completion_us"].value

    assert completion() == completion(seed=1)
    assert len({completion(seed=seed) for seed in range(6)}) > 3
    whole = tb.run(Experiment.from_dict({"machine": MESH, "workload": RING}))
    assert completion() > whole["completion_us"].value


def test_seeds_of_runs_do_not_change_failures() -> None:
    def first(seed: int) -> Any:
        tables = {"machine": MESH, "workload": RING, "run": {"seed": seed}, "fault": [DRAWN]}
        found = describe(Experiment.from_dict(tables)).faults
        assert found is not None
        return found

    assert first(1) == first(2)


def test_describe_tells_how_many_faults_there_are_and_the_first() -> None:
    found = describe(described({**FLAPS, "count": 7}))
    told = found.to_dict()["faults"]
    assert told["count"] == 7
    assert told["first"][1] == {
        "where": "(0, 0) to (1, 0)",
        "time_us": 6.0,
        "duration_us": 2.0,
    }
    assert len(told["first"]) == 5
    assert "faults" not in describe(Experiment.from_dict({"machine": MESH})).to_dict()
    slow = describe(described({"node": 3, "rate_share": 0.5}, {"switch": 1, "rate_share": 0.5}))
    assert slow.faults is not None
    assert [(one.where, one.duration_us) for one in slow.faults.first] == [
        ("node (0, 1)", float("inf")),
        ("switch (1, 0)", float("inf")),
    ]
    assert slow.faults.to_dict()["first"][0]["duration_us"] is None


def test_the_command_prints_them(tmp_path: Any) -> None:
    file = tmp_path / "faults.toml"
    keys = "\n".join(f"{key} = {json.dumps(value)}" for key, value in DRAWN.items())
    file.write_text(f'[machine]\ntopology.kind = "mesh"\n\n[[fault]]\n{keys}\n')
    told = tailback("describe", str(file)).stdout
    assert "Faults: " in told
    assert ", the first 5 of them" in told
    assert "port" not in told


def test_parallel_cables_are_told_apart_by_their_ports() -> None:
    machine = {"topology": {"kind": "torus", "dims": [2]}}
    link = {**FLAPS, "link": "0:1", "count": 1}
    found = describe(Experiment.from_dict({"machine": machine, "workload": RING, "fault": [link]}))
    assert found.faults is not None
    assert found.faults.first[0].where in ("(0) to (1)", "(0) to (1), port 0")


def test_the_answer_counts_tables_only_where_none_comes_again() -> None:
    found = of_cost(cost(described({**FLAPS, "count": 4}))).sentences[0]
    assert found.startswith("These faults cost ")


@pytest.mark.parametrize(
    ("fault", "problem"),
    [
        ({**FLAPS}, "fault[0].until: must be given, or count: how long it goes on flapping"),
        ({**FLAPS, "duration": None, "count": 2}, "fault[0].duration: must be given with up_time"),
        ({**FLAPS, "count": 0}, "fault[0].count = 0: must be at least 1"),
        ({**FLAPS, "up_time": "0 us", "count": 2}, 'fault[0].up_time = "0 s": must be above 0'),
        ({**FLAPS, "up_time": None, "count": 2}, "fault[0].count = 2: must be left out without"),
        ({**DRAWN, "until": None}, "fault[0].until: must be given where failures are at random"),
        ({**DRAWN, "mean_time_to_repair": None}, "fault[0].mean_time_to_repair: must be given"),
        ({**DRAWN, "mean_time_to_failure": None}, "fault[0].mean_time_to_failure: must be given"),
        ({**DRAWN, "duration": "1 us"}, 'fault[0].duration = "1 us": must be left out where'),
        ({**DRAWN, "every": "cable"}, 'fault[0].every = "cable": must be "link", "switch"'),
        ({**DRAWN, "every": None}, "fault[0].link: must be given, or switch, node or every"),
        ({**DRAWN, "node": 0}, 'fault[0].every = "link": must be left out beside node'),
        ({**FLAPS, "count": 2, "seed": 3}, "fault[0].seed = 3: must be left out without mean_time"),
        ({**DRAWN, "until": "2 s"}, "fault[0].until: must be earlier: more than 1000000 faults"),
    ],
)
def test_mistakes_are_one_line(fault: dict[str, Any], problem: str) -> None:
    with pytest.raises(UserError) as refused:
        described({key: value for key, value in fault.items() if value is not None})
    assert str(refused.value).startswith(problem)
    assert "\n" not in str(refused.value)


def test_every_link_of_a_network_without_links_is_refused() -> None:
    tables = {"machine": {"topology": {"kind": "star"}}, "fault": [DRAWN]}
    with pytest.raises(UserError) as refused:
        Experiment.from_dict(tables)
    told = 'fault[0].every = "link": must be switch or node: no link joins two switches'
    assert str(refused.value) == told
