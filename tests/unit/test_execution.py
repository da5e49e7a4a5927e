"""Items over workers: answers, exceptions, workers that die."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tailback.errors import UserError
from tailback.execution import LocalPool, Outcome, Pool, local
from tailback.execution.worker import Worker
from tests.items import DiesWhenRead, stay, work

distributed = pytest.importorskip("distributed", reason="the extra dask is not installed")

from tailback.execution.cluster import DaskPool  # noqa: E402


def outcomes(pool: Pool, items: list[object]) -> dict[int, Outcome[object]]:
    return {outcome.index: outcome for outcome in pool.run(work, items)}


@pytest.mark.verify
@pytest.mark.parametrize("jobs", [1, 2])
def test_every_item_has_an_outcome(jobs: int, tmp_path: Path) -> None:
    items: list[object] = [1, "raise", 2, "die", tmp_path / "once", 3]
    with LocalPool(jobs) as pool:
        found = outcomes(pool, items)
    assert [found[i].answer for i in range(6)] == [1, None, 2, None, "alive", 3]
    assert found[1].problem == "ValueError: no good"
    assert not found[1].lost
    assert "its worker process died, 3 times" in str(found[3].problem)
    assert found[3].lost


def test_a_worker_that_dies_while_it_reads_or_answers_costs_its_item_an_attempt(
    tmp_path: Path,
) -> None:
    items = [DiesWhenRead(tmp_path / "read"), (tmp_path / "sent",), 3, 4]
    with LocalPool(2) as pool:
        found = outcomes(pool, [*items])
    assert [found[i].answer for i in range(4)] == ["alive", "alive", 3, 4]


def killed_at_birth(deaths: int) -> type[Worker]:
    """Return workers of which the first so many are killed before they have begun."""
    left = [None] * deaths

    class Killed(Worker):
        def __init__(self) -> None:
            super().__init__()
            if left:
                left.pop()
                self._process.kill()

    return Killed


def test_a_worker_that_dies_before_it_has_begun_costs_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # More often than an item may lose its worker.
    monkeypatch.setattr(local, "Worker", killed_at_birth(5))
    with LocalPool(1) as pool:
        assert [outcome.answer for outcome in pool.run(work, [1, 2])] == [1, 2]


def test_workers_do_not_hear_ctrl_c_even_before_they_have_begun(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Pressed(Worker):
        def __init__(self) -> None:
            super().__init__()
            assert self._process.pid is not None
            os.kill(self._process.pid, signal.SIGINT)

    monkeypatch.setattr(local, "Worker", Pressed)
    monkeypatch.setattr(local, "_STILLBORN", 1)
    with LocalPool(1) as pool:
        assert [outcome.answer for outcome in pool.run(work, [1])] == [1]


def test_workers_that_never_begin_are_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "Worker", killed_at_birth(10**6))
    with LocalPool(2) as pool, pytest.raises(UserError, match="workers: 10 in a row died before"):
        list(pool.run(work, [1, 2]))


def test_an_item_that_cannot_be_sent_has_an_outcome() -> None:
    with LocalPool(1) as pool:
        found = outcomes(pool, [lambda: 1, 2])
    assert str(found[0].problem).startswith("cannot be sent to a worker (")
    assert "pickle" in str(found[0].problem)
    assert str(found[0].problem).endswith("define its functions at the top of a module")
    assert found[1].answer == 2


# The worker is there already when the signal comes, but does not know yet what it is.
ENDED_AT_BIRTH = """
import os, signal, threading
from multiprocessing import util
from tailback.execution.worker import Worker

spawned = util.spawnv_passfds
def spawn(*given):
    child = spawned(*given)
    os.kill(os.getpid(), signal.{0})
    return child

if __name__ == "__main__":
    # The tracker of resources is such a process, too.
    from multiprocessing import resource_tracker
    resource_tracker.ensure_running()
    util.spawnv_passfds = spawn
    # Whoever runs the tests may have it ignored (nohup).
    signal.signal(signal.{0}, signal.SIG_DFL)
    # A signal comes to any thread.
    threading.Thread(target=threading.Event().wait, args=[60], daemon=True).start()
    Worker()
