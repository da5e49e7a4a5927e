"""What was found, in plain words, with the numbers of the runs."""

from __future__ import annotations

import tailback as tb
from studies.buzzard_mudge.costs import theta_r, theta_t
from studies.buzzard_mudge.findings import Findings
from studies.buzzard_mudge.paired import Seeds, ratio
from studies.buzzard_mudge.settings import (
    ADAPTIVE,
    BEGINS,
    COMPLETE,
    FIXED,
    LENGTHS,
    SPACINGS,
    WORMHOLE,
    whole,
)
from studies.estimates import in_percent

_SHORT, _LONG = LENGTHS
_HEAVIEST, _SECOND, _LIGHTEST = SPACINGS[0], SPACINGS[1], SPACINGS[-1]


def summary(found: Findings) -> str:
    """Return what was found, as a list."""
    parts = (_paper, _packets, _section_3, _costs, _needs, _variants)
    texts = (part(found) for part in parts)
    return "\n".join(f"* {text}" for text in texts)


def _shown(estimate: tb.Estimate) -> str:
    scaled = in_percent(estimate)
    return f"{scaled.value:.0f} ± {scaled.half_width:.0f} %"


def _paper(found: Findings) -> str:
    judged = [
        (one.words, other.words)
        for one, other in zip(found.verdicts, found.literal, strict=True)
        if one.ours
    ]
    whole_count = sum("holds" in words for words in judged)
    partly = sum("holds" not in words and any("holds at" in w for w in words) for words in judged)
    concluded = sum(not conclusion.differs for conclusion in found.conclusions)
    return (
        f"**The paper's numbers.** Of {len(judged)} ratios printed as numbers {whole_count} hold "
        f"at all the loads they are about, under one of the two readings of *first*, {partly} "
        f"more at some of the loads, and {len(judged) - whole_count - partly} at none. Of the "
        f"{len(found.conclusions)} conclusions of section 3 {concluded} hold."
    )


def _packets(found: Findings) -> str:
    quotient = found.measured.ratio
    short, long = (
        quotient(ADAPTIVE, WORMHOLE, length, spacing, BEGINS)
        for length, spacing in ((_SHORT, _SECOND), (_LONG, SPACINGS[3]))
    )
    fixed = quotient(FIXED, WORMHOLE, _SHORT, _SECOND, BEGINS)
    light = quotient(ADAPTIVE, WORMHOLE, _SHORT, _LIGHTEST, BEGINS)
    last = quotient(ADAPTIVE, WORMHOLE, _LONG, _LIGHTEST, COMPLETE)
    return (
        "**Packets with an adaptive first step** begin to arrive long before worms do where there "
        f"is contention: in {_shown(short)} of their time at the second heaviest load of short "
        f"messages (fixed: {_shown(fixed)}), {_shown(long)} at the fourth of long ones. At the "
        f"lightest load of short messages it is {_shown(light)}, and it costs "
        f"bandwidth: the whole of a long message takes {_shown(last)} of a worm's time there."
    )


def _section_3(found: Findings) -> str:
    quotient = found.measured.ratio
    wires = quotient(
        whole("circuit", "full", "dimension_order"),
        whole("circuit", "half", "dimension_order"),
        _SHORT,
        SPACINGS[3],
        COMPLETE,
    )
    adaptive = quotient(
        whole("datagram", "half", "profitable"),
        whole("datagram", "half", "dimension_order"),
        _SHORT,
        _HEAVIEST,
        COMPLETE,
    )
    return (
        "**Whole messages.** A wire for each direction is worth more than adaptive routing "
        f"everywhere the paper says so (circuits at the fourth load: {_shown(wires)} of the time). "
        "What does not hold is that adaptive routing makes anything worse: datagrams of 512 bytes "
        f"with one wire, the paper's worst case, take {_shown(adaptive)} of the time at the "
        "heaviest load. Ours go to the shortest queue, by messages and not by bytes, and "
        "circuits ask for any free channel that is nearer; the paper does not say how its did, "
        "and one that chooses blindly can do worse."
    )


def _costs(found: Findings) -> str:
    settings = (WORMHOLE, ADAPTIVE, whole("datagram_cut_through", "full", "dimension_order"))
    worm, packets, cut = (theta_t(found.measured, one, _SHORT, _HEAVIEST) for one in settings)
    rates = [theta_r(found.measured, one, _SHORT, _HEAVIEST) for one in settings]
    return (
        "**What contention costs.** At the heaviest load of short messages theta_t is "
        f"{_shown(worm)} for worms, {_shown(cut)} for cut-through and {_shown(packets)} for "
        "adaptive packets: worms look better than they are because most of their waiting is at the "
        "source, before the first channel, where theta_t does not look. theta_r, which sees how "
        f"much longer the run is, says {_shown(rates[0])}, {_shown(rates[2])} and "
        f"{_shown(rates[1])}. Neither sees that a packet is not a message: see *first* and *last*."
    )


def _needs(found: Findings) -> str:
    needs = [n for n in found.needs if n.transport == "datagram" and n.duplex == "half"]
    full = [n for n in found.needs if n.transport == "datagram" and n.duplex == "full"]
    return (
        "**Buffers of datagrams** of 8192 bytes: "
        f"{full[-1].transit.value:.0f} kbytes for others' messages at the lightest load, "
        f"{full[0].transit.value:.0f} at the heaviest, with one wire {needs[0].transit.value:.0f}: "
        "about the paper's 100 to over 200."
    )


def _variants(found: Findings) -> str:
    of = found.measured.of
    adaptive = "routing.kind == 'first_hop'"

    def sized(total: int, measure: str) -> Seeds:
        conditions = (adaptive, f"packet_size == {total - 4}")
        return of("buffers", conditions, _SHORT, _HEAVIEST, measure)

    def long_run(repeat: int) -> tb.Estimate:
        pair = (
            of(
                "run_lengths",
                (one.condition, f"repeat == {repeat}"),
                _SHORT,
                _HEAVIEST,
                BEGINS,
            )
            for one in (ADAPTIVE, WORMHOLE)
        )
        return ratio(*pair)

    first, last = (ratio(sized(40, m), sized(20, m)) for m in (BEGINS, COMPLETE))
    return (
        "**What was not printed, or left for later.** In the same room 8 packets of 40 bytes are "
        f"better than the paper's 16 of 20 at the heaviest load: {_shown(first)} of the time until "
        f"the first 16 bytes, {_shown(last)} until all; at light loads small packets begin "
        "earlier. The gain of adaptive packets at the heaviest load depends on how long it lasts: "
        f"their first 16 bytes take {_shown(long_run(30))} of a worm's time in runs of 30 messages "
        f"of every node, {_shown(long_run(120))} in runs of 120."
    )
