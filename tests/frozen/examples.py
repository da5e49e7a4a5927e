"""Cases from experiments that are there: examples, those of the documents, and traces of tests."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import tailback as tb
from tailback.experiment import Experiment
from tests.in_process import invoked

from .cases import MODES, Asked, Case, shortened, spread

ROOT = Path(__file__).resolve().parents[2]

#: How long runs that do not end by themselves are, of links as they are today and of T9000s.
_SHORT, _LONG = "20 us", "400 us"
_DURATIONS = {
    "adaptive_mesh": "3 us",
    "bandwidth": "1 ms",
    "compute_only": "1 ms",
    "ethernet": "4 ms",
    "bursts": _SHORT,
    "latency": _SHORT,
    "patterns": _SHORT,
    "wormhole_mesh": _SHORT,
}
_POINTS = 4
#: In place of a file that a command writes.
_WRITTEN = "out.json"
_COMMANDS = {
    "interference": ("interference", "jobs.toml", "--json"),
    "explain": ("explain", "allreduce.toml", "--json"),
    "blame": ("blame", "wormhole_mesh.toml", "--json", "--set", "run.duration=20 us"),
    "saturate": (
        *("saturate", "wormhole_mesh.toml", "--json", "--tolerance", "0.2"),
        *("--set", "run.precision=0.1", "--set", "machine.topology.dims=[4, 4]"),
    ),
    "timeline": ("timeline", "clusters.toml", "--out", _WRITTEN),
}
_NAMED_BLOCK = re.compile(r"^```toml (\S+\.toml)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_TRACES = (
    "goal/allreduce_ring_8_100k.goal",
    "goal/dissemination_16_1b.goal",
    "goal/incast_3.goal",
    "goal/wildcard.bin",
    "simgrid_ti/nas_is_s_4/files.txt",
    "chakra/all_reduce.0.et",
    "netrace/shrtex.tra.bz2",
    "dumpi/testtrace-0000.ascii.txt",
)
_OF_TRACES = {"simgrid_ti/nas_is_s_4/files.txt": {"compute_speed": 1e9}}
#: Machines on which traces are run.
_MACHINES = {
    "mesh": {"topology": {"kind": "mesh", "dims": [8, 8]}},
    "fat_tree": {"topology": {"kind": "fat_tree", "arity": 4, "levels": 3}},
    "loggops": {"preset": "loggops"},
}


def examples() -> Iterator[Case]:
    """Yield all examples: compared in all modes, with an account of waits, and as commands."""
    folder = ROOT / "examples"
    for path in sorted(folder.glob("*.toml")):
        duration = _DURATIONS.get(path.stem, _LONG)
        for how, ask in (("", _compared), ("+accounts", _accounts)):
            yield Case(f"examples/{path.stem}{how}", partial(ask, path.name, duration), folder)
    for function in ("servers", "total"):
        name, change = f"examples/programs+{function}", f"workload.function={function}"
        yield Case(name, partial(_programs, change), folder)
    for command, arguments in _COMMANDS.items():
        yield Case(f"examples/{command}", partial(_answer, *arguments), folder)


def _compared(file: str, duration: str) -> Iterator[Asked]:
    """Ask for all modes of an experiment, or those of a few points of its sweep."""
    sweep = tb.Sweep.load(file)
    for point in spread(list(sweep.points()), _POINTS):
        modes = MODES if sweep.count == 1 else point.modes
        yield Asked(shortened(point.experiment, duration), modes, is_described=True)
    yield Asked(shortened(point.experiment, duration, mode="ideal"))


def _accounts(file: str, duration: str) -> Iterator[Asked]:
    """Ask who makes whom wait, and what the end waited for where there is one."""
    point = next(iter(tb.Sweep.load(file).points()))
    for share in (1, 0.2):
        yield Asked(shortened(point.experiment, duration, blame=True, blame_share=share))
    if point.experiment.finite:
        keys = {"blame_share": 1, "critical_path": True, "slack": True}
        yield Asked(shortened(point.experiment, **keys))


def _programs(change: str) -> Iterator[Asked]:
    yield Asked(shortened(tb.load("programs.toml", [change])))


def _answer(*arguments: str) -> Iterator[Mapping[str, Any]]:
    """Give the answer of a command, and what it writes into `_WRITTEN`."""
    with TemporaryDirectory() as folder:
        written = Path(folder) / "out.json"
        placed = [str(written) if word == _WRITTEN else word for word in arguments]
        done = invoked(*placed)
        answer = json.loads(done.stdout) if "--json" in arguments else None
        yield {"code": done.exit_code, "answer": answer}
        if written.exists():
            yield {"written": json.loads(written.read_text())}


def documents() -> Iterator[Case]:
    """Yield the experiments in documents that have names."""
    for path in sorted((ROOT / "docs").glob("*.md")):
        for name, text in _NAMED_BLOCK.findall(path.read_text()):
            yield Case(f"docs/{path.stem}/{name}", partial(_written, name, text))


def _written(name: str, text: str) -> Iterator[Asked]:
    Path(name).write_text(text)
    yield from _compared(name, _SHORT)


def traces() -> Iterator[Case]:
    """Yield traces of tests on a few machines."""
    for file in _TRACES:
        for machine in _MACHINES:
            name = f"traces/{file.split('/')[0]}/{Path(file).name}+{machine}"
            yield Case(name, partial(_traced, file, machine), ROOT / "tests" / "traces")


def _traced(file: str, machine: str) -> Iterator[Asked]:
    workload = {"kind": "trace", "file": file, **_OF_TRACES.get(file, {})}
    tables = {"machine": _MACHINES[machine], "workload": workload}
    experiment = Experiment.from_dict(tables)
    yield Asked(
        shortened(experiment), () if machine == "loggops" else ("full", "endpoints", "free")
    )
    if machine != "loggops":
        yield Asked(shortened(experiment, critical_path=True))
