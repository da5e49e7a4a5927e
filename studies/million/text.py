"""The report of the study as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from studies import markdown
from studies.markdown import table, written_by
from studies.million.cases import CASES, LOAD, MESSAGES_PER_NODE, RADIUS, SIZE, Case
from studies.million.measured import Measured
from studies.study import Study

STUDY = Study("million")

#: Bytes that a million nodes may take.
MOST_BYTES = 4e9

_METHOD = f"""\
Each case runs in a process of its own on one core, until {MESSAGES_PER_NODE} messages for each
node have been delivered.

* **Machine.** The default machine: 100 Gbit/s links, output-queued switches, the usual routing of
  the topology.
* **Traffic.** Messages of {SIZE}, one packet each, at {LOAD:.0%} of what the link of a node
  carries, to random destinations. On the mesh destinations are at most {RADIUS} hops away in each
  coordinate. To destinations anywhere a message would cross 667 links on average: 6.7 G packet-hops
  for 10 M messages, and the middle of the mesh would be saturated.
* **Times** are processor time. Set-up is from the description to the first event. Times of other
  programs on the machine are not in them, but share its caches and memory.
* **Memory** is the peak of the whole process, Python included.
* A run begins with an empty network, so latencies are those of a network that fills."""

_HEADER = (
    "",
    "nodes",
    "channels",
    "messages, M",
    "packet-hops, M",
    "set-up, s",
    "run, s",
    "wall, s",
    "M packet-hops/s",
    "peak, GB",
    "B per node",
    "simulated, us",
    "latency, us",
)


def write(found: Sequence[Measured], wall_seconds: float) -> None:
    """Write the report."""
    markdown.write(
        STUDY.results,
        "# How long do ten million messages among a million nodes take, and how much memory?",
        f"{written_by('python -m studies.million')}; {len(found)} runs, {wall_seconds:.0f} s.",
        _answer(found),
        _METHOD,
        "## Figures",
        table(_HEADER, (_row(case, one) for case, one in zip(CASES, found, strict=True))),
        "## Growth",
        "Rate and memory per node at a million nodes, in times those at a tenth:",
        table(("", "M packet-hops/s", "B per node"), _growth(found)),
    )


def _answer(found: Sequence[Measured]) -> str:
    large = [one for one in found if one.nodes > 500_000]
    peak = max(one.peak_bytes for one in large)
    longest = max(one.setup_s + one.run_s for one in large)
    least = min(one.messages for one in large) / 1e6
    holds = "within" if peak <= MOST_BYTES else "above"
    return (
        f"At least {least:.1f} M messages took at most {longest:.0f} s of one core with set-up, "
        f"and at most {peak / 1e9:.2f} GB, {holds} the goal of {MOST_BYTES / 1e9:.0f} GB."
    )


def _rate(one: Measured) -> float:
    """Return packet-hops per second of the run."""
    return one.packet_hops / one.run_s


def _row(case: Case, one: Measured) -> list[str]:
    near = f", radius {RADIUS}" if case.near else ""
    return [
        f"{case.topology}{near}",
        f"{one.nodes:,}",
        f"{one.channels:,}",
        f"{one.messages / 1e6:.2f}",
        f"{one.packet_hops / 1e6:.1f}",
        f"{one.setup_s:.1f}",
        f"{one.run_s:.1f}",
        f"{one.wall_s:.0f}",
        f"{_rate(one) / 1e6:.2f}",
        f"{one.peak_bytes / 1e9:.2f}",
        f"{one.peak_bytes / one.nodes:,.0f}",
        f"{one.simulated_us:.1f}",
        f"{one.latency_us:.2f}",
    ]


def _growth(found: Sequence[Measured]) -> list[list[str]]:
    pairs = zip(CASES[::2], found[::2], found[1::2], strict=True)
    return [
        [
            case.topology,
            f"{_rate(large) / _rate(small):.2f}",
            f"{large.peak_bytes / large.nodes / (small.peak_bytes / small.nodes):.2f}",
        ]
        for case, small, large in pairs
    ]