"""


@pytest.mark.parametrize("name", ["SIGTERM", "SIGABRT", "SIGHUP"])
def test_a_program_that_ends_while_a_worker_starts_leaves_no_traceback(
    tmp_path: Path, name: str
) -> None:
    program = tmp_path / "program.py"
    program.write_text(ENDED_AT_BIRTH.format(name))
    # Its standard error ends once its worker has ended as well.
    ended = subprocess.run([sys.executable, str(program)], capture_output=True, check=False)
    assert (ended.returncode, ended.stderr) == (-signal.Signals[name], b"")


def test_items_are_begun_in_their_order() -> None:
    with LocalPool(1) as pool:
        assert [outcome.answer for outcome in pool.run(work, list(range(20)))] == list(range(20))


@pytest.mark.verify
def test_leaving_early_ends_the_workers(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with LocalPool(2) as pool:
        for outcome in pool.run(stay, [(pipe, "hear"), (pipe, "say")]):
            other = outcome.answer
            break
    assert other is not None
    with pytest.raises(ProcessLookupError):
        os.kill(other, 0)


ADDRESSES = {
    "tcp://127.0.0.1:1": "no Dask scheduler answers there (Connection refused)",
    "tcp://no.such.host.invalid:8786": "no host is called so",
    "node1": 'must be such as "tcp://node1:8786": a host and a port',
    "http://node1:8786": "must be such as",
    "tcp://node1:99999": "must be such as",
    "": "must be such as",
}


@pytest.mark.parametrize("address", ADDRESSES)
def test_no_scheduler_is_one_line(address: str) -> None:
    with pytest.raises(UserError) as caught:
        DaskPool.at(address, timeout_s=1)
    assert str(caught.value).startswith(f'--scheduler = "{address}": {ADDRESSES[address]}')


def test_what_is_no_scheduler_is_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute:
        address = f"tcp://127.0.0.1:{mute.getsockname()[1]}"
        with pytest.raises(UserError, match="answers there, but something else"):
            DaskPool.at(address, timeout_s=0.5)


@pytest.mark.verify
def test_a_scheduler_without_workers_is_one_line() -> None:
    with distributed.LocalCluster(
        n_workers=0, dashboard_address=":0", silence_logs="CRITICAL"
    ) as cluster:
        address = cluster.scheduler_address
        told = rf"the scheduler has no worker: start some \(dask worker {address}\)"
        with pytest.raises(UserError, match=told):
            DaskPool.at(address)


# Dask's own objects complain when they are thrown away half-made.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_batch_system_must_be_known_and_configured() -> None:
    with pytest.raises(UserError, match=r'--cluster = "slrm": must be .*; did you mean "slurm"'):
        DaskPool.on("slrm", 1)
    with pytest.raises(UserError, match=r'--cluster = "slurm": cannot be used as jobqueue.slurm'):
        DaskPool.on("slurm", 1)


@pytest.fixture
def scheduler() -> Iterator[str]:
    """The address of a Dask cluster of two worker processes."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs="CRITICAL"
    ) as cluster:
        yield cluster.scheduler_address


@pytest.mark.verify
def test_a_cluster_does_the_same(scheduler: str, tmp_path: Path) -> None:
    items: list[object] = [1, "raise", tmp_path / "once", 3]
    with DaskPool.at(scheduler) as pool:
        assert pool.capacity == 2
        found = outcomes(pool, items)
    assert [found[i].answer for i in range(4)] == [1, None, "alive", 3]
    assert found[1].problem == "ValueError: no good"


@pytest.mark.verify
def test_an_item_that_kills_every_worker_is_given_up(scheduler: str) -> None:
    with DaskPool.at(scheduler) as pool:
        found = outcomes(pool, [1, "die"])
    assert found[0].answer == 1
    assert found[1].lost
    assert "its workers were lost" in str(found[1].problem)
