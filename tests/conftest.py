"""What tests of all kinds share."""

from __future__ import annotations

import gc
import os
import resource
import signal
from collections.abc import Generator
from multiprocessing import forkserver
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.random_cases import random_cases

REPOSITORY = Path(__file__).resolve().parent.parent

# Nothing depends on how busy the machine is.
settings.register_profile(
    "tailback",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    max_examples=random_cases(100),
)
settings.load_profile("tailback")

# Without job control a shell has background commands ignore Ctrl-C, and all that they start would.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def repository() -> Path:
    """The root of the checkout."""
    return REPOSITORY


@pytest.fixture
def examples() -> Path:
    """The example experiments."""
    return REPOSITORY / "examples"


def spent_s() -> float:
    """CPU seconds of this process and of all its children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used) + of_commands_s()


def of_commands_s() -> float:
    """CPU seconds of commands (`tests/commands.py`): a child of ours that goes on forks them."""
    status = Path(f"/proc/{forkserver._forkserver._forkserver_pid}/stat")
    if not status.exists():
        return 0
    # "pid (name) state ...": the times of the process and of its children that have ended.
    ticks = status.read_text().rpartition(")")[2].split()[11:15]
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--cpu", type=int, metavar="N", help="show the N tests that use the most CPU")


#: New objects after which Python looks for garbage; by default 700.
_OBJECTS = 100_000


def pytest_collection_finish() -> None:
    """What is there now stays there: do not look for garbage in it again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_OBJECTS, *gc.get_threshold()[1:])


_SPENT = pytest.StashKey[dict[str, float]]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Note what each test costs, with the fixtures made for it."""
    before = spent_s()
    done = yield
    spent = item.config.stash.setdefault(_SPENT, {})
    spent[item.nodeid] = spent_s() - before
    return done


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    most = config.getoption("--cpu")
    if most is not None:
        spent = sorted(config.stash.get(_SPENT, {}).items(), key=lambda pair: -pair[1])
        terminalreporter.section(f"CPU: {sum(cost for _, cost in spent):.1f} s")
        for name, cost in spent[:most]:
            terminalreporter.line(f"{cost:8.2f} s  {name}")
