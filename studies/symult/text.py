"""The report of the study as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from studies import markdown
from studies.claims import Judgement
from studies.markdown import claims_table, table, written_by
from studies.symult import costs, numbers, published
from studies.symult.claims import WORDING
from studies.symult.loops import Loops
from studies.symult.settings import (
    FAST_FLIT_NS,
    FLIT_NS,
    LONG,
    PATTERNS,
    SHORT,
    STUDY,
    TRANSPOSED_SIDES,
    TRANSPOSED_SIZES,
)

_METHOD = """\
The measurements of [Chittor & Enbody 1990] on the Symult 2010: loops in which a node computes and
exchanges a message with a peer, or with four. What they call communication is the time of a loop
less that of computing.

* **Network.** A mesh of 8-bit links, both directions of which share the wires flit by flit, those
  between node and router too; one-flit buffers; rows first. 57.7 ns a flit, as measured.
* **Node.** One CPU, on which receiving interrupts sending, and both computing. A message costs it
  105 us before its first packet and 179 us after its last, 101 us where it is received; of
  longer messages than 256 bytes every packet costs 24.6 us and 32 us besides. Sends do not block.
* **Fitted, not printed:** the split of the 206 us of a short message into these parts and the
  32 us, to figure 12; with four neighbours 182 us more for each message received. The kernel of
  sections 3.1, 3.2 and 4 was another one: 105 and 105.2 us for a message, nothing for a packet
  received.
* **Not printed, so assumed:** both peers draw the same times of computing; figure 12 is of nodes
  with four neighbours, on 16 nodes, computing for 500 us."""

_LIMITS = """\
* Loops are not 10,000 but 4 to 40: what is drawn is subtracted, and loops with and without
  contention draw the same.
* Nodes are done when they have received, before the CPU has worked for their last message: a loop
  of figure 12 is a tenth of what 20 loops take longer than 10; its costs are those of the 20.
* Figures 4, 6, 7, 9 and 14 are plots without numbers.
* How long the loops of figure 8 take without contention is not printed; delays are counted from its
  shortest loop."""


def write(judgements: Sequence[Judgement], loops: Loops, wall_seconds: float) -> None:
    """Write the report; only its first lines depend on anything but the runs."""
    markdown.write(
        STUDY.results,
        "# How much of the Symult 2010's time was contention?",
        f"{written_by('python -m studies.symult')}; {len(loops)} loops, "
        f"{loops.events / 1e9:.2f} G events, {wall_seconds:.0f} s.",
        costs.answer(loops),
        _METHOD,
        "## What contention costs",
        "Loops with contention against the same without: theta_t is the mean routed lifetime of "
        "packets without it over that with it, theta_r the message rate with it over that without; "
        "*network* and *endpoints* are the parts of links between routers, and of those of nodes. "
        "Beside it, what the mean latency of a message consists of.",
        table(costs.HEADER, costs.rows(loops)),
        "## What is said, and what we find",
        claims_table(judgements, WORDING),
        "## The law of section 3.1",
        _law(loops),
        "Section 4 has of a message of 4096 bytes 0.839 ms, of a packet 14.8 us of channel and "
        f"24.6 us of software; ours: {_components(loops)}.",
        "## Figure 12: near neighbours",
        "Communication of a loop in ms, printed and ours, and the difference. "
        f"Root mean square {_deviation(loops)}.",
        _near(loops),
        "## Figure 8: matrix transpose on 64 nodes",
        "How much longer than the shortest a loop is, in us, by |i - j|; ours: than without "
        "contention.",
        _by_distance(loops),
        "Ours for each node, 57.7 ns a flit; printed beside it.",
        _matrix(loops),
        "## Conclusion 2: where the increase is more than 10 us",
        "Mean delay of a loop over the nodes, and the largest, in us; computing 250 us on average.",
        _transposed(loops),
        "## Limits",
        _LIMITS,
    )


def _law(loops: Loops) -> str:
    laws = published.law()
    lines = []
    for size in (*SHORT, *LONG):
        alpha, beta = laws[0] if size <= 256 else laws[1]
        printed, ours = alpha + beta * size, numbers.message_us(loops, size)
        lines.append([f"{size}", f"{printed:.1f}", f"{ours:.1f}", f"{ours - printed:+.1f}"])
    return table(["bytes", "printed law, us", "ours, us", "difference, us"], lines)


def _components(loops: Loops) -> str:
    found = numbers.components(loops)
    return (
        f"{found['message_ms']:.4f} ms, {found['channel_us']:.2f} and {found['software_us']:.2f} us"
    )


def _deviation(loops: Loops) -> str:
    found = numbers.deviations(loops)
    worst = max(found, key=lambda key: abs(found[key]))
    size = f"{worst[0].replace('_', '-')} at {worst[1]} bytes"
    rms = numbers.root_mean_square(list(found.values()))
    return f"{100 * rms:.1f} %, worst {100 * found[worst]:+.1f} % ({size})"


def _near(loops: Loops) -> str:
    found = numbers.deviations(loops)
    lines = []
    for size in published.sizes():
        cells = []
        for pattern in PATTERNS:
            ours = numbers.near_us(loops, pattern, size) / 1000
            printed = published.near_neighbours(pattern, size)
            cells += [printed, f"{ours:.3f}", markdown.percent(found[pattern, size])]
        lines.append([str(size), *cells])
    names = [pattern.replace("_", "-") for pattern in PATTERNS]
    return table(["bytes", *(h for name in names for h in (name, "ours", ""))], lines)


def _by_distance(loops: Loops) -> str:
    rows = {
        "printed": numbers.by_distance(numbers.printed_delays()),
        "57.7 ns a flit": numbers.by_distance(numbers.figure_8(loops, FLIT_NS)),
        "35 ns a flit": numbers.by_distance(numbers.figure_8(loops, FAST_FLIT_NS)),
    }
    lines = [[name, *(f"{found[d]:.0f}" for d in range(1, 8))] for name, found in rows.items()]
    return table(["", *map(str, range(1, 8))], lines)


def _matrix(loops: Loops) -> str:
    ours, printed = numbers.figure_8(loops, FLIT_NS), numbers.printed_delays()
    lines = []
    for row in range(8):
        nodes = range(8 * row, 8 * row + 8)
        cells = (f"{ours[n]:.0f} ({printed[n]:.0f})" if n in ours else "" for n in nodes)
        lines.append([str(row), *cells])
    return table(["row", *map(str, range(8))], lines)


def _transposed(loops: Loops) -> str:
    lines = []
    for side in TRANSPOSED_SIDES:
        for flit in (FLIT_NS, FAST_FLIT_NS):
            found = (numbers.transposed(loops, side, size, flit) for size in TRANSPOSED_SIZES)
            cells = [f"{mean:.1f} ({most:.0f})" for mean, most in found]
            lines.append([f"{side * side} nodes, {flit:g} ns", *cells])
    return table(["", *(f"{size} B" for size in TRANSPOSED_SIZES)], lines)
