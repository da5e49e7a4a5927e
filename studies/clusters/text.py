"""The report of the study as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from studies import markdown
from studies.claims import Judgement
from studies.clusters import costs, published
from studies.clusters.claims import (
    WORDING,
    mbit_per_s,
    slope,
    slowest_us,
    token_pass_us,
)
from studies.clusters.measured import Runs
from studies.clusters.pauses import MARKS_KIB, Paused, largest_standstill
from studies.clusters.pauses import SIZES as PAUSED_SIZES
from studies.clusters.published import KINDS
from studies.clusters.settings import BLAMED_SIZE, NETWORKS, SIZES, STUDY, exchange
from studies.markdown import claims_table, table, written_by

_METHOD = """\
Three ways to join 256 hosts, and five programs on them [Chen & Wyckoff]; the report simulated
each network with a simulator of its own, we all with one.

* **Avici** (`avici_tsr`): line cards of 16 gigabit Ethernet ports in front of a fabric of cells,
  a torus of 8 x 2 cards.
* **Myrinet** (`myrinet`): worms of bytes with STOP and GO, 32 crossbars of 16 ports in a torus of
  8 x 4, 8 hosts each; routes given by the source, x first.
* **Ethernet** (`gigabit_ethernet`): four switches of 64 hosts around a fifth; frames are stored
  in a shared memory and forwarded by one engine in each switch.
* **Hosts** cost nothing. Processes are numbered row by row onto hosts. Latency is from the send
  until the last byte has come.
* **Not printed, so assumed:** mesh and torus make nine exchanges, computing first; they send
  west, east, north and south at one instant; what a switch serves first of what comes at one
  instant; a host of Myrinet leaves 22 flits, the time of its cable, between two messages (without
  them the mean latencies of short messages are up to 13 % too short); not where costs of contention
  are told, which they would hide."""

_LIMITS = """\
* The figures 15 to 17, 19 and 21 to 28 are plots without numbers: what the text says of them is
  judged.
* Largest latencies of single messages depend on orders that are not printed: they are shown, not
  judged.
