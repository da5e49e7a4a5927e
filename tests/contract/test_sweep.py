"""`tailback sweep` as a user meets it: whole, interrupted, killed, beside another."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests import commands
from tests.waiting import members, until

FILE = """
[machine]
preset = "t9000_c104"
topology.dims = [4, 4]

[workload]
preset = "tweedie"
radius = 2

[run]
duration = "2 ms"

[sweep]
seeds = 2
modes = ["full", "throttled"]
workload.sync = ["asynchronous_blocking", "asynchronous"]
workload.compute_period = { from = "10 us", to = "40 us", count = 3, scale = "log" }
"""
POINTS = 12

Run = Callable[..., subprocess.CompletedProcess[str]]


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "tailback", *map(str, arguments)]


def tailback(*arguments: object, expect: int = 0) -> subprocess.CompletedProcess[str]:
    done = commands.tailback(*arguments)
    assert done.returncode == expect, done.stderr
    assert "Traceback" not in done.stderr
    return done


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "experiment.toml"
    path.write_text(FILE)
    return path


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of the sweep when nothing happens to it."""
    folder = tmp_path_factory.mktemp("undisturbed")
    (folder / "experiment.toml").write_text(FILE)
    out = folder / "out"
    done = tailback("sweep", folder / "experiment.toml", "--out", out)
    assert done.stdout.startswith(f"{POINTS} of {POINTS} points finished.\n")
    return out


