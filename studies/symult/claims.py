"""What the paper says, and what our loops show of it."""

from __future__ import annotations

import tailback as tb
from studies.claims import Claim, Statement, Wording
from studies.comparison import Comparison, Printed
from studies.symult import numbers, published
from studies.symult.loops import Loops
from studies.symult.settings import (
    FAST_FLIT_NS,
    FLIT_NS,
    LONG,
    SHORT,
    TRANSPOSED_SIDES,
    TRANSPOSED_SIZES,
)

WORDING = Wording(
    "the paper", "({})", quoted=True, printed=True, sources="section", contradicted="does not hold"
)

SIGNIFICANT_US = 10.0
"""What the paper calls a significant increase."""


def _number(text: str, value: float, bound: float) -> Comparison:
    return Comparison("", Printed(text), tb.Estimate.exact(value), bound=bound)


def _paths(loops: Loops) -> Statement:
    times = numbers.by_path(loops)
    spread = max(times.values()) - min(times.values())
    hops = f"{min(times)} to {max(times)} hops"
    return Statement(f"{spread:.2f} us from {hops}", spread < 4)


def _both_ways(loops: Loops) -> Statement:
    ratios = [
        numbers.near_us(loops, "AA_1NN", size) / numbers.near_us(loops, "AB_1NN", size)
        for size in published.sizes()
    ]
    return Statement(f"{min(ratios):.2f} to {max(ratios):.2f} of AB-1NN", min(ratios) > 0.75)


def _bottleneck(loops: Loops) -> Statement:
    """Say how slow it is with contention for channels, and without."""
    size = published.sizes()[-1]
    full, free = (numbers.near_us(loops, "AA_1NN", size, mode) for mode in ("full", "free"))
    one = numbers.near_us(loops, "AB_1NN", size) / 2
    found = f"{full / one:.2f} t with that contention, {free / one:.2f} t without"
    return Statement(found, free / one < 1.5)


def _four_times(loops: Loops) -> Statement:
    sizes = published.sizes()[-2:]
    ratios = [
        numbers.near_us(loops, "AB_4NN", size) / numbers.near_us(loops, "AB_1NN", size)
        for size in sizes
    ]
    return Statement(" and ".join(f"{r:.2f}" for r in ratios), all(3.5 < r < 4.5 for r in ratios))


def _little_difference(loops: Loops) -> Statement:
    ratios = [
        numbers.near_us(loops, "AA_4NN", size) / numbers.near_us(loops, "AB_4NN", size)
        for size in published.sizes()
    ]
    return Statement(f"{min(ratios):.2f} to {max(ratios):.2f} of AB-4NN", min(ratios) > 0.85)


def _corners(loops: Loops) -> Statement:
    delays = numbers.figure_8(loops, FLIT_NS)
    worst = max(delays, key=lambda node: delays[node])
    return Statement(f"most at {divmod(worst, 8)}: {delays[worst]:.0f} us", worst in (7, 56))


def _away_from_the_diagonal(loops: Loops) -> Statement:
    means = list(numbers.by_distance(numbers.figure_8(loops, FLIT_NS)).values())
    found = ", ".join(f"{mean:.0f}" for mean in means)
    return Statement(f"{found} us", means == sorted(means))


def _same_pattern(loops: Loops) -> Statement:
    found = numbers.correlation(numbers.figure_8(loops, FLIT_NS))
    return Statement(f"correlation over nodes {found:.2f}", found > 0.95)


def _same_size(flit_ns: float) -> Claim[Loops]:
    printed = numbers.printed_delays()
    mean = sum(printed.values()) / len(printed)

    def check(loops: Loops) -> Statement:
        delays = numbers.figure_8(loops, flit_ns)
        ours = sum(delays.values()) / len(delays)
        return Statement(f"{ours:.0f} us", mean / 1.5 < ours < 1.5 * mean)

    words = f"[figure 8: {mean:.0f} us longer than the shortest loop, on average over nodes]"
    return Claim(
        words,
        "3.3.1",
        check,
        reading=f"With {flit_ns:g} ns for each flit, our mean delay; within a factor of 1.5.",
        reason="No rate of the links makes both the size and the pattern of figure 8; how long its "
        "loops would take without contention is not printed, either.",
        known=True,
    )