* On Myrinet a message that a timer sends enters a flit (6.25 ns) later. That is in the numbers of
  figures 13 and 14 alone: of figures 18 and 20 the printed digits do not tell."""


def write(
    judgements: Sequence[Judgement], runs: Runs, paused: list[Paused], wall_seconds: float
) -> None:
    """Write the report; only its first lines depend on anything but the runs."""
    markdown.write(
        STUDY.results,
        "# Which network should a cluster have, and what does contention cost on it?",
        f"{written_by('python -m studies.clusters')}; {len(runs)} programs, "
        f"{runs.events / 1e6:.0f} M events, {wall_seconds:.0f} s.",
        costs.answer(runs),
        _METHOD,
        "## What contention costs",
        "Programs with all contention, with that of hosts' own links only, and without: "
        "theta_t is the "
        "mean routed lifetime of packets without contention over that with it, theta_r the "
        "message rate with it "
        "over that without; *network* and *endpoints* are the parts of links between switches, "
        "and of those of "
        "hosts.",
        table(costs.HEADER, costs.rows(runs)),
        f"## Who is to blame: messages of {BLAMED_SIZE} bytes",
        *(
            f"**{program}.**\n\n"
            + table(
                ["", "lateness by kind", "channels at the root of most lateness"],
                costs.blamed(runs, program),
            )
            for program in ("fan_in", "torus")
        ),
        "## Switches that pause each other for ever",
        _pauses(paused),
        "## What is said, and what we find",
        claims_table(judgements, WORDING),
        "## Figure 13: token_pass, one byte, us",
        _figure_13(runs),
        "## Figure 14: one long message, Mbit/s",
        table(
            ["", "printed", "ours"],
            [
                [network.name, published.throughput(network), f"{mbit_per_s(runs, network):.3f}"]
                for network in NETWORKS
            ],
        ),
        "## Figure 18: mesh, us, ours (printed)",
        _exchanges(runs, "mesh"),
        "## Figure 20: torus, us, ours (printed)",
        _exchanges(runs, "torus"),
        "## Completion: us for a byte from 1024 to 2048 bytes",
        _slopes(runs),
        "## Figures 15 to 17: the largest latency of fan_in and fan_out, us",
        _fans(runs),
        "## Limits",
        _LIMITS,
    )


def _figure_13(runs: Runs) -> str:
    lines = []
    for network in NETWORKS:
        ours, printed = token_pass_us(runs, network), published.token_pass(network)
        lines.append([network.name, *(f"{ours[k]:.3f} ({printed[k]})" for k in KINDS)])
    return table(["ours (printed)", *KINDS], lines)


def _exchanges(runs: Runs, program: str) -> str:
    lines = []
    for network in NETWORKS:
        for size in SIZES:
            ours = runs.of(exchange(network, program, size)).latency_us
            printed = published.latencies(program, network, size)
            cells = (f"{ours[kind]:.2f} ({printed[kind]})" for kind in KINDS)
            share = ours["avg"] / float(printed["avg"]) - 1
            lines.append([f"{network.name}, {size} B", *cells, markdown.percent(share)])
    return table(["", *KINDS, "avg, difference"], lines)


def _slopes(runs: Runs) -> str:
    lines = []
    for network in NETWORKS:
        cells = []
        for program in ("mesh", "torus"):
            cells += [published.slope(program, network), f"{slope(runs, network, program):.3f}"]
        lines.append([network.name, *cells])
    return table(["", "mesh, printed", "ours", "torus, printed", "ours"], lines)


def _fans(runs: Runs) -> str:
    lines = []
    for program in ("fan_in", "fan_out"):
        for network in NETWORKS:
            cells = (f"{slowest_us(runs, network, program, size):.2f}" for size in SIZES)
            printed = published.fan_in_us(network) if program == "fan_in" else None
            lines.append([f"{program}, {network.name}", *cells, printed or "-"])
    return table(["", *(f"{size} B" for size in SIZES), "printed, 2048 B"], lines)


def _pauses(paused: list[Paused]) -> str:
    stuck = largest_standstill(paused)
    parts = [
        "Torus on the gigabit Ethernet, whose switches now tell their neighbours to pause "
        "(802.3x): when the last process is done, in us. First with as much memory as they like, "
        "so that no frame is lost, by how much of it makes them tell their neighbours (half of "
        "that lets these go on):",
        _paused_table(paused, is_bounded=False),
    ]
    if stuck is not None:
        parts += [
            f"With a mark of {stuck.kib} KiB and messages of {stuck.size} bytes the run ends with",
            f"    {stuck.told}",
            "The memory of each is full of frames for the other, which it may not send before the "
            "other's memory is emptier:",
            f"```text\n{drawing(stuck)}\n```",
        ]
    parts += [
        "Then with a memory of that size, and a mark at three quarters of it. A switch of 64 hosts "
        "needs room for the frames that they have begun: with less it loses frames although it "
        "tells everybody to pause, and the program waits for them for ever.",
        _paused_table(paused, is_bounded=True),
    ]
    return markdown.paragraphs(*parts)


def _paused_table(paused: list[Paused], *, is_bounded: bool) -> str:
    found = {(one.kib, one.size): one for one in paused if one.is_bounded == is_bounded}
    lines = [
        [f"{kib} KiB", *(_end(found[kib, size]) for size in PAUSED_SIZES)] for kib in MARKS_KIB
    ]
    return table(["", *(f"{size} B" for size in PAUSED_SIZES)], lines)


def _end(one: Paused) -> str:
    if one.completion_us is not None:
        return f"{one.completion_us:.0f}"
    if one.each_other:
        return "**pause each other for ever**"
    return f"**{one.lost} frames lost**"


def drawing(stuck: Paused) -> str:
    """Return a picture of two switches that pause each other."""
    one, other = (f"{name:<14}" for name in stuck.each_other)
    named = [f"for {name:<10}" for name in reversed(stuck.each_other)]
    return "\n".join(
        [
            f"  {one}                              {other}",
            " +----------------+                          +----------------+",
            " | full of frames | ==== frames: stopped ==> | full of frames |",
            f" | {named[0]} | <------- PAUSE --------- | {named[1]} |",
            " |                | -------- PAUSE --------> |                |",
            " |                | <== stopped: frames ==== |                |",
            " +----------------+                          +----------------+",
        ]
    )
