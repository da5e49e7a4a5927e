"""The report of the study as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from studies import markdown
from studies.buzzard_mudge import costs, variants
from studies.buzzard_mudge.claims import ABOUT, RatioVerdict
from studies.buzzard_mudge.collisions import Collisions
from studies.buzzard_mudge.findings import Findings
from studies.buzzard_mudge.general import WORDING
from studies.buzzard_mudge.paired import Measured
from studies.buzzard_mudge.published import ideal_utilisations, spacings_ticks
from studies.buzzard_mudge.reasons import reason
from studies.buzzard_mudge.settings import (
    BEGINS,
    COMPLETE,
    LENGTHS,
    SECTION_3,
    SECTION_6,
    SPACINGS,
    STUDY,
    WORMHOLE,
    Setting,
)
from studies.buzzard_mudge.standstill import Standstill
from studies.buzzard_mudge.storage import (
    heavy_printed,
    light_printed,
    storage_table,
)
from studies.buzzard_mudge.summary import summary
from studies.markdown import Notes, claims_table, paragraphs, table, written_by
from tailback.wording import number

_METHOD = """\
* **Machine.** A hypercube of degree 6, {links} directed links. A tick is 1 ns: 2 ns a byte, 4 ns
  of arbitration at every node, overlapped with the transfer before. Packets of 4 header and 16
  data bytes, the first with 10; 16 of them for each outgoing channel. No acknowledgements.
* **Messages.** Destinations uniform without oneself, lengths exponential, times between messages
  normal with a variance of half their mean in ticks. All transports are given the same messages:
  with one seed the k-th message of a node is the same in each. Ratios are of such pairs, over
  the seeds; intervals are 95 %, by Student's t.
* **Not printed, so assumed:** 30 messages of every node, all counted, until everything is
  delivered; nodes begin within one mean time, and send for the first time a gap later (so that
  the load of these runs is a thirtieth below the nominal one); headers of 2 bytes where a message
  is one packet, and input buffers of 2 bytes for wormholes (see below for others); one list of
  messages at each node, whose head waits for its channel while others transmit; delivery on all
  channels at once.
* **First and last.** The paper's *first* is the time until 16 data bytes are there, its *last*
  until all are; a bandwidth is what is sent in the time between. The load is link time of all
  data (headers left out) over the time of all links until the last message is sent."""

_LIMITS = """\
* The figures of the paper are plots: only its words could be checked. At its heaviest loads
  a run of 30 messages is one long burst, in which times grow as long as it lasts: ratios
  depend on its length, which is not printed (see *What depends on choices*).