def _significant(flit_ns: float) -> Claim[Loops]:
    def check(loops: Loops) -> Statement:
        significant = [
            (side, size)
            for side in TRANSPOSED_SIDES
            for size in TRANSPOSED_SIZES
            if numbers.transposed(loops, side, size, flit_ns)[0] > SIGNIFICANT_US
        ]
        found = ", ".join(f"{side * side} nodes {size} B" for side, size in significant) or "never"
        return Statement(found, all(side == 12 and size > 1024 for side, size in significant))

    return Claim(
        "the increase is significant (> 10 us) only in the largest system (144 [nodes]) and only "
        "for long (> 1K [bytes]) messages",
        "conclusion 2",
        check,
        reading=f"Matrix transpose, computing for 250 us on average, {flit_ns:g} ns for each flit; "
        "mean over the nodes.",
        reason="Figure 8 itself shows 16 us on average for 64 nodes.",
        known=True,
    )


def expected() -> tuple[Claim[Loops], ...]:
    """Return all claims, in the order of the paper."""
    (alpha_short, beta_short), (alpha_long, beta_long) = published.law()
    return (
        Claim(
            "210.9 + 0.0577 L: alpha",
            "conclusion 1",
            lambda loops: _number(f"{alpha_short}", numbers.fitted(loops, SHORT)[0], 0.02),
            reading="Up to 256 bytes, with the software of section 3.1; bound: the paper's 4 us.",
        ),
        Claim(
            "210.9 + 0.0577 L: beta",
            "conclusion 1",
            lambda loops: _number(f"{beta_short}", numbers.fitted(loops, SHORT)[1], 0.01),
        ),
        Claim(
            "210.2 + 0.1536 L: alpha",
            "conclusion 1",
            lambda loops: _number(f"{alpha_long}", numbers.fitted(loops, LONG)[0], 0.02),
            reading="From 512 to 8192 bytes.",
        ),
        Claim(
            "210.2 + 0.1536 L: beta",
            "conclusion 1",
            lambda loops: _number(f"{beta_long}", numbers.fitted(loops, LONG)[1], 0.01),
        ),
        Claim("The change is less than ± 4 us [with the length of the path]", "3.2", _paths),
        Claim(
            "almost the same as for a AB-1NN pattern",
            "3.3.2",
            _both_ways,
            reading="AA-1NN; if messages both ways did not slow each other down it were half.",
        ),
        Claim(
            "This increase is due to the contention for the pr-channel which has become the "
            "bottleneck",
            "3.3.2",
            _bottleneck,
            reading="AA-1NN with 8196 bytes in times t of a single message, with contention for "
            "all channels and with none; if the channel were the reason, it were 1 t without.",
            reason="With the constants of section 4 the processor's channel is busy for less than "
            "a third of a loop. What both messages share is the one CPU, which spends 24.6 us on "
            "every packet it sends and 32 us on every one it receives.",
            known=True,
        ),
        Claim(
            "the AB-4NN pattern is four times that of the AB-1NN pattern [for long messages]",
            "3.3.2",
            _four_times,
            reading="4099 and 8196 bytes; printed 4.33 and 3.91.",
        ),
        Claim("little difference in the loop times [of AA-4NN]", "3.3.2", _little_difference),
        Claim(
            "The completion times clearly increase as we move away from the principal diagonal",
            "3.3.1",
            _away_from_the_diagonal,
            reading="Means of our delays by |i - j|, 1 to 7.",
        ),
        Claim(
            "it is the corner nodes [(n-1, 0) and (0, n-1)] that are affected most",
            "3.3.1",
            _corners,
            remark="The printed matrix has its maximum beside the corner, at (1, 6).",
        ),
        Claim(
            "[figure 8: which nodes are delayed how much]",
            "3.3.1",
            _same_pattern,
            reading="Of our delays and the printed ones; above 0.95 holds.",
            reason="Printed delays level off five columns from the diagonal, ours grow up to the "
            "corner. No rule for shared wires or waiting heads that was tried makes both.",
            known=True,
        ),
        _same_size(FLIT_NS),
        _same_size(FAST_FLIT_NS),
        _significant(FLIT_NS),
        _significant(FAST_FLIT_NS),
    )
