"""Jobs in the background: the run ends when all other jobs have ended."""

from __future__ import annotations

import json
from typing import Any

import pytest

import tailback as tb
from tailback.errors import UserError
from tailback.experiment import Experiment

NOISE = tb.Synthetic(sync="asynchronous", message_size="2 kB", load=0.4)
RING = tb.RingAllreduce(size="100 kB")
MESH = tb.Machine(topology=tb.Mesh(dims=(4, 4)))


def jobs(background: bool = True, workload: Any = RING, **noise: Any) -> list[tb.Job]:
    return [
        tb.Job(name="reduce", share=8, placement="random", workload=workload),
        tb.Job(name="noise", background=background, workload=NOISE, **noise),
    ]


def experiment(*args: Any, run: dict[str, Any] | None = None, **more: Any) -> Experiment:
    return Experiment(MESH, jobs=tuple(jobs(*args, **more)), run=tb.Run(**run or {}))


@pytest.mark.parametrize("mode", ["full", "endpoints", "throttled", "free", "ideal"])
def test_a_run_ends_with_the_other_jobs(mode: str) -> None:
    result = tb.run(experiment(run={"mode": mode}))
    assert result.ending.stop_reason == "finished"
    assert result.complete
    ended = result.jobs["reduce"]["completion_us"].value
    assert result["completion_us"].value == ended
    assert result.ending.simulated_ms * 1e3 == pytest.approx(ended)
    # In the mode ideal messages take no time, so that the run ends as it begins.
    assert result.jobs["noise"].messages > 10 or mode == "ideal"
    assert "completion_us" not in result.jobs["noise"].estimates
    completed = dict(
        zip(
            result.processes["job"].to_pylist(),
            result.processes["completed_ps"].is_null().to_pylist(),
            strict=True,
        )
    )
    assert completed == {0: False, 1: True}


@pytest.mark.parametrize("mode", ["full", "endpoints", "free"])
def test_up_to_then_it_is_a_run_of_that_duration(mode: str) -> None:
    ended = tb.run(experiment(run={"mode": mode}))
    lasts = f"{round(ended.ending.simulated_ms * 1e9)} ps"
    same = {"mode": mode, "warmup": "0 s", "duration": lasts}
    other = tb.run(experiment(False, run=same))
    reduce = "delivered_messages_per_node_per_ms"
    assert other.jobs["reduce"]["completion_us"].value == ended["completion_us"].value
    assert other.jobs["noise"].messages == ended.jobs["noise"].messages
    assert other[reduce].value == pytest.approx(ended[reduce].value)


def test_without_others_it_goes_on_for_ever() -> None:
    alone = experiment().only("noise")
    assert not alone.finite
    assert experiment().finite
    assert experiment().only("reduce").finite


def test_interference_tells_what_the_background_costs() -> None:
    found = tb.interference(experiment(), precision=0.1)
    assert found.complete
    assert found.slowdowns["reduce"].value > 1.05
    assert found.together.jobs["reduce"].ends
    assert json.dumps(found.to_dict())


def test_a_background_job_that_shares_nothing_is_as_fast_beside_others() -> None:
    """Alone it was measured for longer, with longer queues: 6 % faster beside the other."""
    machine = tb.Machine(topology=tb.Xgft(children=[8, 2], parents=[4]))
    ring, noise = tb.RingAllreduce(size="300 kB"), tb.Synthetic(load=0.5, message_size="16 kB")
    jobs = (
        tb.Job(name="ring", share=8, workload=ring),
        tb.Job(name="noise", background=True, workload=noise),
    )
    found = tb.interference(Experiment(machine, jobs=jobs))
    assert found.slowdowns["ring"].value == 1
    assert found.slowdowns["noise"].value == pytest.approx(1, rel=0.01)
    assert found.slowdowns["noise"].half_width == 0
    assert found.alone["noise"].ending.simulated_ms == pytest.approx(
        found.together.ending.simulated_ms
    )


def test_a_list_of_messages_ends_when_all_have_arrived() -> None:
    rows = [["0 ns", 0, 5, "1 kB"], ["3 us", 1, 6, "300 kB"]]
    messages = tb.Messages(messages=rows)
    result = tb.run(experiment(workload=messages))
    assert result.ending.stop_reason == "finished"
    assert result.jobs["reduce"].messages == 2
    assert result["completion_us"].value > 3


def test_a_background_job_that_ends_is_not_waited_for() -> None:
    short, long = tb.RingAllreduce(size="10 kB"), tb.RingAllreduce(size="10 MB")
    behind = tb.Job(name="long", background=True, workload=long)
    given = (tb.Job(name="short", share=4, workload=short), behind)
    result = tb.run(Experiment(MESH, jobs=given))
    assert result["completion_us"].value == result.jobs["short"]["completion_us"].value
    assert result.jobs["long"]["completion_us"].is_cut_off


@pytest.mark.parametrize(
    ("made", "problem"),
    [
        (
            lambda: experiment(False),
            "run.duration: must be given: job reduce ends by itself, and job noise goes on for "
            "ever, unless job.noise.background = true",
        ),
        (
            lambda: Experiment(MESH, jobs=tuple(jobs()[1:])),
            "job.noise.background = true: must be false: there is no other job to wait for",
        ),
        (
            lambda: experiment(workload=NOISE),
            "job.noise.background = true: has no effect: job reduce goes on for ever, too",
        ),
        (
            lambda: experiment(run={"critical_path": True}),
            "run.critical_path = true: job noise is in the background: nothing that ends waits "
            "for its end",
        ),
    ],
)
def test_mistakes_are_one_line(made: Any, problem: str) -> None:
    with pytest.raises(UserError) as caught:
        made()
    assert str(caught.value) == problem


def test_a_job_that_is_not_in_the_background_keeps_its_identity() -> None:
    spec = json.loads(experiment(False, run={"duration": "1 ms"}).spec())
    assert all("background" not in job for job in spec["workload"]["jobs"])