* A tick is a nanosecond and everything is whole picoseconds; nothing else of the machine matters.
* The node instructions of section 2 (broadcast, receipt before a message is complete) are not
  part of this study, only the times that they would see."""


def write(found: Findings, wall_seconds: float) -> None:
    """Write the report; only its first lines depend on anything but the runs."""
    measured = found.measured
    markdown.write(
        STUDY.results,
        "# How messages should cross a hypercube",
        _provenance(measured, wall_seconds),
        "The simulations of [Buzzard & Mudge 1988] run again: wormhole routing against packets "
        "(section 6), datagrams, cut-through and circuits (section 3), the collisions of equations "
        "(1) and (2), and what contention costs each of them, which the paper does not ask.",
        _METHOD.format(links=384),
        "## What was found",
        summary(found),
        "## Every printed ratio",
        f"*About* x % holds where our interval overlaps with x ± {ABOUT:g}, a bound where the "
        "interval is not wholly beyond it. Ours in percent of wormhole routing, at each of the "
        "loads, the heaviest first. *Off*: how far the worst of them lies from what agrees, in "
        'points. The paper measures the arrival of "the first packet (or 16 data bytes)", and '
        "the first packet carries 10: so twice, with the first 16 bytes of a message for all, and "
        "with the first packet against 16 bytes of a worm. All rules were written before the runs; "
        "the second reading was added when the first was seen to fail at light loads.",
        _verdict_table(found.verdicts, found.literal),
        "## Mean times (µs), figures 6a to 7b",
        *(_times(measured, length) for length in LENGTHS),
        "`make studies` also writes `report.html`, which has the figures.",
        "## The conclusions of section 3",
        claims_table(found.conclusions, WORDING),
        "### Buffers of datagrams",
        f"The paper: for messages of 8192 bytes from about {light_printed():g} kbytes at light "
        f"loads to more than {heavy_printed():g} at heavier ones. Most that any node stored at "
        "once, mean over the seeds: messages of others on their way, and its own that had not set "
        "out. Loads as above, times between messages in proportion.",
        storage_table(found.needs),
        "## Two messages at one idle node",
        _collisions(found.collisions),
        "## What contention costs",
        costs.__doc__.partition("\n\n")[2] if costs.__doc__ else "",
        *(costs.theta_table(measured, (*SECTION_6, *_full_fixed()), length) for length in LENGTHS),
        *(costs.rate_table(measured, (*SECTION_6, *_full_fixed()), length) for length in LENGTHS),
        "First 512, then 2048 bytes. `theta_t` of packets is that of a packet, not of a message.",
        "## Buffers against packet sizes",
        "The future work of the paper: 320 bytes for each channel as many small packets or few "
        "large ones, sizes with the header; messages of 512 bytes.",
        variants.buffers_table(measured),
        "## What depends on choices",
        "Messages of every node (512 bytes; bandwidth: of packets over that of wormholes):",
        variants.run_lengths_table(measured),
        "Input buffers of wormhole routing (with 1 B the header has 1 B as well):",
        variants.wormhole_buffers_table(measured),
        "## Strict order stands still",
        _standstill(found.standstills),
        "## Limits",
        _LIMITS,
    )


def _full_fixed() -> list[Setting]:
    return [setting for setting in SECTION_3 if setting.name.endswith("full_fixed")]


def _provenance(measured: Measured, wall_seconds: float) -> str:
    endings = measured.runs.endings
    events = float(endings["events"].sum())
    return (
        f"{written_by('python -m studies.buzzard_mudge')}; {len(endings)} runs, "
        f"{events / 1e9:.2f} G events; those not kept from before took {wall_seconds:.0f} s."
    )


def _verdict_table(verdicts: Sequence[RatioVerdict], literal: Sequence[RatioVerdict]) -> str:
    notes = Notes()
    lines = []
    for verdict, other in zip(verdicts, literal, strict=True):
        printed = verdict.printed
        why = reason(printed.claim_id)
        is_all = verdict.words == other.words == "holds"
        letter = f" {notes.letter(why)}" if why and not is_all else ""
        lines.append(
            [
                f"{printed.scheme}, {printed.length} B: {printed.metric}",
                f"{printed.words}, {printed.loads}",
                *_judged(verdict),
                *_judged(other),
            ]
        )
        lines[-1][-1] += letter
    header = ["", "printed", "16 bytes", "off", "verdict", "first packet", "off", "verdict"]
    return paragraphs(table(header, lines), notes)


def _judged(verdict: RatioVerdict) -> list[str]:
    """Return our numbers, how far they are off, and the verdict."""
    if not verdict.ours:
        return ["-", "-", verdict.words]
    word = verdict.words if verdict.words == "holds" else f"**{verdict.words}**"
    return [", ".join(number(one, most=3) for one in verdict.ours), f"{verdict.furthest:.0f}", word]


def _times(measured: Measured, length: int) -> str:
    ticks = spacings_ticks(length)
    lines = [["time between messages, ticks", *(f"{one:g}" for one in ticks)]]
    nominal = ideal_utilisations(length)
    lines.append(["ideal link utilisation, % (nominal)", *(f"{100 * u:.1f}" for u in nominal)])
    loads = (
        measured.mean(WORMHOLE, length, spacing, "ideal_link_utilisation") for spacing in SPACINGS
    )
    lines.append(["the same of these runs, %", *(f"{100 * load.value:.1f}" for load in loads)])
    for setting in SECTION_6:
        for measure, word in ((BEGINS, "first"), (COMPLETE, "last")):
            found = (measured.mean(setting, length, spacing, measure) for spacing in SPACINGS)
            lines.append([f"{setting.title}, {word}", *map(number, found)])
    return table([f"{length} B", *map(str, range(1, len(SPACINGS) + 1))], lines)


def _collisions(counted: Sequence[Collisions]) -> str:
    agree = all(one.agree for one in counted)
    lines = [
        [
            f"{one.dimensions}",
            f"{one.pairs}",
            f"{one.fixed:.6f}",
            f"{one.fixed_expected:.6f}",
            f"{one.adaptive:.6f}",
            f"{one.adaptive_expected:.6f}",
            f"{one.adaptive_printed:.6f}",
        ]
        for one in counted
    ]
    header = ["n", "pairs", "fixed", "(1)", "adaptive", "(2) corrected", "(2) as printed"]
    found = "All agree to the last pair." if agree else "**They do not all agree.**"
    return paragraphs(
        "Datagrams from node 0 to all pairs of destinations, each pair sent together into an idle "
        "cube: share of the pairs whose second message waits for its first link. Equation (2) as "
        "printed counts twice that nothing is sent to oneself; corrected it is 1 / (2^n - 1). "
        f"{found} So fixed routing lets {counted[-1].fixed:.2f} of the pairs collide on a cube of "
        "eight dimensions, an adaptive first step "
        f"{counted[-1].adaptive:.4f}: the paper's limits of 1/3 and 0.",
        table(header, lines),
    )


def _standstill(still: Sequence[Standstill]) -> str:
    strict = [one for one in still if not one.overtaking]
    stuck = [one for one in strict if one.text]
    free = [one for one in still if one.overtaking and one.text]
    if not stuck:
        return "No run without overtaking stood still."
    first = min(stuck, key=lambda one: len(one.circle) or 10**6)
    circle = "\n".join(["```", *first.circle, "```"])
    return paragraphs(
        "The paper keeps one place in each queue from packets that took another first step than "
        "fixed routing (*contrary* ones) and concludes that all others always move on. That "
        "overlooks who stands at the head of a queue: if it sends strictly in order, a contrary "
        "packet at its head that waits for a place in the next one keeps all those behind it from "
        "places that are free, and the place kept from it helps nobody. With "
        f"`overtaking = false` {len(stuck)} of {len(strict)} runs at the heaviest load stand still "
        f"(seeds {', '.join(str(one.seed) for one in stuck)}); with overtaking "
        f"(a packet that has no place may be passed by those of other messages) {len(free)} do. "
        "All results above are with overtaking. "
        f"What the simulator reports of seed {first.seed}, {first.length} B, at "
        f"{first.at_us:.3f} µs:",
        circle,
    )
