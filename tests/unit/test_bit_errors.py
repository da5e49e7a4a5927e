"""Links that damage bits: packets are sent again on their link."""

from __future__ import annotations

from typing import Any

import pytest

import tailback as tb
from tailback.charging import KINDS
from tailback.errors import UserError
from tailback.experiment import Experiment
from tailback.prediction import describe

MESH: dict[str, Any] = {"topology": {"kind": "mesh", "dims": [3, 2]}}
RING: dict[str, Any] = {"kind": "ring_allreduce", "size": "240 kB"}


def described(*faults: dict[str, Any], **run: Any) -> Experiment:
    tables = {"machine": MESH, "workload": RING, "run": run, "fault": list(faults)}
    return Experiment.from_dict(tables)


def completion(*faults: dict[str, Any], **run: Any) -> float:
    return float(tb.run(described(*faults, **run))["completion_us"].value)


def test_more_errors_cost_more_and_the_seed_of_the_run_draws_them() -> None:
    found = [
        completion(),
        *(completion({"every": "link", "bit_error_rate": rate}) for rate in (1e-12, 1e-5, 1e-4)),
    ]
    assert found[0] == found[1] < found[2] < found[3]
    one = {"every": "link", "bit_error_rate": 1e-5}
    assert len({completion(one, seed=seed) for seed in range(4)}) > 1
    assert completion(one, seed=2) == completion(one, seed=2)


def test_it_may_be_for_a_time_flap_or_be_beside_a_slower_rate() -> None:
    errors = {"link": "(0, 0) to (1, 0)", "bit_error_rate": 1e-4}
    whole = completion()
    assert completion({**errors, "time": "1 s"}) == whole
    assert completion({**errors, "duration": "2 us"}) > whole
    flapping = {**errors, "duration": "1 us", "up_time": "1 us", "count": 20}
    assert whole < completion(flapping) < completion(errors)
    assert completion({**errors, "rate_share": 0.5}) > completion(errors)


def test_it_is_charged_to_faults() -> None:
    run = tb.run(described({"every": "link", "bit_error_rate": 1e-5}, blame=True))
    assert run.blame is not None
    kinds = {KINDS[kind] for kind in run.blame.pairs.keys[:, -1].tolist()}
    assert "fault" in kinds


def test_it_lasts_for_ever_unless_it_is_said() -> None:
    found = describe(described({"node": 0, "bit_error_rate": 1e-9})).faults
    assert found is not None
    assert found.count == 1
    assert found.first[0].duration_us == float("inf")


@pytest.mark.parametrize(
    ("fault", "problem"),
    [
        ({"link": "0 to 1", "bit_error_rate": 0}, "fault[0].bit_error_rate = 0: must be at least"),
        ({"link": "0 to 1", "bit_error_rate": 1}, "fault[0].bit_error_rate = 1: must be at most"),
        (
            {"node": 0, "bit_error_rate": 1e-9, "time_factor": 2},
            "fault[0].bit_error_rate = 1e-09: must be left out beside time_factor",
        ),
        (
            {"link": "0 to 1", "bit_error_rate": 1e-9, "rate_share": 0},
            "fault[0].duration: must be given: packets for a link that stays down",
        ),
    ],
)
def test_mistakes_are_one_line(fault: dict[str, Any], problem: str) -> None:
    with pytest.raises(UserError) as refused:
        described(fault)
    assert str(refused.value).startswith(problem)


def test_a_rate_with_which_hardly_a_packet_is_across_is_refused() -> None:
    with pytest.raises(UserError) as refused:
        tb.run(described({"link": "0 to 1", "bit_error_rate": 0.01}))
    assert str(refused.value).startswith("fault[0].bit_error_rate = 0.01: must be at most 2.")
