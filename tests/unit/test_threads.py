"""Simulations of one question at the same time: the same answers as one after the other."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tailback as tb
from tailback import interrupts, memory
from tailback.comparison import compare
from tailback.errors import RunFailure, UserError
from tailback.execution import LocalPool
from tailback.experiment.memory import at_once
from tailback.memory import ShortMemoryError
from tailback.progress import State, Watch, ignore
from tailback.saturation import saturate
from tailback.sweeps import Sweep
from tailback.sweeps.running import SweepRun, simulate
from tailback.threads import Crew, Task, check_jobs, in_order, processors, usual_jobs
from tests.commands import tailback

ROOT = Path(__file__).resolve().parents[2]


def waits_for(event: threading.Event, answer: int) -> Task[int]:
    """Return a task that is over when an event has come."""

    def run(watch: Watch) -> int:
        assert event.wait(20)
        return answer

    return Task(run)


def sets(event: threading.Event, answer: int) -> Task[int]:
    def run(watch: Watch) -> int:
        event.set()
        return answer

    return Task(run)


def fails(error: BaseException, begun: Callable[[], object] = int) -> Task[int]:
    def run(watch: Watch) -> int:
        begun()
        raise error

    return Task(run)


def lasts(answer: int) -> Task[int]:
    """Return a task that goes on until it is told to stop."""

    def run(watch: Watch) -> int:
        with interrupts.deferred() as stopped:
            while not stopped():
                time.sleep(0.001)
        return answer

    return Task(run)


class TestOrder:
    def test_answers_are_in_order_however_tasks_end(self) -> None:
        event = threading.Event()
        assert in_order([waits_for(event, 1), sets(event, 2)], 2, ignore) == [1, 2]

    def test_one_job_is_this_thread(self) -> None:
        threads: list[threading.Thread] = []

        def run(watch: Watch) -> None:
            threads.append(threading.current_thread())

        in_order([Task(run), Task(run)], 1, ignore)
        assert threads == [threading.main_thread()] * 2

    @pytest.mark.parametrize("jobs", [1, 2, 3])
    def test_the_error_told_is_that_of_the_first_task(self, jobs: int) -> None:
        late = threading.Event()
        tasks = [
            Task[int](lambda watch: 0),
            fails(UserError("a", None, "first"), late.set if jobs == 1 else lambda: late.wait(20)),
            fails(UserError("b", None, "second"), late.set),
            lasts(3),
        ]
        with pytest.raises(UserError, match="first"):
            in_order(tasks, jobs, ignore)

    def test_an_error_stops_what_is_under_way(self) -> None:
        before = threading.active_count()
        with pytest.raises(RunFailure, match="it stands"):
            in_order([fails(RunFailure("it stands")), *[lasts(i) for i in range(5)]], 3, ignore)
        assert threading.active_count() == before

    def test_nothing_begins_after_an_error(self) -> None:
        begun: list[int] = []
        tasks = [fails(UserError("a", None, "wrong")), *[Task(begun.append)] * 20]  # type: ignore[list-item]
        with pytest.raises(UserError):
            in_order(tasks, 1, ignore)
        assert begun == []

    def test_what_runs_short_of_memory_beside_others_runs_again_alone(self) -> None:
        others, tried = threading.Event(), []

        def run(watch: Watch) -> str:
            tried.append(threading.current_thread() is threading.main_thread())
            if not tried[-1]:
                raise ShortMemoryError("too little")
            assert others.is_set()
            return "alone"

        assert in_order([Task(run), sets(others, 2)], 2, ignore) == ["alone", 2]
        assert tried == [False, True]

    def test_short_memory_alone_is_told(self) -> None:
        with pytest.raises(ShortMemoryError, match="too little"):
            in_order([fails(ShortMemoryError("too little"))] * 2, 2, ignore)


@pytest.mark.skipif(os.name != "posix", reason="sends itself a signal")
class TestCtrlC:
    @pytest.mark.parametrize("jobs", [1, 2])
    def test_it_ends_all_runs_with_what_they_have_measured(self, jobs: int) -> None:
        def press(state: State) -> None:
            if state.mode == last and not pressed.is_set():
                pressed.set()
                os.kill(os.getpid(), signal.SIGINT)

        last, pressed = ["full", "endpoints"][jobs - 1], threading.Event()
        workload = tb.Synthetic(message_size="1 kB")
        experiment = tb.Experiment(
            tb.Machine(topology=tb.Mesh(dims=(8, 8))), workload, tb.Run(duration="100 ms")
        )
        cost = compare(experiment, ("full", "endpoints", "free"), jobs=jobs, watch=press)
        assert cost.interrupted
        assert list(cost.modes) == ["full", "endpoints"][:jobs]
        assert all(result.interrupted for result in cost.modes.values())

    def test_a_second_one_does_not_wait(self) -> None:
        event = threading.Event()

        def press(watch: Watch) -> int:
            for _ in range(2):
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(0.05)
            event.wait(20)
            return 1

        with pytest.raises(KeyboardInterrupt):
            in_order([Task(press), Task(press)], 2, ignore)
        event.set()


def test_where_no_thread_can_be_started_tasks_are_carried_out_without(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    tasks = [Task(lambda _, n=n: n) for n in range(3)]
    assert in_order(tasks, 2, ignore) == [0, 1, 2]
    with pytest.raises(UserError, match="wrong"):
        in_order([Task(lambda _: 0), fails(UserError("x", None, "wrong"))], 2, ignore)


def test_a_task_that_is_not_wanted_any_more_is_stopped() -> None:
    with Crew[str, int](2, lambda: False) as crew:
        crew.begin("long", lambda: lasts(1).run(ignore))
        crew.begin("short", lambda: 2)
        assert not crew.has_room
        assert crew.wait().key == "short"
        assert crew.under_way == ["long"]
        crew.stop("long")
        assert crew.wait().answer == 1


class TestHowMany:
    def test_by_default_one_per_processor(self, monkeypatch: pytest.MonkeyPatch) -> None:
        assert usual_jobs() == processors()
        monkeypatch.setattr("multiprocessing.process.parent_process", object)
        assert usual_jobs() == 1

    @pytest.mark.parametrize("jobs", [0, 5000])
    def test_others_are_refused(self, jobs: int) -> None:
        with pytest.raises(UserError, match=f"^jobs = {jobs}: must be 1 to 4096$"):
            tb.cost(tb.Star(nodes=4), tb.FanIn(message_size="1 kB"), jobs=jobs)
        with pytest.raises(UserError, match="--jobs"):
            check_jobs("--jobs", jobs)

    def test_no_more_than_fit_into_memory(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from tailback.experiment import memory as predicted

        torus = tb.Experiment(tb.Machine(topology=tb.Torus(dims=(8, 8))), tb.Synthetic())
        needed = predicted.needed_bytes(torus)
        monkeypatch.setattr(predicted, "left_bytes", lambda: int(needed * 2.5 / 0.7))
        assert at_once(torus, 8) == 2
        monkeypatch.setattr(predicted, "left_bytes", lambda: needed)
        assert at_once(torus, 8) == 1
        monkeypatch.setattr(predicted, "left_bytes", memory.left_bytes)
        assert at_once(torus, 8) == 8

    def test_programs_in_python_run_one_after_the_other(self) -> None:
        async def program(node: tb.Node) -> None:
            return None

        machine = tb.Machine(topology=tb.Star(nodes=4))
        python = tb.workloads.PythonProgram(function=program)
        assert at_once(tb.Experiment(machine, python), 8) == 1
        job = tb.Job(name="a", nodes=(0, 1), workload=python)
        assert at_once(tb.Experiment(machine, jobs=[job]), 8) == 1


SMALL = [
    "--set=machine.topology.kind=mesh",
    "--set=machine.topology.dims=[3, 3]",
    "--set=machine.routing.kind=dimension_order",
]
COMMANDS = {
    "cost": ["cost", "torus.toml", "--modes", "throttled", "--set=run.duration=200 us"],
    "interference": ["interference", "two_jobs.toml", "--set=job.train.workload.size=400 kB"],
    "explain": ["explain", "trace.toml", "--faster", "links:2", "--faster", "network:1.5"],
    "saturate": ["saturate", "torus.toml", "--tolerance", "0.4", "--high", "400", *SMALL],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_the_same_bytes_with_one_job_and_several(name: str, tmp_path: Path) -> None:
    command, file, *more = COMMANDS[name]
    found = []
    for jobs in ("1", "2"):
        out = [] if command == "saturate" else ["--out", str(tmp_path / jobs)]
        words = [command, str(ROOT / "examples" / file), *more, "--json", "--jobs", jobs, *out]
        ended = tailback(*words)
        assert ended.returncode == 0, ended.stderr
        assert json.loads(ended.stdout)
        files = {
            str(path.relative_to(tmp_path / jobs)): path.read_bytes()
            for path in (tmp_path / jobs).rglob("*")
            if path.is_file()
        }
        found.append((ended.stdout, files))
    assert found[0] == found[1]


@pytest.mark.parametrize("jobs", [2, 8])
def test_loads_that_are_tried_beforehand_change_no_answer(jobs: int) -> None:
    workload = tb.Synthetic(sync="asynchronous", message_size="1 kB", compute_period="300 ns")
    star = tb.Experiment(tb.Machine(topology=tb.Star(nodes=4)), workload)
    asked = {"tolerance": 0.2, "low": 500, "high": 20_000}
    assert saturate(star, **asked, jobs=jobs).to_dict() == saturate(star, **asked, jobs=1).to_dict()


def test_a_sweep_of_few_points_runs_their_modes_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep = Sweep.load(ROOT / "examples" / "sweep.toml", ["run.duration=50 us"])
    used = []

    class Pool(LocalPool):
        def run(self, function: Any, items: Any) -> Any:
            used.append(function.keywords["jobs"])
            return iter(())

    for jobs in (1, 2 * sweep.count, 5 * sweep.count + 1):
        SweepRun(sweep, tmp_path / str(jobs)).run(Pool(jobs))
    assert used == [1, 2, 5]


def test_a_point_is_the_same_bytes_however_many_modes_run_at_once(tmp_path: Path) -> None:
    sweep = Sweep.load(ROOT / "examples" / "sweep.toml", ["run.duration=50 us"])
    task = SweepRun(sweep, tmp_path / "out").to_do[0]
    alone, beside = simulate(task), simulate(task, jobs=3)
    assert alone.content is not None
    assert alone == beside
