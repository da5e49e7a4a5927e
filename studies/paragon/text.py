"""The report of the study as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from studies import markdown
from studies.claims import Judgement
from studies.markdown import claims_table, table, written_by
from studies.paragon import costs, tables
from studies.paragon.claims import WORDING
from studies.paragon.measured import Measured
from studies.paragon.settings import (
    BUFFERED_GROUPS,
    BUFFERS,
    GROUPINGS,
    NAIVE_SIDES,
    ORDERS,
    READINGS,
    SIDES,
    SIZES,
    STUDY,
    printed_barrier_us,
)

_METHOD = """\
The measurements of [Bokhari & Nicol 1996] on the Paragon: every node sends a block of data to every
other, in the steps of a schedule that has no contention, with a barrier after so many of them.
Fewer barriers mean more contention; what is best? Contention is told as (node, link): messages of a
node, and on a link, between two barriers.

* **Schedules.** The paper prints no construction. Ours (docs/schedules.md) has every number of
  table 2, and the permutations of figure 5 as its steps 120 and 121.
* **Printed:** a message of m bytes takes 231 + 0.022 m us (table 1), routing along the row first.
* **Not printed, so assumed:** a node starts one message at a time, which takes it 231 us, drawn
  within 20 % of that; then packets of 1792 bytes, one every 39.4 us, over links of four times this
  rate, worm by worm; a receiver has room for two packets and drains one at a time, at the printed
  rate. Without variation everybody stays in step, and ties decide the result.
* **Barriers.** The printed formula, 27.1 log2 n - 134 us, is negative at every size of mesh that
  was measured. Readings that give a time: {readings}. Which one is not decidable: figures have no
  numbers. So barriers take no time in the runs, and their time is added.
* **Naive:** sends to all others without barriers. The paper does not print in which order; three
  are tried, and that which begins at a node's own number is compared with.
* Blocks for the node itself are not sent."""

_LIMITS = """\
* Figures 7 to 15 are plots: only what is said about them could be checked, and message sizes other
  than 15232 bytes are ours.
* (256, 1024) on 16 x 16 nodes and the naive exchange there did not run on the machine; they are
  left out.
* The last packet of a message holds its node's channel for as long as it takes on the fast links;
  while it would still be sent at the node's own rate (14.8 us at 15232 bytes) the next start-up has
  begun."""


def write(judgements: Sequence[Judgement], measured: Measured, wall_seconds: float) -> None:
    """Write the report; only its first lines depend on anything but the runs."""
    endings = measured.runs.endings
    markdown.write(
        STUDY.results,
        "# How much of the Paragon's complete exchange was contention?",
        f"{written_by('python -m studies.paragon')}; {len(endings)} runs, "
        f"{sum(endings['events'].to_list()) / 1e9:.2f} G events; "
        f"those not kept from before took {wall_seconds:.0f} s.",
        costs.answer(measured),
        _METHOD.format(readings=_readings()),
        "## What contention costs",
        "15232 bytes. theta_t is the mean routed lifetime of packets without contention over that "
        "with it, theta_r the message rate with it over that without, theta_c the time of the "
        "exchange without over that with it; *network* and *endpoints* are theta_c of links "
        "between nodes and of nodes' own. Barriers in both readings; the last column in the first.",
        table(costs.HEADER, costs.rows(measured)),
        "## What is said, and what we find",
        claims_table(judgements, WORDING),
        "## Table 2: steps required as contention is allowed to increase",
        _steps(),
        "## Figures 12 to 15: between the bounds",
        "In ms at 15232 bytes: lower bound, ours, upper bound, and ours over the lower bound; with "
        f"a barrier of {READINGS[0].name} and of {READINGS[1].name} us.",
        *(block for side in SIDES for block in (f"### {side} x {side}", _slice(measured, side))),
        "## Figures 7 to 9 and 11: bounded contention against naive",
        "The best grouping, its time with barriers and that of the naive exchanges in ms, and how "
        "much shorter it is than the one that begins at a node's own number.",
        _sizes(measured),
        "## What buffers would have done",
        "8 x 8 nodes, 15232 bytes, with buffers of so many bytes at every input of a switch: "
        "communication in ms, and without contention. From 2000 bytes on a packet that waits is "
        "stored, and leaves the links behind it to others.",
        _buffers(measured),
        "## Limits",
        _LIMITS,
    )


def _readings() -> str:
    printed = ", ".join(f"{printed_barrier_us(side):.0f}" for side in SIDES)
    found = " and ".join(
        f"{reading.name} ({', '.join(f'{reading.us(side):.0f}' for side in SIDES)} us)"
        for reading in READINGS
    )
    return f"{found}; as printed {printed} us for n = 4, 8, 12, 16"


def _steps() -> str:
    lines = []
    found = {(row.side, row.link): row for row in tables.steps()}
    links = sorted({link for _, link in found})
    for side in sorted({side for side, _ in found}):
        cells = []
        for link in links:
            row = found[side, link]
            pair = row.ours or "-" if row.printed == row.ours else f"{row.printed} / refused"
            cells.append(pair)
        lines.append([f"{side} x {side}", *cells])
    return table(["", *map(str, links)], lines)


def _slice(measured: Measured, side: int) -> str:
    header = ["contention", "barriers", *(["lower", "ours", "upper", "ratio"] * 2)]
    return table(header, costs.slice_rows(measured, side))


def _buffers(measured: Measured) -> str:
    lines = []
    for grouping in GROUPINGS[8]:
        group = grouping.contention.group
        if group in BUFFERED_GROUPS:
            times = [measured.buffered(group, size) for size in BUFFERS.values()]
            times.append(measured.buffered(group, min(BUFFERS.values()), "free"))
            lines.append([grouping.name, *(f"{us / 1000:.2f}" for us in times)])
    return table(["contention", *BUFFERS, "none"], lines)


def _sizes(measured: Measured) -> str:
    lines = []
    for side in NAIVE_SIDES:
        for size in SIZES:
            cells = []
            for reading in READINGS:
                best = tables.best(measured, side, reading, size)
                total = measured.total_us(best, reading, size) / 1000
                gain = tables.improvement(measured, side, size, reading)
                cells += [f"{best.name} {total:.1f}", f"{100 * gain:+.0f} %"]
            naive = (measured.naive(side, order, size=size).value / 1000 for order in ORDERS)
            lines.append([f"{side} x {side}, {size} B", *cells, *(f"{ms:.1f}" for ms in naive)])
    names = (reading.name for reading in READINGS)
    return table(["", *(h for n in names for h in (n, "shorter")), *ORDERS.values()], lines)
