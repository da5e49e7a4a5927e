"""The report of the study as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from studies import markdown
from studies.fluid.measured import FIDELITIES, METRICS, Measured
from studies.markdown import table, written_by
from studies.study import Study

STUDY = Study("fluid")

_METHOD = """\
The same messages in both fidelities, and in the modes that tell what contention costs. The error
is by what share `fluid` is above `packet`, below if negative.

* **Machine.** 8 x 8 nodes, a mesh, rows first; links of a byte per nanosecond; packets of 256
  bytes, cut through, in buffers for seven of them. Messages of 4096 bytes.
* **Loads** are shares of what a node's link carries; 60 messages of each node at random instants,
  to random others. They end, so that high loads are bursts.
* **All to one, all to all, neighbours:** everybody begins within a microsecond.
* **Complete exchange, Paragon:** 15,232 bytes from each to each, in the order of the distance in
  number, with what messages cost there (start-up, interval, receive FIFO, draining), no barriers.
* **Passing a busy node:** four messages of 100 kB, from all sides to one node, and a fifth that
  goes on through its switch.
* Completion is when the last message has arrived, latency from when a message is sent until it has:
  both as simulated, one seed each."""

_WHY = """\
* *Too low in `full`:* in `packet` a buffer that is full of packets for a busy output keeps all
  others from the link before it; in `fluid` nobody stands in the way of who goes elsewhere.
  *Passing a busy node* is that alone: the four share the way into the node in both fidelities; the
  fifth, which alternates with one of them on a link, waits for room with it in `packet`, and has
  what that leaves of the link in `fluid`. With one queue at each input (`queueing = "fifo"`) it is
  more: packets wait behind others whose output is busy, too.
* *Too high below saturation:* rates of all flows on a link are equal at every instant, where
  packets of a message that came first go first.
* *Too high in `endpoints`, and where receivers are busy:* a message has its node's link until it is
  through, as long as its receiver is shared with others; in `packet` what has left its node waits
  in a buffer at the other end, without bounds in `endpoints`, and the node sends the next message.
* *Mean latencies of all to one:* a max-min fair share is equal, so all end at once; arbiters let
  those who are near, and enter behind fewer others, be first.
* *`free`* is exact: alone a message takes what it takes in `packet`."""
""

_HEADER = ("", "mode", "completion, us", "fluid", "error", "mean latency, us", "fluid", "error")


def write(found: Sequence[Measured], wall_seconds: float) -> None:
    """Write the report; only its first lines depend on anything but the runs."""
    markdown.write(
        STUDY.results,
        "# How good an estimate is fidelity fluid?",
        f"{written_by('python -m studies.fluid')}; {len(found)} lists of messages, "
        f"{wall_seconds:.0f} s; CPU seconds {_seconds(found)}.",
        _answer(found),
        _METHOD,
        "## Errors",
        table(_HEADER, (_row(one) for one in found)),
        "## Where they come from",
        _WHY,
    )


def _seconds(found: Sequence[Measured]) -> str:
    return " and ".join(
        f"{sum(one.seconds[fidelity] for one in found):.0f} in `{fidelity}`"
        for fidelity in FIDELITIES
    )


def _answer(found: Sequence[Measured]) -> str:
    sentences = []
    for mode in dict.fromkeys(one.mode for one in found):
        of_mode = [one for one in found if one.mode == mode]
        parts = []
        for metric, name in zip(METRICS, ("completion", "mean latency"), strict=True):
            errors = [one.error(metric) for one in of_mode]
            low, high = min(errors), max(errors)
            parts.append(f"{name} {100 * low:+.1f} to {100 * high:+.1f} %")
        sentences.append(f"* Mode `{mode}`: {', '.join(parts)}.")
    return "\n".join(["Errors, from the lowest to the highest:", "", *sentences])


def _row(one: Measured) -> list[str]:
    cells = [one.case, one.mode]
    for metric in METRICS:
        cells += [f"{one.found[fidelity][metric]:.2f}" for fidelity in FIDELITIES]
        cells.append(f"{100 * one.error(metric):+.1f} %")
    return cells
