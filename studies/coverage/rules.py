"""How often automatic rules call a run unsettled, drifting or saturated, rightly and wrongly.

`python -m studies.coverage.rules` writes `RULES.md`; exit code 1 if more than 1 % of stationary
cases are called what they are not.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

import tailback as tb
from studies import markdown
from studies.runs import answers
from studies.study import Study, carry_out
from tailback.statistics import Floats, drifts

_PATH = Study("coverage").folder / "RULES.md"
_MOST_FALSE = 0.01
_BLOCK = 50
_SERIES, _RUNS = 2000, 300
_SERVICE_NS = 5.76  # of a message of 64 B on the link of its node
_SEED = 10_000  # apart from those that the confidence of the test for drift was chosen with

Verdicts = tuple[bool, ...]


@dataclass(frozen=True)
class Case:
    """A process, whether it is stationary, and the verdicts of rules on it."""

    name: str
    is_stationary: bool
    rules: tuple[str, ...]
    judge: Callable[[int], Verdicts]
    count: int


def _autoregression(memory: float, rise: float, seed: int) -> Verdicts:
    """Judge 100 samples whose neighbours correlate so, and that rise by so many deviations."""
    noise = np.random.default_rng(seed).normal(size=200)
    found, value = np.empty(200), 0.0
    for i, one in enumerate(noise):
        value = memory * value + one
        found[i] = value
    series: Floats = found[100:] + 50 + np.linspace(0, rise / np.sqrt(1 - memory**2), 100)
    return (drifts(series, np.ones(100)),)


def _star(load: float, metric: str | None, is_given: bool, seed: int) -> Verdicts:
    """Judge a star of 16 nodes: whether it is not settled, and whether it is saturated."""
    workload = {
        "preset": "uniform_open_loop",
        "message_size": "64 B",
        "compute_period": f"{round(1000 * _SERVICE_NS / load)} ps",
    }
    run: dict[str, object] = {"seed": seed}
    run |= {"warmup": "20 us", "duration": "100 us"} if is_given else {}
    run |= {} if metric is None else {"metric": metric}
    run |= {} if is_given or metric is None else {"precision": 0.03}
    machine = {"topology": {"kind": "star", "nodes": 16}}
    experiment = tb.Experiment.from_dict({"machine": machine, "workload": workload, "run": run})
    ending = tb.run(experiment).ending
    return (not ending.settled, bool(ending.saturated))


def _stars() -> list[Case]:
    rules = ("not settled", "saturated")
    latency = "message_latency_us"
    cases = []
    for load in (0.1, 0.5, 0.8):
        for metric, told in ((None, "rate"), (latency, "latency")):
            for is_given, length in ((True, "length given"), (False, "length found")):
                judge = partial(_star, load, metric, is_given)
                name = f"star of 16, load {load}, {told}, {length}"
                cases.append(Case(name, True, rules, judge, _RUNS))
    for load in (1.05, 1.3):
        judge = partial(_star, load, latency, True)
        cases.append(Case(f"star of 16, load {load}, latency", False, rules, judge, _RUNS // 3))
    return cases


def _search(nodes: int, load: float, seed: int) -> Verdicts:
    """Judge a search for the saturation load of a star by what is known of a load.

    Below 1: whether it calls any load up to this one saturated. Above: whether it calls all from
    this one on saturated.
    """
    workload = {
        "preset": "uniform_open_loop",
        "message_size": "64 B",
        "compute_period": "8 ns",
        "compute_distribution": "exponential",
    }
    tables = {
        "machine": {"topology": {"kind": "star", "nodes": nodes}},
        "workload": workload,
        "run": {"seed": seed},
    }
    found = tb.saturate(tb.Experiment.from_dict(tables), jobs=1)
    shares = [(_SERVICE_NS * probe.load / 1e6, probe.verdict) for probe in found.probes]
    if load < 1:
        return (any(verdict == "saturated" for share, verdict in shares if share <= load),)
    return (all(verdict == "saturated" for share, verdict in shares if share >= load),)


def _searches() -> list[Case]:
    """Two nodes carry what their links do; a star of 4 what its switch does, above 0.96 of that."""
    name, rules = "tailback saturate, star of {}, loads {} {}", ("saturated",)
    return [
        *(
            Case(name.format(nodes, "to", load), True, rules, partial(_search, nodes, load), count)
            for nodes, load, count in ((2, 0.999, 100), (4, 0.94, 100))
        ),
        *(
            Case(name.format(nodes, "from", load), False, rules, partial(_search, nodes, load), 30)
            for nodes, load in ((2, 1.02), (4, 1.02))
        ),
    ]


CASES = (
    *(
        Case(
            f"autoregressive, phi {memory}" + (f", rises by {rise} deviations" if rise else ""),
            not rise,
            ("drifts",),
            partial(_autoregression, memory, rise),
            _SERIES,
        )
        for rise in (0, 3, 10)
        for memory in (0.0, 0.5, 0.9)
    ),
    *_stars(),
    *_searches(),
)


@dataclass(frozen=True)
class Row:
    """How often one rule said so of one case."""

    case: Case
    rule: str
    share: float

    @property
    def holds(self) -> bool:
        """Whether a stationary case is hardly ever called anything."""
        return not self.case.is_stationary or self.share <= _MOST_FALSE


def _judged(block: tuple[int, range]) -> list[Verdicts]:
    number, seeds = block
    return [CASES[number].judge(seed) for seed in seeds]


def _run() -> list[Row]:
    blocks = [
        (number, range(_SEED + first, _SEED + min(first + _BLOCK, case.count)))
        for number, case in enumerate(CASES)
        for first in range(0, case.count, _BLOCK)
    ]
    found: list[list[Verdicts]] = [[] for _ in CASES]
    for (number, _), verdicts in zip(blocks, answers(_judged, blocks, "blocks"), strict=True):
        found[number] += verdicts
    return [
        Row(case, rule, sum(verdict[place] for verdict in verdicts) / case.count)
        for case, verdicts in zip(CASES, found, strict=True)
        for place, rule in enumerate(case.rules)
    ]


_INTRODUCTION = """\
A *false alarm* is a verdict on a process known to be stationary; at most 1 % is demanded. *Power*
is how often a process that is not stationary is found out; nothing is demanded of it. A series has
100 samples and a trend of so many standard deviations from end to end. The loads of the star are
shares of what the links of its nodes carry: 1.05 and 1.3 are beyond saturation. Verdicts of runs
are those that `tailback run` tells. A search of `tailback saturate` tries loads of its own choice:
it gives a false alarm if it calls one saturated that the network is known to carry, and has power
if it calls all saturated that it cannot carry. Seeds begin at 10,000."""


def _table(rows: Sequence[Row], *, stationary: bool) -> str:
    lines = []
    for row in rows:
        if row.case.is_stationary == stationary:
            share = f"{100 * row.share:.2f} %"
            told = share if row.holds else f"**{share}**"
            lines.append([row.case.name, row.rule, f"{row.case.count:,}", told])
    return markdown.table(["process", "rule", "cases", "said so"], lines)


def _report(rows: Sequence[Row], wall_seconds: float) -> bool:
    markdown.write(
        _PATH,
        "# False alarms and power of automatic rules",
        f"{markdown.written_by('python -m studies.coverage.rules')}, in {wall_seconds:.0f} s.",
        _INTRODUCTION,
        "## False alarms",
        _table(rows, stationary=True),
        "## Power",
        _table(rows, stationary=False),
    )
    return all(row.holds for row in rows)


if __name__ == "__main__":
    sys.exit(carry_out(_run, _report, (_PATH,)))
