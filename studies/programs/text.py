"""The report of the study as Markdown."""

from __future__ import annotations

import math
from collections.abc import Sequence

from studies import markdown
from studies.markdown import table, written_by
from studies.programs.cases import JOBS, STUDY
from studies.programs.measured import Explained, Interfered
from tailback.critical_path import CONTENTION

_METHOD = """\
* **Machines.** 16 nodes each, links of 1 GB/s with 100 ns, switches that take 100 ns and have room
  for four packets of 2000 bytes in each input buffer; usual routing.
* **NAS IS**, class S, as recorded under SimGrid on a crossbar of such links (floating-point
  operations at 1 Gflop/s; ranks on the first nodes). Collectives by MPICH's rules.
* **All-reduce** of 1 MB on all 16 nodes, around a ring and by recursive doubling.
* **PyTorch.** The trace that comes with MLCommons' Chakra is of one rank; all of 8 do what that
  one did. Collectives whose size was not recorded are of no bytes.
* **Contention** is what the program takes longer than in mode `endpoints` (`network`), and what
  that takes longer than `free` (`endpoints`). The critical path says what its messages waited
  for; that is not the same, because without these waits another path may be the critical one.
* **Two jobs.** NAS IS on eight nodes, a ring all-reduce of 1 MB on the other eight; each also alone
  on its nodes. One seed: completion times are exact."""

_PROGRAMS = (
    "program",
    "machine",
    "full, us",
    "endpoints",
    "free",
    "network, %",
    "endpoints, %",
    "path: computing, %",
    "messages on their way, %",
    "contention, %",
    "longest wait",
    "for",
)
_PAIRS = (
    "machine",
    "placement",
    *(f"{job}: slowdown" for job in JOBS),
    *(f"lateness of {job} charged to {other}, %" for job, other in (JOBS, JOBS[::-1])),
)


def write(found: tuple[list[Explained], list[Interfered]], wall_seconds: float) -> None:
    """Write the report; only its first lines depend on anything but the runs."""
    explained, interfered = found
    markdown.write(
        STUDY.results,
        "# What does contention cost programs, and whose is it?",
        f"{written_by('python -m studies.programs')}; {wall_seconds:.0f} s.",
        _answer(explained, interfered),
        _METHOD,
        "## Programs",
        table(_PROGRAMS, map(_program, explained)),
        "## Two jobs",
        table(_PAIRS, map(_pair, interfered)),
    )


def _answer(explained: Sequence[Explained], interfered: Sequence[Interfered]) -> str:
    worst = max(explained, key=_network)
    free = sum(_network(one) < 0.001 for one in explained)
    slowest = max(interfered, key=lambda one: max(one.slowdown.values()))
    job = max(slowest.slowdown, key=lambda name: slowest.slowdown[name])
    return (
        f"Of {len(explained)} programs on machines, {free} lose nothing to contention in the "
        f"network (less than 0.1 %); most is lost by {worst.program} on {worst.machine}: "
        f"{100 * _network(worst):.1f} %. Of two jobs, {job} suffers most, on {slowest.machine} "
        f"with {slowest.placement} nodes: it takes {slowest.slowdown[job]:.3f} times as long."
    )


def _network(one: Explained) -> float:
    return one.completion_us["full"] / one.completion_us["endpoints"] - 1


def _program(one: Explained) -> list[str]:
    times = one.completion_us
    path = sum(one.parts_us.values())
    contention = sum(one.parts_us.get(part, 0.0) for part in CONTENTION)
    shares = (one.parts_us.get("computing", 0.0), one.parts_us.get("own", 0.0), contention)
    return [
        one.program,
        one.machine,
        *(f"{times[mode]:.1f}" for mode in ("full", "endpoints", "free")),
        f"{100 * _network(one):+.1f}",
        f"{100 * (times['endpoints'] / times['free'] - 1):+.1f}",
        *(f"{100 * part / path:.1f}" for part in shares),
        one.channel,
        one.culprit,
    ]


def _pair(one: Interfered) -> list[str]:
    charged = [one.by_blame.get(pair, 0.0) for pair in (JOBS, JOBS[::-1])]
    return [
        one.machine,
        one.placement,
        *(f"{one.slowdown[job]:.4f}" for job in JOBS),
        *("-" if math.isnan(share) else f"{100 * share:.1f}" for share in charged),
    ]
