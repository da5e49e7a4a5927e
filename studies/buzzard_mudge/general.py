"""The conclusions of section 3 on messages that are not cut into packets, and our runs.

A time is the mean until all of a message is there. *Heavy* are the three heaviest loads,
*moderate* the next three, *light* the last three. The rules were written before the runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product

import tailback as tb
from studies.buzzard_mudge.paired import Measured
from studies.buzzard_mudge.settings import COMPLETE, LENGTHS, SPACINGS, TRANSPORTS, whole
from studies.claims import Claim, Statement, Wording

HEAVY, MODERATE, LIGHT = SPACINGS[:3], SPACINGS[3:6], SPACINGS[6:]
DATAGRAMS = TRANSPORTS[:2]


def time_ratio(
    measured: Measured, above: tuple[str, str, str], below: tuple[str, str, str], at: At
) -> tb.Estimate:
    """Return the time of one transport over that of another at a length and a load.

    Both are named by transport, duplex and routing.
    """
    length, spacing = at
    return measured.ratio(whole(*above), whole(*below), length, spacing, COMPLETE)


At = tuple[int, float]
"""Mean length and spacing of messages."""

FIXED, FREE = "dimension_order", "profitable"


def _points(spacings: Sequence[float], lengths: Iterable[int] = LENGTHS) -> list[At]:
    return list(product(lengths, spacings))


def duplex_gain(measured: Measured, transport: str, routing: str, at: At) -> tb.Estimate:
    """Return the time with two wires for the directions over that with one."""
    return time_ratio(measured, (transport, "full", routing), (transport, "half", routing), at)


def adaptive_gain(measured: Measured, transport: str, duplex: str, at: At) -> tb.Estimate:
    """Return the time with adaptive routing over that with fixed routing."""
    return time_ratio(measured, (transport, duplex, FREE), (transport, duplex, FIXED), at)


def cut_through_gain(measured: Measured, at: At) -> tb.Estimate:
    """Return the time of cut-through over that of datagrams, full duplex and fixed routing."""
    cut, stored = (("datagram_cut_through", "full", FIXED), ("datagram", "full", FIXED))
    return time_ratio(measured, cut, stored, at)


def _span(found: Sequence[tb.Estimate]) -> str:
    values = [estimate.value for estimate in found]
    return f"{min(values):.2f} to {max(values):.2f}"


def _degrades(measured: Measured) -> Statement:
    texts, holds = [], True
    for length in LENGTHS:
        growth = {}
        for transport in TRANSPORTS:
            heavy, light = (
                measured.mean(whole(transport, "full", FIXED), length, spacing, COMPLETE)
                for spacing in (SPACINGS[0], SPACINGS[-1])
            )
            growth[transport] = heavy.value / light.value
        texts.append(f"{length} B: {', '.join(f'{t} {g:.1f}' for t, g in growth.items())}")
        holds &= growth["circuit"] > max(growth[transport] for transport in DATAGRAMS)
    return Statement(f"time at the heaviest load over the lightest, {'; '.join(texts)}", holds)


def _cut_through(measured: Measured) -> Statement:
    at_heaviest = [cut_through_gain(measured, at) for at in _points(SPACINGS[:1])]
    others = [cut_through_gain(measured, at) for at in _points(SPACINGS[1:])]
    text = f"time over that of datagrams {_span(others)}, at the heaviest load {_span(at_heaviest)}"
    return Statement(text, all(ratio.high < 0.9 for ratio in others))


def _duplex_first(measured: Measured) -> Statement:
    more, texts = [], []
    for transport in TRANSPORTS:
        wires, ways = [], []
        for at in _points((*HEAVY, *MODERATE)):
            wires.append(duplex_gain(measured, transport, FIXED, at))
            ways.append(adaptive_gain(measured, transport, "half", at))
        more += [one.value < other.value for one, other in zip(wires, ways, strict=True)]
        texts.append(f"{transport}: two wires {_span(wires)}, adaptive {_span(ways)}")
    text = f"time over that with one wire and fixed routing, {'; '.join(texts)}"
    return Statement(f"{text}; two wires better in {sum(more)} of {len(more)}", all(more))


def _adaptive_helps(measured: Measured) -> Statement:
    points = [*_points(LIGHT), *_points((*HEAVY, *MODERATE), LENGTHS[1:])]
    found = {
        duplex: [adaptive_gain(measured, t, duplex, at) for t in DATAGRAMS for at in points]
        for duplex in ("full", "half")
    }
    helps = [ratio.high < 1 for ratio in found["full"]]
    texts = (f"{duplex} duplex {_span(ratios)}" for duplex, ratios in found.items())
    text = f"{', '.join(texts)}; full duplex: shorter in {sum(helps)} of {len(helps)}"
    return Statement(text, all(helps))


def _adaptive_hurts(measured: Measured) -> Statement:
    points = _points(HEAVY, LENGTHS[:1])
    found = {
        duplex: [adaptive_gain(measured, t, duplex, at) for t in DATAGRAMS for at in points]
        for duplex in ("full", "half")
    }
    hurts = [ratio.value > 1 for ratios in found.values() for ratio in ratios]
    is_worse = max(r.value for r in found["half"]) > max(r.value for r in found["full"])
    texts = (f"{duplex} duplex {_span(ratios)}" for duplex, ratios in found.items())
    return Statement(", ".join(texts), all(hurts) and is_worse)


def _adaptive_smaller(measured: Measured) -> Statement:
    smaller = []
    for transport, at in product(DATAGRAMS, _points((*HEAVY, *MODERATE))):
        ways = adaptive_gain(measured, transport, "full", at)
        wires = duplex_gain(measured, transport, FREE, at)
        smaller.append(1 - ways.value < 1 - wires.value)
    return Statement(f"in {sum(smaller)} of {len(smaller)}", all(smaller))


def _circuit_hurts(measured: Measured) -> Statement:
    found = {
        duplex: [
            adaptive_gain(measured, "circuit", duplex, at) for at in _points(SPACINGS, LENGTHS[:1])
        ]
        for duplex in ("full", "half")
    }
    texts = (f"{duplex} duplex {_span(ratios)}" for duplex, ratios in found.items())
    holds = all(ratio.value > 1 for ratios in found.values() for ratio in ratios)
    return Statement(", ".join(texts), holds)


WORDING = Wording("conclusion", contradicted="does not hold")

CONCLUSIONS: tuple[Claim[Measured], ...] = (
    Claim(
        "Circuit switching does not gracefully degrade under heavy traffic",
        "section 3",
        _degrades,
        "Its time grows by a larger factor from the lightest to the heaviest load than that of "
        "both datagrams (full duplex, fixed routing).",
    ),
    Claim(
        "The advantages of cut-through are significant for all but the heaviest traffic",
        "section 3",
        _cut_through,
        "At all loads but the heaviest its time is below 0.9 of that of datagrams, beyond the "
        "interval (full duplex, fixed routing).",
    ),
    Claim(
        "In moderate to heavy traffic the most significant improvement is gained by "
        "non-interfering bidirectional links",
        "section 3",
        _duplex_first,
        "Two wires shorten the time more than adaptive routing does, for all three transports.",
    ),
    Claim(
        "Adaptive routing helps datagrams for all but heavy traffic with small messages, "
        "particularly with bidirectional links",
        "section 3",
        _adaptive_helps,
        "With two wires times are shorter beyond the interval, at light loads and for 2048 bytes "
        "at all loads.",
    ),
    Claim(
        "In these cases [heavy, small] it makes performance worse, particularly with uni-links",
        "section 3",
        _adaptive_hurts,
        "At heavy loads of 512 bytes times are longer, and at worst more so with one wire.",
    ),
    Claim(
        "The benefits of adaptive routing are typically much smaller than those of "
        "bidirectional links for all but light traffic",
        "section 3",
        _adaptive_smaller,
        "At moderate and heavy loads its gain in time (with two wires) is the smaller one.",
    ),
    Claim(
        "With circuits adaptive routing makes performance worse for small messages at all loads",
        "section 3",
        _circuit_hurts,
        "Times of 512 bytes are longer at all loads, with one wire and with two.",
    ),
)