def content(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.mark.verify
def test_the_same_command_again_has_nothing_to_do(file: Path, undisturbed: Path) -> None:
    before = content(undisturbed)
    times = {path: path.stat().st_mtime_ns for path in (undisturbed / "points").iterdir()}
    done = tailback("sweep", file, "--out", undisturbed, "--json")
    told = json.loads(done.stdout)
    # What it says of runs so short is tested elsewhere.
    for name in ("unsettled", "saturated", "states"):
        told.pop(name)
    assert told == {
        "points": POINTS,
        "finished": POINTS,
        "finished_before": POINTS,
        "failed": 0,
        "cut_off": 0,
        "lost": 0,
        "failures": [],
    }
    assert content(undisturbed) == before
    assert {path: path.stat().st_mtime_ns for path in times} == times


@pytest.mark.verify
@pytest.mark.parametrize("jobs", [1, 2])
def test_the_number_of_workers_changes_no_byte(
    file: Path, undisturbed: Path, tmp_path: Path, jobs: int
) -> None:
    subprocess.run(command("sweep", file, "--out", tmp_path / "out", "--jobs", jobs), check=True)
    assert content(tmp_path / "out") == content(undisturbed)


def finished_points(out: Path) -> dict[str, int]:
    points = out / "points"
    if not points.exists():
        return {}
    return {p.name: p.stat().st_mtime_ns for p in points.iterdir() if not p.name.startswith(".")}


def begun(file: Path, out: Path) -> subprocess.Popen[str]:
    """Return a sweep that has just been started, in a group of processes of its own."""
    return subprocess.Popen(
        command("sweep", file, "--out", out, "--jobs", 2),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        text=True,
    )


def changed(out: Path, times: int) -> Callable[[], bool]:
    """Whether the files of a sweep, half-written ones too, were seen to change so often."""
    seen: set[frozenset[str]] = set()

    def is_so() -> bool:
        seen.add(frozenset(str(path) for path in out.rglob("*")))
        return len(seen) > times

    return is_so


def killed_again_and_again(
    file: Path, undisturbed: Path, out: Path, kills: int, moments: random.Random
) -> None:
    """Kill a sweep, or one of its workers, at moments of its progress; nothing is lost."""
    known: dict[str, int] = {}
    for _ in range(kills):
        sweep = begun(file, out)
        until(changed(out, moments.randrange(8)), unless=sweep)
        workers = members(sweep.pid) - {sweep.pid}
        if workers and moments.random() < 0.5:
            with suppress(ProcessLookupError):
                os.kill(moments.choice(sorted(workers)), signal.SIGKILL)
            until(changed(out, moments.randrange(3)), unless=sweep)
        with suppress(ProcessLookupError):
            os.killpg(sweep.pid, signal.SIGKILL)
        sweep.wait()
        found = finished_points(out)
        assert {name: found[name] for name in known} == known, "a finished point was made again"
        known = found
    tailback("sweep", file, "--out", out)
    assert {name: finished_points(out)[name] for name in known} == known
    assert content(out) == content(undisturbed)


@pytest.mark.verify
def test_killed_again_and_again_it_goes_on_and_ends_with_the_same_bytes(
    file: Path, undisturbed: Path, tmp_path: Path
) -> None:
    killed_again_and_again(file, undisturbed, tmp_path / "out", 4, random.Random(5))


@pytest.mark.verify
@pytest.mark.parametrize("number", range(20))
def test_two_hundred_kills(number: int, file: Path, undisturbed: Path, tmp_path: Path) -> None:
    killed_again_and_again(file, undisturbed, tmp_path / "out", 10, random.Random(number))


@pytest.mark.verify
def test_killing_the_sweep_alone_ends_its_workers(file: Path, tmp_path: Path) -> None:
    file.write_text(FILE.replace('"2 ms"', '"100000 s"'))
    sweep = begun(file, tmp_path / "out")
    try:
        until(lambda: len(members(sweep.pid)) > 2, unless=sweep)
        assert sweep.poll() is None
        sweep.kill()
        sweep.wait()
        until(lambda: not members(sweep.pid))
    finally:
        with suppress(ProcessLookupError):
            os.killpg(sweep.pid, signal.SIGKILL)


@pytest.mark.verify
def test_two_sweeps_into_one_folder_do_not_harm_each_other(
    file: Path, undisturbed: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    both = [subprocess.Popen(command("sweep", file, "--out", out)) for _ in range(2)]
    assert [sweep.wait() for sweep in both] == [0, 0]
    tailback("sweep", file, "--out", out)
    assert content(out) == content(undisturbed)


@pytest.mark.verify
def test_a_cluster_that_loses_a_worker_ends_with_the_same_bytes(
    file: Path, undisturbed: Path, tmp_path: Path
) -> None:
    distributed = pytest.importorskip("distributed", reason="the extra dask is not installed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs="CRITICAL"
    ) as cluster:
        out, address = tmp_path / "out", cluster.scheduler_address
        again = command("sweep", file, "--out", out, "--scheduler", address)
        sweep = subprocess.Popen(again, text=True)
        until(lambda: bool(finished_points(out)), unless=sweep)
        os.kill(cluster.workers[0].pid, signal.SIGKILL)
        assert sweep.wait() == 0
    assert content(out) == content(undisturbed)


PAGE = (Path(__file__).parents[2] / "docs" / "clusters-of-machines.md").read_text()


def of_page(begin: str, **changes: str) -> list[str]:
    """Return a command of the page on clusters, with other addresses and numbers."""
    [line] = [line for line in PAGE.splitlines() if line.startswith(begin)]
    words = line.partition("#")[0].split()
    return [changes.get(word.strip("-"), word) for word in words]


@pytest.fixture
def scheduler(tmp_path: Path) -> Iterator[Callable[[], tuple[str, subprocess.Popen[str]]]]:
    """Start a scheduler and two workers as the page on clusters says; give its address."""
    pytest.importorskip("distributed", reason="the extra dask is not installed")
    started: list[subprocess.Popen[str]] = []

    def start() -> tuple[str, subprocess.Popen[str]]:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        address = f"tcp://127.0.0.1:{port}"
        changes = {"tcp://node1:8786": address, "8786": str(port), "32": "2"}
        for begin in ("dask scheduler", "dask worker"):
            words = [sys.executable, "-m", *of_page(begin, **changes), "--local-directory"]
            more = {"stderr": subprocess.DEVNULL, "start_new_session": True}
            words = words[:-1] if "scheduler" in begin else [*words, str(tmp_path)]
            started.append(subprocess.Popen(words, text=True, **more))  # type: ignore[call-overload]
        until(lambda: answers(port), unless=started[-2])
        return address, started[-2]

    yield start
    for process in started:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def answers(port: int) -> bool:
    with suppress(OSError):
        socket.create_connection(("127.0.0.1", port)).close()
        return True
    return False


@pytest.mark.verify
def test_a_scheduler_that_dies_leaves_what_is_finished_and_the_same_command_goes_on(
    file: Path,
    undisturbed: Path,
    tmp_path: Path,
    scheduler: Callable[[], tuple[str, subprocess.Popen[str]]],
) -> None:
    out = tmp_path / "out"

    def sweep(address: str) -> subprocess.Popen[str]:
        given = {"sweep.toml": str(file), "results": str(out), "tcp://node1:8786": address}
        words = of_page("tailback sweep sweep.toml --out results --scheduler", **given)
        return subprocess.Popen([sys.executable, "-m", *words], text=True, stderr=subprocess.PIPE)

    address, process = scheduler()
    under_way = sweep(address)
    until(lambda: bool(finished_points(out)), unless=under_way)
    os.killpg(process.pid, signal.SIGKILL)
    _, errors = under_way.communicate()
    told = [line for line in errors.splitlines() if "points done" not in line]
    kept = f"{len(finished_points(out))} of {POINTS} points are finished"
    lost = "error: --scheduler: the scheduler was lost"
    assert told == [f"{lost}; {kept}, the same command goes on from there"], errors
    assert under_way.returncode == 3
    assert not [*(out / "failures").iterdir()]
    known = finished_points(out)
    address, _ = scheduler()
    with sweep(address) as again:
        again.communicate()
    assert again.returncode == 0
    assert {name: finished_points(out)[name] for name in known} == known
    assert content(out) == content(undisturbed)


BATCH_SYSTEM = {
    "sbatch": '#!/bin/sh\nsh "$1" >/dev/null 2>&1 & echo "Submitted batch job $!"\n',
    "scancel": '#!/bin/sh\nkill "$1"\n',
}


@pytest.mark.verify
def test_jobs_of_slurm_do_the_points(file: Path, undisturbed: Path, tmp_path: Path) -> None:
    pytest.importorskip("dask_jobqueue", reason="the extra dask is not installed")
    for name, text in BATCH_SYSTEM.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    [described] = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    described = described.replace("32", "2").replace("ib0", "lo")
    described = described.replace("source $HOME/tailback/bin/activate", "cd .")
    (tmp_path / "jobqueue.yaml").write_text(described)
    given = {"sweep.toml": str(file), "results": str(tmp_path / "out"), "4": "1"}
    words = of_page("tailback sweep sweep.toml --out results --cluster", **given)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [sys.executable, "-m", *words],
        env=os.environ | {"PATH": path, "DASK_CONFIG": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert content(tmp_path / "out") == content(undisturbed)


def test_ctrl_c_keeps_what_is_finished(file: Path, tmp_path: Path) -> None:
    # One point that never ends, beside which the others do.
    others = "duration > 1 * s and (sync != 'asynchronous' or compute_period > 11 * us)"
    axis = f'run.duration = ["2 ms", "1000 s"]\nexclude = ["{others}"]\n'
    file.write_text(FILE.replace("seeds = 2", "seeds = 1") + axis)
    out = tmp_path / "out"
    sweep = subprocess.Popen(
        command("sweep", file, "--out", out, "--jobs", 2), stderr=subprocess.PIPE, text=True
    )
    until(lambda: bool(finished_points(out)), unless=sweep)
    sweep.send_signal(signal.SIGINT)
    _, errors = sweep.communicate()
    assert sweep.returncode == 130
    last = errors.splitlines()[-1]
    assert "points are finished, the same command goes on from there" in last
    assert "Traceback" not in errors
    assert finished_points(out)


@pytest.mark.verify
def test_a_point_that_deadlocks_is_recorded_and_stops_no_other(
    file: Path, tmp_path: Path, examples: Path
) -> None:
    text = (examples / "deadlock.toml").read_text()
    file.write_text(f"{text}\n[sweep]\nseeds = 2\n")
    out = tmp_path / "out"
    for before in (0, 2):
        done = tailback("sweep", file, "--out", out, "--json", expect=3)
        answer = json.loads(done.stdout)
        assert (answer["failed"], answer["finished"]) == (2, 0)
        assert [failure["kind"] for failure in answer["failures"]] == ["deadlock"] * 2
        assert answer["failures"][0]["text"].startswith("deadlock at 10000 ns: process 0 on node 0")
        assert done.stderr.count("failed: ") == 2 - before


@pytest.mark.parametrize(
    ("lines", "options", "error"),
    [
        ("", ["--scheduler", "x", "--cluster", "slurm"], "cannot be given together"),
        pytest.param(
            "",
            ["--scheduler", "tcp://127.0.0.1:1"],
            "no Dask scheduler answers there",
            marks=pytest.mark.verify,  # it is waited for, a while
        ),
        ("", ["--cluster", "slrum"], 'did you mean "slurm"?'),
        ("", ["--jobs", "2", "--scheduler", "x"], "is decided by the cluster"),
        (
            'workload.message_size = { computed = "c / n" }\n[sweep.let]\nc = ["9 B"]\nn = [3, 0]',
            [],
            "divides by zero",
        ),
        (
            'machine.link.flow_control = ["in_band", "out_of_band"]',
            [],
            'run.fidelity: would be "packet" with flow_control = "in_band" (whole packets',
        ),
        (
            'machine.topology.kind = ["mesh", "star"]\nmachine.routing.kind = ["dor", "valiant"]',
            [],
            'routing.kind = "dimension_order": machine.routing.kind = "dimension_order": has no '
            'effect with machine.topology.kind = "star"',
        ),
        (
            "workload.messages = { from = 1, to = 10000000, step = 1 }",
            [],
            "sweep = 120,000,000 points: give --yes to run so many",
        ),
    ],
)
def test_mistakes_are_one_line(
    file: Path, tmp_path: Path, lines: str, options: list[str], error: str
) -> None:
    file.write_text(FILE + lines)
    done = tailback("sweep", file, "--out", tmp_path / "out", *options, expect=2)
    assert error in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_a_folder_of_something_else_is_left_alone(file: Path, tmp_path: Path) -> None:
    done = tailback("sweep", file, "--out", tmp_path, expect=2)
    assert done.stderr == f"error: --out = {tmp_path}: holds other files; nothing is overwritten\n"


@pytest.mark.verify
def test_the_picture_that_suits_is_drawn_by_the_same_command(file: Path, tmp_path: Path) -> None:
    asked = ("sweep", file, "--out", tmp_path / "out", "--plot")
    refused = tailback(*asked, tmp_path / "curve.gif", expect=2)
    assert "--plot" in refused.stderr
    assert not (tmp_path / "out").exists()
    picture = tmp_path / "curve.svg"
    short = ("--set", "run.duration=100 us", "--set", "sweep.seeds=1")
    done = tailback(*asked, picture, *short)
    assert done.stdout.endswith(f"Drawn: {picture}\n")
    assert picture.read_text().startswith("<svg")
