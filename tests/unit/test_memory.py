"""Memory that is short: said before it is taken, and an exception instead of the end of Python."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

import tailback as tb
from tailback import engine, memory
from tailback.errors import UserError
from tailback.experiment import Experiment
from tailback.experiment import memory as predicted
from tailback.memory import ShortMemoryError

POOL = "ARROW_DEFAULT_MEMORY_POOL"
LINUX = pytest.mark.skipif(not os.path.exists("/proc/meminfo"), reason="needs Linux")


def torus(side: int, **run: object) -> Experiment:
    machine = {
        "topology": {"kind": "torus", "dims": [side, side]},
        "link": {"sharing": "separate"},
        "switch": {"switching": "wormhole", "input_buffer": "64 B"},
        "interface": {"packet_size": "48 B"},
    }
    return Experiment.from_dict({"machine": machine, "run": {"duration": "1 us"} | run})


BUILT = """
import sys
from pathlib import Path
from tailback import engine
from tailback.experiment.memory import needed_bytes
from tests.unit.test_memory import torus

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

experiment = torus(96, fidelity=sys.argv[1], blame=sys.argv[2] == "True")
spec, before = experiment.spec(), resident()
machine = engine.Simulation(spec)
print((resident() - before) / needed_bytes(experiment))
"""


@LINUX
@pytest.mark.verify
@pytest.mark.parametrize(
    ("fidelity", "blame"), [("packet", False), ("worm", False), ("flit", False), ("worm", True)]
)
def test_what_a_machine_takes_is_known_before(fidelity: str, blame: bool) -> None:
    command = [sys.executable, "-c", BUILT, fidelity, str(blame)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert float(done.stdout) == pytest.approx(1, abs=0.15)


def test_describe_says_it() -> None:
    described = tb.describe(torus(8))
    channels, packets = 8 * 8 * (4 * 2 + 2), 1
    assert described.to_dict()["memory_bytes"] == channels * 270 + packets * 64


def test_more_than_is_left_is_refused_and_nearly_as_much_is_warned_of(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    needed = predicted.needed_bytes(torus(8))
    monkeypatch.setattr(predicted, "left_bytes", lambda: needed // 2)
    told = r"^memory: the machine needs about 173 kB, 86 kB are left$"
    for ask in (tb.run, tb.cost, tb.describe):
        with pytest.raises(MemoryError, match=told):
            ask(torus(8))
    monkeypatch.setattr(predicted, "left_bytes", lambda: needed + 1)
    with pytest.warns(UserWarning, match="the machine needs about 173 kB, 173 kB are left"):
        tb.run(torus(8))
    for left in (None, 2 * needed):
        monkeypatch.setattr(predicted, "left_bytes", lambda left=left: left)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            tb.run(torus(8))


def test_a_run_that_grows_ends_before_memory_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_EVERY_S", 0.0)
    monkeypatch.setattr(memory, "used_bytes", lambda: 5 * 10**9)
    monkeypatch.setattr(memory, "left_bytes", lambda: 10**8)
    monkeypatch.setattr(predicted, "left_bytes", lambda: None)
    with pytest.raises(UserError, match=r"memory: the run takes 5.0 GB and only 100.0 MB are left"):
        tb.run(torus(4))


def test_a_step_as_large_as_the_last_must_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    used = iter([2 * 10**9, 4 * 10**9, 7 * 10**9])
    monkeypatch.setattr(memory, "_EVERY_S", 0.0)
    monkeypatch.setattr(memory, "used_bytes", lambda: next(used))
    monkeypatch.setattr(memory, "left_bytes", lambda: 3 * 10**9)
    guard = memory.Guard()
    guard.check()  # 2 GB more: 2.5 GB must be left.
    with pytest.raises(UserError, match=r"the run takes 7.0 GB and only 3.0 GB are left"):
        guard.check()  # 3 GB more: 3.75 GB.


def exchange(switching: str, side: int) -> Experiment:
    """Every node sends to every other at once, each message on a network of its own."""
    workload = {"kind": "complete_exchange", "message_size": "64 B"}
    return on_copies(switching, side, 3, workload)


def at_once() -> Experiment:
    """The same at the first instant, on networks of many channels."""
    rows = [["0 ps", a, b, "64 B"] for a in range(16) for b in range(16) if a != b]
    return on_copies("wormhole", 4, 48, {"kind": "messages", "messages": rows})


def on_copies(switching: str, side: int, channels: int, workload: dict[str, Any]) -> Experiment:
    """Return an experiment in which each message has a network of its own."""
    machine = {
        "topology": {"kind": "torus", "dims": [side, side]},
        "switch": {"switching": switching, "virtual_channels": channels},
        "routing": {"kind": "minimal_adaptive"},
    }
    return Experiment.from_dict({"machine": machine, "workload": workload, "run": {"mode": "free"}})


def test_an_instant_is_left_while_the_network_takes_memory_and_goes_on_where_it_was() -> None:
    experiment = at_once()
    run = engine.Simulation(experiment.spec(), experiment.messages_arrays())
    reached = [(run._engine.advance(2**62, 2**62), run.now_ps)]
    while reached[-1][0] != "finished":
        reached.append((run._engine.go_on([]), run.now_ps))
    assert reached[0] == ("grown", 0)
    assert {stop for stop, _ in reached[1:-1]} == {"grown"}
    assert run.counters()["messages_delivered"] == 16 * 15


def test_within_an_instant_a_run_ends_before_memory_does(monkeypatch: pytest.MonkeyPatch) -> None:
    at_ps = []
    monkeypatch.setattr(memory, "_EVERY_S", 0.0)
    monkeypatch.setattr(memory, "left_bytes", lambda: 10**12 if at_ps else None)
    answered = engine.Simulation._answered

    def noted(self: engine.Simulation, reached: object) -> list[int]:
        at_ps.append(self.now_ps)
        monkeypatch.setattr(memory, "left_bytes", lambda: 10**6)
        return answered(self, reached)

    monkeypatch.setattr(engine.Simulation, "_answered", noted)
    with pytest.raises(MemoryError, match=r"^memory: the run takes"):
        tb.run(at_once())
    assert at_ps == [0]


@LINUX
def test_copies_of_a_network_have_what_they_do_not_change_in_common() -> None:
    taken = (
        "import resource, tailback as tb; from tests.unit.test_memory import exchange\n"
        "used = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "before = used(); tb.run(exchange('cut_through', 8)); print(used() - before)"
    )
    done = subprocess.run([sys.executable, "-c", taken], capture_output=True, text=True, check=True)
    # 4,032 copies of 1,152 channels: 700 MB if each had its own.
    assert int(done.stdout) < 100_000


@LINUX
def test_what_messages_waited_for_is_forgotten_when_they_are_over() -> None:
    """A message waits behind all that its node sent before: 128 of 128 nodes."""
    taken = (
        "import resource\n"
        "from tailback import Experiment\n"
        "from tailback.recording import record\n"
        "from tailback.runner import run_mode\n"
        "used = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "tables = {'machine': {'topology': {'kind': 'star', 'nodes': 128}}, 'workload': {\n"
        "    'kind': 'complete_exchange', 'send_order': 'naive_shifted', 'message_size': '1 kB'}}\n"
        "experiment = Experiment.from_dict(tables)\n"
        "run_mode(experiment, 'full'); before = used()\n"
        "record(experiment); print(used() - before)\n"
    )
    done = subprocess.run([sys.executable, "-c", taken], capture_output=True, text=True, check=True)
    # In kB; with the waits of all messages it took 120 MB.
    assert int(done.stdout) < 70_000


def test_it_comes_back_from_a_worker_as_it_is() -> None:
    error = ShortMemoryError("the machine needs more")
    assert str(pickle.loads(pickle.dumps(error))) == str(error) == "memory: the machine needs more"


@LINUX
def test_under_a_limit_a_large_machine_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "big.toml").write_text(
        '[machine]\ntopology.kind = "torus"\ntopology.dims = [1024, 512]\n'
        '[run]\nduration = "20 us"\n'
    )
    limited = (
        "import resource, runpy; from tailback.memory import _kibibytes\n"
        "most = 1_000_000_000 + _kibibytes('/proc/self/status')['VmSize']\n"
        "resource.setrlimit(resource.RLIMIT_AS, (most, most))\n"
        "runpy.run_module('tailback', run_name='__main__')"
    )
    for command in ("run", "describe"):
        done = subprocess.run(
            [sys.executable, "-c", limited, command, "big.toml"],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            check=False,
        )
        assert done.returncode == 2, done.stderr
        assert done.stderr.startswith("error: memory: the machine needs about 1.4 GB")


@LINUX
@pytest.mark.parametrize(
    ("limit_mb", "code", "said"),
    [
        (200, 2, "error: memory: the limit of addresses (ulimit -v) is 200.0 MB; Tailback and its"),
        # Two runs at once, in threads: without care for addresses these end the program.
        (440, 0, ""),
    ],
)
def test_under_a_limit_of_addresses_a_command_runs_or_says_what_it_takes(
    limit_mb: int, code: int, said: str, tmp_path: Path
) -> None:
    (tmp_path / "small.toml").write_text(
        '[machine]\ntopology.dims = [2, 2]\n[run]\nduration="9 us"'
    )
    limited = (
        f"import resource, runpy; most = {limit_mb} * 10**6\n"
        "resource.setrlimit(resource.RLIMIT_AS, (most, most))\n"
        "runpy.run_module('tailback', run_name='__main__')"
    )
    words = ["cost", "small.toml", "--jobs", "2"]
    done = subprocess.run(
        [sys.executable, "-c", limited, *words],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == code, done.stderr
    if code:
        assert done.stderr.startswith(said)
        assert done.stderr.count("\n") == 1


@LINUX
@pytest.mark.parametrize("limited", [True, False])
def test_under_a_limit_arrow_reserves_no_addresses(limited: bool) -> None:
    """By default it reserves 1 GB, of which a small sweep needs little."""
    asks = (
        f"import resource; limited = {limited}; most = 1 << 40\n"
        "limited and resource.setrlimit(resource.RLIMIT_AS, (most, most))\n"
        "from tailback.memory import keep_within_limit; keep_within_limit()\n"
        "import pyarrow; print(pyarrow.default_memory_pool().backend_name)"
    )
    plain = {name: value for name, value in os.environ.items() if name != POOL}
    done = subprocess.run(
        [sys.executable, "-c", asks], capture_output=True, text=True, env=plain, check=True
    )
    assert (done.stdout == "system\n") == limited


def test_packets_of_one_message_count() -> None:
    """They are all queued at once: 32 TB in packets of 32 B are 10^12 packets of 64 B."""
    long = tb.Experiment(tb.Machine(), tb.Synthetic(message_size="32000 GB"))
    short = tb.Experiment(tb.Machine(), tb.Synthetic(message_size="32 B"))
    packet = tb.Machine().interface.packet_room.bytes
    queued = 64 * (-(-(32 * 10**12) // packet) - 1)
    assert predicted.needed_bytes(long) - predicted.needed_bytes(short) == queued
    with pytest.raises(ShortMemoryError, match="the machine needs about"):
        tb.run(long)


def test_listed_messages_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """A complete exchange of 4096 nodes lists 16.8 million messages, sent and received."""
    star = tb.Machine(topology=tb.Star(nodes=4096))
    exchange = tb.Experiment(star, tb.CompleteExchange(send_order="naive_shifted"))
    ring = tb.Experiment(star, tb.RingAllreduce(size="4096 kB"))
    listed = 760 * 2 * 4096 * 4095
    assert predicted.needed_bytes(exchange) - predicted.needed_bytes(ring) == listed
    monkeypatch.setattr(predicted, "left_bytes", lambda: 20 * 10**9)
    told = r"needs about 25.5 GB, 20.0 GB are left; most of it for the messages that processes send"
    with pytest.raises(ShortMemoryError, match=told):
        tb.describe(exchange)
